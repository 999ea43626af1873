"""`evenscale compare`."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from evenscale.cli.matrix import read_matrix
from evenscale.cli.options import (
    alpha_option,
    correction_option,
    digits_option,
    matrix_option,
    test_option,
    ties_option,
)
from evenscale.cli.output import Shown, format_options, progress_bar, show, tell
from evenscale.cli.scale_note import strict_option, tell_scale
from evenscale.oddities import Oddity
from evenscale.scales import Interval, interval, parse
from evenscale.scores import evaluate
from evenscale.statements.needs import comparison_needs
from evenscale.stats.compare import Comparison, compare, scores_of
from evenscale.stats.matrix import Scores


@click.command("compare")
@click.argument("qrels", required=False)
@click.argument("runs", metavar="RUN...", nargs=-1)
@click.option(
    "-m", "--measure", default="AP@30", show_default=True, metavar="MEASURE", help="The measure to compare on."
)
@click.option("--interval", "as_interval", is_flag=True, help="Compare on the measure's interval version.")
@test_option
@alpha_option
@click.option("--baseline", metavar="SYSTEM", help="Compare the systems with this one only.")
@correction_option
@click.option(
    "--alternative",
    type=click.Choice(("two-sided", "greater", "less")),
    default="two-sided",
    show_default=True,
    help="What counts as different, for tests that can be one-sided.",
)
@click.option(
    "--resamples", type=click.IntRange(99), default=10_000, show_default=True, help="For tests that resample."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="For tests that resample.")
@matrix_option
@digits_option
@ties_option
@click.option("--anova", is_flag=True, help="Show the two-way ANOVA table and its checks instead of the tiers.")
@click.option("--pairs", is_flag=True, help="Show the pairs that differ instead of the tiers.")
@strict_option
@format_options
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measure: str,
    as_interval: bool,
    matrix: str | None,
    digits: int,
    ties: Any,
    anova: bool,
    pairs: bool,
    seed: int,
    kind: str | None,
    output: str | None,
    quiet: bool,
    strict: bool,
    **options: Any,
) -> None:
    """Say which systems differ, and group them into tiers.

    A tier is its best system and all that do not differ from that one. 'group' gives letters: two systems share one
    exactly when they do not differ. 'beats' counts the systems that are significantly worse.

    \b
    evenscale compare qrels.txt runs/ -m AP@30
    evenscale compare qrels.txt runs/ -m nDCG@10 --test t --correction holm --baseline bm25
    evenscale compare --matrix scores.csv --test friedman
    """
    if matrix is not None:
        if qrels is not None:
            raise click.UsageError("Give either --matrix or QRELS and RUN..., not both.")
        scores, said = read_matrix(matrix, digits), ""
    else:
        scores, said = _from_runs(qrels, runs, measure, as_interval, digits, ties, quiet, _test(options, anova))
    if anova:
        show(_anova(scores), kind, output, quiet)
    else:
        result = compare(scores, rng=np.random.default_rng(seed), **options)
        show(_shown(result, pairs), kind, output, quiet=True)
    tell_scale(said, strict, quiet)


def _test(options: dict[str, Any], anova: bool) -> str:
    return "anova2" if anova else str(options["test"])


def _from_runs(
    qrels: str | None,
    runs: tuple[str, ...],
    measure: str,
    as_interval: bool,
    digits: int,
    ties: Any,
    quiet: bool,
    test: str,
) -> tuple[Scores, str]:
    """The scores, and what must be said about the scale that the test needs."""
    if qrels is None or not runs:
        raise click.UsageError("Missing arguments: QRELS and RUN..., or --matrix FILE.")
    chosen = parse(measure)
    if as_interval and not isinstance(chosen, Interval):
        chosen = interval(chosen)
    with progress_bar("scoring runs") as progress:
        result = evaluate(qrels, list(runs), chosen, ties=ties, progress=progress)
    if not quiet:
        tell(result.oddities)
    said = comparison_needs(chosen, test, int(max(result.blocks[0].top, 1)))
    return scores_of(result, str(chosen), digits=digits), said


def _anova(scores: Scores) -> Shown:
    from evenscale.stats.anova import anova2

    found = anova2(scores)
    notes = [Oddity("assumption", "", warning) for warning in found.warnings()]
    return Shown(found.table(), found.frame, found.to_dict(), "Analysis of variance", notes)


def _shown(result: Comparison, pairs: bool) -> Shown:
    chosen = result.comparisons if pairs else result
    return Shown(chosen.table(), chosen.frame, result.to_dict(), "Comparison of systems")
