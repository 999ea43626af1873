"""The fast and the tolerant reader against the naive twin: the same rows, or the same error."""

from __future__ import annotations

import struct

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evenscale.errors import BadInput
from evenscale.files import Qrels, Run, row_keys, trec
from evenscale.files.content import text_of
from evenscale.files.finish import finish_qrels, finish_run
from evenscale.files.trec import QRELS, RUN, line_feeds, parse_qrels, parse_run, strict, tolerant
from files.naive import NaiveError, naive_read

IDS = [
    "1",
    "007",
    "401",
    "a",
    "d#1",
    '"q"',
    "null",
    "NA",
    "-",
    "Ünï",
    "x\u00a0y",
    "'",
    ",",
    "日本",
    "d2",
    "d3",
]
GOOD = [
    "1",
    "0",
    "-1",
    "+2",
    "3.5",
    ".5",
    "1.",
    "1e3",
    "1E-5",
    "-0.0",
    "007",
    "1e-400",
    "0.1234567890123456789",
]
BAD = [
    "x",
    "nan",
    "inf",
    "-Infinity",
    "1e999",
    "1_000",
    "0x10",
    "1,5",
    "--1",
    "1e",
    "#",
    "1d5",
    "١",
    "1\u00a0",
]
RANKS = ["1", "2", "0", "-1", "+3", "1.0", "x", "9" * 25, "1_0", "٣", "00"]


def bits(rows: list[tuple]) -> list[tuple]:
    """Rows with floats as bit patterns, so that -0.0 and 0.0 differ."""
    return [tuple(struct.pack("d", x) if isinstance(x, float) else x for x in row) for row in rows]


def fields(kind: str, wild: bool) -> st.SearchStrategy[list[str]]:
    """The columns of one line; with `wild`, sometimes bad ones."""
    ids = st.sampled_from(IDS)
    numbers = st.sampled_from(GOOD + BAD) if wild else st.sampled_from(GOOD)
    if kind == "qrels":
        return st.tuples(ids, st.just("0"), ids, numbers).map(list)
    ranks = st.sampled_from(RANKS if wild else RANKS[:5])
    tags = st.sampled_from(["bm25", "bm25", "bm25", "ql"])
    return st.tuples(ids, st.just("Q0"), ids, ranks, numbers, tags).map(list)


def regular(kind: str, wild: bool = False) -> st.SearchStrategy[bytes]:
    """A file that the fast reader may take."""
    lines = st.lists(fields(kind, wild), min_size=1, max_size=8)
    separated = st.tuples(lines, st.sampled_from([" ", "\t"]), st.sampled_from(["\n", "\r\n", ""]))
    return separated.map(lambda drawn: "\n".join(drawn[1].join(line) for line in drawn[0]).encode() + drawn[2].encode())


def irregular(kind: str) -> st.SearchStrategy[bytes]:
    """A file with all sorts of blanks, comments, line ends and too few or many columns."""
    blanks = st.sampled_from([" ", " ", " ", "\t", "  ", " \t", "\v", "\f"])
    ends = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", "\n\n", " \n", "\n \n", "\n# x 1 y 2 3 z\n", "\n\t# z\n"])
    edges = st.sampled_from(["", "", "", " ", "\t"])

    def line(columns: list[str]) -> st.SearchStrategy[str]:
        cut = st.sampled_from([columns] * 8 + [columns[:-1], [*columns, "more", "text"], columns[:1]])
        return st.tuples(edges, cut, blanks, ends).map(lambda d: d[0] + d[2].join(d[1]) + d[3])

    lines = st.lists(fields(kind, wild=True).flatmap(line), max_size=8)
    start = st.sampled_from(["", "", "\ufeff", "# head\n", "\n", "\ufeff#\n"])
    return st.tuples(start, lines).map(lambda drawn: (drawn[0] + "".join(drawn[1])).encode())


def mutated(files: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """A file with one byte put in, taken out or changed."""
    byte = st.sampled_from([b" ", b"\t", b"\n", b"\r", b"#", b"\x00", b"\xff", b"\xc3", b"\x1a", b"0", b""])
    place = st.floats(0, 1)
    return st.tuples(files, place, byte, st.booleans()).map(
        lambda d: (lambda at: d[0][:at] + d[2] + d[0][at + d[3] :])(int(d[1] * len(d[0])))
    )


def any_file(kind: str) -> st.SearchStrategy[bytes]:
    plain = regular(kind) | regular(kind, wild=True) | irregular(kind)
    return plain | mutated(plain)


def outcome(read: object, *arguments: object, **options: object) -> object:
    """What a reader gave, or the message of its error."""
    try:
        return read(*arguments, **options)  # type: ignore[operator]
    except (BadInput, NaiveError) as error:
        return str(error)


def same(found: object, expected: object, *, floats: bool) -> None:
    """Compare a reader's outcome with the twin's."""
    if isinstance(expected, str):
        assert found == expected
        return
    assert isinstance(found, (Run, Qrels)), found
    assert bits(found.frame.rows()) == bits(expected.rows)  # type: ignore[attr-defined]
    assert [(odd.kind, odd.count) for odd in found.oddities] == expected.oddities  # type: ignore[attr-defined]
    assert getattr(found, "name", "") == expected.name  # type: ignore[attr-defined]
    assert np.array_equal(found.keys, row_keys(found.frame))
    assert found.frame.dtypes[-1] == (pl.Float64 if floats else pl.Int64)


def check_run(raw: bytes, ranks: bool) -> None:
    expected = outcome(naive_read, "f", raw, "run", ranks=ranks)
    same(outcome(lambda: parse_run(text_of(raw, "f"), with_ranks=ranks)), expected, floats=True)


def naive_qrels(raw: bytes) -> object:
    """The twin's judgments, whole where all grades are whole."""
    naive = naive_read("f", raw, "qrels")
    if all(grade == int(grade) for _, _, grade in naive.rows):
        naive.rows = [(topic, doc, int(grade)) for topic, doc, grade in naive.rows]
    return naive


@settings(max_examples=250, deadline=None)
@given(any_file("run"), st.booleans())
@example(b"1 Q0 a 1 1 t\n1 Q0 b 2 1 t x\n1 Q0 c 3 1\n", False)
@example(b"1 Q0 a 1 1 t x 1 Q0\n", False)
@example(b"1 Q0 a 1 1 t x\n1 Q0 b 1\n", False)
@example(b"1 Q0 a 1 1 t x y\n1 Q0 b 1 \n", False)
@example(b"1  Q0 a 1 1\n", False)
@example(b"1 Q0 a 1 1 t\n# Q0 b 1 1 t\n", False)
@example(b"1\x0bQ0 a 1 1 t\n", False)
@example(b" 1 Q0 a 1 1\n", False)
@example(b"1 Q0 a one 1 t\n", False)
@example(b"1 Q0 a one 1 t\n", True)
@example(b"\xef\xbb\xbf1 Q0 a\xff 1 1 t\n", False)
def test_runs_read_as_the_twin_reads_them(raw: bytes, ranks: bool) -> None:
    check_run(raw, ranks)


@settings(max_examples=200, deadline=None)
@given(any_file("qrels"))
@example(b"1 0 a 1\n1 0 b 0.5\n")
@example(b"1 0 a 1\n1 0 b 2.0\n")
@example(b"1 0 a 1\n1 0 a 1\n")
@example(b"1 0 a 1 9\n1 0 b\n")
@example(b"\x00\xbb\xbf")
@example(b"1 0 a 1\n#1 0 a 1\n")
def test_qrels_read_as_the_twin_reads_them(raw: bytes) -> None:
    expected = outcome(naive_qrels, raw)
    floats = not isinstance(expected, str) and isinstance(expected.rows[0][2], float)  # type: ignore[attr-defined]
    same(outcome(lambda: parse_qrels(text_of(raw, "f"))), expected, floats=floats)


@pytest.mark.parametrize("size", [1, 2, 7])
def test_blocks_and_pieces_of_any_size_read_alike(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trec, "BLOCK", size)
    monkeypatch.setattr(trec, "PIECE", size)

    @settings(max_examples=60, deadline=None)
    @given(any_file("run"))
    @example(b"1  a 1 1 t\n")  # two blanks on either side of a block's end, and six in the line
    @example(b"1 Q0 a 1 1 t\n1 Q0 b  2 1 t\n")
    def check(raw: bytes) -> None:
        check_run(raw, False)

    check()


@settings(max_examples=150, deadline=None)
@given(any_file("run"))
def test_what_the_strict_reader_takes_the_tolerant_one_reads_alike(raw: bytes) -> None:
    if isinstance(outcome(text_of, raw, "f"), str):
        return
    text = text_of(raw, "f")
    data = line_feeds(text.data)
    columns = ("topic", "doc", "score", "tag")
    found = strict(data, RUN, columns)
    if found is not None:
        expected = finish_run(tolerant(text, data, RUN, columns))
        assert bits(found[0].drop("tag").rows()) == bits(expected.frame.rows())
        assert np.array_equal(found[1], expected.keys)


@settings(max_examples=100, deadline=None)
@given(regular("qrels"))
def test_tolerant_reader_reads_regular_qrels_alike(raw: bytes) -> None:
    text = text_of(raw, "f")
    data = line_feeds(text.data)
    expected = outcome(parse_qrels, text)
    found = outcome(lambda: finish_qrels(tolerant(text, data, QRELS, ("topic", "doc", "grade"))))
    if isinstance(expected, str):
        assert found == expected
    else:
        assert isinstance(found, Qrels)
        assert isinstance(expected, Qrels)
        assert found.frame.equals(expected.frame)


@pytest.mark.parametrize("separator", [" ", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
@pytest.mark.parametrize("block", [trec.BLOCK, 7])
def test_regular_files_are_read_fast(separator: str, end: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trec, "BLOCK", block)
    lines = [separator.join(["1", "Q0", f"d#{n}", str(n), f"{1 / (n + 1)!r}", "bm25"]) for n in range(50)]
    raw = (end or "\n").join(lines).encode() + end.encode()
    assert strict(line_feeds(raw), RUN, ("topic", "doc", "score", "tag")) is not None


@pytest.mark.parametrize(
    "raw",
    [
        b"1 Q0 a 1 1 t x\n1 Q0 b 1 1\n",  # one column too many and one too few even out
        b"1 Q0 a 1 1 t\n\n",
        b"# 1\n1 Q0 a 1 1 t\n",
        b"1 Q0 a 1 1 t \n",
        b"1\tQ0 a 1 1 t\n",
        b"1 Q0 a 1 nan t\n",
        b"1 Q0 a 1 1 t\n1 Q0 a 2 1 t\n",
        b"\x0b1 Q0 a 1 1 t\n",
        b"1 Q0 a\x00 1 1 t\n",
    ],
)
def test_irregular_files_are_left_to_the_tolerant_reader(raw: bytes) -> None:
    assert strict(line_feeds(raw), RUN, ("topic", "doc", "score", "tag")) is None


@settings(max_examples=120, deadline=None)
@given(st.text("0123456789+-.eE_naifNAIFxXdDlL ", min_size=1, max_size=12).filter(lambda t: t.strip() == t))
def test_numbers_are_what_float_takes(token: str) -> None:
    if " " not in token:
        check_run(f"1 Q0 a 1 {token} t\n".encode(), False)
        check_run(f"1 Q0 a {token} 1 t\n".encode(), True)


@settings(max_examples=100, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 40))
def test_scores_are_rounded_as_float_rounds_them(value: float, places: int) -> None:
    for token in (repr(value), f"{value:.{places}e}", f"{value:.{places}f}"):
        check_run(f"1 Q0 a 1 {token} t\n".encode(), False)


def test_keys_of_a_run_and_its_qrels_match() -> None:
    run = parse_run(text_of(b"1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n", "r"))
    qrels = parse_qrels(text_of(b"# c\n2 0 a 1\n1 0 a 0\n", "q"))
    assert run.keys.tolist() == qrels.keys.tolist()[::-1]
    assert run.keys.dtype == np.uint64


def test_different_rows_with_one_key_are_no_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evenscale.files.records.KEY", pl.col("doc").str.len_bytes().cast(pl.UInt64))
    monkeypatch.setattr("evenscale.files.trec.KEY", pl.col("doc").str.len_bytes().cast(pl.UInt64))
    assert parse_run(text_of(b"1 Q0 a 1 1 t\n1 Q0 b 1 1 t\n", "r")).frame.height == 2
