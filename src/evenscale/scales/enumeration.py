"""Any measure at all, a user's function included: by listing every run, within a budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise
from typing import Any

from evenscale.errors import BadInput, BadParameter
from evenscale.measures.contract import Amount
from evenscale.measures.exact import LogRatio, LogSum, compare
from evenscale.scales.closed import refuse_long
from evenscale.scales.engine import Engine, Gaps, Progress, Runs, ScaleTooLarge
from evenscale.scales.universe import Universe

BUDGET = 1 << 20
"""The most runs that are listed, unless a larger budget is given."""
CHUNK = 1 << 14


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
        tolerance: float = 1e-12,
        progress: Progress | None = None,
    ) -> None:
        if universe.size > budget:
            raise ScaleTooLarge(
                f"listing all {universe.size:,} runs of depth {universe.depth} with grades 0 to {universe.grades} is "
                f"over the budget of {budget:,}; choose a smaller cut-off, raise the budget, or write the measure as a "
                "path sum"
            )
        if tolerance < 0:
            raise BadParameter(f"tolerance must be at least 0, got {tolerance}")
        found = _evaluate(function, universe, progress)
        self._place, self._values = _places(found, tolerance)
        self._runs = dict(zip(universe.runs(), found, strict=True))
        self.size = len(self._values)
        self._counts = [0] * self.size
        for value in found:
            self._counts[self._place[value]] += 1
        self._below = [0]
        for count in self._counts:
            self._below.append(self._below[-1] + count)

    def ranks(self, runs: Runs) -> list[int]:
        return [self._place[self._value(run)] + 1 for run in runs.tolist()]

    def tallies(self, runs: Runs) -> list[tuple[int, int]]:
        places = [self._place[self._value(run)] for run in runs.tolist()]
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

    def _value(self, run: Sequence[int]) -> Any:
        try:
            return self._runs[tuple(run)]
        except KeyError:
            raise BadInput(f"the run {tuple(run)} is not in the universe") from None


def _evaluate(function: Callable[[tuple[int, ...]], Any], universe: Universe, progress: Progress | None) -> list[Any]:
    found = []
    for done, run in enumerate(universe.runs(), 1):
        found.append(_number(function(run), run))
        if progress and done % CHUNK == 0:
            progress(done, universe.size)
    return found


def _number(value: Any, run: tuple[int, ...]) -> Any:
    if isinstance(value, int | Fraction | LogSum | LogRatio):
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise BadInput(f"the measure must give a number, gave {value!r} for the run {run}") from None
    if number != number or number in (float("inf"), float("-inf")):
        raise BadInput(f"the measure must give a finite number, gave {value!r} for the run {run}")
    return number


def _places(found: Iterable[Any], tolerance: float) -> tuple[dict[Any, int], list[Any]]:
    """The place of every value among the distinct ones, and these, ascending."""
    distinct = set(found)
    floats = any(isinstance(value, float) for value in distinct)
    ordered = sorted(distinct, key=float if floats else cmp_to_key(compare))
    places: dict[Any, int] = {}
    values: list[Any] = []
    for before, value in zip([None, *ordered], ordered, strict=False):
        same = floats and before is not None and float(value) - float(before) <= tolerance
        if not same:
            values.append(value)
        places[value] = len(values) - 1
    return places, values
