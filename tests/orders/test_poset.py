"""Posets against twins that follow the definitions, on all small universes and on random orders."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from evenscale.errors import BadInput
from evenscale.measures import parse
from evenscale.orders import (
    ORDERS,
    NotGraded,
    Poset,
    Universe,
    gradedness,
    induced,
    natural_distance,
    rank_function,
    widest_antichain,
    width,
)
from evenscale.orders.grading import maximal_chains
from orders import twins
from orders.twins import LEQ, SMALL

CHAINS = [(n, c) for n, c in SMALL if (c + 1) ** n <= 27]
"""Where all maximal chains can be listed."""


def _agree(found: Poset, labels: list[int] | list[tuple[int, ...]], leq: twins.Leq) -> None:
    """Everything a poset tells, against the twins."""
    assert set(found.covers) == twins.covers(labels, leq)
    chains = twins.maximal_chains(labels, leq)
    assert sorted(maximal_chains(found)) == sorted(chains)
    lengths = {len(chain) - 1 for chain in chains}
    assert found.height == max(lengths)
    grading = gradedness(found)
    assert grading.graded == (len(lengths) == 1)
    if grading.graded:
        assert all(grading.ranks[x] == chain.index(x) for chain in chains for x in chain)
        assert {grading.rank} == lengths
    else:
        _refute(found, grading.chains, chains)
    assert found.is_lattice == (twins.is_lattice(labels, leq) if labels else False)


def _refute(found: Poset, pair: tuple[tuple[object, ...], ...], chains: list[tuple[object, ...]]) -> None:
    """The two chains are made of covers, have different lengths, and no chains with the same ends are shorter."""
    short, long = pair
    assert len(short) < len(long)
    for chain in pair:
        assert all(step in set(found.covers) for step in pairwise(chain))
    parts = {(chain[i], chain[j], j - i) for chain in chains for i in range(len(chain)) for j in range(i, len(chain))}
    same_ends = [max(m, n) for a, b, m in parts for c, d, n in parts if (a, b) == (c, d) and m != n]
    if same_ends:
        assert (short[0], short[-1]) == (long[0], long[-1]) and len(long) - 1 == min(same_ends)
    else:
        assert {len(short), len(long)} == {min(map(len, chains)), max(map(len, chains))}


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize(("depth", "grades"), CHAINS)
def test_posets_of_small_universes(name: str, depth: int, grades: int) -> None:
    _agree(twins.poset(name, depth, grades), list(ORDERS[name].universe(depth, grades).runs()), LEQ[name])


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize(("depth", "grades"), SMALL)
def test_covers_of_small_universes(name: str, depth: int, grades: int) -> None:
    runs = list(ORDERS[name].universe(depth, grades).runs())
    assert set(twins.poset(name, depth, grades).covers) == twins.covers(runs, LEQ[name])


@settings(max_examples=150)
@given(twins.relations())
def test_random_orders(order: tuple[int, set[tuple[int, int]]]) -> None:
    size, pairs = order
    labels = list(range(size))

    def leq(a: int, b: int) -> bool:
        return (a, b) in pairs

    found = Poset.of_relation(labels, leq)
    _agree(found, labels, leq)
    assert width(found) == twins.widest(labels, leq)
    antichain = widest_antichain(found)
    assert not any(found.comparable(a, b) for a in antichain for b in antichain if a != b)
    assert sorted(x for level in found.levels for x in level) == labels
    assert all(not found.comparable(a, b) for level in found.levels for a in level for b in level if a != b)


@settings(max_examples=80)
@given(twins.relations(most=6, equivalent=True))
def test_equivalent_elements_make_classes(order: tuple[int, set[tuple[int, int]]]) -> None:
    size, pairs = order
    found = Poset.of_relation(list(range(size)), lambda a, b: (a, b) in pairs)
    classes = {frozenset(b for b in range(size) if {(a, b), (b, a)} <= pairs) for a in range(size)}
    assert {frozenset(members) for members in found.classes} == classes
    assert all(found.leq(a, b) == ((a, b) in pairs) for a in range(size) for b in range(size))
    first = [min(members) for members in classes]
    assert set(found.covers) == twins.covers(first, lambda a, b: (a, b) in pairs)


@pytest.mark.parametrize(("name", "depth", "grades"), [("weak", 7, 1), ("weak", 4, 2), ("set-partial", 5, 3)])
def test_width_against_a_matching_and_the_antichain_itself(name: str, depth: int, grades: int) -> None:
    found = twins.poset(name, depth, grades)
    strict = found.below & ~np.eye(found.size, dtype=bool)
    matched = maximum_bipartite_matching(csr_array(strict).tocsr(), perm_type="column")
    antichain = widest_antichain(found)
    assert len(antichain) == width(found) == found.size - int((matched >= 0).sum())
    assert not any(found.comparable(a, b) for a in antichain for b in antichain if a != b)


def test_width_of_weak_top_heaviness_is_its_largest_level() -> None:
    # On binary runs the order is that of sums of distinct parts, which is known to have this property (Stanley 1980).
    for depth in range(1, 13):
        found = twins.poset("weak", depth, 1)
        assert width(found) == max(map(len, found.levels))


def test_ten_ranks_make_the_diagram_of_1024_runs() -> None:
    found = twins.poset("weak", 10, 1)
    assert (found.size, len(found.covers), found.height, found.is_lattice) == (1024, 2816, 55, True)


def test_induced_order_is_a_chain_of_classes() -> None:
    found = Poset.of(induced(parse("P@3")), Universe(3))
    assert [len(members) for members in found.classes] == [1, 3, 3, 1]
    assert gradedness(found).rank == 3 and width(found) == 1
    assert found.labels == ((0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1))
    assert rank_function(found)[(1, 1, 0)] == 2
    assert natural_distance(found, (1, 0, 0), (0, 0, 1)) == 0


def test_distances_are_only_between_comparable_elements_of_graded_orders() -> None:
    weak = twins.poset("weak", 3, 1)
    assert natural_distance(weak, (0, 0, 1), (1, 0, 0)) == 2 and natural_distance(weak, (1, 0, 0), (0, 0, 1)) == -2
    with pytest.raises(BadInput, match="not comparable"):
        natural_distance(weak, (0, 1, 1), (1, 0, 0))
    with pytest.raises(NotGraded, match="one maximal chain has 2 steps and another 3 steps"):
        natural_distance(twins.poset("weak", 3, 2), (0, 0, 0), (0, 0, 1))
    with pytest.raises(BadInput, match="not an element"):
        weak.leq((0, 0, 1), (0, 0, 0, 1))


def test_chains_with_different_ends_refute_gradedness_where_no_others_do() -> None:
    found = gradedness(Poset.of_relation("abxyz", lambda a, b: a <= b and (a in "ab") == (b in "ab")))
    assert found.chains == (("a", "b"), ("x", "y", "z"))
    assert found.sentence == "the maximal chain from a to b has 1 step, that from x to z has 2 steps"
    assert found.to_dict()["chains"] == [["a", "b"], ["x", "y", "z"]]


def test_relations_that_are_no_orders_are_refused() -> None:
    with pytest.raises(BadInput, match="reflexive: 'b' is not at most itself"):
        Poset.of_relation("ab", lambda a, b: a == b == "a")
    with pytest.raises(BadInput, match="transitive: 0 is at most 1 and that at most 2, but 0 is not at most 2"):
        Poset.of_relation(range(3), lambda a, b: b - a in (0, 1))
    with pytest.raises(BadInput, match="2 by 2"):
        Poset.of_relation("ab", np.ones((2, 3), dtype=bool))
    with pytest.raises(BadInput, match="at least one element"):
        Poset.of_relation("", lambda a, b: True)
