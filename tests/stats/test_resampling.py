"""Resampled tests against full enumeration, naive twins on the same draws, and SciPy."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from evenscale.errors import BadInput, BadParameter
from evenscale.stats import pairwise, resampling
from evenscale.stats.matrix import Scores
from evenscale.stats.pairwise import against
from evenscale.stats.resampling import bootstrap, randomisation, randomised_tukey
from evenscale.stats.result import Alternative, Comparisons

SIDES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
NAMES = ("difference", "statistic", "p", "adjusted", "low", "high", "effect")
PAIRED = (randomisation, bootstrap)
EVERY = (*PAIRED, randomised_tukey)
Grid = NDArray[np.int64]


@st.composite
def grids(draw: st.DrawFn, topics: tuple[int, int] = (2, 8), top: int = 6) -> Grid:
    m, n = draw(st.integers(*topics)), draw(st.integers(2, 4))
    rows = st.lists(st.integers(0, top), min_size=m * n, max_size=m * n)
    return np.array(draw(rows)).reshape(m, n)


def shares(hits: Any, seen: Any, side: Alternative) -> float:
    """The share of resampled values as extreme as the one seen, in exact numbers."""
    if side == "two-sided":
        hits, seen = [abs(h) for h in hits], abs(seen)
    return float(np.mean([h <= seen if side == "less" else h >= seen for h in hits]))


def naive_flips(d: list[Any], side: Alternative) -> float:
    sums = [sum(s * x for s, x in zip(signs, d, strict=True)) for signs in itertools.product((1, -1), repeat=len(d))]
    return shares(sums, sum(d), side)


@settings(max_examples=60)
@given(grid=grids(), side=st.sampled_from(SIDES), parts=st.sampled_from([1, 7, 10, 30]))
def test_few_topics_give_the_exact_p_of_all_sign_patterns(grid: Grid, side: Alternative, parts: int) -> None:
    """Ties of sums are ties: in whole numbers, in sevenths and thirtieths, which no decimals hold, and in tenths."""
    result = randomisation(Scores.of(grid / parts), rng=1, alternative=side)
    pairs = zip(result.first, result.second, strict=True)
    assert result.p.tolist() == [naive_flips((grid[:, i] - grid[:, j]).tolist(), side) for i, j in pairs]


def test_whole_scores_without_decimals() -> None:
    grid = np.array([[3, 1], [2, 5], [9, 1], [4, 4], [7, 2]])
    found = randomisation(Scores.of(grid, digits=0), rng=1)
    assert found.p[0] == naive_flips((grid[:, 0] - grid[:, 1]).tolist(), "two-sided")


@pytest.mark.parametrize("test", EVERY)
def test_huge_scores_do_not_overflow(test: Any) -> None:
    """Sums beyond 2^63 units."""
    grid = np.array([[3, 1], [2, 5], [9, 1], [4, 4], [7, 2], [9, 1]])
    assert test(Scores.of(grid * 5e7), rng=1, n=999).p[0] == test(Scores.of(grid), rng=1, n=999).p[0]


@pytest.mark.parametrize("side", SIDES)
def test_exact_p_against_scipy_permutation_test(side: Alternative) -> None:
    values = np.random.default_rng(1).normal(size=(8, 3)).round(3)
    found = randomisation(Scores.of(values), rng=1, alternative=side)
    for k, (i, j) in enumerate(zip(found.first, found.second, strict=True)):
        wanted = scipy.stats.permutation_test(
            (values[:, i], values[:, j]),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=np.inf,
            alternative=side,
        )
        assert found.p[k] == pytest.approx(wanted.pvalue, abs=1e-12)


def test_float_sums_break_ties_of_fractions_where_ours_hold() -> None:
    """Of the 32 sums of these tenths 28 are as extreme as the sample's; floats see only 24."""
    d = [Fraction(k, 10) for k in (-2, 3, 2, -4, -1)]
    floats = [float(x) for x in d]
    found = randomisation(Scores.of([[x, 0] for x in floats]), rng=1)
    assert naive_flips(floats, "two-sided") == 24 / 32
    assert naive_flips(d, "two-sided") == found.p[0] == 28 / 32


@pytest.mark.parametrize("side", SIDES)
def test_random_flips_come_near_all_of_them(side: Alternative) -> None:
    scores = Scores.of(np.random.default_rng(8).normal([0, 0.2, 0.4, 0.6], size=(16, 4)))
    whole = randomisation(scores, rng=1, n=2**16, alternative=side)
    drawn = randomisation(scores, rng=1, n=20_000, alternative=side)
    assert "all 65536" in whole.method and "20000 random" in drawn.method
    assert (np.abs(whole.p - drawn.p) <= 4 * np.sqrt(whole.p * (1 - whole.p) / 20_000) + 1e-4).all()


def test_hits_of_random_flips_against_a_naive_twin() -> None:
    scores = Scores.of(np.random.default_rng(8).integers(0, 9, size=(20, 3)) / 10)
    flips = resampling._random_flips(99, 20, np.random.default_rng(3))
    found = randomisation(scores, rng=3, n=99)
    for k, (i, j) in enumerate(zip(found.first, found.second, strict=True)):
        d = np.rint((scores.values[:, i] - scores.values[:, j]) * 10).astype(int)
        assert found.p[k] == (sum(abs(d @ row) >= abs(d.sum()) for row in flips) + 1) / 100


def naive_bootstrap(d: NDArray[np.float64], draws: Grid, side: Alternative) -> int:
    """Hits of Sakai's (2006) test on given draws; a draw of one value is beyond any t, of zeros within."""
    t = d.mean() / (d.std(ddof=1) / np.sqrt(len(d)))
    ts = []
    for counts in draws:
        w = np.repeat(d - d.mean(), counts)
        mean = 0 if np.allclose(w, 0, atol=1e-12) else w.mean()
        flat = np.allclose(w, w[0], atol=1e-12)
        ts.append((np.sign(mean) * np.inf if mean else 0.0) if flat else mean / (w.std(ddof=1) / np.sqrt(len(w))))
    return round(shares(np.array(ts) * (1 + 1e-12 * np.sign(ts) * (-1 if side == "less" else 1)), t, side) * len(ts))


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("m", [3, 6, 20])
def test_bootstrap_against_a_naive_twin(side: Alternative, m: int) -> None:
    values = np.random.default_rng(m).integers(0, 40, size=(m, 4)) / 10 + [0, 0.2, 0.5, 1]
    draws = np.random.default_rng(5).multinomial(m, np.full(m, 1 / m), size=200)
    found = bootstrap(Scores.of(values), rng=5, n=200, alternative=side)
    for k, (i, j) in enumerate(zip(found.first, found.second, strict=True)):
        assert found.p[k] == (naive_bootstrap(values[:, i] - values[:, j], draws, side) + 1) / 201


@pytest.mark.parametrize(("interval", "method"), [("bca", "BCa"), ("percentile", "percentile")])
@pytest.mark.parametrize("side", SIDES)
def test_bootstrap_intervals_against_scipy(interval: Any, method: str, side: Alternative) -> None:
    values = np.random.default_rng(7).exponential(size=(25, 2)) * [2, 0.1]
    found = bootstrap(Scores.of(values), rng=1, n=20_000, interval=interval, alternative=side)
    d = values[:, 0] - values[:, 1]
    rng = np.random.default_rng(2)
    wanted = scipy.stats.bootstrap((d,), np.mean, n_resamples=20_000, method=method, alternative=side, rng=rng)
    ends = (wanted.confidence_interval.low, wanted.confidence_interval.high)
    assert (found.low[0], found.high[0]) == pytest.approx(ends, abs=0.04)


@pytest.mark.parametrize("seed", range(5))
def test_bca_interval_against_the_textbook_on_the_same_draws(seed: int) -> None:
    """Efron and Tibshirani (1993), equations 14.9 to 14.15, with the jackknife written out."""
    d = np.random.default_rng(seed).exponential(size=12).round(3)
    draws = np.random.default_rng(seed).multinomial(12, np.full(12, 1 / 12), size=999)
    means = np.sort([np.repeat(d, counts).mean() for counts in draws])
    z0 = scipy.stats.norm.ppf((means < d.mean()).mean())
    left_out = np.array([np.delete(d, k).mean() for k in range(12)])
    away = left_out.mean() - left_out
    a = (away**3).sum() / (6 * (away**2).sum() ** 1.5)
    z = z0 + scipy.stats.norm.ppf([0.025, 0.975])
    levels = scipy.stats.norm.cdf(z0 + z / (1 - a * z))
    wanted = means[np.rint(levels * 1000).astype(int) - 1]
    found = bootstrap(Scores.of(np.stack([d, 0 * d], axis=1)), rng=seed, n=999)
    assert abs(z0) > 0.01 and a > 0.01
    assert (found.low[0], found.high[0]) == pytest.approx(tuple(wanted), abs=1e-9)


@pytest.mark.parametrize("side", SIDES)
def test_studentised_intervals_leave_out_0_where_the_test_rejects(side: Alternative) -> None:
    scores = Scores.of(np.random.default_rng(7).normal(size=(15, 12)) + np.linspace(0, 1.5, 12))
    found = bootstrap(scores, rng=1, n=999, interval="studentised", alternative=side)
    np.testing.assert_array_equal((found.low > 0) | (found.high < 0), found.significant)
    assert side == "greater" or 0 < found.significant.sum() < len(found.p)


def test_too_few_resamples_for_the_level_leave_the_whole_line() -> None:
    scores = Scores.of(np.random.default_rng(7).normal(size=(15, 3)))
    for found in (bootstrap(scores, rng=1, n=9, interval="studentised"), randomised_tukey(scores, rng=1, n=9)):
        assert np.isneginf(found.low).all() and np.isposinf(found.high).all() and not found.significant.any()


def test_randomised_tukey_against_all_permutations() -> None:
    values = np.array([[5, 2, 1], [7, 3, 3], [4, 4, 0]]) / 10
    ways = itertools.product(*(itertools.permutations(row) for row in values))
    ranges = np.array([np.ptp(np.sum(way, axis=0)) for way in ways])
    found = randomised_tukey(Scores.of(values), rng=1, n=20_000)
    seen = np.abs(values.sum(axis=0)[found.first] - values.sum(axis=0)[found.second])
    wanted = (ranges[:, None] >= seen - 1e-9).mean(axis=0)
    assert len(ranges) == 6**3
    assert (np.abs(found.p - wanted) <= 4 * np.sqrt(wanted * (1 - wanted) / 20_000) + 1e-4).all()


def test_randomised_tukey_of_two_systems_is_the_randomisation_test() -> None:
    scores = Scores.of(np.random.default_rng(9).normal([0.4, 0], size=(12, 2)).round(2))
    exact = randomisation(scores, rng=1).p[0]
    assert randomised_tukey(scores, rng=1, n=20_000).p[0] == pytest.approx(exact, abs=0.015)


def test_randomised_tukey_intervals_leave_out_0_where_it_rejects() -> None:
    scores = Scores.of(np.random.default_rng(7).normal(size=(15, 12)) + np.linspace(0, 2, 12))
    found = randomised_tukey(scores, rng=1, n=999)
    np.testing.assert_array_equal((found.low > 0) | (found.high < 0), found.significant)
    assert 0 < found.significant.sum() < len(found.p)
    assert (found.p >= randomisation(scores, rng=1, n=999).p - 0.05).all()


@pytest.mark.parametrize("test", EVERY)
def test_the_same_seed_gives_the_same_result(test: Any) -> None:
    scores = Scores.of(np.random.default_rng(1).normal(size=(20, 4)))
    here, there = test(scores, rng=11, n=500), test(scores, rng=np.random.default_rng(11), n=500)
    for name in NAMES:
        np.testing.assert_array_equal(getattr(here, name), getattr(there, name))
    assert (test(scores, rng=12, n=500).p != here.p).any()


@pytest.mark.parametrize("test", PAIRED)
def test_blocks_do_not_change_anything(test: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = Scores.of(np.random.default_rng(1).integers(0, 9, size=(20, 5)) / 10)
    whole = test(scores, rng=11, n=300)
    monkeypatch.setattr(pairwise, "CELLS", 700)
    for name in NAMES:
        np.testing.assert_allclose(getattr(whole, name), getattr(test(scores, rng=11, n=300), name), rtol=1e-9)


@pytest.mark.parametrize("test", PAIRED)
@settings(max_examples=20)
@given(grid=grids(topics=(15, 20)), side=st.sampled_from(SIDES))
def test_swapping_systems_mirrors_the_result(test: Any, grid: Grid, side: Alternative) -> None:
    scores = Scores.of(grid / 10)
    mirrored: dict[Alternative, Alternative] = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
    options: dict[str, Any] = {"interval": "studentised"} if test is bootstrap else {}
    here = test(scores, rng=1, n=200, alternative=side, **options)
    there = test(scores, rng=1, n=200, alternative=mirrored[side], pairs=scores.pairs[::-1], **options)
    assert here.p.tolist() == there.p.tolist()
    for name, other in (("difference", "difference"), ("low", "high"), ("high", "low"), ("effect", "effect")):
        np.testing.assert_allclose(getattr(here, name), -getattr(there, other), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("test", EVERY)
@settings(max_examples=20)
@given(grid=grids(topics=(3, 20)))
def test_positive_affine_rescalings_change_no_p(test: Any, grid: Grid) -> None:
    here, there = (test(Scores.of(x / 10), rng=1, n=200) for x in (grid, 4 * grid + 3))
    assert here.needs == "interval" and here.p.tolist() == there.p.tolist()


@pytest.mark.parametrize("side", SIDES)
def test_one_sided_p_values_add_up_when_exact(side: Alternative) -> None:
    """The very result counts on both sides; two-sided is both tails."""
    grid = np.random.default_rng(2).integers(0, 50, size=(10, 4))
    both, above, below = (randomisation(Scores.of(grid), rng=1, alternative=side).p for side in SIDES)
    assert (above + below >= 1).all()
    np.testing.assert_allclose(both, np.minimum(1, 2 * np.minimum(above, below)), rtol=1e-12)


@pytest.mark.parametrize("test", PAIRED)
@pytest.mark.parametrize("m", [5, 20])
def test_identical_systems_do_not_differ(test: Any, m: int) -> None:
    column = np.linspace(0.1, 0.9, m)
    for side in SIDES:
        found = test(Scores.of(np.stack([column, column], axis=1)), rng=1, n=99, alternative=side)
        assert found.p[0] == 1 and found.difference[0] == 0 and found.effect[0] == 0


def test_constant_scores_do_not_differ_by_tukey() -> None:
    found = randomised_tukey(Scores.of(np.full((5, 3), 0.3)), rng=1, n=99)
    assert found.p.tolist() == [1, 1, 1] and found.difference.tolist() == [0, 0, 0]


def test_constant_differences_have_the_least_p_there_is() -> None:
    scores = Scores.of([[0.1 * k + 0.1, 0.1 * k] for k in range(20)])
    found = bootstrap(scores, rng=1, n=99)
    assert found.statistic[0] == found.effect[0] == np.inf and found.p[0] == 1 / 100
    assert found.low[0] == found.high[0] == found.difference[0] == pytest.approx(0.1)
    assert bootstrap(scores, rng=1, n=99, alternative="less").p[0] == 1
    assert randomisation(scores, rng=1, n=99).p[0] == 1 / 100


def test_a_draw_without_variance_counts_as_extreme() -> None:
    """One topic in ten differs: the draws that miss it (about a third) have one value only, and no t is as large."""
    found = bootstrap(Scores.of([[0.5, 0.5]] * 9 + [[0.9, 0.1]]), rng=1, n=2000)
    assert found.statistic[0] == pytest.approx(1)
    assert found.p[0] > 0.9**10


@pytest.mark.parametrize("test", EVERY)
def test_no_p_value_is_0(test: Any) -> None:
    scores = Scores.of(np.random.default_rng(1).normal([100, 0], size=(20, 2)))
    assert test(scores, rng=1, n=1).p.min() >= 0.5
    assert test(scores, rng=1, n=99).p.min() == 1 / 100


@pytest.mark.parametrize("test", EVERY)
def test_bad_options(test: Any) -> None:
    scores = Scores.of([[0.1, 0.2], [0.3, 0.2]])
    with pytest.raises(BadParameter, match="n must be at least 1, got 0"):
        test(scores, rng=1, n=0)
    with pytest.raises(BadParameter, match="alpha"):
        test(scores, rng=1, alpha=0)
    with pytest.raises(BadInput, match="at least 2 topics, found 1"):
        test(Scores.of([[0.1, 0.2]]), rng=1)
    with pytest.raises(BadInput, match="at least 2 systems, found 1"):
        test(Scores.of([[0.1], [0.2]]), rng=1)
    with pytest.raises(TypeError, match="rng"):
        test(scores)


def test_unknown_interval() -> None:
    with pytest.raises(BadParameter, match="got 'wide'"):
        bootstrap(Scores.of([[0.1, 0.2], [0.3, 0.2]]), rng=1, interval="wide")  # type: ignore[arg-type]


@pytest.mark.parametrize("test", PAIRED)
def test_against_a_baseline(test: Any) -> None:
    scores = Scores.of(np.random.default_rng(4).normal([0, 1, 2, 3], size=(20, 4)))
    found: Comparisons = against(scores, "s2", test, rng=1, n=999, alternative="greater")
    assert found.second.tolist() == [1, 1, 1] and found.significant.tolist() == [False, True, True]


@pytest.mark.parametrize("test", PAIRED)
def test_type_one_error_and_power(test: Any) -> None:
    """2,000 independent pairs without, then with, a difference."""
    values = np.random.default_rng(6).normal(size=(30, 4000))
    pairs = (np.arange(0, 4000, 2), np.arange(1, 4000, 2))
    false = test(Scores.of(values), rng=1, n=499, pairs=pairs).significant.mean()
    assert abs(false - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 2000)
    values[:, ::2] += 1
    assert test(Scores.of(values), rng=1, n=499, pairs=pairs).significant.mean() > 0.8


def test_type_one_error_and_power_of_randomised_tukey() -> None:
    """In 300 families of five alike systems about 15 find any pair; a fifth system far ahead is found."""
    rng = np.random.default_rng(6)
    families = [rng.normal(size=(12, 5)) for _ in range(300)]
    false = np.mean([randomised_tukey(Scores.of(x), rng=rng, n=199).significant.any() for x in families])
    assert abs(false - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 300)
    found = randomised_tukey(Scores.of(families[0] + [0, 0, 0, 0, 3]), rng=rng, n=999)
    assert found.significant[found.second == 4].all()
