"""The largest and the smallest paired t statistic over all increasing rescalings of the scores.

A rescaling is a sum of steps with weights w >= 0; with z[t, v] = 1[A_t >= v] - 1[B_t >= v] the differences are z w, and
t is sqrt(n) times their mean over their standard deviation. The mean is linear in w and the deviation convex, both
homogeneous. Where every step has a mean of at least 0 the ratio is therefore quasi-concave and least at a single step.
Where it is largest is a convex problem: of all w with mean 1 the one with the least deviation. Least squares with
weights of at least 0 does it: |z w - 1|^2 = |z w - mean|^2 + n (mean - 1)^2, and along a direction the least value of
that falls as t rises.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenscale.stats.matrix import Floats, Ints
from evenscale.stats.signed_rank import EXACT

FLAT = 1e-9
"""Deviations below this part of the largest difference are rounding noise."""


@dataclass(frozen=True, slots=True, eq=False)
class Extremes:
    """The bounds of t over all increasing maps, and the weights of steps (at `levels`) that approach them."""

    least: float
    greatest: float
    levels: Ints
    least_weights: Floats
    greatest_weights: Floats


def t_statistic(differences: Floats) -> float:
    """Student's t of paired differences; infinite where they are equal and not 0, 0 where they are all 0.

    >>> t_statistic(np.array([1.0, 2.0, 3.0])).__round__(4)
    3.4641
    """
    mean, deviation, size = float(differences.mean()), float(differences.std(ddof=1)), float(np.abs(differences).max())
    if deviation > FLAT * size:
        return mean / deviation * float(np.sqrt(len(differences)))
    return float(np.copysign(np.inf, mean)) if size > 0 else 0.0


def extreme_t(a: Ints, b: Ints) -> Extremes:
    """The bounds of t for two systems' levels by topic, with one scale for all topics.

    >>> found = extreme_t(np.array([3, 2, 1, 1]), np.array([0, 0, 0, 1]))
    >>> round(found.least, 4), round(found.greatest, 4)
    (1.0, 3.0)
    """
    levels = np.unique(np.concatenate([a, b]))[1:]
    z = (a[:, None] >= levels).astype(np.float64) - (b[:, None] >= levels)
    least, least_weights = _least(z)
    greatest, greatest_weights = _greatest(z)
    return Extremes(least, greatest, levels, least_weights, greatest_weights)


def _least(z: Floats) -> tuple[float, Floats]:
    weights = np.zeros(z.shape[1])
    if not (z != 0).any():
        return 0.0, weights
    means = z.mean(axis=0)
    if (means < 0).any():
        # The ratio is quasi-concave on the part of the cone that has a mean above 0 only; the claim is lost anyway.
        flipped, at = _greatest(-z)
        return -flipped, at
    moved = np.flatnonzero((z != 0).any(axis=0))
    statistics = [t_statistic(z[:, k]) for k in moved]
    weights[moved[int(np.argmin(statistics))]] = 1.0
    return float(min(statistics)), weights


def _greatest(z: Floats) -> tuple[float, Floats]:
    from scipy.optimize import nnls

    if not (z.mean(axis=0) > 0).any():
        # No rescaling has a mean above 0: t is at most 0, at the step that comes nearest to that.
        statistics = [t_statistic(column) for column in z.T] or [0.0]
        weights = np.zeros(z.shape[1])
        if z.shape[1]:
            weights[int(np.argmax(statistics))] = 1.0
        return float(max(statistics)), weights
    weights, _ = nnls(z, np.ones(len(z)), maxiter=max(100, 30 * z.shape[1]))
    return t_statistic(z @ weights), weights


def most_by_topic(wins: int, topics: int) -> float:
    """The bound of t from above when every topic has a scale of its own: equal wins, and losses of nearly nothing.

    >>> most_by_topic(3, 4)
    3.0
    """
    return float(np.sqrt(wins * (topics - 1) / (topics - wins))) if wins < topics else float("inf")


def signed_rank_always(wins: int, losses: int, alpha: float) -> bool | None:
    """Whether the signed-rank test calls the winner better whatever the sizes of wins and losses; None: not proved.

    Few differences (the test is exact): without losses p is 2 / 2^n; with them every choice of signs that has minuses
    at losses only has at most the rank sum found, so p is at least 2 * 2^losses / 2^n. Many (it is normal): the rank
    sum is least where the wins are smallest and greatest where they are largest; the deviation is greatest without
    ties and least where all sizes are equal.

    >>> [signed_rank_always(*counts, 0.05) for counts in ((8, 0), (4, 1), (8, 2), (45, 5), (26, 24))]
    [True, False, None, True, None]
    """
    from scipy.special import ndtri

    n = wins + losses
    if n <= EXACT:
        least = 2.0 ** (1 + losses - n)
        return (None if losses else True) if least <= alpha else False
    half, critical = n * (n + 1) / 4, float(-ndtri(alpha / 2))
    if (wins * (wins + 1) / 2 - half) / np.sqrt(n * (n + 1) * (2 * n + 1) / 24) > critical + FLAT:
        return True
    most = (half - losses * (losses + 1) / 2) / (np.sqrt(n) * (n + 1) / 4)
    return False if most < critical - FLAT else None
