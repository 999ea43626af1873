"""Hasse diagrams: runs at the height of their rank, joined where one covers the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import polars as pl

from evenscale.report.theme import INK, QUIET, TEXT, heading, themed

BESIDE = 8
"""Labels longer than this, as of several runs that are equal, stand beside their dot."""
NAMED = 200
"""So many runs are drawn with their names; more are drawn as dots."""
PALE = "#eef3f7"
_SWEEPS = 12


def hasse(nodes: pl.DataFrame, edges: pl.DataFrame, *, title: str, subtitle: str = "") -> Any:
    """A Hasse diagram (Ferrante, Ferro and Fuhr 2021, Figure 2).

    `nodes` has a row per run: `node` (0, 1, ...), `label`, `level` (its height), `relevant` (how many documents are,
    which gives the colour); `edges` has `low` and `high`, the numbers of runs of which the second covers the first.
    """
    import altair as alt

    levels, paths = bent(nodes["level"].to_list(), list(edges.select("low", "high").iter_rows()))
    across = places(levels, [step for path in paths for step in pairwise(path)])
    laid = nodes.with_columns(x=pl.Series(across[: nodes.height], dtype=pl.Float64))
    named = laid.height <= NAMED
    longest = max((len(label) for label in nodes["label"].to_list()), default=1)
    beside = longest > BESIDE
    radius = (6.0 if beside else 6 + 3.2 * longest) if named else 3.0
    wide = max(across, default=0.0) - min(across, default=0.0)
    high = max(nodes["level"].to_list(), default=0)
    size = {"width": max(160.0, (wide + 1) * (2 * radius + 16)), "height": (high + 1) * (2 * radius + 12)}
    lines = [{"line": number, "x": across[at], "level": levels[at]} for number, path in enumerate(paths) for at in path]
    x = alt.X("x:Q", axis=None, scale=alt.Scale(padding=radius + 6, nice=False, zero=False))
    ticks = alt.Axis(grid=False, values=list(range(high + 1)), format="d", domain=False)
    y = alt.Y("level:Q", title="level", axis=ticks, scale=alt.Scale(padding=radius + 2, nice=False))
    rules = (
        alt.Chart(alt.InlineData(values=lines))
        .mark_line(color=QUIET, strokeWidth=1 if named else 0.4)
        .encode(x=x, y=y, detail="line:N", order=alt.Order("level:Q"))
    )
    base = alt.Chart(alt.InlineData(values=laid.to_dicts()))
    counts = sorted(set(nodes["relevant"].to_list()))
    legend = alt.Legend(title="relevant documents", orient="bottom", columns=8, symbolStrokeColor=INK)
    colour = alt.Color("relevant:O", scale=alt.Scale(domain=counts, range=shades(len(counts))), legend=legend)
    dots = base.mark_circle(size=3.14159 * radius**2, opacity=1, stroke=INK, strokeWidth=1).encode(
        x=x, y=y, color=colour, tooltip=["label:N", "level:Q", "relevant:Q"]
    )
    layers = [rules, dots]
    if named:
        dark = counts[len(counts) // 2] if counts else 0
        light = alt.condition(f"datum.relevant > {dark}", alt.value("white"), alt.value("black"))
        aside: dict[str, Any] = {"align": "left", "dx": 12, "limit": 600} if beside else {}
        text = base.mark_text(font="monospace", fontSize=10.5, **aside).encode(
            x=x, y=y, text="label:N", color=alt.value(TEXT) if beside else light
        )
        layers.append(text)
    return themed(alt.layer(*layers).properties(**size, title=heading(title, subtitle)))


def bent(levels: Sequence[int], edges: Sequence[tuple[int, int]]) -> tuple[list[int], list[list[int]]]:
    """Lines that pass a level get a bend there, so that they go round the runs of that level.

    Returns the levels of runs and bends, and for every line the runs and bends it goes through.

    >>> bent([0, 1, 2], [(0, 1), (1, 2), (0, 2)])
    ([0, 1, 2, 1], [[0, 1], [1, 2], [0, 3, 2]])
    """
    all_levels = list(levels)
    paths = []
    for low, high in edges:
        between = range(levels[low] + 1, levels[high])
        paths.append([low, *range(len(all_levels), len(all_levels) + len(between)), high])
        all_levels += between
    return all_levels, paths


def shades(count: int) -> list[str]:
    """Colours from pale to ink, so that the order survives a black-and-white printer.

    >>> shades(3)
    ['#eef3f7', '#849eae', '#1b4965']
    """
    low, high = ([int(colour[k : k + 2], 16) for k in (1, 3, 5)] for colour in (PALE, INK))
    steps = [k / max(count - 1, 1) for k in range(count)]
    return ["#" + "".join(f"{int(a + (b - a) * s):02x}" for a, b in zip(low, high, strict=True)) for s in steps]


def places(levels: Sequence[int], edges: Sequence[tuple[int, int]]) -> list[float]:
    """Where each node stands within its level: near the middle of its neighbours, so that few lines cross.

    >>> places([0, 1, 1, 2], [(0, 1), (0, 2), (1, 3), (2, 3)])
    [0.0, -0.5, 0.5, 0.0]
    """
    rows: dict[int, list[int]] = {}
    for node, level in enumerate(levels):
        rows.setdefault(level, []).append(node)
    near: dict[int, list[int]] = {node: [] for node in range(len(levels))}
    for low, high in edges:
        near[low].append(high)
        near[high].append(low)
    at = [0.0] * len(levels)
    for row in rows.values():
        _spread(row, at)
    for sweep in range(_SWEEPS):
        upwards = sweep % 2 == 0
        for level in sorted(rows, reverse=not upwards):
            wanted = {node: _middle(node, near, at, levels, upwards) for node in rows[level]}
            rows[level].sort(key=lambda node, wanted=wanted: wanted[node])  # type: ignore[misc]
            _spread(rows[level], at)
    return at


def _spread(row: Sequence[int], at: list[float]) -> None:
    for k, node in enumerate(row):
        at[node] = k - (len(row) - 1) / 2


def _middle(node: int, near: dict[int, list[int]], at: Sequence[float], levels: Sequence[int], upwards: bool) -> float:
    before = [at[other] for other in near[node] if (levels[other] < levels[node]) == upwards]
    return sum(before) / len(before) if before else at[node]
