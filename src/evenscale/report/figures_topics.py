"""Figures of topics: how hard they are, who wins where, and precision against recall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from evenscale.report.theme import (
    ACCENT,
    INK,
    LABEL_LIMIT,
    PAPER,
    QUIET,
    ROW,
    SHADES,
    TEXT,
    WIDTH,
    heading,
    inline,
    names,
    themed,
    tips,
)

QUARTERS = ("first quarter", "second quarter", "third quarter", "last quarter")
QUARTILES = ("worst", "q1", "median", "q3", "best")
TOP_CURVES = 5
"""So many systems have their own precision-recall curve: one for each look below."""
LOOKS: tuple[tuple[str, str, list[int]], ...] = (
    (INK, "circle", [1, 0]),
    (ACCENT, "square", [6, 3]),
    (SHADES[1], "triangle-up", [2, 2]),
    (TEXT, "diamond", [8, 3, 2, 3]),
    (QUIET, "cross", [4, 2]),
)
"""Colour, shape and dashes of each curve; any one of them tells the curves apart."""


def topic_difficulty(
    topics: pl.DataFrame, *, title: str, subtitle: str | Sequence[str] = "", label: str = "score"
) -> Any:
    """Topics from the hardest to the easiest: all scores as a thin line, the middle half as a bar, median and best."""
    import altair as alt

    known = names(topics["topic"].to_list())
    kept = topics.select("topic", "relevant", *QUARTILES).iter_rows(named=True)
    rows = [{"label": known[row.pop("topic")], **row} for row in kept]
    step = min((WIDTH - 50) / max(len(rows), 1), 30)
    look: dict[str, Any] = {"labelAngle": -90, "labelFontSize": 9, "labelLimit": 70, "labels": step >= 10}
    axis = alt.Axis(title="topic, the hardest first", ticks=False, grid=False, **look)
    x = alt.X("label:N", axis=axis, scale=alt.Scale(domain=list(known.values())))
    y = alt.Y("worst:Q", title=label, axis=alt.Axis(tickCount=6))
    chart, thick = alt.Chart(inline(rows)), max(1.5, step * 0.6)
    shown = tips("label:N", "relevant:Q", *(f"{field}:Q" for field in QUARTILES))
    half = {"y": alt.Y("q1:Q"), "y2": alt.Y2("q3")}
    layers = [
        chart.mark_rule(color=QUIET).encode(x=x, y=y, y2=alt.Y2("best")),
        chart.mark_bar(color=SHADES[2], size=thick).encode(x=x, **half, tooltip=shown),
        chart.mark_tick(color=INK, thickness=2, size=thick).encode(x=x, y=alt.Y("median:Q")),
        chart.mark_point(color=INK, size=14, filled=True).encode(x=x, y=alt.Y("best:Q"), tooltip=shown),
    ]
    size = {"width": step * max(len(rows), 1), "height": 220}
    return themed(alt.layer(*layers).properties(title=heading(title, subtitle), **size))


def wins(
    places: pl.DataFrame,
    counts: pl.DataFrame,
    topics: Sequence[str],
    systems: int,
    *,
    title: str,
    subtitle: str | Sequence[str] = "",
) -> Any:
    """Each system's place on each topic in quarters, a dot where it is best; beside it how often it is.

    `places` are rows `system, topic, place, wins` of the systems to show, `counts` rows `system, wins`, `topics` the
    order of the columns and `systems` how many there are in all. Places mean something on any scale; differences need
    not.
    """
    import altair as alt

    known, columns = names(places["system"].unique(maintain_order=True).to_list()), names(topics)
    rows = [
        {"label": known[system], "column": columns[topic], "place": place, "quarter": _quarter(place, systems)}
        for system, topic, place in places.select("system", "topic", "place").drop_nulls().iter_rows()
    ]
    best = places.filter("wins").select("system", "topic").iter_rows()
    dots = [{"label": known[system], "column": columns[topic]} for system, topic in best]
    tally = [
        {"label": known[system], "wins": number}
        for system, number in counts.select("system", "wins").iter_rows()
        if system in known
    ]
    panels = (_map(rows, dots, list(known.values()), list(columns.values())), _tally(tally, list(known.values())))
    joined = alt.hconcat(*panels, spacing=12).resolve_scale(y="independent")
    return themed(joined.properties(title=heading(title, subtitle)))


def _quarter(place: float, systems: int) -> str:
    """Which quarter of the field a place is in; a single system is in the first.

    >>> [_quarter(place, 9) for place in (1.0, 3.0, 5.0, 9.0)]
    ['first quarter', 'second quarter', 'third quarter', 'last quarter']
    """
    share = (place - 1) / max(systems - 1, 1)
    return QUARTERS[min(int(share * 4), 3)]


def _map(rows: list[dict[str, Any]], best: list[dict[str, Any]], systems: list[str], topics: list[str]) -> Any:
    import altair as alt

    step = min((WIDTH - LABEL_LIMIT - 110) / max(len(topics), 1), 30)
    y_axis = alt.Axis(title=None, ticks=False, domain=False, labelLimit=LABEL_LIMIT)
    y = alt.Y("label:N", axis=y_axis, scale=alt.Scale(domain=systems, padding=0))
    look: dict[str, Any] = {"labelAngle": -90, "labelFontSize": 8, "labelLimit": 60, "labels": step >= 8}
    x_axis = alt.Axis(title="topic, the hardest first", ticks=False, domain=False, **look)
    x = alt.X("column:N", axis=x_axis, scale=alt.Scale(domain=topics, padding=0))
    legend = alt.Legend(title="place on the topic:", orient="bottom", symbolType="square", titleOrient="left")
    colour = alt.Color("quarter:N", scale=alt.Scale(domain=list(QUARTERS), range=list(SHADES)), legend=legend)
    cells = alt.Chart(inline(rows)).mark_rect(stroke=PAPER, strokeWidth=0.5)
    dots = alt.Chart(inline(best)).mark_point(filled=True, color=PAPER, size=min(step, ROW) * 1.6)
    shown = tips("label:N", "column:N", "place:Q")
    layers = alt.layer(cells.encode(x=x, y=y, color=colour, tooltip=shown), dots.encode(x=x, y=y))
    return layers.properties(width=step * len(topics), height=alt.Step(ROW))


def _tally(rows: list[dict[str, Any]], systems: list[str]) -> Any:
    import altair as alt

    bars = alt.Chart(inline(rows)).encode(
        y=alt.Y("label:N", axis=None, scale=alt.Scale(domain=systems, padding=0)),
        x=alt.X("wins:Q", title="times best", axis=alt.Axis(labels=False, ticks=False, domain=False, grid=False)),
    )
    numbers = bars.mark_text(align="left", dx=3).encode(text=alt.Text("wins:Q"))
    bar = bars.mark_bar(color=SHADES[1], size=ROW - 5)
    return alt.layer(bar, numbers).properties(width=60, height=alt.Step(ROW))


def precision_recall(
    curves: pl.DataFrame, *, title: str, subtitle: str | Sequence[str] = "", top: int = TOP_CURVES
) -> Any:
    """Interpolated precision at eleven recall levels: the best systems, and the median over all as a broad line.

    `curves` are rows `system, recall, precision`, the best system first; those without a system are the median.
    """
    import altair as alt

    best = curves["system"].drop_nulls().unique(maintain_order=True).to_list()[: min(top, len(LOOKS))]
    known = names(best)
    rows = [
        {"label": known[system], "recall": recall, "precision": precision}
        for system, recall, precision in curves.select("system", "recall", "precision").iter_rows()
        if system in known
    ]
    middle = curves.filter(pl.col("system").is_null()).select("recall", "precision").to_dicts()
    x = alt.X("recall:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".1f"))
    y = alt.Y("precision:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=6))
    colour, shape, dash = _looks(list(known.values()))
    shown = tips("label:N", "recall:Q", "precision:Q")
    chart = alt.Chart(inline(rows)).encode(x=x, y=y, color=colour, shape=shape, tooltip=shown)
    layers = [
        alt.Chart(inline(middle)).mark_line(color=SHADES[2], strokeWidth=5).encode(x=x, y=y),
        chart.mark_line(strokeWidth=1.6).encode(strokeDash=dash),
        chart.mark_point(filled=True, size=30),
    ]
    return themed(alt.layer(*layers).properties(width=440, height=320, title=heading(title, subtitle)))


def _looks(systems: list[str]) -> tuple[Any, Any, Any]:
    """Colour, shape and dashes of the curves."""
    import altair as alt

    colours, shapes, dashes = (list(column) for column in zip(*LOOKS[: len(systems)], strict=True))
    legend = alt.Legend(title=None, symbolSize=80, symbolStrokeWidth=0, labelLimit=LABEL_LIMIT)
    return (
        alt.Color("label:N", scale=alt.Scale(domain=systems, range=colours), legend=legend),
        alt.Shape("label:N", scale=alt.Scale(domain=systems, range=shapes), legend=legend),
        alt.StrokeDash("label:N", scale=alt.Scale(domain=systems, range=dashes), legend=None),
    )
