"""Writing runs and qrels, in every format that can be read."""

from __future__ import annotations

import io
import os
from collections.abc import Callable

import polars as pl

from evenscale.errors import BadFile, BadParameter, quoted
from evenscale.files.atomic import atomic
from evenscale.files.content import CODECS
from evenscale.files.finish import Rough, typed
from evenscale.files.origin import Origin
from evenscale.files.reading import run_label
from evenscale.files.records import Qrels, Run
from evenscale.files.tables import suffix_of

Formatter = Callable[[pl.DataFrame], bytes]

# What a file could not give back: patterns for columns of text, with the reason.
Rules = dict[str, tuple[tuple[str, str], ...]]
EMPTY = (r"^$", "is empty")
BLANK = (r"[\x00-\x20]", "contains blanks or control characters")
CONTROL = (r"[\x00-\x08\x0e-\x1f]", "contains control characters")
COMMENT = (r"^#", "would begin a comment")
MARK = (r"^\x{feff}", "begins with a byte order mark")


def write_run(run: Run, path: str | os.PathLike[str]) -> None:
    r"""Write a run; the file's name says how: `.csv`, `.tsv`, `.parquet`, `.jsonl`, and else TREC text.

    Any of them is compressed where `.gz`, `.bz2` or `.zst` follows. Rows keep their order. Ranks are those of
    the run, or count its documents within each topic from 1. Scores are written so that the same numbers are
    read back. The file is complete or not there at all.

    >>> import tempfile, pathlib
    >>> run = Run("bm25", pl.DataFrame({"topic": ["1"], "doc": ["a"], "score": [0.1]}))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_run(run, pathlib.Path(folder) / "bm25.run")
    ...     (pathlib.Path(folder) / "bm25.run").read_text()
    '1 Q0 a 1 0.1 bm25\n'
    """
    frame = run.frame
    if "rank" not in frame.columns:
        frame = frame.with_columns(rank=pl.int_range(1, pl.len() + 1).over("topic"))
    frame = frame.select("topic", "doc", "rank", "score", tag=pl.lit(run.name))
    _write(frame, os.fsdecode(path), run_label(run.name))


def write_qrels(qrels: Qrels, path: str | os.PathLike[str]) -> None:
    r"""Write judgments, in the formats of `write_run`.

    >>> import tempfile, pathlib
    >>> qrels = Qrels(pl.DataFrame({"topic": ["1"], "doc": ["a"], "grade": [2]}))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_qrels(qrels, pathlib.Path(folder) / "qrels.txt")
    ...     (pathlib.Path(folder) / "qrels.txt").read_text()
    '1 0 a 2\n'
    """
    _write(qrels.frame.select("topic", "doc", "grade"), os.fsdecode(path), "qrels")


def _write(frame: pl.DataFrame, path: str, label: str) -> None:
    if frame.is_empty():
        raise BadParameter(f"{label}: is empty, which could not be read back")
    formatter, rules = FORMATS.get(suffix_of(path), TREC)
    _check(frame, rules, label)
    data = formatter(typed(Rough(frame, Origin(label=label))))
    codec = next((codec for codec in CODECS if path.lower().endswith(codec.suffix)), None)
    data = data if codec is None else codec.compress(data)
    with atomic(path, "wb") as out:
        try:
            out.write(data)
        except OSError as error:
            raise BadFile(path, f"cannot be written: {(error.strerror or str(error)).lower()}") from error


def _check(frame: pl.DataFrame, rules: Rules, label: str) -> None:
    """Raise for an id that could not be read back from the format."""
    for name, patterns in rules.items():
        for pattern, why in patterns if name in frame.columns else ():
            bad = frame.filter(pl.col(name).cast(pl.String).str.contains(pattern))
            if not bad.is_empty():
                found = quoted(str(bad[name][0]))
                raise BadParameter(f"{label}: {name} {found} {why}, and could not be read back")


def _csv(frame: pl.DataFrame, separator: str = ",") -> bytes:
    out = io.BytesIO()
    frame.write_csv(out, separator=separator)
    return out.getvalue()


def _tsv(frame: pl.DataFrame) -> bytes:
    return _csv(frame, "\t")


def _trec(frame: pl.DataFrame) -> bytes:
    out = io.BytesIO()
    filler = pl.lit("0").alias("iter") if "grade" in frame.columns else pl.lit("Q0").alias("iter")
    lines = frame.select("topic", filler, pl.exclude("topic"))
    lines.write_csv(out, separator=" ", include_header=False, quote_style="never")
    return out.getvalue()


def _parquet(frame: pl.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.write_parquet(out)
    return out.getvalue()


def _json_lines(frame: pl.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.write_ndjson(out)
    return out.getvalue()


TEXT_RULES: Rules = dict.fromkeys(("topic", "doc", "tag"), (EMPTY, CONTROL))
DATA_RULES: Rules = dict.fromkeys(("topic", "doc", "tag"), (EMPTY,))
TREC_RULES: Rules = {
    "topic": (EMPTY, BLANK, COMMENT, MARK),
    "doc": (EMPTY, BLANK),
    "tag": (EMPTY, BLANK),
}
TREC = (_trec, TREC_RULES)
FORMATS: dict[str, tuple[Formatter, Rules]] = {
    ".csv": (_csv, TEXT_RULES),
    ".tsv": (_tsv, TEXT_RULES),
    ".parquet": (_parquet, DATA_RULES),
    ".jsonl": (_json_lines, DATA_RULES),
    ".ndjson": (_json_lines, DATA_RULES),
}
