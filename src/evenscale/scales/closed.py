"""Closed forms: scales that need no search, at any depth."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import comb
from typing import Any

from evenscale.measures.contract import Amount, State, Walk
from evenscale.measures.exact import LogSum, compare
from evenscale.orders.universe import Universe
from evenscale.scales.engine import VALUES_LIMIT, Engine, Gaps, Runs, ScaleTooLarge


class Listed(Engine):
    """A scale whose values are few enough to list; subclasses say which value a run has.

    `amounts` are the distinct raw values, ascending, and `counts` how many runs have each.
    """

    amounts: Sequence[Amount]

    @abstractmethod
    def place(self, run: Sequence[int]) -> int:
        """The position of a run's value among `amounts`, from 0."""

    @property
    @abstractmethod
    def counts(self) -> Sequence[int]:
        """How many runs of the universe have each value."""

    def ranks(self, runs: Runs) -> list[int]:
        return [self.place(run) + 1 for run in runs.tolist()]

    def tallies(self, runs: Runs) -> list[tuple[int, int]]:
        below = [0]
        for count in self.counts:
            below.append(below[-1] + count)
        places = [self.place(run) for run in runs.tolist()]
        return [(below[place], self.counts[place]) for place in places]

    def at(self, rank: int) -> Amount:
        return self.amounts[rank - 1]

    def values(self) -> list[Amount]:
        refuse_long(self.size)
        return list(self.amounts)

    def gaps(self) -> Gaps:
        return widths(self.amounts)


def refuse_long(size: int) -> None:
    """Raise if there are too many values to list."""
    if size > VALUES_LIMIT:
        raise ScaleTooLarge(f"the scale has {size:,} values, more than the {VALUES_LIMIT:,} that are listed")


def widths(values: Sequence[Amount]) -> Gaps:
    """The smallest and largest gap between neighbours; none where there is one value only."""
    gaps = [float(b - a) for a, b in pairwise(values)]
    return Gaps(min(gaps), max(gaps)) if gaps else Gaps(0.0, 0.0)


class ConstantEngine(Listed):
    """A measure that has the same value for every run of the universe: a scale of one value.

    >>> import numpy as np
    >>> ConstantEngine(Universe(3)).ranks(np.array([[0, 1, 0]]))
    [1]
    """

    def __init__(self, universe: Universe, value: Amount = 0) -> None:
        self.size, self.amounts, self._runs = 1, (value,), universe.size

    def place(self, run: Sequence[int]) -> int:
        return 0

    @property
    def counts(self) -> Sequence[int]:
        return (self._runs,)


class CountingEngine(Listed):
    """Equal weights and equally spaced gains: the rank is 1 plus the sum of the gains' places (P, R, F, gP, gR, SBPO).

    Ranks with weight 0 do not count (R-precision beyond the recall base).
    """

    def __init__(self, walk: Walk, universe: Universe) -> None:
        assert walk.weight and walk.gain
        self.universe = universe
        weights = [walk.weight(i) for i in range(1, universe.depth + 1)]
        gains = [Fraction(walk.gain(g)) for g in range(universe.grades + 1)]
        levels = sorted(set(gains))
        self.counted = [i for i, w in enumerate(weights) if w != 0]
        self.steps = [levels.index(g) for g in gains]
        reach = min(len(self.counted), universe.most_relevant if self.steps[0] == 0 else universe.depth)
        self.size = (len(levels) - 1) * reach + 1
        unit = weights[self.counted[0]]
        gap = levels[1] - levels[0]
        self.amounts = _Progression(unit * levels[0] * len(self.counted), unit * gap, self.size)

    @staticmethod
    def fits(walk: Walk, universe: Universe) -> bool:
        """Whether all weights are equal (or 0), and the gains rise from grade 0 in equal steps."""
        if not (walk.weight and walk.gain):
            return False
        weights = {walk.weight(i) for i in range(1, universe.depth + 1)} - {0}
        gains = [Fraction(walk.gain(g)) for g in range(universe.grades + 1)]
        levels = sorted(set(gains))
        even = len({b - a for a, b in pairwise(levels)}) == 1
        return len(weights) == 1 and compare(next(iter(weights)), 0) > 0 and even and gains == sorted(gains)

    def place(self, run: Sequence[int]) -> int:
        return sum(self.steps[run[i]] for i in self.counted)

    @cached_property
    def counts(self) -> Sequence[int]:
        """By adding one document at a time: ways[relevant so far][sum so far]."""
        most, free = self.universe.most_relevant, self.universe.depth - len(self.counted)
        ways = {(0, 0): 1}
        for letters in [self.steps] * len(self.counted) + [[0] * len(self.steps)] * free:
            after: dict[tuple[int, int], int] = {}
            for (relevant, total), n in ways.items():
                for grade, step in enumerate(letters):
                    key = (relevant + (grade > 0) if most < self.universe.depth else 0, total + step)
                    if key[0] <= most:
                        after[key] = after.get(key, 0) + n
            ways = after
        result = [0] * self.size
        for (_, total), n in ways.items():
            result[total] += n
        return result


class _Progression(Sequence[Amount]):
    """first, first + step, first + 2 step, ...: as long as it has to be, without being stored."""

    def __init__(self, first: Amount, step: Amount, length: int) -> None:
        self.first, self.step, self.length = first, step, length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(self.length))]
        if not -self.length <= at < self.length:
            raise IndexError(at)
        return self.first + self.step * (at % self.length)


class FirstHitEngine(Listed):
    """Only the first relevant document adds (RR, Success): one value for each rank it can have, and 0 for none."""

    def __init__(self, walk: Walk, universe: Universe) -> None:
        self.universe = universe
        state: State = walk.start
        self.hits = [walk.step(1, state, g) != (state, 0) for g in range(universe.grades + 1)]
        self.first = [0, *self._increments(walk)]
        self.amounts = sorted(set(self.first))
        self.size = len(self.amounts)
        self._place = {value: place for place, value in enumerate(self.amounts)}

    def _increments(self, walk: Walk) -> Iterable[Any]:
        best = self.hits.index(True) if True in self.hits else None
        for rank in range(1, self.universe.depth + 1):
            yield walk.step(rank, walk.start, best)[1] if best is not None else 0

    def place(self, run: Sequence[int]) -> int:
        rank = next((i for i, grade in enumerate(run, 1) if self.hits[grade]), 0)
        return self._place[self.first[rank]]

    @cached_property
    def counts(self) -> Sequence[int]:
        result = [0] * self.size
        for rank, value in enumerate(self.first):
            result[self._place[value]] += self._runs(rank)
        return result

    def _runs(self, rank: int) -> int:
        """How many runs have their first hit here (0: nowhere)."""
        u = self.universe
        misses = [g for g, hit in enumerate(self.hits) if not hit]
        good = sum(self.hits)
        before = rank - 1 if rank else u.depth
        after = u.depth - rank if rank else 0
        found = 1 if rank else 0
        return sum(
            comb(before, k)
            * (len(misses) - 1) ** k
            * (good if rank else 1)
            * _at_most(after, u.most_relevant - found - k, u)
            for k in range(min(before, u.most_relevant - found) + 1)
            if k == 0 or len(misses) > 1
        )


def _at_most(length: int, relevant: int, universe: Universe) -> int:
    """How many runs of a length have at most so many relevant documents."""
    if relevant < 0:
        return 0
    return Universe(length, universe.grades, max(relevant, 0) or None).size if length and relevant else 1


class LexicographicEngine(Engine):
    """Every rank outweighs all below it: the run, read as a number, is its place (RBP with p <= 1/2, RBTO).

    With a recall base the numbers that no topic can produce are left out.
    """

    def __init__(self, walk: Walk, universe: Universe) -> None:
        assert walk.weight and walk.gain
        self.walk, self.universe = walk, universe
        gains = [Fraction(walk.gain(g)) for g in range(universe.grades + 1)]
        self.levels = sorted(set(gains))
        self.digit = [self.levels.index(g) for g in gains]
        # Grades by digit: the cheapest (fewest relevant documents) decides what can be had; all of them count runs.
        self.cheap = [min(int(g > 0) for g, d in enumerate(self.digit) if d == k) for k in range(len(self.levels))]
        self.size = self._ways(universe.depth, universe.most_relevant)

    @staticmethod
    def fits(walk: Walk, universe: Universe) -> bool:
        """Whether one step at a rank always beats everything that can happen below it."""
        if not (walk.weight and walk.gain):
            return False
        gains = sorted({Fraction(walk.gain(g)) for g in range(universe.grades + 1)})
        if len(gains) < 2 or (universe.depth > 64 and not isinstance(walk.weight(1), int | Fraction)):
            return False
        least, spread = min(b - a for a, b in pairwise(gains)), gains[-1] - gains[0]
        tail: Amount = 0
        for rank in range(universe.depth, 0, -1):
            weight = walk.weight(rank)
            if compare(weight, 0) <= 0 or compare(weight * least, tail * spread) <= 0:
                return False
            tail = tail + weight
        return True

    def ranks(self, runs: Runs) -> list[int]:
        return [self._below(run) + 1 for run in runs.tolist()]

    def _below(self, run: Sequence[int]) -> int:
        """How many attainable numbers are smaller."""
        if self.universe.most_relevant == self.universe.depth:
            value = 0
            for grade in run:
                value = value * len(self.levels) + self.digit[grade]
            return value
        below, room = 0, self.universe.most_relevant
        for rank, grade in enumerate(run, 1):
            digit = self.digit[grade]
            below += sum(self._ways(self.universe.depth - rank, room - self.cheap[d]) for d in range(digit))
            room -= self.cheap[digit]
        return below

    def _ways(self, length: int, room: int) -> int:
        """Distinct numbers of a length with at most so many relevant documents."""
        if room < 0:
            return 0
        free = self.cheap.count(0)
        return sum(
            comb(length, k) * (len(self.cheap) - free) ** k * free ** (length - k) for k in range(min(length, room) + 1)
        )

    def tallies(self, runs: Runs) -> list[tuple[int, int]]:
        return [self._tally(run) for run in runs.tolist()]

    def _tally(self, run: Sequence[int]) -> tuple[int, int]:
        """Count runs, not numbers: several grades may share a digit."""
        u = self.universe
        below, ahead = 0, {0: 1}  # runs with the same digits so far, by relevant documents used
        for rank, grade in enumerate(run, 1):
            after: dict[int, int] = {}
            for used, n in ahead.items():
                for other, digit in enumerate(self.digit):
                    room = u.most_relevant - used - (other > 0)
                    if digit < self.digit[grade]:
                        below += n * _at_most(u.depth - rank, room, u)
                    elif digit == self.digit[grade] and room >= 0:
                        after[used + (other > 0)] = after.get(used + (other > 0), 0) + n
            ahead = after
        return below, sum(ahead.values())

    def at(self, rank: int) -> Amount:
        assert self.walk.weight
        left, room, value = rank - 1, self.universe.most_relevant, Fraction(0)
        total: Amount = value
        for place in range(1, self.universe.depth + 1):
            for digit, cost in enumerate(self.cheap):
                ways = self._ways(self.universe.depth - place, room - cost)
                if left < ways:
                    total = total + self.walk.weight(place) * self.levels[digit]
                    room -= cost
                    break
                left -= ways
        return total

    def values(self) -> list[Amount]:
        refuse_long(self.size)
        return [self.at(rank) for rank in range(1, self.size + 1)]

    def gaps(self) -> Gaps:
        """Neighbours differ in one digit and carry over the rest; the gap depends only on where the carry stops."""
        if self.size <= 4096:
            return widths(self.values())
        if self.universe.most_relevant < self.universe.depth:
            return widths(self.values()) if self.size <= VALUES_LIMIT else self._sampled()
        assert self.walk.weight
        spread, tail = self.levels[-1] - self.levels[0], Fraction(0)
        rest: Amount = tail
        found: list[float] = []
        for rank in range(self.universe.depth, 0, -1):
            weight = self.walk.weight(rank)
            found += [float(weight * (b - a) - rest * spread) for a, b in pairwise(self.levels)]
            rest = rest + weight
        return Gaps(min(found), max(found))

    def _sampled(self) -> Gaps:
        places = [1 + k * (self.size - 2) // 4096 for k in range(4097)]
        found = [float(_difference(self.at(place + 1), self.at(place))) for place in places]
        return Gaps(min(found), max(found), exact=False)


def _difference(a: Amount, b: Amount) -> Amount:
    return a - b if isinstance(a, LogSum) else -b + a


class WholeNumbersEngine(Engine):
    """Raw values that are 0, 1, 2, ... without a hole: the rank is 1 plus the value (SBTO)."""

    def __init__(self, walk: Walk, universe: Universe) -> None:
        self.walk, self.universe = walk, universe
        best = [universe.grades] * universe.most_relevant + [0] * (universe.depth - universe.most_relevant)
        self.size = self._value(best) + 1

    @staticmethod
    def fits(walk: Walk, universe: Universe) -> bool:
        """Declared by the walk; a recall base below the depth leaves holes."""
        return walk.kind == "whole numbers" and universe.most_relevant == universe.depth

    def _value(self, run: Sequence[int]) -> int:
        return int(sum((x for x in self.walk.increments(run) if not isinstance(x, LogSum)), Fraction(0)))

    def ranks(self, runs: Runs) -> list[int]:
        return [self._value(run) + 1 for run in runs.tolist()]

    def tallies(self, runs: Runs) -> list[tuple[int, int]]:
        from evenscale.scales.steps import tallies_by_state

        return tallies_by_state(self.walk, self.universe, runs)

    def at(self, rank: int) -> Amount:
        return Fraction(rank - 1)

    def values(self) -> list[Amount]:
        refuse_long(self.size)
        return [Fraction(value) for value in range(self.size)]

    def gaps(self) -> Gaps:
        return Gaps(1.0, 1.0) if self.size > 1 else Gaps(0.0, 0.0)
