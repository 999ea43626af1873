"""The command line as a user meets it: output, files, exit codes, one-line errors."""

from __future__ import annotations

import gzip
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest

from evenscale.cli import main

QRELS = "q1 0 a 1\nq1 0 b 0\nq1 0 c 2\nq2 0 d 1\n"
GOOD = "q1 Q0 c 1 2.0 good\nq1 Q0 a 2 1.0 good\nq2 Q0 d 1 1.0 good\n"
POOR = "q1 Q0 b 1 2.0 poor\nq1 Q0 a 2 1.0 poor\n"


class Answer(NamedTuple):
    """What a command said."""

    code: int
    out: str
    err: str


Call = Callable[..., Answer]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*words: str | Path) -> Answer:
        monkeypatch.setattr(sys, "argv", ["evenscale", *map(str, words)])
        code = 0
        try:
            main()
        except SystemExit as done:
            code = int(done.code or 0)
        out, err = capsys.readouterr()
        return Answer(code, out, err)

    return run


@pytest.fixture
def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "good.run").write_text(GOOD)
    (tmp_path / "runs" / "poor.run").write_text(POOR)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_evaluate_prints_a_table_sorted_by_the_first_measure(call: Call, campaign: Path) -> None:
    answer = call("evaluate", "qrels.txt", "runs/poor.run", "runs/good.run", "-m", "AP", "-m", "nDCG@2")
    assert answer.code == 0
    assert answer.out == "run       AP  nDCG@2\ngood  1.0000  1.0000\npoor  0.1250  0.1199\n"
    first, second = answer.err.splitlines()
    assert first == "note: poor: topic q2 is not in the run and scores 0"
    assert second.startswith("note: means need an interval scale")


def test_folder_glob_and_quiet(call: Call, campaign: Path) -> None:
    first = call("evaluate", "qrels.txt", "runs", "-m", "AP", "-q")
    assert first == call("evaluate", "qrels.txt", "runs/*.run", "-m", "AP", "--quiet")
    assert first.err == ""


def test_per_topic(call: Call, campaign: Path) -> None:
    lines = call("evaluate", "qrels.txt", "runs", "-m", "AP", "--per-topic").out.splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["run", "topic", "AP"],
        ["good", "q1", "1.0000"],
        ["good", "q2", "1.0000"],
    ]


def test_json_holds_numbers_policy_and_oddities(call: Call, campaign: Path) -> None:
    data = json.loads(call("evaluate", "qrels.txt", "runs", "-m", "AP", "--json", "--per-topic").out)
    assert data["runs"] == [{"run": "good", "AP": 1.0}, {"run": "poor", "AP": 0.125}]
    assert data["scores"][0] == {"run": "good", "topic": "q1", "AP": 1.0}
    assert data["policy"]["ties"] == "trec_eval"
    assert data["oddities"][0]["kind"] == "missing topic"


def test_csv_latex_markdown(call: Call, campaign: Path) -> None:
    assert call("evaluate", "qrels.txt", "runs", "-m", "AP", "--csv").out == "run,AP\ngood,1.0\npoor,0.125\n"
    assert "\\bottomrule" in call("evaluate", "qrels.txt", "runs", "-m", "AP", "--latex").out
    assert "|:-" in call("evaluate", "qrels.txt", "runs", "-m", "AP", "--markdown").out


@pytest.mark.parametrize("suffix", ["json", "csv", "tex", "md", "html", "txt"])
def test_output_file_in_the_format_of_its_suffix(call: Call, campaign: Path, suffix: str) -> None:
    answer = call("evaluate", "qrels.txt", "runs", "-m", "AP", "-o", f"scores.{suffix}")
    text = (campaign / f"scores.{suffix}").read_text()
    assert answer.out == ""
    assert f"wrote scores.{suffix}" in answer.err
    assert {
        "json": '"AP": 1.0',
        "csv": "run,AP",
        "tex": "\\toprule",
        "md": "| run",
        "html": "<table>",
        "txt": "run ",
    }[suffix] in text
    assert sorted(p.name for p in campaign.iterdir()) == sorted(["qrels.txt", "runs", f"scores.{suffix}"])


def test_hostile_names_stay_text_in_html(call: Call, campaign: Path) -> None:
    (campaign / "runs" / "evil.run").write_text("q1 Q0 a 1 1 <script>alert(1)</script>\n")
    call("evaluate", "qrels.txt", "runs", "-m", "AP", "-o", "page.html")
    page = (campaign / "page.html").read_text()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_measures_lists_the_table(call: Call) -> None:
    from evenscale.measures import MEASURES

    answer = call("measures")
    assert answer.code == 0
    assert len(answer.out.splitlines()) == len(MEASURES) + 1
    assert {row["name"] for row in json.loads(call("measures", "--json").out)["measures"]} == {m.name for m in MEASURES}


def test_sample_writes_a_campaign_that_evaluates(call: Call, tmp_path: Path) -> None:
    assert call("sample", tmp_path / "campaign").code == 0
    answer = call("evaluate", tmp_path / "campaign" / "qrels.txt", tmp_path / "campaign" / "runs", "-m", "AP")
    assert answer.code == 0
    assert len(answer.out.splitlines()) == 25
    assert "larch: topic 217 is not in the run and scores 0" in answer.err


# --- bad input: one line, file and line number, exit code 2, nothing half written -----------------------------------


def bad_file(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


BAD_RUNS = {
    "wrong columns": (b"q1 Q0 a 1 1.0 t\nq1 Q0 b 2 0.5\n", ":2: expected 6 columns"),
    "nan score": (b"q1 Q0 a 1 1.0 t\nq1 Q0 b 2 nan t\n", ":2: expected a finite score, found 'nan'"),
    "text score": (b"q1 Q0 a 1 high t\n", ":1: expected a number as score, found 'high'"),
    "repeated document": (
        b"q1 Q0 a 1 1.0 t\n# note\nq1 Q0 a 2 0.5 t\n",
        ":3: document 'a' is repeated in topic 'q1'",
    ),
    "empty file": (b"", "is empty"),
    "only comments": (b"# nothing\n\n", "is empty"),
    "binary file": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "binary"),
    "truncated gzip": (gzip.compress(GOOD.encode() * 50)[:-20], "gzip"),
}


@pytest.mark.parametrize("case", BAD_RUNS)
def test_bad_runs(call: Call, campaign: Path, case: str) -> None:
    content, words = BAD_RUNS[case]
    path = bad_file(campaign, "bad.run", content)
    answer = call("evaluate", "qrels.txt", path, "-m", "AP", "-o", "out.csv")
    assert answer.code == 2
    assert answer.err.count("\n") == 1
    assert answer.err.startswith("error: ")
    assert "bad.run" in answer.err
    assert words in answer.err
    assert not (campaign / "out.csv").exists()


BAD_QRELS = {
    "wrong columns": (b"q1 0 a 1\nq1 0 b\n", ":2: expected 4 columns"),
    "too many columns": (b"q1 0 a 1 x\n", ":1: expected 4 columns"),
    "text grade": (b"q1 0 a yes\n", ":1: expected a number as grade"),
    "repeated document": (b"q1 0 a 1\nq1 0 a 1\n", ":2: document 'a' is repeated in topic 'q1'"),
    "empty file": (b"", "is empty"),
}


@pytest.mark.parametrize("case", BAD_QRELS)
def test_bad_qrels(call: Call, campaign: Path, case: str) -> None:
    content, words = BAD_QRELS[case]
    answer = call("evaluate", bad_file(campaign, "bad.qrels", content), "runs", "-m", "AP")
    assert answer.code == 2
    assert answer.err.count("\n") == 1
    assert "bad.qrels" in answer.err
    assert words in answer.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["evaluate", "qrels.txt", "runs", "-m", "Foo@10"], "error: no measure is called 'Foo'"),
        (["evaluate", "qrels.txt", "runs", "-m", "RBP(p=1.5)"], "error: RBP: p must lie in (0, 1), got 1.5"),
        (["evaluate", "nowhere.txt", "runs"], "error: nowhere.txt: no such file"),
        (["evaluate", "qrels.txt", "nowhere"], "error: nowhere: no such file"),
        (["evaluate", "qrels.txt", "no*match"], "error: no*match: no file matches"),
        (["evaluate", "qrels.txt", "runs", "-o", "x.pdf"], "error: cannot tell the format of 'x.pdf'"),
        (["evaluate", "qrels.txt", "runs", "-o", "nofolder/x.csv"], "error: nofolder/x.csv: "),
        (
            ["evaluate", "qrels.txt", "runs", "--unjudged", "upper", "-m", "Bpref"],
            "error: Bpref has no lower",
        ),
    ],
)
def test_bad_calls(call: Call, campaign: Path, words: list[str], said: str) -> None:
    answer = call(*words)
    assert answer.code == 2
    assert answer.err.startswith(said)
    assert answer.err.count("\n") == 1


def test_unknown_command_and_option(call: Call) -> None:
    answer = call("evalute")
    assert answer.code == 2
    assert "Did you mean 'evaluate'?" in answer.err
    assert call("evaluate", "--nope").code == 2


def test_help_imports_nothing_heavy() -> None:
    """`--help` must answer at once: no NumPy, Polars, Numba or rich behind it."""
    code = (
        "import sys; sys.argv = ['evenscale', '--help']\n"
        "from evenscale.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print(sorted({'numpy', 'polars', 'numba', 'rich', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_closed_pipe_is_no_traceback(campaign: Path) -> None:
    (campaign / "many.txt").write_text("".join(f"q{i} 0 a 1\n" for i in range(30_000)))
    command = f"{sys.executable} -m evenscale evaluate many.txt runs -m AP --per-topic -q | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=campaign)
    assert done.stdout.split() == ["run", "topic", "AP"]
    assert "Traceback" not in done.stderr


def test_table_fits_the_terminal(campaign: Path) -> None:
    """On a terminal of 60 columns no line is longer, and no measure is lost."""
    measures = ["AP", "nDCG@10", "P@10", "RR", "R@1000", "Rprec", "Bpref", "Success@1"]
    command = [sys.executable, "-m", "evenscale", "evaluate", "qrels.txt", "runs", "-q"]
    command += [word for m in measures for word in ("-m", m)]
    master, slave = pty.openpty()
    environment = {**os.environ, "COLUMNS": "60", "NO_COLOR": "1"}
    done = subprocess.run(command, stdout=slave, stderr=subprocess.PIPE, cwd=campaign, env=environment)
    os.close(slave)
    text = os.read(master, 65536).decode()
    os.close(master)
    assert done.returncode == 0, done.stderr
    assert max(len(line) for line in text.splitlines()) <= 60
    assert all(m in text for m in measures)


def test_parquet_and_jsonl_runs(call: Call, campaign: Path) -> None:
    frame = pl.DataFrame({"query_id": ["q1", "q1"], "doc_id": ["c", "a"], "score": [2.0, 1.0], "run": ["x", "x"]})
    frame.write_parquet(campaign / "x.parquet")
    frame.write_ndjson(campaign / "x.jsonl")
    one = call("evaluate", "qrels.txt", "x.parquet", "-m", "AP").out
    assert one == call("evaluate", "qrels.txt", "x.jsonl", "-m", "AP").out
    assert one.splitlines()[1].split() == ["x", "0.5000"]
