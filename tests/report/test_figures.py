"""Figures draw the rows they are given: specifications hold, names stay text, colours are known, files are whole."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import pairwise
from typing import Any
from xml.dom import minidom
from xml.etree import ElementTree

import polars as pl
import pytest

from evenscale.bundled import sample
from evenscale.errors import BadFile, BadParameter
from evenscale.report import figures, theme
from evenscale.report.charts import tau_changes
from evenscale.report.contents import Contents, gather
from evenscale.report.figures import PALETTE, figures_of, file_name, rendered_svg, save_figures
from evenscale.report.figures_claims import CLAIMS, claims, partial_order
from evenscale.report.figures_systems import boxplots, means_with_intervals, significance_matrix
from evenscale.report.figures_topics import precision_recall, topic_difficulty, wins

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"d": 1, "a": 0}, "q3": {"e": 1, "f": 1}}
GOOD = {"q1": {"c": 2.0, "a": 1.0}, "q2": {"d": 1.0}, "q3": {"e": 2.0, "f": 1.0}}
POOR = {"q1": {"b": 2.0, "a": 1.0}, "q3": {"x": 1.0, "e": 0.5}}
FAIR = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"x": 3.0, "d": 1.0}, "q3": {"f": 1.0}}
HOSTILE = (
    "<script>alert(1)</script>",
    'quote"and\nline\x00',
    "x" * 300,
    "]]>&amp;</svg>",
    "{{7*7}} ${1+1}",
    "\\n",
    "\n",
)


@cache
def contents() -> Contents:
    return gather(*sample(), ["RR@10", "P@10"])


@cache
def drawn() -> dict[str, Any]:
    return figures_of(contents())


@cache
def hostile() -> Contents:
    runs = (GOOD, POOR, FAIR)
    return gather(QRELS, {name: runs[k % 3] for k, name in enumerate(HOSTILE)}, ["AP@3", "RR@3"], title="<b>t</b>\n")


def rows_in(chart: Any) -> list[list[dict[str, Any]]]:
    """The data of every layer, in the order of the specification."""
    specification = chart.to_dict()
    found = []

    def look(node: Any) -> None:
        if isinstance(node, dict):
            if isinstance(node.get("data"), dict):
                found.append(json.loads(specification["datasets"][node["data"]["name"]]))
            for key, value in node.items():
                if key != "datasets":
                    look(value)
        elif isinstance(node, list):
            for value in node:
                look(value)

    look(specification)
    return found


def texts_in(svg: str) -> list[str]:
    """Every text of a picture as a reader sees it."""
    return ["".join(node.itertext()) for node in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def columns(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def test_a_report_has_all_its_figures() -> None:
    each = ("means", "differences", "boxes", "topics", "wins", "scale")
    wanted = [f"{name}-{label}" for label in ("RR@10", "P@10") for name in each]
    # P@10 is an interval scale: its order is a chain and not worth a picture.
    assert list(drawn()) == [*wanted, "precision-recall", "correlations", "claims", "order-RR@10"]


def test_every_specification_is_valid_and_speaks_for_itself() -> None:
    for name, chart in drawn().items():
        found = chart.to_dict()  # Altair checks it against the schema of Vega-Lite
        assert found["title"]["text"], name
        assert found["config"]["font"] == theme.FONT


def test_the_check_of_specifications_can_fail() -> None:
    chart = means_with_intervals(contents().parts[0].leaderboard, title="t")
    chart.hconcat[0].height = {"step": "wide"}
    with pytest.raises(Exception, match="wide"):
        chart.to_dict()


def test_means_hold_the_leaderboard() -> None:
    board = contents().parts[0].leaderboard
    rows = rows_in(drawn()["means-RR@10"])
    assert columns(rows[1], "label", "mean", "low", "high", "tier", "place") == list(
        board.select("system", "mean", "low", "high", "tier", "place").iter_rows()
    )
    prefix = [f"interval_{name}" for name in ("mean", "low", "high", "tier")]
    assert columns(rows[4], "mean", "low", "high", "tier") == list(board.select(prefix).iter_rows())
    assert rows[0] == [{"low": board["low"][0]}]


def test_matrix_holds_every_pair_twice() -> None:
    view = contents().parts[0].measure
    place = {name: k for k, name in enumerate(view.standings["system"].to_list())}
    cells = {(row["row"], row["column"]): row for row in rows_in(drawn()["differences-RR@10"])[0]}
    assert len(cells) == 24 * 23
    opposite = {"better": "worse", "worse": "better", "not different": "not different"}
    for system, other, state in view.pairs.select("system", "other", "state").iter_rows():
        assert cells[system, other]["state"] == state and cells[other, system]["state"] == opposite[state]
        assert (cells[system, other]["from"], cells[system, other]["to"]) == (place[other], place[other] + 1)


def test_dots_mark_what_changed() -> None:
    part = contents().parts[0]
    dots = rows_in(drawn()["differences-RR@10"])[2]
    assert len(dots) == 2 * (part.changes.s2ns + part.changes.ns2s + part.changes.turned) > 0
    assert len(rows_in(drawn()["differences-P@10"])) == 2


def test_many_systems_are_drawn_as_spans_that_cover_the_same_squares() -> None:
    names = [f"s{k:02d}" for k in range(45)]
    states = ("better", "not different", "worse")
    pairs = [(a, b, states[(i * j) % 3]) for i, a in enumerate(names) for j, b in enumerate(names) if i < j]
    frame = pl.DataFrame(pairs, schema=["system", "other", "state"], orient="row")
    spans = rows_in(significance_matrix(frame, names, title="t"))[0]
    cells = {(span["row"], names[c]): span["state"] for span in spans for c in range(span["from"], span["to"])}
    assert len(cells) == 45 * 44 == sum(span["to"] - span["from"] for span in spans) > len(spans)
    assert all(cells[a, b] == state for a, b, state in pairs)


def test_boxes_and_topics_hold_their_frames() -> None:
    view = contents().parts[0].measure
    rings, boxes = rows_in(drawn()["boxes-RR@10"])[:2]
    kept = ("low", "q1", "median", "q3", "high", "mean")
    assert columns(boxes, "label", *kept) == list(view.boxes.select("system", *kept).iter_rows())
    assert columns(rings, "label", "score") == [
        (system, score) for system, scores in view.boxes.select("system", "outliers").iter_rows() for score in scores
    ]
    kept = ("relevant", "worst", "q1", "median", "q3", "best")
    topics = rows_in(drawn()["topics-RR@10"])[0]
    assert columns(topics, "label", *kept) == list(view.topics.select("topic", *kept).iter_rows())


def test_wins_hold_places_and_counts() -> None:
    view = contents().parts[0].measure
    cells, dots, tally = rows_in(drawn()["wins-RR@10"])
    assert columns(cells, "label", "column", "place") == list(
        view.places.select("system", "topic", "place").iter_rows()
    )
    assert len(dots) == view.wins["wins"].sum() == sum(row["wins"] for row in tally)


def test_curves_are_those_of_the_best_and_the_median() -> None:
    middle, best = rows_in(drawn()["precision-recall"])[:2]
    curves = contents().precision_recall
    assert [row["precision"] for row in middle] == curves.filter(pl.col("system").is_null())["precision"].to_list()
    assert list(dict.fromkeys(row["label"] for row in best)) == list(contents().systems[:5])
    assert (
        columns(best, "label", "recall", "precision") == curves.head(55).select("system", "recall", "precision").rows()
    )


def test_claims_add_up() -> None:
    bars = rows_in(drawn()["claims"])[0]
    for part in contents().parts:
        own = [row for row in bars if row["measure"] == part.label]
        assert {row["category"]: row["pairs"] for row in own} == {
            category: pairs for category, pairs in part.statements.categories.items() if pairs
        }
        assert own[0]["from"] == 0 and own[-1]["to"] == pytest.approx(1)
        assert all(a["to"] == b["from"] for a, b in pairwise(own))


def test_order_leads_down() -> None:
    part = contents().parts[0]
    lines, points = rows_in(drawn()["order-RR@10"])[:2]
    height = {row["label"]: row["height"] for row in points}
    assert set(height) == {system for pair in part.surviving for system in pair}
    assert all(height[above] > height[below] for above, below in part.surviving)
    ends = [[row["height"] for row in lines if row["line"] == k] for k in range(len(part.surviving))]
    assert [(max(e), min(e)) for e in ends] == [(height[above], height[below]) for above, below in part.surviving]


def test_figures_are_functions_of_frames() -> None:
    """For notebooks: each can be called on rows made by hand."""
    one = pl.DataFrame({"system": ["a"], **{key: [0.5] for key in ("low", "q1", "median", "q3", "high", "mean")}})
    places = pl.DataFrame({"system": ["a"], "topic": ["1"], "place": [1.0], "wins": [True]})
    topics = pl.DataFrame(
        {"topic": ["1"], "relevant": [3], **{k: [0.5] for k in ("worst", "q1", "median", "q3", "best")}}
    )
    counts = pl.DataFrame({"measure": ["AP"], "category": ["any"], "pairs": [3]})
    curve = pl.DataFrame({"system": ["a", None], "recall": [0.0, 0.0], "precision": [0.5, 0.5]})
    between = pl.DataFrame({"measure": ["AP"], "other": ["P"], "before": [0.5], "after": [0.6]})
    for chart in (
        boxplots(one.with_columns(outliers=pl.Series([[0.9]])), title="t"),
        wins(places, pl.DataFrame({"system": ["a"], "wins": [1]}), ["1"], 1, title="t"),
        topic_difficulty(topics, title="t"),
        claims(counts, title="t"),
        precision_recall(curve, title="t"),
        tau_changes(between, title="t"),
        partial_order([("a", "b")], ["a", "b"], title="t"),
    ):
        assert chart.to_dict()["title"]["text"] == "t"


# --- SVG and files --------------------------------------------------------------------------------------------------


def test_svg_stands_alone_on_a_page() -> None:
    first, second = (rendered_svg(drawn()[name]) for name in ("means-RR@10", "differences-RR@10"))
    for svg in (first, second):
        root = minidom.parseString(svg).documentElement
        assert root.getAttribute("role") == "img" and root.getAttribute("viewBox")
        ids = re.findall(r'\bid="([^"]*)"', svg)
        assert len(set(ids)) == len(ids) and root.getAttribute("aria-labelledby").split() == ids[:2]
        assert "RR@10" in root.getElementsByTagName("title")[0].firstChild.data
        assert root.getElementsByTagName("desc")[0].firstChild.data
        used = set(re.findall(r"url\(#([^)]*)\)", svg))
        assert used <= set(ids)
    assert not set(re.findall(r'\bid="([^"]*)"', first)) & set(re.findall(r'\bid="([^"]*)"', second))
    named = rendered_svg(drawn()["means-RR@10"], title="<own>", description="words", prefix="p1-")
    assert 'id="p1-title"' in named and "&lt;own&gt;" in named and ">words<" in named


def test_svg_ids_are_prefixed_where_they_are_used() -> None:
    svg = figures._own_ids('<clipPath id="clip0"/><g clip-path="url(#clip0)"/><use href="#clip0"/>', "a-")
    assert svg == '<clipPath id="a-clip0"/><g clip-path="url(#a-clip0)"/><use href="#a-clip0"/>'


def test_svg_is_made_shorter_in_tags_only() -> None:
    svg = '<path opacity="1" role="x" d="M0.12345,1"/><text class="c"> role="x" d="0.12345" id="</text>'
    short = figures._own_ids(figures._compact(svg), "a-")
    assert short == '<path d="M0.12,1"/><text> role="x" d="0.12345" id="</text>'


def test_figures_use_known_colours_only() -> None:
    assert set(PALETTE.values()) == set(theme.COLOURS)
    for name in ("means-RR@10", "differences-RR@10", "boxes-RR@10", "wins-RR@10", "claims", "precision-recall"):
        colours = re.findall(r'(?:fill|stroke)="([^"]*)"', rendered_svg(drawn()[name]))
        assert set(colours) - {"none", "transparent"} <= set(PALETTE.values()), name


def test_shades_differ_in_lightness() -> None:
    def lightness(colour: str) -> float:
        red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    stacked = {colour for _, colour in CLAIMS.values()} - {CLAIMS["depends"][1]}  # which is never beside the others
    for group in (theme.SHADES, (theme.INK, theme.ACCENT, theme.PALE), stacked):
        shades = sorted(lightness(colour) for colour in group)
        assert all(b - a > 30 for a, b in pairwise(shades))


@pytest.mark.parametrize("name", ["means-AP@3", "differences-AP@3", "wins-AP@3", "precision-recall"])
def test_names_stay_text(name: str) -> None:
    svg = rendered_svg(figures_of(hostile())[name])
    root = minidom.parseString(svg)
    assert not root.getElementsByTagName("script")
    texts = texts_in(svg)
    assert any(text.startswith("<script>") for text in texts)
    if name != "precision-recall":
        assert {"]]>&amp;</svg>", "{{7*7}} ${1+1}", "\\n", "\\n (2)"} <= set(texts)
        assert any(text.startswith("xxx") and text.endswith("…") for text in texts)


def test_small_campaigns_can_be_drawn() -> None:
    for runs in ({"only": GOOD}, {"good": GOOD, "poor": POOR}):
        found = figures_of(gather(QRELS, runs, ["AP@3"]))
        assert ("differences-AP@3" in found) == (len(runs) > 1)
        for name in ("means-AP@3", "boxes-AP@3", "topics-AP@3"):
            assert minidom.parseString(rendered_svg(found[name]))


def test_saved_figures_have_readable_names(tmp_path) -> None:
    small = gather(QRELS, {"good": GOOD}, ["P@3"])
    paths = save_figures(small, tmp_path / "figures", formats=("svg", "png", "pdf"))
    names = {
        f"{name}-P3.{suffix}" for name in ("means", "boxes", "topics", "scale") for suffix in ("svg", "png", "pdf")
    }
    names |= {f"precision-recall.{suffix}" for suffix in ("svg", "png", "pdf")}
    assert {path.name for path in paths} == names == {path.name for path in (tmp_path / "figures").iterdir()}
    heads = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF"}
    assert all(path.read_bytes().startswith(heads[path.suffix]) for path in paths)


def test_figures_that_cannot_be_saved_are_an_error(tmp_path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadFile, match="cannot make this folder"):
        save_figures(hostile(), tmp_path / "file" / "figures")
    with pytest.raises(BadParameter, match="formats must be among svg, png, pdf, got 'gif'"):
        save_figures(hostile(), tmp_path / "figures", formats=("gif",))
    assert not (tmp_path / "figures").exists()


def test_file_names_do_not_collide_for_different_parameters() -> None:
    labels = ("RBP(p=0.8)@10", "RBP(p=0.81)@10", "RBP(p=0.8)@1", "DCG(base=2)@5", "nDCG@5", "AP@5", "AP")
    assert len({file_name(f"means-{label}") for label in labels}) == len(labels)


def test_an_axis_of_one_value_is_labelled_rightly() -> None:
    """Values that are all alike make an axis without width, whose one label is rounded to a whole number."""
    lone = gather({"q1": {"a": 1, "b": 1, "c": 1}}, {"only": {"q1": {"x": 3.0, "y": 2.0, "a": 1.0}}}, ["AP@5"])
    labels = texts_in(rendered_svg(figures_of(lone)["means-AP@5"]))
    assert {"0.00", "0.10"} <= set(labels), labels
    rows = pl.DataFrame({"measure": ["P@5"], "other": ["R@5"], "before": [0.9565], "after": [0.9565]})
    assert "0.8" in texts_in(rendered_svg(tau_changes(rows, title="t")))
