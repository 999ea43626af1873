"""Charts: Altair specifications made from result rows. Each can be saved as SVG, PNG, PDF or HTML, offline."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import polars as pl

from evenscale.errors import BadParameter
from evenscale.report.theme import INK, QUIET, fitted, heading, themed

LINE = 14  # pixels from one label to the next
FORMATS = (".svg", ".png", ".pdf", ".html", ".json")


def scale_curve(curve: pl.DataFrame, *, title: str, subtitle: str = "") -> Any:
    """All possible values of a measure in order (Ferrante, Ferro and Fuhr 2021, Figures 6-8); the grey line is even."""
    import altair as alt

    data = alt.InlineData(values=curve.to_dicts())
    ends = alt.InlineData(values=[curve.row(0, named=True), curve.row(-1, named=True)])
    x = alt.X("place:Q", title="place among all possible values", scale=alt.Scale(domain=[0, 1]))
    y = alt.Y("value:Q", title="value", axis=alt.Axis(tickCount=6))
    even = alt.Chart(ends).mark_line(color=QUIET, strokeDash=[4, 4]).encode(x=x, y=y)
    few = curve.height <= 64
    mark: dict[str, Any] = {
        "filled": True,
        "color": INK,
        "size": 40 if few else 8,
        "shape": "square" if few else "circle",
    }
    points = alt.Chart(data).mark_point(**mark).encode(x=x, y=y)
    chart = alt.layer(even, points).properties(width=460, height=300, title=heading(title, subtitle))
    return themed(chart)


def scale_ladder(ladder: pl.DataFrame, *, title: str, subtitle: str = "") -> Any:
    """Every value with the runs that have it (Ferrante, Ferro and Fuhr 2021, Figure 3).

    Squares stand at the values; names that would overlap are moved apart and tied to their square by a thin line.
    """
    import altair as alt

    height = max(240, 16 * ladder.height)
    data = alt.InlineData(values=_moved_apart(ladder, LINE / height))
    axis = alt.Axis(grid=False)
    y = alt.Y("value:Q", title="value", axis=axis, scale=alt.Scale(zero=False, nice=False, padding=8))
    squares = alt.Chart(data).mark_square(color=INK, size=60).encode(x=alt.value(20), y=y)
    ties = (
        alt.Chart(data)
        .mark_rule(color=QUIET, strokeWidth=0.5)
        .encode(x=alt.value(26), x2=alt.value(58), y=y, y2="label:Q")
    )
    names = (
        alt.Chart(data)
        .mark_text(align="left", font="monospace", fontSize=11)
        .encode(x=alt.value(62), y=alt.Y("label:Q"), text="name:N")
    )
    chart = alt.layer(ties, squares, names).properties(width=460, height=height, title=heading(title, subtitle))
    return themed(chart)


def _moved_apart(ladder: pl.DataFrame, line: float) -> list[dict[str, Any]]:
    """Labels at least one line (a share of the height) apart, as near to their values as that allows."""
    rows = ladder.sort("value").to_dicts()
    low, high = rows[0]["value"], rows[-1]["value"]
    least = (high - low) * line
    position = low - least
    for row in rows:
        position = max(row["value"], position + least)
        row["label"] = position
        row["name"] = f"{row['rank']}: {row['runs']}"
    return rows


def save(chart: Any, path: str | os.PathLike[str]) -> None:
    """Write a chart; the suffix decides the format. Written to a temporary name and moved."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise BadParameter(f"cannot draw to {os.fspath(path)!r}: use one of {' '.join(FORMATS)}")
    from evenscale.files import atomic

    content = _rendered(chart, suffix)
    with atomic(path, "wb") as out:
        out.write(content)


def _rendered(chart: Any, suffix: str) -> bytes:
    import vl_convert as vlc

    specification = chart.to_json()
    make: dict[str, Any] = {
        ".svg": lambda: vlc.vegalite_to_svg(specification).encode(),
        ".png": lambda: vlc.vegalite_to_png(specification, scale=2),
        ".pdf": lambda: vlc.vegalite_to_pdf(specification),
        ".html": lambda: vlc.vegalite_to_html(specification, bundle=True).encode(),
        ".json": lambda: specification.encode(),
    }
    result: bytes = make[suffix]()
    return result


KEY = "open: the measure; filled: its interval version"


def tau_changes(between: pl.DataFrame, *, title: str) -> Any:
    """Correlation between measures before and after: an open point, a filled one, and a line between them."""
    rows = between.with_columns(pair=pl.col("measure") + "  –  " + pl.col("other")).to_dicts()
    return themed(_dumbbells(rows, "pair", "Kendall's tau").properties(width=420, title=heading(title, KEY)))


def significance_changes(significance: pl.DataFrame, *, title: str) -> Any:
    """Significant pairs on the measure and on its interval version: a panel for every test, a row for every measure."""
    import altair as alt

    counted = significance.with_columns(before=pl.col("sig"), after=pl.col("sig") - pl.col("s2ns") + pl.col("ns2s"))
    panels = [
        _dumbbells(part.to_dicts(), "measure", "significant pairs").properties(width=300, title=str(part["test"][0]))
        for part in counted.partition_by("test", maintain_order=True)
    ]
    joined = alt.concat(*panels, columns=2).resolve_scale(x="shared")
    return themed(joined.properties(title=heading(title, KEY)))


def _dumbbells(rows: list[dict[str, Any]], label: str, across: str) -> Any:
    import altair as alt

    chart = alt.Chart(alt.InlineData(values=rows))
    y = alt.Y(f"{label}:N", sort=None, title=None, axis=alt.Axis(labelLimit=400, grid=True))
    x = alt.X("before:Q", title=across, scale=fitted(rows, "before", "after"), axis=alt.Axis(tickCount=6))
    line = chart.mark_rule(color=QUIET).encode(x=x, x2="after:Q", y=y)
    before = chart.mark_point(color=INK, filled=False, size=55, opacity=1).encode(x=x, y=y)
    after = chart.mark_point(color=INK, filled=True, size=30, opacity=1).encode(x="after:Q", y=y)
    return alt.layer(line, before, after)
