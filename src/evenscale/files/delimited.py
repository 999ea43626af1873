"""CSV and TSV with a header: Polars reads what is regular, Python's own reader decides the rest."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

import polars as pl

from evenscale.errors import BadFile, BadLine
from evenscale.files.columns import find_columns, has_known_column, kept, select
from evenscale.files.content import Text
from evenscale.files.finish import Rough, empty_table
from evenscale.files.numeric import bare
from evenscale.files.origin import Origin
from evenscale.oddities import named


def read_delimited(text: Text, roles: Sequence[str], separator: str) -> Rough:
    """The wanted columns of a table with a header, as text.

    >>> from evenscale.files.content import text_of
    >>> text = text_of(b"qid,docno,rel\\n1,a,2\\n", "a.csv")
    >>> read_delimited(text, ["topic", "doc", "grade"], ",").frame.rows()
    [('1', 'a', '2')]
    """
    return quick(text, roles, separator) or careful(text, roles, separator)


def is_headed(text: Text, separator: str) -> bool:
    """Whether the first line that is not blank names a column that we know."""
    line = text.data.lstrip()[: 1 << 16].partition(b"\n")[0].decode("utf-8", "replace")
    return has_known_column(name.strip().strip('"') for name in line.split(separator))


def quick(text: Text, roles: Sequence[str], separator: str) -> Rough | None:
    """Polars' reading of a table where every line is a record with all its fields; else None.

    Polars forgives a separator too many and a quotation mark too few, so a table is left to it only without
    quotation marks and with as many separators as there should be: if a line had more, another would have
    fewer, and that shows as a null in the last column.
    """
    data = text.data.replace(b"\r\n", b"\n")
    data = data if data.endswith(b"\n") else data + b"\n"
    width = data.partition(b"\n")[0].count(separator.encode()) + 1
    if b'"' in data or b"\r" in data or data.count(separator.encode()) != (width - 1) * data.count(b"\n"):
        return None
    try:
        table = pl.read_csv(data, separator=separator, quote_char=None, infer_schema=False)
    except pl.exceptions.PolarsError:
        return None
    if table.is_empty() or table.width != width or table[:, -1].null_count():
        return None
    origin = Origin(text.path, line=lambda row: row + 2)
    frame = select(table, roles, origin)
    return None if any(column.null_count() for column in frame) else Rough(frame, origin, text.oddities)


def careful(text: Text, roles: Sequence[str], separator: str) -> Rough:
    """Python's reading, with the line number of every record."""
    records = _records(text, separator)
    _, header = next(records, (1, []))
    if not header:
        raise BadFile(text.path, empty_table(roles))
    hits = find_columns(header, roles, Origin(text.path))
    numbers: list[int] = []
    rows: list[list[str | None]] = []
    for number, record in records:
        if len(record) > len(header):
            names = named(map(bare, header), limit=10)
            why = f"expected {len(header)} columns ({names}), found {len(record)}"
            raise BadLine(text.path, number, why)
        numbers.append(number)
        rows.append([field or None for field in record] + [None] * (len(header) - len(record)))
    if not rows:
        raise BadFile(text.path, empty_table(roles))
    places = {role: header.index(name) for role, name in hits.items()}
    columns = [pl.Series(role, [row[place] for row in rows], pl.String) for role, place in places.items()]
    return Rough(kept(columns), Origin(text.path, line=numbers.__getitem__), text.oddities)


def _records(text: Text, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The records with the number of the line each begins on; blank lines are left out."""
    source = io.StringIO(text.data.decode("utf-8"), newline="")
    reader = csv.reader(source, delimiter=separator, strict=True)
    before = 0
    try:
        for record in reader:
            if record:
                yield before + 1, record
            before = reader.line_num
    except csv.Error as error:
        raise BadLine(text.path, before + 1, f"malformed record: {error}") from error
