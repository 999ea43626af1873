"""TREC text: a strict fast reader that Polars does, and a tolerant one that decides whatever it leaves.

The strict reader takes a file only if it can prove, from the number and the places of its blanks, that every
line has the right number of non-empty columns with one and the same separator between them. Everything else
(comments, blank lines, mixed blanks, errors of any kind) is left to the tolerant reader, which knows line
numbers. So the two cannot disagree about what a file says, only about how long it takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from evenscale.errors import BadLine
from evenscale.files.content import Text
from evenscale.files.finish import Rough, distinct, finish_qrels, finish_run, name_of
from evenscale.files.origin import Origin
from evenscale.files.records import KEY, Keys, Qrels, Run
from evenscale.oddities import Oddity

# Small enough to stay in the cache while it is looked at several times.
BLOCK = 1 << 18
# A Polars string holds at most 4 GiB, so that the tolerant reader hands over lines in pieces.
PIECE = 1 << 26
TO_BLANK = bytes.maketrans(b"\t\v\f", b"   ")


@dataclass(frozen=True)
class Layout:
    """The columns of a line, and whether text after the last one may be ignored."""

    schema: dict[str, type[pl.DataType]]
    extra: bool

    @property
    def width(self) -> int:
        """How many columns a line has."""
        return len(self.schema)

    def __str__(self) -> str:
        return " ".join(self.schema)


QRELS = Layout({"topic": pl.String, "iter": pl.String, "doc": pl.String, "grade": pl.Int64}, extra=False)
RUN = Layout(
    {
        "topic": pl.String,
        "Q0": pl.String,
        "doc": pl.String,
        "rank": pl.Int64,
        "score": pl.Float64,
        "tag": pl.String,
    },
    extra=True,
)


def parse_qrels(text: Text) -> Qrels:
    """Judgments from TREC text.

    >>> from evenscale.files.content import text_of
    >>> parse_qrels(text_of(b"1 0 a 2\\n1 0 b 0\\n", "qrels")).frame.rows()
    [('1', 'a', 2), ('1', 'b', 0)]
    """
    columns = ("topic", "doc", "grade")
    data = line_feeds(text.data)
    found = strict(data, QRELS, columns)
    if found is None:
        return finish_qrels(tolerant(text, data, QRELS, columns))
    frame, keys = found
    qrels = Qrels(frame, text.path, text.oddities)
    qrels.__dict__["keys"] = keys
    return qrels


def parse_run(text: Text, *, with_ranks: bool = False) -> Run:
    """One run from TREC text, named by its tag.

    >>> from evenscale.files.content import text_of
    >>> run = parse_run(text_of(b"1 Q0 a 1 0.5 bm25\\n", "bm25.run"))
    >>> run.name, run.frame.rows()
    ('bm25', [('1', 'a', 0.5)])
    """
    columns = ("topic", "doc", "rank", "score", "tag") if with_ranks else ("topic", "doc", "score", "tag")
    data = line_feeds(text.data)
    found = strict(data, RUN, columns)
    if found is None:
        return finish_run(tolerant(text, data, RUN, columns))
    frame, keys = found
    name, oddities = name_of(frame["tag"], text.path)
    run = Run(name, frame.drop("tag"), text.path, (*text.oddities, *oddities))
    run.__dict__["keys"] = keys
    return run


def line_feeds(data: bytes) -> bytes:
    """Lines that end in a line feed, the last one too, however they ended before.

    >>> line_feeds(b"a\\r\\nb\\rc")
    b'a\\nb\\nc\\n'
    """
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data if data.endswith(b"\n") or not data else data + b"\n"


def strict(data: bytes, layout: Layout, columns: Sequence[str]) -> tuple[pl.DataFrame, Keys] | None:
    """The wanted columns and their keys, if the file is regular and all is well with it; else None.

    Blanks are all bytes up to the space. No two of them are neighbours, so no field is empty. The last column
    is always among the wanted ones, and is null in a line that is too short; if it never is, every line has
    at least `width - 1` separators and a line feed. If there are just `width` blanks to a line, there are no
    other blanks, and no line has more columns.
    """
    blanks = lone_blanks(data)
    if blanks == 0:
        return None
    separator = "\t" if b"\t" in data[: data.find(b"\n")] else " "
    lines = pl.scan_csv(data, has_header=False, separator=separator, quote_char=None, schema=layout.schema)
    try:
        frame = lines.select(*columns, KEY.alias("key")).collect()
    except pl.exceptions.PolarsError:
        return None
    if blanks != layout.width * frame.height or any(column.null_count() for column in frame):
        return None
    if "score" in columns and not frame["score"].is_finite().all():
        return None
    keys = frame["key"].to_numpy()
    return (frame.drop("key"), keys) if distinct(keys) else None


def lone_blanks(data: bytes) -> int:
    """How many blanks there are; 0 if any two are neighbours, one comes first, or a line is a comment.

    >>> lone_blanks(b"1 0 a 2\\n1 0 b 0\\n"), lone_blanks(b"1\\t0\\ta\\t2\\n")
    (8, 4)
    >>> lone_blanks(b"1  0 a 2\\n"), lone_blanks(b"1 0 a 2 \\n"), lone_blanks(b"# 0 a 2\\n")
    (0, 0, 0)
    """
    if not data or data[0] <= 32 or data[0] == ord("#") or (b"#" in data and b"\n#" in data):
        return 0
    content = np.frombuffer(data, np.uint8)
    blanks = 0
    for start in range(0, len(content), BLOCK):
        # One byte more than the block, so that neighbours on either side of its end are seen.
        blank = content[start : start + BLOCK + 1] <= 32
        if (blank[1:] & blank[:-1]).any():
            return 0
        blanks += int(np.count_nonzero(blank[:BLOCK]))
    return blanks


def tolerant(text: Text, data: bytes, layout: Layout, columns: Sequence[str]) -> Rough:
    """The wanted columns as text, with their line numbers, up to the first line that has too few or many."""
    text.refuse_binary()
    lines = _data_lines(data)
    if lines.is_empty():
        raise Origin(text.path).bad(f"is empty: expected lines of {layout}")
    fields = lines.select("number", pl.col("line").str.splitn(" ", layout.width + 1)).unnest("line")
    fields.columns = ["number", *layout.schema, "rest"]
    extra = fields["rest"].is_not_null()
    misfits = (fields[columns[-1]].is_null() | (extra & (not layout.extra))).arg_true()
    numbers = fields["number"]
    origin = Origin(text.path, line=lambda row: int(numbers[row]))
    cut, height = None, fields.height
    if not misfits.is_empty():
        height = misfits[0]
        width = lines["line"][height].count(" ") + 1
        why = f"expected {layout.width} columns ({layout}), found {width}"
        cut = BadLine(text.path, int(numbers[height]), why)
    oddities = (*text.oddities, *_extra_text(numbers.filter(extra), text.path, layout.width))
    return Rough(fields.select(columns).head(height), origin, oddities, cut)


def _data_lines(data: bytes) -> pl.DataFrame:
    """The lines that hold data, with single spaces between columns, and their numbers counted from 1."""
    data = data.translate(TO_BLANK)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    pieces = pl.Series("line", [piece.decode("utf-8") for piece in _pieces(data)], dtype=pl.String)
    lines = pieces.str.split("\n").explode().to_frame().with_row_index("number", offset=1)
    lines = lines.with_columns(pl.col("line").str.strip_chars(" "))
    return lines.filter((pl.col("line") != "") & ~pl.col("line").str.starts_with("#"))


def _pieces(data: bytes) -> list[bytes]:
    """The content cut at line feeds, which are left out, into pieces of roughly `PIECE` bytes."""
    pieces, start = [], 0
    while start < len(data):
        end = data.find(b"\n", start + PIECE)
        end = len(data) - 1 if end < 0 else end
        pieces.append(data[start:end])
        start = end + 1
    return pieces


def _extra_text(numbers: pl.Series, path: str, width: int) -> tuple[Oddity, ...]:
    """The note on text after the last column."""
    if numbers.is_empty():
        return ()
    count = len(numbers)
    lines = "1 line" if count == 1 else f"{count} lines"
    text = f"text after column {width} is ignored on {lines}, first on line {numbers[0]}"
    return (Oddity("extra text", path, text, count),)
