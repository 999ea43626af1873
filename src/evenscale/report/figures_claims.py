"""Figures of what may be said: how many claims hold on which scale, and the order that no rescaling upsets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import polars as pl

from evenscale.report.hasse import bent, places
from evenscale.report.theme import (
    ACCENT,
    GRID,
    INK,
    LABEL_LIMIT,
    PAPER,
    QUIET,
    SHADES,
    TEXT,
    WIDTH,
    heading,
    inline,
    names,
    themed,
    tips,
)

TIED = "tied as computed or on the interval version"

CLAIMS: dict[str, tuple[str, str]] = {
    "any": ("hold on any rescaling", INK),
    "interval": ("hold on the interval version", SHADES[2]),
    "depends": ("depend; no interval version", SHADES[1]),
    "level": (TIED, GRID),
    "tie": (TIED, GRID),
    "flips": ("flip on the interval version", ACCENT),
}
"""What becomes of claims: words and colour, in the order they are stacked."""

MOST_ORDERED = 40
"""The most systems whose order is drawn."""


def claims(counts: pl.DataFrame, *, title: str, subtitle: str | Sequence[str] = "") -> Any:
    """For every measure, what becomes of the claims that one system's mean is above another's.

    `counts` are rows `measure, category, pairs`; a bar is as long as the share of all pairs.
    """
    import altair as alt

    rows = _stacked(counts)
    colours = dict(CLAIMS[row["category"]] for row in sorted(rows, key=lambda row: list(CLAIMS).index(row["category"])))
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    y_axis = alt.Axis(title=None, ticks=False, domain=False, labelLimit=LABEL_LIMIT)
    y = alt.Y("measure:N", axis=y_axis, scale=alt.Scale(domain=measures))
    x = alt.X(
        "from:Q", title="share of all pairs of systems", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])
    )
    legend = alt.Legend(title=None, orient="bottom", columns=2, symbolType="square", labelLimit=300)
    range_ = alt.Scale(domain=list(colours), range=list(colours.values()))
    colour = alt.Color("words:N", legend=legend, scale=range_)
    chart = alt.Chart(inline(rows))
    bars = chart.mark_bar(size=18, stroke=PAPER, strokeWidth=0.8).encode(
        y=y, x=x, x2=alt.X2("to"), color=colour, tooltip=tips("measure:N", "words:N", "pairs:Q")
    )
    wide = chart.transform_filter("datum.to - datum.from > 0.06")
    dark = alt.condition("datum.category == 'any' || datum.category == 'depends'", alt.value(PAPER), alt.value(TEXT))
    text = wide.mark_text(fontSize=10.5).encode(
        y=y, x=alt.X("middle:Q"), text=alt.Text("pairs:Q", format=","), color=dark
    )
    size = {"width": WIDTH - LABEL_LIMIT - 30, "height": alt.Step(28)}
    return themed(alt.layer(bars, text).properties(title=heading(title, subtitle), **size))


def _stacked(counts: pl.DataFrame) -> list[dict[str, Any]]:
    """Bars from end to end; categories without pairs are left out."""
    rows: list[dict[str, Any]] = []
    for part in counts.partition_by("measure", maintain_order=True):
        pairs = dict(part.select("category", "pairs").iter_rows())
        total, start = max(sum(pairs.values()), 1), 0.0
        for category, (words, _) in CLAIMS.items():
            if n := pairs.get(category, 0):
                end = start + n / total
                span = {"from": start, "to": end, "middle": (start + end) / 2}
                rows.append({"measure": part["measure"][0], "category": category, "words": words, "pairs": n, **span})
                start = end
    return rows


def partial_order(
    covers: Sequence[Sequence[str]], systems: Sequence[str], *, title: str, subtitle: str | Sequence[str] = ""
) -> Any:
    """The order of the systems that no rescaling upsets: a line leads down from a system to those next below it.

    `covers` are pairs (above, below). Systems that are neither above nor below another are left out.
    """
    import altair as alt

    related = {system for pair in covers for system in pair}
    known = names([system for system in systems if system in related])
    heights = _heights(covers, list(known))
    number = {system: k for k, system in enumerate(known)}
    levels, paths = bent(list(heights.values()), [(number[below], number[above]) for above, below in covers])
    across = places(levels, [step for path in paths for step in pairwise(path)])
    points = [{"label": known[s], "across": across[k], "height": heights[s]} for s, k in number.items()]
    lines = [{"line": n, "across": across[k], "height": levels[k]} for n, path in enumerate(paths) for k in path]
    ends = [min(across, default=0) - 0.5, max(across, default=0) + 0.5]
    top = max(levels, default=0)
    x = alt.X("across:Q", axis=None, scale=alt.Scale(domain=ends, nice=False))
    y = alt.Y("height:Q", axis=None, scale=alt.Scale(domain=[-0.3, top + 0.5], nice=False))
    ties = alt.Chart(inline(lines)).mark_line(color=QUIET, strokeWidth=0.7)
    dots = alt.Chart(inline(points)).encode(x=x, y=y)
    look: dict[str, Any] = {"dy": -9, "fontSize": 10, "limit": max(30, (WIDTH - 20) / max(ends[1] - ends[0], 1) - 6)}
    layers = [
        ties.encode(x=x, y=y, detail=alt.Detail("line:N"), order=alt.Order("height:Q")),
        dots.mark_text(stroke=PAPER, strokeWidth=3, **look).encode(text=alt.Text("label:N")),
        dots.mark_text(color=TEXT, **look).encode(text=alt.Text("label:N")),
        dots.mark_point(filled=True, color=INK, size=36).encode(tooltip=tips("label:N")),
    ]
    size = {"width": WIDTH - 20, "height": 50 + 44 * top}
    return themed(alt.layer(*layers).properties(title=heading(title, subtitle), **size))


def _heights(covers: Sequence[Sequence[str]], systems: Sequence[str]) -> dict[str, int]:
    """How high a system stands: the best are at the top, all others one below the lowest that covers them.

    >>> _heights([("a", "b"), ("b", "c"), ("d", "c")], ["a", "b", "c", "d"])
    {'a': 2, 'b': 1, 'c': 0, 'd': 2}
    """
    depth = dict.fromkeys(systems, 0)
    for _ in systems:  # a path has no more steps than there are systems
        for above, below in covers:
            depth[below] = max(depth[below], depth[above] + 1)
    deepest = max(depth.values(), default=0)
    return {system: deepest - level for system, level in depth.items()}
