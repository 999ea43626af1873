"""Hasse diagrams: where the runs stand and which lines are drawn."""

from __future__ import annotations

from itertools import pairwise

import polars as pl
import pytest

from evenscale.report.hasse import NAMED, bent, hasse, places, shades

NODES = pl.DataFrame({"node": [0, 1, 2], "label": ["00", "<b>", "11"], "level": [0, 1, 2], "relevant": [0, 1, 2]})
EDGES = pl.DataFrame({"low": [0, 1], "high": [1, 2]})


def drawn(chart: object) -> dict[str, object]:
    return chart.to_dict()  # type: ignore[attr-defined, no-any-return]


def test_every_run_and_every_line_is_drawn() -> None:
    chart = drawn(hasse(NODES, EDGES, title="a title"))
    lines, dots, names = chart["layer"]  # type: ignore[misc]
    rows = chart["datasets"]
    assert {row["line"] for row in rows[lines["data"]["name"]]} == {0, 1}  # type: ignore[index]
    assert [row["label"] for row in rows[dots["data"]["name"]]] == ["00", "<b>", "11"]  # type: ignore[index]
    assert names["mark"]["type"] == "text"


def test_many_runs_are_drawn_as_dots_without_names() -> None:
    many = NAMED + 1
    nodes = pl.DataFrame({"node": range(many), "label": ["0" * 9] * many, "level": range(many), "relevant": [0] * many})
    edges = pl.DataFrame({"low": range(many - 1), "high": range(1, many)})
    assert len(drawn(hasse(nodes, edges, title="t"))["layer"]) == 2  # type: ignore[arg-type]


def test_nodes_of_a_level_stand_apart_and_centred() -> None:
    levels = [0, 1, 1, 1, 2]
    edges = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)]
    across = places(levels, edges)
    assert sorted(across[1:4]) == [-1.0, 0.0, 1.0]
    assert across[0] == across[4] == 0.0


def test_places_uncross_what_can_be_uncrossed() -> None:
    across = places([0, 0, 1, 1], [(0, 3), (1, 2)])
    assert (across[0] - across[1]) * (across[3] - across[2]) > 0


def test_bends_lie_on_every_level_that_a_line_passes() -> None:
    levels, paths = bent([0, 3], [(0, 1)])
    assert [levels[at] for at in paths[0]] == [0, 1, 2, 3]


@pytest.mark.parametrize("count", [1, 2, 5, 9])
def test_shades_darken(count: int) -> None:
    light = [sum(int(colour[k : k + 2], 16) for k in (1, 3, 5)) for colour in shades(count)]
    assert len(set(light)) == count
    assert all(a > b for a, b in pairwise(light))
