"""What is claimed of the measures, checked over all universes of up to 4,096 runs with grades from 0 to at most 8."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import pytest

from evenscale.measures import Measure, parse
from evenscale.measures.rbp import RBP
from evenscale.measures.table import MEASURES
from evenscale.orders import (
    ORDERS,
    Poset,
    ScaleCheck,
    finite_threshold,
    gradedness,
    interval_parameter,
    placed,
    scale_on,
    uneven_gaps,
)
from evenscale.orders.orders import BUDGET

Size = tuple[int, int]
"""Depth and highest grade."""

RANKED: list[Size] = [(n, c) for c in range(1, 9) for n in range(1, 13) if (c + 1) ** n <= BUDGET]
SETS: list[Size] = [(n, c) for c in range(1, 7) for n in range(1, 13) if ORDERS["set-total"].universe(n, c).size <= 500]


@lru_cache(maxsize=8)
def _poset(name: str, size: Size) -> Poset:
    return Poset.of(ORDERS[name], ORDERS[name].universe(*size))


def _check(measure: Measure, name: str, size: Size) -> ScaleCheck:
    return scale_on(measure, name, ORDERS[name].universe(*size), poset=_poset(name, size))


def _at(kind: type[Measure], depth: int) -> Measure:
    return kind(cutoff=depth) if kind.takes_cutoff else kind()


def test_all_sizes_are_there() -> None:
    assert max(RANKED, key=lambda size: size[0]) == (12, 1)
    assert {(7, 2), (6, 3), (5, 4), (4, 7), (3, 8)} <= set(RANKED) and (13, 1) not in RANKED and (8, 2) not in RANKED


@pytest.mark.parametrize("size", RANKED, ids=str)
def test_claims_on_weak_top_heaviness(size: Size) -> None:
    """Measures that never fall under a swap or a replacement, as those of the table say of themselves, are ordinal.

    The order is graded for binary grades and for one rank only (Ferrante et al. 2018, Proposition 3 and Example 14).
    There eq. 9 is its rank function, and from depth 3 on the popular measures are not interval scales (section 6.2.1).
    """
    depth, grades = size
    graded = gradedness(_poset("weak", size))
    assert graded.graded == (depth == 1 or grades == 1)
    if not graded.graded:
        assert [len(chain) - 1 for chain in graded.chains] == [2, 3]
    for kind in MEASURES:
        found = _check(_at(kind, depth), "weak", size)
        assert kind.swap and kind.replacement and found.ordinal, found
        if kind.name in ("AP", "DCG", "ERR", "RBP", "RBPO") and depth > 2:
            assert found.interval == (kind.name == "RBPO" and grades == 1)
            assert found.interval or found.witness.kind == ("steps" if grades == 1 else "chains")
        if kind.name == "RBPO" and graded.graded:
            assert found.interval and (found.slope, found.offset) == (1, 0)


@pytest.mark.parametrize("size", RANKED, ids=str)
def test_claims_on_strong_top_heaviness(size: Size) -> None:
    """Ferrante et al. 2018, section 6.1: eq. 7 is the rank function; RBP as the theorem says, with the exact threshold
    of the depth; AP and DCG are not even ordinal from depth 3 on."""
    depth, grades = size
    gains = range(grades + 1)
    found = _check(parse(f"RBTO@{depth}"), "strong", size)
    assert found.interval and (found.slope, found.offset) == (1, 0)
    for p in {Fraction(1, 2), Fraction(1, 3), Fraction(3, 10), Fraction(4, 5), Fraction(1, grades + 1)}:
        found = _check(RBP(p=p, cutoff=depth), "strong", size)
        assert found.ordinal == finite_threshold(gains, depth).ordinal(p)
        assert found.interval == (depth == 1 or p == interval_parameter(gains))
    for text in ("AP", "DCG(dcg='jk',base=2)"):
        found = _check(parse(f"{text}@{depth}"), "strong", size)
        assert depth < 3 or (not found.ordinal and found.witness.kind == "reversal")


def test_the_claim_is_not_empty() -> None:
    for planted in (lambda run: -run[0], lambda run: run[-1], lambda run: (run[0] - run[1]) ** 2):
        assert not scale_on(planted, "weak", ORDERS["weak"].universe(3), poset=_poset("weak", (3, 1))).ordinal


@pytest.mark.parametrize(
    ("name", "text"),
    [("set-total", "SBTO"), ("set-partial", "SBPO")],
)
def test_set_measures_are_the_rank_functions_of_their_orders(name: str, text: str) -> None:
    """Ferrante et al. 2018, equations 3 and 5."""
    for size in SETS:
        found = _check(parse(f"{text}@{size[0]}"), name, size)
        assert found.interval and (found.slope, found.offset) == (1, 0), size


def test_the_partial_order_of_sets_is_graded() -> None:
    """Ferrante et al. 2018, Proposition 2."""
    for size in SETS:
        assert gradedness(_poset("set-partial", size)).rank == size[0] * size[1]


@pytest.mark.parametrize("name", ["set-total", "set-partial"])
def test_precision_recall_and_f_are_interval_on_sets_with_binary_grades(name: str) -> None:
    """Ferrante et al. 2018, section 5.1.1."""
    for depth in range(1, 13):
        for text in ("P", "R", "F", "gP", "gR"):
            assert _check(parse(f"{text}@{depth}"), name, (depth, 1)).interval


def test_generalised_precision_and_recall_are_interval_on_the_partial_set_order() -> None:
    """Ferrante et al. 2018, sections 5.1.2 and 5.2.2: the grades here are evenly spaced."""
    for size in SETS:
        depth, grades = size
        for text in ("gP", "gR"):
            measure = parse(f"{text}@{depth}")
            assert _check(measure, "set-partial", size).interval
            total = _check(measure, "set-total", size)
            # {1, ..., 1} is below {2, 0, ..., 0}, but scores more from three documents on; so does {2, 2} with {3, 0}.
            assert total.ordinal == (grades == 1 or depth == 1 or size == (2, 2)), size
            assert total.interval == (grades == 1 or depth == 1), size


@pytest.mark.parametrize("kind", MEASURES, ids=lambda kind: kind.name)
def test_on_its_own_order_a_measure_is_interval_if_its_values_are_even(kind: type[Measure]) -> None:
    for depth, grades in ((1, 1), (3, 1), (6, 1), (2, 2), (3, 3)):
        measure, universe = _at(kind, depth), ORDERS["weak"].universe(depth, grades)
        found = scale_on(measure, "induced", universe)
        assert found.ordinal and found.strict
        assert found.interval == (uneven_gaps(placed(measure, universe)) is None)
