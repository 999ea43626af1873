"""The naive twin of all engines: the exact raw value of every run of a universe, by going through them all.

Values are kept as integer vectors (one entry for the rational part and one per logarithmic unit, all over a common
denominator), so that equality is exact; order is decided by floats, and by the package's exact comparison only where
two floats are closer than rounding allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from math import lcm

import numpy as np

from evenscale.measures.contract import Amount, Walk
from evenscale.measures.exact import LogSum, Unit, compare
from evenscale.orders.universe import Universe


@dataclass(frozen=True, eq=False)
class Brute:
    """All runs, their ranks, how many runs are below and equal, and the distinct raw values."""

    runs: np.ndarray
    ranks: np.ndarray
    below: np.ndarray
    equal: np.ndarray
    values: list[Amount]


def brute(walk: Walk, universe: Universe) -> Brute:
    runs, paths, amounts = _all_paths(walk, universe)
    units = sorted({u for a in amounts if isinstance(a, LogSum) for u, _ in a.terms})
    columns = [_parts(a, units) for a in amounts]
    common = lcm(*(f.denominator for column in columns for f in column)) if columns else 1
    table = np.array([[int(f * common) for f in column] for column in columns], dtype=object)
    sums = table[paths].sum(axis=1) if paths.shape[1] else np.zeros((len(runs), len(units) + 1), dtype=object)
    keys = [tuple(row) for row in sums.tolist()]
    exact = {key: _amount(key, units, common) for key in set(keys)}
    order = {key: place for place, key in enumerate(_sorted(exact))}
    places = np.array([order[key] for key in keys])
    counts = np.bincount(places)
    starts = np.concatenate([[0], np.cumsum(counts)])
    return Brute(
        runs, places + 1, starts[places], counts[places], [exact[k] for k in sorted(order, key=order.__getitem__)]
    )


def _all_paths(walk: Walk, universe: Universe) -> tuple[np.ndarray, np.ndarray, list[Amount]]:
    """Every run, the numbers of the increments on its path, and the distinct increments."""
    number: dict[Amount, int] = {}
    states: list[tuple[object, int]] = [(walk.start, 0)]
    runs: list[tuple[int, ...]] = [()]
    paths: list[tuple[int, ...]] = [()]
    for rank in range(1, universe.depth + 1):
        made: dict[tuple[object, int], tuple[object, int]] = {}
        next_states, next_runs, next_paths = [], [], []
        for (state, relevant), run, path in zip(states, runs, paths, strict=True):
            for grade in range(universe.grades + 1):
                if relevant + (grade > 0) > universe.most_relevant:
                    continue
                if (state, grade) not in made:
                    after, increment = walk.step(rank, state, grade)
                    made[state, grade] = after, number.setdefault(increment, len(number))
                after, at = made[state, grade]
                next_states.append((after, relevant + (grade > 0)))
                next_runs.append((*run, grade))
                next_paths.append((*path, at))
        states, runs, paths = next_states, next_runs, next_paths
    return np.array(runs, dtype=np.int8), np.array(paths, dtype=np.int64), list(number)


def _parts(amount: Amount, units: list[Unit]) -> list[Fraction]:
    if not isinstance(amount, LogSum):
        return [Fraction(amount), *[Fraction(0)] * len(units)]
    terms = dict(amount.terms)
    return [amount.rational, *(terms.get(u, Fraction(0)) for u in units)]


def _amount(key: tuple[int, ...], units: list[Unit], common: int) -> Amount:
    rational = Fraction(key[0], common)
    terms = {u: Fraction(n, common) for u, n in zip(units, key[1:], strict=True) if n}
    return LogSum(terms, rational) if terms else rational


def _sorted(exact: dict[tuple[int, ...], Amount]) -> list[tuple[int, ...]]:
    """By value: floats first, exact comparison among neighbours that floats cannot tell apart."""
    keys = sorted(exact, key=lambda key: float(exact[key]))
    result: list[tuple[int, ...]] = []
    near: list[tuple[int, ...]] = []
    for key in keys:
        if near and float(exact[key]) - float(exact[near[-1]]) > 1e-9 * (1 + abs(float(exact[key]))):
            result += sorted(near, key=cmp_to_key(lambda a, b: compare(exact[a], exact[b]))) if len(near) > 1 else near
            near = []
        near.append(key)
    return result + sorted(near, key=cmp_to_key(lambda a, b: compare(exact[a], exact[b])))
