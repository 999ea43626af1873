"""The figures in the page: each drawn once as SVG, and coloured anew in dark mode."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from evenscale.report.contents import Contents
from evenscale.report.figures import PALETTE, figures_of, rendered_svg
from evenscale.report.slim import slim

ENLARGED = 1.3
"""Figures are drawn for a column of a paper; on a page they may be larger."""
TALL = 900
"""A figure higher than this many pixels gets a box to scroll in."""

DARK = {
    "INK": "#9fd0ee",
    "SHADE_1": "#5f9cbf",
    "SHADE_2": "#3a6580",
    "PALE": "#26323c",
    "ACCENT": "#f0a35e",
    "TEXT": "#e4e9ee",
    "SUBTLE": "#a3aeb9",
    "QUIET": "#8b959f",
    "GRID": "#2c3640",
    "PAPER": "#12171c",
}
"""What becomes of the figures' colours on a dark page: light and dark change places, hues stay."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure in the page, as SVG."""

    anchor: str
    name: str
    svg: Markup
    tall: bool


def drawings(contents: Contents) -> dict[str, Drawing]:
    """Every figure of the report by its name, such as `means-AP@30`."""
    return {
        name: _drawing(f"figure-{number}", name, slim(rendered_svg(chart, prefix=f"f{number}-")))
        for number, (name, chart) in enumerate(figures_of(contents).items(), 1)
    }


def _drawing(anchor: str, name: str, svg: str) -> Drawing:
    found = re.match(r'(<svg[^>]*?) width="([\d.]+)" height="([\d.]+)"', svg)
    if found is None:
        raise ValueError(f"the figure {name!r} has no size")
    width, height = (round(float(size) * ENLARGED) for size in found.groups()[1:])
    sized = f'{found[1]} width="{width}" height="{height}"{svg[found.end() :]}'
    return Drawing(anchor, name, Markup(sized), height > TALL)  # noqa: S704 - drawn by Vega, which escapes names


def dark_colours(palette: Mapping[str, str] = PALETTE) -> str:
    """Style that turns the figures' colours into those of a dark page where the page is dark.

    >>> print(dark_colours({"INK": "#1b4965"}))
    :root { --figure-ink: #1b4965; }
    @media screen and (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { --figure-ink: #9fd0ee; } }
    @media screen { :root[data-theme="dark"] { --figure-ink: #9fd0ee; } }
    .drawing [fill="#1b4965"] { fill: var(--figure-ink); }
    .drawing [stroke="#1b4965"] { stroke: var(--figure-ink); }
    <BLANKLINE>
    """
    names = {name: f"--figure-{name.lower().replace('_', '-')}" for name in palette}
    light = " ".join(f"{names[name]}: {colour};" for name, colour in palette.items())
    dark = " ".join(f"{names[name]}: {DARK[name]};" for name in palette)
    lines = [
        f":root {{ {light} }}",
        f'@media screen and (prefers-color-scheme: dark) {{ :root:not([data-theme="light"]) {{ {dark} }} }}',
        f'@media screen {{ :root[data-theme="dark"] {{ {dark} }} }}',
        *(
            f'.drawing [{what}="{colour}"] {{ {what}: var({names[name]}); }}'
            for name, colour in palette.items()
            for what in ("fill", "stroke")
        ),
    ]
    return "\n".join(lines) + "\n"
