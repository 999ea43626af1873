"""Text and table columns to numbers: what Python's `float` takes, less underscores, nan and infinity."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from evenscale.errors import quoted
from evenscale.files.origin import Trouble

# Whole numbers up to here are exact as float64, so turning such a column into Int64 changes no value.
EXACT = 2**53


def bare(text: str) -> str:
    """A name in a message: on one line, not too long, and without quotation marks.

    >>> bare("two\\nlines")
    'two\\\\nlines'
    """
    return quoted(text)[1:-1]


def shown(value: object) -> str:
    """A value as a message shows it.

    >>> shown("abc"), shown(float("nan")), shown(None), shown("")
    ("'abc'", 'nan', 'nothing', 'nothing')
    """
    if value is None or (isinstance(value, str) and not value):
        return "nothing"
    return quoted(value) if isinstance(value, str) else bare(str(value))


def parse_float(text: str) -> float | None:
    """The number a text stands for; None where it is none.

    >>> parse_float("+1.5"), parse_float(".5e1"), parse_float("1_000"), parse_float("0x10")
    (1.5, 5.0, None, None)
    """
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def parse_int(text: str) -> int | None:
    """The whole number a text stands for; None where it is none, or too large for 64 bits.

    >>> parse_int("+12"), parse_int("1.5"), parse_int("1_000"), parse_int("9" * 30)
    (12, None, None, None)
    """
    # Some 20 digits are enough to overflow, and Python takes quadratic time over thousands of them.
    digits = text.strip().lstrip("+-").lstrip("0")
    if "_" in text or len(digits) > 20:
        return None
    try:
        value = int(text)
    except ValueError:
        return None
    return value if -(2**63) <= value < 2**63 else None


def _finite(value: object, what: str, row: int) -> float:
    """One number that Polars did not settle, by Python's rules."""
    number = parse_float(value) if isinstance(value, str) else value
    if not isinstance(number, (int, float)):
        raise Trouble(row, f"expected a number as {what}, found {shown(value)}")
    if not math.isfinite(number):
        raise Trouble(row, f"expected a finite {what}, found {shown(value)}")
    return float(number)


def floats(column: pl.Series, what: str) -> pl.Series:
    """A column as finite Float64.

    >>> floats(pl.Series(["1e3", ".5"]), "score").to_list()
    [1000.0, 0.5]
    """
    if column.dtype != pl.String and not column.dtype.is_numeric():
        raise Trouble(None, f"expected numbers as {what}, found {column.dtype}")
    values = column.cast(pl.Float64, strict=False)
    doubtful = values.is_finite().fill_null(value=False).not_().arg_true()
    if doubtful.is_empty():
        return values.alias(what)
    mended = np.array(values.to_numpy())
    for row, value in zip(doubtful.to_list(), column.gather(doubtful).to_list(), strict=True):
        mended[row] = _finite(value, what, row)
    return pl.Series(what, mended)


def ranks(column: pl.Series) -> pl.Series:
    """A column as Int64 ranks.

    >>> ranks(pl.Series(["1", "+02"])).to_list()
    [1, 2]
    """
    if column.dtype != pl.String and not column.dtype.is_integer():
        raise Trouble(None, f"expected whole numbers as rank, found {column.dtype}")
    values = column.cast(pl.Int64, strict=False).alias("rank")
    doubtful = values.is_null().arg_true()
    if doubtful.is_empty():
        return values
    mended = np.array(values.fill_null(0).to_numpy())
    for row, value in zip(doubtful.to_list(), column.gather(doubtful).to_list(), strict=True):
        number = parse_int(value) if isinstance(value, str) else None
        if number is None:
            raise Trouble(row, f"expected a whole number as rank, found {shown(value)}")
        mended[row] = number
    return pl.Series("rank", mended)


def grades(column: pl.Series) -> pl.Series:
    """A column as Int64 where every grade is whole, else as Float64: no grade is ever truncated.

    >>> grades(pl.Series(["1", "2.0"])).to_list(), grades(pl.Series(["1", "0.5"])).to_list()
    ([1, 2], [1.0, 0.5])
    """
    if column.dtype == pl.String or column.dtype.is_integer():
        whole = column.cast(pl.Int64, strict=False)
        if whole.null_count() == 0:
            return whole.alias("grade")
    values = floats(column, "grade")
    exact = bool(((values == values.round()) & (values.abs() <= EXACT)).all())
    return values.cast(pl.Int64) if exact else values
