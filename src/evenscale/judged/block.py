"""Many judged runs at once: what the vectorised kernels see. Integers inside, labels outside.

A block has one row per run and topic. Only judged documents are listed, sorted by row and rank, because all else
follows: a rank that is not listed holds an unjudged document. Nothing is padded, so one deep topic costs nothing
on the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenscale.judged.topic import Grade, Judged, Topic

Ints = NDArray[np.signedinteger[Any]]
Floats = NDArray[np.float64]


class Hits(NamedTuple):
    """Judged documents that passed a test: row, rank from 1, and the how-manieth in its row it is, from 1."""

    row: Ints
    rank: Ints
    nth: Ints
    code: Ints

    def within(self, cutoff: int | None) -> Hits:
        """Those at or above a cut-off."""
        if cutoff is None:
            return self
        keep = self.rank <= cutoff
        return Hits(self.row[keep], self.rank[keep], self.nth[keep], self.code[keep])


@dataclass(frozen=True, eq=False)
class Block:
    """Judged documents by row and rank.

    `levels` are the grades in use, ascending, starting with 0; `code` indexes them. `counts[row, level]` is how
    many documents the topic's judgments hold, `retrieved[row]` how many the run returned. `ties` lists, for rows
    where it matters, the spans of ranks `(first, last)` whose documents tie on score (policy `expected` only).

    >>> block = Block.of([[1, 0, None, 2], [0, 1]], levels=(0, 1, 2), counts=[[5, 2, 1], [5, 1, 0]])
    >>> hits = block.relevant(1)
    >>> hits.row.tolist(), hits.rank.tolist(), hits.nth.tolist()
    ([0, 0, 1], [1, 4, 2], [1, 2, 1])
    >>> block.judged(0).grades
    (1, 0, None, 2)
    """

    row: Ints
    rank: Ints
    code: Ints
    levels: tuple[Grade, ...]
    counts: Ints
    retrieved: Ints
    top: Grade
    ties: dict[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    capped: bool = False  # scores are upper bounds (policy unjudged="upper"), held to each measure's range
    _hits: dict[Grade, Hits] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        runs: list[list[Grade | None]],
        levels: tuple[Grade, ...],
        counts: list[list[int]],
        top: Grade | None = None,
    ) -> Block:
        """A block from lists of grades, for tests, universes and examples."""
        code = {grade: i for i, grade in enumerate(levels)}
        cells = [(r, k, code[g]) for r, run in enumerate(runs) for k, g in enumerate(run, 1) if g is not None]
        table = np.array(cells, dtype=np.int64).reshape(-1, 3)
        retrieved = np.array([len(run) for run in runs], dtype=np.int64)
        highest = top if top is not None else max(max(levels), 1)
        listed = np.array(counts, dtype=np.int64)
        return cls(table[:, 0], table[:, 1], table[:, 2], levels, listed, retrieved, highest)

    @classmethod
    def stacked(cls, blocks: Sequence[Block]) -> Block:
        """The rows of several blocks of the same judgments, one block below the other."""
        first = blocks[0]
        starts = np.cumsum([0, *(block.rows for block in blocks)])
        return cls(
            np.concatenate([block.row + start for block, start in zip(blocks, starts, strict=False)]),
            np.concatenate([block.rank for block in blocks]),
            np.concatenate([block.code for block in blocks]),
            first.levels,
            np.concatenate([block.counts for block in blocks]),
            np.concatenate([block.retrieved for block in blocks]),
            first.top,
            {
                row + int(start): t
                for block, start in zip(blocks, starts, strict=False)
                for row, t in block.ties.items()
            },
            first.capped,
        )

    @property
    def rows(self) -> int:
        """How many runs on topics there are."""
        return len(self.retrieved)

    @cached_property
    def judged_before(self) -> Ints:
        """For every listed document, how many listed ones precede it in its row."""
        starts = np.searchsorted(self.row, np.arange(self.rows))
        return np.arange(len(self.row)) - starts[self.row]

    def relevant(self, rel: Grade) -> Hits:
        """The retrieved documents of at least this grade; computed once per threshold."""
        if rel not in self._hits:
            at = np.flatnonzero(self.code >= self._level(rel))
            row = self.row[at]
            starts = np.searchsorted(row, np.arange(self.rows))
            nth = np.arange(1, len(row) + 1) - starts[row]
            self._hits[rel] = Hits(row, self.rank[at], nth, self.code[at])
        return self._hits[rel]

    def graded(self) -> Hits:
        """The retrieved documents of any grade above 0."""
        return self.relevant(self.levels[1] if len(self.levels) > 1 else 1)

    def nonrelevant_before(self, rel: Grade) -> Ints:
        """For every relevant document, how many judged non-relevant ones precede it in its row."""
        return self.judged_before[self.code >= self._level(rel)] - (self.relevant(rel).nth - 1)

    def recall_base(self, rel: Grade) -> Ints:
        """How many documents of at least this grade each row's topic has."""
        return np.asarray(self.counts[:, self._level(rel) :].sum(axis=1))

    @property
    def positives(self) -> Ints:
        """How many documents of any grade above 0 each row's topic has."""
        return np.asarray(self.counts[:, 1:].sum(axis=1))

    def nonrelevant(self, rel: Grade) -> Ints:
        """How many judged documents below this grade each row's topic has."""
        return np.asarray(self.counts[:, : self._level(rel)].sum(axis=1))

    def add_up(self, hits: Hits, weights: Floats | None = None) -> Floats:
        """The sum of weights over each row's hits, added in rank order."""
        return np.bincount(hits.row, weights, minlength=self.rows).astype(np.float64, copy=False)

    def judged(self, row: int) -> Judged:
        """One row as a judged run."""
        grades: list[Grade | None] = [None] * int(self.retrieved[row])
        first, last = np.searchsorted(self.row, [row, row + 1])
        for rank, code in zip(self.rank[first:last].tolist(), self.code[first:last].tolist(), strict=True):
            grades[rank - 1] = self.levels[code]
        return Judged(tuple(grades), self.topic(row))

    def topic(self, row: int) -> Topic:
        """The judgments behind one row."""
        return Topic.of(dict(zip(self.levels, self.counts[row].tolist(), strict=True)), self.top)

    def _level(self, rel: Grade) -> int:
        """The lowest level of at least this grade."""
        return next((i for i, grade in enumerate(self.levels) if grade >= rel), len(self.levels))
