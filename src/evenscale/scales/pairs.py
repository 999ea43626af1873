"""Pairs of combinations: two halves of a product, sorted by value, whose pair sums are counted without listing them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import pairwise
from math import gcd, prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenscale.scales.engine import ScaleTooLarge

Ints: TypeAlias = NDArray[np.int64]

LOW = 60
"""Bits in the low word of a fixed-point number of two words: value = high * 2^LOW + low, in steps of the ruler."""
MASK = (1 << LOW) - 1
HALF_LIMIT = 1 << 25
"""The most combinations in a half, and the most counts kept for one."""
_WORD = 1 << 62
_MUCH = 1 << 22  # lookups that are worth a thread
_NONE: Ints = np.zeros(0, dtype=np.int64)


def split(number: int) -> tuple[int, int]:
    """An integer as high and low word."""
    return number >> LOW, number & MASK


def carried(high: Ints, low: Ints) -> tuple[Ints, Ints]:
    """High and low words with the low one back in its range."""
    return high + (low >> LOW), low & MASK


@dataclass(frozen=True, slots=True)
class Table:
    """The values of a factor: keys, fixed-point values, relevant documents needed, and how many ways there are."""

    axis: int
    keys: NDArray[Any]
    high: Ints
    low: Ints
    cost: Ints
    ways: NDArray[Any]

    def __len__(self) -> int:
        return len(self.keys)

    def costs(self) -> list[int]:
        """How many rows need 0, 1, ... relevant documents."""
        return [int(n) for n in np.bincount(self.cost)]


def merged(
    axis: int, keys: NDArray[Any], high: Ints, low: Ints, cost: Ints, ways: NDArray[Any], *, every: bool
) -> Table:
    """Rows with the same key as one, at the least cost; with `every`, one for each cost."""
    order = np.argsort(cost, kind="stable")
    order = order[np.argsort(keys[order], kind="stable")]
    keys, cost = keys[order], cost[order]
    new = np.ones(len(keys), dtype=bool)
    new[1:] = (keys[1:] != keys[:-1]).astype(bool) | (every & (cost[1:] != cost[:-1]))
    starts = np.flatnonzero(new)
    first = order[starts]
    return Table(axis, keys[starts], high[first], low[first], cost[starts], np.add.reduceat(ways[order], starts))


class Near(NamedTuple):
    """Pairs whose sums fall between two bounds: which query, and which combination of either half."""

    query: Ints
    left: Ints
    right: Ints


class Half:
    """All combinations of some tables that need at most `room` relevant documents, by ascending value.

    A combination's row in each table is a digit of its index: a mixed-radix number, several where a word is too small.
    Without `room`, relevant documents do not matter and `cost` is empty.
    """

    def __init__(self, tables: Sequence[Table], room: int | None) -> None:
        self.tables: list[tuple[Table, int, int]] = []
        self.index: list[Ints] = [np.zeros(1, dtype=np.int64)]
        self.high, self.low, self.cost = (np.zeros(n, dtype=np.int64) for n in (1, 1, int(room is not None)))
        reach = 1
        for table in tables:
            if reach * len(table) >= _WORD:
                self.index.append(np.zeros(len(self), dtype=np.int64))
                reach = 1
            self.tables.append((table, len(self.index) - 1, reach))
            self._extend(table, reach)
            reach *= len(table)
            if room is not None:
                self._take(np.flatnonzero(self.cost <= room))
        self._take(_order(self.high, self.low))

    def __len__(self) -> int:
        return len(self.high)

    def _extend(self, table: Table, reach: int) -> None:
        if len(table) > 1:
            self.index = [np.repeat(index, len(table)) for index in self.index]
            self.index[-1] += np.tile(np.arange(len(table)) * reach, len(self))
        self.high, self.low = carried(
            np.add.outer(self.high, table.high).ravel(), np.add.outer(self.low, table.low).ravel()
        )
        self.cost = np.add.outer(self.cost, table.cost).ravel()

    def _take(self, which: NDArray[np.intp]) -> None:
        self.high, self.low = self.high[which], self.low[which]
        self.cost = self.cost[which] if len(self.cost) else self.cost
        self.index = [index[which] for index in self.index]

    def rows(self, places: Ints | slice) -> Iterator[tuple[Table, Ints]]:
        """For every table its rows in the combinations at these places."""
        for table, number, reach in self.tables:
            yield table, self.index[number][places] // reach % len(table)

    def ways(self, places: Ints | slice, modulus: int = 0) -> NDArray[Any]:
        """In how many ways runs attain these combinations; without a modulus as integers of any size."""
        result: NDArray[Any] = np.ones(len(self.high[places]), dtype=np.int64 if modulus else object)
        for table, number, reach in self.tables:
            if (table.ways != 1).any():
                ways = (table.ways % modulus).astype(np.int64) if modulus else table.ways.astype(object)
                result *= ways[self.index[number][places] // reach % len(table)]
                result = result % modulus if modulus else result
        return result


def _order(high: Ints, low: Ints) -> NDArray[np.intp]:
    order = np.argsort(high)
    ordered = high[order]
    return np.lexsort((low, high)) if (ordered[1:] == ordered[:-1]).any() else order


class _Pass(NamedTuple):
    """One count over all pairs: what a left combination counts, and the right ones up to a place together.

    Where relevant documents are limited there is a row for each number that is left over, and `fits` lists the right
    combinations that need no more.
    """

    modulus: int
    weights: Ints
    prefix: NDArray[np.int64]
    fits: NDArray[np.int32]


class Pairs:
    """Two halves, and how many pairs have a sum below a bound.

    Pairs count as one, or with `total`, the number of all runs, as the number of runs that attain them. Where that is
    too large for a word, several counts modulo small numbers determine it (the Chinese remainder theorem).
    """

    def __init__(self, left: Half, right: Half, room: int | None, total: int = 0) -> None:
        self.left, self.right = left, right
        most = min(int(right.cost.max()), room) if room is not None else 0
        if (most + 1) * len(right) > HALF_LIMIT:
            raise ScaleTooLarge(
                f"counting with at most {room} relevant documents needs {(most + 1) * len(right):,} counts, "
                f"more than {HALF_LIMIT:,}: choose a smaller cut-off or no recall base"
            )
        self._rooms = _NONE if room is None else np.minimum(room - left.cost, most)
        self._costs = right.cost
        self._passes = [self._pass(modulus, most) for modulus in (_moduli(total) if total else [0])]
        reach, self._base = int(right.high[-1]) - int(right.high[0]), int(right.high[0])
        self._shift = max(0, reach.bit_length() - min(23, max(4, len(right).bit_length() + 1)))
        edges = np.arange((reach >> self._shift) + 2, dtype=np.int64) << self._shift
        self._starts = np.searchsorted(right.high, self._base + edges).astype(np.int32)

    def _pass(self, modulus: int, most: int) -> _Pass:
        fits = np.zeros((0, 0), dtype=np.int32)
        if not modulus and not len(self._rooms):
            return _Pass(0, _NONE, np.zeros((0, 0), dtype=np.int64), fits)
        everything, size = slice(None), len(self.right)
        right = self.right.ways(everything, modulus) if modulus else np.ones(size, dtype=np.int64)
        prefix = np.zeros((most + 1, size + 1), dtype=np.int64)
        for room in range(most + 1):
            np.cumsum(np.where(self._costs <= room, right, 0) if len(self._costs) else right, out=prefix[room, 1:])
        if modulus:
            return _Pass(modulus, self.left.ways(everything, modulus), prefix % modulus, fits)
        fits = np.full((most + 1, size + 1), size, dtype=np.int32)
        for room in range(most + 1):
            listed = np.flatnonzero(self._costs <= room)
            fits[room, : len(listed)] = listed
        return _Pass(0, _NONE, prefix, fits)

    def sweep(self, start: tuple[Ints, Ints], stop: tuple[Ints, Ints]) -> tuple[list[int], Near]:
        """For each query how much lies below its start, and the pairs from its start to its stop."""
        counts = [self._counted((*start, *stop), one) for one in self._passes]
        if len(counts) == 1:
            return counts[0][0].tolist(), counts[0][1]
        moduli = [one.modulus for one in self._passes]
        rests = zip(*(below.tolist() for below, _ in counts), strict=True)
        return [_from_remainders(moduli, rest) for rest in rests], counts[0][1]

    def _counted(self, queries: tuple[Ints, ...], one: _Pass) -> tuple[Ints, Near]:
        """The same for one way to count, with as many threads as there are processors where it is much work."""
        number = len(queries[0])
        threads = min(os.cpu_count() or 1, 1 + number * len(self.left) // _MUCH, max(1, number))
        starts = [number * k // threads for k in range(threads + 1)]
        parts = [tuple(column[a:b] for column in queries) for a, b in pairwise(starts)]
        if threads == 1:
            results = [self._run(parts[0], one)]
        else:
            with ThreadPoolExecutor(threads) as pool:
                results = list(pool.map(lambda part: self._run(part, one), parts))
        near = [(found[0] + start, *found[1:]) for start, (_, found) in zip(starts, results, strict=False)]
        joined = Near(*(np.concatenate(columns) for columns in zip(*near, strict=True)))
        return np.concatenate([below for below, _ in results]), joined

    def _run(self, queries: tuple[Ints, ...], one: _Pass) -> tuple[Ints, NDArray[np.int64]]:
        left = (self.left.high, self.left.low, one.weights, self._rooms)
        right = (self.right.high, self.right.low, self._costs, self._starts, self._base, self._shift)
        below, capacity = np.zeros(len(queries[0]), dtype=np.int64), 1024 + 2 * len(queries[0])
        while True:
            near = np.empty((3, capacity), dtype=np.int64)
            found = _kernel()(queries, left, right, (one.modulus % _WORD, one.prefix, one.fits), below, near)
            if found <= capacity:
                return below, near[:, :found]
            if found > HALF_LIMIT:
                raise ScaleTooLarge(f"{found:,} pairs of half runs are closer than can be told apart in one go")
            capacity = found


def balanced(
    tables: Sequence[Table], extended: Callable[[list[int], Table], list[int]], nothing: list[int], ratio: int
) -> tuple[list[list[Table]], int]:
    """Tables in two parts, the second with about `ratio` times as many combinations; and how many the larger has."""
    parts: list[list[Table]] = [[], []]
    ways = [nothing, nothing]
    for table in sorted(tables, key=len, reverse=True):
        to = int(sum(ways[1]) <= ratio * sum(ways[0]))
        parts[to].append(table)
        ways[to] = extended(ways[to], table)
    return parts, max(map(sum, ways))


def _moduli(total: int) -> list[int]:
    """Numbers without common factors whose product is above the total; one word where that is enough."""
    if total < _WORD:
        return [_WORD]
    found: list[int] = []
    candidate = 1 << 31
    while prod(found) <= total:
        if gcd(candidate, prod(found)) == 1:
            found.append(candidate)
        candidate -= 1
    return found


def _from_remainders(moduli: Sequence[int], rests: Sequence[int]) -> int:
    """The number below the product of the moduli with these remainders.

    >>> _from_remainders([8, 9, 5], [3, 4, 2])
    67
    """
    number, step = 0, 1
    for modulus, rest in zip(moduli, rests, strict=True):
        number += step * ((rest - number) * pow(step, -1, modulus) % modulus)
        step *= modulus
    return number


@cache
def _kernel() -> Any:
    """The counting loop, compiled when it is first needed and kept on disk where there is a place for it."""
    numba = import_module("numba")
    try:
        return numba.njit(cache=True, nogil=True)(_count)
    except RuntimeError:
        return numba.njit(nogil=True)(_count)


def _count(queries: Any, left: Any, right: Any, counts: Any, below: Any, near: Any) -> int:
    """Add up what lies below each start; write down the pairs from start to stop, as far as there is space.

    For each left combination, the right ones below the difference are found through an index of equal slices of the
    value axis and bisection within a slice. Both halves ascend, so that memory is read in order.
    """
    start_high, start_low, stop_high, stop_low = queries
    a_high, a_low, weights, rooms = left
    b_high, b_low, costs, starts, base, shift = right
    modulus, prefix, fits = counts
    found, size, slices = 0, len(b_high), len(starts) - 1
    for query in range(len(below)):
        total = 0
        for a in range(len(a_high)):
            room = rooms[a] if len(rooms) else 0
            high, low = start_high[query] - a_high[a], start_low[query] - a_low[a]
            if low < 0:
                high, low = high - 1, low + (1 << 60)
            end_high, end_low = stop_high[query] - a_high[a], stop_low[query] - a_low[a]
            if end_low < 0:
                end_high, end_low = end_high - 1, end_low + (1 << 60)
            if end_high < base:
                break
            piece = (high - base) >> shift
            if piece < 0:
                first, last = 0, 0
            elif piece >= slices:
                first, last = size, size
            else:
                first, last = starts[piece], starts[piece + 1]
            while first < last:
                middle = (first + last) >> 1
                if b_high[middle] < high or (b_high[middle] == high and b_low[middle] < low):
                    first = middle + 1
                else:
                    last = middle
            amount = prefix[room, first] if len(prefix) else first
            total += amount * weights[a] if len(weights) else amount
            if modulus:
                total %= modulus
            place = amount if len(fits) else 0
            b = fits[room, place] if len(fits) else first
            while b < size and (b_high[b] < end_high or (b_high[b] == end_high and b_low[b] <= end_low)):
                if not len(costs) or costs[b] <= room:
                    if found < near.shape[1]:
                        near[0, found], near[1, found], near[2, found] = query, a, b
                    found += 1
                place += 1
                b = fits[room, place] if len(fits) else b + 1
        below[query] = total
    return found
