"""Sweeping the value axis, and looking into single windows of it afterwards.

The axis is cut into slabs with about equally many pair sums, which threads take in turn; a slab is cut into windows as
its density asks. What stays is where the windows start and how many distinct values each holds.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from evenscale.scales.cumulative.halves import Budget, Halves, Table, Ways, flatten
from evenscale.scales.cumulative.sums import Layout, Sums
from evenscale.scales.engine import Progress

SLAB = 1 << 22
"""Pair sums in a slab, about: what is done between two reports of progress."""
MOST_SLABS = 1 << 12

T = TypeVar("T")
R = TypeVar("R")


class Swept(NamedTuple):
    """What a sweep over a part of the axis found; values are in units, windows in high words.

    `starts` ends with the end of the last window. Gaps and ends are None where there are too few values to have any.
    """

    starts: NDArray[np.int64]
    counts: NDArray[np.int64]
    pairs: int
    gaps: tuple[int, int] | None
    ends: tuple[int, int] | None

    @property
    def size(self) -> int:
        """How many distinct values there are."""
        return int(self.counts.sum())


@dataclass(frozen=True, slots=True)
class Axis:
    """The pair sums of two halves, by value."""

    table: Table
    layout: Layout
    low: int
    """The high word of the least value."""
    high: int
    """The high word of the greatest."""
    pairs: int
    window: int
    workers: int

    @classmethod
    def of(cls, halves: Halves, layout: Layout, extent: tuple[int, int], budget: Budget, workers: int | None) -> Axis:
        """The axis of these halves; `extent` is the least and the greatest value."""
        low, high = (layout.split(value)[0] for value in extent)
        return cls(flatten(halves, layout), layout, low, high, halves.pairs, budget.window, workers or cores())

    def sweep(self, progress: Progress | None = None) -> Swept:
        """Count the distinct values of the whole axis."""
        edges = self.quantiles(min(MOST_SLABS, max(1, self.pairs // SLAB)))
        parts: list[Swept | None] = [None] * (len(edges) - 1)
        done = 0
        jobs = [(i, edges[i], edges[i + 1]) for i in range(len(parts))]
        with closing(self.threads(lambda job: (job[0], self.slab(job[1], job[2])), jobs)) as results:
            for i, part in results:
                parts[i] = part
                done += part.pairs
                if progress:
                    progress(done, self.pairs)
        return joined([part for part in parts if part is not None])

    def slab(self, start: int, stop: int) -> Swept:
        """Count the distinct values from one high word up to but not including another."""
        from evenscale.scales.cumulative import kernels

        table = self.table
        starts, counts, pairs, gaps, ends = kernels.sweep(*table, start, stop, self.window)
        measured = None if int(gaps[0]) == int(kernels.NONE) else gaps
        outer = None if int(ends[0]) == int(kernels.NONE) else ends
        origin = self.layout.join(start, 0)
        return Swept(
            np.append(starts, stop),
            counts,
            int(pairs),
            None if measured is None else (self._value(*measured[:2]), self._value(*measured[2:])),
            None if outer is None else (origin + self._value(*outer[:2]), origin + self._value(*outer[2:])),
        )

    def _value(self, high: Any, low: Any) -> int:
        return self.layout.join(int(high), int(low))

    def quantiles(self, parts: int) -> list[int]:
        """Edges that cut the pair sums into about equal parts: from an even sample of all pairs."""
        begin, end = self.table.begin.astype(np.int64), self.table.end.astype(np.int64)
        last = np.cumsum(end - begin)
        picks = (np.arange(64 * parts) + 0.5) / (64 * parts) * self.pairs
        picked = np.minimum(picks.astype(np.int64), self.pairs - 1)
        row = np.searchsorted(last, picked, side="right")
        sums = np.sort(self.table.rows[row] + self.table.long[end[row] - (last[row] - picked)])
        inner = {int(sums[64 * i]) for i in range(1, parts)}
        return sorted({self.low, self.high + 1} | {edge for edge in inner if self.low < edge <= self.high})

    def threads(self, work: Callable[[T], R], jobs: Sequence[T]) -> Generator[R, None, None]:
        """Results of the jobs as they come, from as many threads as there are workers."""
        if self.workers == 1 or len(jobs) == 1:
            yield from map(work, jobs)
            return
        with _pool(self.workers) as pool:
            pending: set[Future[R]] = {pool.submit(work, job) for job in jobs}
            while pending:
                finished, pending = wait(pending, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in finished)

    def forecast(self) -> float:
        """Seconds that a sweep would take, from a part in the middle."""
        edges = self.quantiles(max(1, min(MOST_SLABS, self.pairs >> 19)))
        start, stop = edges[len(edges) // 2 - 1], edges[len(edges) // 2]
        self.slab(start, start + 1)  # loads the kernels
        started = time.perf_counter()
        pairs = self.slab(start, stop).pairs
        return (time.perf_counter() - started) * self.pairs / max(1, pairs) / self.workers


@contextmanager
def _pool(workers: int) -> Iterator[ThreadPoolExecutor]:
    """A pool that drops what has not begun when it is left by an exception."""
    pool = ThreadPoolExecutor(workers)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def joined(parts: Sequence[Swept]) -> Swept:
    """Neighbouring parts of the axis as one."""
    starts = np.concatenate([part.starts[:-1] for part in parts] + [parts[-1].starts[-1:]])
    counts = np.concatenate([part.counts for part in parts])
    ends = [part.ends for part in parts if part.ends is not None]
    gaps = [gap for part in parts if part.gaps is not None for gap in part.gaps]
    gaps += [after[0] - before[1] for before, after in pairwise(ends)]
    return Swept(
        starts,
        counts,
        sum(part.pairs for part in parts),
        (min(gaps), max(gaps)) if gaps else None,
        (ends[0][0], ends[-1][1]) if ends else None,
    )


class Cursor:
    """A place on the axis that only moves up."""

    def __init__(self, axis: Axis) -> None:
        self.axis = axis
        self.places, self.after = axis.table.begin.copy(), np.empty_like(axis.table.begin)
        self._make_room(0)

    def _make_room(self, room: int) -> None:
        two = self.axis.table.long_low is not None
        self.keys, self.spare = np.empty(room, np.uint64), np.empty(room, np.uint64)
        self.lows, self.spare_lows = (np.empty(room, np.uint64) if two else None for _ in range(2))

    def move(self, high: int, low: int = 0) -> None:
        """Up to the first pair sums that are not below this value."""
        from evenscale.scales.cumulative import kernels

        t = self.axis.table
        kernels.advance(t.rows, t.rows_low, t.end, t.long, t.long_low, t.low_bits, high, low, self.places)

    def window(self, start: int, stop: int) -> Sums:
        """The distinct values from one high word up to but not including another, as distances from the first."""
        from evenscale.scales.cumulative import kernels

        self.move(start)
        n = self._gather(start, stop)
        while n < 0:
            self._make_room(max(2 * len(self.keys), 2 * self.axis.window))
            n = self._gather(start, stop)
        room = self.keys, self.lows, self.spare, self.spare_lows
        count = kernels.settle(*room, n, stop - start, self.axis.table.low_bits)
        low = None if self.lows is None else self.lows[:count].astype(np.int64)
        return Sums(self.keys[:count].astype(np.int64), low)

    def _gather(self, start: int, stop: int) -> int:
        from evenscale.scales.cumulative import kernels

        t = self.axis.table
        sums = t.rows, t.rows_low, t.long, t.long_low, t.low_bits
        return kernels.gather(*sums, start, stop - start, self.places, self.after, self.keys, self.lows)

    def pairs(self) -> int:
        """How many pair sums are below."""
        return int((self.places - self.axis.table.begin).sum())

    def ways(self, ways: Ways) -> int:
        """How many runs are below."""
        return int(np.dot(ways.rows, ways.before[self.places]))
