"""The studentised range against closed forms, high-precision quadrature, published tables and SciPy."""

from __future__ import annotations

import math
import time
from functools import cache

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenscale.errors import BadParameter
from evenscale.stats import studentised

INF = math.inf

# From `reference` below with 45 digits, step 1/32 and ten panels of 16 points.
HIGH_PRECISION = [
    *[(1, 3, INF, 0.7592873587706612), (4, 3, INF, 0.01298766137319424), (7, 3, INF, 2.222266145311475e-6)],
    *[(12, 3, INF, 6.455916377569022e-17), (4, 10, INF, 0.1268521321505964), (7, 10, INF, 3.265918103310925e-5)],
    *[(12, 10, INF, 9.683825946252486e-16), (17, 10, INF, 1.243045832071088e-31)],
    *[(4, 129, INF, 0.9912808540034977), (7, 129, INF, 0.004836836199782036)],
    *[(12, 129, INF, 1.776510143683482e-13), (17, 129, INF, 2.280574752445525e-29)],
    *[(4, 500, INF, 0.9999999994787669), (7, 500, INF, 0.05084474943223202)],
    *[(12, 500, INF, 2.683676837270103e-12), (17, 500, INF, 3.445999273967032e-28)],
    *[(3.877676, 3, 10, 0.04994801346191353), (4, 10, 5, 0.3163465914232487), (30, 10, 12, 2.184847480542436e-9)],
    *[(6, 129, 6272, 0.09406459071941582), (10, 129, 6272, 1.401317667569872e-8)],
    (17, 129, 6272, 5.235657999589517e-29),
    *[(5, 129, 98, 0.6027491580337707), (20, 129, 98, 1.736125654154571e-21), (6.2, 500, 2000, 0.3749959083708887)],
    *[(16, 500, 2000, 1.030002467820961e-23), (10, 3, 40, 4.446560496130686e-8)],
]

# Harter (1960), upper 5% and 1% points.
TABLE = [
    *[(0.05, 2, 1, 17.97), (0.05, 3, 1, 26.98), (0.05, 10, 1, 49.07), (0.05, 3, 10, 3.877), (0.01, 3, 10, 5.270)],
    *[(0.05, 3, 20, 3.578), (0.05, 4, 20, 3.958), (0.05, 20, 60, 5.241), (0.05, 5, INF, 3.858), (0.05, 10, INF, 4.474)],
    *[(0.05, 20, INF, 5.012), (0.05, 100, INF, 6.085), (0.01, 5, INF, 4.603), (0.01, 10, 10, 7.213)],
]


def two_groups(q: float, df: float) -> mp.mpf:
    """k = 2 is a two-sided t-test: the tail is an incomplete beta function."""
    x2 = mp.mpf(q) ** 2 / 2
    if df == INF:
        return mp.erfc(mp.sqrt(x2 / 2))
    half = mp.mpf(df) / 2
    return mp.betainc(half, mp.mpf(1) / 2, 0, df / (df + x2), regularized=True)


@cache
def lattice(steps: int) -> list[tuple[mp.mpf, mp.mpf, mp.mpf]]:
    """z, 2Q(z) and phi(z) from -15 to 15."""
    points = [mp.mpf(i) / steps for i in range(-15 * steps, 15 * steps + 1)]
    return [(z, mp.erfc(z / mp.sqrt(2)), mp.npdf(z)) for z in points]


def inner(w: mp.mpf, k: int, steps: int) -> mp.mpf:
    """The textbook formula, 1 - k∫φ(z)(Φ(z+w)-Φ(z))^(k-1)dz: digits, not algebra, beat the cancellation."""
    root = mp.sqrt(2)
    return 1 - k * mp.fsum(f * ((c - mp.erfc((z + w) / root)) / 2) ** (k - 1) for z, c, f in lattice(steps)) / steps


def reference(q: float, k: int, df: float, steps: int, panels: int, points: int) -> mp.mpf:
    """Gauss-Legendre over s itself (not its log), twelve widths around the peak that exp(-q²s²/4) gives."""
    df, q = mp.mpf(df), mp.mpf(q)
    centre, width = mp.sqrt(df / (df + q * q / 2)), 1 / mp.sqrt(2 * (df + q * q / 2))
    low, high = max(mp.mpf(0), centre - 12 * width), centre + 12 * width
    log_c = mp.log(2) + df / 2 * mp.log(df / 2) - mp.loggamma(df / 2)
    nodes, weights = np.polynomial.legendre.leggauss(points)
    total, half = mp.mpf(0), (high - low) / panels / 2
    for panel in range(panels):
        for x, weight in zip(nodes, weights, strict=True):
            s = low + half * (2 * panel + 1 + mp.mpf(float(x)))
            density = mp.exp(log_c + (df - 1) * mp.log(s) - df * s * s / 2)
            total += float(weight) * half * density * inner(q * s, k, steps)
    return total


@pytest.mark.parametrize("df", [1, 2, 3, 7, 30, 98, 399, 401, 6272, 1e6, 1e9, INF])
def test_two_groups_against_the_t_distribution(df: float) -> None:
    levels = [0.99, 0.5, 0.05, 1e-3, 1e-8, 1e-18, 1e-30, 1e-100]
    with mp.workdps(40):
        for q in studentised.isf(levels, 2, df):
            expected = two_groups(float(q), df)
            assert abs(float(studentised.sf(q, 2, df) / expected) - 1) < 1e-9


@pytest.mark.parametrize(("q", "k", "df", "tail"), HIGH_PRECISION)
def test_tail_against_high_precision_quadrature(q: float, k: int, df: float, tail: float) -> None:
    assert float(studentised.sf(q, k, df)) == pytest.approx(tail, rel=1e-11, abs=0)


def test_the_quadrature_itself_on_a_live_sample() -> None:
    with mp.workdps(30):
        normal, t = float(inner(mp.mpf(9), 20, 16)), float(reference(30, 10, 12, 6, 6, 8))
    assert float(studentised.sf(9, 20, INF)) == pytest.approx(normal, rel=1e-11, abs=0)
    assert float(studentised.sf(30, 10, 12)) == pytest.approx(t, rel=1e-6, abs=0)


@pytest.mark.parametrize(("p", "k", "df", "q"), TABLE)
def test_quantiles_against_harter_1960(p: float, k: int, df: float, q: float) -> None:
    assert float(studentised.isf(p, k, df)) == pytest.approx(q, abs=0.0055 if q > 10 else 0.00055)


@pytest.mark.parametrize(("k", "df"), [(3, 10), (10, 40), (50, 1000), (20, 2)])
def test_agrees_with_scipy_in_the_middle(k: int, df: float) -> None:
    from scipy.stats import studentized_range

    q = np.array([1.0, 2.5, 4.0, 5.5])
    assert studentised.cdf(q, k, df) == pytest.approx(studentized_range.cdf(q, k, df), abs=1e-9)


def test_scipy_loses_the_far_tail() -> None:
    """SciPy subtracts from one: 0 for sf(15, 2, 98), where the t distribution says 5.9e-18."""
    from scipy.stats import studentized_range

    assert studentized_range.sf(15, 2, 98) < 1e-18  # the negative control
    assert float(studentised.sf(15, 2, 98)) == pytest.approx(5.865268142683018e-18, rel=1e-9, abs=0)


def test_another_reading_of_k_would_be_seen() -> None:
    assert abs(float(studentised.sf(4, 11, 5)) - 0.3163465914232487) > 0.01


@settings(max_examples=15)  # every k costs a tenth of a second to prepare
@given(st.integers(2, 500), st.one_of(st.floats(1, 1e5), st.just(INF)), st.floats(1e-30, 0.999))
def test_isf_inverts_sf(k: int, df: float, p: float) -> None:
    assert float(studentised.sf(studentised.isf(p, k, df), k, df)) == pytest.approx(p, rel=1e-10, abs=0)


@pytest.mark.parametrize(("k", "df"), [(2, 1), (3, 10), (129, 6272), (500, INF)])
def test_quantiles_are_good_to_ten_digits(k: int, df: float) -> None:
    for p in (0.5, 0.05, 1e-12, 1e-30):
        q = float(studentised.isf(p, k, df))
        below, above = studentised.sf([q * (1 - 1e-10), q * (1 + 1e-10)], k, df)
        assert below > p > above


@pytest.mark.parametrize("df", [1, 3, 30, 1000, 1e7, INF])
@pytest.mark.parametrize("k", [2, 3, 20, 500])
def test_quantiles_at_the_ends(k: int, df: float) -> None:
    """SciPy's t quantile, where the search starts, fails at some of these."""
    p = np.array([1e-300, 1e-250, 1 - 1e-6, 1 - 1e-9, 1 - 1e-12, 1 - 1e-16])
    q = studentised.isf(p, k, df)
    assert studentised.sf(q[:2], k, df) == pytest.approx(p[:2], rel=1e-8, abs=0)
    assert studentised.cdf(q[2:4], k, df) == pytest.approx([1e-6, 1e-9], rel=1e-3, abs=0)
    assert (np.diff(q) <= 1e-12).all() and q[4] == q[5] > 0


@settings(max_examples=15)
@given(st.integers(2, 300), st.sampled_from([1.0, 4.0, 60.0, 399.9, 400.0, 5000.0, 1e7, 1e12, INF]))
def test_the_tail_falls_in_q(k: int, df: float) -> None:
    tail = studentised.sf(np.linspace(0.5, 40, 60), k, df)
    assert (np.diff(tail) <= 1e-13).all() and (tail >= 0).all() and (tail <= 1).all()


def test_the_tail_grows_with_k_and_falls_with_df() -> None:
    assert (np.diff([float(studentised.sf(9, k, 50)) for k in (2, 3, 5, 20, 100, 500)]) > 0).all()
    df = (1, 2, 10, 100, 399, 401, 1e4, 1e8, 1e11, INF)
    assert (np.diff([float(studentised.sf(9, 20, d)) for d in df]) < 0).all()


def test_edges() -> None:
    assert studentised.sf([0.0, -3.0, INF, 1e-300], 5, 7) == pytest.approx([1, 1, 0, 1])
    assert studentised.isf([0.0, 1.0], 5, 7).tolist() == [INF, 0.0]
    assert studentised.ppf([0.0, 1.0], 5, 7).tolist() == [0.0, INF]
    assert float(studentised.sf(1e300, 5, 3000)) == 0.0
    assert studentised.sf([[1.0, 2.0]], 3, INF).shape == (1, 2)
    assert studentised.sf([], 3, 4).size == 0
    assert float(studentised.sf(0.01, 500, 3)) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    "call",
    [
        lambda: studentised.sf(1, 1, 5),
        lambda: studentised.sf(1, 2.5, 5),
        lambda: studentised.sf(1, 2, 0.5),
        lambda: studentised.sf(1, 2, math.nan),
        lambda: studentised.sf(math.nan, 2, 5),
        lambda: studentised.isf(1.5, 2, 5),
        lambda: studentised.isf(1e-310, 2, 5),
        lambda: studentised.isf(math.nan, 2, 5),
    ],
)
def test_bad_parameters_are_named(call) -> None:
    with pytest.raises(BadParameter, match=r"^(q|k|df|p) must"):
        call()


def test_a_campaign_takes_no_time() -> None:
    q = np.linspace(0.01, 30, 8256)
    studentised.sf(q[:10], 129, 6272)
    started = time.process_time()
    studentised.sf(q, 129, 6272)
    assert time.process_time() - started < 2  # about 0.2 s; the room is for busy machines
