"""`evenscale explain`."""

from __future__ import annotations

from pathlib import Path

import click

from evenscale.cli.options import grades_option, length_option
from evenscale.cli.output import Shown, format_options, show
from evenscale.errors import BadParameter
from evenscale.kinds.explanation import explain
from evenscale.orders.orders import NAMES

DRAWINGS = (".svg", ".png", ".pdf", ".html")


@click.command("explain")
@click.argument("measure")
@click.option(
    "--order",
    type=click.Choice(NAMES),
    default=None,
    help="The order that --json and --hasse are about: that of the measure itself (induced, the default for --json), "
    "weak or strong top-heaviness (weak is the default for --hasse), or an order on sets.",
)
@grades_option
@length_option
@click.option("--hasse", metavar="FILE", help=f"Draw the order's Hasse diagram to a file ({' '.join(DRAWINGS)}).")
@format_options
def command(
    measure: str,
    order: str | None,
    grades: int,
    depth: int | None,
    hasse: str | None,
    kind: str | None,
    output: str | None,
    quiet: bool,
) -> None:
    """Say what a measure is: on which orders of runs it is ordinal or interval, why not, and what that permits.

    All runs of the cut-off's length are looked at, with exact values; every "no" comes with the runs that show it.

    \b
    evenscale explain AP@5
    evenscale explain "nDCG@3" --grades 2 --order weak --json
    evenscale explain P@4 --order weak --hasse runs.svg
    """
    if hasse and Path(hasse).suffix.lower() not in DRAWINGS:
        raise BadParameter(f"cannot draw to {hasse!r}: use one of {' '.join(DRAWINGS)}")
    found = explain(measure, depth=depth, grades=grades, order=order or "induced")
    if hasse:
        _draw(found.name, order or "weak", found.depth, grades, hasse)
    title = f"What {found.name} is"
    show(Shown(found.table(), found.frame, found.to_dict(), title, prose=found.page()), kind, output, quiet)


def _draw(measure: str, order: str, depth: int, grades: int, path: str) -> None:
    from evenscale.kinds.diagram import diagram
    from evenscale.report.charts import save
    from evenscale.report.hasse import hasse

    rows = diagram(order, depth, grades, measure)
    save(hasse(rows.nodes, rows.edges, title=rows.title, subtitle=rows.subtitle), path)
    click.echo(f"wrote {path}", err=True)
