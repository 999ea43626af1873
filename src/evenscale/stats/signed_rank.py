"""Signed ranks of many pairs at once: mid-ranks, their exact null distribution, and Walsh averages.

Everything here is whole numbers: doubled ranks, so that a mid-rank is whole too, and differences in units of the last
digit that counts. Pairs stand down, topics across.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenscale.stats.matrix import Floats, Ints
from evenscale.stats.result import Alternative

EXACT = 15
"""Up to so many non-zero differences the null distribution is exact (Ferrante, Ferro and Fuhr 2021)."""


@dataclass(frozen=True, slots=True, eq=False)
class SignedRanks:
    """The ranks of absolute differences, zeros dropped, every row in increasing order.

    `doubled` holds twice the mid-rank, 0 for a dropped zero; `positive` the signs; `used` how many differences count;
    `ties` the sum of t^3 - t over groups of t tied ones.
    """

    doubled: Ints
    positive: NDArray[np.bool_]
    used: Ints
    ties: Ints

    @property
    def plus(self) -> Ints:
        """Twice the rank sum of the positive differences."""
        return np.asarray((self.doubled * self.positive).sum(axis=1))


def signed_ranks(differences: Ints) -> SignedRanks:
    """Rank each row's differences by size (Wilcoxon 1945).

    >>> ranks = signed_ranks(np.array([[3, 0, -1, 1, 5]]))
    >>> ranks.doubled.tolist(), ranks.used.tolist(), ranks.ties.tolist(), ranks.plus.tolist()
    ([[0, 3, 3, 6, 8]], [4], [6], [17])
    """
    topics = differences.shape[1]
    order = np.argsort(np.abs(differences), axis=1, kind="stable")
    signed = np.take_along_axis(differences, order, axis=1)
    size = np.abs(signed)
    edge = size[:, 1:] != size[:, :-1]
    side = np.ones((len(size), 1), dtype=bool)
    place = np.arange(topics)
    start = np.maximum.accumulate(np.where(np.hstack([side, edge]), place, 0), axis=1)
    end = np.where(np.hstack([edge, side]), place, topics - 1)
    end = np.minimum.accumulate(end[:, ::-1], axis=1)[:, ::-1]
    zero = size == 0
    dropped = zero.sum(axis=1)
    doubled = np.where(zero, 0, start + end + 2 - 2 * dropped[:, None])
    tied = np.where(zero, 1, end - start + 1)
    return SignedRanks(doubled, signed > 0, topics - dropped, (tied**2 - 1).sum(axis=1))


def exact_tails(doubled: Ints, plus: Ints) -> tuple[Floats, Floats]:
    """P(W <= w) and P(W >= w) when every sign is a fair coin, given the mid-ranks as they are.

    Rows with the same ranks share one distribution, counted by dynamic programming over doubled ranks; at most `EXACT`
    of a row may differ from 0. A 0 only doubles every count.

    >>> [tail.tolist() for tail in exact_tails(np.array([[2, 4, 6]]), np.array([12]))]
    [[1.0], [0.125]]
    """
    ranks = doubled[:, -EXACT:]  # increasing, so that only dropped zeros are cut off
    patterns, which = np.unique(ranks, axis=0, return_inverse=True)
    below = np.cumsum(_subset_sums(patterns), axis=1)
    which = which.reshape(-1)
    total = 2.0 ** ranks.shape[1]
    at_most = below[which, plus]
    under = np.where(plus > 0, below[which, np.maximum(plus - 1, 0)], 0)
    return at_most / total, (total - under) / total


def _subset_sums(patterns: Ints) -> Ints:
    """For each row and each s: how many subsets of the row's ranks sum to s."""
    sums = np.arange(EXACT * (EXACT + 1) + 1)
    counts = np.zeros((len(patterns), len(sums)), dtype=np.int64)
    counts[:, 0] = 1
    for rank in patterns.T:
        before = sums - rank[:, None]
        counts = counts + np.where(before >= 0, np.take_along_axis(counts, np.maximum(before, 0), axis=1), 0)
    return counts


def normal_scores(ranks: SignedRanks) -> Floats:
    """The standardised rank sum, tie-corrected, without continuity correction; 0 where nothing is left to rank."""
    n = ranks.used.astype(np.float64)
    variance = n * (n + 1) * (2 * n + 1) / 24 - ranks.ties / 48
    above = ranks.plus / 2 - n * (n + 1) / 4
    return np.asarray(np.divide(above, np.sqrt(variance), out=np.zeros_like(n), where=variance > 0))


def hodges_lehmann(differences: Ints, alpha: float, alternative: Alternative) -> tuple[Floats, Floats, Floats]:
    """The median of the Walsh averages and an interval for it, in units (Hodges and Lehmann 1963).

    The interval holds the shifts that the test does not reject. All topics count here, those without a difference too:
    they speak for a shift of 0. With too few topics for any rejection the interval is the whole line.

    >>> [float(bound[0]) for bound in hodges_lehmann(np.array([[1, 2, 3, 4, 5, 6]]), 0.05, "two-sided")]
    [3.5, 1.0, 6.0]
    """
    topics = differences.shape[1]
    i, j = np.triu_indices(topics)
    walsh = (differences[:, i].astype(np.float64) + differences[:, j]) / 2
    size = walsh.shape[1]
    worst = largest_rejected(topics, alpha / 2 if alternative == "two-sided" else alpha)
    middle = ((size - 1) // 2, size // 2)
    cut = (worst, size - 1 - worst) if worst >= 0 else ()
    walsh.partition(sorted({*middle, *cut}), axis=1)
    low, high = np.full(len(walsh), -np.inf), np.full(len(walsh), np.inf)
    if cut and alternative != "less":
        low = walsh[:, cut[0]]
    if cut and alternative != "greater":
        high = walsh[:, cut[1]]
    return (walsh[:, middle[0]] + walsh[:, middle[1]]) / 2, low, high


def largest_rejected(topics: int, tail: float) -> int:
    """The largest rank sum that one tail rejects when no ranks are tied; -1 where there is none.

    >>> largest_rejected(10, 0.025), largest_rejected(3, 0.025), largest_rejected(50, 0.025)
    (8, -1, 434)
    """
    if topics <= EXACT:
        counts = _subset_sums(2 * np.arange(1, topics + 1)[None, :])[0, ::2]
        return int(np.searchsorted(np.cumsum(counts), tail * 2**topics, side="right")) - 1
    from scipy.special import ndtri

    mean, variance = topics * (topics + 1) / 4, topics * (topics + 1) * (2 * topics + 1) / 24
    return math.floor(mean + float(ndtri(tail)) * math.sqrt(variance))
