"""Universes of runs: all vectors of grades of one length, those that a topic can really produce, and all sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from math import comb

from evenscale.errors import BadParameter
from evenscale.judged import Topic


@dataclass(frozen=True, slots=True)
class Universe:
    """All runs of a length over the grades 0 to `grades`; with `recall_base`, those with at most so many relevant ones.

    >>> Universe(3, 1).size, Universe(3, 2).size, Universe(3, 1, recall_base=1).size
    (8, 27, 4)
    >>> list(Universe(2, 1, recall_base=1).runs())
    [(0, 0), (0, 1), (1, 0)]
    """

    depth: int
    grades: int = 1
    recall_base: int | None = None

    def __post_init__(self) -> None:
        for name, least in (("depth", 1), ("grades", 1)):
            if getattr(self, name) < least:
                raise BadParameter(f"{name} must be at least {least}, got {getattr(self, name)}")
        if self.recall_base is not None and self.recall_base < 1:
            raise BadParameter(f"recall_base must be at least 1, got {self.recall_base}")

    @property
    def most_relevant(self) -> int:
        """The most relevant documents that a run can hold."""
        return self.depth if self.recall_base is None else min(self.depth, self.recall_base)

    @property
    def size(self) -> int:
        """The number of runs."""
        if self.most_relevant == self.depth:
            return int((self.grades + 1) ** self.depth)
        return sum(comb(self.depth, k) * self.grades**k for k in range(self.most_relevant + 1))

    @property
    def topic(self) -> Topic:
        """A topic for the universe: as many relevant documents as a run can hold, all of the highest grade."""
        return Topic.of({0: self.depth, self.grades: self.most_relevant}, top=self.grades)

    def runs(self) -> Iterator[tuple[int, ...]]:
        """Every run, in lexicographic order."""
        everything = product(range(self.grades + 1), repeat=self.depth)
        if self.most_relevant == self.depth:
            return everything
        return (run for run in everything if sum(map(bool, run)) <= self.most_relevant)


@dataclass(frozen=True, slots=True)
class SetUniverse:
    """All sets of retrieved documents of one size, by their grades from high to low: the order of a ranking is ignored.

    >>> SetUniverse(3, 1).size, SetUniverse(3, 2).size
    (4, 10)
    >>> list(SetUniverse(2, 2).runs())
    [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)]
    """

    depth: int
    grades: int = 1

    def __post_init__(self) -> None:
        Universe(self.depth, self.grades)

    @property
    def size(self) -> int:
        """The number of sets: combinations with repetition of the grades."""
        return comb(self.depth + self.grades, self.grades)

    @property
    def topic(self) -> Topic:
        """A topic for the universe: as many relevant documents as a set can hold, all of the highest grade."""
        return Universe(self.depth, self.grades).topic

    def runs(self) -> Iterator[tuple[int, ...]]:
        """Every set, ascending in the order in which the highest differing grade decides."""
        return iter(sorted(run[::-1] for run in combinations_with_replacement(range(self.grades + 1), self.depth)))
