"""Reading one run, or one set of judgments, from wherever it is."""

from __future__ import annotations

import os

from evenscale.errors import quoted
from evenscale.files.columns import wanted
from evenscale.files.content import load, plain_name, text_of
from evenscale.files.finish import finish_qrels, finish_runs
from evenscale.files.memory import from_memory
from evenscale.files.numeric import bare
from evenscale.files.origin import Origin
from evenscale.files.records import Qrels, Run
from evenscale.files.tables import read_table
from evenscale.files.trec import parse_qrels, parse_run
from evenscale.oddities import named


def read_qrels(source: object) -> Qrels:
    """Judgments from a file, a frame, a dictionary or rows.

    A file is TREC text (`topic iter doc grade`), CSV or TSV with a header, Parquet or JSON lines, plain or
    compressed by gzip, bzip2 or zstd. A dictionary is `{topic: {doc: grade}}`. Qrels that have been read
    already are given back as they are.

    >>> read_qrels({"401": {"a": 2, "b": 0}}).frame.rows()
    [('401', 'a', 2), ('401', 'b', 0)]
    """
    if isinstance(source, Qrels):
        return source
    if not isinstance(source, (str, os.PathLike)):
        return finish_qrels(from_memory(source, wanted("qrels"), "qrels"))
    path = path_text(source)
    data = load(path)
    rough = read_table(path, data, wanted("qrels"))
    return parse_qrels(text_of(data, path)) if rough is None else finish_qrels(rough)


def read_run(source: object, *, name: str | None = None, ranks: bool = False) -> Run:
    """One run from a file, a frame, a dictionary or rows, named `name` or else by its tag.

    Sources are those of `read_qrels`, with TREC text as `topic Q0 doc rank score tag`. The frame has a column
    `rank` if `ranks` is true and the source has ranks. A run that has been read already is given back as it
    is, but for a new name.

    >>> read_run({"401": {"a": 12.5, "b": 11}}, name="bm25").frame.rows()
    [('401', 'a', 12.5), ('401', 'b', 11.0)]
    """
    runs = runs_in(source, ranks=ranks, label=run_label(name))
    if len(runs) > 1:
        tags = named(bare(run.name) for run in runs)
        why = f"holds {len(runs)} systems ({tags}), expected one; read_runs gives each as a run of its own"
        raise Origin(runs[0].path, run_label(name)).bad(why)
    run = runs[0]
    name = run.name or "run1" if name is None else name
    return run if run.name == name else run.renamed(name)


def run_label(name: str | None) -> str:
    """What messages call a run that is not a file.

    >>> run_label("bm25"), run_label(None)
    ("run 'bm25'", 'run')
    """
    return "run" if name is None else f"run {quoted(name)}"


def path_text(path: str | os.PathLike[str]) -> str:
    """A path as text, also where it is not valid Unicode."""
    return os.fsdecode(path)


def runs_in(source: object, *, ranks: bool, label: str) -> list[Run]:
    """The runs in one source: one, or one for each tag of a table. A run in memory may lack a name."""
    if isinstance(source, Run):
        return [source]
    roles = wanted("run", with_ranks=ranks)
    if not isinstance(source, (str, os.PathLike)):
        return finish_runs(from_memory(source, roles, label))
    path = path_text(source)
    data = load(path)
    rough = read_table(path, data, roles)
    if rough is None:
        return [parse_run(text_of(data, path), with_ranks=ranks)]
    return [run if run.name else run.renamed(plain_name(path)) for run in finish_runs(rough)]
