"""Distribution functions of sums of independent finite variables, as Fourier series with bounds.

On a circle that is long enough to hold the sum, its distribution function is a Fourier series whose coefficients are
products of one number for each variable. The series is cut, and two bounds say what that costs:

- `doubt` is rigorous but for the rounding of floats: trigonometric polynomials above and below a step (Beurling and
  Selberg's, in the form of Vaaler 1985) enclose the truth between two sums over the same coefficients. It is about as
  wide as the resolution of the series, a millionth.
- `error` assumes that the coefficients beyond the cut are no larger than in the last octave before it and than their
  mean square over all frequencies, which is known (the sum of squared probabilities), and takes eight standard
  deviations of their sum.

Far below the mean, where the distribution function itself is small, the variables are tilted until the place is near
their new mean (Esscher 1932); the series then gives the function to a relative error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, log, log2, pi, prod, sqrt
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Waves: TypeAlias = NDArray[np.complex128]

ROWS = 1 << 10
"""Rows of frequencies in a series about the mean."""
TILTED_ROWS = 1 << 4
_ROW = 1 << 10  # frequencies in a row; rows differ by one rotation, so that sums become matrix products
_BLOCK = 1 << 6  # rows that are computed at once
_NOTHING = 1e-25  # coefficients below this are 0
_OUTSIDE = 1e-18  # how likely the sum may be to leave the circle
_SIGMAS = 8
_FEW = 16  # values of a variable that are added up one by one
_MANY = 1 << 12  # values of a variable that are held at once


@dataclass(frozen=True)
class Variable:
    """A finite random variable about its mean."""

    values: Floats
    chances: Floats

    @cached_property
    def symmetric(self) -> bool:
        """Whether its transform is real; values that do not come in order are taken as if it were not."""
        mirrored = np.allclose(self.values, -self.values[::-1], rtol=0, atol=1e-16 * self.reach)
        return bool(mirrored and np.array_equal(self.chances, self.chances[::-1]))

    @cached_property
    def reach(self) -> float:
        """The largest distance from the mean."""
        return float(np.abs(self.values).max())

    @property
    def square(self) -> float:
        """The sum of squared probabilities."""
        return float(self.chances @ self.chances)

    def tilted(self, tilt: float) -> tuple[Variable, float, float]:
        """With chances times exp(tilt * value): about its new mean, that mean, and the total chance's logarithm."""
        top = float((tilt * self.values).max())
        weights = self.chances * np.exp(tilt * self.values - top)
        total = float(weights.sum())
        mean = float(weights @ self.values) / total
        return Variable(self.values - mean, weights / total), mean, log(total) + top


class Series:
    """The mean of exp(rate * (sum - place)) over sums up to a place; with rate 0, the distribution function.

    A value at the place itself counts half. `step` is the sum over all values of their squared probability.
    """

    def __init__(self, variables: Sequence[Variable], step: float, rows: int = 0, rate: float = 0.0) -> None:
        reach = max(abs(sum(float(bound(v.values)) for v in variables)) for bound in (np.min, np.max))
        squares = sum(float(np.ptp(v.values)) ** 2 for v in variables)
        # Hoeffding's inequality says how far the sum strays from its mean; no farther than it can, in any case.
        self.half = min(1.02 * reach, sqrt(squares * log(2 / _OUTSIDE) / 2)) or 1.0
        self.rate, self._count = rate, (rows or ROWS) * _ROW
        fastest = pi / self.half * self._count
        telling = [v for v in variables if v.reach * fastest > 1e-10]
        self._waves = self._coefficients(sorted(telling, key=lambda v: (len(v.values), -v.reach)))
        speeds = pi / self.half * np.arange(1, self._count)
        terms = np.abs(self._waves[1:]) / (self.half * np.hypot(rate, speeds))
        turns = speeds * sum(v.reach for v in variables)
        rounding = 2e-16 * (float(np.sum(terms * (8 * len(telling) + 2 * turns))) + 8)
        left = np.cumsum(terms[::-1])[::-1]
        self._kept = max(1, int(np.searchsorted(-left, -0.1 * rounding)))
        self.rounding = 2 * rounding + 2 * _OUTSIDE
        octave = sqrt(float(np.sum(terms[self._count // 2 :] ** 2)) / 2)
        self.error = _SIGMAS * max(octave, sqrt(step / (2 * pi**2 * self._count))) + self.rounding

    def _coefficients(self, variables: Sequence[Variable]) -> Waves:
        """The sum's mean of exp(2 pi i k x / circle) for k = 0, 1, 2, ..."""
        waves = np.zeros((self._count // _ROW, _ROW), dtype=np.complex128)
        for first in range(0, len(waves), _BLOCK):
            down: Floats = pi / self.half * _ROW * np.arange(first, min(first + _BLOCK, len(waves)), dtype=np.float64)
            block: Waves | Floats = np.ones((len(down), _ROW))
            for number, variable in enumerate(variables):
                block = block * self._transform(variable, down)
                if number % 8 == 7 and np.abs(block).max() < _NOTHING:
                    break
            else:
                waves[first : first + _BLOCK] = block
        return waves.reshape(-1)

    def _transform(self, variable: Variable, down: Floats) -> Waves | Floats:
        """One variable's coefficients in a block of rows, by the addition theorem from a column and a row."""
        across = pi / self.half * np.arange(_ROW)
        x, chance = variable.values, variable.chances
        result: Waves | Floats = np.zeros((len(down), _ROW))
        if len(x) > _FEW:
            for part in (slice(start, start + _MANY) for start in range(0, len(x), _MANY)):
                wave = np.exp(1j * np.outer(x[part], across))
                result = result + (chance[part] * np.exp(1j * np.outer(down, x[part]))) @ wave
        elif variable.symmetric:
            for k, (y, p) in enumerate(zip(x[: (len(x) + 1) // 2], chance, strict=False)):
                real = np.outer(np.cos(down * y), np.cos(across * y)) - np.outer(np.sin(down * y), np.sin(across * y))
                result = result + p * (1 if 2 * k + 1 == len(x) else 2) * real
        else:
            for y, p in zip(x, chance, strict=True):
                result = result + np.outer(p * np.exp(1j * down * y), np.exp(1j * across * y))
        return result

    @cached_property
    def _weights(self) -> Waves:
        """What multiplies exp(-2 pi i k place / circle): the series, and with rate 0 Vaaler's and Fejer's too."""
        rows = -(-(self._kept + 1) // _ROW)
        waves, k = self._waves[1 : rows * _ROW], np.arange(1, rows * _ROW)
        kinds = [waves / (self.half * (self.rate - 1j * pi / self.half * k))]
        if not self.rate:
            u = k / self._count
            kinds += [kinds[0] * (pi * u * (1 - u) / np.tan(pi * u) + u), waves * (1 - u) / self._count]
        return np.array([np.insert(weights, 0, 0).reshape(rows, _ROW) for weights in kinds])

    def _sums(self, places: Floats) -> Floats:
        """The sums at places on the circle, one row for each kind of weights."""
        turn = -1j * pi / self.half * places
        row = np.exp(np.outer(turn, np.arange(_ROW)))
        steps = np.exp(np.outer(turn, np.arange(self._weights.shape[1]) * _ROW))
        return np.array([np.sum((row @ weights.T) * steps, axis=1).real for weights in self._weights])

    def __call__(self, places: Floats) -> Floats:
        """The values at places about the mean."""
        return self.bounded(places)[0]

    def bounded(self, places: Floats) -> tuple[Floats, Floats]:
        """The values at places about the mean, and with rate 0 a rigorous bound on what they are off."""
        inside = np.clip(places, -self.half, self.half)
        seam = self._sums(np.array([-self.half]))
        fade = np.exp(-self.rate * (inside + self.half))
        value = (1 - fade) / (2 * self.half * self.rate) if self.rate else (inside + self.half) / (2 * self.half)
        doubt = np.full(len(places), np.inf)
        for part in (slice(start, start + 256) for start in range(0, len(places), 256)):
            plain, *bracket = self._sums(inside[part])
            value[part] += plain - fade[part] * seam[0]
            if bracket:
                vague = np.abs(plain - bracket[0]) + np.abs(seam[0] - seam[1])
                doubt[part] = vague + bracket[1] + seam[2] + 1 / self._count + self.rounding
        value = np.where(places > self.half, 1.0, np.where(places < -self.half, 0.0, value))
        return np.clip(value, 0, 1), np.where(places == inside, doubt, _OUTSIDE)


class Rung(NamedTuple):
    """A tilt, with the mean and standard deviation of the tilted sum and the logarithm of its total chance."""

    tilt: float
    mean: float
    deviation: float
    logarithm: float


class Distribution:
    """The distribution function of a sum about its mean, to a relative error below it.

    >>> coins = [Variable(np.array([-1.0, 1.0]) * 3**-k, np.array([0.5, 0.5])) for k in range(12)]
    >>> logs, errors = Distribution(coins, 2.0**-12).logarithms(np.array([-1.49, -1.0, 0.0, 1.0]))
    >>> (2**logs).round(5).tolist()
    [0.01563, 0.25, 0.5, 0.75]
    """

    def __init__(self, variables: Sequence[Variable], step: float) -> None:
        self.variables = variables
        self.plain = Series(variables, step)
        spread = sqrt(sum(float(v.chances @ v.values**2) for v in variables))
        self._rungs = [Rung(0.0, 0.0, spread, 0.0)]
        self._series: dict[int, Series] = {}

    def logarithms(self, places: Floats) -> tuple[Floats, Floats]:
        """Binary logarithms of P(sum < place) + P(sum = place) / 2, and relative errors."""
        values = np.maximum(self.plain(places), 1e-300)
        logs, errors = np.log2(values), self.plain.error / values
        rungs = np.array([self._rung(place) for place in places.tolist()], dtype=np.int64)
        for number in np.unique(rungs[rungs > 0]).tolist():
            which = np.flatnonzero(rungs == number)
            rung, series = self._rungs[number], self._tilted(number)
            values = np.maximum(series(places[which] - rung.mean), 1e-300)
            tilted = np.log2(values) + (rung.logarithm - rung.tilt * places[which]) / log(2)
            doubts = series.error / values + 1e-15 * (abs(rung.logarithm) + abs(rung.tilt * rung.mean))
            # Errors are compared as shares of the whole, not of a value that may be off itself.
            better = np.log2(doubts) + tilted < log2(self.plain.error)
            logs[which[better]], errors[which[better]] = tilted[better], doubts[better]
        return logs, errors

    def _rung(self, place: float) -> int:
        """The tilt whose mean is nearest; every rung lies a standard deviation below the one before."""
        while place < self._rungs[-1].mean and self._lower(self._rungs[-1]):
            pass
        return min(range(len(self._rungs)), key=lambda k: abs(self._rungs[k].mean - place))

    def _lower(self, last: Rung) -> bool:
        """Add a rung, unless the sum is most likely at its minimum already."""
        tilt = last.tilt - 1 / last.deviation
        tilted = [v.tilted(tilt) for v in self.variables]
        floor = prod(float(v.chances[np.argmin(v.values)]) for v, _, _ in tilted)
        if floor > 0.5 or len(self._rungs) > 1000:
            return False
        spread = sqrt(sum(float(v.chances @ v.values**2) for v, _, _ in tilted))
        self._rungs.append(Rung(tilt, sum(m for _, m, _ in tilted), spread, sum(total for _, _, total in tilted)))
        return True

    def _tilted(self, number: int) -> Series:
        if number not in self._series:
            tilt = self._rungs[number].tilt
            variables = [v.tilted(tilt)[0] for v in self.variables]
            step = exp(sum(log(v.square) for v in variables))
            self._series[number] = Series(variables, step, TILTED_ROWS, -tilt)
        return self._series[number]
