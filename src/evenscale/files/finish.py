"""The last step of every reader: columns as they came become a run or qrels, or a precise error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from evenscale.errors import BadInput, quoted
from evenscale.files.columns import OPTIONAL
from evenscale.files.numeric import bare, floats, grades, ranks
from evenscale.files.origin import Origin, Trouble
from evenscale.files.records import Keys, Qrels, Run
from evenscale.oddities import Oddity, named

TEXTS = (pl.String, pl.Categorical, pl.Enum)


@dataclass(frozen=True)
class Rough:
    """Columns under their standard names, as they came: of any type, and not checked.

    `cut` is what is wrong with the row after the last one, where that stopped the reading.
    """

    frame: pl.DataFrame
    origin: Origin
    oddities: tuple[Oddity, ...] = ()
    cut: BadInput | None = None


def empty_table(roles: Sequence[str]) -> str:
    """What to say about a table without rows.

    >>> empty_table(["topic", "doc", "score", "tag"])
    'is empty: expected rows of topic doc score'
    """
    return f"is empty: expected rows of {' '.join(role for role in roles if role not in OPTIONAL)}"


def ids(column: pl.Series, what: str) -> pl.Series:
    """A column of topics, documents or tags as text; whole numbers are written out.

    >>> ids(pl.Series([401, 402]), "topic").to_list()
    ['401', '402']
    """
    if not (column.dtype in TEXTS or column.dtype.is_integer()):
        raise Trouble(None, f"expected text or whole numbers as {what}, found {column.dtype}")
    texts = column.cast(pl.String).alias(what)
    missing = (texts.is_null() | (texts == "")).arg_true()
    if not missing.is_empty():
        raise Trouble(missing[0], f"expected a {what}, found nothing")
    return texts


CONVERT: dict[str, Callable[[pl.Series], pl.Series]] = {
    "topic": lambda column: ids(column, "topic"),
    "doc": lambda column: ids(column, "doc"),
    "rank": ranks,
    "score": lambda column: floats(column, "score"),
    "grade": grades,
    "tag": lambda column: ids(column, "tag"),
}


def typed(rough: Rough) -> pl.DataFrame:
    """The columns, converted and checked; raises for the first row that cannot be used."""
    columns: list[pl.Series] = []
    troubles: list[Trouble] = []
    for name in rough.frame.columns:
        try:
            columns.append(CONVERT[name](rough.frame[name]))
        except Trouble as trouble:
            troubles.append(trouble)
    if troubles:
        first = min(troubles, key=lambda trouble: trouble.order)
        raise rough.origin.bad_row(first.row, first.why)
    if rough.cut is not None:
        raise rough.cut
    return pl.DataFrame(columns)


def distinct(keys: Keys) -> bool:
    """Whether no key occurs twice.

    >>> distinct(np.array([3, 1, 2], dtype=np.uint64)), distinct(np.array([3, 1, 3], dtype=np.uint64))
    (True, False)
    """
    ordered = np.sort(keys)
    return not bool((ordered[1:] == ordered[:-1]).any())


def refuse_repeats(found: Qrels | Run, origin: Origin, rows: pl.Series | None = None) -> None:
    """Raise if a topic holds a document twice; `rows` numbers the rows where that is not 0, 1, 2, ..."""
    if distinct(found.keys):
        return
    pairs = found.frame.select("topic", "doc").with_row_index("row")
    pairs = pairs.with_columns(first=pl.col("row").first().over("topic", "doc"))
    repeats = pairs.filter(pl.col("row") != pl.col("first")).sort("row").head(1)
    for topic, doc, row, first in repeats.select("topic", "doc", "row", "first").iter_rows():
        row, first = (row, first) if rows is None else (rows[row], rows[first])
        why = f"document {quoted(doc)} is repeated in topic {quoted(topic)} (first {origin.place(first)})"
        raise origin.bad_row(row, why)


def finish_qrels(rough: Rough) -> Qrels:
    """Judgments from their columns topic, doc and grade."""
    qrels = Qrels(typed(rough), rough.origin.path, rough.oddities)
    refuse_repeats(qrels, rough.origin)
    return qrels


def finish_run(rough: Rough) -> Run:
    """One run from its columns; where there are several tags, the first names it and the rest are noted."""
    frame = typed(rough)
    name, oddities = name_of(frame["tag"], rough.origin.path)
    run = Run(name, frame.drop("tag"), rough.origin.path, (*rough.oddities, *oddities))
    refuse_repeats(run, rough.origin)
    return run


def name_of(tags: pl.Series, path: str) -> tuple[str, tuple[Oddity, ...]]:
    """The name that a tag column gives, and what is odd about it.

    >>> name_of(pl.Series(["b", "a", "b"]), "x.run")[1][0].text
    'has 2 tags (b, a); the first one names the run'
    """
    name = str(tags[0])
    if (tags == name).all():
        return name, ()
    tags = tags.unique(maintain_order=True)
    text = f"has {len(tags)} tags ({named(map(bare, tags))}); the first one names the run"
    return name, (Oddity("several tags", path, text, len(tags)),)


def finish_runs(rough: Rough) -> list[Run]:
    """A run for each tag, in order of appearance; one with the empty name where there is no tag column."""
    frame = typed(rough).with_row_index("row")
    if "tag" not in frame.columns:
        frame = frame.with_columns(tag=pl.lit(""))
    runs = []
    for part in frame.partition_by("tag", maintain_order=True):
        run = Run(part["tag"][0], part.drop("tag", "row"), rough.origin.path, rough.oddities)
        refuse_repeats(run, rough.origin, part["row"])
        runs.append(run)
    return runs
