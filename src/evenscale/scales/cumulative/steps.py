"""A walk over a universe, tabulated: every rank, every state that can be reached there, every grade.

The table is all that the rest of the engine sees. Its increments are integers, in multiples of one rational `unit`, so
that equality and order of values are decided exactly. States with the same future are one state, whatever the walk
calls them: equal tables have equal scales, which is what the fingerprint of a scale rests on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenscale.errors import BadParameter
from evenscale.measures.contract import State, Walk
from evenscale.measures.exact import Rational
from evenscale.orders.universe import Universe
from evenscale.scales.engine import Runs, ScaleTooLarge

Edge: TypeAlias = tuple[int, int]
"""The state that a grade leads to, and what it adds, in units."""

Node: TypeAlias = tuple[Edge | None, ...]
"""One state at one rank: an edge for every grade, None where the recall base forbids it."""

STATE_LIMIT = 1 << 18
"""The most states, over all ranks, that are tabulated."""

FORMAT = "evenscale steps 1"

_Draft: TypeAlias = tuple[tuple[int, Rational] | None, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """`layers[i]` holds the states before rank i + 1, the first layer just the start; values count in `unit`."""

    layers: tuple[tuple[Node, ...], ...]
    unit: Fraction

    @property
    def depth(self) -> int:
        """The number of ranks."""
        return len(self.layers)

    @property
    def grades(self) -> int:
        """The highest grade."""
        return len(self.layers[0][0]) - 1

    @property
    def runs(self) -> int:
        """The number of runs in the universe."""
        paths = [1]
        for layer in reversed(self.layers):
            paths = [sum(paths[n] for n, _ in edges(node)) for node in layer]
        return paths[0]

    def fingerprint(self, *more: object) -> str:
        """A hash of the whole table, and of what else is given: what has the same one has the same scale."""
        text = hashlib.sha256(repr((FORMAT, str(self.unit), *more)).encode())
        for layer in self.layers:
            text.update(repr(layer).encode())
        return text.hexdigest()

    def extent(self) -> tuple[int, int]:
        """The least and the greatest value of a run, in units.

        >>> from evenscale.measures.average_precision import AP
        >>> universe = Universe(3)
        >>> steps = tabulate(AP().walk(universe.topic, 3), universe)
        >>> steps.extent(), steps.unit
        ((0, 18), Fraction(1, 6))
        """
        return self._futures()[0][0]

    def reach(self) -> int:
        """The largest absolute value of any sum over consecutive ranks that starts at the top or ends at the bottom."""
        futures = [abs(end) for layer in self._futures() for ends in layer for end in ends]
        pasts = [abs(end) for layer in self._pasts() for ends in layer for end in ends]
        return max(futures + pasts)

    def _futures(self) -> list[list[tuple[int, int]]]:
        """For every state the least and the greatest sum of what is still to come."""
        futures = [[(0, 0)]]
        for layer in reversed(self.layers):
            after = futures[-1]
            ends = [[(after[n][0] + add, after[n][1] + add) for n, add in edges(node)] for node in layer]
            futures.append([(min(low for low, _ in each), max(high for _, high in each)) for each in ends])
        return futures[::-1]

    def _pasts(self) -> Iterator[list[tuple[int, int]]]:
        """For every state the least and the greatest sum so far."""
        before = [(0, 0)]
        for layer in self.layers:
            yield before
            after: dict[int, list[tuple[int, int]]] = {}
            for (low, high), node in zip(before, layer, strict=True):
                for n, add in edges(node):
                    after.setdefault(n, []).append((low + add, high + add))
            ends = [after[n] for n in range(len(after))]
            before = [(min(low for low, _ in each), max(high for _, high in each)) for each in ends]
        yield before

    def values(self, runs: Runs) -> list[int]:
        """The value of every run, in units; BadParameter for a run outside the universe."""
        checked = self._checked(runs)
        most = max(abs(add) for layer in self.layers for node in layer for _, add in edges(node))
        kind = np.int64 if most * self.depth < 1 << 62 else object
        state = np.zeros(len(checked), np.intp)
        total = np.zeros(len(checked), kind)
        for layer, grades in zip(self.layers, checked.T, strict=True):
            where = np.array([[-1 if edge is None else edge[0] for edge in node] for node in layer])
            adds = np.array([[0 if edge is None else edge[1] for edge in node] for node in layer], kind)
            total += adds[state, grades]
            state = where[state, grades]
            if (state < 0).any():
                run = checked[int(np.argmin(state))].tolist()
                raise BadParameter(f"run {run} has more relevant documents than the recall base of the scale")
        return [int(value) for value in total.tolist()]

    def _checked(self, runs: Runs) -> NDArray[np.intp]:
        array = np.asarray(runs)
        if array.ndim != 2 or array.shape[1] != self.depth:
            raise BadParameter(f"runs must have {self.depth} columns, got an array of shape {array.shape}")
        if array.size and (array.min() < 0 or array.max() > self.grades):
            wrong = array.min() if array.min() < 0 else array.max()
            raise BadParameter(f"grades must lie in 0..{self.grades}, got {wrong}")
        return array.astype(np.intp)


def edges(node: Node) -> Iterable[Edge]:
    """The edges that the recall base allows."""
    return (edge for edge in node if edge is not None)


def tabulate(walk: Walk, universe: Universe, limit: int = STATE_LIMIT) -> Steps:
    """All steps of a walk over a universe.

    >>> from evenscale.measures.reciprocal_rank import RR
    >>> universe = Universe(2)
    >>> tabulate(RR().walk(universe.topic, 2), universe)
    Steps(layers=((((0, 0), (1, 2)),), (((0, 0), (0, 1)), ((0, 0), (0, 0)))), unit=Fraction(1, 2))
    """
    drafts = _minimised(_explored(walk, universe, limit))
    added = {Fraction(edge[1]) for layer in drafts for node in layer for edge in node if edge is not None}
    scale = lcm(*(increment.denominator for increment in added))
    unit = Fraction(gcd(*(int(increment * scale) for increment in added)) or 1, scale)
    units: dict[Rational, int] = {increment: int(increment / unit) for increment in added}
    layers = tuple(
        tuple(tuple(None if edge is None else (edge[0], units[edge[1]]) for edge in node) for node in layer)
        for layer in drafts
    )
    return Steps(layers, unit)


_Place: TypeAlias = tuple[State, int]
"""A state of the walk, and the relevant documents so far where the recall base binds."""


def _explored(walk: Walk, universe: Universe, limit: int) -> list[list[_Draft]]:
    """Every reachable state of every rank."""
    layer: dict[_Place, int] = {(walk.start, 0): 0}
    found, layers = 0, []
    for rank in range(1, universe.depth + 1):
        following: dict[_Place, int] = {}
        layers.append([_explored_from(place, rank, walk, universe, following) for place in layer])
        found += len(layer)
        if found + len(following) > limit:
            raise ScaleTooLarge(
                f"the measure has more than {limit:,} states within the first {rank} of {universe.depth} ranks: "
                "take a smaller cut-off, or a measure whose step depends on less"
            )
        layer = following
    return layers


def _explored_from(place: _Place, rank: int, walk: Walk, universe: Universe, following: dict[_Place, int]) -> _Draft:
    """The edges from one state; where they lead gets a number."""
    state, used = place
    binding = universe.most_relevant < universe.depth
    node: list[tuple[int, Rational] | None] = []
    for grade in range(universe.grades + 1):
        spent = used + (binding and grade >= 1)
        if spent > universe.most_relevant:
            node.append(None)
            continue
        after, increment = walk.step(rank, state, grade)
        node.append((following.setdefault((after, spent), len(following)), _rational(increment, rank)))
    return tuple(node)


def _rational(increment: object, rank: int) -> Rational:
    if isinstance(increment, int | Fraction):
        return increment
    raise BadParameter(f"the step at rank {rank} adds {increment!r}: this engine needs rational increments")


def _minimised(layers: list[list[_Draft]]) -> list[list[_Draft]]:
    """The same table with states of the same future merged; a state keeps the place of the first of its kind."""
    result: list[list[_Draft]] = []
    merged: list[int] | None = None  # all states after the last rank are one
    for layer in reversed(layers):
        kinds: dict[_Draft, int] = {}
        place = []
        for node in layer:
            renamed = tuple(e if e is None else (0 if merged is None else merged[e[0]], e[1]) for e in node)
            place.append(kinds.setdefault(renamed, len(kinds)))
        result.append(list(kinds))
        merged = place
    return result[::-1]
