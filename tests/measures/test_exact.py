"""Exact numbers: equality, order and arithmetic against high-precision evaluation."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenscale.measures.exact import LogRatio, LogSum, compare, divide, inverse_log, root, total

SMALL = st.fractions(min_value=-3, max_value=3, max_denominator=6)
SUMS = st.lists(st.tuples(SMALL, st.integers(2, 40)), max_size=5).map(
    lambda terms: total([inverse_log(2, n) * c for c, n in terms])
)


def precise(value: object) -> mpmath.mpf:
    if isinstance(value, LogRatio):
        return precise(value.number) / precise(value.divisor)
    if isinstance(value, LogSum):
        parts = [
            mpmath.mpf(c.numerator) / c.denominator * mpmath.log(u.base) / mpmath.log(u.argument)
            for u, c in value.terms
        ]
        return mpmath.fsum(parts) + precise(value.rational)
    exact = Fraction(value)
    return mpmath.mpf(exact.numerator) / exact.denominator


@given(SUMS, SUMS)
def test_order_of_sums_agrees_with_high_precision(a: object, b: object) -> None:
    with mpmath.workdps(80):
        difference = precise(a) - precise(b)
        sign = 0 if abs(difference) < mpmath.mpf(10) ** -60 else (1 if difference > 0 else -1)
    assert compare(a, b) == sign
    assert (a == b) == (sign == 0)
    if a == b:
        assert hash(a) == hash(b)


@given(SUMS, SUMS, SUMS, SUMS)
@settings(max_examples=60)
def test_order_of_quotients_agrees_with_high_precision(a: object, b: object, c: object, d: object) -> None:
    if float(b) <= 0.01 or float(d) <= 0.01:
        return
    left, right = divide(a, b), divide(c, d)
    with mpmath.workdps(80):
        difference = precise(a) / precise(b) - precise(c) / precise(d)
        sign = 0 if abs(difference) < mpmath.mpf(10) ** -60 else (1 if difference > 0 else -1)
    assert compare(left, right) == sign
    assert (left == right) == (sign == 0)


def test_a_difference_far_below_double_precision_is_seen() -> None:
    third = inverse_log(2, 3)
    with mpmath.workdps(60):
        near = Fraction(int(mpmath.floor(mpmath.log(2) / mpmath.log(3) * mpmath.mpf(10) ** 50)), 10**50)
    assert float(third) == float(near)
    assert near < third < near + Fraction(1, 10**50)


def test_powers_share_a_unit() -> None:
    assert inverse_log(2, 9) * 2 == inverse_log(2, 3)
    assert inverse_log(2, 27) * 3 == inverse_log(2, 3)
    assert inverse_log(4, 3) == inverse_log(2, 3) * 2
    assert inverse_log(4, 8) == Fraction(2, 3)


def test_sum_that_cancels_is_a_fraction() -> None:
    assert total([inverse_log(2, 3), inverse_log(2, 3) * -1, 1]) == 1
    assert isinstance(total([inverse_log(2, 3), inverse_log(2, 3) * -1]), Fraction)


@pytest.mark.parametrize("number", range(2, 600))
def test_root_finds_the_primitive_base(number: int) -> None:
    base, power = root(number)
    assert base**power == number
    assert all(round(number ** (1 / k)) ** k != number for k in range(power + 1, 12))


def test_division_by_nothing_is_nothing() -> None:
    assert divide(inverse_log(2, 3), 0) == 0
