"""Family tests and all pairs after them, against SciPy, scikit-posthocs, statsmodels and the published counts."""

from __future__ import annotations

import json
import math
import time

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from evenscale import evaluate
from evenscale.errors import BadInput, BadParameter
from evenscale.stats.families import (
    friedman,
    kruskal,
    midranks,
    scheffe,
    tukey_anova1,
    tukey_anova2,
    tukey_friedman,
    tukey_kruskal,
)
from evenscale.stats.matrix import Scores
from shared_data import TREC8, needs_trec8

TUKEYS = (tukey_anova1, tukey_kruskal, tukey_anova2, tukey_friedman)
OF_ANOVA = (tukey_anova1, tukey_anova2, scheffe)
OF_RANKS = (tukey_kruskal, tukey_friedman)

# Significant pairs of 8,256 at depth 30 (Ferrante, Ferro and Fuhr 2021): ANOVA1, Kruskal-Wallis, ANOVA2, Friedman.
PUBLISHED = {
    "P@30": (1923, 1740, 3362, 2595),
    "RR@30": (1691, 1500, 2233, 1813),
    "RBP(p=0.5)@30": (1945, 1678, 2861, 2228),
    "DCG(dcg='jk',base=2)@30": (2125, 1812, 3609, 2706),
}


def random_scores(m: int = 9, n: int = 5, *, seed: int = 0, levels: int = 0) -> Scores:
    """Scores with a topic effect; with `levels`, few enough values that ties abound."""
    rng = np.random.default_rng(seed)
    values = rng.uniform(0, 0.5, (m, 1)) + rng.uniform(0, 0.4, (m, n)) + np.arange(n) * 0.03
    return Scores.of(np.round(values * levels) / levels if levels else values)


many = pytest.mark.parametrize("scores", [random_scores(seed=s, levels=k) for s in range(3) for k in (0, 4, 10)])


@needs_trec8
def test_counts_against_the_published_table() -> None:
    scored = evaluate(TREC8 / "qrels.trec8.adhoc.gz", TREC8 / "runs", list(PUBLISHED), ties="float32")
    for measure, counts in PUBLISHED.items():
        scores = Scores.of(scored.matrix(measure))
        found = [int(test(scores).significant.sum()) for test in TUKEYS]
        assert np.abs(np.subtract(found, counts)).max() <= 4, (measure, found)
    # Published inverses of the studentised range are approximate; rank columns, with infinite df, agree to the pair.
    scores = Scores.of(scored.matrix("P@30"))
    assert [int(test(scores).significant.sum()) for test in TUKEYS] == list(PUBLISHED["P@30"])


@many
def test_kruskal_against_scipy(scores: Scores) -> None:
    from scipy.stats import kruskal as theirs

    ours = kruskal(scores)
    assert (ours.statistic, ours.p) == pytest.approx(tuple(theirs(*scores.units.T)), rel=1e-9, abs=0)


@many
def test_friedman_against_scipy(scores: Scores) -> None:
    from scipy.stats import friedmanchisquare as theirs

    ours = friedman(scores)
    assert (ours.statistic, ours.p) == pytest.approx(tuple(theirs(*scores.units.T)), rel=1e-9, abs=0)


@many
def test_one_way_tukey_against_scipy(scores: Scores) -> None:
    from scipy.stats import tukey_hsd

    ours, theirs = tukey_anova1(scores), tukey_hsd(*scores.values.T)
    at = (ours.first, ours.second)
    assert ours.p == pytest.approx(theirs.pvalue[at], abs=1e-9)
    interval = theirs.confidence_interval(0.95)
    assert ours.low == pytest.approx(interval.low[at], abs=1e-9)
    assert ours.high == pytest.approx(interval.high[at], abs=1e-9)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_one_way_tukey_against_statsmodels() -> None:
    multicomp = pytest.importorskip("statsmodels.stats.multicomp")
    scores = random_scores(seed=4)
    groups = np.tile(np.arange(5), 9)
    theirs = multicomp.pairwise_tukeyhsd(scores.values.ravel(), groups, use_var="equal")
    ours = tukey_anova1(scores)
    assert ours.difference == pytest.approx(-theirs.meandiffs, abs=1e-12)
    assert ours.p == pytest.approx(theirs.pvalues, abs=1e-9)
    assert ours.significant.tolist() == theirs.reject.tolist()


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_rank_comparisons_against_scikit_posthocs_without_ties() -> None:
    sp = pytest.importorskip("scikit_posthocs")
    scores = random_scores(seed=5)
    for ours, theirs in (
        (tukey_friedman(scores), sp.posthoc_nemenyi_friedman(scores.values)),
        (tukey_kruskal(scores), sp.posthoc_nemenyi(list(scores.values.T), dist="tukey")),
    ):
        assert ours.p == pytest.approx(theirs.to_numpy()[ours.first, ours.second], abs=1e-9)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_scikit_posthocs_forgets_ties_in_friedmans_ranks() -> None:
    """Two systems that tie on 6 of 10 topics and go 4:0 on the rest: the normal sign test on 4 topics is right.

    Ranks within topics then have variance 0.5 on 4 topics and 0 on 6; taking 0.5 on all 10 misses the difference.
    """
    sp = pytest.importorskip("scikit_posthocs")
    scores = Scores.of([[0.5, 0.5]] * 6 + [[0.6, 0.2]] * 4)
    right = float(mp.erfc(4 / mp.sqrt(2 * 4)))
    assert float(tukey_friedman(scores).p[0]) == pytest.approx(right, rel=1e-12, abs=0)
    assert right < 0.05 < sp.posthoc_nemenyi_friedman(scores.values).to_numpy()[0, 1]


@many
def test_two_systems_make_t_tests_and_chi_squares(scores: Scores) -> None:
    """For two systems every one of these is a test that has its own name."""
    from scipy.stats import ttest_ind, ttest_rel

    two = Scores.of(scores.values[:, [0, 4]])
    a, b = two.values.T
    assert float(tukey_anova2(two).p[0]) == pytest.approx(ttest_rel(a, b).pvalue, rel=1e-9, abs=0)
    assert float(scheffe(two).p[0]) == pytest.approx(ttest_rel(a, b).pvalue, rel=1e-9, abs=0)
    assert float(tukey_anova1(two).p[0]) == pytest.approx(ttest_ind(a, b).pvalue, rel=1e-9, abs=0)
    assert float(scheffe(two, blocked=False).p[0]) == pytest.approx(ttest_ind(a, b).pvalue, rel=1e-9, abs=0)
    assert float(tukey_kruskal(two).p[0]) == pytest.approx(kruskal(two).p, rel=1e-9, abs=0)
    assert float(tukey_friedman(two).p[0]) == pytest.approx(friedman(two).p, rel=1e-9, abs=0)
    interval = ttest_rel(a, b).confidence_interval()
    assert (float(tukey_anova2(two).low[0]), float(tukey_anova2(two).high[0])) == pytest.approx(tuple(interval))


def test_far_tail_of_two_systems_against_mpmath() -> None:
    """SciPy's one-way Tukey gives 0 or noise here; the t distribution does not."""
    from scipy.stats import tukey_hsd

    rng = np.random.default_rng(0)
    scores = Scores.of(np.array([0.2, 0.6]) + rng.normal(0, 0.05, (50, 2)))
    ours = tukey_anova1(scores)
    with mp.workdps(50):
        x2 = mp.mpf(float(ours.statistic[0])) ** 2 / 2
        right = float(mp.betainc(49, mp.mpf(1) / 2, 0, 98 / (98 + x2), regularized=True))
    assert 0 < right < 1e-30
    assert float(ours.p[0]) == pytest.approx(right, rel=1e-9, abs=0)
    assert tukey_hsd(*scores.values.T).pvalue[0, 1] != pytest.approx(right, rel=0.5, abs=0)


@many
@pytest.mark.parametrize("test", [*TUKEYS, scheffe])
def test_intervals_and_p_values_say_the_same(test, scores: Scores) -> None:
    found = test(scores, alpha=0.2)
    assert ((found.low > 0) | (found.high < 0)).tolist() == (found.p < 0.2).tolist()
    assert found.adjusted.tolist() == found.p.tolist() and found.alpha == 0.2
    assert (found.low + found.high) / 2 == pytest.approx(found.difference)


def test_scheffe_by_its_definition() -> None:
    from scipy.stats import f

    scores = random_scores(seed=1)
    found = scheffe(scores)
    residuals = scores.values - scores.values.mean(1, keepdims=True) - scores.means + scores.values.mean()
    mse = (residuals**2).sum() / 32
    assert found.p == pytest.approx(f.sf(found.difference**2 / (2 * mse / 9) / 4, 4, 32), rel=1e-9, abs=0)
    half = math.sqrt(4 * f.isf(0.05, 4, 32) * 2 * mse / 9)
    assert found.high - found.difference == pytest.approx(np.full(10, half), rel=1e-9, abs=0)
    assert (found.p >= tukey_anova2(scores).p).all()
    assert found.effect == pytest.approx(found.difference / math.sqrt(mse))


def test_blocking_by_topic_is_worth_it() -> None:
    rng = np.random.default_rng(7)
    scores = Scores.of(rng.uniform(0, 1, (30, 1)) + rng.normal(0, 0.02, (30, 3)) + np.array([0, 0.04, 0.0]))
    assert tukey_anova1(scores).p[0] > 0.5 and tukey_anova2(scores).p[0] < 1e-6


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.floats(1e-2, 1e2), st.floats(-5, 5))
def test_anova_answers_do_not_depend_on_unit_and_origin(seed: int, unit: float, origin: float) -> None:
    scores = random_scores(seed=seed)
    moved = Scores.of(unit * scores.values + origin)
    for test in OF_ANOVA:
        before, after = test(scores), test(moved)
        assert after.p == pytest.approx(before.p, rel=1e-7, abs=1e-9)
        assert after.effect == pytest.approx(before.effect, rel=1e-8, abs=1e-9)
        assert after.difference == pytest.approx(unit * before.difference, rel=1e-8, abs=1e-9)


@settings(max_examples=50)
@given(
    hnp.arrays(np.int64, hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=6), elements=st.integers(0, 5))
)
def test_rank_answers_do_not_depend_on_an_increasing_map(grid: np.ndarray) -> None:
    """To the last bit; a map that is not increasing, or ANOVA, is seen to differ below."""
    scores = Scores.of(grid / 5)
    for increasing in (lambda v: 3 * v + 1, lambda v: v**3, np.exp):
        for test in OF_RANKS:
            assert test(Scores.of(increasing(grid / 5))).p.tolist() == test(scores).p.tolist()


def test_negative_controls_of_the_invariances() -> None:
    scores = random_scores(seed=2)
    for test in OF_ANOVA:
        assert test(Scores.of(scores.values**3)).p != pytest.approx(test(scores).p, rel=1e-3, abs=0)
    for test in OF_RANKS:
        assert test(Scores.of(np.abs(scores.values - 0.5))).p != pytest.approx(test(scores).p, rel=1e-3, abs=0)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=20))
def test_midranks_by_their_definition(units: list[int]) -> None:
    naive = [sum(o < u for o in units) + (sum(o == u for o in units) + 1) / 2 for u in units]
    assert midranks(np.array(units)).tolist() == naive


def test_float_noise_makes_no_ranks() -> None:
    scores = Scores.of([[0.3, 0.1 + 0.2], [0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2]])
    assert kruskal(scores).p == friedman(scores).p == 1.0
    for test in OF_RANKS:
        assert test(scores).p.tolist() == [1.0]


@pytest.mark.parametrize("test", [*TUKEYS, scheffe])
def test_without_error_equal_systems_have_p_one_and_others_zero(test) -> None:
    same = test(Scores.of(np.full((4, 3), 0.1)))
    assert same.p.tolist() == [1, 1, 1] and same.low.tolist() == same.high.tolist() == [0, 0, 0]
    assert np.isnan(same.effect).all()
    if test in OF_ANOVA:
        fixed = test(Scores.of([[0.1, 0.1, 0.3]] * 4))
        assert fixed.p.tolist() == [1, 0, 0]
        assert fixed.low == pytest.approx([0, -0.2, -0.2]) and fixed.high == pytest.approx([0, -0.2, -0.2])


@pytest.mark.parametrize("test", [*TUKEYS, scheffe, kruskal, friedman])
def test_too_little_to_compare(test) -> None:
    for matrix in ([[0.1, 0.2]], [[0.1], [0.2]]):
        with pytest.raises(BadInput, match="needs at least 2"):
            test(Scores.of(matrix))


@pytest.mark.parametrize("test", [*TUKEYS, scheffe])
@pytest.mark.parametrize("alpha", [0, 1, -0.1, math.nan])
def test_alpha_is_a_level(test, alpha: float) -> None:
    with pytest.raises(BadParameter, match="alpha must lie in"):
        test(random_scores(), alpha)


def test_results_are_data() -> None:
    scores = Scores.of(random_scores().values, measure="AP")
    one = friedman(scores)
    assert json.loads(json.dumps(one.to_dict()))["df"] == 4 and "Friedman" in str(one)
    assert (one.measure, one.needs) == ("AP", "ordinal")
    pairs = tukey_anova2(scores)
    assert (pairs.test, pairs.needs, pairs.measure) == ("tukey-anova2", "interval", "AP")
    assert pairs.frame.height == 10
    assert len({test(scores).test for test in (*TUKEYS, scheffe)}) == 5


def test_a_campaign_takes_no_time() -> None:
    scores = random_scores(50, 129, seed=8)
    tukey_anova2(scores)
    started = time.process_time()
    for test in TUKEYS:
        test(scores)
    assert time.process_time() - started < 5  # about half a second; the room is for busy machines
