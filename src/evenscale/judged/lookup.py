"""Finding run rows among the qrels by 64-bit keys, without touching strings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenscale.judged.block import Ints

Keys = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class KeyIndex:
    """Where each key stands in an array of distinct keys that belong to groups (topics) 0, 1, 2, ...

    Every group has its own stretch of a sparse table, so that a run, which comes topic by topic, looks into one small
    stretch after the other. Keys that collide go to a further table. A slot that is empty in one table ends the search:
    had the key been there, the slot would be taken; so almost all unjudged documents cost one look.

    >>> index = KeyIndex.of(np.array([5, 9, 7], dtype=np.uint64), np.array([0, 0, 1]))
    >>> index.find(np.array([7, 8, 5, 5], dtype=np.uint64), np.array([1, 1, 0, -1])).tolist()
    [2, -1, 0, -1]
    """

    keys: Keys
    tables: tuple[_Table, ...]

    @classmethod
    def of(cls, keys: Keys, groups: Ints) -> KeyIndex:
        """Index distinct keys."""
        waiting = np.arange(len(keys), dtype=np.int32)
        tables: list[_Table] = []
        while len(waiting):
            table = _Table.sized(groups[waiting], len(tables))
            slots = table.slots(keys[waiting], groups[waiting])
            table.held[slots] = waiting
            tables.append(table)
            waiting = waiting[table.held[slots] != waiting]
        return cls(keys, tuple(tables))

    def find(self, keys: Keys, groups: Ints) -> NDArray[np.int64]:
        """The position of each key within its group, -1 where it is absent or the group is -1."""
        found = np.full(len(keys), -1, dtype=np.int64)
        rows = np.flatnonzero(groups >= 0)
        if len(rows) < len(keys):
            keys, groups = keys[rows], groups[rows]
        for table in self.tables:
            held = table.held[table.slots(keys, groups)]
            taken = np.flatnonzero(held >= 0)
            rows, held, keys, groups = rows[taken], held[taken], keys[taken], groups[taken]
            same = self.keys[held] == keys
            found[rows[same]] = held[same]
            other = np.flatnonzero(~same)
            if not len(other):
                break
            rows, keys, groups = rows[other], keys[other], groups[other]
        return found


@dataclass(frozen=True, eq=False)
class _Table:
    """Slots for positions: group g has its own, from `starts[g]` on; the last group is for those without keys."""

    held: NDArray[np.int32]
    starts: NDArray[np.int64]
    shifts: NDArray[np.uint64]
    odd: np.uint64

    @classmethod
    def sized(cls, groups: Ints, number: int) -> _Table:
        """A table with about four slots for every key of each group; groups without keys have two, empty."""
        counts = np.bincount(groups) if len(groups) else np.zeros(1, dtype=np.int64)
        bits = np.append(np.ceil(np.log2(np.maximum(4 * counts, 2))).astype(np.int64), 1)
        starts = np.concatenate([[0], np.cumsum(1 << bits)])
        held = np.full(int(starts[-1]), -1, dtype=np.int32)
        odd = np.uint64((0x9E3779B97F4A7C15 * (2 * number + 1)) & 0xFFFFFFFFFFFFFFFF)
        return cls(held, starts[:-1], (64 - bits).astype(np.uint64), odd)

    def slots(self, keys: Keys, groups: Ints) -> NDArray[np.int64]:
        """Fibonacci hashing: the highest bits of a product."""
        group = groups if groups.max(initial=0) < len(self.starts) - 1 else np.minimum(groups, len(self.starts) - 1)
        high = (keys * self.odd) >> self.shifts[group]
        return self.starts[group] + high.view(np.int64)
