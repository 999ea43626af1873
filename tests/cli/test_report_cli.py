"""`evenscale report`, as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.test_cli import Call, call, campaign  # noqa: F401 - fixtures
from report.parsed import Parsed


def test_report_says_where_the_page_is(call: Call, campaign: Path) -> None:  # noqa: F811
    answer = call("report", "qrels.txt", "runs", "-m", "P@2", "--title", "Two runs", "--date", "1 May", "-o", "x.html")
    assert answer.code == 0
    assert answer.out.startswith("wrote x.html (")
    assert "topic q2 is not in the run and scores 0" in answer.err
    read = Parsed((campaign / "x.html").read_text())
    assert read.tables["board"].column(0) == ["good", "poor"]
    assert "Two runs" in (campaign / "x.html").read_text()
    assert "1 May" in (campaign / "x.html").read_text()


def test_report_states_its_input_and_options(call: Call, campaign: Path) -> None:  # noqa: F811
    import hashlib

    call("report", "qrels.txt", "runs", "-m", "P@2", "--test", "sign", "--alpha", "0.1", "--depth", "5", "-q")
    data = json.loads(Parsed((campaign / "report.html").read_text()).texts["data"])
    assert data["test"]["name"] == "sign"
    assert data["test"]["alpha"] == 0.1
    assert data["about"]["policy"]["depth"] == 5
    expected = hashlib.sha256((campaign / "qrels.txt").read_bytes()).hexdigest()
    assert data["about"]["files"][0]["sha256"] == expected


def test_report_on_the_sample(call: Call, tmp_path: Path) -> None:  # noqa: F811
    answer = call("report", "--sample", "-m", "P@5", "-o", tmp_path / "sample.html")
    assert answer.code == 0
    assert len(Parsed((tmp_path / "sample.html").read_text()).tables["board"].rows) == 24
    assert "larch: topic 217 is not in the run" in answer.err


def test_report_writes_figures(call: Call, campaign: Path) -> None:  # noqa: F811
    answer = call("report", "qrels.txt", "runs", "-m", "P@2", "--figures", "figures", "-q")
    assert answer.code == 0
    written = sorted(path.suffix for path in (campaign / "figures").iterdir())
    assert f"wrote {len(written)} files in figures" in answer.out
    assert set(written) == {".svg", ".png", ".pdf"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["report", "qrels.txt", "runs", "-m", "Foo"], "error: no measure is called 'Foo'"),
        (["report", "nowhere.txt", "runs"], "error: nowhere.txt: no such file"),
        (["report", "qrels.txt", "runs", "--alpha", "2"], "error: alpha must lie in (0, 1), got 2.0"),
        (
            ["report", "qrels.txt", "runs", "-m", "P@2", "-o", "nofolder/x.html"],
            "error: nofolder/x.html: no such folder",
        ),
    ],
)
def test_bad_calls_write_nothing(call: Call, campaign: Path, words: list[str], said: str) -> None:  # noqa: F811
    before = sorted(campaign.rglob("*"))
    answer = call(*words)
    assert answer.code == 2
    assert answer.err.startswith(said)
    assert answer.err.count("\n") == 1
    assert sorted(campaign.rglob("*")) == before


def test_report_needs_a_campaign(call: Call) -> None:  # noqa: F811
    assert "Missing arguments: QRELS and RUN..., or --sample." in call("report").err
    assert "Give either --sample or QRELS and RUN..." in call("report", "q", "r", "--sample").err
