"""The steps of an order's Hasse diagram under a measure: which fall, which are level, which differ.

All comparable pairs are decided by the covers: whatever is above an element is reached from it by covers, so if no
cover falls nothing falls, and if every cover rises everything does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenscale.orders.gaps import Value, gap, same_gap
from evenscale.orders.poset import Poset
from evenscale.orders.spacing import burden
from evenscale.orders.values import Placed, Run

Numbers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Steps:
    """The covers of an order, those with the least to read first, and the values of a measure at their ends."""

    found: Placed
    poset: Poset
    number: dict[Run, int]
    """The number of every run among the scored ones."""

    @staticmethod
    def of(found: Placed, poset: Poset) -> Steps:
        """The runs of an order are among the scored ones."""
        return Steps(found, poset, {run: number for number, run in enumerate(found.runs)})

    def place(self, run: Run) -> int:
        """The place of a run's value."""
        return int(self.found.places[self.number[run]])

    def value(self, run: Run) -> Value:
        """A run's exact value."""
        return self.found.values[self.place(run)]

    @cached_property
    def places(self) -> Numbers:
        """The place of every class's value: of its first member's."""
        return np.array([self.place(run) for run in self.poset.labels], dtype=np.int64)

    @cached_property
    def ends(self) -> tuple[Numbers, Numbers]:
        """The lower and the upper ends of the covers, by the classes' numbers; those with the least to read first."""
        if not self.poset.edges:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        low, high = np.array(self.poset.edges, dtype=np.int64).T
        weight = np.array([burden(run) for run in self.poset.labels], dtype=np.int64)
        along = np.lexsort((high, low, weight[low] + weight[high]))
        return low[along], high[along]

    @property
    def falling(self) -> NDArray[np.bool_]:
        """Which covers score less at the upper end."""
        low, high = self.ends
        return np.asarray(self.places[high] < self.places[low])

    @property
    def level(self) -> NDArray[np.bool_]:
        """Which covers score the same at both ends."""
        low, high = self.ends
        return np.asarray(self.places[high] == self.places[low])

    def first(self, chosen: NDArray[np.bool_]) -> tuple[Run, Run] | None:
        """The first chosen cover."""
        where = np.flatnonzero(chosen)
        return self._runs(int(where[0])) if len(where) else None

    def _runs(self, edge: int) -> tuple[Run, Run]:
        low, high = self.ends
        return self.poset.labels[low[edge]], self.poset.labels[high[edge]]

    def split(self) -> tuple[Run, Run] | None:
        """Two equivalent runs of different values, the one that scores more first."""
        pairs = []
        for members in self.poset.classes:
            if len(members) > 1:
                best = min(members, key=lambda run: (-self.place(run), burden(run)))
                worst = min(members, key=lambda run: (self.place(run), burden(run)))
                if self.place(best) > self.place(worst):
                    pairs.append((best, worst))
        return min(pairs, key=lambda pair: burden(pair[0]) + burden(pair[1])) if pairs else None

    def equivalent(self, run: Run, other: Run) -> bool:
        """Whether the order takes two runs as one."""
        return self.poset.number(run) == self.poset.number(other)

    def uneven(self) -> tuple[Run, Run, Run, Run] | None:
        """Two covers that add different amounts, on one maximal chain where that can be; None where all add the same.

        In a bounded graded order some such pair is on one maximal chain. Suppose that every maximal chain had covers of
        one amount only. All maximal chains lead from the bottom to the top with the same number of steps, so the amount
        is the same share of the same difference on each, and all covers are equal.
        """
        low, high = self.ends
        below, kind_of = self.poset.below, _Kinds()
        kinds = np.zeros(len(low), dtype=np.int64)
        for edge in range(len(low)):
            kinds[edge] = kind_of(self.amount(edge))
            if kind_of.several:
                chained = below[high[:edge], low[edge]] | below[high[edge], low[:edge]]
                where = np.flatnonzero(chained & (kinds[:edge] != kinds[edge]))
                if len(where):
                    return self._in_order(int(where[0]), edge)
        return self._in_order(0, int(np.flatnonzero(kinds)[0])) if kind_of.several else None

    def _in_order(self, one: int, other: int) -> tuple[Run, Run, Run, Run]:
        first, second = sorted((one, other), key=lambda edge: int(self.ends[0][edge]))
        return (*self._runs(first), *self._runs(second))

    def on_one_chain(self, runs: Sequence[Run]) -> bool:
        """Whether the second of four runs is at most the third."""
        return self.poset.leq(runs[1], runs[2])

    def amount(self, edge: int) -> Value:
        """What a cover adds."""
        low, high = (self.found.values[self.places[ends[edge]]] for ends in self.ends)
        return gap(low, high)

    def slope(self) -> Value | None:
        """What the first cover adds; None where there is none."""
        return self.amount(0) if self.poset.edges else None

    def offset(self) -> Value | None:
        """The value of the minimal elements; None where they differ."""
        places = {self.place(run) for run in self.poset.minimal}
        return self.found.values[places.pop()] if len(places) == 1 else None


class _Kinds:
    """Numbers for amounts, from 0 for the first; equal amounts have equal numbers."""

    def __init__(self) -> None:
        self.exact: dict[Value, int] = {}
        self.floats: list[float] = []

    def __call__(self, amount: Value) -> int:
        if not isinstance(amount, float):
            return self.exact.setdefault(amount, len(self.exact))
        near = [number for number, other in enumerate(self.floats) if same_gap(other, amount)]
        if not near:
            self.floats.append(amount)
        return near[0] if near else len(self.floats) - 1

    @property
    def several(self) -> bool:
        """Whether more than one amount was met."""
        return len(self.exact) + len(self.floats) > 1
