"""Exact numbers: rationals, and rational combinations of inverse logarithms.

Every measure value is exact. Most are rational and are kept as `Fraction`. Discounted gains need numbers like
1/log2(3): a `LogSum` is a vector of rationals over a few such *units*, and a `LogRatio` divides one by another
(nDCG). Two of them are equal when their vectors are equal; their order is decided by evaluating to as many digits
as it takes. That distinct vectors have distinct values rests on the independence of the units over the rationals,
which is believed but not proved; a comparison that 4,000 digits cannot settle raises an error, it is never guessed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache, cmp_to_key, total_ordering
from typing import NamedTuple, TypeAlias, TypeVar

Rational: TypeAlias = int | Fraction
"""A rational number; integers are welcome everywhere."""

MAX_DIGITS = 4000


class Unit(NamedTuple):
    """The number ln(base) / ln(argument), that is 1 / log_base(argument); neither is a perfect power.

    >>> round(float(Unit(2, 3)), 4)
    0.6309
    """

    base: int
    argument: int

    def __float__(self) -> float:
        return math.log(self.base) / math.log(self.argument)

    def digits(self, precision: int) -> Decimal:
        """The unit to this many significant digits (and a few spare ones).

        >>> Unit(2, 3).digits(30)
        Decimal('0.63092975357145743709952711434276')
        """
        return _unit_digits(self, precision)


@cache
def _unit_digits(unit: Unit, precision: int) -> Decimal:
    spare = Context(prec=precision + 10)
    return Context(prec=precision + 2).divide(spare.ln(Decimal(unit.base)), spare.ln(Decimal(unit.argument)))


@cache
def root(number: int) -> tuple[int, int]:
    """The primitive base and exponent of a number of at least 2.

    >>> root(8), root(36), root(12)
    ((2, 3), (6, 2), (12, 1))
    """
    for exponent in range(number.bit_length(), 1, -1):
        base = round(number ** (1 / exponent))
        for candidate in (base - 1, base, base + 1):
            if candidate > 1 and candidate**exponent == number:
                return candidate, exponent
    return number, 1


def inverse_log(base: int, argument: int) -> Fraction | LogSum:
    """The exact number 1 / log_base(argument).

    >>> inverse_log(2, 8), inverse_log(2, 9)
    (Fraction(1, 3), LogSum({Unit(base=2, argument=3): Fraction(1, 2)}))
    """
    (b, times), (a, power) = root(base), root(argument)
    factor = Fraction(times, power)
    return factor if a == b else LogSum({Unit(b, a): factor})


_Monomial: TypeAlias = tuple[Unit, ...]


@total_ordering
class LogSum:
    """A rational plus rational multiples of units; immutable, hashable, ordered.

    >>> third = inverse_log(2, 3)
    >>> third + third == inverse_log(2, 3) * 2
    True
    >>> third < Fraction(63093, 100000)
    True
    >>> float(third + 1)
    1.6309297535714573
    """

    __slots__ = ("rational", "terms")

    def __init__(self, terms: Mapping[Unit, Rational], rational: Rational = 0) -> None:
        self.rational = Fraction(rational)
        self.terms = tuple(sorted((u, Fraction(c)) for u, c in terms.items() if c))

    def __repr__(self) -> str:
        terms = "{" + ", ".join(f"{u!r}: {c!r}" for u, c in self.terms) + "}"
        return f"LogSum({terms}, {self.rational!r})" if self.rational else f"LogSum({terms})"

    def __add__(self, other: Rational | LogSum) -> Rational | LogSum:
        if isinstance(other, LogSum):
            terms = dict(self.terms)
            for unit, factor in other.terms:
                terms[unit] = terms.get(unit, Fraction(0)) + factor
            return _tidy(terms, self.rational + other.rational)
        if isinstance(other, int | Fraction):
            return LogSum(dict(self.terms), self.rational + other)
        return NotImplemented

    __radd__ = __add__

    def __neg__(self) -> LogSum:
        return LogSum({u: -c for u, c in self.terms}, -self.rational)

    def __sub__(self, other: Rational | LogSum) -> Rational | LogSum:
        return self + (-other)

    def __rsub__(self, other: Rational) -> Rational | LogSum:
        return -self + other

    def __mul__(self, factor: Rational) -> Rational | LogSum:
        if not isinstance(factor, int | Fraction):
            return NotImplemented
        return _tidy({u: c * factor for u, c in self.terms}, self.rational * factor)

    __rmul__ = __mul__

    def __float__(self) -> float:
        return math.fsum([float(self.rational), *(float(u) * float(c) for u, c in self.terms)])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, LogSum):
            return self.terms == other.terms and self.rational == other.rational
        return False if isinstance(other, int | Fraction | LogRatio) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.terms, self.rational))

    def __lt__(self, other: Exact) -> bool:
        return compare(self, other) < 0


@total_ordering
class LogRatio:
    """A quotient of two log sums, in lowest form: made by `divide` only.

    Linear forms have no common factor but a constant, so with the divisor's leading coefficient set to 1 equal
    quotients have equal parts.

    >>> a, b = inverse_log(2, 3) + 1, inverse_log(2, 5) + 1
    >>> divide(a, b) == divide(a * 2, b * 2), divide(a, a)
    (True, Fraction(1, 1))
    >>> round(float(divide(a, b)), 4)
    1.14
    """

    __slots__ = ("divisor", "number")

    def __init__(self, number: Rational | LogSum, divisor: LogSum) -> None:
        self.number, self.divisor = number, divisor

    def __repr__(self) -> str:
        return f"LogRatio({self.number!r}, {self.divisor!r})"

    def __float__(self) -> float:
        return float(self.number) / float(self.divisor)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, LogRatio):
            return self.number == other.number and self.divisor == other.divisor
        return False if isinstance(other, int | Fraction | LogSum) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.number, self.divisor))

    def __lt__(self, other: Exact) -> bool:
        return compare(self, other) < 0


Exact: TypeAlias = int | Fraction | LogSum | LogRatio
"""Any exact value a measure can take."""


def total(values: Iterable[Rational | LogSum]) -> Rational | LogSum:
    """The exact sum.

    >>> total([1, Fraction(1, 2), inverse_log(2, 3)])
    LogSum({Unit(base=2, argument=3): Fraction(1, 1)}, Fraction(3, 2))
    """
    rational = Fraction(0)
    terms: dict[Unit, Fraction] = {}
    for value in values:
        if isinstance(value, LogSum):
            rational += value.rational
            for unit, factor in value.terms:
                terms[unit] = terms.get(unit, Fraction(0)) + factor
        else:
            rational += value
    return _tidy(terms, rational)


def divide(number: Rational | LogSum, divisor: Rational | LogSum) -> Exact:
    """The exact quotient of two sums; by convention 0 where the divisor is 0 (a topic with nothing to find)."""
    if not isinstance(divisor, LogSum):
        return number * Fraction(1, divisor) if divisor else Fraction(0)
    if number == 0:
        return Fraction(0)
    lead = divisor.terms[0][1]
    number, lowest = number * (1 / lead), divisor * (1 / lead)
    assert isinstance(lowest, LogSum)
    if isinstance(number, LogSum):
        share = number.terms[0][1]
        if number == lowest * share:
            return share
    return LogRatio(number, lowest)


def compare(left: Exact, right: Exact) -> int:
    """-1, 0 or 1 as left is below, equal to or above right; exact.

    >>> compare(inverse_log(2, 3), Fraction(630929753571457437, 10**18))
    1
    """
    if not isinstance(left, LogSum | LogRatio) and not isinstance(right, LogSum | LogRatio):
        return (left > right) - (left < right)
    if left == right:
        return 0
    # Cross-multiplied, so that quotients never have to be formed: where b and d are positive, a/b < c/d if ad < cb.
    (a, b), (c, d) = _parts(left), _parts(right)
    if b == d:
        return _sign(_polynomial(b)) * _sign(_polynomial(_minus(a, c)))
    difference = _product(a, d)
    for monomial, factor in _product(c, b).items():
        difference[monomial] = difference.get(monomial, Fraction(0)) - factor
    return _sign(_polynomial(b)) * _sign(_polynomial(d)) * _sign(difference)


def is_zero(value: Exact) -> bool:
    """Whether an exact value is 0; only the rational 0 is."""
    return not isinstance(value, LogSum | LogRatio) and value == 0


def _tidy(terms: Mapping[Unit, Fraction], rational: Fraction) -> Fraction | LogSum:
    result = LogSum(terms, rational)
    return result if result.terms else result.rational


def _minus(a: Rational | LogSum, b: Rational | LogSum) -> Rational | LogSum:
    return a - b if isinstance(a, LogSum) else -b + a


def _parts(value: Exact) -> tuple[Rational | LogSum, Rational | LogSum]:
    return (value.number, value.divisor) if isinstance(value, LogRatio) else (value, 1)


def _polynomial(value: Rational | LogSum) -> dict[_Monomial, Fraction]:
    if not isinstance(value, LogSum):
        return {(): Fraction(value)}
    return {(): value.rational, **{(u,): c for u, c in value.terms}}


def _product(a: Rational | LogSum, b: Rational | LogSum) -> dict[_Monomial, Fraction]:
    result: dict[_Monomial, Fraction] = {}
    for left, x in _polynomial(a).items():
        for right, y in _polynomial(b).items():
            key = tuple(sorted(left + right))
            result[key] = result.get(key, Fraction(0)) + x * y
    return result


def _sign(polynomial: Mapping[_Monomial, Fraction]) -> int:
    """The sign of a polynomial in units: floats first, then as many digits as it takes."""
    terms = [(m, c) for m, c in polynomial.items() if c]
    if not terms:
        return 0
    floats = [float(c) * math.prod(map(float, m)) for m, c in terms]
    value, size = math.fsum(floats), math.fsum(map(abs, floats))
    if abs(value) > 1e-12 * size:
        return 1 if value > 0 else -1
    precision = 40
    while precision <= MAX_DIGITS:
        context = Context(prec=precision + 5)
        exact = sum((_term(m, c, context, precision) for m, c in terms), Fraction(0))
        if abs(exact) > Fraction(size) * len(terms) / Fraction(10) ** (precision - 5):
            return 1 if exact > 0 else -1
        precision *= 2
    raise ArithmeticError(f"two values agree to {MAX_DIGITS} digits but are not known to be equal: {terms}")


def _term(monomial: _Monomial, factor: Fraction, context: Context, precision: int) -> Fraction:
    units = Decimal(1)
    for unit in monomial:
        units = context.multiply(units, unit.digits(precision))
    return Fraction(units) * factor


_Value = TypeVar("_Value", bound="Exact")
NEAR = 1e-9
"""Floats further apart than this share of their size are in the right order already."""


def in_order(values: Iterable[_Value]) -> list[_Value]:
    """Distinct exact values, ascending: floats first, exact comparison where they are too close to tell.

    >>> from fractions import Fraction
    >>> in_order([Fraction(1, 3), 0, Fraction(1, 3) + Fraction(1, 10**30)])[:2]
    [0, Fraction(1, 3)]
    """
    ordered = sorted(values, key=float)
    result: list[_Value] = []
    near: list[_Value] = []
    for value in ordered:
        if near and float(value) - float(near[-1]) > NEAR * (1 + abs(float(value))):
            result += sorted(near, key=cmp_to_key(compare))
            near = []
        near.append(value)
    return result + sorted(near, key=cmp_to_key(compare))
