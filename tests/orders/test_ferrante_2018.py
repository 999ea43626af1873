"""The worked examples of Ferrante et al. 2018 on orders, difference structures and scales, and of its appendix.

Example 1 and those of the appendix are on numbers and sets, Examples 2 to 7 on sets of documents (grades from high to
low), Examples 8 to 14 on ranked runs.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb, gcd, lcm, log2

import pytest

from evenscale.judged import Judged
from evenscale.measures import parse
from evenscale.measures.exact import inverse_log
from evenscale.orders import (
    ORDERS,
    Poset,
    SetUniverse,
    Universe,
    difference_structure,
    gradedness,
    induced,
    natural_distance,
    natural_structure,
    rank_function,
    scale_on,
    width,
)
from evenscale.orders.conditions import generalised_precision
from evenscale.orders.gaps import gap
from evenscale.orders.grading import maximal_chains
from orders import twins

F = Fraction


def _score(text: str, run: tuple[int, ...], grades: int = 1) -> Fraction:
    return parse(text)(Judged(run, Universe(len(run), grades).topic))


def test_example_1_whole_numbers() -> None:
    poset = Poset.of_relation(range(10), lambda a, b: a <= b)
    assert gradedness(poset).rank == 9 and rank_function(poset) == {a: a for a in range(10)}
    assert natural_structure(poset).holds
    assert difference_structure(range(10), lambda a, b: b - a).holds
    # From 1 as far as from 7 to 9 is 3; up to 6 as far is from 4.
    assert natural_distance(poset, 1, 3) == natural_distance(poset, 7, 9) == natural_distance(poset, 4, 6) == 2


def test_example_2_rank_in_the_total_order_of_sets() -> None:
    poset = twins.poset("set-total", 5, 3)
    ranks = rank_function(poset)
    assert ranks[3, 0, 0, 0, 0] == comb(7, 5) == 21
    assert ((2, 2, 2, 2, 2), (3, 0, 0, 0, 0)) in poset.covers
    assert ranks[3, 2, 0, 0, 0] - ranks[3, 0, 0, 0, 0] == comb(5, 4) == 5
    assert ranks[3, 2, 1, 0, 0] == 21 + 5 + 1 == 27 == parse("SBTO(gmax=3)@5")(Judged.of([3, 2, 1, 0, 0]))
    assert poset.leq((3, 0, 0, 0, 0), (3, 2, 1, 0, 0))


def test_example_2_corrected_count_of_objects() -> None:
    """Below {2, 0, 0, 0} are the sets of four from {0, 1}: two objects, not three, make the five there are."""
    below = [s for s in SetUniverse(4, 3).runs() if s != (2, 0, 0, 0) and twins.LEQ["set-total"](s, (2, 0, 0, 0))]
    assert len(below) == 5 and {grade for s in below for grade in s} == {0, 1}


@pytest.mark.parametrize(("depth", "grades"), [(1, 1), (5, 3), (4, 2), (3, 5)])
def test_equation_2_corrected_range_of_the_rank_function(depth: int, grades: int) -> None:
    """The rank function ends at C(N + c, N) - 1: it counts the sets below."""
    ranks = rank_function(twins.poset("set-total", depth, grades))
    assert sorted(ranks.values()) == list(range(comb(depth + grades, depth)))
    assert max(ranks.values()) == comb(depth + grades, depth) - 1


def test_example_3_one_replacement_adds_different_amounts() -> None:
    ranks = rank_function(twins.poset("set-total", 5, 2))
    assert (ranks[2, 2, 1, 1, 1], ranks[2, 1, 1, 0, 0]) == (14, 8)
    assert (ranks[2, 2, 2, 1, 1], ranks[2, 2, 1, 0, 0]) == (17, 12)


def test_the_set_order_of_section_5_1_at_the_highest_differing_grade() -> None:
    assert ORDERS["set-total"].leq((4, 3, 2, 2, 2, 2), (4, 3, 3, 0, 0, 0))
    assert not ORDERS["set-total"].leq((4, 3, 3, 0, 0, 0), (4, 3, 2, 2, 2, 2))


def test_example_4_incomparable_sets() -> None:
    one, other = (2, 2, 1, 1, 0), (3, 1, 1, 1, 0)
    assert not ORDERS["set-partial"].comparable(one, other)
    assert ORDERS["set-total"].leq(one, other) and not ORDERS["set-total"].leq(other, one)


def test_example_5_hasse_diagram_of_sets() -> None:
    poset = twins.poset("set-partial", 3, 3)
    assert poset.size == 20 and gradedness(poset).graded
    for low, high in product(poset.labels, repeat=2):
        raised = [a for a, b in zip(low, high, strict=True) if a != b] if sum(high) == sum(low) + 1 else []
        assert ((low, high) in poset.covers) == (len(raised) == 1)
    path = [(1, 1, 0), (1, 1, 1), (2, 1, 1), (3, 1, 1), (3, 2, 1), (3, 3, 1)]
    assert all(step in poset.covers for step in pairwise(path))
    inside = [s for s in poset.labels if poset.leq(path[0], s) and poset.leq(s, path[-1])]
    chains = twins.maximal_chains(inside, twins.LEQ["set-partial"])
    assert {len(chain) - 1 for chain in chains} == {5} and len(chains) > 1
    assert natural_distance(poset, path[0], path[-1]) == 5


def test_example_6_rank_in_the_partial_order_of_sets() -> None:
    poset = twins.poset("set-partial", 3, 3)
    assert natural_distance(poset, (0, 0, 0), (3, 0, 0)) == 3
    assert rank_function(poset)[3, 1, 0] == 4 == parse("SBPO(gmax=3)@3")(Judged.of([3, 1, 0]))


@pytest.mark.parametrize("third", [3, 4, 5, 9])
def test_example_7_generalised_precision_with_uneven_gains(third: int) -> None:
    """With gains 0, 1, 2 and g(3) > 4 g(1), the shorter of two intervals scores more."""
    poset = twins.poset("set-partial", 3, 3)
    u, v, r, s = (0, 0, 0), (1, 1, 1), (2, 2, 1), (3, 2, 2)
    assert all(poset.leq(a, b) for a, b in combinations((u, v, r, s), 2))
    assert natural_distance(poset, r, s) == 2 and natural_distance(poset, u, v) == 3
    score = generalised_precision([0, 1, 2, third])
    assert (score(s) - score(r) > score(v) - score(u)) == (third > 4)
    assert scale_on(score, "set-partial", SetUniverse(3, 3), poset=poset).interval == (third == 3)


def test_example_8_ranks_under_strong_top_heaviness() -> None:
    """The example prints 461 for the third run; its own sum, 256 + 192 + 0 + 12 + 2, comes to 462."""
    binary = twins.poset("strong", 5, 1)
    low, high = (0, 0, 1, 1, 1), (0, 1, 0, 0, 0)
    assert (low, high) in binary.covers and (rank_function(binary)[low], rank_function(binary)[high]) == (7, 8)
    graded = twins.poset("strong", 5, 3)
    low, high = (1, 3, 0, 3, 2), (1, 3, 1, 0, 2)
    assert graded.leq(low, high) and (rank_function(graded)[low], rank_function(graded)[high]) == (462, 466)
    assert gradedness(graded).rank == 4**5 - 1


def test_example_9_popular_measures_reverse_strong_top_heaviness() -> None:
    low, high = (1, 0, 2, 0, 1), (1, 1, 0, 0, 0)
    assert ORDERS["strong"].leq(low, high)
    dcg = "DCG(dcg='jk',base=2)@5"
    assert _score(dcg, low, 2) == 1 + inverse_log(2, 3) * 2 + inverse_log(2, 5)
    assert _score(dcg, high, 2) == 2 < _score(dcg, low, 2)
    assert _score("ERR@5", low, 2) == F(1, 4) + F(3, 16) + F(3, 320)
    assert _score("ERR@5", high, 2) == F(1, 4) + F(3, 32) < _score("ERR@5", low, 2)
    assert 5 * _score("AP@5", low, 2) == 1 + F(2, 3) + F(3, 5) and 5 * _score("AP@5", high, 2) == 2
    for p, reversed_ in (("0.45", False), ("0.454", True), ("0.5", True)):
        assert (_score(f"RBP(p={p})@5", low, 2) > _score(f"RBP(p={p})@5", high, 2)) == reversed_
    for text in (dcg, "ERR@5", "AP@5", "RBP(p=0.454)@5"):
        assert not scale_on(parse(text), "strong", Universe(5, 2), poset=twins.poset("strong", 5, 2)).ordinal
    # 1 / 3 is the threshold for every depth; at depth 5 it is a little higher, at 0.339.
    assert scale_on(parse("RBP(p=1/3)@5"), "strong", Universe(5, 2), poset=twins.poset("strong", 5, 2)).interval


def test_section_6_1_smaller_persistence_is_ordinal_but_not_interval() -> None:
    r, s, u, v = (0, 0, 0, 0, 1), (0, 0, 0, 1, 0), (0, 0, 0, 1, 1), (0, 0, 1, 0, 0)
    poset = twins.poset("strong", 5, 1)
    assert (r, s) in poset.covers and (u, v) in poset.covers
    for p in ("0.3", "0.4", "0.5"):
        first = _score(f"RBP(p={p})@5", s) - _score(f"RBP(p={p})@5", r)
        second = _score(f"RBP(p={p})@5", v) - _score(f"RBP(p={p})@5", u)
        found = scale_on(parse(f"RBP(p={p})@5"), "strong", Universe(5), poset=poset)
        assert found.strict and found.interval == (first == second) == (p == "0.5")


def test_example_10_incomparable_runs() -> None:
    one, other = (1, 1, 3, 0, 2), (1, 2, 0, 0, 3)
    assert not ORDERS["weak"].comparable(one, other)
    assert ORDERS["strong"].leq(one, other) and not ORDERS["strong"].leq(other, one)


def test_example_11_hasse_diagram_of_runs() -> None:
    poset = twins.poset("weak", 4, 1)
    low, high = (0, 1, 0, 0), (1, 0, 1, 1)
    inside = [r for r in poset.labels if poset.leq(low, r) and poset.leq(r, high)]
    chains = twins.maximal_chains(inside, twins.LEQ["weak"])
    assert {len(chain) - 1 for chain in chains} == {4} and len(chains) > 1
    assert natural_distance(poset, low, high) == 4
    assert gradedness(poset).rank == 10 and poset.is_lattice and width(poset) == 2
    for one, other in poset.covers:
        # A swap of neighbours, or a replacement at the last rank.
        changed = [k for k in range(4) if one[k] != other[k]]
        assert changed == [3] or (len(changed) == 2 and changed[1] == changed[0] + 1)


def test_example_12_rank_under_weak_top_heaviness() -> None:
    poset = twins.poset("weak", 4, 1)
    ranks = rank_function(poset)
    assert (ranks[1, 0, 0, 0], ranks[1, 0, 1, 0], ranks[1, 0, 1, 1]) == (4, 6, 7)
    assert parse("RBPO@4")(Judged.of([1, 0, 1, 1])) == 7


def test_example_13_popular_measures_are_not_interval_on_weak_top_heaviness() -> None:
    poset = twins.poset("weak", 4, 1)
    r, s, u, v = (0, 1, 0, 0), (1, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 0)
    assert (r, s) in poset.covers and (u, v) in poset.covers and poset.leq(v, r)

    def gaps(text: str) -> tuple[Fraction, Fraction]:
        return gap(_score(text, r), _score(text, s)), gap(_score(text, u), _score(text, v))

    assert gaps("AP@4") == (F(1, 2) / 4, F(1, 12) / 4)
    assert gaps("ERR@4") == (F(1, 4), F(1, 24))
    p = F(4, 5)
    assert gaps("RBP(p=0.8)@4") == ((1 - p) ** 2, (1 - p) ** 2 * p**2)
    first, second = gaps("DCG(dcg='jk',base=2)@4")
    assert first == 0 and float(second) == pytest.approx(1 / log2(3) - 1 / 2)
    for text in ("AP@4", "ERR@4", "RBP(p=0.8)@4", "DCG(dcg='jk',base=2)@4"):
        found = scale_on(parse(text), "weak", Universe(4), poset=poset)
        assert found.ordinal and not found.interval


def test_example_14_weak_top_heaviness_is_not_graded_with_three_grades() -> None:
    poset = twins.poset("weak", 3, 2)
    low, high = (2, 1, 0), (2, 2, 1)
    inside = [r for r in poset.labels if poset.leq(low, r) and poset.leq(r, high)]
    chains = twins.maximal_chains(inside, twins.LEQ["weak"])
    assert sorted(len(chain) - 1 for chain in chains) == [2, 3]
    part = gradedness(Poset.of_relation(inside, ORDERS["weak"].leq))
    assert [(chain[0], chain[-1], len(chain) - 1) for chain in part.chains] == [(low, high, 2), (low, high, 3)]
    assert not gradedness(poset).graded


def test_section_6_3_dcg_is_not_interval_on_the_order_it_induces() -> None:
    measure = parse("DCG(dcg='jk',base=2)@3")
    found = scale_on(measure, "induced", Universe(3, 2))
    assert found.ordinal and not found.interval and found.witness.kind == "steps"
    classes = Poset.of(induced(measure), Universe(3, 2)).classes
    assert classes[-1] == ((2, 2, 2),) and classes[-2] == ((2, 2, 1),)
    # The discount starts after rank 2, so swapping the first two ranks changes nothing: the third highest is two runs.
    assert set(classes[-3]) == {(2, 1, 2), (1, 2, 2)}


# --- the appendix ---------------------------------------------------------------------------------------------------

DIVISORS = [1, 2, 3, 5, 6, 10, 15, 30]


def _divisors() -> Poset:
    return Poset.of_relation(DIVISORS, lambda a, b: b % a == 0)


def _power_set(size: int) -> Poset:
    subsets = [frozenset(some) for k in range(size + 1) for some in combinations(range(size), k)]
    return Poset.of_relation(subsets, lambda a, b: a <= b)


def test_appendix_example_1_power_set() -> None:
    poset = _power_set(4)
    assert poset.size == 16 and gradedness(poset).rank == 4 and poset.is_lattice and width(poset) == 6
    assert all(len(high - low) == 1 for low, high in poset.covers) and len(poset.covers) == 32


def test_appendix_example_2_total_and_weak_orders() -> None:
    for size in range(1, 5):
        poset = _power_set(size)
        assert all(poset.comparable(a, b) for a in poset.labels for b in poset.labels) == (size == 1)
    heights = {"Ann": 170, "Bob": 182, "Cem": 170}
    people = Poset.of_relation(list(heights), lambda a, b: heights[a] <= heights[b])
    assert people.classes == (("Ann", "Cem"), ("Bob",))


def test_appendix_example_3_divisors() -> None:
    poset = _divisors()
    assert (1, 2) in poset.covers and (1, 6) not in poset.covers
    assert not any(poset.comparable(a, b) for a, b in combinations((2, 3, 5), 2))
    assert not poset.comparable(3, 10) and poset.levels == ((1,), (2, 3, 5), (6, 10, 15), (30,))


def test_appendix_example_4_maximal_chains_and_ranks() -> None:
    poset = _divisors()
    listed = {(1, 2, 6, 30), (1, 2, 10, 30), (1, 3, 6, 30), (1, 3, 15, 30), (1, 5, 10, 30), (1, 5, 15, 30)}
    assert set(maximal_chains(poset)) == listed
    assert rank_function(poset) == {1: 0, 2: 1, 3: 1, 5: 1, 6: 2, 10: 2, 15: 2, 30: 3}


def test_appendix_example_5_lattice() -> None:
    poset = _divisors()
    assert poset.is_lattice
    for a, b in product(DIVISORS, repeat=2):
        assert poset.labels[poset.join(poset.number(a), poset.number(b))] == lcm(a, b)
    turned = Poset.of_relation(DIVISORS, lambda a, b: a % b == 0)
    assert turned.labels[turned.join(turned.number(2), turned.number(15))] == gcd(2, 15) == 1
