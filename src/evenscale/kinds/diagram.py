"""The rows of a Hasse diagram; the report draws them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from evenscale.measures import Measure
from evenscale.orders.grading import gradedness
from evenscale.orders.orders import find_order, induced
from evenscale.orders.poset import Poset
from evenscale.results import Result
from evenscale.scales import parse
from evenscale.tables import Table


@dataclass(frozen=True, eq=False)
class Diagram(Result):
    """The rows of a Hasse diagram: runs with their levels, and which covers which."""

    order: str
    depth: int
    grades: int
    graded: bool
    nodes: pl.DataFrame
    edges: pl.DataFrame
    measure: str = ""

    @property
    def frame(self) -> pl.DataFrame:
        """One row per run."""
        return self.nodes

    @property
    def title(self) -> str:
        """For the head of the drawing."""
        what = "Sets of size" if self.order.startswith("set") else "Runs of length"
        whose = f"the order of {self.measure}" if self.measure else f"the order '{self.order}'"
        return f"{what} {self.depth}, grades 0 to {self.grades}: {whose}"

    @property
    def subtitle(self) -> str:
        """What the levels are, and the colours where they need a word."""
        level = "rank function" if self.graded else "longest way from the bottom; the order is not graded"
        several = "; runs of equal value are coloured like the first" if self.measure else ""
        return f"level: {level}{several}"

    def table(self) -> Table:
        return Table(self.nodes.columns, list(self.nodes.iter_rows()), title=self.title)

    def to_dict(self) -> dict[str, Any]:
        return {"nodes": self.nodes.to_dicts(), "edges": self.edges.to_dicts(), "graded": self.graded}


def diagram(order: str, depth: int, grades: int = 1, measure: str | Measure | None = None) -> Diagram:
    """The Hasse diagram of an order on runs, or on sets for orders on sets; `induced` needs the measure.

    >>> found = diagram("weak", 4)
    >>> found.graded, found.nodes.height, found.edges.height
    (True, 16, 20)
    """
    own = parse(measure) if order == "induced" and measure is not None else None
    chosen = find_order(order) if own is None else induced(own)
    poset = Poset.of(chosen, chosen.universe(depth, grades))
    labels = [" ".join("".join(map(str, run)) for run in members) for members in poset.classes]
    nodes = pl.DataFrame(
        {
            "node": list(range(poset.size)),
            "label": labels,
            "level": list(poset.depths),
            "relevant": [sum(grade > 0 for grade in members[0]) for members in poset.classes],
        }
    )
    low, high = zip(*poset.edges, strict=True) if poset.edges else ((), ())
    edges = pl.DataFrame({"low": list(low), "high": list(high)}, schema={"low": pl.Int64, "high": pl.Int64})
    return Diagram(order, depth, grades, gradedness(poset).graded, nodes, edges, str(own or ""))
