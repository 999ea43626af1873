"""Tables on disk: which column is which, and Polars' reading of CSV against Python's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evenscale.errors import BadInput
from evenscale.files import read_qrels, read_run
from evenscale.files.columns import ALIASES
from evenscale.files.content import text_of
from evenscale.files.delimited import careful, quick
from evenscale.files.finish import Rough, typed


@pytest.mark.parametrize("topic", ALIASES["topic"])
@pytest.mark.parametrize("doc", ALIASES["doc"])
def test_aliases_of_ids(tmp_path: Path, topic: str, doc: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"{doc},{topic},score\na,007,1\n")
    assert read_run(path).frame.rows() == [("007", "a", 1.0)]


@pytest.mark.parametrize("grade", ALIASES["grade"])
def test_aliases_of_grades(tmp_path: Path, grade: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"topic,doc,{grade.upper()}\n1,a,2\n")
    assert read_qrels(path).frame.rows() == [("1", "a", 2)]


@pytest.mark.parametrize("tag", ALIASES["tag"])
@pytest.mark.parametrize("score", ALIASES["score"])
def test_aliases_of_runs(tmp_path: Path, tag: str, score: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"topic,doc,rank,{score},{tag}\n1,a,3,2.5,bm25\n")
    run = read_run(path, ranks=True)
    assert (run.name, run.frame.rows()) == ("bm25", [("1", "a", 3, 2.5)])


def test_the_better_known_name_counts(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("query,query_id,docid,docno,score\nhello world,1,9,a,2\n")
    assert read_run(path).frame.rows() == [("1", "a", 2.0)]


def test_tsv_without_a_header_is_trec_text(tmp_path: Path) -> None:
    path = tmp_path / "qrels.dev.tsv"
    path.write_text("1\t0\ta\t1\n2\t0\tb\t1\n")
    assert read_qrels(path).frame.height == 2
    path.write_text('1\tQ0\t"a\t1\t2.5\tbm25\n')
    assert read_run(path).frame.rows() == [("1", '"a', 2.5)]


def test_csv_with_marks_quotes_and_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b'\xef\xbb\xbf\r\n"topic",doc,score\r\n"1","a ""b"", c",.5\r\n\r\n2,"x\ry",1\r\n')
    assert read_run(path).frame.rows() == [("1", 'a "b", c', 0.5), ("2", "x\ry", 1.0)]


def test_csv_in_latin_1_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"topic,doc,score\n1,caf\xe9,1\n")
    run = read_run(path)
    assert run.frame["doc"].to_list() == ["café"]
    assert [oddity.kind for oddity in run.oddities] == ["encoding"]


def test_empty_tags_are_no_tags(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("topic,doc,score,tag\n1,a,1,\n1,b,1,\n")
    assert read_run(path).name == "x.csv"


def test_json_lines_with_ids_of_both_kinds(tmp_path: Path) -> None:
    path = tmp_path / "x.ndjson"
    path.write_text('{"qid": 1, "docno": "a", "score": 1, "x": []}\n\n{"score": 0.5, "docno": 2, "qid": "z"}\r\n')
    assert read_run(path).frame.rows() == [("1", "a", 1.0), ("z", "2", 0.5)]


def test_parquet_reads_only_what_it_needs(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pl.DataFrame({"topic": [1], "doc": ["a"], "grade": [0.5], "more": [[1, 2]]}).write_parquet(path)
    assert read_qrels(path).frame.rows() == [("1", "a", 0.5)]


FIELD = st.text('ab1 ,"\n\r\t#é', max_size=4)
PLAIN = st.text("ab1.", min_size=1, max_size=3)


def quoted(field: str) -> str:
    return '"' + field.replace('"', '""') + '"'


def csv_text() -> st.SearchStrategy[str]:
    """CSV that is mostly right: fields quoted or not, sometimes too few or too many, or raw rubbish."""
    field = st.one_of(PLAIN, PLAIN, FIELD.map(quoted), FIELD)
    record = st.lists(field, min_size=3, max_size=3) | st.lists(field, max_size=5)
    body = st.lists(record.map(",".join), max_size=5)
    head = st.sampled_from(["topic,doc,score", "topic,doc,score,x"])
    end = st.sampled_from(["\n", "\r\n"])
    return st.tuples(head, body, end).map(lambda drawn: drawn[2].join([drawn[0], *drawn[1]]))


def outcome(read: Callable[[], Rough]) -> object:
    """Rows, or the message."""
    try:
        return typed(read()).rows()
    except BadInput as error:
        return str(error)


@settings(max_examples=300, deadline=None)
@given(csv_text())
@example("topic,doc,score\n1,a,1\n1,b,2,3")
@example("topic,doc,score\n1,a,1\n1,b,2,")
@example('topic,doc,score\n1,a,",""')
@example("topic,doc,score\n1,a,1,2\n1,b")
@example("topic,doc,score,x\n1,a,1\n2,b,2,3,")
@example("topic,doc,score,x\n2,b,2,3,\n1,a,1")
@example("topic,doc,score,x\n2,b,2,3,")
@example("topic,doc,score,x\n2,b,2,3,\n3,c,3,4")
@example("topic,doc,score\n1\r1,a,1")
@example('topic,doc,score\n1,"a"b,1')
@example('topic,doc,score\n1,a"b,1')
@example("topic,doc,score\n\n1,a,1\n\n")
def test_quick_csv_reader_takes_nothing_that_the_careful_one_reads_otherwise(text: str) -> None:
    roles = ["topic", "doc", "score"]
    content = text_of(text.encode(), "x.csv")
    found = quick(content, roles, ",")
    if found is not None:
        assert found.frame.rows() == careful(content, roles, ",").frame.rows()
        assert outcome(lambda: found) == outcome(lambda: careful(content, roles, ","))


def test_regular_csv_is_read_quickly() -> None:
    for end in ("\n", "\r\n", ""):
        text = (end or "\n").join(["topic,doc,score,tag", "1,a,1,x", "1,b,2,x"]) + end
        assert quick(text_of(text.encode(), "x.csv"), ["topic", "doc", "score", "tag"], ",") is not None
