"""Tests that make their own null distribution: sign flips, bootstrap, and permutations of all systems.

Random numbers come from `rng`, a NumPy generator or a whole number to seed one. A resampled p-value is
(hits + 1)/(n + 1), the sample being one of its own resamples (Davison and Hinkley 1997, section 4.2.1): never 0.
Resamples as extreme as the sample are hits. Sums of scores that differ by less than half a unit of the last digit that
counts are ties: true ties stay ties (0.3 - 0.2 - 0.1 is 0 here), and sums of scores with so many digits stay apart.

One set of resamples serves all pairs. Each p-value is what it would be with resamples of its own; only the resampling
errors of different pairs are not independent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from evenscale.errors import BadParameter
from evenscale.stats.matrix import Floats, Ints, Scores
from evenscale.stats.pairwise import Pairs, Part, blocks, checked, compared, differences, in_blocks, moments, ratio
from evenscale.stats.result import Alternative, Comparisons

Random: TypeAlias = np.random.Generator | int
Interval: TypeAlias = Literal["bca", "percentile", "studentised"]
Levels: TypeAlias = tuple[Floats, Floats]

ENUMERATED = 1 << 14
"""So many sign patterns are enumerated rather than drawn, however small n is."""

NOISE = 1e-12
"""Relative rounding error of a statistic in floats, generously."""

_SIDE: Mapping[Alternative, Callable[..., Any]] = {
    "two-sided": np.abs,
    "greater": np.positive,
    "less": np.negative,
}
"""What makes "more extreme" mean "larger"."""


def randomisation(
    scores: Scores,
    *,
    rng: Random,
    n: int = 10_000,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    pairs: Pairs | None = None,
) -> Comparisons:
    """Fisher's randomisation test: under the null a topic's two scores may be swapped.

    The statistic is the mean difference; each resample flips the signs of the differences on random topics (Smucker,
    Allan and Carterette 2007). Where all 2^m patterns are no more than n, or than 16,384, they are enumerated, p is
    exact and `rng` is not used. `effect` is Cohen's d.

    >>> scores = Scores.of([[0.5, 0.4], [0.6, 0.2], [0.3, 0.1]])
    >>> randomisation(scores, rng=1).p.tolist()
    [0.25]
    """
    pairs = checked(scores, alpha, alternative, pairs)
    m = len(scores.topics)
    exact = 2**m <= max(_resamples(n), ENUMERATED)
    flips = _all_flips(m) if exact else _random_flips(n, m, np.random.default_rng(rng))

    def part(first: Ints, second: Ints) -> Part:
        mean, deviation = moments(differences(scores, first, second), 10.0**-scores.digits)
        hits = _flip_hits(scores.values[:, first] - scores.values[:, second], flips, alternative, scores.digits)
        p = hits / len(flips) if exact else (hits + 1) / (n + 1)
        return {"difference": mean, "statistic": mean, "p": p, "effect": ratio(mean, deviation)}

    how = f"all {2**m} sign patterns" if exact else f"{n} random sign patterns"
    method = f"randomisation test, {how}; difference: of means"
    parts = in_blocks(pairs, m, part)
    return compared(scores, "randomisation", method, "interval", pairs, alpha, alternative, parts)


def _all_flips(m: int) -> NDArray[np.int8]:
    """Every pattern of signs, one per row."""
    bits = (np.arange(2**m)[:, None] >> np.arange(m)) & 1
    return (2 * bits - 1).astype(np.int8)


def _random_flips(n: int, m: int, rng: np.random.Generator) -> NDArray[np.int8]:
    return np.asarray(2 * rng.integers(0, 2, size=(n, m), dtype=np.int8) - 1, dtype=np.int8)


def _flip_hits(d: Floats, flips: NDArray[np.int8], alternative: Alternative, digits: int) -> Ints:
    """How many sign patterns make the sum of differences (topics down) as extreme as it is.

    A product of matrices, in blocks; its rounding error is far below half a unit unless scores are huge, where the
    slack grows with them.
    """
    side = _SIDE[alternative]
    bar = side(d.sum(axis=0)) - _slack(np.abs(d).sum(axis=0), len(d), digits)
    hits = np.zeros(d.shape[1], dtype=np.int64)
    for rows in blocks(len(flips), d.shape[1]):
        sums = flips[rows].astype(np.float64) @ d
        hits += np.count_nonzero(side(sums, out=sums) >= bar, axis=0)
    return hits


def _slack(size: Floats, terms: int, digits: int) -> Floats:
    """Sums of so many terms, of this absolute size together, are ties when no further apart."""
    return 0.5 * 10.0**-digits + terms * np.finfo(np.float64).eps * size


def bootstrap(
    scores: Scores,
    *,
    rng: Random,
    n: int = 10_000,
    interval: Interval = "bca",
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    pairs: Pairs | None = None,
) -> Comparisons:
    """Shifted, studentised bootstrap test of the mean difference (Sakai 2006; Efron and Tibshirani 1993, section 16.4).

    Topics are drawn with replacement from the differences less their mean, where the null is true, and t is computed on
    each draw. A draw of one value only has no variance; its t counts as beyond any finite one. `statistic` is the
    sample's t, `effect` Cohen's d. Differences all equal, but not 0, have infinite t and p = 1/(n + 1).

    `interval` is "bca" (Efron 1987), "percentile", or "studentised": exactly the shifts the test does not reject.

    >>> scores = Scores.of([[0.5, 0.4], [0.6, 0.2], [0.3, 0.1], [0.4, 0.3], [0.9, 0.6]])
    >>> result = bootstrap(scores, rng=1, n=999)
    >>> bool(1 / 1000 <= result.p[0] < 0.1 and 0 < result.low[0] < result.difference[0] < result.high[0])
    True
    """
    pairs = checked(scores, alpha, alternative, pairs)
    if interval not in get_args(Interval):
        raise BadParameter(f"interval must be one of {', '.join(get_args(Interval))}, got {interval!r}")
    m = len(scores.topics)
    draws = np.random.default_rng(rng).multinomial(m, np.full(m, 1 / m), size=_resamples(n)).T / m

    def part(first: Ints, second: Ints) -> Part:
        d = differences(scores, first, second)
        mean, deviation = moments(d, unit := 10.0**-scores.digits)
        scale = deviation[:, None]
        w = np.divide(d * unit - mean[:, None], scale, out=np.zeros(d.shape), where=scale > 0)
        t = ratio(mean, deviation / np.sqrt(m))
        drawn, ts = _redrawn(w, draws)
        bounds = _bounds(interval, w, drawn, ts, alpha, alternative)
        low, high = (np.where(deviation > 0, mean + b * np.where(deviation > 0, deviation, 1), mean) for b in bounds)
        p = (_t_hits(t, ts, alternative) + 1) / (n + 1)
        return {"difference": mean, "statistic": t, "p": p, "low": low, "high": high, "effect": ratio(mean, deviation)}

    method = f"shifted studentised bootstrap test, {n} resamples, {interval} interval; difference: of means"
    parts = in_blocks(pairs, n, part)
    return compared(scores, "bootstrap", method, "interval", pairs, alpha, alternative, parts)


def _redrawn(w: Floats, draws: Floats) -> tuple[Floats, Floats]:
    """The mean and the t of every draw (across) from every row of differences without mean, in standard deviations.

    The variance is kept above its rounding error, so that a draw of one value has a t above a million, and a draw of
    zeros a t of 0.
    """
    mean = w @ draws
    square = (w * w) @ draws
    work = mean * mean
    np.subtract(square, work, out=work)
    square *= 1e-13
    square += 1e-24
    variance = np.maximum(work, square, out=work)
    variance /= w.shape[1] - 1
    return mean, np.divide(mean, np.sqrt(variance, out=work), out=work)


def _t_hits(t: Floats, ts: Floats, alternative: Alternative) -> Ints:
    side = _SIDE[alternative]
    bar = side(t) - np.where(np.isfinite(t), NOISE * np.abs(t), 0)
    return np.asarray(np.count_nonzero(side(ts) >= bar[:, None], axis=1))


def _bounds(
    interval: Interval, w: Floats, drawn: Floats, ts: Floats, alpha: float, alternative: Alternative
) -> tuple[Floats, Floats]:
    """The ends of the interval around the mean, in standard deviations; one end is infinite for one-sided tests."""
    if interval == "studentised":
        wide = critical(_SIDE[alternative](ts), alpha) / np.sqrt(w.shape[1])
        low, high = -wide, wide
    else:
        tail = alpha / 2 if alternative == "two-sided" else alpha
        levels = _LEVELS[interval](w, drawn, tail)
        drawn.sort(axis=1)
        low, high = (_quantile(drawn, level) for level in levels)
    low = np.full_like(low, -np.inf) if alternative == "less" else low
    return low, np.full_like(high, np.inf) if alternative == "greater" else high


def _percentile(w: Floats, drawn: Floats, tail: float) -> Levels:
    return np.full(len(w), tail), np.full(len(w), 1 - tail)


def _bca(w: Floats, drawn: Floats, tail: float) -> Levels:
    """Levels corrected for bias and acceleration (Efron 1987); draws equal to the mean count half."""
    from scipy.special import ndtr, ndtri

    n = drawn.shape[1]
    under = np.count_nonzero(drawn < -NOISE, axis=1) + np.count_nonzero(drawn <= NOISE, axis=1)
    bias = ndtri(np.clip(under / (2 * n), 0.5 / n, 1 - 0.5 / n))
    spread = (w**2).sum(axis=1) ** 1.5
    acceleration = np.divide((w**3).sum(axis=1), 6 * spread, out=np.zeros(len(w)), where=spread > 0)

    def level(z: float) -> Floats:
        return np.asarray(ndtr(bias + (bias + z) / (1 - acceleration * (bias + z))))

    return level(float(ndtri(tail))), level(-float(ndtri(tail)))


_LEVELS: Mapping[str, Callable[[Floats, Floats, float], Levels]] = {"percentile": _percentile, "bca": _bca}


def _quantile(ordered: Floats, level: Floats) -> Floats:
    """The order statistic nearest to rank level * (n + 1) of each row."""
    n = ordered.shape[1]
    place = np.clip(np.rint(level * (n + 1)).astype(np.int64) - 1, 0, n - 1)
    return np.asarray(np.take_along_axis(ordered, place[:, None], axis=1)[:, 0])


def critical(resampled: Floats, alpha: float) -> Floats:
    """What a statistic must exceed for (hits + 1)/(n + 1) <= alpha, by row; infinite where n is too small for it.

    >>> critical(np.arange(1.0, 100.0)[None, :], 0.05).tolist(), critical(np.arange(9.0)[None, :], 0.05).tolist()
    ([95.0], [inf])
    """
    n = resampled.shape[1]
    allowed = int(alpha * (n + 1) * (1 + NOISE))
    if allowed < 1:
        return np.full(len(resampled), np.inf)
    return np.asarray(np.partition(resampled, n - allowed, axis=1)[:, n - allowed])


def randomised_tukey(scores: Scores, *, rng: Random, n: int = 10_000, alpha: float = 0.05) -> Comparisons:
    """Randomised Tukey HSD: all pairs at once, corrected for their number (Carterette 2012).

    Under the null all scores of a topic may be permuted among the systems; each difference of means is held against the
    largest of each permutation. p is the adjusted one, and the intervals are simultaneous, all of one width: those
    without 0 are the significant ones.

    >>> scores = Scores.of([[0.5, 0.4, 0.1], [0.6, 0.2, 0.1], [0.3, 0.1, 0.2], [0.8, 0.5, 0.3]])
    >>> result = randomised_tukey(scores, rng=1, n=999)
    >>> result.significant.tolist()
    [False, True, False]
    """
    pairs = checked(scores, alpha, "two-sided", None)
    m = len(scores.topics)
    ranges = np.sort(_ranges(scores.values, _resamples(n), np.random.default_rng(rng)))
    total = scores.values.sum(axis=0)
    difference = total[pairs[0]] - total[pairs[1]]
    slack = _slack(np.abs(scores.values).sum(axis=0).max(), m, scores.digits)
    hits = n - np.searchsorted(ranges, np.abs(difference) - slack, side="left")
    wide = critical(ranges[None, :], alpha)[0] + slack
    part = {
        "difference": difference / m,
        "statistic": np.abs(difference) / m,
        "p": (hits + 1) / (n + 1),
        "low": (difference - wide) / m,
        "high": (difference + wide) / m,
    }
    method = f"randomised Tukey HSD, {n} permutations of scores within topics; difference: of means; p adjusted"
    return compared(scores, "randomised Tukey", method, "interval", pairs, alpha, "two-sided", part)


def _ranges(values: Floats, n: int, rng: np.random.Generator) -> Floats:
    """The largest less the smallest sum over topics, for n permutations of each topic's scores."""
    found = []
    for rows in blocks(n, values.size):
        copies = np.broadcast_to(values, (min(rows.stop, n) - rows.start, *values.shape))
        sums = rng.permuted(copies, axis=2).sum(axis=1)
        found.append(np.ptp(sums, axis=1))
    return np.concatenate(found)


def _resamples(n: int) -> int:
    if n < 1:
        raise BadParameter(f"n must be at least 1, got {n}")
    return n
