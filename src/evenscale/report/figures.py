"""All figures of a report by name, and how they become SVG text and files.

Each figure is a function from result rows to an Altair chart, for notebooks as for pages; nothing is computed here.
"""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenscale.errors import BadFile, BadParameter
from evenscale.report import theme
from evenscale.report.charts import save, scale_curve, tau_changes
from evenscale.report.figures_claims import MOST_ORDERED, claims, partial_order
from evenscale.report.figures_systems import boxplots, means_with_intervals, significance_matrix
from evenscale.report.figures_topics import TOP_CURVES, precision_recall, topic_difficulty, wins

if TYPE_CHECKING:
    from evenscale.report.contents import Contents
    from evenscale.report.measured import MeasurePart, View

__all__ = [
    "FORMATS",
    "PALETTE",
    "boxplots",
    "claims",
    "figures_of",
    "means_with_intervals",
    "partial_order",
    "precision_recall",
    "rendered_svg",
    "save_figures",
    "scale_curve",
    "significance_matrix",
    "tau_changes",
    "topic_difficulty",
    "wins",
]

PALETTE: dict[str, str] = {
    "INK": theme.INK,
    "SHADE_1": theme.SHADES[1],
    "SHADE_2": theme.SHADES[2],
    "PALE": theme.PALE,
    "ACCENT": theme.ACCENT,
    "TEXT": theme.TEXT,
    "SUBTLE": theme.SUBTLE,
    "QUIET": theme.QUIET,
    "GRID": theme.GRID,
    "PAPER": theme.PAPER,
}
"""Every colour in the figures by name, so that a page can turn each into another one."""

FORMATS = ("svg", "png", "pdf")


def figures_of(contents: Contents) -> dict[str, Any]:
    """Every figure of a report by a readable name; a figure that has nothing to show is not there.

    For each measure `means`, `differences`, `boxes`, `topics`, `wins` and `scale` (as in `means-AP@30`), then
    `precision-recall`, `correlations`, `claims`, and for each measure of a small campaign `order`.
    """
    from altair.utils import schemapi

    with schemapi.debug_mode(False):  # checking every piece while it is made takes most of the time
        return _all(contents)


def _all(contents: Contents) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for part in contents.parts:
        figures |= {f"{name}-{part.label}": chart for name, chart in _of_part(part, contents)}
    if contents.precision_recall.height:
        shown = min(TOP_CURVES, len(contents.systems))
        best = f"the best {shown} by {contents.parts[0].label}; the broad line is the median of all"
        figures["precision-recall"] = precision_recall(
            contents.precision_recall, title="Precision at eleven levels of recall", subtitle=best
        )
    changed = contents.correlation.drop_nulls()
    if changed.height:
        figures["correlations"] = tau_changes(changed, title="How much two measures agree on the order of the systems")
    return figures | dict(_of_claims(contents))


def _of_part(part: MeasurePart, contents: Contents) -> Iterator[tuple[str, Any]]:
    view, n = part.measure, len(contents.systems)
    labels = (part.label, part.interval.label if part.interval else "")
    yield (
        "means",
        means_with_intervals(
            part.leaderboard, title=f"{part.label}: means", subtitle=_means_words(view, contents), labels=labels
        ),
    )
    if view.pairs.height:
        yield (
            "differences",
            significance_matrix(
                view.pairs,
                view.standings["system"].to_list(),
                title=f"{part.label}: who differs from whom",
                subtitle=_pairs_words(part, contents),
                interval=part.interval.pairs if part.interval is not None and part.interval.pairs.height else None,
                labels=labels,
            ),
        )
    if not part.counts:
        far = "diamond: mean; rings: far out" if n <= theme.FEW else "pale line: far out"
        words = f"box: middle half of the topics; line in it: median; {far}"
        yield "boxes", boxplots(view.boxes, title=f"{part.label}: scores by system", subtitle=words, label=part.label)
        words = "bar: middle half of the systems; line: median; dot: best"
        yield (
            "topics",
            topic_difficulty(view.topics, title=f"{part.label}: scores by topic", subtitle=words, label=part.label),
        )
    if n > 1 and not part.counts:
        shown = view.places["system"].n_unique()
        words = "a dot marks the best" + (f"; the best {shown} of {n} systems" if shown < n else "")
        yield (
            "wins",
            wins(
                view.places,
                view.wins,
                view.topics["topic"].to_list(),
                n,
                title=f"{part.label}: who does well where",
                subtitle=words,
            ),
        )
    if part.scale is not None:
        spacing = part.scale.spacing
        even = "equally spaced" if spacing.equispaced else "not equally spaced"
        words = f"{spacing.values:,} possible values, {even}; dashed: equal spacing"
        yield "scale", scale_curve(part.scale.curve, title=f"{part.label}: its possible values", subtitle=words)


def _means_words(view: View, contents: Contents) -> list[str]:
    if view.comparison is None:
        return [f"no intervals: {view.untested}"]
    share = 100 * (1 - contents.testing.alpha)
    return [
        f"lines: simultaneous {share:g} % intervals (Tukey); dashed: lower end of the best one",
        f"filled: not different from the best ({contents.testing.title})",
    ]


def _pairs_words(part: MeasurePart, contents: Contents) -> list[str]:
    lines = [f"{contents.testing.title}, alpha = {contents.testing.alpha:g}; is the row better than the column?"]
    if part.changes is not None:
        c, few = part.changes, len(contents.systems) <= theme.FEW
        dots = " (dots)" if few and c.s2ns + c.ns2s else ""
        lines.append(
            f"{c.significant:,} of {c.pairs:,} pairs differ; on the interval version {c.interval_significant:,}: "
            f"{c.s2ns:,} lost, {c.ns2s:,} gained{dots}"
        )
    return lines


def _of_claims(contents: Contents) -> Iterator[tuple[str, Any]]:
    checked = [part for part in contents.parts if part.statements is not None]
    if checked:
        yield (
            "claims",
            claims(
                contents.claims,
                title="What becomes of the claim that one mean is above another",
                subtitle="all pairs of systems, by measure",
            ),
        )
    for part in checked:
        order = part.surviving
        if order and len(contents.systems) <= MOST_ORDERED and not (part.kind.interval and not part.kind.topicwise):
            alone = len(contents.systems) - len({system for pair in order for system in pair})
            yield (
                f"order-{part.label}",
                partial_order(
                    order,
                    part.measure.standings["system"].to_list(),
                    title=f"{part.label}: the order that no rescaling upsets",
                    subtitle=[
                        "a line leads down to a system that is lower whatever the scale",
                        f"not shown: {alone} systems that are neither above nor below another" if alone else "",
                    ],
                ),
            )


# --- SVG and files --------------------------------------------------------------------------------------------------


def rendered_svg(chart: Any, *, title: str = "", description: str = "", prefix: str = "") -> str:
    """A chart as SVG to be put into a page: transparent, with a view box, and with ids of its own.

    `title` and `description` are for readers who cannot see it; without them the chart's own title is taken. `prefix`
    goes before every id, so that several pictures can stand on one page; without one it is made from the content.
    """
    import vl_convert as vlc

    specification = chart.to_dict(validate=False)
    own = specification.get("title") or {}
    specification.setdefault("config", {}).update(background=None, aria=False)
    specification["background"] = None
    svg = vlc.vegalite_to_svg(json.dumps(specification))
    prefix = prefix or f"f{hashlib.sha256(svg.encode()).hexdigest()[:8]}-"
    lines = " ".join(own.get("subtitle") or [])
    return _accessible(_own_ids(_compact(svg), prefix), title or own.get("text", ""), description or lines, prefix)


_TAG = re.compile(r"<[a-zA-Z][^<>]*>")
"""A tag with its attributes; text between tags has no raw bracket."""
_SILENT = re.compile(r' (?:aria-[a-z]+|role|class|pointer-events|stroke-miterlimit)="[^"]*"')
_DEFAULTS = re.compile(r' (?:opacity="1"|stroke-width="1"|transform="translate\(0,0\)")')
_PLACES = re.compile(r'(?<= )(?:d|transform|x|y|width|height|x1|x2|y1|y2|points|font-size|stroke-width)="[^"]*"')
_LONG = re.compile(r"-?\d+\.\d{2,}")


def _compact(svg: str) -> str:
    """Shorter numbers in coordinates, and nothing that says nothing; text is left alone."""
    svg = _TAG.sub(_compact_tag, svg)
    return svg.replace('<path d="M0,0h0v0h0Z"/>', "").replace('<path d="" display="none"/>', "")


def _compact_tag(tag: re.Match[str]) -> str:
    kept = _DEFAULTS.sub("", _SILENT.sub("", tag[0]))
    return _PLACES.sub(lambda attribute: _LONG.sub(_shorter, attribute[0]), kept)


def _shorter(number: re.Match[str]) -> str:
    """
    >>> _shorter(re.match(r".*", "12.3456789")), _shorter(re.match(r".*", "-0.001"))
    ('12.35', '0')
    """
    text = f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _own_ids(svg: str, prefix: str) -> str:
    """Ids, and what refers to them, with a prefix; text is left alone."""
    return _TAG.sub(lambda tag: re.sub(r'(?<=\bid=")|(?<=url\(#)|(?<=href="#)', prefix, tag[0]), svg)


def _accessible(svg: str, title: str, description: str, prefix: str) -> str:
    head = f'role="img" aria-labelledby="{prefix}title {prefix}desc"'
    inner = (
        f'<title id="{prefix}title">{html.escape(title)}</title>'
        f'<desc id="{prefix}desc">{html.escape(description)}</desc>'
    )
    return re.sub(r"<svg([^>]*)>", lambda m: f"<svg {head}{m[1]}>{inner}", svg, count=1)


def save_figures(contents: Contents, folder: str | os.PathLike[str], formats: Iterable[str] = FORMATS) -> list[Path]:
    """Write every figure in every format, each whole or not at all; returns the paths.

    Names are readable: `means-AP30.svg`, `precision-recall.pdf`. A folder that is missing is made.
    """
    wanted = list(dict.fromkeys(formats))
    if unknown := [f for f in wanted if f not in FORMATS]:
        raise BadParameter(f"formats must be among {', '.join(FORMATS)}, got {unknown[0]!r}")
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(place, f"cannot make this folder: {error.strerror}") from None
    paths = []
    for name, chart in figures_of(contents).items():
        for suffix in wanted:
            path = place / f"{file_name(name)}.{suffix}"
            save(chart, path)
            paths.append(path)
    return paths


def file_name(name: str) -> str:
    """A figure's name as a file's: letters, digits, dots and dashes; `@` is left out.

    >>> file_name("means-AP@30"), file_name("means-RBP(p=0.8)@10"), file_name("scale-DCG(dcg='jk',base=2)@5")
    ('means-AP30', 'means-RBP-p0.8-10', 'scale-DCG-dcg-jk-base2-5')
    """
    return re.sub(r"[^A-Za-z0-9.]+", "-", name.replace("=", "").replace("@", "")).strip("-.")
