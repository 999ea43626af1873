"""Scores from a file, for the commands that take them instead of runs."""

from __future__ import annotations

import polars as pl

from evenscale.errors import BadFile, BadInput, BadParameter, quoted
from evenscale.stats.matrix import Scores


def read_matrix(path: str, digits: int) -> Scores:
    """Scores from a CSV with a header of system names; a first column of topics is recognised by its name."""
    try:
        frame = pl.read_csv(path, infer_schema_length=None)
    except FileNotFoundError:
        raise BadFile(path, "no such file") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        raise BadFile(path, f"expected a CSV of scores: {str(error).splitlines()[0]}") from None
    topics = None
    if frame.columns and frame.columns[0].strip().lower() in ("topic", "topics", "query", "qid", ""):
        topics, frame = frame.to_series(0).cast(pl.String).to_list(), frame.drop(frame.columns[0])
    for name in frame.columns:
        if not frame[name].dtype.is_numeric():
            numbers = frame[name].cast(pl.String).cast(pl.Float64, strict=False)
            row = int((~numbers.is_finite()).fill_null(value=True).arg_true()[0])
            found = quoted(str(frame[name][row]))
            raise BadFile(path, f"line {row + 2}: expected a finite number in column {name!r}, found {found}")
        if frame[name].null_count():
            row = int(frame[name].is_null().arg_true()[0])
            raise BadFile(path, f"line {row + 2}: expected a score in column {name!r}, found nothing")
    try:
        return Scores.of(frame.to_numpy(), topics=topics, systems=frame.columns, measure=path, digits=digits)
    except (BadInput, BadParameter) as error:
        raise BadFile(path, str(error)) from None
