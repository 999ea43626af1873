"""Interval scales of measures that are path sums with a small state and rational increments: AP, ERR, Q-measure, ...

Enumerating all runs (Ferrante, Ferro and Fuhr 2021) costs time and memory that grow as (grades + 1)^depth. Here the
ranks are cut in two; only the sums of each half are kept, and the value axis is swept in windows of pair sums. An image
that is small is listed whole. Of a larger one stays an index: the number of distinct values below the start of each
window. A lookup then recomputes one window.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenscale.errors import BadParameter
from evenscale.measures.contract import Amount, Walk
from evenscale.orders.universe import Universe
from evenscale.scales import store
from evenscale.scales.cumulative.estimate import Estimates, estimated
from evenscale.scales.cumulative.halves import (
    WAY_OUT,
    Budget,
    Halves,
    Ways,
    counted,
    duration,
    flatten_ways,
    halve,
    prefixes,
    suffixes,
)
from evenscale.scales.cumulative.lookup import Listed, View, Windowed, tallies
from evenscale.scales.cumulative.steps import Steps, tabulate
from evenscale.scales.cumulative.sums import Layout, Words
from evenscale.scales.cumulative.sweep import Axis
from evenscale.scales.engine import VALUES_LIMIT, Engine, Gaps, Progress, Runs, ScaleTooLarge


class Forecast(NamedTuple):
    """What a scale will cost: the runs of its universe, the pair sums to sweep, and the seconds that takes here."""

    runs: int
    pairs: int
    seconds: float


class CumulativeEngine(Engine):
    """Distinct values of a walk over a universe, counted without listing its runs.

    `label` is how the stored index is called in listings; `stored=False` neither reads nor writes one.

    >>> from evenscale.measures.average_precision import AP
    >>> universe = Universe(10)
    >>> scale = CumulativeEngine(AP().walk(universe.topic, 10), universe)
    >>> scale.size
    810
    >>> scale.ranks(np.array([[0] * 10, [1] + [0] * 9, [1] * 10]))
    [1, 69, 810]
    """

    def __init__(
        self,
        walk: Walk,
        universe: Universe,
        *,
        label: str = "",
        stored: bool = True,
        progress: Progress | None = None,
        budget: Budget | None = None,
        workers: int | None = None,
    ) -> None:
        self.universe, self.label, self.stored, self.progress = universe, label, stored, progress
        self.budget, self.workers = budget or Budget(), workers
        self.steps: Steps = tabulate(walk, universe)
        self._layout = Layout.of(self.steps.reach(), self.budget.word_bits)

    # --- what the engine promises ---

    @property
    def size(self) -> int:  # type: ignore[override]
        """How many distinct values there are; swept at the first call, unless an index is stored."""
        return self.index.size

    def ranks(self, runs: Runs) -> list[int]:
        values = self.steps.values(runs)
        found = self._view.ranks(sorted(set(values)))
        return [found[value] for value in values]

    def tallies(self, runs: Runs) -> list[tuple[int, int]]:
        values = self.steps.values(runs)
        asked = sorted(set(values))
        if self._listed:
            found = self._listed.tallies(asked, self._listed_ways)
        else:
            found = tallies(self.axis, asked, self._ways)
        return [found[value] for value in values]

    def at(self, rank: int) -> Amount:
        if not 1 <= rank <= self.size:
            raise BadParameter(f"rank must lie in 1..{self.size:,}, got {rank:,}")
        return self._view.at(rank) * self.steps.unit

    def values(self) -> list[Amount]:
        if self.size > VALUES_LIMIT:
            raise ScaleTooLarge(
                f"the scale has {self.size:,} values, more than the {VALUES_LIMIT:,} that are listed: "
                "ask for single ones, or take a smaller cut-off"
            )
        return [value * self.steps.unit for value in self._view.values()]

    def gaps(self) -> Gaps:
        smallest, largest = self.index.gaps or (0, 0)
        return Gaps(float(smallest * self.steps.unit), float(largest * self.steps.unit))

    # --- what it costs, and what to do where that is too much ---

    def forecast(self) -> Forecast:
        """What the sweep will cost here, from the speed on a part of it; 0 seconds where there is nothing to sweep."""
        seconds = 0.0 if self._listed else self.axis.forecast()
        return Forecast(self.universe.size, self.halves.pairs, seconds)

    def estimate(
        self, runs: Runs, rng: np.random.Generator, *, strata: int = 256, cells: int = 2, confidence: float = 0.95
    ) -> Estimates:
        """Normalised ranks, (rank - 1) / (size - 1), from `cells` samples in each of `strata` parts of the axis.

        For scales whose sweep is beyond the budget; the result is marked as not exact.
        """
        if strata < 2 or cells < 2:
            raise BadParameter(f"strata and cells must be at least 2, got {strata} and {cells}")
        if not 0 < confidence < 1:
            raise BadParameter(f"confidence must lie in (0, 1), got {confidence}")
        values = self.steps.values(runs)
        return estimated(self._long_axis, values, rng, strata=strata, cells=cells, confidence=confidence)

    # --- how it gets there ---

    @cached_property
    def index(self) -> store.Index:
        """Size, gaps and windows: as stored, or from a sweep, and then stored. What is listed is not worth storing."""
        fingerprint = self.steps.fingerprint(self._layout.low_bits)
        index = store.load(fingerprint) if self.stored else None
        if index is None and self._listed:
            nowhere, counts = np.zeros(2, np.int64), np.array([len(self._listed.sums)])
            return self._index(fingerprint, self._listed.gaps(), nowhere, counts)
        if index is None:
            self._refuse_above(self.budget.pairs)
            swept = self.axis.sweep(self.progress)
            index = self._index(fingerprint, swept.gaps, swept.starts, swept.counts)
            if self.stored:
                store.save(index)
        return index

    def _index(
        self, fingerprint: str, gaps: tuple[int, int] | None, starts: NDArray[np.int64], counts: NDArray[np.int64]
    ) -> store.Index:
        universe = self.universe.depth, self.universe.grades, self.universe.recall_base
        return store.Index(fingerprint, int(counts.sum()), gaps, starts, counts, self.label, *universe)

    @cached_property
    def halves(self) -> Halves:
        """The sums of both halves of the ranks."""
        return halve(self.steps, self._layout, self.budget)

    @cached_property
    def axis(self) -> Axis:
        """The pair sums by value."""
        return self._axis(self.halves)

    @cached_property
    def _long_axis(self) -> Axis:
        """The same with a longer first half, so that fewer rows have to be moved for every sample."""
        return self._axis(halve(self.steps, self._layout, replace(self.budget, long=self.budget.sampled)))

    def _axis(self, halves: Halves) -> Axis:
        return Axis.of(halves, self._layout, self.steps.extent(), self.budget, self.workers)

    @cached_property
    def _listed(self) -> Listed | None:
        """The whole image, where it is small enough."""
        whole = self.halves.cut == self.universe.depth
        return Listed(self.halves.first[0], self._layout) if whole else None

    @cached_property
    def _view(self) -> View:
        return self._listed or Windowed(self.axis, self.index)

    @cached_property
    def _listed_ways(self) -> Words:
        """In how many ways each listed value comes about."""
        (image,) = prefixes(self.steps, self.universe.depth, self._layout, ways=True)
        assert image.ways is not None
        return image.ways

    @cached_property
    def _ways(self) -> Ways:
        """In how many ways the sums of both halves come about."""
        cut = self.halves.cut
        halves = (half(self.steps, cut, self._layout, ways=True) for half in (prefixes, suffixes))
        return flatten_ways(*halves)

    def _refuse_above(self, limit: int) -> None:
        pairs = self.halves.pairs
        if pairs > limit:
            raise ScaleTooLarge(
                f"{counted(self.universe.size)} runs of depth {self.universe.depth} make {counted(pairs)} pair sums to "
                f"sweep, about {duration(pairs)}, above the limit of {limit:,}: {WAY_OUT}"
            )
