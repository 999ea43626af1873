"""Conditions on parameters: for which persistence graded RBP is ordinal or interval, by theorem and by checking.

Ferrante et al. 2018, section 6.1 and Proposition 4: let G be the smallest gap between the gains of neighbouring grades,
as a share of the highest gain. On strong top-heaviness graded RBP is ordinal at every depth if and only if p is at most
G / (1 + G), and interval (from depth 2 on) if and only if the gains are evenly spaced and p = 1 / (c + 1). At one depth
N, p may be a little larger: what a step of gain G at the first rank adds must outweigh the highest gain at all ranks
below, that is p + p^2 + ... + p^(N-1) may come to G at most. This threshold falls towards G / (1 + G) as N grows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeAlias

import polars as pl

from evenscale.errors import BadParameter
from evenscale.orders.checks import ScaleCheck, Scored, scale_on
from evenscale.orders.orders import AnyOrder, find_order
from evenscale.orders.poset import Poset
from evenscale.orders.values import Run, Runs
from evenscale.results import Result
from evenscale.tables import Table

Rational: TypeAlias = int | Fraction
Family: TypeAlias = Callable[[Fraction], Scored]
"""From a parameter to a measure."""

THEOREM = (
    "On strong top-heaviness graded RBP is ordinal at every depth if and only if p <= G / (1 + G), with G the smallest "
    "gap between the gains of neighbouring grades as a share of the highest gain; from depth 2 on it is an interval "
    "scale if and only if the gains are evenly spaced and p = 1 / (c + 1), with c the highest grade (Ferrante et al. "
    "2018, section 6.1)."
)


def _gains(gains: Sequence[Rational]) -> tuple[Fraction, ...]:
    exact = tuple(map(Fraction, gains))
    if len(exact) < 2 or exact[0] != 0 or any(high <= low for low, high in pairwise(exact)):
        raise BadParameter(f"gains must start at 0 and rise, got {', '.join(map(str, gains))}")
    return exact


def smallest_gap(gains: Sequence[Rational]) -> Fraction:
    """G: the smallest gap between the gains of neighbouring grades, as a share of the highest gain.

    >>> smallest_gap([0, 1, 2]), smallest_gap([0, 1, 3, 7])
    (Fraction(1, 2), Fraction(1, 7))
    """
    exact = _gains(gains)
    return min(high - low for low, high in pairwise(exact)) / exact[-1]


def evenly_spaced(gains: Sequence[Rational]) -> bool:
    """Whether the grades' gains are evenly spaced: the condition for gP and gR to be interval scales on `set-partial`.

    Ferrante et al. 2018, section 5.2.2.

    >>> evenly_spaced([0, 2, 4]), evenly_spaced([0, 1, 3])
    (True, False)
    """
    exact = _gains(gains)
    return len({high - low for low, high in pairwise(exact)}) == 1


def ordinal_threshold(gains: Sequence[Rational]) -> Fraction:
    """The largest p for which graded RBP is ordinal on strong top-heaviness at every depth: G / (1 + G).

    >>> ordinal_threshold([0, 1]), ordinal_threshold([0, 1, 2])
    (Fraction(1, 2), Fraction(1, 3))
    """
    share = smallest_gap(gains)
    return share / (1 + share)


def interval_parameter(gains: Sequence[Rational]) -> Fraction | None:
    """The one p for which graded RBP is an interval scale on strong top-heaviness, or None where there is none.

    >>> interval_parameter([0, 1, 2]), interval_parameter([0, 1, 3])
    (Fraction(1, 3), None)
    """
    return Fraction(1, len(gains)) if evenly_spaced(gains) else None


@dataclass(frozen=True)
class Threshold:
    """Where graded RBP starts to reverse runs at one depth: the root of p + p^2 + ... + p^(depth - 1) = gap.

    The root lies from `low` to `high`; they are equal where it is found exactly. Up to the root there is no reversal.
    """

    depth: int
    gap: Fraction
    low: Fraction
    high: Fraction

    def ordinal(self, p: Rational) -> bool:
        """Whether graded RBP with this p, in (0, 1), is ordinal at this depth: exact, whatever the bracket.

        >>> found = finite_threshold([0, 1, 2], 3)
        >>> found.ordinal(Fraction(1, 3)), found.ordinal(Fraction(36, 100)), found.ordinal(Fraction(37, 100))
        (True, True, False)
        """
        return _outweighs(self.gap, self.depth, Fraction(p))


def _outweighs(share: Fraction, depth: int, p: Fraction) -> bool:
    return sum((p**k for k in range(1, depth)), Fraction(0)) <= share


def finite_threshold(gains: Sequence[Rational], depth: int, digits: int = 12) -> Threshold:
    """Where graded RBP starts to reverse runs on strong top-heaviness at this depth, to so many decimal digits.

    It is above G / (1 + G) and falls towards it as the depth grows; a single rank never reverses anything.

    >>> for depth in (1, 2, 3, 5, 10):
    ...     print(depth, round(float(finite_threshold([0, 1], depth).low), 6))
    1 1.0
    2 1.0
    3 0.618034
    5 0.51879
    10 0.500493
    """
    if depth < 1:
        raise BadParameter(f"depth must be at least 1, got {depth}")
    share, low, high = smallest_gap(gains), Fraction(0), Fraction(1)
    if _outweighs(share, depth, high):
        return Threshold(depth, share, high, high)
    while high - low > Fraction(1, 10**digits):
        middle = (low + high) / 2
        low, high = (middle, high) if _outweighs(share, depth, middle) else (low, middle)
    # A root with a small denominator is met exactly, if it is one.
    guess = low.limit_denominator(10 ** (digits // 3))
    if sum((guess**k for k in range(1, depth)), Fraction(0)) == share:
        return Threshold(depth, share, guess, guess)
    return Threshold(depth, share, low, high)


def graded_rbp(p: Rational, gains: Sequence[Rational]) -> Callable[[Run], Fraction]:
    """Graded RBP with any gains, as a function of a run: (1 - p) times the sum of p^(rank - 1) * gain / highest gain.

    >>> graded_rbp(Fraction(1, 2), [0, 1, 3])((2, 0, 1))
    Fraction(13, 24)
    """
    exact, chance = _gains(gains), Fraction(p)
    weights = [(1 - chance) * chance**k for k in range(64)]

    def score(run: Run) -> Fraction:
        return sum((w * exact[grade] for w, grade in zip(weights, run, strict=False)), Fraction(0)) / exact[-1]

    score.__name__ = f"graded RBP with p = {chance}"
    return score


def generalised_precision(gains: Sequence[Rational]) -> Callable[[Run], Fraction]:
    """Generalised precision with any gains, as a function of a run: the mean gain over the highest.

    >>> generalised_precision([0, 1, 3])((2, 1, 0))
    Fraction(4, 9)
    """
    exact = _gains(gains)

    def score(run: Run) -> Fraction:
        return sum((exact[grade] for grade in run), Fraction(0)) / len(run) / exact[-1]

    score.__name__ = "generalised precision"
    return score


# --- found by checking ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Scan(Result):
    """What a family of measures is on an order, parameter by parameter, ascending."""

    parameters: tuple[Fraction, ...]
    checks: tuple[ScaleCheck, ...]

    @property
    def ordinal_up_to(self) -> Fraction | None:
        """The largest parameter such that it and all smaller ones are ordinal."""
        last = None
        for parameter, check in zip(self.parameters, self.checks, strict=True):
            if not check.ordinal:
                break
            last = parameter
        return last

    @property
    def interval_at(self) -> tuple[Fraction, ...]:
        """The parameters that make it an interval scale."""
        return tuple(p for p, check in zip(self.parameters, self.checks, strict=True) if check.interval)

    @property
    def frame(self) -> pl.DataFrame:
        """One row a parameter."""
        names = ("ordinal", "strict", "interval")
        rows = [{name: getattr(check, name) for name in names} for check in self.checks]
        return pl.DataFrame({"parameter": [str(p) for p in self.parameters]}).hstack(pl.DataFrame(rows))

    def table(self) -> Table:
        """The findings as a person wants to see them."""
        rows = [[row[0], *("yes" if x else "no" for x in row[1:])] for row in self.frame.iter_rows()]
        return Table(self.frame.columns, rows, title=f"order '{self.checks[0].order}', depth {self.checks[0].depth}")

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        up_to = self.ordinal_up_to
        return {
            "order": self.checks[0].order,
            "depth": self.checks[0].depth,
            "grades": self.checks[0].grades,
            "ordinal_up_to": None if up_to is None else str(up_to),
            "interval_at": [str(p) for p in self.interval_at],
            "rows": self.frame.to_dicts(),
        }


def fractions_up_to(denominator: int) -> tuple[Fraction, ...]:
    """All fractions strictly between 0 and 1 with a denominator of at most this, ascending.

    >>> [str(p) for p in fractions_up_to(4)]
    ['1/4', '1/3', '1/2', '2/3', '3/4']
    """
    return tuple(sorted({Fraction(n, d) for d in range(2, denominator + 1) for n in range(1, d)}))


def scan(family: Family, order: AnyOrder | str, universe: Runs, denominator: int = 12) -> Scan:
    """Check a family of measures at every fraction in (0, 1) with a denominator of at most this.

    >>> from evenscale.measures.rbp import RBP
    >>> from evenscale.orders.universe import Universe
    >>> found = scan(lambda p: RBP(p=p, cutoff=3), "strong", Universe(3, 2), denominator=8)
    >>> str(found.ordinal_up_to), [str(p) for p in found.interval_at]
    ('1/3', ['1/3'])
    """
    parameters = fractions_up_to(denominator)
    if not parameters:
        raise BadParameter(f"denominator must be at least 2, got {denominator}")
    check = _checker(family, order, universe)
    return Scan(parameters, tuple(map(check, parameters)))


def largest_ordinal(family: Family, order: AnyOrder | str, universe: Runs, denominator: int = 60) -> Fraction | None:
    """The largest fraction up to which a family is ordinal, found by halving; None where none is.

    This takes for granted that the family is ordinal up to some parameter and nowhere beyond; `scan` does not.

    >>> from evenscale.measures.rbp import RBP
    >>> from evenscale.orders.universe import Universe
    >>> [str(largest_ordinal(lambda p: RBP(p=p, cutoff=n), "strong", Universe(n))) for n in (3, 4, 6)]
    ['21/34', '25/46', '30/59']
    """
    parameters, check = fractions_up_to(denominator), _checker(family, order, universe)
    low, high = 0, len(parameters)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if check(parameters[middle]).ordinal else (low, middle)
    return parameters[low - 1] if low else None


def _checker(family: Family, order: AnyOrder | str, universe: Runs) -> Callable[[Fraction], ScaleCheck]:
    """Check one parameter; the order's diagram is made once for all, unless each measure brings its own order."""
    if order == "induced":
        return lambda parameter: scale_on(family(parameter), "induced", universe)
    shared = find_order(order) if isinstance(order, str) else order
    poset = Poset.of(shared, universe)
    return lambda parameter: scale_on(family(parameter), shared, universe, poset=poset)
