"""Runs and qrels that are in memory already: frames, dictionaries and rows with names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from evenscale.errors import BadInput, BadParameter, quoted
from evenscale.files.columns import find_columns, select
from evenscale.files.finish import Rough
from evenscale.files.origin import Origin
from evenscale.files.values import columns_of

Converter = Callable[[Any, Sequence[str], Origin], Rough]


def is_pandas(source: object) -> bool:
    """Whether this is a pandas frame, found out without importing pandas."""
    return type(source).__module__.partition(".")[0] == "pandas" and hasattr(source, "columns")


def is_row(item: object) -> bool:
    """Whether this is one row with named fields, such as the tuples that ir_measures uses.

    >>> from collections import namedtuple
    >>> is_row(namedtuple("ScoredDoc", "query_id doc_id score")("1", "a", 0.5)), is_row(("1", "a", 0.5))
    (True, False)
    """
    return isinstance(item, tuple) and hasattr(item, "_fields")


def _from_polars(frame: pl.DataFrame, roles: Sequence[str], origin: Origin) -> Rough:
    return Rough(select(frame, roles, origin), origin)


def _from_lazy(frame: pl.LazyFrame, roles: Sequence[str], origin: Origin) -> Rough:
    hits = find_columns(frame.collect_schema().names(), roles, origin)
    return _from_polars(frame.select(sorted(set(hits.values()))).collect(), roles, origin)


def _from_pandas(frame: Any, roles: Sequence[str], origin: Origin) -> Rough:
    """Column by column through plain values, because pandas' own way to Polars needs pyarrow."""
    names = [str(name) for name in frame.columns]
    hits = find_columns(names, roles, origin)
    values = {role: _pandas_values(frame.iloc[:, names.index(name)]) for role, name in hits.items()}
    return Rough(columns_of(values, origin), origin)


def _pandas_values(column: Any) -> list[object]:
    missing = column.isna().tolist()
    return [None if gone else value for value, gone in zip(column.tolist(), missing, strict=True)]


def _from_mapping(source: Mapping[Any, Any], roles: Sequence[str], origin: Origin) -> Rough:
    """`{topic: {doc: value}}`; messages name topic and document rather than a row."""
    topics: list[object] = []
    docs: list[object] = []
    values: list[object] = []
    role = "grade" if "grade" in roles else "score"
    for topic, inner in source.items():
        if not isinstance(inner, Mapping):
            why = f"expected a dictionary from documents to {role}s, found {type(inner).__name__}"
            raise origin.bad(f"topic {quoted(str(topic))}: {why}")
        topics.extend([topic] * len(inner))
        docs.extend(inner.keys())
        values.extend(inner.values())
    spots = Origin(
        label=origin.label,
        spot=lambda row: f"topic {quoted(str(topics[row]))}, document {quoted(str(docs[row]))}",
    )
    return Rough(columns_of({"topic": topics, "doc": docs, role: values}, spots), spots)


def _from_rows(source: Iterable[Any], roles: Sequence[str], origin: Origin) -> Rough:
    rows = list(source)
    for number, row in enumerate(rows):
        if not is_row(row) or row._fields != rows[0]._fields:
            expected = ", ".join(rows[0]._fields) if is_row(rows[0]) else "named fields"
            raise origin.bad_row(number, f"expected a row with {expected}, found {type(row).__name__}")
    if not rows:
        return Rough(pl.DataFrame(), origin)
    hits = find_columns(rows[0]._fields, roles, origin)
    values = {role: [getattr(row, name) for row in rows] for role, name in hits.items()}
    return Rough(columns_of(values, origin), origin)


# The first kind that a source is of counts.
CONVERTERS: tuple[tuple[Callable[[object], bool], Converter], ...] = (
    (lambda source: isinstance(source, pl.DataFrame), _from_polars),
    (lambda source: isinstance(source, pl.LazyFrame), _from_lazy),
    (is_pandas, _from_pandas),
    (lambda source: isinstance(source, Mapping), _from_mapping),
    (lambda source: isinstance(source, Iterable) and not isinstance(source, (str, bytes)), _from_rows),
)


def from_memory(source: object, roles: Sequence[str], label: str) -> Rough:
    """The columns of a source in memory, which messages call `label`.

    >>> from_memory({401: {"a": 1}}, ["topic", "doc", "grade"], "qrels").frame.rows()
    [('401', 'a', 1)]
    >>> from_memory(3.5, ["topic", "doc", "grade"], "qrels")
    Traceback (most recent call last):
    ...
    evenscale.errors.BadParameter: qrels: expected a path, table, dictionary or rows, found float
    """
    convert = next((convert for fits, convert in CONVERTERS if fits(source)), None)
    if convert is None:
        kind = type(source).__name__
        raise BadParameter(f"{label}: expected a path, table, dictionary or rows, found {kind}")
    rough = convert(source, roles, Origin(label=label))
    if rough.frame.is_empty():
        raise BadInput(f"{label}: is empty")
    return rough
