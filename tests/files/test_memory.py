"""Sources in memory: frames of both kinds, dictionaries, rows with names; and what each is turned into."""

from __future__ import annotations

import subprocess
import sys
from collections import namedtuple
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from evenscale.errors import BadInput
from evenscale.files import Qrels, Run, read_qrels, read_run, read_runs

ScoredDoc = namedtuple("ScoredDoc", ["query_id", "doc_id", "score"])
Qrel = namedtuple("Qrel", ["query_id", "doc_id", "relevance", "iteration"])
ROWS = [("1", "a", 0.5), ("1", "b", 2.0), ("2", "a", 1.0)]
COLUMNS = {"topic": ["1", "1", "2"], "doc": ["a", "b", "a"], "score": [0.5, 2.0, 1.0]}


def generated() -> Iterator[ScoredDoc]:
    yield from (ScoredDoc(*row) for row in ROWS)


SOURCES = {
    "dictionary": {"1": {"a": 0.5, "b": 2}, "2": {"a": 1}},
    "dictionary of numbers": {1: {"a": np.float64(0.5), "b": Fraction(2)}, np.int64(2): {"a": Decimal(1)}},
    "rows": [ScoredDoc(*row) for row in ROWS],
    "generated rows": generated,
    "polars": pl.DataFrame(COLUMNS),
    "lazy polars": pl.LazyFrame(COLUMNS),
    "polars integers": pl.DataFrame({"qid": [1, 1, 2], "docno": ["a", "b", "a"], "sim": ["0.5", "2", "1"]}),
    "polars categories": pl.DataFrame(COLUMNS).with_columns(pl.col("topic").cast(pl.Categorical)),
    "polars small numbers": pl.DataFrame(COLUMNS).with_columns(pl.col("score").cast(pl.Float32)),
    "pandas": pd.DataFrame(COLUMNS),
    "pandas integers": pd.DataFrame({"Q_ID": [1, 1, 2], "did": ["a", "b", "a"], "score": ["0.5", "2", "1"]}),
    "pandas objects": pd.DataFrame(COLUMNS | {"topic": [1, "1", np.int64(2)]}, dtype=object),
    "pandas nullable": pd.DataFrame(COLUMNS).astype({"topic": "int64"}).astype({"topic": "Int64"}),
    "pandas categories": pd.DataFrame(COLUMNS).astype({"doc": "category"}),
    "pandas with an index": pd.DataFrame(COLUMNS, index=[7, 7, 9]),
    "pandas as in PyTerrier": pd.DataFrame(
        {
            "qid": COLUMNS["topic"],
            "docid": [9, 8, 7],
            "docno": COLUMNS["doc"],
            "query": ["x", "x", "y"],
            "score": COLUMNS["score"],
        }
    ),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_runs(source: object) -> None:
    run = read_run(source() if callable(source) else source)
    assert run.frame.rows() == ROWS
    assert run.frame.schema == {"topic": pl.String, "doc": pl.String, "score": pl.Float64}
    assert (run.name, run.path, run.oddities) == ("run1", "", ())


QRELS = {
    "dictionary": {"1": {"a": 1, "b": 0}},
    "dictionary of floats": {"1": {"a": 1.0, "b": -0.0}},
    "rows": [Qrel("1", "a", 1, "0"), Qrel("1", "b", 0, "0")],
    "polars": pl.DataFrame({"topic_id": [1, 1], "doc_id": ["a", "b"], "label": [1, 0]}),
    "polars unsigned": pl.DataFrame(
        {"topic": [1, 1], "doc": ["a", "b"], "rel": [1, 0]}, schema_overrides={"rel": pl.UInt8}
    ),
    "pandas": pd.DataFrame({"query": ["1", "1"], "docno": ["a", "b"], "judgment": [1.0, 0.0]}),
}


@pytest.mark.parametrize("source", QRELS.values(), ids=QRELS)
def test_qrels(source: object) -> None:
    qrels = read_qrels(source)
    assert qrels.frame.rows() == [("1", "a", 1), ("1", "b", 0)]
    assert qrels.frame["grade"].dtype == pl.Int64
    assert qrels.keys.shape == (2,)


def test_graded_qrels_keep_fractions_and_large_numbers() -> None:
    assert read_qrels({"1": {"a": 1, "b": 0.5}}).frame["grade"].to_list() == [1.0, 0.5]
    assert read_qrels({"1": {"a": 2**60 + 1}}).frame["grade"].to_list() == [2**60 + 1]
    assert read_qrels({"1": {"a": 2**70}}).frame["grade"].to_list() == [float(2**70)]


def test_ranks_from_tables() -> None:
    table = pl.DataFrame(COLUMNS | {"rank": [1, 2, 1]})
    assert read_run(table, ranks=True).frame.columns == ["topic", "doc", "rank", "score"]
    assert read_run(table).frame.columns == ["topic", "doc", "score"]
    assert read_run(pl.DataFrame(COLUMNS), ranks=True).frame.columns == ["topic", "doc", "score"]
    with pytest.raises(BadInput, match=r"^run: expected whole numbers as rank, found Float64$"):
        read_run(pl.DataFrame(COLUMNS | {"rank": [1.0, 2.0, 1.0]}), ranks=True)


def test_tags_name_a_run() -> None:
    assert read_run(pl.DataFrame(COLUMNS | {"system": ["s"] * 3})).name == "s"
    assert read_run(pl.DataFrame(COLUMNS | {"system": ["s"] * 3}), name="mine").name == "mine"
    assert read_run(pl.DataFrame(COLUMNS | {"run_id": [7] * 3})).name == "7"
    assert read_run(pl.DataFrame(COLUMNS | {"run_id": [None] * 3})).name == "run1"


def test_missing_values_in_pandas_are_found() -> None:
    table = pd.DataFrame(COLUMNS | {"score": [0.5, None, 1.0]})
    with pytest.raises(BadInput, match=r"^run: row 2: expected a number as score, found nothing$"):
        read_run(table)
    table = pd.DataFrame(COLUMNS | {"doc": ["a", None, "a"]})
    with pytest.raises(BadInput, match=r"^run: row 2: expected a doc, found nothing$"):
        read_run(table)


def test_rows_must_be_alike() -> None:
    rows = [ScoredDoc("1", "a", 1.0), Qrel("1", "b", 1, "0")]
    with pytest.raises(BadInput, match=r"^run: row 2: expected a row with query_id, doc_id, score, found Qrel$"):
        read_run(rows)


def test_what_has_been_read_passes_through() -> None:
    run, qrels = read_run(SOURCES["dictionary"]), read_qrels(QRELS["dictionary"])
    assert read_run(run) is run
    assert read_run(run, name=run.name) is run
    assert read_qrels(qrels) is qrels
    assert next(read_runs(run)) is run


def test_renaming_keeps_the_keys() -> None:
    run = read_run(SOURCES["dictionary"])
    assert read_run(run, name="x").keys is run.keys
    assert "keys" not in Run("a", run.frame).renamed("b").__dict__


def test_records_compare_by_identity() -> None:
    frame = pl.DataFrame({"topic": ["1"], "doc": ["a"], "grade": [1]})
    assert Qrels(frame) != Qrels(frame)


WITHOUT_PYARROW = """
import sys
sys.modules["pyarrow"] = None
import pandas, evenscale.files
table = pandas.DataFrame({"topic": ["1", "2"], "doc": ["a", "b"], "score": [1.5, 2.5], "grade": [1, 0]})
assert evenscale.files.read_run(table).frame.rows() == [("1", "a", 1.5), ("2", "b", 2.5)]
assert evenscale.files.read_qrels(table).frame.rows() == [("1", "a", 1), ("2", "b", 0)]
"""
LIGHT = """
import sys, evenscale.files
assert not {"pandas", "pyarrow"} & set(sys.modules)
"""


@pytest.mark.parametrize("script", [WITHOUT_PYARROW, LIGHT])
def test_in_a_process_of_its_own(script: str) -> None:
    subprocess.run([sys.executable, "-c", script], check=True)
