"""How every figure looks: one set of colours, one font, one way to write titles and names.

The colours are few and fixed, so that a page can turn each into another one in dark mode. They differ in lightness, so
that figures survive black-and-white printing, and they are told apart by readers with any common colour vision.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from evenscale.tables import shown

INK = "#1b4965"
"""What a figure is about."""
ACCENT = "#e08e45"
"""What stands against it: worse, flips."""
PALE = "#dfe7ec"
"""Neither: not different; the lightest fill."""
SHADES = (INK, "#5f8ba3", "#a9c3d1", PALE)
"""From much to little: four steps of lightness."""
TEXT = "#2b2f36"
"""Titles, names and numbers."""
QUIET = "#8a8a8a"
"""Secondary lines, axes, explanations in the figure."""
SUBTLE = "#5f6670"
"""Subtitles."""
GRID = "#e6e6e6"
PAPER = "#ffffff"
COLOURS = tuple(dict.fromkeys((*SHADES, ACCENT, TEXT, QUIET, SUBTLE, GRID, PAPER)))
"""Every colour that a figure may use."""

FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
"""Families of the same widths, so that text takes the room that was measured for it."""
WIDTH = 680
"""Pixels that a figure takes at most, labels included."""
LABEL_LIMIT = 150
"""Pixels for a name; Vega cuts what is longer, the tooltip has it in full."""
FEW = 40
"""Up to so many systems have a row with their name; of more, only the shape is drawn."""
ROW = 16
"""Pixels from one named row to the next."""

CONFIG: dict[str, Any] = {
    "font": FONT,
    "background": PAPER,
    "padding": {"left": 8, "right": 16, "top": 5, "bottom": 5},
    "view": {"stroke": None},
    "axis": {
        "labelColor": TEXT,
        "titleColor": TEXT,
        "gridColor": GRID,
        "domainColor": QUIET,
        "tickColor": QUIET,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "labelLimit": LABEL_LIMIT,
    },
    "axisX": {"labelFlush": False},
    "title": {
        "color": TEXT,
        "subtitleColor": SUBTLE,
        "fontSize": 14,
        "subtitleFontSize": 11.5,
        "fontWeight": 600,
        "anchor": "start",
        "offset": 10,
        "subtitlePadding": 4,
    },
    "legend": {
        "labelColor": TEXT,
        "titleColor": TEXT,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "labelLimit": 260,
    },
    "text": {"color": TEXT},
    "tick": {"opacity": 1},
    "point": {"opacity": 1},
}


def themed(chart: Any) -> Any:
    """The chart in the house's colours and font."""
    return chart.configure(**CONFIG)


def inline(rows: Sequence[dict[str, Any]]) -> Any:
    """Rows as a chart's data. As one text they cost nothing to copy and to check, which charts do many times."""
    import altair as alt

    return alt.InlineData(values=json.dumps(rows, ensure_ascii=False), format=alt.JsonDataFormat(type="json"))


def tips(*fields: str) -> list[Any]:
    """What is shown while the pointer rests on a mark."""
    import altair as alt

    return [alt.Tooltip(field) for field in fields]


def fitted(rows: Sequence[dict[str, Any]], *fields: str) -> Any:
    """A scale that fits the values; from 0 where they are all alike, since an axis of no width has no right labels."""
    import altair as alt

    distinct = {row[field] for row in rows for field in fields} - {None}
    return alt.Scale(zero=len(distinct) < 2)


def heading(title: str, subtitle: str | Sequence[str] = "") -> Any:
    """A title that starts at the left; below it one or more lines that explain."""
    import altair as alt

    lines = [subtitle] if isinstance(subtitle, str) else list(subtitle)
    return alt.TitleParams(one_line(title), subtitle=[one_line(line) for line in lines if line], anchor="start")


def panel(title: str) -> Any:
    """The title of one of several panels."""
    import altair as alt

    return alt.TitleParams(one_line(title), fontSize=12, fontWeight="normal", anchor="start", frame="group", offset=6)


def one_line(text: str) -> str:
    r"""Text that an SVG can hold: control characters are written out.

    >>> one_line("a\nb"), one_line("AP@30")
    ('a\\nb', 'AP@30')
    """
    return shown(text, 0)


def names(items: Iterable[str]) -> dict[str, str]:
    r"""What each system is called in a figure: its name on one line, numbered where two would look the same.

    >>> names(["a", "b\n", "b\\n"])
    {'a': 'a', 'b\n': 'b\\n', 'b\\n': 'b\\n (2)'}
    """
    result: dict[str, str] = {}
    taken: set[str] = set()
    for item in items:
        plain = label = one_line(item)
        number = 1
        while label in taken:
            number += 1
            label = f"{plain} ({number})"
        taken.add(label)
        result[item] = label
    return result
