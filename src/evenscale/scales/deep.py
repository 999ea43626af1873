"""Scales of additive measures that are too deep to count: ranks to double precision, with bounds.

Every combination of factors is a different value (`classes`), so a value's share of the scale, rank over size, is the
distribution function of a sum of independent variables, one for each factor, uniform on the values it adds. `series`
computes it. The size of the scale is exact, ranks are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import floor, log2
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenscale.errors import BadParameter
from evenscale.measures.contract import Amount, Walk
from evenscale.measures.exact import LogSum
from evenscale.orders.universe import Universe
from evenscale.scales.classes import Classes, shown
from evenscale.scales.engine import Engine, Gaps, Runs, ScaleTooLarge
from evenscale.scales.pairs import LOW, Ints, Table
from evenscale.scales.series import Distribution, Floats, Variables

_RANGE = 1 << (2 * LOW)  # steps of the ruler that count as 1
_ENDS = 1 << 10  # values at either end that are looked at for gaps


class Shares(NamedTuple):
    """Normalised ranks, 0 to 1, with bounds below and above."""

    low: Floats
    estimate: Floats
    high: Floats


class DeepEngine(Engine):
    """Ranks of an additive measure at any depth, as accurate as floats allow.

    >>> from evenscale.measures import parse
    >>> universe = Universe(100)
    >>> engine = DeepEngine(parse("DCG@100").walk(universe.topic, 100), universe)
    >>> low, share, high = engine.shares(np.arange(100)[None, :] % 2)
    >>> round(float(share[0]), 6), bool(high[0] - low[0] < 1e-9), engine.size.bit_length()
    (0.408142, True, 100)
    """

    exact = False

    def __init__(self, walk: Walk, universe: Universe) -> None:
        self.universe = universe
        self.classes = Classes(walk, universe)
        if self.classes.constrained:
            raise ScaleTooLarge(
                f"a scale on {shown(universe.size)} runs is too deep to count, and approximate ranks are not offered "
                f"for at most {universe.recall_base} relevant documents: choose a smaller cut-off or no recall base"
            )
        self.size = self.classes.size
        self._tables = [table for table in self.classes.tables if len(table) > 1]

    # --- the two distributions: of values, and of runs ---

    @cached_property
    def _values(self) -> Distribution:
        return self._distribution([[1] * len(table) for table in self._tables])

    @cached_property
    def _runs(self) -> Distribution:
        if all((table.ways == table.ways[0]).all() for table in self._tables):
            return self._values
        return self._distribution([table.ways.tolist() for table in self._tables])

    def _distribution(self, ways: Sequence[Sequence[int]]) -> Distribution:
        return Distribution(Variables.of([_variable(*pair) for pair in zip(self._tables, ways, strict=True)]))

    @cached_property
    def _value_mean(self) -> int:
        return sum(_mean(_integers(t.high, t.low), [1] * len(t)) for t in self.classes.tables)

    @cached_property
    def _run_mean(self) -> int:
        return sum(_mean(_integers(t.high, t.low), t.ways.tolist()) for t in self.classes.tables)

    def _places(self, runs: Runs, mean: int) -> Floats:
        if runs.ndim != 2 or runs.shape[1] != self.universe.depth:
            raise BadParameter(f"runs must be rows of {self.universe.depth} grades, got an array of shape {runs.shape}")
        return np.array([(word - mean) / _RANGE for word in _integers(*self.classes.words(runs))])

    # --- ranks ---

    @property
    def error(self) -> float:  # type: ignore[override]
        """How far a rank can be off as a share of `size`, on the assumption that `series` states."""
        return self._values.plain.error + 1 / self.size

    def shares(self, runs: Runs) -> Shares:
        """Normalised ranks, (rank - 1) / (size - 1). Bounds are `error`, or far below the mean a share of the rank."""
        logs, errors, lowest = self._logarithms(runs, self._values, self._value_mean)
        found = self._normalised(np.exp2(logs), np.exp2(logs) * errors + 1 / self.size)
        return Shares(*(np.where(lowest, 0, column) for column in found))

    def _logarithms(self, runs: Runs, known: Distribution, mean: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Binary logarithms of the share below each run and relative errors, but for runs with the lowest value."""
        places, lowest = self._places(runs, mean), self._lowest(runs)
        logs, errors = np.zeros(len(runs)), np.zeros(len(runs))
        logs[~lowest], errors[~lowest] = known.logarithms(places[~lowest])
        return logs, errors, lowest

    def certified(self, runs: Runs) -> Shares:
        """The same from the series about the mean, with bounds that are rigorous but for the rounding of floats."""
        return self._normalised(*self._values.plain.bounded(self._places(runs, self._value_mean)))

    def _normalised(self, middle: Floats, doubt: Floats) -> Shares:
        # From the middle of the value's own step to its rank: half a step up, then one down to start at 0.
        share = (middle - 0.5 * (1 / self.size)) / (1 - 1 / self.size) if self.size > 1 else middle * 0
        low, estimate, high = (np.clip(share + side * doubt, 0, 1) for side in (-1, 0, 1))
        return Shares(low, estimate, high)

    def ranks(self, runs: Runs) -> list[int]:
        """Ranks to double precision: `error * size` bounds what they are off."""
        logs, _, lowest = self._logarithms(runs, self._values, self._value_mean)
        ranks = [min(max(round(_scaled(x, self.size) + Fraction(1, 2)), 1), self.size) for x in logs.tolist()]
        return [1 if low else rank for rank, low in zip(ranks, lowest, strict=True)]

    def tallies(self, runs: Runs) -> list[tuple[int, int]]:
        """Runs below to double precision; runs with the same value exactly."""
        logs, _, lowest = self._logarithms(runs, self._runs, self._run_mean)
        every, same = self.universe.size, self._same(runs)
        below = [round(_scaled(x, every) - Fraction(s, 2)) for x, s in zip(logs.tolist(), same, strict=True)]
        bounded = [min(max(b, 0), every - s) for b, s in zip(below, same, strict=True)]
        return [(0 if low else b, s) for b, s, low in zip(bounded, same, lowest, strict=True)]

    def _lowest(self, runs: Runs) -> NDArray[np.bool_]:
        """Which runs have the lowest value of all: most often those without relevant documents."""
        result, gains = np.ones(len(runs), dtype=bool), np.array(self.classes.gains, dtype=object)
        for number, axis in enumerate(self.classes.axes):
            for column, weight in zip(axis.columns, axis.weights, strict=True):
                sign = weight if len(axis.parts) == 1 else self.classes.fixed(number, weight, 400)
                least = min(gains) if sign > 0 else max(gains)
                result &= (gains == least)[runs[:, column]] | (weight == 0)
        return result

    def _same(self, runs: Runs) -> list[int]:
        """How many runs have the value of each of these: the product of what the factors allow."""
        result: NDArray[Any] = np.ones(len(runs), dtype=object)
        for factor, table in zip(self.classes.factors, self.classes.tables, strict=True):
            if len(factor.columns) == 1:
                levels = [gain * bool(factor.weights[0]) for gain in self.classes.gains]
                ways = np.array([levels.count(level) for level in levels])[runs[:, factor.columns[0]]]
            else:
                ways = table.ways[np.searchsorted(table.keys, self.classes.keys(runs, factor))]
            result *= ways.astype(object)
        return [int(ways) for ways in result]

    # --- values ---

    def at(self, rank: int) -> Amount:
        """The lowest and the highest value exactly; others as a fraction that is as near as floats tell."""
        if not 1 <= rank <= self.size:
            raise BadParameter(f"rank must be 1 to {self.size}, got {rank}")
        if rank in (1, self.size):
            return self._end(highest=rank > 1)
        wanted = log2(2 * rank - 1) - 1 - log2(self.size)
        low, high = self._values.variables.ends
        for _ in range(60):
            middle = (low + high) / 2
            below = self._values.logarithms(np.array([middle]))[0][0] < wanted
            low, high = (middle, high) if below else (low, middle)
        return (self._value_mean + Fraction((low + high) / 2) * _RANGE) * self.classes.step

    def _end(self, *, highest: bool) -> Amount:
        value: Amount = Fraction(0)
        for table in self.classes.tables:
            axis = self.classes.axes[table.axis]
            order = table.keys.tolist() if len(axis.parts) == 1 else _integers(table.high, table.low)
            key = table.keys[order.index(max(order) if highest else min(order))]
            rational, terms = axis.amounts(int(key))
            value = value + rational + (LogSum(dict(terms)) if terms else 0)
        return value

    def values(self) -> list[Amount]:
        raise ScaleTooLarge(f"the scale has {shown(self.size)} values; they cannot be listed")

    def gaps(self) -> Gaps:
        """Seen at the two ends: the smallest gap is at most, the largest at least as large."""
        if self.size == 1:
            return Gaps(0.0, 0.0)
        found = [gap for sign in (1, -1) for gap in self._end_gaps(sign)]
        return Gaps(min(found), max(found), exact=False)

    def _end_gaps(self, sign: int) -> list[float]:
        lowest = [0]
        alone = len(self.classes.axes) == 1 and len(self.classes.axes[0].parts) == 1
        for table in self.classes.tables:
            words = table.keys.tolist() if alone else _integers(table.high, table.low)
            words = sorted(sign * word for word in words)
            lowest = sorted(value + word - words[0] for value in lowest for word in words)[:_ENDS]
        worth = self.classes.unit if alone else self.classes.step
        return [float((b - a) * worth) for a, b in pairwise(lowest)]


def _scaled(logarithm: float, size: int) -> Fraction:
    """2^logarithm times a whole number, for logarithms far below what a float can hold.

    >>> _scaled(-1999.0, 2**2000)
    Fraction(2, 1)
    """
    whole = floor(logarithm)
    return Fraction(2.0 ** (logarithm - whole)) * size / Fraction(2) ** -whole


def _variable(table: Table, ways: Sequence[int]) -> tuple[Floats, Floats]:
    """A table's values about their mean, the difference taken exactly, and their chances."""
    words, total = _integers(table.high, table.low), sum(ways)
    mean = _mean(words, ways)
    return np.array([(word - mean) / _RANGE for word in words]), np.array([way / total for way in ways])


def _integers(high: Ints, low: Ints) -> list[int]:
    return [(h << LOW) + w for h, w in zip(high.tolist(), low.tolist(), strict=True)]


def _mean(words: Sequence[int], ways: Sequence[int]) -> int:
    return sum(word * way for word, way in zip(words, ways, strict=True)) // sum(ways)
