"""What sources stand for, and what their runs are called."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenscale.errors import BadFile, BadInput, BadLine, BadParameter
from evenscale.files import Run, RunSource, list_runs, read_run, read_runs
from evenscale.files.naming import Candidate, settle


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def make(path: str, tag: str = "t") -> str:
    """A run file with one line."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    data = f"1 Q0 a 1 0.5 {tag}\n".encode()
    Path(path).write_bytes(gzip.compress(data) if path.endswith(".gz") else data)
    return path


def names(sources: object) -> list[str]:
    return [run.name for run in read_runs(sources)]


def paths(sources: object) -> list[str]:
    return [source.path for source in list_runs(sources)]


# --- what sources stand for ---------------------------------------------------------------------------------


def test_folders_give_their_files_in_order() -> None:
    for path in ("runs/b.run", "runs/a.run.gz", "runs/.hidden", "runs/deeper/c.run"):
        make(path)
    assert paths("runs") == ["runs/a.run.gz", "runs/b.run"]
    assert paths(Path("runs")) == ["runs/a.run.gz", "runs/b.run"]


def test_patterns_give_what_they_match_in_order() -> None:
    for path in ("runs/b.run", "runs/a.run", "runs/c.txt", "more/d.run", "e[1].run"):
        make(path)
    assert paths("runs/*.run") == ["runs/a.run", "runs/b.run"]
    assert paths("*/?.run") == ["more/d.run", "runs/a.run", "runs/b.run"]
    assert paths("runs/[bc].*") == ["runs/b.run", "runs/c.txt"]
    assert paths("**/d.run") == ["more/d.run"]
    assert paths("e[1].run") == ["e[1].run"]


def test_lists_may_hold_anything() -> None:
    make("runs/a.run")
    make("b.run")
    run = read_run({"1": {"a": 1}})
    table = pl.DataFrame({"topic": [1], "doc": ["a"], "score": [1.0]})
    assert paths(["runs", Path("b.run"), run, table, {"1": {"a": 1}}]) == ["runs/a.run", "b.run", "", "", ""]
    assert paths(path for path in ["b.run", "b.run"]) == ["b.run", "b.run"]


def test_what_is_listed_may_be_read() -> None:
    listed = list_runs([make("a.run", "x"), make("b.run", "y")])
    assert all(isinstance(source, RunSource) for source in listed)
    assert names(listed) == ["x", "y"]
    assert names(listed[0]) == ["x"]


def test_listing_reads_nothing() -> None:
    Path("a.run").write_bytes(b"\0 not a run")
    assert paths(".") == ["./a.run"]


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ("none.run", "none.run: no such file"),
        ("none/*.run", "none/*.run: no file matches"),
        ("empty", "empty: the folder holds no files"),
        ("dangling", "dangling: no such file"),
        (["a.run", "none.run"], "none.run: no such file"),
        ({"x": "none.run"}, "none.run: no such file"),
        ({"x": "a.run", "y": "*.run"}, "*.run: no such file"),
    ],
)
def test_what_is_not_there(sources: object, message: str) -> None:
    make("a.run")
    Path("empty").mkdir()
    Path("dangling").symlink_to("nowhere")
    with pytest.raises(BadFile) as caught:
        read_runs(sources)
    assert str(caught.value) == message


@pytest.mark.parametrize("sources", [[], {}, iter([])])
def test_no_runs_at_all(sources: object) -> None:
    with pytest.raises(BadInput, match=r"^runs: expected at least one, found none$"):
        read_runs(sources)


def test_folder_without_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    Path("runs").mkdir()
    monkeypatch.setattr(os, "listdir", refuse)
    with pytest.raises(BadFile, match=r"^runs: no permission to read it$"):
        list_runs("runs")


# --- dictionaries -------------------------------------------------------------------------------------------

ONE = {"401": {"a": 1.5}, "402": {"b": 1}}
DICTIONARIES = [
    (ONE, ["run1"]),
    ({"401": {}, "402": {"b": 1}}, ["run1"]),
    ({"x": ONE, "y": ONE}, ["x", "y"]),
    ({"x": {"401": {}, "402": {"b": 1}}}, ["x"]),
    ({"x": pl.DataFrame({"topic": [1], "doc": ["a"], "score": [1.0]}), "y": ONE}, ["x", "y"]),
    ({"x": pd.DataFrame({"topic": [1], "doc": ["a"], "score": [1.0], "tag": ["z"]})}, ["x"]),
    ({"x": read_run(ONE, name="z")}, ["x"]),
    ({7: ONE}, ["7"]),
]


@pytest.mark.parametrize(("sources", "expected"), DICTIONARIES)
def test_dictionaries(sources: object, expected: list[str]) -> None:
    assert names(sources) == expected


def test_dictionary_of_paths_names_them_as_it_says() -> None:
    sources = {"first": make("a.run", "t"), "t": make("b.run", "t")}
    runs = list(read_runs(sources))
    assert [run.name for run in runs] == ["first", "t"]
    assert [run.oddities for run in runs] == [(), ()]


def test_dictionary_with_a_name_twice() -> None:
    with pytest.raises(BadParameter, match=r"^runs: the name '1' is given twice$"):
        read_runs({1: ONE, "1": ONE})


def test_dictionary_values_are_single_runs() -> None:
    make("runs/a.run")
    with pytest.raises(BadFile, match=r"^runs: expected a file, found a folder$"):
        list(read_runs({"x": "runs"}))
    both = pl.DataFrame({"topic": [1, 1], "doc": ["a", "a"], "score": [1.0, 2.0], "tag": ["x", "y"]})
    with pytest.raises(BadInput, match=r"^run 'mine': holds 2 systems \(x, y\), expected one"):
        list(read_runs({"mine": both}))


def test_errors_of_a_named_run_say_its_name() -> None:
    with pytest.raises(BadInput, match=r"^run 'bm25': topic '1', document 'a': expected a number as score"):
        list(read_runs({"bm25": {"1": {"a": None}}, "ql": ONE}))


# --- names --------------------------------------------------------------------------------------------------


def test_tags_are_names() -> None:
    assert names([make("a.run", "x"), make("b.run.gz", "y")]) == ["x", "y"]


def test_clashing_tags_give_way_to_file_names() -> None:
    runs = list(read_runs([make("a.run", "x"), make("b.run.gz", "x"), make("c.run", "y")]))
    assert [run.name for run in runs] == ["a.run", "b.run", "y"]
    assert [str(oddity) for run in runs for oddity in run.oddities] == [
        "a.run: the name 'x' is another run's too; this one is called 'a.run'",
        "b.run.gz: the name 'x' is another run's too; this one is called 'b.run'",
    ]
    assert {oddity.kind for run in runs for oddity in run.oddities} == {"tag clash"}


def test_clashing_file_names_give_way_to_paths() -> None:
    assert names([make("p/a.run", "x"), make("q/a.run", "x")]) == ["p/a.run", "q/a.run"]
    assert names([make("p/a.run", "x"), make("q/b.run", "x"), make("c", "a.run")]) == [
        "p/a.run",
        "b.run",
        "c",
    ]


def test_the_same_file_twice_is_numbered() -> None:
    assert names([make("a.run", "x"), "a.run", "./a.run"]) == ["a.run", "a.run (2)", "./a.run"]


def test_runs_in_memory_are_numbered_by_place() -> None:
    table = pl.DataFrame({"topic": [1], "doc": ["a"], "score": [1.0]})
    tagged = table.with_columns(tag=pl.lit("x"))
    assert names([ONE, table, tagged, make("a.run", "y")]) == ["run1", "run2", "x", "y"]
    assert names([tagged, tagged.lazy(), pd.DataFrame(tagged.to_dict(as_series=False))]) == [
        "run1",
        "run2",
        "run3",
    ]
    assert names(ONE) == ["run1"]


def test_runs_that_have_been_read_take_part() -> None:
    first = read_run(make("a.run", "x"))
    runs = list(read_runs([first, make("b.run", "y")]))
    assert runs[0] is first
    assert names([first, make("b.run", "x")]) == ["a.run", "b.run"]
    assert names([Run("x", first.frame), Run("x", first.frame)]) == ["run1", "run2"]


def test_tables_with_several_systems_are_taken_apart() -> None:
    table = pl.DataFrame(
        {
            "topic": ["1", "1", "1", "2"],
            "doc": ["a", "a", "b", "a"],
            "score": [1.0, 2.0, 3.0, 4.0],
            "system": ["y", "x", "y", "x"],
        }
    )
    table.write_csv("both.csv")
    table.write_parquet("both.parquet")
    for source in ("both.csv", "both.parquet", table):
        runs = list(read_runs(source))
        assert [(run.name, run.frame.rows()) for run in runs] == [
            ("y", [("1", "a", 1.0), ("1", "b", 3.0)]),
            ("x", [("1", "a", 2.0), ("2", "a", 4.0)]),
        ]
    assert names(["both.csv", make("a.run", "x")]) == ["y", "both.csv:x", "a.run"]
    expected = ["both.csv:y", "both.csv:x", "both.parquet:y", "both.parquet:x"]
    assert names(["both.csv", "both.parquet"]) == expected


def test_a_repeat_in_one_system_of_a_table_is_found() -> None:
    Path("both.csv").write_text("topic,doc,score,tag\n1,a,1,x\n1,a,1,y\n1,b,2,x\n1,a,3,y\n")
    with pytest.raises(BadLine, match=r"^both\.csv:5: document 'a' is repeated in topic '1' \(first on line 3\)$"):
        list(read_runs("both.csv"))


def test_tables_without_tags_are_called_by_their_files() -> None:
    for name in ("a.csv", "b.csv", "c.jsonl", "d.parquet", "e.tsv"):
        table = pl.DataFrame({"topic": [1], "doc": ["a"], "score": [1.0]})
        write = {".csv": table.write_csv, ".jsonl": table.write_ndjson, ".parquet": table.write_parquet}
        write.get(Path(name).suffix, lambda path: table.write_csv(path, separator="\t"))(name)  # noqa: B023
    assert names(".") == ["a.csv", "b.csv", "c.jsonl", "d.parquet", "e.tsv"]


def test_tsv_without_a_header_has_its_tag() -> None:
    Path("a.tsv").write_text("1\tQ0\ta\t1\t0.5\tx\n")
    assert names(["a.tsv", make("b.run", "y")]) == ["x", "y"]


@pytest.mark.parametrize(
    "data",
    [b"", b"# c\n", b"1 Q0 a\n", b"\0", gzip.compress(b"1 Q0 a 1 1 t\n" * 99, mtime=0)[:30], b"BZh9rubbish"],
    ids=["empty", "comment", "short line", "binary", "cut gzip", "rubbish"],
)
def test_a_bad_file_is_reported_in_its_turn(data: bytes) -> None:
    Path("b.run").write_bytes(data)
    runs = read_runs([make("a.run", "x"), "b.run"])
    assert next(runs).name == "x"
    with pytest.raises(BadInput, match=r"^b\.run:"):
        next(runs)


@pytest.mark.parametrize("name", ["b.csv", "b.parquet", "b.jsonl", "b.tsv"])
def test_a_bad_table_is_reported_in_its_turn(name: str) -> None:
    Path(name).write_bytes(b'topic\n"')
    runs = read_runs([make("a.run", "x"), name])
    assert next(runs).name == "x"
    with pytest.raises(BadInput, match=rf"^{name}:"):
        next(runs)


def test_pipes_are_read_once() -> None:
    os.mkfifo("pipe")
    writer = threading.Thread(target=lambda: Path("pipe").write_bytes(b"1 Q0 a 1 0.5 piped\n"))
    writer.start()
    runs = list(read_runs(["pipe", make("a.run", "x")], ranks=True))
    writer.join()
    assert [(run.name, run.frame.columns) for run in runs] == [
        ("piped", ["topic", "doc", "rank", "score"]),
        ("x", ["topic", "doc", "rank", "score"]),
    ]


def test_a_file_that_changes_meanwhile_is_noticed() -> None:
    Path("a.csv").write_text("topic,doc,score,tag\n1,a,1,x\n1,a,1,y\n")
    runs = read_runs(["a.csv", make("b.run")])
    Path("a.csv").write_text("topic,doc,score,tag\n1,a,1,x\n")
    with pytest.raises(BadFile, match=r"^a\.csv: has changed while it was being read$"):
        list(runs)


NAMES = st.lists(st.sampled_from(["a", "b", "a (2)", "a (3)", "c"]), min_size=1, max_size=3, unique=True)


@given(st.lists(st.tuples(NAMES, st.booleans()), max_size=8))
def test_settled_names_are_distinct(drawn: list[tuple[list[str], bool]]) -> None:
    candidates, given_names = [], set()
    for choice, fixed in drawn:
        keep = fixed and choice[0] not in given_names
        given_names |= {choice[0]} if keep else set()
        candidates.append(Candidate(tuple(choice), fixed=keep))
    settled = settle(candidates)
    assert len(set(settled)) == len(settled) == len(drawn)
    claims = [name for candidate in candidates for name in candidate.names]
    for name, candidate in zip(settled, candidates, strict=True):
        if candidate.fixed or claims.count(candidate.names[0]) == 1:
            assert name == candidate.names[0]
