"""The naive twin of all engines: the exact raw value of every run of a universe, by going through them all.

Values are kept as integer vectors (one entry for the rational part and one per logarithmic unit, all over a common
denominator), so that equality is exact; order is decided by floats, and by the package's exact comparison only where
two floats are closer than rounding allows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, cmp_to_key, partial
from math import lcm

import numpy as np

from evenscale.measures.contract import Amount, Walk
from evenscale.measures.exact import LogSum, Unit, compare
from evenscale.orders.universe import Universe


@dataclass(frozen=True, eq=False)
class Brute:
    """All runs, their ranks, how many runs are below and equal, and how many distinct raw values there are."""

    runs: np.ndarray
    ranks: np.ndarray
    below: np.ndarray
    equal: np.ndarray
    size: int
    exact: Callable[[int], Amount]

    @cached_property
    def values(self) -> list[Amount]:
        """The distinct raw values, ascending."""
        return [self.exact(place) for place in range(self.size)]


def brute(walk: Walk, universe: Universe) -> Brute:
    runs, paths, amounts = _all_paths(walk, universe)
    units = sorted({u for a in amounts if isinstance(a, LogSum) for u, _ in a.terms})
    columns = [_parts(a, units) for a in amounts]
    common = lcm(*(f.denominator for column in columns for f in column)) if columns else 1
    listed = [[int(f * common) for f in column] for column in columns]
    small = max((abs(n) for row in listed for n in row), default=0) * universe.depth < 1 << 62
    table = np.array(listed, dtype=np.int64 if small else object)
    sums = sum((table[paths[:, k]] for k in range(paths.shape[1])), np.zeros((len(runs), len(units) + 1), table.dtype))
    if small:
        distinct, which = np.unique(sums, axis=0, return_inverse=True)
        which = which.reshape(-1)
        keys = [tuple(row) for row in distinct.tolist()]
    else:
        number: dict[tuple[int, ...], int] = {}
        which = np.array([number.setdefault(tuple(row), len(number)) for row in sums.tolist()])
        keys = list(number)
    ordered = _sorted(keys, units, common)
    order = np.empty(len(keys), dtype=np.int64)
    order[ordered] = np.arange(len(keys))
    places = order[which]
    counts = np.bincount(places)
    starts = np.concatenate([[0], np.cumsum(counts)])
    exact = partial(_at, keys, ordered, units, common)
    return Brute(runs, places + 1, starts[places], counts[places], len(keys), exact)


def _at(keys: list[tuple[int, ...]], ordered: list[int], units: list[Unit], common: int, place: int) -> Amount:
    return _amount(keys[ordered[place]], units, common)


def _all_paths(walk: Walk, universe: Universe) -> tuple[np.ndarray, np.ndarray, list[Amount]]:
    """Every run, the numbers of the increments on its path, and the distinct increments."""
    number: dict[Amount, int] = {}
    letters = universe.grades + 1
    states: list[object] = [walk.start]
    at = np.zeros(1, dtype=np.int64)
    runs, paths = np.zeros((1, 0), dtype=np.int8), np.zeros((1, 0), dtype=np.int64)
    for rank in range(1, universe.depth + 1):
        after: dict[object, int] = {}
        nexts, adds = [], []
        for state in states:
            for grade in range(letters):
                ahead, increment = walk.step(rank, state, grade)
                nexts.append(after.setdefault(ahead, len(after)))
                adds.append(number.setdefault(increment, len(number)))
        grades = np.tile(np.arange(letters), len(at))
        moves = np.repeat(at, letters) * letters + grades
        runs = np.column_stack([np.repeat(runs, letters, axis=0), grades.astype(np.int8)])
        paths = np.column_stack([np.repeat(paths, letters, axis=0), np.array(adds)[moves]])
        at, states = np.array(nexts)[moves], list(after)
        fits = np.count_nonzero(runs, axis=1) <= universe.most_relevant
        if not fits.all():
            runs, paths, at = runs[fits], paths[fits], at[fits]
    return runs, paths, list(number)


def _parts(amount: Amount, units: list[Unit]) -> list[Fraction]:
    if not isinstance(amount, LogSum):
        return [Fraction(amount), *[Fraction(0)] * len(units)]
    terms = dict(amount.terms)
    return [amount.rational, *(terms.get(u, Fraction(0)) for u in units)]


def _amount(key: tuple[int, ...], units: list[Unit], common: int) -> Amount:
    rational = Fraction(key[0], common)
    terms = {u: Fraction(n, common) for u, n in zip(units, key[1:], strict=True) if n}
    return LogSum(terms, rational) if terms else rational


def _sorted(keys: list[tuple[int, ...]], units: list[Unit], common: int) -> list[int]:
    """The numbers of keys by value: floats first, exact comparison among neighbours that floats cannot tell apart."""
    worth = np.array([1.0, *(float(unit) for unit in units)])
    floats = np.array([[n / common for n in key] for key in keys]) @ worth

    def exactly(first: int, second: int) -> int:
        return compare(_amount(keys[first], units, common), _amount(keys[second], units, common))

    result: list[int] = []
    near: list[int] = []
    for number in np.argsort(floats, kind="stable").tolist():
        if near and floats[number] - floats[near[-1]] > 1e-9 * (1 + abs(floats[number])):
            result += sorted(near, key=cmp_to_key(exactly)) if len(near) > 1 else near
            near = []
        near.append(number)
    return result + sorted(near, key=cmp_to_key(exactly))
