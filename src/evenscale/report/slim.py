"""SVG in fewer letters: the same picture, small enough that a page can hold many.

A picture of a large campaign repeats itself: hundreds of marks that look alike, each with its look written out. Only
tags are touched, never the text between them: names are data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby, pairwise

from evenscale.report.theme import FONT

MANY = 4
"""From so many marks in a row on, what they have in common is written once."""
CELLS = 12
"""So many rectangles side by side make a heat map."""
ROUNDED = 0.05
"""Pixels by which coordinates may be off, being rounded."""

_TAG = re.compile(r"<[a-zA-Z][^<>]*>")
_MARK = r"<(?:path|line|circle|rect) [^<>]*/>"
_MARKS = re.compile(rf"(?:{_MARK}){{{MANY},}}")
_LOOK = re.compile(r' (?:fill|stroke|stroke-width|stroke-dasharray)="[^"]*"')
_CIRCLE = re.compile(
    r'^<path transform="translate\(([-\d.]+),([-\d.]+)\)" '
    r'd="M([\d.]+),0A\3,\3,0,1,1,-\3,0A\3,\3,0,1,1,\3,0"([^<>]*)/>$'
)
_RECTANGLE = re.compile(r'^<path d="(M([-\d.]+),([-\d.]+)h([\d.]+)v([\d.]+)h-[\d.]+Z)"/>$')


def slim(svg: str) -> str:
    """The same picture in fewer letters.

    >>> dots = "".join(f'<path transform="translate({x},1)" d="M2,0A2,2,0,1,1,-2,0A2,2,0,1,1,2,0" fill="#123" opacity="1"/>'
    ...                for x in range(4))
    >>> print(slim(dots))
    <g fill="#123"><circle cx="0" cy="1" r="2"/><circle cx="1" cy="1" r="2"/><circle cx="2" cy="1" r="2"/><circle cx="3" cy="1" r="2"/></g>
    >>> slim('<text opacity="1">a opacity="1"</text>')
    '<text>a opacity="1"</text>'
    """  # noqa: E501
    return _MARKS.sub(_grouped, _TAG.sub(_tag, svg))


def _tag(found: re.Match[str]) -> str:
    """One tag without what says nothing; a circle drawn as a path becomes a circle."""
    tag = found[0].replace(' opacity="1"', "").replace(f' font-family="{FONT}"', "")
    return _CIRCLE.sub(r'<circle cx="\1" cy="\2" r="\3"\4/>', tag)


def _grouped(found: re.Match[str]) -> str:
    """Marks that follow each other and look alike, with their look written once."""
    marks = [_parted(mark) for mark in re.findall(_MARK, found[0])]
    return "".join(_as_one(look, [shape for _, shape in group]) for look, group in groupby(_sorted(marks), _first))


def _first(mark: tuple[str, str]) -> str:
    return mark[0]


def _parted(mark: str) -> tuple[str, str]:
    """A mark's look, and its shape without it.

    >>> _parted('<path d="M0,0h1v1h-1Z" fill="#123"/>')
    (' fill="#123"', '<path d="M0,0h1v1h-1Z"/>')
    """
    return "".join(_LOOK.findall(mark)), _LOOK.sub("", mark)


def _sorted(marks: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The cells of a heat map by look; they lie side by side, so that their order does not matter. Else as they are."""
    found = [match for _, shape in marks if (match := _RECTANGLE.match(shape))]
    if len(found) < max(CELLS, len(marks)) or not _side_by_side(found):
        return marks
    return sorted(marks, key=_first)


def _side_by_side(found: list[re.Match[str]]) -> bool:
    """Whether rectangles lie in rows of one height without touching more than their edges.

    >>> rows = '<path d="M0,0h2v1h-2Z"/>', '<path d="M2,0h5v1h-5Z"/>', '<path d="M0,1h9v1h-9Z"/>', '<path d="M1,0h2v1h-2Z"/>'
    >>> cells = [match for row in rows if (match := _RECTANGLE.match(row))]
    >>> _side_by_side(cells[:3]), _side_by_side(cells)
    (True, False)
    """  # noqa: E501
    cells = sorted((float(m[3]), float(m[2]), float(m[4]), float(m[5])) for m in found)
    height = cells[0][3]
    if any(abs(cell[3] - height) > ROUNDED for cell in cells):
        return False
    return all(
        below - y >= height - ROUNDED or (abs(below - y) <= ROUNDED and after - x >= width - ROUNDED)
        for (y, x, width, _), (below, after, _, _) in pairwise(cells)
    )


def _as_one(look: str, shapes: list[str]) -> str:
    """A few marks as they were; many in a group, rectangles as one path."""
    if len(shapes) < MANY or not look:
        return "".join(shape.replace("/>", f"{look}/>", 1) for shape in shapes)
    found = [_RECTANGLE.match(shape) for shape in shapes]
    if all(found):
        return f'<path d="{"".join(_outlines(found))}"{look}/>'
    return f"<g{look}>{''.join(shapes)}</g>"


def _outlines(found: list[re.Match[str] | None]) -> Iterator[str]:
    return (match[1] for match in found if match)
