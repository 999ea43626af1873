"""The studentised range: how far apart the extremes of k equal means may lie by chance, in standard errors.

The tail is summed from positive terms only, so that a p-value of 1e-30 is as accurate as one of 0.05; in the other
direction, `cdf` is one minus it. With W the range of k standard normals, s the root of a chi-square over its degrees of
freedom, and Q the normal tail,

    P(W > w) = k ∫ φ(z) Q(z)^(k-1) (1 - (1 - Q(z+w)/Q(z))^(k-1)) dz        (z is the smallest of the k)
    P(W/s > q) = ∫ f(log s) P(W > q s) d(log s)

Both integrands are analytic and vanish fast at both ends: there the trapezoidal rule converges geometrically (Trefethen
and Weideman 2014). The first is done once for each k and kept as piecewise Chebyshev series.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike

from evenscale.errors import BadParameter
from evenscale.stats.matrix import Floats

WIDEST = 60.0
"""Ranges of normals beyond this have a tail below 1e-380, which no float holds."""
PANEL, DEGREE = 0.5, 16
HALF, STEP = 180, 0.05
"""The inner integral takes this many steps to either side of its centre -w/2."""
DROP = 40.0
"""Where the outer integrand has fallen by exp(-40) it is cut off."""
FEW, MANY = 400.0, 1e12
"""Fewer degrees of freedom share one lattice for all q; more count as infinite (relative change 1e-7 at p = 1e-30)."""
STEEP = 0.02
"""The lattice's step, fine enough for the sharp fall of P(W > w) when k is large."""
CHUNK = 2**19


def cdf(q: ArrayLike, k: int, df: float) -> Floats:
    """P(studentised range <= q), accurate to about 1e-12 (absolute)."""
    return np.asarray(1.0 - sf(q, k, df))


def sf(q: ArrayLike, k: int, df: float) -> Floats:
    """P(studentised range > q) of k means with df degrees of freedom, to full relative accuracy in the far tail.

    >>> f"{sf(15, 2, 98):.3g}", f"{sf(3.877, 3, 10):.4f}"
    ('5.87e-18', '0.0500')
    """
    _check(k, df)
    flat = np.asarray(q, dtype=np.float64)
    if np.isnan(flat).any():
        raise BadParameter("q must be a number, found NaN")
    tail = np.where(flat == np.inf, 0.0, 1.0)
    inside = (flat > 0) & (flat < np.inf)
    if inside.any():
        # Below 1e-20 the tail is one to the last digit; rounding may leave it just above.
        log_q = np.log(np.maximum(flat[inside], 1e-20))
        tail[inside] = np.minimum(np.exp(_log_tail(log_q, k, df)), 1.0)
    return tail


def isf(p: ArrayLike, k: int, df: float) -> Floats:
    """The q that the studentised range exceeds with probability p, to ten digits for p from 1e-300.

    Close to p = 1 the tail says nothing of q: between 1 - 1e-12 and 1, the answer is that for 1 - 1e-12.

    >>> f"{isf(0.05, 3, 10):.4f} {isf(0.05, 129, float('inf')):.4f}"
    '3.8768 6.2386'
    """
    _check(k, df)
    wanted = np.asarray(p, dtype=np.float64)
    if not ((wanted == 0) | ((wanted >= 1e-300) & (wanted <= 1))).all():
        raise BadParameter("p must lie in [0, 1], and not between 0 and 1e-300")
    answer = np.where(wanted == 0.0, np.inf, 0.0)
    inside = (wanted > 0) & (wanted < 1)
    if inside.any():
        answer[inside] = np.exp(_solved(np.minimum(wanted[inside], 1 - 1e-12), k, df))
    return answer


def ppf(p: ArrayLike, k: int, df: float) -> Floats:
    """The q that the studentised range stays below with probability p; below 1e-12, as for 1e-12.

    >>> f"{ppf(0.95, 3, 10):.4f}"
    '3.8768'
    """
    return isf(1.0 - np.asarray(p, dtype=np.float64), k, df)


def _check(k: int, df: float) -> None:
    if k != int(k) or k < 2:
        raise BadParameter(f"k must be a whole number of at least 2, got {k}")
    if not df >= 1:
        raise BadParameter(f"df must be at least 1, got {df}")


def _solved(p: Floats, k: int, df: float) -> Floats:
    """log q by Newton's method from above.

    The log of the tail is concave and falling in log q (Prékopa 1973: a marginal of a log-concave function): from the
    right of the root every step goes left and none passes it. A step to the right is rounding, and the end.
    """
    target = np.log(p)
    at = _above(target, p, k, df)
    for _ in range(200):
        value, slope = _log_tail_and_slope(at, k, df)
        step = np.minimum((target - value) / slope, 0.0)
        at = at + step
        if (step > -1e-13).all():
            break
    return at


def _above(target: Floats, p: Floats, k: int, df: float) -> Floats:
    """log q at or to the right of the root.

    The tail is at most k(k-1)/2 times that of a t-test, which gives a close start; where the t quantile is not good
    enough (SciPy's fails for p near 1e-300), growing steps lead past the root.
    """
    from scipy.special import ndtri, stdtrit

    each = p / (k * (k - 1.0))
    start = math.sqrt(2.0) * -(stdtrit(df, each) if df < MANY else ndtri(each))
    at = np.log(np.where(np.isfinite(start), np.maximum(start, 1e-3), 1e-3))
    stride = 1e-2
    while (short := _log_tail(at, k, df) > target).any():
        at = at + stride * short
        stride *= 2.0
    return np.asarray(at)


@dataclass(frozen=True)
class _RangeTail:
    """log P(W > w) for the range W of k standard normals: -w²/4 plus a series on each panel of w."""

    series: Floats
    slopes: Floats

    def value(self, w: Floats) -> Floats:
        """The log of the tail."""
        return np.asarray(_clenshaw(self.series, w) - w * w / 4.0)

    def slope(self, w: Floats) -> Floats:
        """Its slope in log w: w times the derivative."""
        return np.asarray(w * (_clenshaw(self.slopes, w) - w / 2.0))


def _clenshaw(series: Floats, w: Floats) -> Floats:
    """Chebyshev series, one column per panel, each w in its panel; the last value holds beyond the widest."""
    place = np.minimum(w, WIDEST * (1 - 1e-15)) / PANEL
    panel = place.astype(np.int64)
    u = 2.0 * (place - panel) - 1.0
    double = 2.0 * u
    last, before = np.zeros_like(u), np.zeros_like(u)
    for row in series[:0:-1]:
        last, before = row[panel] + double * last - before, last
    return np.asarray(series[0][panel] + u * last - before)


@lru_cache(maxsize=64)
def _range_tail(k: int) -> _RangeTail:
    nodes = chebyshev.chebpts1(DEGREE + 1)
    starts = np.arange(0.0, WIDEST, PANEL)
    w = starts[:, None] + PANEL / 2.0 * (nodes + 1.0)
    logs = np.stack([_log_scaled(row, k) for row in w])
    series: Floats = np.asarray(np.linalg.solve(chebyshev.chebvander(nodes, DEGREE), logs.T), dtype=np.float64)
    slopes = chebyshev.chebder(series, axis=0) * (2.0 / PANEL)
    return _RangeTail(series, np.asarray(slopes))


def _log_scaled(w: Floats, k: int) -> Floats:
    """log(P(W > w) exp(w²/4)) for the range W of k standard normals; the factor keeps everything within floats."""
    from scipy.special import log_ndtr

    offsets = np.arange(-HALF, HALF + 1) * STEP
    z = offsets - w[:, None] / 2.0
    log_upper = log_ndtr(-z)
    ratio = np.exp(log_ndtr(-z - w[:, None]) - log_upper)
    with np.errstate(divide="ignore"):  # a ratio of one: all others lie beyond z + w
        beyond = -np.expm1((k - 1) * np.log1p(-ratio))
    weight = np.exp(w[:, None] ** 2 / 4.0 - z * z / 2.0 + (k - 1) * log_upper)
    return np.asarray(np.log((weight * beyond).sum(axis=1) * (k * STEP / math.sqrt(2 * math.pi))))


def _log_tail(log_q: Floats, k: int, df: float) -> Floats:
    """log P(W/s > q)."""
    tail = _range_tail(int(k))
    if df >= MANY:
        return tail.value(np.exp(log_q))
    parts = [np.log(total) + top for _, _, total, top in _outer(log_q, tail, df)]
    return np.concatenate(parts) + _log_constant(df)


def _log_tail_and_slope(log_q: Floats, k: int, df: float) -> tuple[Floats, Floats]:
    """log P(W/s > q) and its slope in log q."""
    tail = _range_tail(int(k))
    if df >= MANY:
        return tail.value(np.exp(log_q)), tail.slope(np.exp(log_q))
    values, slopes = [], []
    for w, terms, total, top in _outer(log_q, tail, df):
        values.append(np.log(total) + top)
        slopes.append((terms * tail.slope(w)).sum(axis=1) / total)
    return np.concatenate(values) + _log_constant(df), np.concatenate(slopes)


def _outer(log_q: Floats, tail: _RangeTail, df: float) -> Iterator[tuple[Floats, Floats, Floats, Floats]]:
    """The outer integral, some q at a time: ranges w at the nodes, terms, their sum, and the log of a common factor."""
    nodes, step = _lattice(log_q, df) if df < FEW else _window(df)
    shared = (np.exp(nodes), tail.value(np.exp(nodes))) if df < FEW else None
    size = max(1, CHUNK // len(nodes))
    for some in (log_q[i : i + size, None] for i in range(0, len(log_q), size)):
        x = nodes - some if shared else _peak(some, tail, df) + nodes
        w = shared[0] if shared else np.exp(some + x)
        logs = df * (x - np.expm1(2.0 * x) / 2.0) + (shared[1] if shared else tail.value(w))
        top = logs.max(axis=1, keepdims=True)
        terms = step * np.exp(logs - top)
        yield w, terms, terms.sum(axis=1), top[:, 0]


def _lattice(log_q: Floats, df: float) -> tuple[Floats, float]:
    """Nodes in log w, the same for every q: few degrees of freedom make the integrand wide, with a long left tail.

    The step resolves the fall of P(W > w) near the expected range, which is sharp when k is large.
    """
    low = min(float(log_q.min()), 0.0) - DROP / df - 1.0
    count = math.ceil((math.log(WIDEST) - low) / STEEP)
    return np.asarray(low + STEEP * np.arange(count), dtype=np.float64), STEEP


def _window(df: float) -> tuple[Floats, float]:
    """Nodes around the peak of the outer integrand in log s, which is different for every q.

    As the hazard of W grows with w, the log of the integrand at distance y from its peak has fallen by at least
    df (exp(y) - 1 - y) on either side; the ends are where that is DROP. The step resolves a width of 1/√(2 df).
    """
    c, step = DROP / df, 0.4 / math.sqrt(df)
    left, right = math.sqrt(2 * c) + c, math.sqrt(2 * c)
    places = np.arange(-math.ceil(left / step), math.ceil(right / step) + 1)
    return np.asarray(places * step, dtype=np.float64), step


def _peak(log_q: Floats, tail: _RangeTail, df: float) -> Floats:
    """log s where the outer integrand peaks: bisection on its falling slope, to a tenth of the peak's width."""
    low, high = np.minimum(math.log(1e-3) - log_q, -1.0), np.zeros_like(log_q)
    width = float((high - low).max())
    for _ in range(math.ceil(math.log2(width * 10.0 * math.sqrt(df)))):
        x = (low + high) / 2.0
        # Ranges up to 1e150 keep w² finite; beyond, the slope is as negative as anyone needs.
        rising = tail.slope(np.exp(np.minimum(log_q + x, 345.0))) > df * np.expm1(2.0 * x)
        low, high = np.where(rising, x, low), np.where(rising, high, x)
    return np.asarray((low + high) / 2.0)


def _log_constant(df: float) -> float:
    """log of the density of log s at 0, the factor before exp(df (x - (exp(2x) - 1)/2)).

    Stirling's series for large df, where the difference of gamma function and powers would lose digits.
    """
    a = df / 2.0
    if a < 20:
        return math.log(2.0) + a * math.log(a) - a - math.lgamma(a)
    series = 1 / (12 * a) - 1 / (360 * a**3) + 1 / (1260 * a**5) - 1 / (1680 * a**7)
    return math.log(2.0) + 0.5 * math.log(a / (2 * math.pi)) - series
