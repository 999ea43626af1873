"""Differences of exact values: what lies between two values of a measure, and whether two such gaps are the same."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, TypeAlias

from evenscale.errors import BadInput
from evenscale.measures.exact import LogRatio, LogSum, Rational, divide
from evenscale.orders.values import TOLERANCE

Value: TypeAlias = Any
"""An exact value (integer, fraction, log sum, log ratio) or, for a measure that gives floats, a float."""


def gap(low: Value, high: Value) -> Value:
    """The exact difference high - low.

    Quotients of log sums are subtracted over their common divisor; all values of a measure on one topic share it.

    >>> from evenscale.measures.exact import inverse_log
    >>> gap(Fraction(1, 3), Fraction(1, 2)), gap(inverse_log(2, 3), inverse_log(2, 3) + 1)
    (Fraction(1, 6), Fraction(1, 1))
    """
    if not isinstance(low, LogRatio) and not isinstance(high, LogRatio):
        return high - low
    divisors = {value.divisor for value in (low, high) if isinstance(value, LogRatio)}
    if len(divisors) > 1:
        raise BadInput(f"two quotients of logarithms need the same divisor to be subtracted, got {low!r} and {high!r}")
    (divisor,) = divisors
    return divide(_over(high, divisor) - _over(low, divisor), divisor)


def _over(value: Value, divisor: LogSum) -> Rational | LogSum:
    """The number of a value when it is written as a quotient with this divisor."""
    return value.number if isinstance(value, LogRatio) else divisor * value


def same_gap(first: Value, second: Value) -> bool:
    """Whether two gaps are equal: exactly, or to a small tolerance where a measure gives floats.

    >>> same_gap(Fraction(1, 3), Fraction(2, 6)), same_gap(0.1 + 0.2, 0.3), same_gap(Fraction(1, 3), Fraction(1, 2))
    (True, True, False)
    """
    if isinstance(first, float) or isinstance(second, float):
        return abs(float(first) - float(second)) <= 2 * TOLERANCE
    return bool(first == second)


def spelled(value: Value) -> str:
    """An exact value as a reader writes it: a fraction, or the decimal that a sum of logarithms comes to.

    >>> from evenscale.measures.exact import inverse_log
    >>> spelled(Fraction(1, 3)), spelled(inverse_log(2, 3)), spelled(0.25)
    ('1/3', '0.63093', '0.25')
    """
    return str(value) if isinstance(value, int | Fraction) else f"{float(value):.5g}"


def shown(run: tuple[int, ...]) -> str:
    """A run as a reader writes it.

    >>> shown((1, 0, 2))
    '(1, 0, 2)'
    """
    return "(" + ", ".join(map(str, run)) + ")"
