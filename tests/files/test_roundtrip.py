"""What is written is read back the same, in every format; what could not be is refused."""

from __future__ import annotations

import string
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenscale.errors import BadFile, BadInput, BadParameter
from evenscale.files import Qrels, Run, read_qrels, read_run, write_qrels, write_run
from evenscale.files.trec import RUN, line_feeds, strict

FORMATS = [".run", "", ".csv", ".tsv", ".parquet", ".jsonl", ".ndjson"]
PACKING = ["", ".gz", ".bz2", ".zst"]
WIDE = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)
BLANK = st.text("ab ,\"'#\n\r\t\\\ufeff", min_size=1, max_size=5)
CONTROL = st.text("ab\x00\x01\x1f\x7f\x85", min_size=1, max_size=4)
FINITE = st.floats(allow_nan=False, allow_infinity=False)


def ids(suffix: str) -> st.SearchStrategy[str]:
    """The ids that a format can hold."""
    kinds = {".csv": WIDE | BLANK, ".tsv": WIDE | BLANK}
    kinds |= dict.fromkeys([".parquet", ".jsonl", ".ndjson"], WIDE | BLANK | CONTROL)
    plain = WIDE.filter(lambda text: text[0] not in "#\ufeff" and " " not in text)
    return kinds.get(suffix, plain)


def runs(suffix: str) -> st.SearchStrategy[Run]:
    pairs = st.lists(st.tuples(ids(suffix), ids(suffix)), min_size=1, max_size=6, unique=True)

    def filled(rows: list[tuple[str, str]]) -> st.SearchStrategy[Run]:
        scores = st.lists(FINITE, min_size=len(rows), max_size=len(rows))
        return st.tuples(ids(suffix), scores).map(lambda drawn: run_of(drawn[0], rows, drawn[1]))

    return pairs.flatmap(filled)


def run_of(name: str, rows: list[tuple[str, str]], scores: list[float]) -> Run:
    topics, docs = zip(*rows, strict=True)
    return Run(
        name,
        pl.DataFrame({"topic": topics, "doc": docs, "score": scores}, schema_overrides={"score": pl.Float64}),
    )


def same_run(found: Run, run: Run) -> None:
    assert found.name == run.name
    assert found.frame.schema == {"topic": pl.String, "doc": pl.String, "score": pl.Float64}
    assert found.frame.select("topic", "doc").rows() == run.frame.select("topic", "doc").rows()
    # Bit by bit: -0.0 is not 0.0 here.
    assert np.array_equal(*(frame["score"].to_numpy().view(np.uint64) for frame in (found.frame, run.frame)))
    assert np.array_equal(found.keys, run.keys)


@pytest.mark.parametrize("suffix", FORMATS)
def test_runs_in_every_format(suffix: str) -> None:
    @settings(max_examples=40, deadline=None)
    @given(runs(suffix), st.sampled_from(PACKING))
    def check(run: Run, packing: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"x{suffix}{packing}"
            write_run(run, path)
            same_run(read_run(path), run)

    check()


@pytest.mark.parametrize("suffix", FORMATS)
def test_qrels_in_every_format(suffix: str) -> None:
    grades = st.integers(-(2**63), 2**63 - 1) | FINITE | st.integers(-2, 4)

    @settings(max_examples=30, deadline=None)
    @given(st.dictionaries(ids(suffix), grades, min_size=1, max_size=5), ids(suffix), st.sampled_from(PACKING))
    def check(docs: dict[str, float], topic: str, packing: str) -> None:
        qrels = read_qrels({topic: docs})
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"x{suffix}{packing}"
            write_qrels(qrels, path)
            assert read_qrels(path).frame.equals(qrels.frame)

    check()


@settings(max_examples=40, deadline=None)
@given(runs(".jsonl"))
def test_runs_through_pandas_and_dictionaries(run: Run) -> None:
    columns = run.frame.to_dict(as_series=False)
    same_run(read_run(pd.DataFrame(columns), name=run.name), run)
    nested: dict[str, dict[str, float]] = {}
    for topic, doc, score in run.frame.rows():
        nested.setdefault(topic, {})[doc] = score
    found = read_run(nested, name=run.name).frame
    assert sorted(found.rows()) == sorted(run.frame.rows())


def test_trec_lines_are_as_expected(tmp_path: Path) -> None:
    frame = pl.DataFrame({"topic": ["2", "1", "2"], "doc": ["a", "b", "c"], "score": [0.1, 1e22, -0.0]})
    write_run(Run("bm25", frame), tmp_path / "x.run")
    assert (tmp_path / "x.run").read_text() == "2 Q0 a 1 0.1 bm25\n1 Q0 b 1 1e+22 bm25\n2 Q0 c 2 -0.0 bm25\n"
    write_run(Run("bm25", frame.with_columns(rank=pl.Series([7, 8, 9]))), tmp_path / "x.run")
    assert read_run(tmp_path / "x.run", ranks=True).frame["rank"].to_list() == [7, 8, 9]
    data = line_feeds((tmp_path / "x.run").read_bytes())
    assert strict(data, RUN, ["topic", "doc", "score", "tag"]) is not None


def test_qrels_lines_are_as_expected(tmp_path: Path) -> None:
    write_qrels(read_qrels({"1": {"a": 1, "b": 0}}), tmp_path / "q")
    assert (tmp_path / "q").read_text() == "1 0 a 1\n1 0 b 0\n"
    write_qrels(read_qrels({"1": {"a": 1, "b": 0.5}}), tmp_path / "q")
    assert (tmp_path / "q").read_text() == "1 0 a 1.0\n1 0 b 0.5\n"


def test_the_same_run_gives_the_same_file(tmp_path: Path) -> None:
    run = read_run({"1": {"a": 1.0}}, name="x")
    for packing in PACKING:
        paths = [tmp_path / f"{name}.run{packing}" for name in "ab"]
        for path in paths:
            write_run(run, path)
        assert paths[0].read_bytes() == paths[1].read_bytes()


BLANKS = "contains blanks or control characters"


@pytest.mark.parametrize(
    ("topic", "doc", "name", "suffix", "message"),
    [
        ("1 2", "a", "x", "", f"run 'x': topic '1 2' {BLANKS}, and could not be read back"),
        ("1", "a\tb", "x", "", f"run 'x': doc 'a\\tb' {BLANKS}, and could not be read back"),
        ("1", "a", "x y", "", f"run 'x y': tag 'x y' {BLANKS}, and could not be read back"),
        ("", "a", "x", "", "run 'x': topic '' is empty, and could not be read back"),
        ("1", "", "x", ".csv", "run 'x': doc '' is empty, and could not be read back"),
        ("1", "a", "", ".parquet", "run '': tag '' is empty, and could not be read back"),
        ("#1", "a", "x", "", "run 'x': topic '#1' would begin a comment, and could not be read back"),
        (
            "\ufeff1",
            "a",
            "x",
            "",
            "run 'x': topic '\\ufeff1' begins with a byte order mark, and could not be read",
        ),
        (
            "1",
            "a\0",
            "x",
            ".csv",
            "run 'x': doc 'a\\x00' contains control characters, and could not be read back",
        ),
    ],
)
def test_what_could_not_be_read_back_is_refused(
    tmp_path: Path, topic: str, doc: str, name: str, suffix: str, message: str
) -> None:
    run = Run(name, pl.DataFrame({"topic": [topic], "doc": [doc], "score": [1.0]}))
    with pytest.raises(BadParameter) as caught:
        write_run(run, tmp_path / f"out{suffix}")
    assert str(caught.value).startswith(message)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("char", [*string.whitespace, "\x00", "\x1f"])
def test_all_blanks_are_refused_in_trec_text(tmp_path: Path, char: str) -> None:
    with pytest.raises(BadParameter):
        write_qrels(read_qrels({"1": {f"a{char}b": 1}}), tmp_path / "q")


def test_hand_made_records_are_checked(tmp_path: Path) -> None:
    frame = pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "score": [1.0, float("nan")]})
    with pytest.raises(BadInput, match=r"^run 'x': row 2: expected a finite score, found nan$"):
        write_run(Run("x", frame), tmp_path / "r")
    with pytest.raises(BadParameter, match=r"^qrels: is empty, which could not be read back$"):
        write_qrels(Qrels(pl.DataFrame({"topic": [], "doc": [], "grade": []})), tmp_path / "q")
    integers = pl.DataFrame({"topic": [1], "doc": [2], "score": [3]})
    write_run(Run("x", integers), tmp_path / "r")
    assert (tmp_path / "r").read_text() == "1 Q0 2 1 3.0 x\n"


def test_no_folder_to_write_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = read_run({"1": {"a": 1.0}}, name="x")
    with pytest.raises(BadFile, match=r"^none/x\.run: no such folder$"):
        write_run(run, "none/x.run")
    Path("f").touch()
    with pytest.raises(BadFile, match=r"^f/x\.run: no such folder$"):
        write_run(run, "f/x.run")
    Path("g").mkdir()
    with pytest.raises(BadFile, match=r"^g: expected a file to write to, found a folder$"):
        write_run(run, "g")
