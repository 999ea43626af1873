"""Distribution functions of sums of independent finite variables, as Fourier series with bounds.

On a circle that is long enough to hold the sum, its distribution function is a Fourier series whose coefficients are
products of one number for each variable. The series is cut, and two bounds say what that costs:

- `bounded` is rigorous but for the rounding of floats: trigonometric polynomials above and below a step (Beurling and
  Selberg's, in the form of Vaaler 1985) enclose the truth between two sums over the same coefficients. It is about as
  wide as the resolution of the series, a millionth.
- `error` assumes that all terms beyond the cut add up to no more than twice what the last octave before it would if all
  its terms had the same sign, nor than twelve standard deviations of a sum with random signs; their mean square over
  all frequencies is known: it is the sum of squared probabilities.

Far below the mean, where the distribution function itself is small, the variables are tilted until the place is near
their new mean (Esscher 1932); the series then gives the function to a relative error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import exp, inf, log, log2, pi, sqrt
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Waves: TypeAlias = NDArray[np.complex128]

ROWS = 1 << 10
"""Rows of frequencies in a series about the mean."""
TILTED_ROWS = 1 << 6
"""The most rows in a series about another place; fewer where there are many variables."""
_ROW = 1 << 10  # frequencies in a row; rows differ by one rotation, so that sums become matrix products
_NOTHING = 1e-25  # coefficients below this are 0
_OUTSIDE = 1e-18  # how likely the sum may be to leave the circle
_SIGMAS = 12
_FEW = 16  # values of a variable that are added up one by one
_MANY = 1 << 12  # values of a variable that are held at once
_LADDER = 1000  # tilts at most
_TINY = 1e-300


class Variable(NamedTuple):
    """Values about their mean, chances, and whether both are symmetric, so that the transform is real."""

    values: Floats
    chances: Floats
    symmetric: bool


class Variables:
    """Independent finite random variables, each about its mean, in one array; chances as logarithms."""

    def __init__(self, values: Floats, logs: Floats, sizes: NDArray[np.int64]) -> None:
        self.values, self.logs, self.chances, self.sizes = values, logs, np.exp(logs), sizes
        self.starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]) if len(sizes) else np.zeros(0, dtype=np.int64)

    @classmethod
    def of(cls, listed: Sequence[tuple[Floats, Floats]]) -> Variables:
        """From the values and chances of each."""
        empty = [np.zeros(0)]
        values, chances = (np.concatenate([*empty, *(pair[k] for pair in listed)]) for k in (0, 1))
        return cls(values, np.log(chances), np.array([len(pair[0]) for pair in listed], dtype=np.int64))

    def __len__(self) -> int:
        return len(self.sizes)

    def each(self) -> Iterator[Variable]:
        """One by one, those with few values and wide ones first."""
        for k in np.lexsort((-self.reaches, self.sizes)):
            part = slice(self.starts[k], self.starts[k] + self.sizes[k])
            x, p = self.values[part], self.chances[part]
            mirrored = np.abs(x + x[::-1]).max() <= 1e-16 * self.reaches[k] and (p == p[::-1]).all()
            yield Variable(x, p, bool(mirrored))

    @cached_property
    def reaches(self) -> Floats:
        """Each one's largest distance from its mean."""
        return np.maximum.reduceat(np.abs(self.values), self.starts) if len(self) else np.zeros(0)

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest sum."""
        if not len(self):
            return 0.0, 0.0
        return tuple(float(np.sum(f.reduceat(self.values, self.starts))) for f in (np.minimum, np.maximum))  # type: ignore[return-value]

    @property
    def deviation(self) -> float:
        """The standard deviation of the sum."""
        return sqrt(float(np.sum(self.chances * self.values**2)))

    @property
    def step(self) -> float:
        """The sum over all sums of their squared probability."""
        return exp(float(np.sum(np.log(np.add.reduceat(self.chances**2, self.starts))))) if len(self) else 1.0

    @property
    def at_bottom(self) -> float:
        """How likely the sum is to be the lowest there is."""
        lowest = np.repeat(np.minimum.reduceat(self.values, self.starts), self.sizes)
        return float(np.prod(np.maximum.reduceat(np.where(self.values == lowest, self.chances, 0), self.starts)))

    def logarithm(self, tilt: float) -> float:
        """The logarithm of the mean of exp(tilt * sum)."""
        return float(np.sum(self._totals(tilt))) if len(self) else 0.0

    def tilted(self, tilt: float) -> tuple[Variables, float]:
        """With chances times exp(tilt * value) and about the new means; and the sum of these."""
        logs = self.logs + tilt * self.values - np.repeat(self._totals(tilt), self.sizes)
        means = np.add.reduceat(np.exp(logs) * self.values, self.starts)
        return Variables(self.values - np.repeat(means, self.sizes), logs, self.sizes), float(means.sum())

    def _totals(self, tilt: float) -> Floats:
        """For each variable the logarithm of the mean of exp(tilt * value)."""
        terms = self.logs + tilt * self.values
        tops = np.maximum.reduceat(terms, self.starts)
        return np.log(np.add.reduceat(np.exp(terms - np.repeat(tops, self.sizes)), self.starts)) + tops

    def half_circle(self) -> float:
        """A distance from the mean that the sum exceeds with chance _OUTSIDE at most (Chernoff), or never."""
        reach, unit = 1.02 * max(map(abs, self.ends)), self.deviation or 1.0
        rates = [factor / unit for factor in (0.5, 1, 2, 3, 4.5, 6, 8, 9, 10, 12)]
        stray = [min((self.logarithm(sign * r) + log(2 / _OUTSIDE)) / r for r in rates) for sign in (-1, 1)]
        return min(reach, max(stray)) or 1.0


class Series:
    """The mean of exp(rate * (sum - place)) over sums up to a place; with rate 0, the distribution function.

    A sum at the place itself counts half.
    """

    def __init__(self, variables: Variables, rows: int, rate: float = 0.0) -> None:
        self.half, self.rate = variables.half_circle(), rate
        fastest = pi / self.half * rows * _ROW
        listed = [one for one in variables.each() if np.abs(one.values).max() * fastest > 1e-10]
        self._waves = np.ones(1, dtype=np.complex128)
        self.error, self.rounding, done = inf, 0.0, 0
        # Coefficients may vanish long before the last row: rows are added until those that are missing do not matter.
        while done < rows and (not rate or self.error > 4 * self.rounding):
            more = self._coefficients(listed, done, min(4 * done or 1, rows))
            self._waves = np.concatenate([self._waves, more]) if done else more
            done = len(self._waves) // _ROW
            self._judge(variables, len(listed))

    def _judge(self, variables: Variables, telling: int) -> None:
        """What rounding and the missing coefficients may cost, and how many there are that matter."""
        self._count = len(self._waves)
        speeds = pi / self.half * np.arange(1, self._count)
        terms = np.abs(self._waves[1:]) / (self.half * np.hypot(self.rate, speeds))
        turns = speeds * float(np.sum(variables.reaches))
        rounding = 2e-16 * (float(np.sum(terms * (8 * telling + 2 * turns))) + 8)
        left = np.cumsum(terms[::-1])[::-1]
        self._kept = max(1, int(np.searchsorted(-left, -0.1 * rounding)))
        self.rounding = 2 * rounding + 2 * _OUTSIDE
        octave = terms[self._count // 2 :]
        spread = max(sqrt(float(np.sum(octave**2)) / 2), sqrt(variables.step / (2 * pi**2 * self._count)))
        self.error = max(_SIGMAS * spread, 2 * float(np.sum(octave))) + self.rounding

    def _coefficients(self, listed: Sequence[Variable], first: int, last: int) -> Waves:
        """The sum's mean of exp(2 pi i k x / circle) in some rows of frequencies k."""
        waves = np.zeros((last - first, _ROW), dtype=np.complex128)
        for start in range(first, last, 64):
            down = pi / self.half * _ROW * np.arange(start, min(start + 64, last), dtype=np.float64)
            block: Waves | Floats = np.ones((len(down), _ROW))
            for number, variable in enumerate(listed):
                block = block * self._transform(variable, down)
                if number % 8 == 7 and np.abs(block).max() < _NOTHING:
                    break
            else:
                waves[start - first : start - first + 64] = block
        return waves.reshape(-1)

    def _transform(self, variable: Variable, down: Floats) -> Waves | Floats:
        """One variable's coefficients in a block of rows, by the addition theorem from a column and a row."""
        x, p, symmetric = variable
        across = pi / self.half * np.arange(_ROW)
        result: Waves | Floats = np.zeros((len(down), _ROW))
        if len(x) > _FEW:
            for part in (slice(start, start + _MANY) for start in range(0, len(x), _MANY)):
                wave = np.exp(1j * np.outer(x[part], across))
                result = result + (p[part] * np.exp(1j * np.outer(down, x[part]))) @ wave
        elif symmetric:
            for k, (y, q) in enumerate(zip(x[: (len(x) + 1) // 2], p, strict=False)):
                wave = _wave(across * y)
                real = np.outer(np.cos(down * y), wave.real) - np.outer(np.sin(down * y), wave.imag)
                result = result + q * (1 if 2 * k + 1 == len(x) else 2) * real
        else:
            for y, q in zip(x, p, strict=True):
                result = result + np.outer(q * np.exp(1j * down * y), _wave(across * y))
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

    def _sums(self, places: Floats, kinds: int) -> Floats:
        """The sums at places on the circle, one row for each kind of weights."""
        turn = -1j * pi / self.half * places
        row = np.exp(np.outer(turn, np.arange(_ROW)))
        steps = np.exp(np.outer(turn, np.arange(self._weights.shape[1]) * _ROW))
        return np.array([np.sum((row @ weights.T) * steps, axis=1).real for weights in self._weights[:kinds]])

    def __call__(self, places: Floats) -> Floats:
        """The values at places about the mean."""
        return self._evaluated(places, 1)[0]

    def bounded(self, places: Floats) -> tuple[Floats, Floats]:
        """With rate 0: the values and a rigorous bound on what they are off."""
        return self._evaluated(places, 3)

    def _evaluated(self, places: Floats, kinds: int) -> tuple[Floats, Floats]:
        inside = np.clip(places, -self.half, self.half)
        seam = self._sums(np.array([-self.half]), kinds)
        fade = np.exp(-self.rate * (inside + self.half))
        value = (1 - fade) / (2 * self.half * self.rate) if self.rate else (inside + self.half) / (2 * self.half)
        doubt = np.full(len(places), inf)
        for part in (slice(start, start + 256) for start in range(0, len(places), 256)):
            plain, *bracket = self._sums(inside[part], kinds)
            value[part] += plain - fade[part] * seam[0]
            if bracket:
                vague = np.abs(plain - bracket[0]) + np.abs(seam[0] - seam[1])
                doubt[part] = vague + bracket[1] + seam[2] + 1 / self._count + self.rounding
        value = np.where(places > self.half, 1.0, np.where(places < -self.half, 0.0, value))
        return np.clip(value, 0, 1), np.where(places == inside, doubt, _OUTSIDE)


def _wave(angles: Floats) -> Waves:
    """exp(i * angle) for evenly spaced angles from 0 on, from a few of them."""
    return np.outer(np.exp(1j * angles[::32]), np.exp(1j * angles[:32])).reshape(-1)


class Rung(NamedTuple):
    """A tilt, with the mean and standard deviation of the tilted sum and the logarithm of its total chance."""

    tilt: float
    mean: float
    deviation: float
    logarithm: float


class Distribution:
    """The distribution function of a sum about its mean, to a relative error below it.

    >>> coins = Variables.of([(np.array([-1.0, 1.0]) * 3**-k, np.array([0.5, 0.5])) for k in range(12)])
    >>> logs, errors = Distribution(coins).logarithms(np.array([-1.0, 0.0, 1.0]))
    >>> (2**logs).round(5).tolist()
    [0.25, 0.5, 0.75]
    """

    def __init__(self, variables: Variables) -> None:
        self.variables = variables
        self.plain = Series(variables, ROWS)
        self._rungs = [Rung(0.0, 0.0, variables.deviation, 0.0)]
        self._series: dict[int, Series] = {}

    def logarithms(self, places: Floats) -> tuple[Floats, Floats]:
        """Binary logarithms of P(sum < place) + P(sum = place) / 2, and relative errors."""
        values = np.maximum(self.plain(places), _TINY)
        logs, errors = np.log2(values), self.plain.error / values
        rungs = np.array([self._rung(place) for place in places.tolist()], dtype=np.int64)
        for number in np.unique(rungs[rungs > 0]).tolist():
            which = np.flatnonzero(rungs == number)
            rung, series = self._rungs[number], self._tilted(number)
            values = np.maximum(series(places[which] - rung.mean), _TINY)
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
        tilt = last.tilt - 1 / last.deviation if last.deviation else 0.0
        if not tilt or len(self._rungs) > _LADDER:
            return False
        tilted, mean = self.variables.tilted(tilt)
        if tilted.at_bottom > 0.5 or mean >= last.mean:
            return False
        self._rungs.append(Rung(tilt, mean, tilted.deviation, self.variables.logarithm(tilt)))
        return True

    def _tilted(self, number: int) -> Series:
        if number not in self._series:
            tilt = self._rungs[number].tilt
            rows = min(TILTED_ROWS, 1 + (TILTED_ROWS << 8) // len(self.variables))
            self._series[number] = Series(self.variables.tilted(tilt)[0], rows, -tilt)
        return self._series[number]
