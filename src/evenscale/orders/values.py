"""The exact value of every run of a universe, and its place among the distinct ones."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenscale.errors import BadInput, BadParameter
from evenscale.judged import Topic
from evenscale.measures.contract import Amount, Measure, State, Walk
from evenscale.measures.exact import LogRatio, LogSum, in_order

Run: TypeAlias = tuple[int, ...]
"""Grades by rank; for sets, from high to low."""
Progress: TypeAlias = Callable[[int, int], None]

TOLERANCE = 1e-12
"""Floats this close are taken as equal; exact values never need it."""
CHUNK = 1 << 14
KEPT_SIZE = 1 << 12
"""Values on universes of at most so many runs are kept."""


class Runs(Protocol):
    """A universe: ranked runs, sets, or a list of chosen runs."""

    @property
    def depth(self) -> int:
        """The length of the runs."""

    @property
    def size(self) -> int:
        """How many there are."""

    @property
    def topic(self) -> Topic:
        """The topic on which they are scored."""

    def runs(self) -> Iterator[Run]:
        """All of them."""


@dataclass(frozen=True, eq=False)
class Placed:
    """The distinct values of a measure on a universe, ascending, and for every run the place of its own, from 0.

    >>> from evenscale.measures import parse
    >>> from evenscale.orders.universe import Universe
    >>> found = placed(parse("RR@2"), Universe(2))
    >>> found.runs, found.places.tolist(), [str(value) for value in found.values]
    (((0, 0), (0, 1), (1, 0), (1, 1)), [0, 1, 2, 2], ['0', '1/2', '1'])
    """

    runs: tuple[Run, ...]
    places: NDArray[np.int64]
    values: tuple[Any, ...]

    def value(self, number: int) -> Any:
        """The value of one run, by its number."""
        return self.values[self.places[number]]


def placed(
    measure: Measure | Callable[[Run], Any],
    universe: Runs,
    *,
    tolerance: float = TOLERANCE,
    progress: Progress | None = None,
) -> Placed:
    """Score every run of a universe with a measure, or with any function from a run to a number.

    Exact values (integers, fractions, log sums) are compared exactly; floats are taken as equal when they differ by at
    most `tolerance` from the next smaller one.
    """
    if tolerance < 0:
        raise BadParameter(f"tolerance must be at least 0, got {tolerance}")
    if isinstance(measure, Measure):
        if universe.size <= KEPT_SIZE and isinstance(universe, Hashable):
            return _kept(measure, universe)
        return _of_measure(measure, universe)
    runs = tuple(universe.runs())
    found = []
    for done, run in enumerate(runs, 1):
        found.append(_number(measure(run), run))
        if progress and done % CHUNK == 0:
            progress(done, len(runs))
    return placed_values(runs, found, tolerance)


def _of_measure(measure: Measure, universe: Runs) -> Placed:
    runs = tuple(universe.runs())
    return placed_values(runs, _walked(measure.walk(universe.topic, universe.depth), runs, measure.cutoff))


_kept: Callable[..., Placed] = lru_cache(maxsize=32)(_of_measure)
"""The values of a measure on a small universe are asked for again and again: by every order, and by every check."""


def _walked(walk: Walk, runs: Sequence[Run], cutoff: int | None) -> list[Any]:
    """The values of runs; beginnings that runs have in common are walked once, and a sum is divided once."""
    start: tuple[State, Amount] = (walk.start, 0)
    sums: dict[Run, tuple[State, Amount]] = {(): start}
    finished: dict[Amount, Any] = {}

    def reached(part: Run) -> tuple[State, Amount]:
        if part not in sums:
            state, amount = reached(part[:-1])
            after, increment = walk.step(len(part), state, part[-1])
            sums[part] = after, amount + increment if increment else amount
        return sums[part]

    values = []
    for run in runs:
        _, amount = reached(run[:cutoff])
        if amount not in finished:
            finished[amount] = walk.finish(amount)
        values.append(finished[amount])
    return values


def placed_values(runs: Sequence[Run], found: Sequence[Any], tolerance: float = TOLERANCE) -> Placed:
    """The same from values that are known already."""
    distinct = set(found)
    floats = any(isinstance(value, float) for value in distinct)
    ordered = sorted(distinct, key=float) if floats else in_order(distinct)
    place: dict[Any, int] = {}
    values: list[Any] = []
    for before, value in zip([None, *ordered], ordered, strict=False):
        if not (floats and before is not None and float(value) - float(before) <= tolerance):
            values.append(value)
        place[value] = len(values) - 1
    return Placed(tuple(runs), np.array([place[value] for value in found], dtype=np.int64), tuple(values))


def _number(value: Any, run: Run) -> Any:
    if isinstance(value, int | Fraction | LogSum | LogRatio):
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise BadInput(f"the measure must give a number, gave {value!r} for the run {run}") from None
    if number != number or number in (float("inf"), float("-inf")):
        raise BadInput(f"the measure must give a finite number, gave {value!r} for the run {run}")
    return number
