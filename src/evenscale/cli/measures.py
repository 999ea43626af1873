"""`evenscale measures`."""

from __future__ import annotations

from dataclasses import MISSING, fields

import click
import polars as pl

from evenscale.cli.output import Shown, format_options, show
from evenscale.measures import ALIASES, MEASURES, Measure
from evenscale.measures.spelling import at_field
from evenscale.tables import Table


@click.command("measures")
@format_options
def command(kind: str | None, output: str | None, quiet: bool) -> None:
    """List the measures, one line each.

    Parameters go in brackets, the cut-off behind @: RBP(p=0.5)@20, AP(rel=2), nDCG(dcg='exp-log2')@10. The names of
    trec_eval (map, ndcg_cut_10, recip_rank, ...) are understood as well.
    """
    rows = [_row(measure) for measure in MEASURES]
    frame = pl.DataFrame(rows)
    table = Table(("measure", "what it is"), [(row["spelling"], row["title"]) for row in rows])
    show(Shown(table, frame, {"measures": rows}, "Measures"), kind, output, quiet)


def _row(measure: type[Measure]) -> dict[str, str]:
    at = at_field(measure)
    names = [f.name for f in fields(measure) if f.name not in (at, "cutoff") and f.default is not MISSING]
    inside = f"({','.join(names)})" if names else ""
    behind = "" if at == "cutoff" and not measure.takes_cutoff else "@k" if at == "cutoff" else f"@{at}"
    return {
        "name": measure.name,
        "spelling": f"{measure.name}{inside}{behind}",
        "title": measure.title,
        "cite": measure.cite,
        "aliases": " ".join(alias for alias, name in ALIASES.items() if name == measure.name),
    }
