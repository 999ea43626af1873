"""`evenscale compare`, as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.test_cli import Call, call  # noqa: F401 - a fixture

MATRIX = "topic,good,fair,poor\n" + "".join(
    f"t{i},{0.6 + i % 3 / 50:.2f},{0.4 + i % 4 / 50:.2f},{0.1 + i % 5 / 50:.2f}\n" for i in range(20)
)


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    path.write_text(MATRIX)
    return path


def test_compare_groups_systems_into_tiers(call: Call, matrix: Path) -> None:  # noqa: F811
    lines = call("compare", "--matrix", matrix).out.splitlines()
    assert lines[0].endswith("3 of 3 pairs differ")
    assert [line.split() for line in lines[2:]] == [
        ["tier", "system", "mean", "beats", "group"],
        ["1", "good", "0.6190", "2", "a"],
        ["2", "fair", "0.4300", "1", "b"],
        ["3", "poor", "0.1400", "0", "c"],
    ]


def test_compare_in_every_format(call: Call, matrix: Path) -> None:  # noqa: F811
    data = json.loads(call("compare", "--matrix", matrix, "--json").out)
    assert data["significant"] == 3
    assert data["systems"][0]["system"] == "good"
    assert call("compare", "--matrix", matrix, "--csv").out.startswith("tier,system,mean")
    assert "\\toprule" in call("compare", "--matrix", matrix, "--latex").out
    assert call("compare", "--matrix", matrix, "--pairs", "--csv").out.startswith("system,other,difference")


def test_compare_with_a_baseline_and_a_correction(call: Call, matrix: Path) -> None:  # noqa: F811
    out = call("compare", "--matrix", matrix, "--test", "t", "--correction", "holm", "--baseline", "fair").out
    assert "2 of 2 systems differ from fair" in out


def test_compare_shows_the_anova_table(call: Call, matrix: Path) -> None:  # noqa: F811
    out = call("compare", "--matrix", matrix, "--anova").out
    assert [line.split()[0] for line in out.splitlines()[2:]] == ["source", "topic", "system", "error", "total"]


def test_compare_runs(call: Call, tmp_path: Path) -> None:  # noqa: F811
    call("sample", tmp_path / "c")
    answer = call("compare", tmp_path / "c" / "qrels.txt", tmp_path / "c" / "runs", "-m", "RR@10", "--interval", "-q")
    assert answer.code == 0
    assert answer.out.startswith("interval(RR@10), ")
    assert answer.err == ""


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a,b\n0.1,x\n0.2,0.3\n", "line 2: expected a finite number in column 'b', found 'x'"),
        ("a,b\n0.1,\n0.2,0.3\n", "line 2: expected a score in column 'b', found nothing"),
        ("a,b\n0.1,nan\n0.2,0.3\n", "line 2: expected a finite number in column 'b', found 'nan'"),
        ("", "expected a CSV of scores"),
    ],
)
def test_bad_matrices(call: Call, tmp_path: Path, content: str, said: str) -> None:  # noqa: F811
    path = tmp_path / "bad.csv"
    path.write_text(content)
    answer = call("compare", "--matrix", path)
    assert answer.code == 2
    assert said in answer.err
    assert "bad.csv" in answer.err
    assert answer.err.count("\n") == 1


def test_bad_calls(call: Call, matrix: Path) -> None:  # noqa: F811
    assert call("compare").code == 2
    assert call("compare", "q", "r", "--matrix", matrix).code == 2
    assert "alpha must lie in (0, 1)" in call("compare", "--matrix", matrix, "--alpha", "2").err
    assert "no such file" in call("compare", "--matrix", "nowhere.csv").err
