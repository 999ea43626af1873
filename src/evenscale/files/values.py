"""Python values to columns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import polars as pl

from evenscale.files.columns import kept
from evenscale.files.numeric import shown
from evenscale.files.origin import Origin, Trouble

NUMBERS = ("rank", "score", "grade")


def columns_of(values: Mapping[str, Sequence[object]], origin: Origin) -> pl.DataFrame:
    """Standard columns from Python values.

    >>> columns_of({"topic": [1, "2a"], "score": [1, 0.5]}, Origin()).rows()
    [('1', 1.0), ('2a', 0.5)]
    """
    try:
        return kept([from_values(role, column) for role, column in values.items()])
    except Trouble as trouble:
        raise origin.bad_row(trouble.row, trouble.why) from None


def from_values(role: str, values: Sequence[object]) -> pl.Series:
    """A column from Python values: texts or whole numbers for ids, numbers for the rest.

    >>> from_values("topic", [401, "402"]).to_list(), from_values("score", [1, 0.5]).to_list()
    (['401', '402'], [1.0, 0.5])
    """
    return _numbers(role, values) if role in NUMBERS else _texts(role, values)


def _texts(role: str, values: Sequence[object]) -> pl.Series:
    if not set(map(type, values)) <= {str, type(None)}:
        values = [_text(role, row, value) for row, value in enumerate(values)]
    try:
        return pl.Series(role, values, dtype=pl.String)
    except UnicodeError:  # half of a surrogate pair, which Python keeps in a text but UTF-8 has no place for
        row = next(row for row, value in enumerate(values) if not _encodes(value))
        raise Trouble(row, f"expected text as {role}, found {shown(values[row])}") from None


def _encodes(value: object) -> bool:
    try:
        str(value).encode("utf-8")
    except UnicodeError:
        return False
    return True


def _is(value: object, *kinds: type) -> bool:
    """Whether this is of the kinds; a truth value, a number to Python, is no number here."""
    return isinstance(value, kinds) and type(value) is not bool


def _text(role: str, row: int, value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if _is(value, Integral):
        return str(int(value))
    raise Trouble(row, f"expected text or a whole number as {role}, found {shown(value)}")


def _numbers(role: str, values: Sequence[object]) -> pl.Series:
    kinds = set(map(type, values))
    if kinds == {str}:
        return pl.Series(role, values, dtype=pl.String)
    numbers = values if kinds <= {int, float} else [_number(role, row, v) for row, v in enumerate(values)]
    if all(isinstance(number, int) and -(2**63) <= number < 2**63 for number in numbers):
        return pl.Series(role, numbers, dtype=pl.Int64)
    return pl.Series(role, [_as_float(number) for number in numbers], dtype=pl.Float64)


def _number(role: str, row: int, value: Any) -> int | float:
    if not _is(value, Real, Decimal):
        raise Trouble(row, f"expected a number as {role}, found {shown(value)}")
    return int(value) if isinstance(value, Integral) else _as_float(value)


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
