"""Conditions on parameters: what the theorems say against what the checker finds."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations, pairwise, product

import pytest

from evenscale.errors import BadParameter
from evenscale.measures.rbp import RBP
from evenscale.orders import (
    ORDERS,
    SetUniverse,
    Universe,
    finite_threshold,
    interval_parameter,
    largest_ordinal,
    ordinal_threshold,
    placed,
    scale_on,
    scan,
    smallest_gap,
)
from evenscale.orders.conditions import (
    THEOREM,
    evenly_spaced,
    fractions_up_to,
    generalised_precision,
    graded_rbp,
)
from orders.twins import LEQ

GAINS = [(0, *some) for size in (1, 2, 3) for some in combinations(range(1, 6), size)]
"""All ways to give up to three grades gains from 1 to 5."""


@pytest.mark.parametrize("gains", [(0, 1), (0, 1, 2), (0, 1, 3), (0, 2, 3), (0, 1, 2, 3), (0, 1, 3, 7)])
@pytest.mark.parametrize("depth", [2, 3, 4])
def test_the_threshold_of_a_depth_against_all_pairs_of_runs(gains: tuple[int, ...], depth: int) -> None:
    """With no help from covers: every pair of runs, at every fraction with a denominator of up to 12."""
    if len(gains) ** depth > 81:
        depth = 3
    runs = list(Universe(depth, len(gains) - 1).runs())
    threshold = finite_threshold(gains, depth)
    for p in fractions_up_to(12):
        score = graded_rbp(p, gains)
        scored = [score(run) for run in runs]
        reversed_somewhere = any(a > b for a, b in combinations(scored, 2))  # the runs are listed in this order
        assert all(LEQ["strong"](r, s) for r, s in pairwise(runs))
        assert threshold.ordinal(p) == (not reversed_somewhere), (gains, depth, p)


@pytest.mark.parametrize("gains", [(0, 1), (0, 1, 2), (0, 1, 3), (0, 1, 2, 3)])
def test_the_threshold_falls_towards_that_of_every_depth(gains: tuple[int, ...]) -> None:
    limit = ordinal_threshold(gains)
    found = [finite_threshold(gains, depth) for depth in range(2, 31)]
    assert all(one.high >= other.low for one, other in pairwise(found))
    # At the limit itself nothing is reversed at any depth; the root is always above it, less and less so.
    assert all(threshold.ordinal(limit) and threshold.high > limit for threshold in found)
    assert found[-1].high - limit < Fraction(1, 10**6)
    above = limit + Fraction(1, 1000)
    assert found[0].ordinal(above) and not found[-1].ordinal(above)


def test_thresholds_in_figures() -> None:
    assert smallest_gap([0, 1]) == 1 and ordinal_threshold([0, 1]) == Fraction(1, 2)
    assert smallest_gap([0, 1, 3]) == Fraction(1, 3) and ordinal_threshold([0, 1, 3]) == Fraction(1, 4)
    two = finite_threshold([0, 1, 2], 2)
    assert two.low == two.high == Fraction(1, 2)  # p = G exactly
    golden = finite_threshold([0, 1], 3)
    assert golden.low < golden.high and abs(float(golden.low) - (5**0.5 - 1) / 2) < 1e-11
    assert golden.low + golden.low**2 <= 1 < golden.high + golden.high**2
    assert finite_threshold([0, 1], 1).low == 1
    assert "G / (1 + G)" in THEOREM


@pytest.mark.parametrize(("depth", "grades"), [(3, 1), (4, 1), (2, 2), (3, 2), (2, 3)])
def test_the_checker_finds_the_persistence_of_the_theorem(depth: int, grades: int) -> None:
    """p = 1 / (c + 1) and nothing else makes RBP an interval scale; ordinal up to the threshold of the depth."""
    universe = Universe(depth, grades)
    found = scan(lambda p: RBP(p=p, cutoff=depth), "strong", universe, denominator=10)
    assert found.interval_at == (Fraction(1, grades + 1),) == (interval_parameter(range(grades + 1)),)
    threshold = finite_threshold(range(grades + 1), depth)
    ordinal = [check.ordinal for check in found.checks]
    assert ordinal == [threshold.ordinal(p) for p in found.parameters]
    # One threshold: ordinal up to it, nowhere beyond; so halving finds the same.
    assert ordinal == sorted(ordinal, reverse=True)
    halved = largest_ordinal(lambda p: RBP(p=p, cutoff=depth), "strong", universe, denominator=10)
    assert halved == found.ordinal_up_to
    told = json.loads(json.dumps(found.to_dict()))
    assert told["interval_at"] == [f"1/{grades + 1}"] and len(told["rows"]) == len(found.parameters)
    assert "interval" in str(found)


def test_the_largest_ordinal_persistence_closes_in_on_a_half() -> None:
    found = [largest_ordinal(lambda p, n=n: RBP(p=p, cutoff=n), "strong", Universe(n), 60) for n in range(3, 9)]
    assert all(one >= other for one, other in pairwise(found))
    assert found[0] == Fraction(21, 34) and found[-1] == Fraction(1, 2)


@pytest.mark.parametrize("gains", [gains for gains in GAINS if len(gains) == 3])
def test_uneven_gains_are_never_interval(gains: tuple[int, ...]) -> None:
    """Ferrante et al. 2018, Proposition 5: not even p = 1 / (c + 1) helps."""
    found = scan(lambda p: graded_rbp(p, gains), "strong", Universe(2, 2), denominator=9)
    assert found.interval_at == ((Fraction(1, 3),) if evenly_spaced(gains) else ())
    assert interval_parameter(gains) == (Fraction(1, 3) if evenly_spaced(gains) else None)


@pytest.mark.parametrize("gains", GAINS, ids=str)
def test_generalised_precision_is_interval_on_sets_if_the_gains_are_even(gains: tuple[int, ...]) -> None:
    """Ferrante et al. 2018, section 5.2.2."""
    universe = SetUniverse(3, len(gains) - 1)
    found = scale_on(generalised_precision(gains), "set-partial", universe)
    assert found.strict and found.interval == evenly_spaced(gains)
    own = scale_on(generalised_precision(gains), "induced", universe)
    assert own.interval or not evenly_spaced(gains)


def test_uneven_gains_can_be_even_on_the_order_they_induce() -> None:
    """Ferrante et al. 2018, section 5.3, has it that uneven gains are never interval on the induced order.

    That overlooks sets whose values fall between: with gains 0, 1, 3, 4 two documents gain all of 0 to 8.
    """
    found = {
        (gains, depth)
        for gains in GAINS
        for depth in (1, 2, 3)
        if scale_on(generalised_precision(gains), "induced", SetUniverse(depth, len(gains) - 1)).interval
    }
    even = {(gains, depth) for gains in GAINS for depth in (1, 2, 3) if evenly_spaced(gains)}
    assert even <= found and found - even == {((0, 1, 3, 4), 2), ((0, 1, 3, 4), 3), ((0, 1, 4, 5), 3)}


def test_a_family_is_scanned_on_the_order_that_each_member_induces() -> None:
    found = scan(lambda p: RBP(p=p, cutoff=3), "induced", Universe(3), denominator=6)
    assert found.interval_at == (Fraction(1, 2),) and found.ordinal_up_to == Fraction(5, 6)


def test_a_family_that_is_ordinal_nowhere() -> None:
    nowhere = scan(lambda p: lambda run: -p * sum(run), "weak", Universe(2), denominator=3)
    assert nowhere.ordinal_up_to is None and nowhere.interval_at == ()
    assert nowhere.to_dict()["ordinal_up_to"] is None
    assert largest_ordinal(lambda p: lambda run: -p * sum(run), "weak", Universe(2), 3) is None


def test_functions_agree_with_the_measures() -> None:
    for p, (depth, grades) in product((Fraction(1, 3), Fraction(4, 5)), ((4, 1), (3, 2))):
        universe = Universe(depth, grades)
        one = placed(RBP(p=p, cutoff=depth), universe)
        other = placed(graded_rbp(p, range(grades + 1)), universe)
        assert one.values == other.values and (one.places == other.places).all()
    assert ORDERS["strong"].universe(3) == Universe(3)


def test_bad_parameters_are_refused() -> None:
    for gains in ([1, 2], [0], [0, 2, 2], [0, 2, 1]):
        with pytest.raises(BadParameter, match="start at 0 and rise"):
            smallest_gap(gains)
    with pytest.raises(BadParameter, match="depth must be at least 1"):
        finite_threshold([0, 1], 0)
    with pytest.raises(BadParameter, match="at least 2, got 1"):
        scan(lambda p: RBP(p=p), "strong", Universe(2), denominator=1)
