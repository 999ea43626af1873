"""Compression, encodings and line ends of files that are fine."""

from __future__ import annotations

import bz2
import gzip
from pathlib import Path

import pytest
import zstandard

from evenscale.files import read_qrels, read_run
from evenscale.files.content import plain_name, text_of
from evenscale.files.naming import first_tag
from evenscale.files.trec import parse_run

RUN = b"1 Q0 a 1 0.5 bm25\n1 Q0 b 2 0.25 bm25\n"
ROWS = [("1", "a", 0.5), ("1", "b", 0.25)]


@pytest.mark.parametrize("name", ["x.run.gz", "x.run", "x.bz2"], ids=str)
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, zstandard.compress, bytes])
def test_first_bytes_count_and_not_the_name(tmp_path: Path, name: str, pack: object) -> None:
    path = tmp_path / name
    path.write_bytes(pack(RUN))  # type: ignore[operator]
    run = read_run(path)
    assert (run.name, run.frame.rows(), run.path) == ("bm25", ROWS, str(path))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, zstandard.compress])
def test_streams_one_after_the_other_are_one_file(tmp_path: Path, pack: object) -> None:
    path = tmp_path / "x"
    path.write_bytes(pack(RUN[:25]) + pack(RUN[25:]))  # type: ignore[operator]
    assert read_run(path).frame.rows() == ROWS


def test_zstd_without_content_size(tmp_path: Path) -> None:
    stream = zstandard.ZstdCompressor().compressobj()
    (tmp_path / "x").write_bytes(stream.compress(RUN) + stream.flush())
    assert read_run(tmp_path / "x").frame.rows() == ROWS


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl"])
def test_tables_may_be_compressed(tmp_path: Path, suffix: str) -> None:
    text = {
        ".csv": "topic,doc,score\n1,a,0.5\n1,b,0.25\n",
        ".tsv": "topic\tdoc\tscore\n1\ta\t0.5\n1\tb\t0.25\n",
        ".jsonl": '{"topic":1,"doc":"a","score":0.5}\n{"topic":1,"doc":"b","score":0.25}',
    }[suffix]
    path = tmp_path / f"x{suffix}.gz"
    path.write_bytes(gzip.compress(text.encode()))
    run = read_run(path)
    assert (run.name, run.frame.rows()) == (f"x{suffix}", ROWS)


@pytest.mark.parametrize(
    "raw",
    [
        RUN,
        RUN[:-1],
        b"\xef\xbb\xbf" + RUN,
        RUN.replace(b"\n", b"\r\n"),
        RUN.replace(b"\n", b"\r"),
        RUN.replace(b" ", b"\t"),
        RUN.replace(b" ", b" \t "),
        b" " + RUN.replace(b"\n", b" \t\n\n  \n"),
        b"# c\n  # c\n" + RUN + b"#",
    ],
)
def test_blanks_comments_and_line_ends(raw: bytes) -> None:
    run = parse_run(text_of(raw, "x"))
    assert (run.name, run.frame.rows(), run.oddities) == ("bm25", ROWS, ())


def test_hash_and_quotes_inside_columns_are_data() -> None:
    raw = b'1#2 Q0 d#1 1 1 t#\n"1 #Q0 "d" 1 2 t#\n'
    run = parse_run(text_of(raw, "x"))
    assert run.name == "t#"
    assert run.frame.rows() == [("1#2", "d#1", 1.0), ('"1', '"d"', 2.0)]


def test_ids_stay_text() -> None:
    assert parse_run(text_of(b"007 Q0 0010 1 1 t\n", "x")).frame.rows() == [("007", "0010", 1.0)]


def test_latin_1_is_read_and_noted() -> None:
    run = parse_run(text_of(b"1 Q0 caf\xe9 1 1 t\xfc\n", "x.run"))
    assert run.frame.rows() == [("1", "café", 1.0)]
    assert run.name == "tü"
    assert [str(oddity) for oddity in run.oddities] == ["x.run: is not UTF-8 (byte 0xe9 at offset 8), read as Latin-1"]


def test_extra_text_is_noted_once(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_bytes(b"# c\n1 Q0 a 1 1 t\n1 Q0 b 1 1 t more\n1 Q0 c 1 1 t more text\n")
    run = read_run(path)
    assert [(odd.kind, odd.where, odd.text, odd.count) for odd in run.oddities] == [
        ("extra text", str(path), "text after column 6 is ignored on 2 lines, first on line 3", 2)
    ]


@pytest.mark.parametrize("comment", [b"", b"#\n"])
def test_several_tags_are_noted(comment: bytes) -> None:
    run = parse_run(text_of(comment + b"1 Q0 a 1 1 t\n1 Q0 b 1 1 u\n2 Q0 b 1 1 t\n", "x.run"))
    assert run.name == "t"
    assert [(odd.kind, odd.text, odd.count) for odd in run.oddities] == [
        ("several tags", "has 2 tags (t, u); the first one names the run", 2)
    ]


def test_ranks_are_there_when_asked_for() -> None:
    assert parse_run(text_of(RUN, "x"), with_ranks=True).frame.columns == ["topic", "doc", "rank", "score"]
    assert parse_run(text_of(b"\n" + RUN, "x"), with_ranks=True).frame["rank"].to_list() == [1, 2]


@pytest.mark.parametrize(
    ("text", "grades", "kind"),
    [
        ("1 0 a 1\n1 0 b -2\n", [1, -2], "Int64"),
        ("1 0 a 1\n1 0 b 2.0\n", [1, 2], "Int64"),
        ("1 0 a 1\n1 0 b 0.5\n", [1.0, 0.5], "Float64"),
        ("1 0 a 1e20\n", [1e20], "Float64"),
        ("1 0 a 9007199254740993\n", [9007199254740993], "Int64"),
    ],
)
def test_grades_are_never_truncated(tmp_path: Path, text: str, grades: list[float], kind: str) -> None:
    path = tmp_path / "qrels"
    path.write_text(text)
    column = read_qrels(path).frame["grade"]
    assert (column.to_list(), str(column.dtype)) == (grades, kind)


@pytest.mark.parametrize("name", ["a.run.gz", "a.run.GZ", "a.run.zst", "a.run.bz2", "a.run"])
def test_plain_names(name: str) -> None:
    assert plain_name(f"folder/{name}") == "a.run"
    assert plain_name(".gz") == ".gz"


@pytest.mark.parametrize(
    "raw",
    [RUN, b"\xef\xbb\xbf" + RUN, b"\n # c\r" + RUN, b"\v" + RUN.replace(b" ", b"\t\f"), RUN + b"\xff"],
)
def test_first_tag_is_the_one_that_is_read(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "x").write_bytes(raw)
    with open(tmp_path / "x", "rb") as file:
        assert first_tag(file) == ["bm25"]
