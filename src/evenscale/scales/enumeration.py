"""Any measure at all, a user's function included: by listing every run, within a budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from evenscale.errors import BadInput
from evenscale.measures.contract import Amount
from evenscale.orders.universe import Universe
from evenscale.orders.values import TOLERANCE, placed
from evenscale.scales.closed import refuse_long
from evenscale.scales.engine import Engine, Gaps, Progress, Runs, ScaleTooLarge

BUDGET = 1 << 20
"""The most runs that are listed, unless a larger budget is given."""


class EnumerationEngine(Engine):
    """Ranks from the values of all runs.

    `function` maps a run (a tuple of grades) to its value. Exact values (integers, fractions, log sums) are compared
    exactly; floats are taken as equal when they differ by at most `tolerance` from the next smaller one.

    >>> import numpy as np
    >>> engine = EnumerationEngine(lambda run: max(run), Universe(2, 2))
    >>> engine.size, engine.ranks(np.array([[0, 2], [1, 1], [0, 0]])), engine.tallies(np.array([[0, 1]]))
    (3, [3, 2, 1], [(1, 3)])
    """

    def __init__(
        self,
        function: Callable[[tuple[int, ...]], Any],
        universe: Universe,
        *,
        budget: int = BUDGET,
        tolerance: float = TOLERANCE,
        progress: Progress | None = None,
    ) -> None:
        if universe.size > budget:
            raise ScaleTooLarge(
                f"listing all {universe.size:,} runs of depth {universe.depth} with grades 0 to {universe.grades} is "
                f"over the budget of {budget:,}; choose a smaller cut-off, raise the budget, or write the measure as a "
                "path sum"
            )
        found = placed(function, universe, tolerance=tolerance, progress=progress)
        self._values: tuple[Any, ...] = found.values
        self._place: dict[tuple[int, ...], int] = dict(zip(found.runs, found.places.tolist(), strict=True))
        self.size = len(self._values)
        self._counts = [0] * self.size
        for place in self._place.values():
            self._counts[place] += 1
        self._below = [0]
        for count in self._counts:
            self._below.append(self._below[-1] + count)

    def ranks(self, runs: Runs) -> list[int]:
        return [self._at(run) + 1 for run in runs.tolist()]

    def tallies(self, runs: Runs) -> list[tuple[int, int]]:
        places = [self._at(run) for run in runs.tolist()]
        return [(self._below[place], self._counts[place]) for place in places]

    def at(self, rank: int) -> Amount:
        value: Amount = self._values[rank - 1]
        return value

    def values(self) -> list[Amount]:
        refuse_long(self.size)
        return list(self._values)

    def gaps(self) -> Gaps:
        gaps = [float(b) - float(a) for a, b in pairwise(self._values)]
        return Gaps(min(gaps), max(gaps)) if gaps else Gaps(0.0, 0.0)

    def _at(self, run: Sequence[int]) -> int:
        try:
            return self._place[tuple(run)]
        except KeyError:
            raise BadInput(f"the run {tuple(run)} is not in the universe") from None
