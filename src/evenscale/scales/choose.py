"""Which engine a walk gets: by what it is, never by a measure's name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenscale.errors import EvenscaleError
from evenscale.measures.contract import Amount, State, Walk
from evenscale.measures.exact import LogSum
from evenscale.orders.universe import Universe
from evenscale.scales.closed import (
    ConstantEngine,
    CountingEngine,
    FirstHitEngine,
    LexicographicEngine,
    WholeNumbersEngine,
)
from evenscale.scales.engine import Engine, Gaps, Progress, Runs, ScaleTooLarge


def choose(walk: Walk, universe: Universe, *, label: str = "", progress: Progress | None = None) -> Engine:
    """The engine that knows the walk's scale, the cheapest first."""
    if ConstantLetters.fits(walk, universe):
        return ConstantEngine(universe, _raw_of_zeros(walk, universe))
    if walk.kind == "additive":
        return _additive(walk, universe)
    if walk.kind == "first hit":
        return FirstHitEngine(walk, universe)
    if WholeNumbersEngine.fits(walk, universe):
        return WholeNumbersEngine(walk, universe)
    from evenscale.scales.cumulative import CumulativeEngine

    return CumulativeEngine(walk, universe, label=label, progress=progress)


def _additive(walk: Walk, universe: Universe) -> Engine:
    if CountingEngine.fits(walk, universe):
        return CountingEngine(walk, universe)
    if LexicographicEngine.fits(walk, universe):
        return LexicographicEngine(walk, universe)
    from evenscale.scales.additive import AdditiveEngine
    from evenscale.scales.deep import DeepEngine

    try:
        return AdditiveEngine(walk, universe)
    except ScaleTooLarge:
        if universe.most_relevant < universe.depth:
            raise
        return DeepEngine(walk, universe)


class ConstantLetters:
    """Walks that do not look at the grade at all."""

    @staticmethod
    def fits(walk: Walk, universe: Universe) -> bool:
        """Whether all grades do the same wherever they stand."""
        return walk.kind == "additive" and len(letters(walk, universe)) == 1


@dataclass(frozen=True)
class Folded(Engine):
    """A scale on fewer grades: grades that always do the same are taken as one, their lowest.

    AP on judgments with four grades has the scale of binary AP: the distinct values are the same, and so are the ranks.
    Numbers of runs are not, so a folded scale does not count runs.
    """

    inner: Engine
    digit: tuple[int, ...]

    @property
    def size(self) -> int:  # type: ignore[override]
        return self.inner.size

    @property
    def exact(self) -> bool:  # type: ignore[override]
        return self.inner.exact

    @property
    def error(self) -> float:  # type: ignore[override]
        return self.inner.error

    def folded(self, runs: Runs) -> NDArray[np.int8]:
        """The runs in the inner scale's grades."""
        return np.array(self.digit, dtype=np.int8)[runs]

    def ranks(self, runs: Runs) -> list[int]:
        return self.inner.ranks(self.folded(runs))

    def tallies(self, runs: Runs) -> list[tuple[int, int]]:
        raise EvenscaleError("a folded scale does not count runs")

    def at(self, rank: int) -> Amount:
        return self.inner.at(rank)

    def values(self) -> list[Amount]:
        return self.inner.values()

    def gaps(self) -> Gaps:
        return self.inner.gaps()


def fold(walk: Walk, universe: Universe) -> tuple[Walk, Universe, tuple[int, ...]]:
    """The same walk on as few grades as it can tell apart, and which of them each grade has become.

    >>> from evenscale.measures import parse
    >>> universe = Universe(5, 3)
    >>> fold(parse("AP(rel=2)@5").walk(universe.topic, 5), universe)[1:]
    (Universe(depth=5, grades=1, recall_base=None), (0, 0, 1, 1))
    """
    groups = letters(walk, universe)
    if len(groups) in (1, universe.grades + 1):
        return walk, universe, tuple(range(universe.grades + 1))
    lowest = [group[0] for group in groups]
    digit = tuple(next(i for i, group in enumerate(groups) if g in group) for g in range(universe.grades + 1))

    def step(rank: int, state: State, grade: object) -> tuple[State, Amount]:
        return walk.step(rank, state, lowest[grade] if isinstance(grade, int) else None)

    gain = walk.gain
    folded = Walk(
        walk.start,
        step,
        walk.divisor,
        walk.offset,
        walk.kind,
        walk.weight,
        None if gain is None else lambda grade: gain(lowest[int(grade)] if grade is not None else None),
    )
    return folded, Universe(universe.depth, len(groups) - 1, universe.recall_base), digit


def letters(walk: Walk, universe: Universe) -> list[list[int]]:
    """The grades in groups that no step tells apart, in the order of their lowest grade."""
    grades = range(universe.grades + 1)
    if walk.gain:
        return _grouped([(walk.gain(g),) for g in grades])
    if universe.recall_base is not None:
        return [[g] for g in grades]
    return _grouped(_columns(walk, universe))


def _columns(walk: Walk, universe: Universe) -> list[tuple[object, ...]]:
    """What each grade does at every rank in every reachable state; given up (all distinct) where states are many."""
    grades = range(universe.grades + 1)
    columns: list[list[object]] = [[] for _ in grades]
    states: set[State] = {walk.start}
    for rank in range(1, universe.depth + 1):
        after: set[State] = set()
        for state in states:
            for grade in grades:
                outcome = walk.step(rank, state, grade)
                columns[grade].append(outcome)
                after.add(outcome[0])
        states = after
        if len(states) > 4096:
            return [(g,) for g in grades]
    return [tuple(column) for column in columns]


def _grouped(signatures: Sequence[tuple[object, ...]]) -> list[list[int]]:
    groups: dict[tuple[object, ...], list[int]] = {}
    for grade, signature in enumerate(signatures):
        groups.setdefault(signature, []).append(grade)
    return list(groups.values())


def _raw_of_zeros(walk: Walk, universe: Universe) -> Amount:
    value: Amount = 0
    for increment in walk.increments([0] * universe.depth):
        value = value + increment
    return value


def is_rational(amount: Amount) -> bool:
    """Whether an amount needs no logarithm."""
    return not isinstance(amount, LogSum)
