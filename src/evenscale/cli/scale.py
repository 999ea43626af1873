"""`evenscale scale` and `evenscale rank`."""

from __future__ import annotations

from typing import Any

import click
import polars as pl

from evenscale.cli.options import grades_option, length_option
from evenscale.cli.output import Shown, format_options, progress_bar, show
from evenscale.errors import BadParameter
from evenscale.oddities import Oddity
from evenscale.report.sketch import sketch
from evenscale.scales import IntervalScale, interval_scale
from evenscale.scales.scale import LADDER_LIMIT, TIE_RULES
from evenscale.tables import Table

CHARTS = (".svg", ".png", ".pdf")


def _universe_options(function: Any) -> Any:
    base = click.option("--recall-base", type=click.IntRange(1), metavar="R", help="Only runs with at most R relevant.")
    for option in (base, grades_option, length_option):
        function = option(function)
    return function


@click.command("scale")
@click.argument("measure", required=False)
@_universe_options
@click.option("--figure", metavar="FILE", help="Draw the scale to a file (.svg .png .pdf .html).")
@click.option("--list", "listing", is_flag=True, help="List the scales that are kept on disk.")
@click.option("--clear", is_flag=True, help="Remove the scales that are kept on disk.")
@format_options
def command(
    measure: str | None,
    grades: int,
    depth: int | None,
    recall_base: int | None,
    figure: str | None,
    listing: bool,
    clear: bool,
    kind: str | None,
    output: str | None,
    quiet: bool,
) -> None:
    """Say what kind of scale a measure is: how many values it has, how far apart, and how they look.

    \b
    evenscale scale AP@10
    evenscale scale "nDCG(dcg='jk',base=2)@20" --grades 2
    evenscale scale "RBP(p=0.8)@4" --figure ladder.svg
    """
    if clear:
        from evenscale.scales import store

        click.echo(f"removed {store.clear()} scales")
    if listing:
        _list(kind, output, quiet)
    if measure is None:
        if not (clear or listing):
            raise click.UsageError("Missing argument 'MEASURE' (or --list, --clear).")
        return
    with progress_bar("building the scale") as progress:
        scale = interval_scale(measure, grades=grades, depth=depth, recall_base=recall_base, progress=progress)
    spacing = scale.spacing()
    if figure:
        _draw(scale, figure)
    show(Shown(spacing.table(), spacing.frame, spacing.to_dict(), f"Scale of {scale.label}"), kind, output, quiet)
    if kind is None and output is None:
        curve = scale.curve()
        click.echo()
        click.echo(sketch(curve["place"].to_list(), curve["value"].to_list(), across="place", up="value"))


def _draw(scale: IntervalScale, figure: str) -> None:
    from evenscale.report.charts import save, scale_curve, scale_ladder

    subtitle = f"runs of length {scale.universe.depth}, grades 0 to {scale.universe.grades}: {scale.size:,} values"
    if scale.universe.size <= min(LADDER_LIMIT, 32):
        chart = scale_ladder(scale.ladder(), title=scale.label, subtitle=subtitle)
    else:
        chart = scale_curve(scale.curve(), title=scale.label, subtitle=subtitle)
    save(chart, figure)
    click.echo(f"wrote {figure}", err=True)


def _list(kind: str | None, output: str | None, quiet: bool) -> None:
    from evenscale.scales import store

    rows = [
        {
            "measure": s.label,
            "depth": s.depth,
            "grades": s.grades,
            "values": f"{s.size:,}",
            "kB": round(s.bytes / 1000, 1),
            "made": s.date,
            "where": "shipped" if s.shipped else "cache",
        }
        for s in store.listing()
    ]
    names = ["measure", "depth", "grades", "values", "kB", "made", "where"]
    table = Table(names, [[row[n] for n in names] for row in rows], digits=1)
    show(Shown(table, pl.DataFrame(rows, schema=None), {"scales": rows}, "Scales on disk"), kind, output, quiet)


@click.command("rank")
@click.argument("measure")
@click.argument("run")
@_universe_options
@click.option(
    "--ties", type=click.Choice(TIE_RULES), default="unq", show_default=True, help="How tied runs are ranked."
)
@format_options
def rank_command(
    measure: str,
    run: str,
    grades: int,
    depth: int | None,
    recall_base: int | None,
    ties: Any,
    kind: str | None,
    output: str | None,
    quiet: bool,
) -> None:
    """Give one run's value, rank and score on a measure's scale.

    RUN is the run's grades from the top, separated by commas or blanks: 1,0,0,1. Short runs are filled up with 0.

    \b
    evenscale rank AP@5 1,0,0,1
    """
    listed = _grades(run)
    with progress_bar("building the scale") as progress:
        scale = interval_scale(
            measure, grades=grades, depth=depth, recall_base=recall_base, ties=ties, progress=progress
        )
    n = scale.universe.depth
    value, rank = scale.value(listed), scale.rank(listed)
    row: dict[str, str | int | float] = {
        "measure": scale.label,
        "run": ",".join(map(str, (listed + [0] * n)[:n])),
        "value": float(value),
        "exact value": str(value),
        "rank": rank if isinstance(rank, int) else float(rank),
        "of": scale.size if ties == "unq" else scale.universe.size,
        "score": scale.score(listed),
    }
    table = Table(("", ""), [(name, f"{v:,}" if isinstance(v, int) else v) for name, v in row.items()], digits=6)
    frame = pl.DataFrame({name: [str(v) if isinstance(v, int) else v] for name, v in row.items()})
    show(Shown(table, frame, row, f"{scale.label}", _length_note(len(listed), n)), kind, output, quiet)


def _length_note(found: int, wanted: int) -> list[Oddity]:
    if found == wanted:
        return []
    what = "cut" if found > wanted else "filled up with non-relevant documents"
    return [Oddity("length", "", f"the run has {found} documents, the scale is for {wanted}: {what}")]


def _grades(text: str) -> list[int]:
    words = text.replace(",", " ").split()
    try:
        return [int(word) for word in words]
    except ValueError:
        raise BadParameter(f"a run is whole grades separated by commas, like 1,0,0,1; got {text!r}") from None
