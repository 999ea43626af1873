"""Every bad input, with the exact words that the user sees."""

from __future__ import annotations

import bz2
import gzip
import io
from pathlib import Path

import polars as pl
import pytest
import zstandard

from evenscale.errors import BadFile, BadInput, BadLine, BadParameter
from evenscale.files import content, read_qrels, read_run, read_runs

LINE = "1 Q0 a 1 0.5 t\n"
LONG = b"".join(f"1 Q0 d{n} {n} {1000 - n} t\n".encode() for n in range(1000))

RUN_LINES = {
    "1 Q0 a 1 0.5\n": "f:1: expected 6 columns (topic Q0 doc rank score tag), found 5",
    LINE + "x\n": "f:2: expected 6 columns (topic Q0 doc rank score tag), found 1",
    "# c\n\n" + LINE + "1 Q0 b 1 abc t\n": "f:4: expected a number as score, found 'abc'",
    "1 Q0 a 1 nan t\n": "f:1: expected a finite score, found 'nan'",
    "1 Q0 a 1 -inf t\n": "f:1: expected a finite score, found '-inf'",
    "1 Q0 a 1 1e999 t\n": "f:1: expected a finite score, found '1e999'",
    "1 Q0 a 1 1_000 t\n": "f:1: expected a number as score, found '1_000'",
    "1 Q0 a 1 0x1F t\n": "f:1: expected a number as score, found '0x1F'",
    f"1 Q0 a 1 {'z' * 70} t\n": f"f:1: expected a number as score, found '{'z' * 60}...'",
    "# c\n" + LINE + "\n2 Q0 a 1 1 t\n" + LINE: "f:5: document 'a' is repeated in topic '1' (first on line 2)",
    LINE + "\r\n" + LINE: "f:3: document 'a' is repeated in topic '1' (first on line 1)",
    "": "f: is empty: expected lines of topic Q0 doc rank score tag",
    "# c\n \n\n": "f: is empty: expected lines of topic Q0 doc rank score tag",
    "\ufeff": "f: is empty: expected lines of topic Q0 doc rank score tag",
    LINE + "1 Q0 \0 1 1 t\n": "f: expected text, found binary data (byte 0x00 at offset 20)",
    "\ufeff" + LINE + "\x1a": "f: expected text, found binary data (byte 0x1a at offset 18)",
    # The first line that is wrong is the one that is reported, whatever is wrong with others.
    "1 Q0 a 1 x t\n1 Q0 a\n": "f:1: expected a number as score, found 'x'",
    "1 Q0 a\n1 Q0 a 1 x t\n": "f:1: expected 6 columns (topic Q0 doc rank score tag), found 3",
}
QRELS_LINES = {
    "1 0 a\n": "f:1: expected 4 columns (topic iter doc grade), found 3",
    "1 0 a 1\n1 0 b 1 2\n": "f:2: expected 4 columns (topic iter doc grade), found 5",
    "1 0 a 1\n\n1 0 b x\n": "f:3: expected a number as grade, found 'x'",
    "1 0 a nan\n": "f:1: expected a finite grade, found 'nan'",
    "1 0 a 1\n1 0 a 1\n": "f:2: document 'a' is repeated in topic '1' (first on line 1)",
    "1 0 a 1\n1 1 a 0\n": "f:2: document 'a' is repeated in topic '1' (first on line 1)",
    "": "f: is empty: expected lines of topic iter doc grade",
}
CSV_LINES = {
    "topic,doc,score\n1,a,x\n": "f.csv:2: expected a number as score, found 'x'",
    "topic,doc,score\n1,a,1\n\n1,b,\n": "f.csv:4: expected a number as score, found nothing",
    "topic,doc,score\n1,a,1\n,b,2\n": "f.csv:3: expected a topic, found nothing",
    "topic,doc,score\n1,a,1\n1\n": "f.csv:3: expected a doc, found nothing",
    "topic,doc,score\n1,a,1,9\n": "f.csv:2: expected 3 columns (topic, doc, score), found 4",
    'topic,doc,score\n1,"a\nb",1\n2,c,2\n2,c,3\n': ("f.csv:5: document 'c' is repeated in topic '2' (first on line 4)"),
    'topic,doc,score\n1,"a,1\n': "f.csv:2: malformed record: unexpected end of data",
    "topic,doc,rank\n1,a,1\n": "f.csv: expected a column score or sim, found topic, doc, rank",
    "a,b\n1,2\n": (
        "f.csv: expected a column topic or query_id or qid or q_id or query or topic_id and a column doc or "
        "doc_id or docno or docid or did and a column score or sim, found a, b"
    ),
    "topic,doc,score\n": "f.csv: is empty: expected rows of topic doc score",
    "": "f.csv: is empty: expected rows of topic doc score",
    "topic,doc,score,tag\n1,a,1,x\n1,b,1,\n": "f.csv:3: expected a tag, found nothing",
    "topic,doc,score,tag\n1,a,1,x\n1,b,1,y\n": (
        "f.csv: holds 2 systems (x, y), expected one; read_runs gives each as a run of its own"
    ),
}
JSON_LINES = {
    '{"topic": 1, "doc": "a", "score": 1}\n\n[1]\n': "f.jsonl:3: expected a JSON object, found '[1]'",
    '{"topic": 1, "doc": "a", "score": 1\n': (
        """f.jsonl:1: expected a JSON object, found '{"topic": 1, "doc": "a", "scor...'"""
    ),
    '{"topic": 1, "doc": "a", "score": "x"}': "f.jsonl:1: expected a number as score, found 'x'",
    '{"topic": 1, "doc": "a", "score": null}': "f.jsonl:1: expected a number as score, found nothing",
    '{"topic": 1, "doc": "a", "score": true}': "f.jsonl:1: expected a number as score, found True",
    '{"topic": 1, "doc": "a", "score": NaN}': "f.jsonl:1: expected a finite score, found nan",
    '{"topic": 0.5, "doc": "a", "score": 1}': ("f.jsonl:1: expected text or a whole number as topic, found 0.5"),
    '{"topic": 1, "doc": "\\ud800", "score": 1}': "f.jsonl:1: expected text as doc, found '\\ud800'",
    '{"topic": 1, "doc": null, "score": 1}': "f.jsonl:1: expected a doc, found nothing",
    '{"topic": 1, "doc": "a", "score": 1}\n{"topic": 1, "score": 2}': (
        "f.jsonl:2: expected a field doc, found topic, score"
    ),
    '{"topic": 1, "doc": "a"}': "f.jsonl: expected a column score or sim, found topic, doc",
    "\n\n": "f.jsonl: is empty: expected rows of topic doc score",
}


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def failing(name: str, data: bytes, read: object = read_run, **options: object) -> str:
    """The message for a file with this content."""
    Path(name).write_bytes(data)
    with pytest.raises(BadInput) as caught:
        read(name, **options)  # type: ignore[operator]
    assert str(caught.value).isprintable()
    return str(caught.value)


@pytest.mark.parametrize(("text", "message"), RUN_LINES.items())
def test_run_lines(text: str, message: str) -> None:
    assert failing("f", text.encode()) == message


@pytest.mark.parametrize(("text", "message"), QRELS_LINES.items())
def test_qrels_lines(text: str, message: str) -> None:
    assert failing("f", text.encode(), read_qrels) == message


@pytest.mark.parametrize(("text", "message"), CSV_LINES.items())
def test_csv_lines(text: str, message: str) -> None:
    assert failing("f.csv", text.encode()) == message


@pytest.mark.parametrize(("text", "message"), JSON_LINES.items())
def test_json_lines(text: str, message: str) -> None:
    assert failing("f.jsonl", text.encode()) == message


@pytest.mark.parametrize("rank", ["x", "1.5", "1_0", "9" * 30])
def test_ranks_are_checked_only_when_asked_for(rank: str) -> None:
    data = f"{LINE}1 Q0 b {rank} 0.5 t\n".encode()
    assert failing("f", data, ranks=True) == f"f:2: expected a whole number as rank, found '{rank}'"
    assert read_run("f").frame.height == 2


def test_line_errors_know_path_and_number() -> None:
    Path("f").write_text("x\n")
    with pytest.raises(BadLine) as caught:
        read_run("f")
    assert (caught.value.path, caught.value.number) == ("f", 1)


PACKED = {
    "gzip": gzip.compress(LONG, mtime=0),
    "bzip2": bz2.compress(LONG),
    "zstd": zstandard.ZstdCompressor(write_checksum=True).compress(LONG),
}


@pytest.mark.parametrize(("name", "data"), PACKED.items())
def test_truncated_stream(name: str, data: bytes) -> None:
    for length in (len(data) - 1, len(data) // 2, 12):
        assert failing("f", data[:length]) == f"f: the {name} stream ends early"


@pytest.mark.parametrize(("name", "data"), PACKED.items())
def test_corrupt_stream(name: str, data: bytes) -> None:
    middle = len(data) // 2
    broken = data[:middle] + bytes(255 - byte for byte in data[middle : middle + 40]) + data[middle + 40 :]
    assert failing("f", broken) in {f"f: the {name} stream is corrupt", f"f: the {name} stream ends early"}


def test_rubbish_after_a_gzip_stream() -> None:
    assert failing("f", PACKED["gzip"] + b"rubbish") == "f: the gzip stream is corrupt"


def test_other_compression_is_binary_data() -> None:
    message = "f.xz: expected text, found binary data (byte 0x00 at offset 5)"
    assert failing("f.xz", b"\xfd7zXZ\x00\x00\x04") == message


def test_utf_16_is_binary_data() -> None:
    assert failing("f", LINE.encode("utf-16-le")) == "f: expected text, found binary data (byte 0x00 at offset 1)"


def test_missing_file() -> None:
    with pytest.raises(BadFile, match=r"^none\.run: no such file$"):
        read_run("none.run")
    Path("f").touch()
    with pytest.raises(BadFile, match=r"^f/g: no such file$"):
        read_run("f/g")


def test_name_that_no_file_can_have() -> None:
    with pytest.raises(BadFile, match=r"^a\\x00b: cannot be read: embedded null byte$"):
        read_run("a\0b")


def test_folder_for_a_file() -> None:
    Path("g").mkdir()
    with pytest.raises(BadFile, match=r"^g: expected a file, found a folder$"):
        read_qrels("g")


def test_no_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(content, "open", refuse, raising=False)
    with pytest.raises(BadFile, match=r"^f: no permission to read it$"):
        read_run("f")


def test_reading_that_fails_half_way(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(io.BytesIO):
        def read(self, *_: object) -> bytes:
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(content, "open", lambda *_: Broken(), raising=False)
    with pytest.raises(BadFile, match=r"^f: cannot be read: input/output error$"):
        read_run("f")


def test_damaged_parquet() -> None:
    frame = pl.DataFrame({"topic": ["1"] * 99, "doc": [str(n) for n in range(99)], "score": [1.0] * 99})
    frame.write_parquet("ok.parquet")
    data = Path("ok.parquet").read_bytes()
    for damaged in (data[:-9], b"PAR1", b"no parquet at all"):
        assert failing("f.parquet", damaged) == "f.parquet: is not a Parquet file, or a damaged one"
    assert failing("f.parquet", b"") == "f.parquet: is empty: expected rows of topic doc score"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"doc": ["a", "a"]}, "f.parquet: row 2: document 'a' is repeated in topic '1' (first in row 1)"),
        ({"doc": ["a", None]}, "f.parquet: row 2: expected a doc, found nothing"),
        ({"doc": [1.5, 2.5]}, "f.parquet: expected text or whole numbers as doc, found Float64"),
        ({"score": [1.0, float("nan")]}, "f.parquet: row 2: expected a finite score, found nan"),
        ({"score": [True, False]}, "f.parquet: expected numbers as score, found Boolean"),
        ({"score": [1.0, None]}, "f.parquet: row 2: expected a number as score, found nothing"),
    ],
)
def test_parquet_rows(columns: dict[str, list[object]], message: str) -> None:
    frame = pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "score": [1.0, 2.0]} | columns, strict=False)
    out = io.BytesIO()
    frame.write_parquet(out)
    assert failing("f.parquet", out.getvalue()) == message


MEMORY = [
    ({"1": {"a": "x"}}, "run: topic '1', document 'a': expected a number as score, found 'x'"),
    ({"1": {"a": float("inf")}}, "run: topic '1', document 'a': expected a finite score, found inf"),
    ({"1": {"a": 10**400}}, "run: topic '1', document 'a': expected a finite score, found inf"),
    ({"1": {"a": None}}, "run: topic '1', document 'a': expected a number as score, found nothing"),
    ({"1": {"a": 1}, 1: {"a": 2}}, "run: topic '1', document 'a': document 'a' is repeated in topic '1' "),
    ({"1": {1.5: 1}}, "run: topic '1', document '1.5': expected text or a whole number as doc, found 1.5"),
    ({"1": 3}, "run: topic '1': expected a dictionary from documents to scores, found int"),
    ({"1": {"": 1}}, "run: topic '1', document '': expected a doc, found nothing"),
    ({"1": {}}, "run: is empty"),
    ({}, "run: is empty"),
    ([], "run: is empty"),
    ([1, 2], "run: row 1: expected a row with named fields, found int"),
    (
        pl.DataFrame({"a": [1]}),
        "run: expected a column topic or query_id or qid or q_id or query or topic_id and",
    ),
    (
        pl.DataFrame(),
        "run: expected a column topic or query_id or qid or q_id or query or topic_id and a colum",
    ),
    (
        pl.DataFrame({"topic": [1, 1], "doc": [2, 2], "score": [1, 2]}),
        "run: row 2: document '2' is repeated in topic '1' (first in row 1)",
    ),
    (
        pl.DataFrame({"topic": [1, 1], "doc": [2, 3], "score": [1, 2], "tag": ["x", "y\n"]}),
        "run: holds 2 systems (x, y\\n), expected one; read_runs gives each as a run of its own",
    ),
]


@pytest.mark.parametrize(("source", "message"), MEMORY, ids=[message[5:40] for _, message in MEMORY])
def test_sources_in_memory(source: object, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_run(source)
    assert str(caught.value).startswith(message)
    with pytest.raises(BadInput) as caught:
        read_run(source, name="bm25")
    assert str(caught.value).startswith("run 'bm25': " + message.removeprefix("run: "))


def test_qrels_in_memory_say_so() -> None:
    with pytest.raises(BadInput, match=r"^qrels: topic '1', document 'a': expected a number as grade, found nothing$"):
        read_qrels({"1": {"a": None}})


@pytest.mark.parametrize("read", [read_qrels, read_run, read_runs])
@pytest.mark.parametrize("source", [None, 3, b"x.run"])
def test_what_is_no_source(read: object, source: object) -> None:
    with pytest.raises(BadParameter, match=r"expected a path, table, dictionary or .*, found (NoneType|int|bytes)$"):
        read(source)  # type: ignore[operator]
