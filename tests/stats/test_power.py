"""Power and topic set sizes: against statsmodels, numerical integration, simulation, and each other."""

from __future__ import annotations

import json
import warnings
from itertools import product
from math import isnan, sqrt
from types import ModuleType

import mpmath
import numpy as np
import pytest

from evenscale.errors import BadInput, BadParameter
from evenscale.stats import power as pw
from evenscale.stats.matrix import Scores
from evenscale.stats.result import Alternative

SIDES: dict[Alternative, str] = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}


@pytest.fixture(scope="module")
def oracle() -> ModuleType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("statsmodels.stats.power", reason="statsmodels is not installed")


@pytest.mark.parametrize("alternative", SIDES)
def test_t_power_against_statsmodels(oracle: ModuleType, alternative: Alternative) -> None:
    compared = 0
    for effect, topics, alpha in product((-1, -0.3, 0.01, 0.2, 0.5, 2), (2, 3, 10, 50, 500), (0.001, 0.05, 0.2)):
        found = pw.t_power(effect, topics, alpha=alpha, alternative=alternative)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = float(oracle.TTestPower().power(effect, topics, alpha, alternative=SIDES[alternative]))
        if not isnan(expected):  # it has no number where a tail is very small
            compared += 1
            assert found == pytest.approx(expected, abs=1e-11)
        assert 0 <= found <= 1
    assert compared > 70


def test_anova_power_against_statsmodels(oracle: ModuleType) -> None:
    for span, systems, topics in product((0.02, 0.1, 0.3), (2, 3, 10, 50), (2, 10, 50, 200)):
        effect = sqrt(span**2 / (2 * 0.05 * systems))
        expected = oracle.FTestAnovaPower().power(effect, topics * systems, 0.05, k_groups=systems)
        assert pw.anova_power(span, 0.05, systems, topics) == pytest.approx(expected, abs=1e-12)


def test_sizes_against_statsmodels(oracle: ModuleType) -> None:
    for effect, power in product((0.2, 0.35, 0.5, 1.0), (0.5, 0.8, 0.95)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exact = float(np.ravel(oracle.TTestPower().solve_power(effect, None, 0.05, power))[0])
        assert pw.t_topics(effect, power) == int(np.ceil(exact - 1e-6))


def integrated(effect: float, topics: int, alpha: float) -> float:
    """P(|T| > c): the normal given the chi, integrated over the chi, in 30 digits."""
    with mpmath.workdps(30):
        df, shift = topics - 1, effect * mpmath.sqrt(topics)
        half = mpmath.mpf(alpha) / 2

        def tail(t: float) -> float:
            return mpmath.betainc(mpmath.mpf(df) / 2, 0.5, 0, df / (df + t * t), regularized=True) / 2 - half

        critical = mpmath.findroot(tail, 2.5)

        def density(u: float) -> float:  # of s / sigma
            scale = mpmath.mpf(df) / 2
            return 2 * scale**scale / mpmath.gamma(scale) * u ** (df - 1) * mpmath.exp(-scale * u * u)

        def miss(u: float) -> float:
            inside = mpmath.ncdf(critical * u - shift) - mpmath.ncdf(-critical * u - shift)
            return density(u) * inside

        return float(1 - mpmath.quad(miss, [0, 0.5, 1, 1.5, 3, 8]))


@pytest.mark.parametrize(("effect", "topics"), [(0.5, 10), (0.2, 50), (1.0, 6), (0.7, 25)])
def test_t_power_against_numerical_integration(effect: float, topics: int) -> None:
    assert pw.t_power(effect, topics) == pytest.approx(integrated(effect, topics, 0.05), abs=1e-10)


def test_one_sided_powers_make_up_the_two_sided() -> None:
    for effect, topics in product((-0.4, 0.1, 0.6), (5, 30)):
        both = sum(pw.t_power(effect, topics, alpha=0.025, alternative=side) for side in ("greater", "less"))
        assert both == pytest.approx(pw.t_power(effect, topics), abs=1e-12)


def test_without_an_effect_power_is_alpha() -> None:
    for side, alpha in product(SIDES, (0.001, 0.05, 0.3)):
        assert pw.t_power(0.0, 20, alpha=alpha, alternative=side) == pytest.approx(alpha, rel=1e-9)


def test_t_power_by_simulation() -> None:
    from scipy.special import stdtrit

    rng = np.random.default_rng(20)
    x = rng.normal(0.5, 1, (40_000, 20))
    t = x.mean(axis=1) / x.std(axis=1, ddof=1) * sqrt(20)
    for side, hits in (("two-sided", abs(t) > stdtrit(19, 0.975)), ("greater", t > stdtrit(19, 0.95))):
        # Four standard errors; half the effect, the negative control, is far outside.
        assert hits.mean() == pytest.approx(pw.t_power(0.5, 20, alternative=side), abs=4 * 0.5 / 200)
        assert abs(hits.mean() - pw.t_power(0.25, 20, alternative=side)) > 0.2


def test_anova_power_by_simulation() -> None:
    """Sakai's worst case: two systems at the ends of the range, the others halfway."""
    from scipy.special import fdtri

    rng = np.random.default_rng(21)
    systems, topics, variance, span = 5, 20, 0.04, 0.2
    means = np.array([-span / 2, 0, 0, 0, span / 2])
    x = rng.normal(means, sqrt(variance), (20_000, topics, systems))
    between = topics * x.mean(axis=1).var(axis=1, ddof=1)
    f = between / x.var(axis=1, ddof=1).mean(axis=1)
    hits = f > fdtri(systems - 1, systems * (topics - 1), 0.95)
    assert hits.mean() == pytest.approx(pw.anova_power(span, variance, systems, topics), abs=4 * 0.5 / sqrt(20_000))


def test_any_other_place_of_the_middle_systems_gives_more_power() -> None:
    ends = np.array([-0.5, 0.5])
    for others in ((0.5, 0.5), (-0.5, 0.5), (0.1, -0.3)):
        means = np.concatenate([ends, others])
        assert ((means - means.mean()) ** 2).sum() > 0.5
    assert ((np.array([-0.5, 0.5, 0, 0])) ** 2).sum() == 0.5  # the range squared over 2, as in the noncentrality


def test_two_systems_anova_is_the_unpaired_t_test(oracle: ModuleType) -> None:
    expected = oracle.TTestIndPower().power(0.1 / sqrt(0.05), 40, 0.05)
    assert pw.anova_power(0.1, 0.05, 2, 40) == pytest.approx(expected, abs=1e-11)


def test_interval_width_by_simulation() -> None:
    from scipy.special import stdtrit

    x = np.random.default_rng(22).normal(0, 0.3, (40_000, 10))
    widths = 2 * stdtrit(9, 0.975) * x.std(axis=1, ddof=1) / sqrt(10)
    found = pw.interval_width(0.09, 10)
    assert widths.mean() == pytest.approx(found, abs=4 * widths.std() / 200)
    # Without the correction for the bias of the standard deviation it would be seen to be wrong.
    assert abs(widths.mean() - 2 * stdtrit(9, 0.975) * 0.3 / sqrt(10)) > 4 * widths.std() / 200


def test_sizes_are_the_smallest() -> None:
    for effect, power, side in product((0.15, 0.4, 1.5, 20), (0.3, 0.8, 0.99), ("two-sided", "greater")):
        m = pw.t_topics(effect, power, alternative=side)
        assert pw.t_power(effect, m, alternative=side) >= power
        assert m == 2 or pw.t_power(effect, m - 1, alternative=side) < power
    for span, systems in product((0.05, 0.2), (2, 10, 100)):
        m = pw.anova_topics(span, 0.04, systems)
        assert pw.anova_power(span, 0.04, systems, m) >= 0.8 > pw.anova_power(span, 0.04, systems, m - 1)
    for width in (0.05, 0.3):
        m = pw.interval_topics(width, 0.1)
        assert pw.interval_width(0.1, m) <= width < pw.interval_width(0.1, m - 1)
    assert pw.t_topics(-0.5) == pw.t_topics(0.5) == pw.t_topics(0.5, alternative="two-sided")
    assert pw.t_topics(-0.5, alternative="less") == pw.t_topics(0.5, alternative="greater")


def test_fewest_against_plain_counting() -> None:
    for m in range(2, 70):
        assert pw._fewest(lambda k, m=m: k >= m) == m  # type: ignore[misc]


def test_results_are_rows() -> None:
    curve = pw.power_of_t(0.05, 0.02, [25, 50, 100])
    assert curve.frame["power"].to_list() == [pw.t_power(0.05 / sqrt(0.02), m) for m in (25, 50, 100)]
    assert "Power of the paired t-test" in str(curve)
    anova = pw.power_of_anova(0.1, 0.05, 10, [50, 100])
    assert anova.values[1] == pw.anova_power(0.1, 0.05, 10, 100) and anova.values[0] < anova.values[1]
    assert pw.power_of_t(0.1, 0.1, []).frame.shape == (0, 2)
    designs = (
        pw.design_for_t(0.05, 0.02, 0.9, alternative="greater"),
        pw.design_for_anova(0.1, 0.05, 10),
        pw.design_for_interval(0.1, 0.1),
    )
    for result in (curve, anova, *designs):
        assert json.loads(json.dumps(result.to_dict()))["needs"] == "interval"
        assert result.to_markdown() and result.to_latex()
    for design in designs:
        assert design.frame["topics"].to_list() == [design.topics]
        assert (design.achieved <= design.wanted) == (design.goal == "width")


def test_pilot_variance() -> None:
    values = np.random.default_rng(1).random((12, 5))
    expected = ((values - values.mean(axis=0)) ** 2).sum() / (5 * 11)  # the one-way residual
    assert pw.pilot_variance(Scores.of(values)) == pytest.approx(expected, rel=1e-12)
    with pytest.raises(BadInput, match="at least 2 topics"):
        pw.pilot_variance(Scores.of([[0.1, 0.2]]))


def test_refusals() -> None:
    for call, match in (
        (lambda: pw.t_power(0.5, 1), "topics must be at least 2"),
        (lambda: pw.t_power(0.5, 10, alpha=1), "alpha must lie in"),
        (lambda: pw.t_power(float("nan"), 10), "effect must be finite"),
        (lambda: pw.t_power(0.5, 10, alternative="both"), "alternative must be one of"),  # type: ignore[arg-type]
        (lambda: pw.t_topics(0.5, 1.0), "power must lie in"),
        (lambda: pw.t_topics(0.0), "no number of topics"),
        (lambda: pw.t_topics(-0.5, alternative="greater"), "no number of topics"),
        (lambda: pw.t_topics(1e-6), "would be needed"),
        (lambda: pw.anova_power(0.1, 0.05, 1, 10), "systems must be at least 2"),
        (lambda: pw.anova_topics(0.1, -1, 3), "variance must be positive"),
        (lambda: pw.anova_topics(0, 1, 3), "span must be positive"),
        (lambda: pw.interval_topics(0, 1), "width must be positive"),
        (lambda: pw.design_for_t(0.1, 0), "variance must be positive"),
    ):
        with pytest.raises(BadParameter, match=match):
            call()
