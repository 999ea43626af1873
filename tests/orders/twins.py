"""Orders and posets written as slowly and plainly as can be, and the universes on which the quick ones are tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any

from hypothesis import strategies as st

from evenscale.orders import ORDERS, Poset, SetUniverse, Universe

Leq = Callable[[Any, Any], bool]


def _listed(run: Sequence[int]) -> list[int]:
    return sorted(run, reverse=True)


def _each(run: Sequence[int], other: Sequence[int]) -> bool:
    return all(a <= b for a, b in zip(run, other, strict=True))


LEQ: dict[str, Leq] = {
    # Listed from high to low, the first difference is at the highest differing grade.
    "set-total": lambda r, s: _listed(r) <= _listed(s),
    # As many at or above every grade: the k-th best document is at least as good, for every k.
    "set-partial": lambda r, s: _each(_listed(r), _listed(s)),
    "strong": lambda r, s: tuple(r) <= tuple(s),
    "weak": lambda r, s: all(_each(_listed(r[:k]), _listed(s[:k])) for k in range(1, len(r) + 1)),
}

SMALL = [(depth, grades) for grades in (1, 2, 3) for depth in range(1, 6) if (grades + 1) ** depth <= 81]
"""Depths and highest grades of the universes where everything is tried."""


@lru_cache(maxsize=64)
def poset(name: str, depth: int, grades: int) -> Poset:
    """An order's poset, made once for all tests."""
    return Poset.of(ORDERS[name], ORDERS[name].universe(depth, grades))


def universe_of(name: str, depth: int, grades: int) -> Universe | SetUniverse:
    return ORDERS[name].universe(depth, grades)


def covers(labels: Sequence[Any], leq: Leq) -> set[tuple[Any, Any]]:
    """By definition: below, and nothing between."""

    def less(a: Any, b: Any) -> bool:
        return leq(a, b) and not leq(b, a)

    pairs = [(a, b) for a in labels for b in labels if less(a, b)]
    return {(a, b) for a, b in pairs if not any(less(a, x) and less(x, b) for x in labels)}


def maximal_chains(labels: Sequence[Any], leq: Leq) -> list[tuple[Any, ...]]:
    """All chains of covers that can be made no longer."""
    steps = covers(labels, leq)
    lows, highs = {low for low, _ in steps}, {high for _, high in steps}

    def onwards(chain: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        if chain[-1] not in lows:
            yield chain
        for low, high in steps:
            if low == chain[-1]:
                yield from onwards((*chain, high))

    return [chain for label in labels if label not in highs for chain in onwards((label,))]


def widest(labels: Sequence[Any], leq: Leq) -> int:
    """The size of the largest antichain, by trying all sets from the largest down."""
    for size in range(len(labels), 1, -1):
        for some in combinations(labels, size):
            if not any(leq(a, b) or leq(b, a) for a, b in combinations(some, 2)):
                return size
    return 1


def is_lattice(labels: Sequence[Any], leq: Leq) -> bool:
    """Every two elements have a least upper and a greatest lower bound."""

    def has_least(bounds: list[Any], at_most: Leq) -> bool:
        return any(all(at_most(x, y) for y in bounds) for x in bounds)

    return all(
        has_least([x for x in labels if leq(a, x) and leq(b, x)], leq)
        and has_least([x for x in labels if leq(x, a) and leq(x, b)], lambda x, y: leq(y, x))
        for a, b in combinations(labels, 2)
    )


@st.composite
def relations(draw: st.DrawFn, most: int = 7, equivalent: bool = False) -> tuple[int, set[tuple[int, int]]]:
    """A random order on 0, 1, ...: some pairs, and all that follows; with `equivalent`, pairs in both directions."""
    size = draw(st.integers(1, most))
    pairs = [(a, b) for a in range(size) for b in range(size) if (a != b if equivalent else a < b)]
    chosen = draw(st.sets(st.sampled_from(pairs), max_size=2 * size)) if pairs else set()
    closed = set(chosen) | {(a, a) for a in range(size)}
    while more := {(a, d) for a, b in closed for c, d in closed if b == c} - closed:
        closed |= more
    names = draw(st.permutations(range(size)))
    return size, {(names[a], names[b]) for a, b in closed}
