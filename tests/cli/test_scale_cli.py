"""`evenscale scale` and `evenscale rank`, as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.test_cli import Call, call  # noqa: F401 - a fixture
from evenscale.cli.evaluate import INTERVAL_MEASURES


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("EVENSCALE_CACHE", str(folder))
    return folder


def test_scale_says_what_a_person_wants_to_know(call: Call) -> None:  # noqa: F811
    answer = call("scale", "AP@10")
    assert answer.code == 0
    assert "distinct values           810" in answer.out
    assert "equally spaced            no" in answer.out
    assert "a surrogate" in answer.out
    assert "place" in answer.out.splitlines()[-1]


def test_scale_as_json(call: Call) -> None:  # noqa: F811
    data = json.loads(call("scale", "RBP(p=0.5)@8", "--grades", "2", "--json").out)
    assert (data["runs"], data["grades"], data["exact"]) == (6561, 2, True)
    assert data["values"] == 511  # halves, quarters, ...: sums of two such


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf", "html"])
def test_scale_draws_a_figure(call: Call, tmp_path: Path, suffix: str) -> None:  # noqa: F811
    path = tmp_path / f"scale.{suffix}"
    assert call("scale", "RR@4", "--figure", path, "--json").code == 0
    head = path.read_bytes()[:200]
    assert {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!DOCTYPE"}[suffix].lower() in head.lower()


def test_rank_gives_value_rank_and_score(call: Call) -> None:  # noqa: F811
    data = json.loads(call("rank", "DCG(dcg='jk',base=2)@4", "1,0,0,1", "--json").out)
    assert (data["rank"], data["of"], round(data["score"], 4)) == (6, 12, 0.4545)
    assert json.loads(call("rank", "P@4", "1 0 0 1", "--ties", "mid", "--json").out)["rank"] == 8.5


def test_rank_says_when_a_run_is_filled_up(call: Call) -> None:  # noqa: F811
    assert "filled up with non-relevant" in call("rank", "P@4", "1").err
    assert "cut" in call("rank", "P@2", "1,0,1").err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["scale", "AP"], "error: AP has no scale until its runs have a length: write AP@10, say"),
        (["rank", "P@4", "1,x"], "error: a run is whole grades separated by commas, like 1,0,0,1; got '1,x'"),
        (["rank", "P@4", "2,0"], "error: P@4: grades must be 0 to 1, found 2"),
        (["scale", "P@4", "--figure", "x.gif"], "error: cannot draw to 'x.gif'"),
    ],
)
def test_bad_calls(call: Call, words: list[str], said: str) -> None:  # noqa: F811
    answer = call(*words)
    assert answer.code == 2
    assert answer.err.startswith(said)


def test_scale_needs_something_to_do(call: Call) -> None:  # noqa: F811
    assert call("scale").code == 2


def test_scales_on_disk_are_listed_and_cleared(call: Call, own_cache: Path) -> None:  # noqa: F811
    call("scale", "AP@24", "--json")
    listed = json.loads(call("scale", "--list", "--json").out)["scales"]
    assert any(row["measure"] == "AP@24" and row["where"] == "cache" for row in listed)
    assert call("scale", "--clear").code == 0
    left = json.loads(call("scale", "--list", "--json").out)["scales"]
    assert not any(row["where"] == "cache" for row in left)


def test_evaluate_adds_interval_versions(call: Call, tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "q").write_text("q1 0 a 1\nq1 0 b 1\n")
    (tmp_path / "r").write_text("q1 Q0 x 1 2 t\nq1 Q0 a 2 1 t\n")
    data = json.loads(call("evaluate", tmp_path / "q", tmp_path / "r", "-m", "RR@4", "--interval", "--json").out)
    assert data["measures"] == ["RR@4", "interval(RR@4)"]
    assert data["runs"] == [{"run": "t", "RR@4": 0.5, "interval(RR@4)": 0.75}]
    assert all("@" in m for m in INTERVAL_MEASURES)
