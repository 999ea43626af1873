"""Every measure in the table at once: its category and where it changes, and whether it is interval-like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from evenscale.errors import BadParameter
from evenscale.kinds.taxonomy import BUDGET, Scored, Taxonomy, at_depth, taxonomy
from evenscale.measures import MEASURES, Measure
from evenscale.orders.interval_like import IntervalLike, interval_like
from evenscale.orders.universe import Universe
from evenscale.orders.values import placed
from evenscale.results import Result
from evenscale.scales import parse
from evenscale.tables import Cell, Table

VARIANTS = ("RBP(p=0.5)", "DCG(dcg='jk',base=2)", "nDCG(dcg='jk',base=2)", "IPrec@0.5")
"""Settings that behave unlike the default of their measure."""
DEEPEST = 10

LIKE = (
    *("P", "RR", "AP", "ERR", "DCG(dcg='jk',base=2)", "DCG", "nDCG", "RBP(p=0.3)", "RBP(p=0.5)", "RBP(p=0.8)"),
    *("RBPO@1", "RBTO@1", "Bpref"),
)
"""The measures whose intervals the paper on interval-like scales looks at, and others that are instructive."""


def natural(kind: type[Measure], depth: int) -> Measure:
    """A measure of the table with its default parameters, cut at a depth where it takes a cut-off.

    >>> from evenscale.measures.table import AP, Rprec
    >>> print(natural(AP, 5), natural(Rprec, 5))
    AP@5 Rprec
    """
    return kind(cutoff=depth) if kind.takes_cutoff else kind()


@dataclass(frozen=True, eq=False)
class TaxonomyTable(Result):
    """The category of many measures at one depth, on rankings and, where the order is ignored, on sets too."""

    depth: int
    grades: int
    rankings: tuple[Taxonomy, ...]
    sets: tuple[Taxonomy | None, ...]

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per measure."""
        rows = [self._row(found, sets) for found, sets in zip(self.rankings, self.sets, strict=True)]
        return pl.DataFrame(rows, infer_schema_length=None)

    def _row(self, found: Taxonomy, sets: Taxonomy | None) -> dict[str, Any]:
        here = found.categories[self.depth - 1]
        return {
            "measure": found.measure,
            "category": here.kind,
            "injective": here.injective,
            "equispaced": here.equispaced,
            "runs": here.runs,
            "values": here.values,
            "on_sets": sets.categories[self.depth - 1].kind if sets else None,
            "since_depth": found.settled.depth,
            "to_depth": found.last.depth,
            "settled": found.last.kind,
            "spacing": found.spacing,
            "history": found.history,
            "witness": found.settled.witness,
        }

    def table(self) -> Table:
        """As a person wants to see it."""
        columns = {
            "measure": "measure",
            "category": f"category at depth {self.depth}",
            "values": "values",
            "on_sets": "on sets",
            "spacing": "equi-spaced",
            "history": "by depth",
            "witness": "witness",
        }
        return Table(list(columns.values()), list(self.frame.select(*columns).iter_rows()))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"depth": self.depth, "grades": self.grades, "rows": self.frame.to_dicts()}


def taxonomy_table(
    depth: int = 5, grades: int = 1, *, measures: Sequence[str | Measure] | None = None
) -> TaxonomyTable:
    """The category of every measure in the table, and the smallest depth at which it changes.

    Depths are searched as far as the universe has at most 2,048 runs, to 10 at most. Measures that ignore the order of
    the documents are looked at on sets as well.

    >>> table = taxonomy_table(3, measures=["P", "RBP(p=0.5)"])
    >>> table.frame.select("measure", "category", "on_sets").rows()
    [('P@3', 'ordinal/pseudometric', 'interval/metric'), ('RBP(p=0.5)@3', 'interval/metric', None)]
    """
    deepest = max(d for d in range(1, DEEPEST + 1) if d == 1 or Universe(d, grades).size <= BUDGET)
    if not 1 <= depth <= deepest:
        raise BadParameter(f"depth must lie between 1 and {deepest} for grades 0 to {grades}, got {depth}")
    every = [natural(kind, depth) for kind in MEASURES] + [parse(text) for text in VARIANTS]
    chosen = every if measures is None else [parse(measure) for measure in measures]
    cut = [measure @ depth if measure.takes_cutoff else measure for measure in chosen]
    found = tuple(taxonomy(measure, grades=grades, up_to=deepest) for measure in cut)
    sets = tuple(
        taxonomy(measure, grades=grades, up_to=depth, sets=True) if ignores_order(measure, depth, grades) else None
        for measure in cut
    )
    return TaxonomyTable(depth, grades, found, sets)


def ignores_order(measure: Scored, depth: int, grades: int = 1) -> bool:
    """Whether all orders of a set of documents have one value, decided over all runs of a length.

    >>> ignores_order(parse("P@3"), 3), ignores_order(parse("RR@3"), 3)
    (True, False)
    """
    found = placed(measure, Universe(depth, grades))
    places: dict[tuple[int, ...], int] = {}
    return all(
        places.setdefault(tuple(sorted(run)), place) == place
        for run, place in zip(found.runs, found.places.tolist(), strict=True)
    )


# --- interval-like ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class IntervalLikeTable(Result):
    """For every measure the smallest depth at which it is not interval-like, overall and for ends of equal mass."""

    deepest: int
    measures: tuple[str, ...]
    overall: tuple[IntervalLike, ...]
    equal_mass: tuple[IntervalLike, ...]

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per measure and kind of interval."""
        rows = [
            {
                "measure": measure,
                "intervals": kind,
                "interval_like": found.holds,
                "depth": found.depth,
                "sentence": found.violation.sentence if found.violation else None,
            }
            for kind, results in (("all", self.overall), ("equal mass", self.equal_mass))
            for measure, found in zip(self.measures, results, strict=True)
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def table(self) -> Table:
        """As a person wants to see it."""
        rows: list[tuple[Cell, ...]] = []
        for measure, overall, equal in zip(self.measures, self.overall, self.equal_mass, strict=True):
            witness = next((one.violation.short for one in (equal, overall) if one.violation), "")
            rows.append((measure, self._verdict(overall), self._verdict(equal), witness))
        return Table(("measure", "all intervals", "ends of equal mass", "witness"), rows)

    def _verdict(self, found: IntervalLike) -> str:
        return f"yes, to depth {self.deepest}" if found.holds else f"no, from depth {found.depth}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"deepest": self.deepest, "rows": self.frame.to_dicts()}


def interval_like_table(deepest: int = 7, *, measures: Sequence[str | Measure] = LIKE) -> IntervalLikeTable:
    """Whether measures are interval-like on all binary runs of every length to `deepest`.

    >>> found = interval_like_table(3, measures=["RBP(p=0.8)", "AP"])
    >>> found.frame.filter(intervals="equal mass").select("measure", "interval_like", "depth").rows()
    [('RBP(p=0.8)', True, 3), ('AP', False, 3)]
    """
    if deepest < 1:
        raise BadParameter(f"deepest must be at least 1, got {deepest}")
    chosen = [parse(measure) for measure in measures]
    names = tuple(str(measure).split("@")[0] for measure in chosen)
    overall = tuple(_smallest(measure, deepest, equal_mass=False) for measure in chosen)
    return IntervalLikeTable(
        deepest, names, overall, tuple(_smallest(measure, deepest, equal_mass=True) for measure in chosen)
    )


def _smallest(measure: Measure, deepest: int, *, equal_mass: bool) -> IntervalLike:
    """The result at the smallest depth with a violation, or at the greatest depth."""
    for depth in range(1, deepest):
        found = interval_like(at_depth(measure, depth), Universe(depth), equal_mass=equal_mass)
        if not found.holds:
            return found
    return interval_like(at_depth(measure, deepest), Universe(deepest), equal_mass=equal_mass)
