"""Difference structures: quick checks against all tuples, one planted violation of every axiom, and the theorem."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenscale.errors import BadInput
from evenscale.measures import parse
from evenscale.orders import (
    ORDERS,
    NotGraded,
    Poset,
    Universe,
    difference_relation,
    difference_structure,
    natural_structure,
    placed,
    rank_function,
    structure_of_values,
)
from evenscale.orders.differences import AXIOMS, DifferenceStructure
from evenscale.orders.gaps import gap
from orders import twins

Pair = tuple[int, int]
Compare = Callable[[Pair, Pair], bool]


# --- the axioms as they are written ---------------------------------------------------------------------------------


def _weak_order(n: int, leq: Compare) -> bool:
    pairs = list(product(range(n), repeat=2))
    complete = all(leq(x, y) or leq(y, x) for x in pairs for y in pairs)
    return complete and all(leq(x, z) for x in pairs for y in pairs if leq(x, y) for z in pairs if leq(y, z))


def _sign_reversal(n: int, leq: Compare) -> bool:
    return all(leq((d, c), (b, a)) for a, b, c, d in product(range(n), repeat=4) if leq((a, b), (c, d)))


def _weak_monotonicity(n: int, leq: Compare) -> bool:
    return all(
        leq((a, c), (x, z))
        for a, b, c, x, y, z in product(range(n), repeat=6)
        if leq((a, b), (x, y)) and leq((b, c), (y, z))
    )


def _solvability(n: int, leq: Compare) -> bool:
    def same(x: Pair, y: Pair) -> bool:
        return leq(x, y) and leq(y, x)

    return all(
        any(same((a, e), (c, d)) for e in range(n)) and any(same((e, b), (c, d)) for e in range(n))
        for a, b, c, d in product(range(n), repeat=4)
        if leq((a, a), (c, d)) and leq((c, d), (a, b))
    )


NAIVE = dict(zip(AXIOMS, (_weak_order, _sign_reversal, _weak_monotonicity, _solvability), strict=True))


def _broken(n: int, leq: Compare) -> tuple[str, ...]:
    return tuple(name for name, holds in NAIVE.items() if not holds(n, leq))


def _breaks(found: DifferenceStructure, leq: Compare) -> None:
    """The elements that are named do break their axiom."""
    for axiom in found.axioms:
        x = dict(axiom.elements)
        assert axiom.holds == (not x)
        if axiom.name == "sign reversal" and x:
            assert leq((x["a"], x["b"]), (x["c"], x["d"])) and not leq((x["d"], x["c"]), (x["b"], x["a"]))
        if axiom.name == "weak monotonicity" and x:
            assert leq((x["a"], x["b"]), (x["a'"], x["b'"])) and leq((x["b"], x["c"]), (x["b'"], x["c'"]))
            assert not leq((x["a"], x["c"]), (x["a'"], x["c'"]))
        if axiom.name == "solvability" and x:
            a, b, cd, everything = x["a"], x["b"], (x["c"], x["d"]), range(len(found.labels))
            assert leq((a, a), cd) and leq(cd, (a, b))
            forth = any(leq((a, e), cd) and leq(cd, (a, e)) for e in everything)
            back = any(leq((e, b), cd) and leq(cd, (e, b)) for e in everything)
            assert not (forth and back)


@settings(max_examples=200)
@given(st.integers(1, 3).flatmap(lambda n: st.lists(st.integers(0, 3), min_size=n * n, max_size=n * n)))
def test_levels_against_all_tuples(flat: list[int]) -> None:
    n = round(len(flat) ** 0.5)
    level = np.array(flat).reshape(n, n)

    def leq(x: Pair, y: Pair) -> bool:
        return bool(level[x] <= level[y])

    found = difference_structure(range(n), level)
    assert found.broken == _broken(n, leq)
    _breaks(found, leq)
    assert difference_relation(range(n), leq).broken == found.broken


def test_all_levels_of_two_elements_against_all_tuples() -> None:
    for flat in product(range(4), repeat=4):
        level = np.array(flat).reshape(2, 2)

        def leq(x: Pair, y: Pair, level: np.ndarray = level) -> bool:
            return bool(level[x] <= level[y])

        found = difference_structure(range(2), level)
        assert found.broken == _broken(2, leq) == difference_relation(range(2), leq).broken, flat
        _breaks(found, leq)


@settings(max_examples=150)
@given(st.integers(1, 3).flatmap(lambda n: st.lists(st.booleans(), min_size=n**4, max_size=n**4)))
def test_any_relation_against_all_tuples(flat: list[bool]) -> None:
    size = round(len(flat) ** 0.5)
    n, relation = round(size**0.5), np.array(flat).reshape(size, size)

    def leq(x: Pair, y: Pair) -> bool:
        return bool(relation[x[0] * n + x[1], y[0] * n + y[1]])

    found = difference_relation(range(n), relation)
    assert found.broken == _broken(n, leq)
    _breaks(found, leq)


@settings(max_examples=60)
@given(st.lists(st.fractions(0, 4, max_denominator=3), min_size=1, max_size=5))
def test_values_against_the_general_check(values: list[Fraction]) -> None:
    labels = range(len(values))
    found = structure_of_values(labels, values)
    assert found.broken == difference_structure(labels, lambda a, b: values[b] - values[a]).broken
    assert found.holds == _even(tuple(values))


PLANTED = {
    # Each breaks one axiom and no other; levels by rows.
    "sign reversal": ((0, 0), (1, 1)),
    "weak monotonicity": ((1, 0, 0), (2, 1, 0), (2, 2, 1)),
    "solvability": ((0, 1, 3), (-1, 0, 2), (-3, -2, 0)),
}


@pytest.mark.parametrize("axiom", PLANTED)
def test_a_planted_violation_of_one_axiom_is_caught_alone(axiom: str) -> None:
    level = PLANTED[axiom]
    found = difference_structure(range(len(level)), level)
    assert found.broken == (axiom,) == _broken(len(level), lambda x, y: level[x[0]][x[1]] <= level[y[0]][y[1]])
    assert not found.holds


def test_relations_that_are_no_weak_order_are_caught_alone() -> None:
    found = difference_relation(range(2), lambda x, y: x == y)
    assert found.broken == ("weak order",) and "not so for a = " in found.axioms[0].sentence

    def close(x: Pair, y: Pair) -> bool:
        # Complete, but not transitive: differences are only told apart when they are far apart.
        return (x[1] - x[0]) - (y[1] - y[0]) <= 1

    assert "weak order" in difference_relation(range(4), close).broken
    assert set(dict(difference_relation(range(4), close).axioms[0].elements)) == set("abcdef")


def test_a_measure_with_uneven_values_breaks_solvability() -> None:
    found = placed(parse("RR@3"), Universe(3))
    structure = structure_of_values([str(value) for value in found.values], found.values)
    assert structure.broken == ("solvability",)
    assert "solvability fails" in str(structure) and structure.to_dict()["holds"] is False
    assert structure.frame["holds"].to_list() == [True, True, True, False]


def test_a_measure_with_a_decreasing_step_breaks_sign_or_monotonicity() -> None:
    # Differences that forget their sign: |b - a|.
    assert "weak monotonicity" in difference_structure(range(4), lambda a, b: abs(b - a)).broken
    # Differences with a direction in which they are stretched.
    assert "sign reversal" in difference_structure(range(4), lambda a, b: b - a if b > a else (b - a) * 10 - a).broken


@pytest.mark.parametrize("size", [1, 2, 50, 200])
def test_long_chains(size: int) -> None:
    assert difference_structure(range(size), lambda a, b: b - a).holds


def test_floats_and_log_sums_are_compared() -> None:
    assert difference_structure(range(11), lambda a, b: b * 0.1 - a * 0.1).holds
    values = placed(parse("DCG@3"), Universe(3)).values
    assert difference_structure(values, lambda a, b: gap(a, b)).broken == ("solvability",)


# --- the theorem ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "depth", "grades"), [(o, n, c) for o in ORDERS for n, c in [(3, 1), (4, 1), (2, 2)]])
def test_one_chain_stands_for_all_maximal_chains(name: str, depth: int, grades: int) -> None:
    """Representation theorem: where the axioms hold, the rank function orders differences as the structure does."""
    runs = list(ORDERS[name].universe(depth, grades).runs())
    poset = twins.poset(name, depth, grades)
    chains = twins.maximal_chains(runs, twins.LEQ[name])
    if len({len(chain) for chain in chains}) > 1:
        with pytest.raises(NotGraded):
            natural_structure(poset)
        return
    ranks = rank_function(poset)
    assert natural_structure(poset).holds
    for chain in chains:
        place = {run: number for number, run in enumerate(chain)}  # the natural distance within the chain
        assert difference_structure(chain, lambda a, b, place=place: place[b] - place[a]).holds
        for a, b, c, d in product(chain[:5], repeat=4):
            assert (place[b] - place[a] <= place[d] - place[c]) == (ranks[b] - ranks[a] <= ranks[d] - ranks[c])


def test_where_the_axioms_hold_there_is_an_interval_scale() -> None:
    """Ferrante et al. 2018, Theorem 1, for all structures on three elements with differences that change sign."""
    found = {True: 0, False: 0}
    for up, next_up, whole in product(range(-3, 4), repeat=3):
        level = np.array([[0, up, whole], [-up, 0, next_up], [-whole, -next_up, 0]])
        holds = difference_structure(range(3), level).holds
        found[holds] += 1
        # Evenly spaced values represent a structure if and only if the axioms hold.
        assert holds == any(_represents(values, level) for values in product(range(3), repeat=3) if _even(values))
    assert min(found.values()) > 10


def _represents(values: tuple[int, ...], level: np.ndarray) -> bool:
    pairs = list(product(range(3), repeat=2))
    steps = {(a, b): values[b] - values[a] for a, b in pairs}
    return all((level[x] <= level[y]) == (steps[x] <= steps[y]) for x in pairs for y in pairs)


def _even(values: tuple[int | Fraction, ...]) -> bool:
    distinct = sorted(set(values))
    return len({high - low for low, high in pairwise(distinct)}) <= 1


def test_what_cannot_be_checked_is_refused() -> None:
    with pytest.raises(BadInput, match="3 by 3"):
        difference_structure("abc", [[0, 1], [1, 0]])
    with pytest.raises(BadInput, match="4 by 4"):
        difference_relation("ab", np.ones((3, 3), dtype=bool))
    with pytest.raises(BadInput, match="up to 24 elements, got 25"):
        difference_relation(range(25), np.ones((625, 625), dtype=bool))
    with pytest.raises(BadInput, match="up to 2,048 distinct differences"):
        difference_structure(range(60), lambda a, b: 61 * a + b * b)


def test_values_of_many_distinct_differences_are_still_checked() -> None:
    values = [Fraction(2**k) for k in range(60)]
    assert structure_of_values(range(60), values).broken == ("solvability",)


def test_posets_that_are_not_graded_have_no_natural_structure() -> None:
    with pytest.raises(NotGraded, match="no natural distances"):
        natural_structure(twins.poset("weak", 3, 2))
    assert natural_structure(Poset.of_relation("a", lambda a, b: True)).holds
