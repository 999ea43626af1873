"""Figures with systems side by side: means with intervals, who differs from whom, boxes of scores.

Up to 40 systems are drawn as rows with names. Of more, a reader wants the shape: they stand side by side by place,
without names, which tables and tooltips have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from evenscale.report.by_topic import BOX
from evenscale.report.theme import (
    ACCENT,
    FEW,
    INK,
    LABEL_LIMIT,
    PALE,
    PAPER,
    QUIET,
    ROW,
    SHADES,
    WIDTH,
    fitted,
    heading,
    inline,
    names,
    panel,
    themed,
    tips,
)

Rows = list[dict[str, Any]]

STATES = {"better": INK, "not different": PALE, "worse": ACCENT}


@dataclass(frozen=True, slots=True)
class _Layout:
    """Systems down and values across where they are few; else systems across, by place, and values up."""

    systems: tuple[str, ...]
    few: bool

    @classmethod
    def of(cls, systems: Sequence[str]) -> _Layout:
        return cls(tuple(names(systems).values()), len(systems) <= FEW)

    def system(self, *, labels: bool = True) -> dict[str, Any]:
        """The channel of the systems."""
        import altair as alt

        if self.few:
            axis = alt.Axis(title=None, labels=labels, ticks=False, domain=False, labelLimit=LABEL_LIMIT)
            return {"y": alt.Y("label:N", axis=axis, scale=alt.Scale(domain=list(self.systems)))}
        scale = alt.Scale(domain=[0, len(self.systems) + 1], nice=False)
        every = 10 if len(self.systems) <= 150 else 50
        places = [1, *range(every, len(self.systems) + 1, every)]
        axis = alt.Axis(title="place on the measure, the best first", grid=False, values=places)
        return {"x": alt.X("number:Q", axis=axis, scale=scale)}

    def value(self, field: str, **options: Any) -> dict[str, Any]:
        """The channel of the values."""
        import altair as alt

        return {"x": alt.X(f"{field}:Q", **options)} if self.few else {"y": alt.Y(f"{field}:Q", **options)}

    def until(self, field: str) -> dict[str, Any]:
        """The other end of a span of values."""
        import altair as alt

        return {"x2": alt.X2(field)} if self.few else {"y2": alt.Y2(field)}

    def size(self, panels: int) -> dict[str, Any]:
        """Width and height of one of so many panels: beside each other where rows have names, else below."""
        import altair as alt

        room = WIDTH - LABEL_LIMIT - 30 - 20 * (panels - 1)
        return {"width": room // panels, "height": alt.Step(ROW)} if self.few else {"width": WIDTH - 50, "height": 170}

    def joined(self, panels: Sequence[Any]) -> Any:
        """The panels in one figure."""
        import altair as alt

        return alt.hconcat(*panels, spacing=20) if self.few else alt.vconcat(*panels, spacing=16)


def means_with_intervals(
    leaderboard: pl.DataFrame,
    *,
    title: str,
    subtitle: str | Sequence[str] = "",
    labels: tuple[str, str] = ("measure", "interval"),
) -> Any:
    """Means with simultaneous intervals, the best first, on the measure and on its interval version where it has one.

    Filled points are the first tier: not different from the best. The dashed line is the lower end of the best system's
    interval; an interval that lies below it does not overlap with that.
    """
    layout = _Layout.of(leaderboard["system"].to_list())
    prefixes = ["", "interval_"] if leaderboard["interval_mean"].is_not_null().any() else [""]
    panels = [
        _means(_standings(leaderboard, prefix), layout, label, len(prefixes), first=not prefix)
        for prefix, label in zip(prefixes, labels, strict=False)
    ]
    return themed(layout.joined(panels).properties(title=heading(title, subtitle)))


def _standings(leaderboard: pl.DataFrame, prefix: str) -> Rows:
    """One row per system, in the order of the leaderboard; without intervals the mean stands for itself."""
    known = names(leaderboard["system"].to_list())
    rows = []
    for number, row in enumerate(leaderboard.iter_rows(named=True), 1):
        values = {key: row[f"{prefix}{key}"] for key in ("mean", "low", "high", "tier", "place")}
        rows.append({"label": known[row["system"]], "number": number, **values})
    return rows


def _means(rows: Rows, layout: _Layout, label: str, panels: int, *, first: bool) -> Any:
    import altair as alt

    chart = alt.Chart(inline(rows))
    across = layout.system(labels=first)
    scale = fitted(rows, "mean", "low", "high")
    value = layout.value("mean", title=None, scale=scale, axis=alt.Axis(tickCount=5))
    shown = tips("label:N", "mean:Q", "low:Q", "high:Q", "tier:Q", "place:Q")
    bars = chart.mark_rule(color=QUIET, strokeWidth=1.5 if layout.few else 1).encode(
        **across, **layout.value("low"), **layout.until("high"), tooltip=shown
    )
    best = alt.condition(alt.datum.tier == 1, alt.value(INK), alt.value(PAPER))
    points = chart.mark_point(filled=True, size=42 if layout.few else 12, stroke=INK).encode(
        **across, **value, fill=best, tooltip=shown
    )
    layers = [bars, points]
    if low := [{"low": row["low"]} for row in rows if row["place"] == 1 and row["low"] is not None][:1]:
        line = alt.Chart(inline(low)).mark_rule(color=INK, strokeDash=[4, 3])
        layers.insert(0, line.encode(**layout.value("low")))
    return alt.layer(*layers).properties(title=panel(label), **layout.size(panels))


# --- who differs from whom ------------------------------------------------------------------------------------------


def significance_matrix(
    pairs: pl.DataFrame,
    systems: Sequence[str],
    *,
    title: str,
    subtitle: str | Sequence[str] = "",
    interval: pl.DataFrame | None = None,
    labels: tuple[str, str] = ("measure", "interval"),
) -> Any:
    """Is the row's system better than the column's? One square per pair; `interval` adds a second panel.

    `pairs` are rows `system, other, state`, each pair once; `systems` gives the order. In the second panel a dot marks
    the pairs whose state changed. With more than 40 systems neighbouring squares of one colour are drawn as one.
    """
    import altair as alt

    known = names(systems)
    before = _states(pairs, systems)
    panels = [_squares(before, None, list(known.values()), labels[0], 1 if interval is None else 2, first=True)]
    if interval is not None:
        after = _states(interval, systems)
        panels.append(_squares(after, before, list(known.values()), labels[1], 2, first=False))
    return themed(alt.hconcat(*panels, spacing=20).properties(title=heading(title, subtitle)))


def _states(pairs: pl.DataFrame, systems: Sequence[str]) -> list[list[str]]:
    """What each system is to each other one, by their numbers; empty on the diagonal."""
    place = {system: k for k, system in enumerate(systems)}
    opposite = {"better": "worse", "worse": "better"}
    states = [[""] * len(systems) for _ in systems]
    for system, other, state in pairs.select("system", "other", "state").iter_rows():
        states[place[system]][place[other]] = state
        states[place[other]][place[system]] = opposite.get(state, state)
    return states


def _squares(
    states: list[list[str]], before: list[list[str]] | None, labels: list[str], name: str, panels: int, *, first: bool
) -> Any:
    import altair as alt

    few = len(labels) <= FEW
    room = WIDTH - (LABEL_LIMIT if few else 40) - 20 * panels
    side = min(room / panels / len(labels), ROW)
    axis = alt.Axis(title=None, labels=few and first, ticks=False, domain=False, labelLimit=LABEL_LIMIT, grid=False)
    y = alt.Y("row:N", axis=axis, scale=alt.Scale(domain=labels, paddingInner=0, paddingOuter=0))
    x = alt.X("from:Q", axis=None, scale=alt.Scale(domain=[0, len(labels)], nice=False))
    colour = alt.Fill(
        "state:N", scale=alt.Scale(domain=list(STATES), range=list(STATES.values())),
        legend=alt.Legend(title=None, orient="bottom", symbolType="square") if first else None,
    )  # fmt: skip
    chart = alt.Chart(inline(_spans(states, labels, joined=not few)))
    stroke = alt.value(PAPER) if few else colour.copy()  # of one colour, so that no seams show between rows
    shown = tips("row:N", "state:N", "column:N") if few else tips("row:N", "state:N")
    layers = [
        chart.mark_rect(strokeWidth=1 if few else 0.4).encode(
            y=y, x=x, x2=alt.X2("to"), fill=colour, stroke=stroke, tooltip=shown
        )
    ]
    if few and before is not None and (moved := _moved(states, before, labels)):
        dots = alt.Chart(inline(moved)).mark_point(filled=True, size=side * 1.2, color=PAPER)
        layers.append(dots.encode(y=y, x=alt.X("from:Q", axis=None), stroke=alt.value(INK)))
    size = {"width": side * len(labels), "height": side * len(labels)}
    return alt.layer(*layers).properties(title=panel(name), **size)


def _spans(states: list[list[str]], labels: list[str], *, joined: bool) -> Rows:
    """The squares of every row; joined, neighbours in the same state become one span."""
    rows: Rows = []
    for r, row in enumerate(states):
        last: dict[str, Any] | None = None
        for c, state in enumerate(row):
            if not state:
                last = None
            elif joined and last is not None and last["state"] == state:
                last["to"] = c + 1
            else:
                last = {"row": labels[r], "column": labels[c], "from": c, "to": c + 1, "state": state}
                rows.append(last)
    return rows


def _moved(states: list[list[str]], before: list[list[str]], labels: list[str]) -> Rows:
    """The middles of the squares whose state is not what it was."""
    return [
        {"row": labels[r], "from": c + 0.5}
        for r, row in enumerate(states)
        for c, state in enumerate(row)
        if state != before[r][c]
    ]


# --- boxes ----------------------------------------------------------------------------------------------------------


def boxplots(boxes: pl.DataFrame, *, title: str, subtitle: str | Sequence[str] = "", label: str = "score") -> Any:
    """Scores over topics by system: box and whiskers, the median as a line, the mean as a diamond, rings far out.

    With more than 40 systems a pale line reaches to the scores far out, and means are not drawn.
    """
    import altair as alt

    layout = _Layout.of(boxes["system"].to_list())
    known = names(boxes["system"].to_list())
    rows, beyond = [], []
    for number, row in enumerate(boxes.iter_rows(named=True), 1):
        place = {"label": known[row["system"]], "number": number}
        rows.append({**place, **{key: row[key] for key in (*BOX, "mean")}})
        beyond += [{**place, "score": score} for score in row["outliers"]]
    far = _rings(beyond, layout) if layout.few else _reach(beyond, rows, layout)
    layers = [*far, *_box_layers(rows, layout, label)]
    size = layout.size(1) if layout.few else {**layout.size(1), "height": 240}
    return themed(alt.layer(*layers).properties(title=heading(title, subtitle), **size))


def _rings(beyond: Rows, layout: _Layout) -> list[Any]:
    import altair as alt

    rings = alt.Chart(inline(beyond)).mark_point(color=QUIET, size=12, strokeWidth=0.8)
    encoded = rings.encode(**layout.system(), **layout.value("score"), tooltip=tips("label:N", "score:Q"))
    return [encoded] if beyond else []


def _reach(beyond: Rows, rows: Rows, layout: _Layout) -> list[Any]:
    """A line from the lowest to the highest score of each system that has any far out."""
    import altair as alt

    ends: dict[int, list[float]] = {}
    for row in beyond:
        ends.setdefault(row["number"], []).append(row["score"])
    spans = [
        {"number": row["number"], "from": min(*found, row["low"]), "to": max(*found, row["high"])}
        for row in rows
        if (found := ends.get(row["number"]))
    ]
    lines = alt.Chart(inline(spans)).mark_rule(color=SHADES[2], strokeWidth=0.8)
    return [lines.encode(**layout.system(), **layout.value("from"), **layout.until("to"))] if spans else []


def _box_layers(rows: Rows, layout: _Layout, label: str) -> list[Any]:
    import altair as alt

    chart, thick = alt.Chart(inline(rows)), 9 if layout.few else 3.4
    across = layout.system()
    up: Literal["vertical", "horizontal"] = "vertical" if layout.few else "horizontal"
    shown = tips("label:N", *(f"{field}:Q" for field in (*BOX, "mean")))
    low = layout.value("low", title=label, axis=alt.Axis(tickCount=6))
    boxes = chart.mark_bar(color=SHADES[2], size=thick)
    layers = [
        chart.mark_rule(color=QUIET).encode(**across, **low, **layout.until("high")),
        boxes.encode(**across, **layout.value("q1"), **layout.until("q3"), tooltip=shown),
        chart.mark_tick(color=INK, thickness=2, size=thick, orient=up).encode(**across, **layout.value("median")),
    ]
    if layout.few:
        mean = chart.mark_point(shape="diamond", filled=True, color=INK, size=24)
        layers.append(mean.encode(**across, **layout.value("mean")))
    return layers
