"""`evenscale explain` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from cli.test_cli import Call, call  # noqa: F401


def test_a_page_of_plain_language(call: Call) -> None:  # noqa: F811
    result = call("explain", "AP@5")
    assert result.code == 0
    assert "On which orders is it a scale?" in result.out
    assert "What does that permit?" in result.out


def test_json_of_one_order(call: Call) -> None:  # noqa: F811
    data = json.loads(call("explain", "AP@5", "--order", "weak", "--json").out)
    assert (data["order"], data["ordinal"], data["interval"]) == ("weak", True, False)
    assert data["category"] == "ordinal/pseudometric"
    assert data["recall_base"] is True
    assert data["witness"]["same_value"] == [[1, 0, 0, 0, 0], [0, 1, 0, 1, 0]]


def test_graded_runs(call: Call) -> None:  # noqa: F811
    data = json.loads(call("explain", "nDCG@3", "--grades", "2", "--order", "weak", "--json").out)
    assert data["grades"] == 2
    assert data["witness"]["scale"]["kind"] == "chains"


def test_hasse_diagram_is_drawn(call: Call, tmp_path: Path) -> None:  # noqa: F811
    file = tmp_path / "runs.svg"
    result = call("explain", "P@4", "--order", "weak", "--hasse", str(file))
    assert result.code == 0
    drawing = file.read_text()
    assert drawing.startswith("<svg")
    assert "1010" in drawing


def test_bad_input_says_what_to_do(call: Call, tmp_path: Path) -> None:  # noqa: F811
    for arguments, expected in (
        (("AP@30",), "1,073,741,824 runs, above the budget of 4,096: depth 12 would work"),
        (("AP",), "write AP@5, say"),
        (("P@4", "--hasse", str(tmp_path / "a.txt")), "use one of .svg .png .pdf .html"),
        (("XP@4",), "XP"),
    ):
        result = call("explain", *arguments)
        assert result.code == 2
        assert expected in result.err
    assert not list(tmp_path.iterdir())
