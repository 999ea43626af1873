"""Tests of one pair of systems at a time, run over all pairs at once.

The variants are those of Ferrante, Ferro and Fuhr (2021). None of them corrects for the number of pairs: `adjusted`
equals `p` until a correction is applied. Every test takes `alternative` ("greater": the first system of the pair is
better) and `pairs`, index arrays of the first and second systems, all pairs unless given.

Two systems with the same score on every topic differ in nothing: p is 1 in every paired test, for every alternative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias, get_args

import numpy as np

from evenscale.errors import BadParameter
from evenscale.stats import signed_rank as ranking
from evenscale.stats.matrix import Floats, Ints, Scale, Scores
from evenscale.stats.result import Alternative, Comparisons

Pairs: TypeAlias = tuple[Ints, Ints]
Part: TypeAlias = Mapping[str, Floats]
"""Some of the arrays of `Comparisons`, by name, for some of the pairs."""

CELLS = 1 << 20
"""At most so many numbers are held in one array at a time: 8 MB, which caches still hold."""


def sign(
    scores: Scores, *, alpha: float = 0.05, alternative: Alternative = "two-sided", pairs: Pairs | None = None
) -> Comparisons:
    """Sign test: ties dropped, exact binomial.

    `difference` is the share of topics won less the share lost, `statistic` the number won, `effect` Cohen's g (the
    share won of the untied, less a half).

    >>> scores = Scores.of([[0.5, 0.4], [0.6, 0.2], [0.3, 0.1], [0.9, 0.8], [0.7, 0.7]])
    >>> sign(scores).p.tolist(), sign(scores, alternative="greater").p.tolist()
    ([0.125], [0.0625])
    """
    pairs = checked(scores, alpha, alternative, pairs)

    def part(first: Ints, second: Ints) -> Part:
        from scipy.special import bdtr

        a, b = scores.order.T[first], scores.order.T[second]
        wins, losses = (a > b).sum(axis=1), (a < b).sum(axis=1)
        untied = wins + losses
        share = np.divide(wins, untied, out=np.full(len(wins), 0.5), where=untied > 0)
        p = tail(bdtr(wins, untied, 0.5), bdtr(losses, untied, 0.5), alternative)
        return {"difference": (wins - losses) / len(a[0]), "statistic": wins, "p": p, "effect": share - 0.5}

    method = "sign test, ties dropped, exact binomial; difference: share of topics won less lost"
    parts = in_blocks(pairs, len(scores.topics), part)
    return compared(scores, "sign", method, "ordinal", pairs, alpha, alternative, parts)


def rank_sum(
    scores: Scores, *, alpha: float = 0.05, alternative: Alternative = "two-sided", pairs: Pairs | None = None
) -> Comparisons:
    """Wilcoxon rank-sum (Mann-Whitney) test of two columns as if they were independent samples.

    Normal approximation, tie-corrected variance, continuity correction. `difference` is the difference of mean ranks
    among the scores of both systems, `statistic` Mann and Whitney's U of the first, `effect` Cliff's delta. Where all
    scores are equal p is 1.

    >>> scores = Scores.of([[0.5, 0.4], [0.6, 0.2], [0.3, 0.1]])
    >>> rank_sum(scores).statistic.tolist(), rank_sum(scores).p.round(4).tolist()
    ([8.0], [0.1904])
    """
    from scipy.special import ndtr

    pairs = checked(scores, alpha, alternative, pairs)
    m = float(len(scores.topics))
    u, ties = _mann_whitney(scores.order, pairs)
    # Mann and Whitney 1947; the tie-corrected variance as in Hollander and Wolfe 1973
    deviation = np.sqrt(np.maximum(m * m / 12 * (2 * m + 1 - ties / (2 * m * (2 * m - 1))), 0))
    above = u - m * m / 2
    flat = deviation == 0
    scale = np.where(flat, 1, deviation)
    below, over = ndtr((above + 0.5) / scale), ndtr((0.5 - above) / scale)
    p = np.where(flat, 1.0, tail(below, over, alternative))
    parts = {"difference": 2 * above / m, "statistic": u, "p": p, "effect": 2 * above / (m * m)}
    method = (
        "Wilcoxon rank-sum test, normal approximation, tie-corrected, continuity correction; "
        "difference: of mean ranks in the two systems' scores"
    )
    return compared(scores, "rank-sum", method, "ordinal", pairs, alpha, alternative, parts)


def _mann_whitney(units: Ints, pairs: Pairs) -> tuple[Floats, Floats]:
    """U of the first system of each pair, and the sum of t^3 - t over the groups of t equal scores in both.

    With c and c' the counts of a value in the two columns, (c + c')^3 = c^3 + 3c^2c' + 3cc'^2 + c'^3; each term is a
    sum over one column's scores of products of the counts, which two binary searches tell.
    """
    first, second = pairs
    u, ties = np.empty(len(first)), np.empty(len(first))
    m = len(units)
    own = np.array([_times(column, np.sort(column)) for column in units.T]).T
    for j in np.unique(second):
        chosen = np.flatnonzero(second == j)
        column = np.sort(units[:, j])
        other = units[:, first[chosen]]
        lower, upper = np.searchsorted(column, other, "left"), np.searchsorted(column, other, "right")
        u[chosen] = (lower + upper).sum(axis=0) / 2
        shared, mine = upper - lower, own[:, first[chosen]]
        cubes = (mine**2 + 3 * mine * shared + 3 * shared**2).sum(axis=0) + (own[:, j] ** 2).sum()
        ties[chosen] = cubes - 2 * m
    return u, ties


def _times(values: Ints, ordered: Ints) -> Ints:
    """How often each value is among the ordered ones."""
    return np.asarray(np.searchsorted(ordered, values, "right") - np.searchsorted(ordered, values, "left"))


def signed_rank(
    scores: Scores, *, alpha: float = 0.05, alternative: Alternative = "two-sided", pairs: Pairs | None = None
) -> Comparisons:
    """Wilcoxon signed-rank test: zeros dropped; exact with mid-ranks up to 15 differences, else normal.

    The normal approximation is tie-corrected, without continuity correction. `difference` is the Hodges-Lehmann
    estimate of the shift, with its interval; `statistic` the rank sum of the positive differences, `effect` the
    rank-biserial correlation (Kerby 2014): the share of the rank sum that is positive less the share that is negative.

    >>> scores = Scores.of([[0.3, 0.2], [0.2, 0.1], [0.7, 0.4], [0.4, 0.5], [0.8, 0.3], [0.1, 0.1]])
    >>> signed_rank(scores).statistic.tolist(), signed_rank(scores).p.tolist()
    ([13.0], [0.25])
    """
    pairs = checked(scores, alpha, alternative, pairs)
    unit = 10.0**-scores.digits

    def part(first: Ints, second: Ints) -> Part:
        d = differences(scores, first, second)
        ranks = ranking.signed_ranks(d)
        shift, low, high = ranking.hodges_lehmann(d, alpha, alternative)
        plus, whole = ranks.plus / 2, ranks.used * (ranks.used + 1) / 2
        effect = np.divide(2 * plus - whole, whole, out=np.zeros(len(d)), where=whole > 0)
        p = _signed_rank_p(ranks, alternative)
        bounds = {"difference": shift * unit, "low": low * unit, "high": high * unit}
        return {**bounds, "statistic": plus, "p": p, "effect": effect}

    method = (
        f"Wilcoxon signed-rank test, zeros dropped, exact with mid-ranks for n <= {ranking.EXACT}, else normal "
        "approximation, tie-corrected, no continuity correction; difference: Hodges-Lehmann estimate"
    )
    m = len(scores.topics)
    parts = in_blocks(pairs, m * (m + 1) // 2, part)
    return compared(scores, "signed-rank", method, "interval", pairs, alpha, alternative, parts)


def _signed_rank_p(ranks: ranking.SignedRanks, alternative: Alternative) -> Floats:
    from scipy.special import ndtr

    z = ranking.normal_scores(ranks)
    p = tail(ndtr(z), ndtr(-z), alternative)
    few = ranks.used <= ranking.EXACT
    if few.any():
        p[few] = tail(*ranking.exact_tails(ranks.doubled[few], ranks.plus[few]), alternative)
    return p


def paired_t(
    scores: Scores, *, alpha: float = 0.05, alternative: Alternative = "two-sided", pairs: Pairs | None = None
) -> Comparisons:
    """Student's paired t test, with the interval for the mean difference; `effect` is Cohen's d of the differences.

    Differences that are all equal, and not 0, have no variance: t and d are infinite and p is 0 (1 where the other
    side is the alternative).

    >>> scores = Scores.of([[0.5, 0.4], [0.6, 0.2], [0.3, 0.1]])
    >>> result = paired_t(scores)
    >>> result.statistic.round(6).tolist(), result.p.round(6).tolist()
    ([2.645751], [0.118083])
    """
    pairs = checked(scores, alpha, alternative, pairs)
    m = len(scores.topics)

    def part(first: Ints, second: Ints) -> Part:
        from scipy.special import stdtr, stdtrit

        mean, deviation = moments(differences(scores, first, second), 10.0**-scores.digits)
        effect = ratio(mean, deviation)
        t = ratio(mean, deviation / np.sqrt(m))
        same = (mean == 0) & (deviation == 0)
        p = np.where(same, 1.0, tail(stdtr(m - 1, t), stdtr(m - 1, -t), alternative))
        wide = -stdtrit(m - 1, alpha / 2 if alternative == "two-sided" else alpha) * deviation / np.sqrt(m)
        low = np.full(len(t), -np.inf) if alternative == "less" else mean - wide
        high = np.full(len(t), np.inf) if alternative == "greater" else mean + wide
        return {"difference": mean, "statistic": t, "p": p, "low": low, "high": high, "effect": effect}

    method = "Student's paired t test; difference: of means"
    return compared(scores, "t", method, "interval", pairs, alpha, alternative, in_blocks(pairs, m, part))


def against(scores: Scores, baseline: str, test: Callable[..., Comparisons], **options: Any) -> Comparisons:
    """Only the pairs with a baseline, which comes second: "greater" means better than the baseline.

    `options` go to the test, which may be any of this module, `randomisation` or `bootstrap`.

    >>> scores = Scores.of([[0.1, 0.4, 0.2], [0.2, 0.6, 0.3], [0.1, 0.3, 0.1]], systems=["bm25", "new", "old"])
    >>> result = against(scores, "bm25", paired_t, alternative="greater")
    >>> [scores.systems[k] for k in result.first], [scores.systems[k] for k in result.second]
    (['new', 'old'], ['bm25', 'bm25'])
    """
    if baseline not in scores.systems:
        raise BadParameter(f"the baseline {baseline!r} is not among the {len(scores.systems)} systems")
    base = scores.systems.index(baseline)
    others = np.delete(np.arange(len(scores.systems)), base)
    return test(scores, pairs=(others, np.full_like(others, base)), **options)


def checked(scores: Scores, alpha: float, alternative: Alternative, pairs: Pairs | None) -> Pairs:
    """Validate what every test is given; the pairs to test."""
    scores.need(topics=2, systems=2)
    if not 0 < alpha < 1:
        raise BadParameter(f"alpha must lie in (0, 1), got {alpha}")
    if alternative not in get_args(Alternative):
        raise BadParameter(f"alternative must be one of {', '.join(get_args(Alternative))}, got {alternative!r}")
    return scores.pairs if pairs is None else pairs


def differences(scores: Scores, first: Ints, second: Ints) -> Ints:
    """First less second in whole units of the last digit that counts: pairs down, topics across.

    Rounded after subtracting. Rounded before, 2/30 - 1/30 and 1/30 - 0 would be one unit apart.

    >>> scores = Scores.of([[2 / 30, 1 / 30], [1 / 30, 0]])
    >>> differences(scores, np.array([0]), np.array([1])).tolist()
    [[333333333, 333333333]]
    """
    values = scores.values.T
    return np.rint((values[first] - values[second]) * 10.0**scores.digits).astype(np.int64)


def moments(d: Ints, unit: float) -> tuple[Floats, Floats]:
    """Mean and standard deviation of each row; the deviation of equal differences is exactly 0."""
    constant = (d == d[:, :1]).all(axis=1)
    mean = np.where(constant, d[:, 0], d.mean(axis=1)) * unit
    return mean, np.where(constant, 0.0, d.std(axis=1, ddof=1)) * unit


def ratio(above: Floats, below: Floats) -> Floats:
    """above / below for a below >= 0, where x/0 is infinite with the sign of x, and 0/0 is 0."""
    infinite = np.where(above == 0, 0.0, np.copysign(np.inf, above))
    return np.asarray(np.divide(above, below, out=infinite, where=below > 0))


def tail(below: Floats, above: Floats, alternative: Alternative) -> Floats:
    """The p-value from P(T <= t) and P(T >= t): one of them, or twice the smaller, at most 1."""
    if alternative == "two-sided":
        return np.asarray(np.minimum(2 * np.minimum(below, above), 1.0))
    return np.array(above if alternative == "greater" else below)


def blocks(count: int, width: int) -> Iterator[slice]:
    """Slices of `count` rows of `width` numbers, none above `CELLS` numbers.

    >>> [(part.start, part.stop) for part in blocks(3, CELLS // 2)]
    [(0, 2), (2, 4)]
    """
    step = max(1, CELLS // max(width, 1))
    return (slice(start, start + step) for start in range(0, count, step))


def in_blocks(pairs: Pairs, width: int, part: Callable[[Ints, Ints], Part]) -> Part:
    """Run `part` over blocks of pairs that need `width` numbers each, and join what it gives."""
    first, second = pairs
    found = [part(first[rows], second[rows]) for rows in blocks(len(first), width)]
    return {name: np.concatenate([piece[name] for piece in found]) for name in found[0]}


def compared(
    scores: Scores,
    test: str,
    method: str,
    needs: Scale,
    pairs: Pairs,
    alpha: float,
    alternative: Alternative,
    part: Part,
) -> Comparisons:
    """The result; arrays that the test does not give are NaN, and p is its own adjustment unless one is given."""
    nothing = np.full(len(pairs[0]), np.nan)
    names = ("difference", "statistic", "p", "low", "high", "effect")
    arrays = {name: np.asarray(part.get(name, nothing), dtype=np.float64) for name in names}
    return Comparisons(
        test=test,
        method=method,
        needs=needs,
        systems=scores.systems,
        first=pairs[0],
        second=pairs[1],
        adjusted=arrays["p"],
        alpha=alpha,
        alternative=alternative,
        measure=scores.measure,
        **arrays,
    )
