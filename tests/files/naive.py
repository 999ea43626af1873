"""The readers' naive twin: TREC text one line at a time, in plain Python, slow and obvious.

Every rule is written down again here, without looking at how the package does it.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

COLUMNS = {
    "run": ["topic", "Q0", "doc", "rank", "score", "tag"],
    "qrels": ["topic", "iter", "doc", "grade"],
}


@dataclass
class Naive:
    """What the naive reader found."""

    rows: list[tuple]
    name: str
    oddities: list[tuple[str, int]]


class NaiveError(Exception):
    """The message that the reader should give."""


def decode(raw: bytes) -> tuple[str, bool]:
    """The text, and whether it was UTF-8."""
    raw = raw[3:] if raw[:3] == b"\xef\xbb\xbf" else raw
    try:
        return raw.decode("utf-8"), True
    except UnicodeDecodeError:
        return raw.decode("latin-1"), False


def number(text: str, what: str) -> float:
    """A number as Python reads it, without underscores, nan and infinities."""
    try:
        if "_" in text:
            raise ValueError
        value = float(text)
    except ValueError:
        raise NaiveError(f"expected a number as {what}, found {text!r}") from None
    if math.isnan(value) or math.isinf(value):
        raise NaiveError(f"expected a finite {what}, found {text!r}")
    return value


def rank(text: str) -> int:
    """A whole number of 64 bits."""
    try:
        if "_" in text:
            raise ValueError
        value = int(text)
        if not -(2**63) <= value < 2**63:
            raise ValueError
    except ValueError:
        raise NaiveError(f"expected a whole number as rank, found {text!r}") from None
    return value


def data_lines(text: str) -> list[tuple[int, list[str]]]:
    """Line numbers and columns of the lines that are neither blank nor comments."""
    found = []
    for count, line in enumerate(re.split("\r\n|\r|\n", text), 1):
        fields = [field for field in re.split("[ \t\v\f]", line) if field]
        if fields and fields[0][0] != "#":
            found.append((count, fields))
    return found


def convert(fields: list[str], kind: str, ranks: bool) -> tuple:
    """One line's values."""
    if kind == "qrels":
        return fields[0], fields[2], number(fields[3], "grade")
    if ranks:
        return fields[0], fields[2], rank(fields[3]), number(fields[4], "score")
    return fields[0], fields[2], number(fields[4], "score")


def naive_read(path: str, raw: bytes, kind: str, *, ranks: bool = False) -> Naive:
    """Read, or raise NaiveError with the whole message."""
    columns = COLUMNS[kind]
    for offset, byte in enumerate(raw):
        if byte < 32 and byte not in b"\t\n\v\f\r":
            raise NaiveError(f"{path}: expected text, found binary data (byte 0x{byte:02x} at offset {offset})")
    text, good = decode(raw)
    oddities = [] if good else [("encoding", 1)]
    lines = data_lines(text)
    if not lines:
        raise NaiveError(f"{path}: is empty: expected lines of {' '.join(columns)}")
    rows, extra = [], 0
    for count, fields in lines:
        if len(fields) < len(columns) or (kind == "qrels" and len(fields) > len(columns)):
            wanted = f"{len(columns)} columns ({' '.join(columns)})"
            raise NaiveError(f"{path}:{count}: expected {wanted}, found {len(fields)}")
        extra += len(fields) > len(columns)
        try:
            rows.append(convert(fields, kind, ranks))
        except NaiveError as error:
            raise NaiveError(f"{path}:{count}: {error}") from None
    seen: dict[tuple[str, str], int] = {}
    for (count, _), (topic, doc, *_) in zip(lines, rows, strict=True):
        if (topic, doc) in seen:
            first = seen[topic, doc]
            why = f"document {doc!r} is repeated in topic {topic!r} (first on line {first})"
            raise NaiveError(f"{path}:{count}: {why}")
        seen[topic, doc] = count
    if extra:
        oddities.append(("extra text", extra))
    if kind == "qrels":
        return Naive(rows, "", oddities)
    tags = list(dict.fromkeys(fields[5] for _, fields in lines))
    if len(tags) > 1:
        oddities.append(("several tags", len(tags)))
    return Naive(rows, tags[0], oddities)
