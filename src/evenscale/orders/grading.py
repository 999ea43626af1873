"""Gradedness: whether all maximal chains of an order have the same length, and what follows when they have.

A graded order has a rank function: 0 at the bottom, one more at every cover. Its differences are the natural distances,
from which the scales on the order are built (Ferrante et al. 2018, sections 2 and 3). Where an order is not graded, two
maximal chains of different lengths say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from evenscale.errors import BadInput, EvenscaleError
from evenscale.orders.poset import Label, Poset

Chain: TypeAlias = tuple[Label, ...]
"""Elements from low to high, each covered by the next."""


class NotGraded(EvenscaleError, ValueError):
    """An order has maximal chains of different lengths, so ranks and distances are not defined on it."""


@dataclass(frozen=True)
class Gradedness:
    """Whether an order is graded: the ranks of its elements if it is, two chains that refute it if it is not.

    The chains are the shorter and the longer one. They join the same two end points where the order has such chains,
    and of these the closest ones; otherwise they are maximal chains of the whole order.
    """

    graded: bool
    rank: int | None
    """The length of all maximal chains."""
    ranks: dict[Label, int]
    """The rank function; empty where the order is not graded."""
    chains: tuple[Chain, ...]
    """Empty where the order is graded."""

    @property
    def sentence(self) -> str:
        """The finding in words."""
        if self.graded:
            return f"all maximal chains have length {self.rank}"
        short, long = self.chains
        if (short[0], short[-1]) == (long[0], long[-1]):
            ends = f"from {short[0]} to {short[-1]} one maximal chain has"
            return f"{ends} {_steps(short)} and another {_steps(long)}"
        return (
            f"the maximal chain from {short[0]} to {short[-1]} has {_steps(short)}, "
            f"that from {long[0]} to {long[-1]} has {_steps(long)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "graded": self.graded,
            "rank": self.rank,
            "chains": [[_plain(label) for label in chain] for chain in self.chains],
            "sentence": self.sentence,
        }


def _steps(chain: Chain) -> str:
    return "1 step" if len(chain) == 2 else f"{len(chain) - 1} steps"


def _plain(label: Label) -> Any:
    return list(label) if isinstance(label, tuple) else label


def gradedness(poset: Poset) -> Gradedness:
    """Whether every maximal chain of an order has the same length.

    >>> from evenscale.orders.orders import ORDERS
    >>> from evenscale.orders.universe import Universe
    >>> gradedness(Poset.of(ORDERS["weak"], Universe(4))).rank
    10
    >>> print(gradedness(Poset.of(ORDERS["weak"], Universe(3, 2))).sentence)
    from (0, 0, 1) to (0, 1, 2) one maximal chain has 2 steps and another 3 steps
    """
    if poset not in _KNOWN:
        _KNOWN[poset] = _gradedness(poset)
    return _KNOWN[poset]


_KNOWN: WeakKeyDictionary[Poset, Gradedness] = WeakKeyDictionary()
"""One order is asked about by many measures; what is known of it lives as long as it does."""


def _gradedness(poset: Poset) -> Gradedness:
    depths = poset.depths
    steady = all(depths[high] == depths[low] + 1 for low, high in poset.edges)
    ends = {depths[number] for number, covering in enumerate(poset.upper) if not covering}
    if steady and len(ends) == 1:
        ranks = {label: depths[number] for label, number in poset.numbers.items()}
        return Gradedness(True, poset.height, ranks, ())
    chains = _between_same_ends(poset) if not steady else None
    return Gradedness(False, None, {}, chains or _of_the_whole(poset))


def rank_function(poset: Poset) -> dict[Label, int]:
    """The rank of every element of a graded order."""
    found = gradedness(poset)
    if not found.graded:
        raise NotGraded(f"the order is not graded, so it has no rank function: {found.sentence}")
    return found.ranks


def natural_distance(poset: Poset, low: Label, high: Label) -> int:
    """The difference of two comparable elements of a graded order: the number of steps from the first to the second.

    It is negative where the first is above the second.

    >>> from evenscale.orders.orders import ORDERS
    >>> from evenscale.orders.universe import Universe
    >>> natural_distance(Poset.of(ORDERS["weak"], Universe(4)), (0, 1, 0, 0), (1, 0, 1, 1))
    4
    """
    ranks = rank_function(poset)
    if not poset.comparable(low, high):
        raise BadInput(f"{low!r} and {high!r} are not comparable, so no distance is defined between them")
    return ranks[high] - ranks[low]


def maximal_chains(poset: Poset) -> Iterator[Chain]:
    """Every maximal chain, from a minimal to a maximal element; there can be very many.

    >>> divisors = Poset.of_relation([1, 2, 3, 6], lambda a, b: b % a == 0)
    >>> list(maximal_chains(divisors))
    [(1, 2, 6), (1, 3, 6)]
    """
    waiting: list[tuple[int, ...]] = [(n,) for n in reversed(range(poset.size)) if not poset.lower[n]]
    while waiting:
        path = waiting.pop()
        if not poset.upper[path[-1]]:
            yield tuple(poset.labels[number] for number in path)
        waiting.extend((*path, number) for number in reversed(poset.upper[path[-1]]))


# --- the chains that refute it --------------------------------------------------------------------------------------

Lengths: TypeAlias = NDArray[np.int32]
_FAR = np.int32(1 << 30)


def _between_same_ends(poset: Poset) -> tuple[Chain, Chain] | None:
    """The shorter and the longer of two chains with the same ends, the ends as close as can be."""
    shortest, longest = _path_lengths(poset)
    differ = (shortest < longest) & (longest > 0)
    if not differ.any():
        return None
    lows, highs = np.nonzero(differ)
    best = np.lexsort((highs, lows, shortest[lows, highs], longest[lows, highs]))[0]
    low, high = int(lows[best]), int(highs[best])
    return _named(poset, _follow(poset, shortest, low, high)), _named(poset, _follow(poset, longest, low, high))


def _path_lengths(poset: Poset) -> tuple[Lengths, Lengths]:
    """For all pairs the lengths of the shortest and the longest chain of covers; out of range where there is none."""
    shortest = np.full((poset.size, poset.size), _FAR, dtype=np.int32)
    longest = np.full((poset.size, poset.size), -_FAR, dtype=np.int32)
    for low in reversed(range(poset.size)):
        for high in poset.upper[low]:
            np.minimum(shortest[low], shortest[high] + 1, out=shortest[low])
            np.maximum(longest[low], longest[high] + 1, out=longest[low])
        shortest[low, low] = longest[low, low] = 0
    return shortest, longest


def _follow(poset: Poset, lengths: Lengths, low: int, high: int) -> list[int]:
    """A chain of covers of the length that the table gives."""
    path = [low]
    while path[-1] != high:
        left = lengths[path[-1], high] - 1
        path.append(next(number for number in poset.upper[path[-1]] if lengths[number, high] == left))
    return path


def _of_the_whole(poset: Poset) -> tuple[Chain, Chain]:
    """A shortest and a longest maximal chain, whatever their ends."""
    rest: dict[bool, list[list[int]]] = {}
    for long in (False, True):
        tails: list[list[int]] = [[] for _ in poset.classes]
        for number in reversed(range(poset.size)):
            onwards = [tails[above] for above in poset.upper[number]]
            tails[number] = [number, *((max if long else min)(onwards, key=len) if onwards else [])]
        rest[long] = [tails[number] for number, covered in enumerate(poset.lower) if not covered]
    return _named(poset, min(rest[False], key=len)), _named(poset, max(rest[True], key=len))


def _named(poset: Poset, path: Sequence[int]) -> Chain:
    return tuple(poset.labels[number] for number in path)
