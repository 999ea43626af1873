"""Scales of additive measures that are too deep to count: ranks to double precision, with a bound.

Every combination of factors is a different value (`classes`), so a value's share of the scale, rank over size, is the
distribution function of a sum of independent variables, one for each factor, uniform on the values it adds. On a
circle that is long enough to hold the sum, the distribution function is a Fourier series whose coefficients are
products of one number for each factor. The series is cut after `FREQUENCIES` terms, and two bounds say what that costs:

- `certified` is rigorous but for the rounding of floats: trigonometric polynomials that lie above and below a step
  (Beurling and Selberg's, in the form of Vaaler 1985) enclose the truth between two sums over the same coefficients.
  Its width is about a millionth, the resolution of the series.
- `error`, and the bounds of `shares`, assume that the coefficients beyond the cut are no larger than those in the last
  octave before it and than their mean square over all frequencies, which is known (it is the mean square of the steps),
  and take eight standard deviations of their sum. At depths where the exact engine can check, the truth is well within.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import log, pi, prod, sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenscale.errors import BadParameter
from evenscale.measures.contract import Amount, Walk
from evenscale.measures.exact import LogSum
from evenscale.scales.classes import Classes, shown
from evenscale.scales.engine import Engine, Gaps, Runs, ScaleTooLarge
from evenscale.scales.pairs import LOW, Ints, Table
from evenscale.scales.universe import Universe

Floats: TypeAlias = NDArray[np.float64]
Waves: TypeAlias = NDArray[np.complex128]

FREQUENCIES = 1 << 20
"""Terms of the Fourier series."""
_ROW = 1 << 10  # frequencies in a row; rows differ by one rotation, so that sums become matrix products
_ROWS = 1 << 6  # rows that are computed at once
_NOTHING = 1e-25  # coefficients below this are 0
_OUTSIDE = 1e-18  # how likely the sum may be to leave the circle
_SIGMAS = 8
_FEW = 16  # values of a variable that are added up one by one
_MANY = 1 << 12  # values of a variable that are held at once
_RANGE = 1 << (2 * LOW)  # steps of the ruler that count as 1
_ENDS = 1 << 10  # values at either end that are looked at for gaps


class Shares(NamedTuple):
    """Normalised ranks, 0 to 1, with bounds below and above."""

    low: Floats
    estimate: Floats
    high: Floats


@dataclass(frozen=True)
class Variable:
    """A finite random variable about its mean."""

    values: Floats
    chances: Floats

    @cached_property
    def symmetric(self) -> bool:
        """Whether its transform is real; rows come in ascending order."""
        mirrored = np.allclose(self.values, -self.values[::-1], rtol=0, atol=1e-16 * self.reach)
        return bool(mirrored and np.array_equal(self.chances, self.chances[::-1]))

    @cached_property
    def reach(self) -> float:
        """The largest distance from the mean."""
        return float(np.abs(self.values).max())


class Series:
    """The distribution function of a sum of independent variables, as a Fourier series on a circle.

    `step` is the sum over all values of their squared probability.
    """

    def __init__(self, variables: Sequence[Variable], step: float) -> None:
        reach = max(abs(sum(float(bound(v.values)) for v in variables)) for bound in (np.min, np.max))
        squares = sum(float(np.ptp(v.values)) ** 2 for v in variables)
        # Hoeffding's inequality says how far the sum strays from its mean; no farther than it can, in any case.
        self.half = min(1.02 * reach, sqrt(squares * log(2 / _OUTSIDE) / 2)) or 1.0
        fastest = 2 * pi * FREQUENCIES / (2 * self.half)
        telling = [v for v in variables if v.reach * fastest > 1e-10]
        self.waves = self._coefficients(sorted(telling, key=lambda v: (len(v.values), -v.reach)))
        k = np.arange(1, FREQUENCIES)
        terms = np.abs(self.waves[1:]) / (pi * k)
        turns = 2 * pi * k / (2 * self.half) * sum(v.reach for v in variables)
        rounding = 2e-16 * (float(np.sum(terms * (8 * len(telling) + 2 * turns))) + 8)
        left = np.cumsum(terms[::-1])[::-1]
        self._kept = max(1, int(np.searchsorted(-left, -0.1 * rounding)))
        self.numeric = 2 * rounding + 2 * _OUTSIDE
        octave = sqrt(float(np.sum(terms[FREQUENCIES // 2 :] ** 2)) / 2)
        self.error = _SIGMAS * max(octave, sqrt(step / (2 * pi**2 * FREQUENCIES))) + self.numeric

    def _coefficients(self, variables: Sequence[Variable]) -> Waves:
        """The sum's mean of exp(2 pi i k x / circle) for k = 0, 1, ..., FREQUENCIES - 1."""
        waves = np.zeros((FREQUENCIES // _ROW, _ROW), dtype=np.complex128)
        for first in range(0, len(waves), _ROWS):
            block: Waves | Floats = np.ones((_ROWS, _ROW))
            for number, variable in enumerate(variables):
                block = block * self._transform(variable, first)
                if number % 8 == 7 and np.abs(block).max() < _NOTHING:
                    break
            else:
                waves[first : first + _ROWS] = block
        return waves.reshape(-1)

    def _transform(self, variable: Variable, first: int) -> Waves | Floats:
        """One variable's coefficients in a block of rows, by the addition theorem from one row and one column."""
        x, chance = variable.values, variable.chances
        if len(x) > _MANY:
            halves = (Variable(x[part], chance[part]) for part in (slice(_MANY), slice(_MANY, None)))
            return sum((self._transform(half, first) for half in halves), np.zeros((_ROWS, _ROW)))
        down = np.outer(pi / self.half * np.arange(first, first + _ROWS) * _ROW, x)
        across = np.outer(x, pi / self.half * np.arange(_ROW))
        if variable.symmetric and len(x) <= _FEW:
            parts = (
                p * (np.outer(np.cos(d), np.cos(a)) - np.outer(np.sin(d), np.sin(a)))
                for p, d, a in zip(chance, down.T[: (len(x) + 1) // 2], across, strict=False)
            )
            return sum((part * (2 - (2 * k + 1 == len(x))) for k, part in enumerate(parts)), np.zeros((_ROWS, _ROW)))
        return np.asarray((chance * np.exp(1j * down)) @ np.exp(1j * across))

    @cached_property
    def _weights(self) -> Waves:
        """For the plain series, Vaaler's and Fejer's: what multiplies exp(-2 pi i k y / circle), by rows."""
        rows = -(-(self._kept + 1) // _ROW)
        k = np.arange(1, rows * _ROW)
        u = k / FREQUENCIES
        plain = self.waves[1 : rows * _ROW] / (pi * k)
        vaaler = plain * (pi * u * (1 - u) / np.tan(pi * u) + u)
        fejer = self.waves[1 : rows * _ROW] * (1 - u) / FREQUENCIES
        return np.array([np.insert(weights, 0, 0).reshape(rows, _ROW) for weights in (plain, vaaler, fejer)])

    def _sums(self, places: Floats) -> Waves:
        """The three series at places on the circle: sums over k of weight * exp(-2 pi i k place / circle)."""
        angle = -2j * pi * places / (2 * self.half)
        row = np.exp(np.outer(angle, np.arange(_ROW)))
        steps = np.exp(np.outer(angle, np.arange(self._weights.shape[1]) * _ROW))
        return np.array([np.sum((row @ weights.T) * steps, axis=1) for weights in self._weights])

    def middle(self, places: Floats) -> tuple[Floats, Floats]:
        """P(sum < place) + P(sum = place) / 2 for places about the mean, and a certified bound on what it is off."""
        inside = np.clip(places, -self.half, self.half)
        seam = self._sums(np.array([-self.half]))
        value, doubt = np.empty(len(places)), np.empty(len(places))
        for start in range(0, len(places), 256):
            part = slice(start, start + 256)
            plain, vaaler, fejer = self._sums(inside[part])
            value[part] = (inside[part] + self.half) / (2 * self.half) - plain.imag + seam[0].imag
            vague = np.abs(plain.imag - vaaler.imag) + np.abs(seam[0].imag - seam[1].imag)
            doubt[part] = vague + fejer.real + seam[2].real + 1 / FREQUENCIES + self.numeric
        value, doubt = np.where(places > self.half, 1.0, value), np.where(places < inside, _OUTSIDE, doubt)
        return np.clip(np.where(places < -self.half, 0.0, value), 0, 1), np.where(places > inside, _OUTSIDE, doubt)


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

    # --- the two distributions: of values, and of runs ---

    @cached_property
    def _values(self) -> Series:
        return Series([self._variable(t, [1] * len(t)) for t in self.classes.tables if len(t) > 1], 1 / self.size)

    @cached_property
    def _runs(self) -> Series:
        tables = [table for table in self.classes.tables if len(table) > 1]
        if all((table.ways == table.ways[0]).all() for table in tables):
            return self._values
        squares = [Fraction(sum(w * w for w in table.ways.tolist()), sum(table.ways.tolist()) ** 2) for table in tables]
        return Series([self._variable(t, t.ways.tolist()) for t in tables], float(prod(squares)))

    def _variable(self, table: Table, ways: Sequence[int]) -> Variable:
        """A table's values about their mean, the difference taken exactly."""
        words, total = _integers(table.high, table.low), sum(ways)
        mean = _mean(words, ways)
        return Variable(np.array([(word - mean) / _RANGE for word in words]), np.array([way / total for way in ways]))

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
        """How far a rank can be off as a share of `size`, on the assumption the module states."""
        return self._values.error + 1 / self.size

    def shares(self, runs: Runs) -> Shares:
        """Normalised ranks, (rank - 1) / (size - 1), with the bounds that `error` gives."""
        return self._normalised(self._values.middle(self._places(runs, self._value_mean))[0], self.error)

    def certified(self, runs: Runs) -> Shares:
        """The same with bounds that assume nothing about the coefficients beyond the cut."""
        middle, doubt = self._values.middle(self._places(runs, self._value_mean))
        return self._normalised(middle, doubt)

    def _normalised(self, middle: Floats, doubt: Floats | float) -> Shares:
        # From the middle of the value's own step to its rank: half a step up, then one down to start at 0.
        share = (middle - 0.5 * (1 / self.size)) / (1 - 1 / self.size) if self.size > 1 else middle * 0
        low, estimate, high = (np.clip(share + side * doubt, 0, 1) for side in (-1, 0, 1))
        return Shares(low, estimate, high)

    def ranks(self, runs: Runs) -> list[int]:
        """Ranks to double precision: `error * size` bounds what they are off."""
        middles = self._values.middle(self._places(runs, self._value_mean))[0]
        return [min(max(round(Fraction(m) * self.size + Fraction(1, 2)), 1), self.size) for m in middles.tolist()]

    def tallies(self, runs: Runs) -> list[tuple[int, int]]:
        """Runs below to double precision; runs with the same value exactly."""
        middles = self._runs.middle(self._places(runs, self._run_mean))[0].tolist()
        every, same = self.universe.size, self._same(runs)
        below = [round(Fraction(m) * every - Fraction(s, 2)) for m, s in zip(middles, same, strict=True)]
        return [(min(max(b, 0), every - s), s) for b, s in zip(below, same, strict=True)]

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
        share = float((rank - Fraction(1, 2)) / self.size)
        low, high = -self._values.half, self._values.half
        for _ in range(60):
            middle = (low + high) / 2
            below = self._values.middle(np.array([middle]))[0][0] < share
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


def _integers(high: Ints, low: Ints) -> list[int]:
    return [(h << LOW) + w for h, w in zip(high.tolist(), low.tolist(), strict=True)]


def _mean(words: Sequence[int], ways: Sequence[int]) -> int:
    return sum(word * way for word, way in zip(words, ways, strict=True)) // sum(ways)
