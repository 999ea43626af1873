"""Analysis of variance against statsmodels, SciPy, exact fractions and the published TREC-8 table."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from evenscale.errors import BadInput, BadParameter
from evenscale.stats.anova import Check, Source, anderson_darling, anova1, anova2, brown_forsythe
from evenscale.stats.families import tukey_anova1, tukey_anova2
from evenscale.stats.matrix import Scores
from shared_data import DATA

ADHOC8 = DATA / "urbano" / "adhoc8_ap.csv"
needs_adhoc8 = pytest.mark.skipif(not ADHOC8.is_file(), reason="the TREC-8 AP matrix is not on this machine")


def random_scores(m: int = 7, n: int = 4, *, seed: int = 0) -> Scores:
    rng = np.random.default_rng(seed)
    return Scores.of(rng.beta(1, 2, (m, 1)) + rng.normal(0, 0.1, (m, n)) + np.arange(n) * 0.05)


def exact_squares(rows: list[list[Fraction]]) -> dict[str, Fraction]:
    """Sums of squares of the additive model, in fractions and by definition."""
    m, n = len(rows), len(rows[0])
    grand = sum(map(sum, rows), Fraction(0)) / (m * n)
    topic = [sum(row, Fraction(0)) / n - grand for row in rows]
    system = [sum((row[j] for row in rows), Fraction(0)) / m - grand for j in range(n)]
    error = sum((rows[i][j] - grand - topic[i] - system[j]) ** 2 for i in range(m) for j in range(n))
    return {"topic": n * sum(a * a for a in topic), "system": m * sum(a * a for a in system), "error": Fraction(error)}


grids = hnp.arrays(
    np.int64, hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=7), elements=st.integers(0, 9)
)


@given(grids)
def test_squares_are_those_of_exact_arithmetic(grid: np.ndarray) -> None:
    exact = exact_squares([[Fraction(int(v), 10) for v in row] for row in grid])
    table = anova2(Scores.of(grid / 10))
    for name, value in exact.items():
        assert table[name].ss == pytest.approx(float(value), rel=1e-12, abs=1e-15)
        assert (table[name].ss == 0) == (value == 0)
    one = anova1(Scores.of(grid / 10))
    assert one["error"].ss == pytest.approx(float(exact["error"] + exact["topic"]), rel=1e-12, abs=1e-15)
    assert one["total"].ss == pytest.approx(table["total"].ss, rel=1e-12, abs=1e-15)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("formula", ["v ~ C(s)", "v ~ C(t) + C(s)"])
def test_tables_against_statsmodels(formula: str) -> None:
    pd, smf = pytest.importorskip("pandas"), pytest.importorskip("statsmodels.formula.api")
    lm = pytest.importorskip("statsmodels.stats.anova").anova_lm
    scores = random_scores()
    t, s = np.indices(scores.values.shape)
    data = pd.DataFrame({"v": scores.values.ravel(), "t": t.ravel(), "s": s.ravel()})
    theirs = lm(smf.ols(formula, data=data).fit())
    ours = (anova2 if "C(t)" in formula else anova1)(scores)
    for name, label in (("topic", "C(t)"), ("system", "C(s)"), ("error", "Residual")):
        if label in theirs.index:
            row = theirs.loc[label]
            assert (ours[name].ss, ours[name].df) == pytest.approx((row["sum_sq"], row["df"]), rel=1e-9, abs=0)
            if name != "error":
                assert (ours[name].f, ours[name].p) == pytest.approx((row["F"], row["PR(>F)"]), rel=1e-9, abs=0)


def test_one_way_against_scipy() -> None:
    from scipy.stats import f_oneway

    scores = random_scores(seed=3)
    theirs = f_oneway(*scores.values.T)
    assert (anova1(scores)["system"].f, anova1(scores)["system"].p) == pytest.approx(tuple(theirs), rel=1e-9, abs=0)


def test_far_tail_of_f_against_mpmath() -> None:
    rng = np.random.default_rng(5)
    row = anova2(Scores.of(np.arange(5) * 0.2 + rng.normal(0, 0.1, (40, 5))))["system"]
    with mp.workdps(40):
        x = 156 / (mp.mpf(156) + 4 * mp.mpf(row.f))
        exact = mp.betainc(78, 2, 0, x, regularized=True)
    assert 1e-200 < row.p < 1e-30
    assert row.p == pytest.approx(float(exact), rel=1e-9, abs=0)


@needs_adhoc8
def test_two_way_against_the_trec8_table() -> None:
    """The published table, on scores of four decimals; counts and half-width as published."""
    scores = Scores.of(np.loadtxt(ADHOC8, delimiter=",", skiprows=1))
    table = anova2(scores)
    found = {row.source: (round(row.ss, 4), row.df) for row in table.sources}
    assert found["topic"] == (167.9979, 49)
    assert found["system"] == (60.0298, 128)
    assert found["error"] == (85.3503, 6272)
    assert table["topic"].f == pytest.approx(251.9463, abs=0.002)
    assert table["system"].f == pytest.approx(34.4635, abs=0.002)
    assert (round(table["topic"].omega2, 4), round(table["system"].omega2, 4)) == (0.6559, 0.3991)
    assert table["topic"].size == table["system"].size == "large"
    means = table.marginal_means()
    assert round(means.half_width, 5) == 0.05149
    assert int(tukey_anova2(scores).significant.sum()) == 3423
    assert int((np.abs(np.subtract.outer(scores.means, scores.means)) > 2 * means.half_width).sum()) == 2 * 3423
    assert int(tukey_anova1(scores).significant.sum()) < 2000  # the negative control: topics left in the error


@pytest.mark.parametrize("seed", range(3))
def test_checks_against_statsmodels_and_scipy(seed: int) -> None:
    from scipy.stats import levene

    diagnostic = pytest.importorskip("statsmodels.stats.diagnostic")
    scores = random_scores(12, 5, seed=seed)
    for table in (anova1(scores), anova2(scores)):
        normal, equal = table.checks
        assert (normal.statistic, normal.p) == pytest.approx(
            diagnostic.normal_ad(table.residuals.ravel()), rel=1e-9, abs=0
        )
        assert (equal.statistic, equal.p) == pytest.approx(tuple(levene(*table.residuals.T)), rel=1e-9, abs=0)
    assert anova1(scores).checks[1].p == pytest.approx(levene(*scores.values.T).pvalue, rel=1e-9, abs=0)


def test_warnings_speak_only_where_there_is_reason() -> None:
    rng = np.random.default_rng(2)
    assert anova2(Scores.of(rng.normal(size=(40, 6)))).warnings() == ()
    skewed = rng.exponential(size=(40, 6)) ** 3 * np.array([1, 1, 1, 1, 1, 30])
    first, second = anova2(Scores.of(skewed)).warnings()
    assert first.startswith("Anderson-Darling speaks against the assumption that errors are normal (p = ")
    assert "equal error variances" in second


def test_anderson_darling_p_is_a_probability_everywhere() -> None:
    extremes = [np.repeat([0.0, 1.0], 5000), np.r_[np.zeros(9999), 1e6], np.linspace(-1, 1, 8)]
    for residuals in extremes:
        a2, p = anderson_darling(residuals)
        assert a2 > 0 and 0 <= p <= 1
    assert math.isnan(anderson_darling(np.zeros(20))[1]) and math.isnan(anderson_darling(np.arange(7.0))[1])
    assert math.isnan(brown_forsythe(np.zeros((4, 3)))[1])


@settings(max_examples=30)
@given(st.integers(0, 1000), st.floats(1e-3, 1e3), st.floats(-10, 10))
def test_answers_do_not_depend_on_unit_and_origin(seed: int, unit: float, origin: float) -> None:
    scores = random_scores(seed=seed)
    moved = Scores.of(unit * scores.values + origin, digits=6)
    for model in (anova1, anova2):
        before, after = model(scores)["system"], model(moved)["system"]
        assert (after.f, after.p, after.omega2) == pytest.approx((before.f, before.p, before.omega2), rel=1e-6, abs=0)
    squared = anova2(Scores.of(scores.values**2))["system"].f
    assert squared != pytest.approx(anova2(scores)["system"].f, rel=1e-6, abs=0)  # the negative control


@pytest.mark.parametrize(("model", "tukey"), [(anova1, tukey_anova1), (anova2, tukey_anova2)])
def test_intervals_overlap_exactly_where_tukey_finds_nothing(model, tukey) -> None:
    for seed in range(5):
        scores = random_scores(20, 6, seed=seed)
        means, pairs = model(scores).marginal_means(0.05), tukey(scores, 0.05)
        low, high = means.frame["low"].to_numpy(), means.frame["high"].to_numpy()
        apart = (low[pairs.first] > high[pairs.second]) | (low[pairs.second] > high[pairs.first])
        assert apart.tolist() == pairs.significant.tolist()


def test_no_variation_and_no_error() -> None:
    flat = anova2(Scores.of(np.full((5, 3), 0.1)))
    assert (flat["system"].p, flat["topic"].p, flat.mse) == (1.0, 1.0, 0.0)
    assert math.isnan(flat["system"].f) and flat["system"].size == ""
    additive = np.array([[0.1], [0.2], [0.7]]) + np.array([0.1, 0.2, 0.3])
    exact = anova2(Scores.of(additive))
    assert (exact.mse, exact["system"].f, exact["system"].p, exact["system"].omega2) == (0.0, math.inf, 0.0, 1.0)
    assert exact.marginal_means().half_width == 0.0 and exact.warnings() == ()
    assert json.loads(json.dumps(exact.to_dict(), allow_nan=False))["sources"][0]["f"] is None
    assert anova1(Scores.of(additive)).mse > 0


@pytest.mark.parametrize("matrix", [[[0.1, 0.2]], [[0.1], [0.2]]])
def test_too_little_to_analyse(matrix: list[list[float]]) -> None:
    for model in (anova1, anova2):
        with pytest.raises(BadInput, match="needs at least 2"):
            model(Scores.of(matrix))


def test_tables_are_data() -> None:
    table = anova2(random_scores())
    assert table.frame["source"].to_list() == ["topic", "system", "error", "total"]
    assert table.frame.row(2)[4:] == (None, None, None, None)
    plain = json.loads(json.dumps(table.to_dict(), allow_nan=False))
    assert len(plain["sources"]) == 4 and plain["checks"][0]["test"] == "Anderson-Darling"
    assert "omega²" in table.to_markdown()
    means = table.marginal_means(0.1)
    assert "90% intervals" in str(means) and len(means.to_dict()["means"]) == 4
    assert means.table().rows[0][1] == pytest.approx(max(table.means))
    for bad in (0, 1, math.nan):
        with pytest.raises(BadParameter, match="alpha must lie"):
            table.marginal_means(bad)
    with pytest.raises(BadParameter, match="no source 'run'; there are topic, system"):
        table["run"]


def test_sizes_in_words() -> None:
    sizes = [Source("x", 0, 1, omega2=o).size for o in (-0.1, 0.009, 0.01, 0.06, 0.14)]
    assert sizes == ["negligible", "negligible", "small", "medium", "large"]
    assert Check("a", "b", 1.0, 0.5) == Check("a", "b", 1.0, 0.5)


@needs_adhoc8
def test_a_p_value_below_floats_is_not_shown_as_zero() -> None:
    table = anova2(Scores.of(np.loadtxt(ADHOC8, delimiter=",", skiprows=1)))
    assert table["system"].p == 0.0 and "<1e-300" in str(table)
