"""The scores of runs on topics under measures: the result of `evaluate`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenscale.errors import BadParameter
from evenscale.judged import Block, Judged, Policy
from evenscale.measures import Exact, Measure, expected
from evenscale.oddities import Oddity
from evenscale.results import Result
from evenscale.scales import Interval, parse
from evenscale.tables import Cell, Table

TOTALS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "mean": lambda values: np.asarray(np.nanmean(values, axis=0)),
    "sum": lambda values: np.asarray(np.nansum(values, axis=0)),
}


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Result):
    """Scores by measure, topic and run.

    `values[measure, topic, run]` holds them all; a score that was left out (policy `missing="skip"`) is NaN there and
    absent from `frame`. `labels` are the measures as they were asked for.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    labels: tuple[str, ...]
    values: NDArray[np.float64]
    policy: Policy
    oddities: tuple[Oddity, ...]
    blocks: tuple[Block, ...]
    topic_rows: NDArray[np.int64]

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per score: `run, topic, measure, value`."""
        shape = (len(self.runs), len(self.topics), len(self.labels))
        run, topic, label = np.unravel_index(np.arange(np.prod(shape)), shape)
        frame = pl.DataFrame(
            {
                "run": pl.Series(self.runs, dtype=pl.String).gather(run),
                "topic": pl.Series(self.topics, dtype=pl.String).gather(topic),
                "measure": pl.Series(self.labels, dtype=pl.String).gather(label),
                "value": self.values.transpose(2, 1, 0).reshape(-1),
            }
        )
        return frame.filter(pl.col("value").is_not_nan())

    def means(self) -> pl.DataFrame:
        """One row per run and measure, `run, measure, value`, best run first: the mean over topics, for counts the sum.

        A run without any score has no mean: null.
        """
        totals = self._totals
        order = self._order(totals)
        return pl.DataFrame(
            {
                "run": [self.runs[r] for r in order for _ in self.labels],
                "measure": [label for _ in order for label in self.labels],
                "value": [float(totals[m, r]) for r in order for m in range(len(self.labels))],
            },
            schema={"run": pl.String, "measure": pl.String, "value": pl.Float64},
        ).with_columns(pl.col("value").fill_nan(None))

    def leaderboard(self) -> pl.DataFrame:
        """One row per run, one column per measure, best run first."""
        return self._wide(self.means(), ["run"])

    def per_topic(self) -> pl.DataFrame:
        """One row per run and topic, one column per measure."""
        return self._wide(self.frame, ["run", "topic"])

    def totals(self, measure: str | Measure) -> NDArray[np.float64]:
        """One measure's mean over topics, for counts the sum, in the order of `runs`; NaN where a run has no score."""
        return np.array(self._totals[self._place(measure)])

    def matrix(self, measure: str | Measure) -> NDArray[np.float64]:
        """The scores of one measure: topics down, runs across, in the order of `topics` and `runs`."""
        return np.array(self.values[self._place(measure)])

    def judged(self, run: str, topic: str) -> Judged:
        """The grades by rank behind one score."""
        block, row = self._cell(run, topic)
        return block.judged(row)

    def exact(self, measure: str | Measure, run: str, topic: str) -> Exact:
        """The exact value of one score: a rational, or a combination of logarithms."""
        block, row = self._cell(run, topic)
        chosen = self.measures[self._place(measure)]
        if isinstance(chosen, Interval):
            return chosen(block.judged(row))
        return expected(chosen, block.judged(row), block.ties.get(row, ()))

    def table(self, *, digits: int = 4) -> Table:
        """The leaderboard, the best value of every measure marked."""
        return self._table(self.leaderboard(), digits, mark=len(self.runs) > 1)

    def topic_table(self, *, digits: int = 4) -> Table:
        """Every score: one row per run and topic."""
        return self._table(self.per_topic(), digits, mark=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: the leaderboard, every score, and how they came about."""
        return {
            "measures": list(self.labels),
            "topics": len(self.topics),
            "policy": self.policy.row(),
            "runs": self.leaderboard().to_dicts(),
            "scores": self.per_topic().to_dicts(),
            "oddities": [oddity.row() for oddity in self.oddities],
        }

    def __repr__(self) -> str:
        return (
            f"Evaluation({len(self.runs)} runs, {len(self.topics)} topics, measures: {', '.join(self.labels)}; "
            f"{len(self.oddities)} oddities)"
        )

    @cached_property
    def _totals(self) -> NDArray[np.float64]:
        """Measures by runs; NaN where a run has no score at all."""
        if not self.topics:
            return np.full((len(self.labels), len(self.runs)), np.nan)
        rows = [TOTALS[m.total_by](_no_empty(v)) for m, v in zip(self.measures, self.values, strict=True)]
        totals = np.array(rows).reshape(len(self.labels), len(self.runs))
        return np.where(np.isnan(self.values).all(axis=1), np.nan, totals)

    def _order(self, totals: NDArray[np.float64]) -> list[int]:
        """Runs by the first measure, the highest first; equal runs stay in the order they were given."""
        if not len(totals):
            return list(range(len(self.runs)))
        return [int(r) for r in np.argsort(-np.nan_to_num(totals[0], nan=-np.inf), kind="stable")]

    def _place(self, measure: str | Measure) -> int:
        for place, (label, known) in enumerate(zip(self.labels, self.measures, strict=True)):
            if measure in (label, known):
                return place
        wanted = parse(measure)
        if wanted in self.measures:
            return self.measures.index(wanted)
        raise BadParameter(f"{wanted} was not evaluated; there are {', '.join(self.labels)}")

    def _cell(self, run: str, topic: str) -> tuple[Block, int]:
        for kind, name, names in (("run", run, self.runs), ("topic", topic, self.topics)):
            if name not in names:
                raise BadParameter(f"there is no {kind} {name!r}")
        return self.blocks[self.runs.index(run)], int(self.topic_rows[self.topics.index(topic)])

    def _wide(self, long: pl.DataFrame, by: list[str]) -> pl.DataFrame:
        if long.is_empty():
            return pl.DataFrame(schema={**dict.fromkeys(by, pl.String), **dict.fromkeys(self.labels, pl.Float64)})
        return long.pivot("measure", index=by, values="value", maintain_order=True).select(*by, *self.labels)

    def _table(self, wide: pl.DataFrame, digits: int, *, mark: bool) -> Table:
        counts = [m.total_by == "sum" for m in self.measures]
        labels = len(wide.columns) - len(counts)
        rows = [
            (*row[:labels], *(_counted(v) if c else v for v, c in zip(row[labels:], counts, strict=True)))
            for row in wide.iter_rows()
        ]
        strong = _best(rows, [labels + k for k, count in enumerate(counts) if not count]) if mark else frozenset()
        columns = [*wide.columns[:labels], *(f"{m}{SURROGATE if _is_surrogate(m) else ''}" for m in self.measures)]
        return Table(columns, rows, digits=digits, strong=strong)


SURROGATE = "†"
"""Marks an interval version without a common scale across topics."""


def _is_surrogate(measure: Measure) -> bool:
    return isinstance(measure, Interval) and measure.surrogate


def _no_empty(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Columns without any score become 0, so that nanmean has nothing to warn about; they are masked after."""
    return np.where(np.isnan(values).all(axis=0), 0.0, values)


def _counted(value: float | None) -> Cell:
    return int(value) if value is not None and value == value and value == int(value) else value


def _best(rows: Sequence[Sequence[Cell]], columns: Sequence[int]) -> frozenset[tuple[int, int]]:
    marked = set()
    for k in columns:
        numbers = [row[k] for row in rows if isinstance(row[k], float) and row[k] == row[k]]
        if numbers:
            best = max(numbers)  # type: ignore[type-var]
            marked |= {(r, k) for r, row in enumerate(rows) if row[k] == best}
    return frozenset(marked)
