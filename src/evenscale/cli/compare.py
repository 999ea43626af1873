"""`evenscale compare`."""

from __future__ import annotations

from typing import Any

import click
import numpy as np
import polars as pl

from evenscale.cli.output import Shown, format_options, progress_bar, show, tell
from evenscale.cli.scale_note import strict_option, tell_scale
from evenscale.errors import BadFile, BadInput, BadParameter, quoted
from evenscale.judged.policy import CHOICES
from evenscale.oddities import Oddity
from evenscale.scales import Interval, interval, parse
from evenscale.scores import evaluate
from evenscale.statements.needs import comparison_needs
from evenscale.stats.compare import TESTS, Comparison, compare, scores_of
from evenscale.stats.matrix import DIGITS, Scores
from evenscale.stats.testing import CORRECTIONS


@click.command("compare")
@click.argument("qrels", required=False)
@click.argument("runs", metavar="RUN...", nargs=-1)
@click.option(
    "-m", "--measure", default="AP@30", show_default=True, metavar="MEASURE", help="The measure to compare on."
)
@click.option("--interval", "as_interval", is_flag=True, help="Compare on the measure's interval version.")
@click.option(
    "--test",
    type=click.Choice(tuple(TESTS)),
    default="anova2",
    show_default=True,
    help="The test; the default takes the topics into account and all pairs together.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="The level of significance.")
@click.option("--baseline", metavar="SYSTEM", help="Compare the systems with this one only.")
@click.option(
    "--correction",
    type=click.Choice(tuple(CORRECTIONS)),
    default="none",
    show_default=True,
    help="For the number of pairs, with tests that look at one pair at a time.",
)
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
@click.option("--matrix", metavar="FILE", help="A CSV of scores, topics down and systems across, instead of runs.")
@click.option(
    "--digits",
    type=click.IntRange(0, 15),
    default=DIGITS,
    show_default=True,
    help="Decimals of the scores that count; ties are decided on them.",
)
@click.option(
    "--ties", type=click.Choice(CHOICES["ties"]), default="trec_eval", show_default=True, help="As in evaluate."
)
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


def read_matrix(path: str, digits: int) -> Scores:
    """Scores from a CSV with a header of system names; a first column of topics is recognised by its name."""
    try:
        frame = pl.read_csv(path, infer_schema_length=None)
    except FileNotFoundError:
        raise BadFile(path, "no such file") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        raise BadFile(path, f"expected a CSV of scores: {str(error).splitlines()[0]}") from None
    topics = None
    if frame.columns and frame.columns[0].strip().lower() in ("topic", "topics", "query", "qid", ""):
        topics, frame = frame.to_series(0).cast(pl.String).to_list(), frame.drop(frame.columns[0])
    for name in frame.columns:
        if not frame[name].dtype.is_numeric():
            numbers = frame[name].cast(pl.String).cast(pl.Float64, strict=False)
            row = int((~numbers.is_finite()).fill_null(value=True).arg_true()[0])
            found = quoted(str(frame[name][row]))
            raise BadFile(path, f"line {row + 2}: expected a finite number in column {name!r}, found {found}")
        if frame[name].null_count():
            row = int(frame[name].is_null().arg_true()[0])
            raise BadFile(path, f"line {row + 2}: expected a score in column {name!r}, found nothing")
    try:
        return Scores.of(frame.to_numpy(), topics=topics, systems=frame.columns, measure=path, digits=digits)
    except (BadInput, BadParameter) as error:
        raise BadFile(path, str(error)) from None
