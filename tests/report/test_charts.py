"""Charts draw the rows they are given, and nothing else; sketches keep to their frame."""

from __future__ import annotations

import json

import pytest

from evenscale.errors import BadParameter
from evenscale.report.charts import save, scale_curve, scale_ladder
from evenscale.report.sketch import sketch
from evenscale.scales import interval_scale


def data_of(chart) -> list[list[dict]]:
    specification = json.loads(chart.to_json())
    shared = specification.get("data")
    return [specification["datasets"][layer.get("data", shared)["name"]] for layer in specification["layer"]]


def test_curve_holds_the_scale_s_own_values() -> None:
    scale = interval_scale("AP@5")
    curve = scale.curve()
    assert curve.height == scale.size == 31
    assert data_of(scale_curve(curve, title="AP@5"))[1] == curve.to_dicts()


def test_ladder_names_every_run_once() -> None:
    scale = interval_scale("RBP(p=0.8)@4")
    ladder = scale.ladder()
    names = " ".join(ladder["runs"].to_list()).split()
    assert sorted(names) == sorted("".join(map(str, run)) for run in scale.universe.runs())
    rows = data_of(scale_ladder(ladder, title="RBP"))[0]
    assert [row["value"] for row in rows] == ladder["value"].to_list()
    labels = [row["label"] for row in rows]
    assert labels == sorted(labels)


def test_large_ladders_are_refused() -> None:
    with pytest.raises(BadParameter, match="at most 256 runs"):
        interval_scale("P@9").ladder()


def test_unknown_suffix_writes_nothing(tmp_path) -> None:
    with pytest.raises(BadParameter, match="cannot draw"):
        save(scale_curve(interval_scale("P@3").curve(), title="P"), tmp_path / "x.gif")
    assert not list(tmp_path.iterdir())


def test_sketch_keeps_to_its_frame() -> None:
    lines = sketch([0, 0.5, 1], [0, 1, 0.2], across="x", up="y", width=20, height=5).splitlines()
    assert len(lines) == 9
    assert max(map(len, lines)) <= 20 + 4
    assert sketch([1], [1], across="x", up="y")
