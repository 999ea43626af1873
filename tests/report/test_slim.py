"""Slim SVG is the same picture: every mark with its shape, place and look is still there."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter

import pytest

from evenscale.report.figures import figures_of, rendered_svg
from evenscale.report.slim import slim
from report.pages import sample_contents

NAMES = ("means-AP@10", "differences-AP@10", "wins-AP@10", "boxes-AP@10", "scale-AP@10")
LOOKS = ("fill", "stroke", "stroke-width", "stroke-dasharray")
DOT = "M{r},0A{r},{r},0,1,1,-{r},0A{r},{r},0,1,1,{r},0"


@pytest.fixture(scope="module")
def drawn() -> dict[str, str]:
    figures = figures_of(sample_contents())
    return {name: rendered_svg(figures[name]) for name in NAMES}


def marks(svg: str) -> Counter[tuple[str, ...]]:
    """Every mark spelled out, the naive way: look inherited, circles as paths, rectangles one by one; texts too."""
    found: Counter[tuple[str, ...]] = Counter()

    def walk(node: ET.Element, look: dict[str, str], moved: str) -> None:
        own = {**look, **{name: node.attrib[name] for name in LOOKS if name in node.attrib}}
        kind = node.tag.partition("}")[2]
        place = moved + "|" + node.attrib.get("transform", "")
        if kind == "circle":
            dot = DOT.format(r=node.attrib["r"])
            found["path", f"{moved}|translate({node.attrib['cx']},{node.attrib['cy']})", dot, str(own)] += 1
        elif kind == "path":
            outlines = node.attrib["d"]
            cells = re.fullmatch(r"(?:M[^MZ]*Z)+", outlines) and "h" in outlines
            for outline in re.findall(r"M[^MZ]*Z", outlines) if cells else [outlines]:
                found["path", place, outline, str(own)] += 1
        elif kind in ("line", "text"):
            rest = {k: v for k, v in node.attrib.items() if k not in (*LOOKS, "transform", "font-family")}
            rest.pop("opacity", None)
            found[kind, place, str(rest), str(own), node.text or ""] += 1
        for child in node:
            walk(child, own, place if kind == "g" and "transform" in node.attrib else moved)

    walk(ET.fromstring(svg), {}, "")
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_same_marks_in_fewer_letters(drawn: dict[str, str], name: str) -> None:
    small = slim(drawn[name])
    assert marks(small) == marks(drawn[name])
    assert len(small) < 0.95 * len(drawn[name])


def test_another_colour_would_be_noticed(drawn: dict[str, str]) -> None:
    svg = drawn["differences-AP@10"]
    assert marks(slim(svg).replace("#1b4965", "#000000", 1)) != marks(svg)


def test_overlapping_rectangles_keep_their_order() -> None:
    cells = [f'<path d="M{x},0h5v5h-5Z" fill="#{x % 2}"/>' for x in range(0, 60, 3)]
    assert re.findall(r"M(\d+)", slim("".join(cells))) == [str(x) for x in range(0, 60, 3)]


def test_text_is_left_alone() -> None:
    svg = '<svg><text opacity="1">a opacity="1" fill="#1b4965"/&gt;</text></svg>'
    assert slim(svg) == svg.replace('<text opacity="1">', "<text>")
