"""Partially ordered sets: integers inside, labels outside.

Elements are numbered along the order (a linear extension), so whatever is above an element has a higher number, and
the elements above it are the bits of one integer. From these bits the covers are read off without looking at pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenscale.errors import BadInput
from evenscale.orders.orders import BUDGET, AnyOrder, refuse_large
from evenscale.orders.values import Runs

Label: TypeAlias = Any
"""What an element is called: a run, or anything hashable."""
Matrix: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Poset:
    """A finite partially ordered set. Equivalent elements make up one class, named after its first member.

    >>> divisors = Poset.of_relation([1, 2, 3, 6], lambda a, b: b % a == 0)
    >>> divisors.covers
    ((1, 2), (1, 3), (2, 6), (3, 6))
    >>> divisors.minimal, divisors.maximal, divisors.height, divisors.levels
    ((1,), (6,), 2, ((1,), (2, 3), (6,)))
    """

    classes: tuple[tuple[Label, ...], ...]
    """Equivalent elements, numbered along the order."""
    below: Matrix
    """Whether the row's class is at most the column's."""

    @staticmethod
    def of_relation(labels: Sequence[Hashable], relation: Matrix | Callable[[Any, Any], bool]) -> Poset:
        """From a relation "is at most", as a matrix or a function; it must be reflexive and transitive.

        >>> Poset.of_relation("ab", lambda a, b: a < b)
        Traceback (most recent call last):
        ...
        evenscale.errors.BadInput: an order must be reflexive: 'a' is not at most itself
        """
        if callable(relation):
            pairs = [bool(relation(low, high)) for low in labels for high in labels]
            relation = np.array(pairs, dtype=np.bool_).reshape(len(labels), len(labels))
        _must_be_order(labels, relation)
        return _numbered(labels, relation)

    @staticmethod
    def of(order: AnyOrder, universe: Runs, budget: int = BUDGET) -> Poset:
        """The runs of a universe under an order; refused where there are more than the budget.

        >>> from evenscale.orders.orders import ORDERS
        >>> from evenscale.orders.universe import Universe
        >>> Poset.of(ORDERS["weak"], Universe(2)).covers
        (((0, 0), (0, 1)), ((0, 1), (1, 0)), ((1, 0), (1, 1)))
        """
        refuse_large(universe, budget)
        runs = tuple(universe.runs())
        return _numbered(runs, order.among(runs, universe))

    @property
    def size(self) -> int:
        """The number of classes."""
        return len(self.classes)

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """The name of every class."""
        return tuple(members[0] for members in self.classes)

    @cached_property
    def numbers(self) -> dict[Label, int]:
        """The number of every element's class."""
        return {label: number for number, members in enumerate(self.classes) for label in members}

    def number(self, label: Label) -> int:
        """The number of an element's class."""
        if label not in self.numbers:
            raise BadInput(f"{label!r} is not an element of this order of {len(self.numbers)} elements")
        return self.numbers[label]

    def leq(self, low: Label, high: Label) -> bool:
        """Whether one element is at most another."""
        return bool(self.below[self.number(low), self.number(high)])

    def comparable(self, one: Label, other: Label) -> bool:
        """Whether two elements are ordered at all."""
        return self.leq(one, other) or self.leq(other, one)

    @cached_property
    def above(self) -> tuple[int, ...]:
        """For every class the classes at or above it, as the bits of an integer."""
        return tuple(bits(row) for row in self.below)

    @cached_property
    def upper(self) -> tuple[tuple[int, ...], ...]:
        """For every class the numbers of those that cover it."""
        found = []
        for number, reach in enumerate(self.above):
            # The lowest number left is minimal among the rest: it covers. What is above it does not.
            left, covering = reach ^ (1 << number), []
            while left:
                lowest = lowest_bit(left)
                covering.append(lowest)
                left &= ~self.above[lowest]
            found.append(tuple(covering))
        return tuple(found)

    @cached_property
    def lower(self) -> tuple[tuple[int, ...], ...]:
        """For every class the numbers of those that it covers."""
        found: list[list[int]] = [[] for _ in self.classes]
        for low, high in self.edges:
            found[high].append(low)
        return tuple(map(tuple, found))

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """The lines of the Hasse diagram, by numbers, each from low to high."""
        return tuple((low, high) for low, covering in enumerate(self.upper) for high in covering)

    @cached_property
    def covers(self) -> tuple[tuple[Label, Label], ...]:
        """The lines of the Hasse diagram: the second covers the first, with nothing between."""
        return tuple((self.labels[low], self.labels[high]) for low, high in self.edges)

    @cached_property
    def minimal(self) -> tuple[Label, ...]:
        """The elements with nothing below."""
        return tuple(label for label, covered in zip(self.labels, self.lower, strict=True) if not covered)

    @cached_property
    def maximal(self) -> tuple[Label, ...]:
        """The elements with nothing above."""
        return tuple(label for label, covering in zip(self.labels, self.upper, strict=True) if not covering)

    @property
    def bounded(self) -> bool:
        """Whether one element is below all and one above all."""
        return len(self.minimal) == 1 and len(self.maximal) == 1

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """For every class the length of the longest chain that ends there."""
        longest = [0] * self.size
        for low, high in self.edges:  # ordered by low, so that `longest[low]` is final when it is read
            longest[high] = max(longest[high], longest[low] + 1)
        return tuple(longest)

    @property
    def height(self) -> int:
        """The length of the longest chain: its number of elements less one."""
        return max(self.depths)

    @cached_property
    def longest_chain(self) -> tuple[Label, ...]:
        """One of the longest chains, from the bottom up.

        >>> Poset.of_relation([6, 1, 2, 5], lambda a, b: b % a == 0).longest_chain
        (1, 2, 6)
        """
        chain = [self.depths.index(self.height)]
        while self.lower[chain[-1]]:
            chain.append(max(self.lower[chain[-1]], key=lambda low: (self.depths[low], -low)))
        return tuple(self.labels[number] for number in reversed(chain))

    @property
    def levels(self) -> tuple[tuple[Label, ...], ...]:
        """The elements by the length of the longest chain that ends there; where the order is graded, by rank."""
        found: list[list[Label]] = [[] for _ in range(self.height + 1)]
        for label, depth in zip(self.labels, self.depths, strict=True):
            found[depth].append(label)
        return tuple(map(tuple, found))

    @cached_property
    def is_lattice(self) -> bool:
        """Whether any two elements have a least upper and a greatest lower bound.

        In a bounded order it is enough that two elements that cover the same one have a least upper bound (Ferrante et
        al. 2018, appendix, Lemma 1).
        """
        return self.bounded and all(
            self.join(one, other) is not None
            for covering in self.upper
            for at, one in enumerate(covering)
            for other in covering[:at]
        )

    def join(self, one: int, other: int) -> int | None:
        """The number of the least upper bound of two numbers, where there is one."""
        both = self.above[one] & self.above[other]
        lowest = lowest_bit(both)
        return lowest if both and self.above[lowest] == both else None


def bits(row: NDArray[np.bool_]) -> int:
    """A row of truth values as the bits of an integer, the first as the lowest.

    >>> bits(np.array([True, False, True]))
    5
    """
    return int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little")


def lowest_bit(bits: int) -> int:
    """The position of the lowest bit that is set.

    >>> lowest_bit(0b1100)
    2
    """
    return (bits & -bits).bit_length() - 1


def _must_be_order(labels: Sequence[Hashable], relation: Matrix) -> None:
    size = len(labels)
    if not size:
        raise BadInput("an order needs at least one element")
    if relation.shape != (size, size):
        raise BadInput(f"the relation must be a matrix of {size} by {size}, got {relation.shape}")
    missing = np.flatnonzero(~relation.diagonal())
    if len(missing):
        raise BadInput(f"an order must be reflexive: {labels[missing[0]]!r} is not at most itself")
    number = relation.astype(np.float32)
    broken = np.argwhere((number @ number > 0) & ~relation)
    if len(broken):
        low, high = broken[0]
        middle = int(np.flatnonzero(relation[low] & relation[:, high])[0])
        raise BadInput(
            f"an order must be transitive: {labels[low]!r} is at most {labels[middle]!r} and that at most "
            f"{labels[high]!r}, but {labels[low]!r} is not at most {labels[high]!r}"
        )


def _numbered(labels: Sequence[Hashable], relation: Matrix) -> Poset:
    """Equivalent elements put together, and classes numbered along the order."""
    # Equivalent elements have the same elements above them, so the same row; others do not.
    _, first, which = np.unique(np.packbits(relation, axis=1), axis=0, return_index=True, return_inverse=True)
    which = which.reshape(-1)
    below = relation[np.ix_(first, first)]
    # What is higher has more below it: the number of elements below gives a linear extension.
    along = np.lexsort((first, below.sum(axis=0)))
    place = np.empty(len(along), dtype=np.int64)
    place[along] = np.arange(len(along))
    members: list[list[Hashable]] = [[] for _ in along]
    for label, kind in zip(labels, which, strict=True):
        members[place[kind]].append(label)
    return Poset(tuple(map(tuple, members)), below[np.ix_(along, along)])
