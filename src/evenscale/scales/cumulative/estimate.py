"""Normalised ranks from a sample of windows, for scales whose halves fit but whose sweep would take too long.

The axis is cut into strata with about equally many pair sums, and a stratum into cells of equal width, of which a few
are drawn and swept. Distinct values go nearly in proportion to pair sums, and those are counted exactly without a
sweep; so in a stratum with P pair sums, D distinct values are estimated by

    b P + (cells / drawn) * sum over the drawn cells of (D_cell - b P_cell)

which is unbiased for any b that does not depend on the cells drawn (a difference estimator). Here b comes from the
neighbouring strata. The normalised rank is a quotient of two such sums, whose bias vanishes as one over the number of
strata; its interval follows from the variances within strata. Where values take two words, ranks are told apart by the
high word only, that is to 2^-60 of the axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenscale.scales.cumulative.sweep import Axis, Cursor

CELL = 4
"""A cell holds about so many windows of pair sums."""


@dataclass(frozen=True)
class Estimates:
    """Estimated normalised ranks, one for every run asked for, with confidence intervals: never exact."""

    share: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    size: float
    """The estimated number of distinct values."""
    size_error: float
    """Its standard error."""
    confidence: float
    exact: bool = False


class Cell(NamedTuple):
    """A drawn cell: where it is, and what it holds."""

    start: int
    stop: int
    values: int
    pairs: int


@dataclass(frozen=True, slots=True)
class Stratum:
    """A part of the axis, its pair sums below and inside, the number of cells in it, and those that were drawn."""

    start: int
    stop: int
    below: int
    pairs: int
    cells: int
    drawn: tuple[Cell, ...]

    def total(self, slope: float, pairs: int, drawn: Sequence[tuple[int, int]]) -> tuple[float, float]:
        """Estimate and variance of the distinct values among some of the stratum's pair sums.

        `drawn` has for every drawn cell its values and pair sums that count.
        """
        rest = np.array([values - slope * there for values, there in drawn])
        estimate = slope * pairs + self.cells * float(rest.mean())
        if len(rest) < 2 or len(rest) == self.cells:
            return estimate, 0.0
        unseen = 1 - len(rest) / self.cells
        return estimate, self.cells**2 * unseen * float(rest.var(ddof=1)) / len(rest)


@dataclass(frozen=True)
class Sample:
    """All strata with their drawn cells."""

    axis: Axis
    strata: tuple[Stratum, ...]

    def slope(self, i: int) -> float:
        """Distinct values per pair sum in the strata beside the i-th."""
        beside = [cell for j in (i - 1, i + 1) if 0 <= j < len(self.strata) for cell in self.strata[j].drawn]
        pairs = sum(cell.pairs for cell in beside)
        return sum(cell.values for cell in beside) / pairs if pairs else 0.5

    def totals(self) -> NDArray[np.float64]:
        """Estimate and variance for every stratum."""
        return np.array(
            [
                each.total(self.slope(i), each.pairs, [(cell.values, cell.pairs) for cell in each.drawn])
                for i, each in enumerate(self.strata)
            ]
        )

    def part(self, i: int, stop: int, pairs: int) -> tuple[float, float]:
        """Estimate and variance of the distinct values of the i-th stratum below a high word; `pairs` are there."""
        stratum = self.strata[i]
        drawn = [self._below(cell, stop) for cell in stratum.drawn]
        return stratum.total(self.slope(i), pairs, drawn)

    def _below(self, cell: Cell, stop: int) -> tuple[int, int]:
        if cell.stop <= stop:
            return cell.values, cell.pairs
        if stop <= cell.start:
            return 0, 0
        swept = self.axis.slab(cell.start, stop)
        return swept.size, swept.pairs


def draw(axis: Axis, rng: np.random.Generator, strata: int, cells: int) -> Sample:
    """Draw cells in every stratum, and sweep them."""
    edges = axis.quantiles(strata)
    cursor = Cursor(axis)
    below = [_pairs_below(cursor, edge) for edge in edges]
    plans = []
    for i, (start, stop) in enumerate(pairwise(edges)):
        pairs = below[i + 1] - below[i]
        width = -(-(stop - start) // max(1, pairs // (CELL * axis.window)))
        number = -(-(stop - start) // width)
        picks = sorted(_picks(rng, number, min(cells, number)))
        spans = [(start + k * width, min(stop, start + (k + 1) * width)) for k in picks]
        plans.append((start, stop, below[i], pairs, number, spans))
    jobs = [(i, *span) for i, plan in enumerate(plans) for span in plan[-1]]
    swept = dict(axis.threads(lambda job: (job, axis.slab(job[1], job[2])), jobs))
    found: list[list[Cell]] = [[] for _ in plans]
    for job in jobs:
        found[job[0]].append(Cell(job[1], job[2], swept[job].size, swept[job].pairs))
    return Sample(axis, tuple(Stratum(*plan[:-1], tuple(drawn)) for plan, drawn in zip(plans, found, strict=True)))


def _picks(rng: np.random.Generator, number: int, drawn: int) -> set[int]:
    """Different cells, each as likely as any other; their number may be beyond what an array could list."""
    picks: set[int] = set()
    while len(picks) < drawn:
        picks.add(int(rng.integers(number)))
    return picks


def _pairs_below(cursor: Cursor, edge: int) -> int:
    cursor.move(edge)
    return cursor.pairs()


def estimated(
    axis: Axis, values: Sequence[int], rng: np.random.Generator, *, strata: int, cells: int, confidence: float
) -> Estimates:
    """Estimates for runs with these values."""
    sample = draw(axis, rng, strata, cells)
    totals = sample.totals()
    size, spread = (float(column.sum()) for column in totals.T)
    before = np.vstack([np.zeros(2), np.cumsum(totals, axis=0)])
    starts = np.array([each.start for each in sample.strata])
    cursor = Cursor(axis)
    found = {}
    for value in sorted(set(values)):
        stop = axis.layout.split(value)[0] + 1
        i = int(np.searchsorted(starts, stop - 1, side="right")) - 1
        part = sample.part(i, stop, _pairs_below(cursor, stop) - sample.strata[i].below)
        found[value] = before[i] + part
    rank, variance = np.array([found[value] for value in values]).reshape(-1, 2).T
    share = np.clip((rank - 1) / max(size - 1, 1), 0, 1)
    # The quotient x / (x + y) of the counts below and above varies as ((1 - q)^2 Var x + q^2 Var y) / (x + y)^2.
    error = np.sqrt((1 - share) ** 2 * variance + share**2 * np.maximum(spread - variance, 0)) / max(size - 1, 1)
    reach = NormalDist().inv_cdf(0.5 + confidence / 2) * error
    low, high = np.maximum(share - reach, 0), np.minimum(share + reach, 1)
    return Estimates(share, low, high, size, spread**0.5, confidence)
