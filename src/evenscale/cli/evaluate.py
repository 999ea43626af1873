"""`evenscale evaluate`."""

from __future__ import annotations

from typing import Any

import click

from evenscale.cli.options import policy_options
from evenscale.cli.output import Shown, format_options, progress_bar, show
from evenscale.cli.scale_note import strict_option, tell_scale
from evenscale.measures import Measure
from evenscale.scales import Interval, interval, parse
from evenscale.scores import DEFAULT_MEASURES, Evaluation, evaluate

INTERVAL_MEASURES = ("AP@30", "nDCG@10", "P@10", "RR@10")
"""What `--interval` takes when nothing is asked for: a scale needs a cut-off."""


@click.command("evaluate")
@click.argument("qrels")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help=f"A measure such as AP@30 or 'RBP(p=0.8)'; may be repeated. The first one sorts the table. "
    f"Default: {' '.join(DEFAULT_MEASURES)}.",
)
@click.option("--interval", "intervals", is_flag=True, help="Add the interval version beside every measure.")
@click.option("--per-topic", is_flag=True, help="Show the score of every topic, not only the means.")
@click.option("--digits", type=click.IntRange(0, 15), default=4, show_default=True, help="Decimals in tables.")
@policy_options
@strict_option
@format_options
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    intervals: bool,
    per_topic: bool,
    digits: int,
    kind: str | None,
    output: str | None,
    quiet: bool,
    strict: bool,
    **policy: Any,
) -> None:
    """Score runs against qrels.

    QRELS and each RUN are files in TREC format, CSV, Parquet or JSON lines, plain or compressed; a RUN may also be a
    folder or a quoted glob.

    \b
    evenscale evaluate qrels.txt runs/ -m AP@30 -m nDCG@10
    evenscale evaluate qrels.txt 'runs/*.gz' -m AP --per-topic -o scores.csv
    evenscale evaluate qrels.txt runs/ -m AP@30 --interval
    """
    chosen: list[Measure] = [parse(m) for m in measures or (INTERVAL_MEASURES if intervals else DEFAULT_MEASURES)]
    if intervals:
        chosen = [version for m in chosen for version in ((m,) if isinstance(m, Interval) else (m, interval(m)))]
    with progress_bar("scoring runs") as progress:
        result = evaluate(qrels, list(runs), chosen, progress=progress, **policy)
    show(_shown(result, per_topic, digits), kind, output, quiet)
    tell_scale("" if per_topic else _needed(result), strict, quiet)


def _needed(result: Evaluation) -> str:
    """What must be said about the scale that means need."""
    from evenscale.statements.needs import means_need

    return means_need(result.measures, int(max(result.blocks[0].top, 1)))


def _shown(result: Evaluation, per_topic: bool, digits: int) -> Shown:
    data = result.to_dict()
    if not per_topic:
        del data["scores"]
    title = f"{len(result.runs)} runs on {len(result.topics)} topics"
    if per_topic:
        return Shown(result.topic_table(digits=digits), result.per_topic(), data, title, result.oddities)
    return Shown(result.table(digits=digits), result.leaderboard(), data, title, result.oddities)
