"""Two views of a scale: a list of all values, or windows that are recomputed when they are looked into."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from evenscale.scales.cumulative.halves import Ways
from evenscale.scales.cumulative.sums import Layout, Sums, Words
from evenscale.scales.cumulative.sweep import Axis, Cursor
from evenscale.scales.store import Index

T = TypeVar("T")


class View(ABC):
    """Ranks and values of a scale, in units."""

    @abstractmethod
    def ranks(self, asked: Sequence[int]) -> dict[int, int]:
        """The rank of every value asked for, which are distinct and ascending."""

    @abstractmethod
    def at(self, rank: int) -> int:
        """The value with this rank."""

    @abstractmethod
    def values(self) -> list[int]:
        """All values, ascending."""


def rank_in(sums: Sums, high: int, low: int) -> int:
    """How many sorted sums are at most (high, low).

    >>> rank_in(Sums(np.array([3, 5, 5]), np.array([0, 1, 4])), 5, 3)
    2
    """
    if sums.low is None:
        return int(np.searchsorted(sums.high, high, side="right"))
    first, last = np.searchsorted(sums.high, [high, high + 1])
    return int(first + np.searchsorted(sums.low[first:last], low, side="right"))


@dataclass(frozen=True)
class Listed(View):
    """All values, in memory."""

    sums: Sums
    layout: Layout

    def ranks(self, asked: Sequence[int]) -> dict[int, int]:
        if self.sums.low is None:
            places = np.searchsorted(self.sums.high, np.array(asked, self.sums.high.dtype), side="right")
            return dict(zip(asked, places.tolist(), strict=True))
        return {value: rank_in(self.sums, *self.layout.split(value)) for value in asked}

    def tallies(self, asked: Sequence[int], ways: Words) -> dict[int, tuple[int, int]]:
        """How many runs have a smaller value, and how many the same, if each value comes about in so many ways."""
        until = np.cumsum(ways)
        ranks = self.ranks(asked)
        return {v: (int(until[r - 1] - ways[r - 1]), int(ways[r - 1])) for v, r in ranks.items()}

    def gaps(self) -> tuple[int, int] | None:
        """The smallest and the largest distance between neighbours."""
        high = self.sums.high if self.sums.low is None else np.array(self.values(), object)
        gaps = np.diff(high)
        return (int(gaps.min()), int(gaps.max())) if len(gaps) else None

    def at(self, rank: int) -> int:
        return self.layout.integers(self.sums.take(slice(rank - 1, rank)))[0]

    def values(self) -> list[int]:
        return self.layout.integers(self.sums)


@dataclass(frozen=True)
class Windowed(View):
    """Windows of the axis and the number of values in each."""

    axis: Axis
    index: Index

    @cached_property
    def before(self) -> NDArray[np.int64]:
        """The number of values below each window."""
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(self.index.counts)])

    def ranks(self, asked: Sequence[int]) -> dict[int, int]:
        groups: dict[int, list[int]] = {}
        for value in asked:
            groups.setdefault(self._window(value), []).append(value)
        found: dict[int, int] = {}
        for part in self.axis.threads(self._ranks, chunks(list(groups.items()), self.axis.workers)):
            found.update(part)
        return found

    def _window(self, value: int) -> int:
        high, _ = self.axis.layout.split(value)
        return bisect_right(self.index.starts, high) - 1

    def _ranks(self, groups: Sequence[tuple[int, list[int]]]) -> dict[int, int]:
        """The ranks of values that are grouped by window: a window is computed as far as its last value."""
        cursor, split, found = Cursor(self.axis), self.axis.layout.split, {}
        for window, values in groups:
            start = int(self.index.starts[window])
            sums = cursor.window(start, split(values[-1])[0] + 1)
            below = int(self.before[window])
            for value in values:
                high, low = split(value)
                found[value] = below + rank_in(sums, high - start, low)
        return found

    def at(self, rank: int) -> int:
        window = bisect_right(self.before, rank - 1) - 1
        place = rank - 1 - int(self.before[window])
        return self._values(Cursor(self.axis), window, slice(place, place + 1))[0]

    def values(self) -> list[int]:
        cursor, everything = Cursor(self.axis), slice(None)
        return [v for window in range(len(self.index.counts)) for v in self._values(cursor, window, everything)]

    def _values(self, cursor: Cursor, window: int, places: slice) -> list[int]:
        start, stop = (int(edge) for edge in self.index.starts[window : window + 2])
        origin = self.axis.layout.join(start, 0)
        return [origin + value for value in self.axis.layout.integers(cursor.window(start, stop).take(places))]


def tallies(axis: Axis, asked: Sequence[int], ways: Ways) -> dict[int, tuple[int, int]]:
    """For values that are distinct and ascending: how many runs have a smaller one, and how many the same."""

    def count(values: Sequence[int]) -> dict[int, tuple[int, int]]:
        cursor, split, found = Cursor(axis), axis.layout.split, {}
        for value in values:
            cursor.move(*split(value))
            smaller = cursor.ways(ways)
            cursor.move(*split(value + 1))
            found[value] = smaller, cursor.ways(ways) - smaller
        return found

    parts = axis.threads(count, chunks(asked, axis.workers))
    return {value: tally for part in parts for value, tally in part.items()}


def chunks(items: Sequence[T], number: int) -> list[Sequence[T]]:
    """At most so many parts of about equal length, in order, none of them empty.

    >>> chunks([1, 2, 3, 4, 5], 2)
    [[1, 2, 3], [4, 5]]
    """
    length = max(1, -(-len(items) // number))
    return [items[i : i + length] for i in range(0, len(items), length)]
