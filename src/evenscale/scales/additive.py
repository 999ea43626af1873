"""Exact scales of additive measures (RBP, DCG in every variant, sliding ratios) by meeting in the middle.

`classes` splits the image into factors of which every combination is a different value. The factors go into two halves;
the combinations of each are listed and sorted, and a run's rank is the number of pairs with a smaller or equal sum.
Sums are integers of 120 bits, so that a pair is decided unless it comes within some 2^-110 of the range. The pairs that
do are decided exactly: by the keys of their classes, and else by evaluating to as many digits as it takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property, cmp_to_key
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenscale.errors import BadParameter
from evenscale.measures.contract import Amount, Walk
from evenscale.measures.exact import LogSum, compare
from evenscale.orders.universe import Universe
from evenscale.scales.classes import Classes, shown
from evenscale.scales.engine import VALUES_LIMIT, Engine, Gaps, Runs, ScaleTooLarge
from evenscale.scales.pairs import HALF_LIMIT, LOW, Half, Ints, Near, Pairs, Table, balanced, carried, split

SWEEP_LIMIT = 1 << 24
"""The most values that are swept for the exact smallest and largest gap."""
_WINDOW = 1 << 20
_EDGE = 1 << (2 * LOW + 1)  # beyond every fixed-point sum


class AdditiveEngine(Engine):
    """Distinct values of a walk that adds weight(rank) * gain(grade), counted exactly.

    >>> from evenscale.measures import parse
    >>> universe = Universe(4)
    >>> engine = AdditiveEngine(parse("DCG(dcg='jk')@4").walk(universe.topic, 4), universe)
    >>> engine.size, engine.ranks(np.array([[0, 0, 1, 1], [1, 0, 0, 1]]))
    (12, [5, 6])
    """

    def __init__(self, walk: Walk, universe: Universe) -> None:
        self.universe = universe
        self.classes = Classes(walk, universe)
        self.size = self.classes.size
        self._line = self.classes.line
        if self._line is None:
            self._halves(self.classes.tables)

    def _halves(self, tables: Sequence[Table]) -> list[list[Table]]:
        """Tables in two parts; refused at once where they have too many combinations."""
        # A long sorted half makes lookups short; a very long one costs more to sort than it saves.
        bits = self.size.bit_length()
        limits: tuple[tuple[int, int], ...] = ((38, 64), (44, 16), (48, 4))
        if self.classes.constrained:
            limits = ((34, 16),) if len(tables) <= 64 else ()
        ratio = next((ratio for most, ratio in limits if bits <= most), 1)
        parts, largest = balanced(tables, self.classes.extended, self.classes.nothing, ratio)
        if largest > HALF_LIMIT:
            raise ScaleTooLarge(
                f"a scale of {shown(self.size)} values on {shown(self.universe.size)} runs needs "
                f"{shown(largest)} half runs for exact ranks, more than {HALF_LIMIT:,}: choose a smaller cut-off or "
                "fewer grades, or take approximate ranks (DeepEngine)"
            )
        return parts

    @cached_property
    def _pairs(self) -> Pairs:
        """For counting distinct values."""
        left, right = (Half(tables, self._room) for tables in self._halves(self.classes.tables))
        return Pairs(left, right, self._room)

    @cached_property
    def _run_pairs(self) -> Pairs:
        """For counting runs."""
        if self._line is None and not self.classes.constrained:
            return Pairs(self._pairs.left, self._pairs.right, None, self.universe.size)
        left, right = (Half(tables, self._room) for tables in self._halves(self.classes.run_tables))
        return Pairs(left, right, self._room, self.universe.size)

    @property
    def _room(self) -> int | None:
        return self.universe.most_relevant if self.classes.constrained else None

    # --- ranks and tallies ---

    def ranks(self, runs: Runs) -> list[int]:
        runs = self._checked(runs)
        if self._line is not None:
            first, step = self._line.start, self._line.step
            return [(int(key) - first) // step + 1 for key in self.classes.keys(runs, self.classes.axes[0])]
        return [below + same for below, same in self._tallied(self._pairs, runs, weighted=False)]

    def tallies(self, runs: Runs) -> list[tuple[int, int]]:
        return self._tallied(self._run_pairs, self._checked(runs), weighted=True)

    def _checked(self, runs: Runs) -> Runs:
        if runs.ndim != 2 or runs.shape[1] != self.universe.depth:
            raise BadParameter(f"runs must be rows of {self.universe.depth} grades, got an array of shape {runs.shape}")
        if runs.size and (runs.min() < 0 or runs.max() > self.universe.grades):
            raise BadParameter(f"grades must be 0 to {self.universe.grades}, got {runs.min()} to {runs.max()}")
        if runs.size and (relevant := np.count_nonzero(runs, axis=1).max()) > self.universe.most_relevant:
            raise BadParameter(f"a run holds {relevant} relevant documents, more than {self.universe.most_relevant}")
        return runs

    def _tallied(self, pairs: Pairs, runs: Runs, *, weighted: bool) -> list[tuple[int, int]]:
        """For each run what counts below its value and what counts at it."""
        distinct, which = np.unique(runs, axis=0, return_inverse=True)
        (high, low), slack = self.classes.words(distinct), self.classes.slack
        below, near = pairs.sweep(carried(high, low - slack), carried(high, low + slack))
        same = [0] * len(below)
        ways = pairs.left.ways(near.left) * pairs.right.ways(near.right) if weighted else np.ones_like(near.query)
        for query, side, count in zip(
            near.query.tolist(), self._sides(pairs, near, distinct), ways.tolist(), strict=True
        ):
            if side < 0:
                below[query] += count
            elif side == 0:
                same[query] += count
        return [(below[place], same[place]) for place in which.reshape(-1)]

    def _sides(self, pairs: Pairs, near: Near, runs: Runs) -> list[int]:
        """Whether pairs lie below (-1), at (0) or above (1) their query; fixed-point sums could not tell."""
        sides = [0] * len(near.query)
        if self.classes.ruler[1]:
            return sides
        keys = self._keys(pairs, near)
        differences = [
            own - self.classes.keys(runs, axis)[near.query] for own, axis in zip(keys, self.classes.axes, strict=True)
        ]
        apart = np.any([(difference != 0).astype(bool) for difference in differences], axis=0)
        for place in np.flatnonzero(apart):
            sides[place] = compare(self._amount([int(difference[place]) for difference in differences]), 0)
        return sides

    def _keys(self, pairs: Pairs, near: Near) -> list[NDArray[Any]]:
        """For each class the keys of pairs."""
        keys: list[Any] = [np.zeros(len(near.query), dtype=np.int64) for _ in self.classes.axes]
        for table, row in chain(pairs.left.rows(near.left), pairs.right.rows(near.right)):
            keys[table.axis] = keys[table.axis] + table.keys[row]
        return keys

    def _amount(self, keys: Sequence[int]) -> Amount:
        parts = [axis.amounts(key) for axis, key in zip(self.classes.axes, keys, strict=True)]
        terms = dict(chain.from_iterable(terms for _, terms in parts))
        rational = sum((rational for rational, _ in parts), Fraction(0))
        return LogSum(terms, rational) if terms else rational

    # --- values ---

    def at(self, rank: int) -> Amount:
        if not 1 <= rank <= self.size:
            raise BadParameter(f"rank must be 1 to {self.size}, got {rank}")
        if self._line is not None:
            return self._amount([self._line.start + (rank - 1) * self._line.step])
        start, stop = self._around(rank, 1 << 10)
        slack = self.classes.slack
        below, near = self._window(start - slack, stop + slack)
        place = rank - below - 1
        return self._amounts(Near(*(column[place : place + 1] for column in near)))[0]

    def values(self) -> list[Amount]:
        if self.size > VALUES_LIMIT:
            raise ScaleTooLarge(
                f"the scale has {shown(self.size)} values, more than the {VALUES_LIMIT:,} that are listed"
            )
        if self._line is not None:
            return [self.at(rank) for rank in range(1, self.size + 1)]
        return self._amounts(self._window(-_EDGE, _EDGE)[1])

    def _around(self, rank: int, enough: int) -> tuple[int, int]:
        """Bounds around the value with this rank, with at most `enough` values between them if that can be."""
        start, stop, below, above = -_EDGE, _EDGE, 0, self.size
        while above - below > enough and stop - start > 1:
            middle = (start + stop) // 2
            [count], _ = self._swept(middle, middle - 1)
            if count < rank:
                start, below = middle, count
            else:
                stop, above = middle, count
        return start, stop

    def _swept(self, start: int, stop: int) -> tuple[list[int], Near]:
        bounds = [tuple(np.array([word], dtype=np.int64) for word in split(edge)) for edge in (start, stop)]
        return self._pairs.sweep(*bounds)  # type: ignore[arg-type]

    def _window(self, start: int, stop: int) -> tuple[int, Near]:
        """How many values lie below a window, and the pairs in it by ascending value, decided exactly."""
        [below], near = self._swept(start, stop)
        high, low = self._sums(near)
        order = np.lexsort((low, high))
        if not self.classes.ruler[1]:
            order = self._settled(order, near, _steps(high[order], low[order]))
        return below, Near(*(column[order] for column in near))

    def _settled(self, order: NDArray[np.intp], near: Near, steps: NDArray[np.float64]) -> NDArray[np.intp]:
        """The order with all stretches that fixed-point sums cannot tell apart put right."""
        # Steps are floats here; doubling the slack makes up for their rounding.
        joined = np.flatnonzero(steps <= 2 * self.classes.slack)
        for stretch in np.split(joined, np.flatnonzero(np.diff(joined) > 1) + 1) if len(joined) else []:
            which = order[stretch[0] : stretch[-1] + 2]
            amounts = self._amounts(Near(*(column[which] for column in near)))
            key = cmp_to_key(compare)
            by_value = sorted(range(len(which)), key=lambda i, a=amounts: key(a[i]))  # type: ignore[misc]
            order[stretch[0] : stretch[-1] + 2] = which[by_value]
        return order

    def _sums(self, near: Near) -> tuple[Ints, Ints]:
        left, right = self._pairs.left, self._pairs.right
        return carried(left.high[near.left] + right.high[near.right], left.low[near.left] + right.low[near.right])

    def _amounts(self, near: Near) -> list[Amount]:
        """Exact values of pairs. Parts are shared between values: a long list holds each of them once."""
        rationals: list[Sequence[Fraction]] = []
        terms: list[Any] = []
        for axis, keys in zip(self.classes.axes, self._keys(self._pairs, near), strict=True):
            distinct, which = np.unique(keys, return_inverse=True)
            parts = [axis.amounts(int(key)) for key in distinct]
            if None in axis.parts:
                rationals.append([parts[i][0] for i in which])
            if axis.parts[-1] is not None:
                terms.append([parts[i][1] for i in which])
        zeros = [[Fraction(0)] * len(near.query)]
        mixed = any(len(axis.parts) > 1 for axis in self.classes.axes)
        rows = zip(*terms, strict=True) if terms else ((),) * len(near.query)
        return [_assembled(r, t, mixed) for r, t in zip((rationals or zeros)[0], rows, strict=True)]

    # --- gaps ---

    def gaps(self) -> Gaps:
        """Exact up to SWEEP_LIMIT values; beyond, from windows at both ends and evenly between them."""
        if self.size == 1:
            return Gaps(0.0, 0.0)
        if self._line is not None:
            step = float(self._line.step * self.classes.unit)
            return Gaps(step, step)
        exact = self.size <= SWEEP_LIMIT
        smallest, largest, before = np.inf, 0.0, None
        for start, stop in self._pieces() if exact else self._samples():
            near = self._window(start, stop - 1)[1]
            if exact and before is not None:
                near = Near(*(np.append(*columns) for columns in zip(before, near, strict=True)))
            before = Near(*(column[-1:] for column in near))
            found = self._extremes(near)
            smallest, largest = min([smallest, *found]), max([largest, *found])
        return Gaps(float(smallest), float(largest), exact)

    def _pieces(self) -> Iterator[tuple[int, int]]:
        """The value axis in windows of at most _WINDOW values, ascending."""
        waiting = [(-_EDGE, _EDGE, 0, self.size)]
        while waiting:
            start, stop, below, above = waiting.pop()
            if above - below > _WINDOW and stop - start > 1:
                middle = (start + stop) // 2
                [count], _ = self._swept(middle, middle - 1)
                waiting += [(middle, stop, count, above), (start, middle, below, count)]
            elif above > below:
                yield start, stop

    def _samples(self) -> Iterator[tuple[int, int]]:
        """Windows around evenly spaced ranks, both ends among them; fewer where lookups are slow."""
        number = max(3, min(33, (1 << 24) // len(self._pairs.left)))
        for k in range(number):
            yield self._around(1 + k * (self.size - 1) // (number - 1), 1 << 12)

    def _extremes(self, near: Near) -> list[float]:
        """The widths of the narrowest and widest gaps in a window: floats find them, exact differences tell them."""
        steps, doubt = _steps(*self._sums(near)), 4.0 * self.classes.slack
        if not len(steps):
            return []
        order = np.argsort(steps)
        close = [int(np.count_nonzero(steps <= steps[order[0]] + doubt))]
        close.append(int(np.count_nonzero(steps >= steps[order[-1]] - doubt)))
        few, many = (min(max(count, 16), 1 << 12) for count in close)
        which = np.unique(np.append(order[:few], order[-many:]))
        below, above = (self._keys(self._pairs, Near(*(column[which + k] for column in near))) for k in (0, 1))
        return [
            self._width(keys) for keys in set(zip(*(b - a for a, b in zip(below, above, strict=True)), strict=True))
        ]

    def _width(self, keys: Sequence[int]) -> float:
        """The size of a difference of keys, right to the last digit of a float."""
        bits = 400
        total = sum(self.classes.fixed(axis, int(key), bits) for axis, key in enumerate(keys) if key)
        return float(Fraction(abs(total), 1 << bits))


def _steps(high: Ints, low: Ints) -> NDArray[np.float64]:
    """Distances between neighbours, in steps of the ruler."""
    return np.diff(high) * float(1 << LOW) + np.diff(low)


def _assembled(rational: Fraction, parts: tuple[Any, ...], mixed: bool) -> Amount:
    """A value from parts in the order that LogSum keeps; its constructor would sort and copy them again."""
    terms = tuple(chain.from_iterable(parts))
    if not terms:
        return rational
    value = LogSum.__new__(LogSum)
    value.rational, value.terms = rational, tuple(sorted(terms)) if mixed else terms
    return value
