"""The tests of pairs against SciPy, naive enumeration, published counts, and what must not change them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from evenscale import Evaluation, evaluate
from evenscale.errors import BadInput, BadParameter
from evenscale.stats import pairwise
from evenscale.stats.matrix import Scores
from evenscale.stats.pairwise import against, paired_t, rank_sum, sign, signed_rank
from evenscale.stats.result import Alternative, Comparisons

DATA = Path(__file__).resolve().parents[2].parent / "shared/data/trec8"
TESTS = (sign, rank_sum, signed_rank, paired_t)
SIDES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
NAMES = ("difference", "statistic", "p", "adjusted", "low", "high", "effect")
Grid = NDArray[np.int64]


@st.composite
def grids(draw: st.DrawFn, topics: tuple[int, int] = (2, 24), top: int = 6) -> Grid:
    """Whole scores of a few systems; with a low top full of ties."""
    m, n = draw(st.integers(*topics)), draw(st.integers(2, 4))
    rows = st.lists(st.integers(0, top), min_size=m * n, max_size=m * n)
    return np.array(draw(rows)).reshape(m, n)


def tenths(grid: Grid) -> Scores:
    """Scores whose differences are not exact in floats."""
    return Scores.of(grid / 10)


def random_grids() -> list[Grid]:
    """With hardly a tie and with many, few topics and many."""
    rng = np.random.default_rng(20)
    return [rng.integers(0, top, size=(m, 5)) for top in (4, 12, 10**6) for m in (6, 15, 16, 17, 50)]


def columns(grid: Grid, result: Comparisons) -> list[tuple[Grid, Grid]]:
    return [(grid[:, i], grid[:, j]) for i, j in zip(result.first, result.second, strict=True)]


def scipy_sign(a: Grid, b: Grid, side: Alternative) -> float:
    wins, losses = int((a > b).sum()), int((a < b).sum())
    return float(scipy.stats.binomtest(wins, wins + losses, alternative=side).pvalue) if wins + losses else 1.0


def scipy_rank_sum(a: Grid, b: Grid, side: Alternative) -> float:
    found = scipy.stats.mannwhitneyu(a, b, alternative=side, method="asymptotic", use_continuity=True)
    return float(found.pvalue) if len(np.unique([a, b])) > 1 else 1.0


def naive_signed_rank(a: Grid, b: Grid, side: Alternative) -> float:
    """Every pattern of signs on the mid-ranks; SciPy's normal approximation from 16 differences on."""
    d = (a - b)[a != b]
    if len(d) > 15:
        return float(scipy.stats.wilcoxon(d, alternative=side, method="asymptotic", correction=False).pvalue)
    ranks = scipy.stats.rankdata(np.abs(d))
    seen = ranks[d > 0].sum()
    sums = ((np.arange(2 ** len(d))[:, None] >> np.arange(len(d))) & 1) @ ranks
    below, above = float((sums <= seen).mean()), float((sums >= seen).mean())
    return {"two-sided": min(1.0, 2 * min(below, above)), "greater": above, "less": below}[side]


def scipy_t(a: Grid, b: Grid, side: Alternative) -> float:
    if np.ptp(a - b) == 0:
        mean = float((a - b)[0])
        return 1.0 if mean == 0 or (side != "two-sided" and (mean > 0) != (side == "greater")) else 0.0
    return float(scipy.stats.ttest_rel(a, b, alternative=side).pvalue)


TWINS: list[tuple[Callable[..., Comparisons], Callable[[Grid, Grid, Alternative], float]]] = [
    (sign, scipy_sign),
    (rank_sum, scipy_rank_sum),
    (signed_rank, naive_signed_rank),
    (paired_t, scipy_t),
]


@pytest.mark.parametrize(("test", "twin"), TWINS)
@pytest.mark.parametrize("side", SIDES)
def test_p_values_against_scipy_on_random_scores(test: Any, twin: Any, side: Alternative) -> None:
    for grid in random_grids():
        result = test(tenths(grid), alternative=side)
        wanted = [twin(a, b, side) for a, b in columns(grid, result)]
        np.testing.assert_allclose(result.p, wanted, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize(("test", "twin"), TWINS)
@settings(max_examples=60)
@given(grid=grids(topics=(2, 9)), side=st.sampled_from(SIDES))
def test_p_values_against_twins_on_few_topics(test: Any, twin: Any, grid: Grid, side: Alternative) -> None:
    result = test(tenths(grid), alternative=side)
    wanted = [twin(a, b, side) for a, b in columns(grid, result)]
    np.testing.assert_allclose(result.p, wanted, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("side", SIDES)
def test_untied_signed_ranks_against_scipy_exact(side: Alternative) -> None:
    rng = np.random.default_rng(5)
    for m in range(2, 16):
        d = rng.permutation(np.arange(1, m + 1)) * rng.choice([-1, 1], m)
        found = signed_rank(Scores.of(np.stack([d, 0 * d], axis=1)), alternative=side)
        wanted = scipy.stats.wilcoxon(d, alternative=side, method="exact")
        assert found.p[0] == pytest.approx(wanted.pvalue, rel=1e-12)


def test_statistics_against_scipy() -> None:
    for grid in random_grids():
        scores = tenths(grid)
        t, ranks, signed = paired_t(scores), rank_sum(scores), signed_rank(scores)
        for k, (a, b) in enumerate(columns(grid, t)):
            wanted = scipy.stats.ttest_rel(a / 10, b / 10)
            assert t.statistic[k] == pytest.approx(wanted.statistic, rel=1e-9)
            assert (t.low[k], t.high[k]) == pytest.approx(tuple(wanted.confidence_interval(0.95)), rel=1e-9)
            assert t.effect[k] == pytest.approx((a - b).mean() / (a - b).std(ddof=1), rel=1e-9)
            assert ranks.statistic[k] == scipy.stats.mannwhitneyu(a, b, method="asymptotic").statistic
            pooled = scipy.stats.rankdata(np.concatenate([a, b]))
            assert ranks.difference[k] == pytest.approx(pooled[: len(a)].mean() - pooled[len(a) :].mean(), abs=1e-12)
            d = a - b
            assert signed.statistic[k] == scipy.stats.rankdata(np.abs(d[d != 0]))[d[d != 0] > 0].sum()


@pytest.mark.parametrize("side", ["greater", "less"])
def test_one_sided_t_interval_against_scipy(side: Alternative) -> None:
    grid = random_grids()[7]
    result = paired_t(tenths(grid), alternative=side, alpha=0.1)
    for k, (a, b) in enumerate(columns(grid, result)):
        wanted = scipy.stats.ttest_rel(a / 10, b / 10, alternative=side).confidence_interval(0.9)
        assert (result.low[k], result.high[k]) == pytest.approx(tuple(wanted), rel=1e-9)


def test_scipy_exact_ignores_ties_where_the_null_has_them() -> None:
    """SciPy looks 13 up among the untied ranks 1..5; of the 32 signings of 2, 2, 2, 4, 5 eight are as extreme."""
    d = np.array([1, 1, 2, 3, -1])
    assert scipy.stats.wilcoxon(d, method="exact").pvalue == 0.1875
    assert signed_rank(Scores.of(np.stack([d, 0 * d], axis=1))).p[0] == 8 / 32


def test_scipy_ranks_float_noise_where_differences_tie() -> None:
    """0.3 - 0.2 and 0.2 - 0.1 differ in floats, so that SciPy gives them ranks of their own."""
    a, b = np.array([0.3, 0.2, 0.7, 0.1]), np.array([0.2, 0.1, 0.6, 0.4])
    found = signed_rank(Scores.of(np.stack([a, b], axis=1)), alternative="greater")
    assert len(np.unique(np.abs(a - b))) == 3
    wanted = naive_signed_rank(np.array([3, 2, 7, 1]), np.array([2, 1, 6, 4]), "greater")
    assert (found.statistic[0], found.p[0]) == (6, wanted)


def test_differences_of_thirtieths_tie() -> None:
    """Scores rounded before they are subtracted would leave differences of one step a unit apart."""
    scores = Scores.of(np.add.outer(np.arange(10), [0, 1]) / 30)
    assert len(np.unique(pairwise.differences(scores, *scores.pairs))) == 1
    assert len(np.unique(scores.units[:, 0] - scores.units[:, 1])) > 1


def test_scipy_t_of_constant_differences_is_noise_where_ours_is_infinite() -> None:
    scores = Scores.of([[0.3, 0.2], [0.2, 0.1], [0.7, 0.6]])
    by_side = {side: paired_t(scores, alternative=side) for side in SIDES}
    assert [float(by_side[side].p[0]) for side in SIDES] == [0.0, 0.0, 1.0]
    result = by_side["two-sided"]
    assert result.statistic[0] == result.effect[0] == np.inf
    assert result.low[0] == result.high[0] == result.difference[0] == pytest.approx(0.1)


PUBLISHED = {
    "P@30": (5153, 4276, 5644, 5633),
    "RR@30": (4074, 3951, 4578, 4582),
    "RBP(p=0.5)@30": (4724, 4302, 5108, 5091),
    "RBP(p=0.8)@30": (5105, 4375, 5508, 5425),
    "DCG(dcg='jk',base=2)@30": (5227, 4425, 5743, 5664),
}


@pytest.fixture(scope="module")
def trec8() -> Evaluation:
    if not (DATA / "runs").is_dir():
        pytest.skip("the TREC-8 runs are not on this machine")
    return evaluate(DATA / "qrels.trec8.adhoc.gz", DATA / "runs", list(PUBLISHED), ties="float32")


@pytest.mark.parametrize("measure", PUBLISHED)
def test_counts_of_ferrante_ferro_fuhr_2021(trec8: Evaluation, measure: str) -> None:
    scores = Scores.of(trec8.matrix(measure))
    assert len(scores.pairs[0]) == 8256
    counts = [int(test(scores).significant.sum()) for test in TESTS]
    np.testing.assert_allclose(counts, PUBLISHED[measure], atol=4)


def test_exact_ties_give_the_published_signed_ranks_on_precision(trec8: Evaluation) -> None:
    """Naive floats find 5,623 pairs, print and exact ties 5,644."""
    assert int(signed_rank(Scores.of(trec8.matrix("P@30"))).significant.sum()) == 5644


RESCALINGS: dict[str, Callable[[Grid], Grid]] = {"cubes": lambda x: x**3, "powers": lambda x: 2**x}


@pytest.mark.parametrize("test", [sign, rank_sum])
@pytest.mark.parametrize("rescaled", RESCALINGS.values(), ids=RESCALINGS)
@settings(max_examples=30)
@given(grid=grids())
def test_ordinal_tests_survive_increasing_rescalings(test: Any, rescaled: Any, grid: Grid) -> None:
    before, after = test(tenths(grid)), test(tenths(rescaled(grid)))
    assert before.needs == "ordinal"
    for name in NAMES:
        np.testing.assert_array_equal(getattr(before, name), getattr(after, name))


@pytest.mark.parametrize("test", [signed_rank, paired_t])
@settings(max_examples=30)
@given(grid=grids())
def test_interval_tests_survive_affine_rescalings(test: Any, grid: Grid) -> None:
    before, after = test(tenths(grid)), test(tenths(3 * grid + 7))
    assert before.needs == "interval"
    for name in ("difference", "low", "high"):
        np.testing.assert_allclose(3 * getattr(before, name), getattr(after, name), rtol=1e-9, atol=1e-12)
    for name in ("statistic", "p", "effect"):
        np.testing.assert_allclose(getattr(before, name), getattr(after, name), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("test", [signed_rank, paired_t])
def test_interval_tests_do_not_survive_cubes(test: Any) -> None:
    grid = np.random.default_rng(2).integers(0, 9, size=(20, 4))
    assert not np.allclose(test(tenths(grid)).p, test(tenths(grid**3)).p)


MIRRORED: dict[Alternative, Alternative] = {"two-sided": "two-sided", "greater": "less", "less": "greater"}


@pytest.mark.parametrize("test", TESTS)
@settings(max_examples=30)
@given(grid=grids(), side=st.sampled_from(SIDES))
def test_swapping_systems_mirrors_the_result(test: Any, grid: Grid, side: Alternative) -> None:
    scores = tenths(grid)
    first, second = scores.pairs
    here = test(scores, alternative=side)
    there = test(scores, alternative=MIRRORED[side], pairs=(second, first))
    np.testing.assert_allclose(here.p, there.p, rtol=1e-12)
    for name, other in (("difference", "difference"), ("effect", "effect"), ("low", "high"), ("high", "low")):
        np.testing.assert_allclose(getattr(here, name), -getattr(there, other), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("test", TESTS)
@settings(max_examples=30)
@given(grid=grids())
def test_one_sided_p_values_add_up(test: Any, grid: Grid) -> None:
    """To 1 for a continuous null, to more for a discrete one, where the result counts twice."""
    both, above, below = (test(tenths(grid), alternative=side).p for side in SIDES)
    assert (above + below >= 1 - 1e-12).all()
    np.testing.assert_allclose(both, np.minimum(1, 2 * np.minimum(above, below)), rtol=1e-12)
    differs = (grid[:, None, :] != grid[:, :, None]).any(axis=0)[tenths(grid).pairs]
    if test is paired_t:
        np.testing.assert_allclose((above + below)[differs], 1, rtol=1e-12)


@pytest.mark.parametrize("m", [8, 12, 20, 40])
@pytest.mark.parametrize("side", SIDES)
def test_hodges_lehmann_interval_holds_the_shifts_not_rejected(m: int, side: Alternative) -> None:
    values = np.random.default_rng(m).normal(size=(m, 2))
    result = signed_rank(Scores.of(values), alternative=side)
    walsh = np.add.outer(values[:, 0] - values[:, 1], values[:, 0] - values[:, 1])[np.triu_indices(m)] / 2
    assert result.difference[0] == pytest.approx(np.median(walsh), abs=1e-9)

    def p(shift: float) -> float:
        return float(signed_rank(Scores.of(values - [shift, 0]), alternative=side).p[0])

    assert np.isinf(result.low[0]) == (side == "less") and np.isinf(result.high[0]) == (side == "greater")
    for bound, inward in ((result.low[0], 1e-6), (result.high[0], -1e-6)):
        assert np.isinf(bound) or p(bound - inward) <= 0.05 < p(bound + inward)


def test_too_few_topics_for_any_rejection_leave_the_whole_line() -> None:
    result = signed_rank(Scores.of([[0.3, 0.1], [0.2, 0.1], [0.5, 0.1]]))
    assert (result.low[0], result.high[0]) == (-np.inf, np.inf) and result.p[0] == 0.25


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("m", [2, 20])
def test_identical_systems_do_not_differ(test: Any, side: Alternative, m: int) -> None:
    column = np.linspace(0.1, 0.9, m)
    for scores in (Scores.of(np.stack([column, column], axis=1)), Scores.of(np.full((m, 2), 0.3))):
        result = test(scores, alternative=side)
        constant = test is rank_sum and len(np.unique(scores.units)) > 1
        assert (0.5 < result.p[0] <= 1.0) if constant else result.p[0] == 1.0
        assert result.difference[0] == result.effect[0] == 0


@pytest.mark.parametrize("test", TESTS)
def test_huge_scores_do_not_overflow(test: Any) -> None:
    """Sums beyond 2^63 units."""
    grid = np.array([[3, 1], [2, 5], [9, 1], [4, 4], [7, 2], [9, 1]])
    np.testing.assert_allclose(test(Scores.of(grid * 5e7)).p, test(Scores.of(grid)).p, rtol=1e-9)


@pytest.mark.parametrize("test", TESTS)
def test_too_little_to_test(test: Any) -> None:
    with pytest.raises(BadInput, match="at least 2 topics, found 1"):
        test(Scores.of([[0.1, 0.2]]))
    with pytest.raises(BadInput, match="at least 2 systems, found 1"):
        test(Scores.of([[0.1], [0.2]]))


@pytest.mark.parametrize("test", TESTS)
def test_bad_options(test: Any) -> None:
    scores = Scores.of([[0.1, 0.2], [0.3, 0.2]])
    with pytest.raises(BadParameter, match=r"alpha must lie in \(0, 1\), got 5"):
        test(scores, alpha=5)
    with pytest.raises(BadParameter, match="got 'both'"):
        test(scores, alternative="both")


@pytest.mark.parametrize("test", TESTS)
def test_blocks_do_not_change_anything(test: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = tenths(np.random.default_rng(3).integers(0, 5, size=(12, 6)))
    whole = test(scores)
    monkeypatch.setattr(pairwise, "CELLS", 30)
    for name in NAMES:
        np.testing.assert_array_equal(getattr(whole, name), getattr(test(scores), name))


@pytest.mark.parametrize("test", TESTS)
def test_against_a_baseline(test: Any) -> None:
    scores = tenths(np.random.default_rng(4).integers(0, 9, size=(12, 4)))
    result = against(scores, "s2", test, alternative="greater", alpha=0.1)
    assert result.first.tolist() == [0, 2, 3] and result.second.tolist() == [1, 1, 1] and result.alpha == 0.1
    everything, mirrored = test(scores, alternative="greater"), test(scores, alternative="less")
    np.testing.assert_allclose(result.p, [everything.p[0], mirrored.p[3], mirrored.p[4]], rtol=1e-12)


def test_against_an_unknown_baseline() -> None:
    with pytest.raises(BadParameter, match="'bm25' is not among the 2 systems"):
        against(Scores.of([[0.1, 0.2], [0.3, 0.2]]), "bm25", sign)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("m", [12, 40])
def test_type_one_error_and_power(test: Any, m: int) -> None:
    """4,000 independent pairs without, then with, a difference; discrete tests stay below the level."""
    rng = np.random.default_rng(100 + m)
    values = rng.normal(size=(m, 8000)).round(3)
    pairs = (np.arange(0, 8000, 2), np.arange(1, 8000, 2))
    false = test(Scores.of(values), pairs=pairs).significant.mean()
    assert 0.005 < false < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 4000)
    values[:, ::2] += 1.5
    assert test(Scores.of(values), pairs=pairs).significant.mean() > 0.6
