"""Tables on disk: CSV, TSV, Parquet and JSON lines."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from pathlib import PurePath

import polars as pl

from evenscale.errors import BadFile, BadLine, quoted
from evenscale.files.columns import find_columns, select
from evenscale.files.content import Text, plain_name, text_of
from evenscale.files.delimited import is_headed, read_delimited
from evenscale.files.finish import Rough, empty_table
from evenscale.files.numeric import bare
from evenscale.files.origin import Origin
from evenscale.files.values import columns_of
from evenscale.oddities import named

Reader = Callable[[str, bytes, Sequence[str]], Rough | None]


def suffix_of(path: str) -> str:
    """What a file's name says about its format, in lower case and apart from compression.

    >>> suffix_of("runs/BM25.CSV.gz"), suffix_of("bm25")
    ('.csv', '')
    """
    return PurePath(plain_name(path)).suffix.lower()


def read_table(path: str, data: bytes, roles: Sequence[str]) -> Rough | None:
    """The columns of a table file; None where the file is TREC text, by its name or for want of a header."""
    reader = READERS.get(suffix_of(path))
    return None if reader is None else reader(path, data, roles)


def _text(path: str, data: bytes) -> Text:
    text = text_of(data, path)
    text.refuse_binary()
    return text


def _read_csv(path: str, data: bytes, roles: Sequence[str]) -> Rough:
    return read_delimited(_text(path, data), roles, ",")


def _read_tsv(path: str, data: bytes, roles: Sequence[str]) -> Rough | None:
    """TSV with a header; TREC text goes by that name too, and has none."""
    text = _text(path, data)
    return read_delimited(text, roles, "\t") if is_headed(text, "\t") else None


def _read_parquet(path: str, data: bytes, roles: Sequence[str]) -> Rough:
    origin = Origin(path)
    if not data:
        raise BadFile(path, empty_table(roles))
    try:
        names = list(pl.read_parquet_schema(io.BytesIO(data)))
        hits = find_columns(names, roles, origin)
        table = pl.read_parquet(io.BytesIO(data), columns=sorted(set(hits.values())))
    except pl.exceptions.PolarsError as error:
        raise BadFile(path, "is not a Parquet file, or a damaged one") from error
    frame = select(table, roles, origin)
    if frame.is_empty():
        raise BadFile(path, empty_table(roles))
    return Rough(frame, origin)


def _read_json_lines(path: str, data: bytes, roles: Sequence[str]) -> Rough:
    """One object a line; the names in the first one say which is which, and all must have them."""
    text = _text(path, data)
    lines = [(number, line) for number, line in enumerate(text.data.split(b"\n"), 1) if line.strip()]
    if not lines:
        raise BadFile(path, empty_table(roles))
    origin = Origin(path, line=lambda row: lines[row][0])
    hits = find_columns(list(_json_object(lines[0][1], path, lines[0][0])), roles, origin)
    values: dict[str, list[object]] = {role: [] for role in hits}
    for number, line in lines:
        item = _json_object(line, path, number)
        for role, name in hits.items():
            if name not in item:
                why = f"expected a field {bare(name)}, found {named(map(bare, item), limit=10) or 'none'}"
                raise BadLine(path, number, why)
            values[role].append(item[name])
    return Rough(columns_of(values, origin), origin, text.oddities)


def _json_object(line: bytes, path: str, number: int) -> dict[str, object]:
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        item = None
    if isinstance(item, dict):
        return item
    raise BadLine(path, number, f"expected a JSON object, found {quoted(line.decode().strip(), limit=30)}")


READERS: dict[str, Reader] = {
    ".csv": _read_csv,
    ".tsv": _read_tsv,
    ".parquet": _read_parquet,
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
}
