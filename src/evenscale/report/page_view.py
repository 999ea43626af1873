"""Everything the page's template shows, section by section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evenscale._version import __version__
from evenscale.oddities import Oddity
from evenscale.report import page_tables as tables
from evenscale.report import page_words as words
from evenscale.report.contents import Contents
from evenscale.report.grid import Grid
from evenscale.report.measured import MeasurePart
from evenscale.report.page_figures import Drawing, drawings
from evenscale.tables import shown

FEW = 30
"""Up to so many systems, tables behind figures are open from the start."""

SECTIONS = {
    "summary": "In ten seconds",
    "input": "What was evaluated",
    "leaderboard": "Leaderboard",
    "means": "Means and what separates them",
    "significance": "Which systems differ",
    "systems": "Spread of scores by system",
    "topics": "Topic by topic",
    "curves": "Precision and recall",
    "correlation": "Do the measures agree?",
    "scales": "The scale of each measure",
    "statements": "What may be said",
    "methods": "Methods, ready for a paper",
    "provenance": "Versions, options and input files",
}
"""The sections of the page: anchor and heading, in order."""


@dataclass(frozen=True, slots=True)
class Oddities:
    """Notes of one kind."""

    kind: str
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Part:
    """What the sections show of one measure."""

    label: str
    means: Drawing | None
    means_grid: Grid
    matrix_lines: Sequence[str]
    matrix: Drawing | None
    changed: Grid | None
    boxes: Drawing | None
    boxes_grid: Grid
    topics: Drawing | None
    topics_grid: Grid
    wins: Drawing | None
    wins_grid: Grid
    scale_lines: Sequence[str]
    scale: Drawing | None
    claim_lines: Sequence[str]
    order: Drawing | None
    reasons: Sequence[str]
    witnesses: Sequence[tuple[str, Sequence[str]]]
    flips: Grid | None


@dataclass(frozen=True, slots=True)
class PageView:
    """What the template shows."""

    title: str
    date: str
    about: str
    version: str
    few: bool
    sections: Mapping[str, str]
    tiles: Sequence[words.Tile]
    warnings: Sequence[str]
    facts: Sequence[tuple[str, str]]
    kinds: Grid
    oddities: Sequence[Oddities]
    board: Grid
    parts: Sequence[Part]
    curves: Drawing | None
    curves_grid: Grid | None
    correlation: Drawing | None
    correlation_grids: Sequence[Grid]
    claims: Drawing | None
    methods: str
    methods_latex: str
    bibtex: str
    references: Sequence[str]
    versions: Sequence[tuple[str, str]]
    options: Sequence[tuple[str, str]]
    files: Grid


def view_of(contents: Contents, title: str, date: str) -> PageView:
    """Lay out what was gathered."""
    numbers = {name: number for number, name in enumerate(contents.systems)}
    figures = drawings(contents)
    about, curves = contents.about, contents.precision_recall
    pairs = not contents.correlation.is_empty()
    return PageView(
        title=shown(title or about.title, 0),
        date=shown(date, 0) if date else "",
        about=words.about(contents, title or about.title),
        version=__version__,
        few=about.systems <= FEW,
        sections=SECTIONS,
        tiles=words.tiles(contents),
        warnings=words.warnings(contents),
        facts=words.facts(contents),
        kinds=tables.kinds(contents.parts),
        oddities=grouped(about.oddities),
        board=tables.board(contents.parts, numbers),
        parts=[_part(part, numbers, figures, k) for k, part in enumerate(contents.parts)],
        curves=figures.get("precision-recall"),
        curves_grid=None if curves.is_empty() else tables.curves(curves, numbers),
        correlation=figures.get("correlations"),
        correlation_grids=[
            tables.agreement(contents.agreement),
            *([tables.correlation(contents.correlation)] if pairs else []),
        ],
        claims=figures.get("claims"),
        methods=contents.methods.text,
        methods_latex=contents.methods.latex,
        bibtex=contents.methods.bibtex,
        references=[text for _, text in contents.methods.references],
        versions=list(about.versions.items()),
        options=_options({**about.options, **about.policy}),
        files=tables.files(about.files),
    )


def _part(part: MeasurePart, numbers: tables.Numbers, figures: Mapping[str, Drawing], k: int) -> Part:
    return Part(
        label=part.label,
        means=figures.get(f"means-{part.label}"),
        means_grid=tables.standings(part, numbers, f"means-{k}"),
        matrix_lines=words.matrix_lines(part),
        matrix=figures.get(f"differences-{part.label}"),
        changed=tables.changed_pairs(part, f"changed-{k}"),
        boxes=figures.get(f"boxes-{part.label}"),
        boxes_grid=tables.boxes(part.measure, numbers, f"boxes-{k}"),
        topics=figures.get(f"topics-{part.label}"),
        topics_grid=tables.topics(part.measure, f"topics-{k}"),
        wins=figures.get(f"wins-{part.label}"),
        wins_grid=tables.wins(part.measure, numbers, f"wins-{k}"),
        scale_lines=words.scale_lines(part),
        scale=figures.get(f"scale-{part.label}"),
        claim_lines=words.claim_lines(part),
        order=figures.get(f"order-{part.label}"),
        reasons=words.reasons(part),
        witnesses=words.witnesses(part),
        flips=tables.flips(part, f"flips-{k}"),
    )


def grouped(oddities: Sequence[Oddity]) -> list[Oddities]:
    """Notes by kind, in the order in which the kinds first appear.

    >>> grouped([Oddity("tie", "a", "x"), Oddity("gap", "b", "y"), Oddity("tie", "c", "z")])[0]
    Oddities(kind='tie', notes=['a: x', 'c: z'])
    """
    kinds = dict.fromkeys(oddity.kind for oddity in oddities)
    return [Oddities(kind, [shown(str(o), 0) for o in oddities if o.kind == kind]) for kind in kinds]


def _options(options: Mapping[str, object]) -> list[tuple[str, str]]:
    """
    >>> _options({"measures": ["AP", "P@10"], "depth": None})
    [('measures', 'AP, P@10'), ('depth', '–')]
    """
    return [
        (name, ", ".join(map(str, value)) if isinstance(value, list | tuple) else "–" if value is None else str(value))
        for name, value in options.items()
    ]
