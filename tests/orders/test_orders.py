"""The orders: each rule against its definition, all pairs at once against the rule, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from evenscale.errors import BadParameter
from evenscale.measures import parse
from evenscale.orders import ORDERS, Poset, SetUniverse, Universe, UniverseTooLarge, find_order, induced, refuse_large
from orders.twins import LEQ, SMALL


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize(("depth", "grades"), SMALL)
def test_leq_and_matrix_against_the_definition(name: str, depth: int, grades: int) -> None:
    order = ORDERS[name]
    universe = order.universe(depth, grades)
    runs = list(universe.runs())
    expected = [[LEQ[name](r, s) for s in runs] for r in runs]
    assert [[order.leq(r, s) for s in runs] for r in runs] == expected
    assert order.matrix(universe).tolist() == expected
    assert all(order.comparable(r, s) == (LEQ[name](r, s) or LEQ[name](s, r)) for r in runs for s in runs)


@pytest.mark.parametrize("name", ["set-total", "set-partial"])
def test_set_orders_on_ranked_runs_ignore_the_ranks(name: str) -> None:
    runs = list(Universe(3, 2).runs())
    expected = [[LEQ[name](r, s) for s in runs] for r in runs]
    assert ORDERS[name].matrix(Universe(3, 2)).tolist() == expected
    assert Poset.of(ORDERS[name], Universe(3, 2)).size == SetUniverse(3, 2).size


def test_total_orders_compare_all_runs_and_partial_ones_do_not() -> None:
    whole = {name: np.all((m := order.matrix(order.universe(4, 2))) | m.T).item() for name, order in ORDERS.items()}
    assert whole == {"set-total": True, "set-partial": False, "strong": True, "weak": False}


def test_with_binary_grades_the_two_set_orders_are_one() -> None:
    for depth in range(1, 9):
        universe = SetUniverse(depth)
        assert np.array_equal(ORDERS["set-total"].matrix(universe), ORDERS["set-partial"].matrix(universe))


def test_strong_extends_weak() -> None:
    weak, strong = (ORDERS[name].matrix(Universe(4, 2)) for name in ("weak", "strong"))
    assert np.all(strong[weak])


@pytest.mark.parametrize("text", ["AP@4", "nDCG@4", "RR@4", "ERR@4"])
def test_induced_order_is_that_of_the_exact_values(text: str) -> None:
    measure = parse(text)
    order, universe = induced(measure, grades=2), Universe(3, 2)
    runs = list(universe.runs())
    walk = measure.walk(universe.topic, 3)
    expected = [[walk.value(r) <= walk.value(s) for s in runs] for r in runs]
    assert order.matrix(universe).tolist() == expected
    assert [[order.leq(r, s) for s in runs] for r in runs] == expected
    assert all(order.comparable(r, s) for r in runs for s in runs)


def test_induced_order_takes_any_function_and_sets() -> None:
    order = induced(lambda run: -sum(run), sets=True)
    assert order.leq((1, 1), (1, 0)) and not order.leq((1, 0), (1, 1))
    assert order.universe(3, 2) == SetUniverse(3, 2)
    assert induced(parse("P")).universe(3, 2) == Universe(3, 2)


def test_orders_are_found_by_name() -> None:
    measure = parse("AP@3")
    assert find_order("strong") is ORDERS["strong"]
    assert find_order("induced", measure) == induced(measure)
    with pytest.raises(BadParameter, match="needs the measure"):
        find_order("induced")
    with pytest.raises(BadParameter, match=r"one of set-total, .* got 'best'"):
        find_order("best")


@pytest.mark.parametrize("order", [ORDERS["weak"], induced(parse("AP"))])
def test_runs_of_different_lengths_are_not_compared(order: object) -> None:
    with pytest.raises(BadParameter, match="one length, got 1 and 2"):
        order.leq((1,), (1, 0))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("universe", "says"),
    [
        (
            Universe(20),
            "depth 20 with grades 0 to 1 has 1,048,576 runs, above the budget of 4,096: depth 12 would work",
        ),
        (Universe(9, 3), "has 262,144 runs, above the budget of 4,096: depth 6 would work"),
        (SetUniverse(90, 2), "has 4,186 runs, above the budget of 4,096: depth 89 would work"),
        (Universe(40, 1, recall_base=3), "has 10,701 runs, above the budget of 4,096: depth 29 would work"),
        (Universe(2, 9000), "no depth would work, take fewer grades"),
    ],
)
def test_large_universes_are_refused_with_the_depth_that_works(universe: Universe | SetUniverse, says: str) -> None:
    with pytest.raises(UniverseTooLarge, match=says):
        refuse_large(universe)
    with pytest.raises(UniverseTooLarge, match=says):
        Poset.of(ORDERS["weak"], universe)
    with pytest.raises(UniverseTooLarge, match=says):
        ORDERS["weak"].matrix(universe)


def test_the_depth_that_works_is_not_refused() -> None:
    refuse_large(Universe(12))
    refuse_large(SetUniverse(89, 2))
    refuse_large(Universe(29, 1, recall_base=3))
    with pytest.raises(UniverseTooLarge, match="budget of 10: depth 3 would work"):
        refuse_large(Universe(4), budget=10)
