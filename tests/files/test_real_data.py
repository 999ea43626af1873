"""Real campaigns: TREC-8's submitted runs and trec_eval's own test files."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from evenscale.errors import BadLine
from evenscale.files import read_qrels, read_run, read_runs
from files.naive import naive_read

DATA = Path(__file__).parents[2] / "../shared/data"
TREC8 = DATA / "trec8"
TREC_EVAL = DATA / "trec_eval"
needs_trec8 = pytest.mark.skipif(not TREC8.is_dir(), reason="the TREC-8 runs are not on this machine")
needs_trec_eval = pytest.mark.skipif(not TREC_EVAL.is_dir(), reason="trec_eval's test files are not on this machine")


@needs_trec8
def test_all_trec8_runs_have_all_their_lines() -> None:
    files = sorted((TREC8 / "runs").iterdir())
    runs = list(read_runs(TREC8 / "runs"))
    assert len(runs) == len(files) == 129
    assert [run.path for run in runs] == [str(path) for path in files]
    lines = [gzip.decompress(path.read_bytes()).count(b"\n") for path in files]
    assert [run.frame.height for run in runs] == lines
    assert len({run.name for run in runs}) == 129


@needs_trec8
@pytest.mark.parametrize("name", ["uwmt8a0", "READWARE2", "ok8alx", "Dm8Nbn"])
def test_trec8_runs_read_as_the_twin_reads_them(name: str) -> None:
    path = TREC8 / "runs" / f"input.{name}.gz"
    naive = naive_read(str(path), gzip.decompress(path.read_bytes()), "run")
    run = read_run(path)
    assert (run.name, run.frame.rows()) == (naive.name, naive.rows)


@needs_trec8
def test_trec8_qrels() -> None:
    qrels = read_qrels(TREC8 / "qrels.trec8.adhoc.gz")
    assert qrels.frame.height == 86_830
    assert qrels.frame["topic"].n_unique() == 50
    assert set(qrels.frame["grade"].unique()) == {0, 1}


def data_lines(path: Path) -> int:
    """Lines that are neither blank nor comments."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    return sum(bool(line.strip()) and not line.lstrip().startswith("#") for line in text.split("\n"))


@needs_trec_eval
@pytest.mark.parametrize(
    ("name", "rows", "kinds"),
    [
        ("results.test", 1500, []),
        ("results-302.test", 500, []),
        ("results.trunc", 584, ["extra text"]),
        ("results.comment.test.gz", 30_100, []),
        ("prefs.results.test", 480, []),
    ],
)
def test_trec_eval_results(name: str, rows: int, kinds: list[str]) -> None:
    run = read_run(TREC_EVAL / name)
    assert run.frame.height == rows == data_lines(TREC_EVAL / name)
    assert [oddity.kind for oddity in run.oddities] == kinds


@needs_trec_eval
@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("qrels.test", 3681),
        ("qrels.test.with-comments", 3681),
        ("qrels.rel_level", 3681),
        ("qrels-302.test", 1061),
        ("qrels.comment.test", 5890),
    ],
)
def test_trec_eval_qrels(name: str, rows: int) -> None:
    qrels = read_qrels(TREC_EVAL / name)
    assert qrels.frame.height == rows == data_lines(TREC_EVAL / name)


@needs_trec_eval
def test_comments_change_nothing_but_a_hash_in_a_document_does() -> None:
    plain, commented = (read_qrels(TREC_EVAL / name) for name in ("qrels.test", "qrels.test.with-comments"))
    different = (plain.frame["doc"] != commented.frame["doc"]).arg_true().to_list()
    assert different == [4]
    assert commented.frame["doc"][4].replace("#", "") == plain.frame["doc"][4]
    assert commented.frame.drop("doc").equals(plain.frame.drop("doc"))


@needs_trec_eval
def test_groups_of_judgments_repeat_documents() -> None:
    with pytest.raises(BadLine, match=r"qrels\.comments\.123:3685: document .* is repeated in topic '301'"):
        read_qrels(TREC_EVAL / "qrels.comments.123")
