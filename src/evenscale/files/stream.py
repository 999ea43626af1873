"""Reading many runs: several at a time, in order, and never all at once in memory."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from evenscale.errors import BadFile
from evenscale.files.listing import list_runs
from evenscale.files.naming import Entry, entries
from evenscale.files.reading import read_run, run_label, runs_in
from evenscale.files.records import Run

T = TypeVar("T")

# Polars parses with threads of its own; one more than there are cores keeps them busy while files are opened
# and checked. More would only hold more runs in memory.
WORKERS = min(8, (os.cpu_count() or 1) + 1)


def read_runs(sources: object, *, ranks: bool = False) -> Iterator[Run]:
    """The runs that `sources` stands for, one after the other, with distinct names.

    Sources are those of `list_runs`; a table with several tags gives a run for each. Runs are called by their
    tags; those whose tag is another run's too by their files, and that is among their oddities. Names are
    settled and missing files found before this function returns; all other errors are raised when it is the
    bad run's turn.

    >>> [run.name for run in read_runs({"a": {"401": {"x": 1.5}}, "b": {"401": {"y": 2.5}}})]
    ['a', 'b']
    """
    found = entries(list_runs(sources), ranks=ranks)
    return in_order([partial(_runs_of, entry, ranks=ranks) for entry in found], workers=WORKERS)


def _runs_of(entry: Entry, *, ranks: bool) -> list[Run]:
    """The runs of one source under their settled names."""
    source, name = entry.source.source, entry.source.name
    if name is not None:
        return [read_run(source, name=name, ranks=ranks)]
    runs = runs_in(source, ranks=ranks, label=run_label(name))
    if not entry.names:
        return [run if run.name else run.renamed(f"run{place}") for place, run in enumerate(runs, 1)]
    if len(runs) != len(entry.names):
        raise BadFile(entry.source.path, "has changed while it was being read")
    return [
        run if run.name == name and not oddities else run.renamed(name, *oddities)
        for run, name, oddities in zip(runs, entry.names, entry.oddities, strict=True)
    ]


def in_order(jobs: Sequence[Callable[[], Sequence[T]]], *, workers: int) -> Iterator[T]:
    """What the jobs give, in their order; at most `workers` of them are ahead of what has been asked for.

    >>> list(in_order([lambda: "ab", lambda: "c"], workers=2))
    ['a', 'b', 'c']
    """
    if len(jobs) == 1:
        yield from jobs[0]()
        return
    pool = ThreadPoolExecutor(workers, thread_name_prefix="evenscale-read")
    pending: deque[Future[Sequence[T]]] = deque()
    try:
        for job in jobs:
            pending.append(pool.submit(job))
            if len(pending) > workers:
                yield from pending.popleft().result()
        while pending:
            yield from pending.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
