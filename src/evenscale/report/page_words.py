"""The page's sentences: what the numbers say in ten seconds, and what each section shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from evenscale.oddities import named
from evenscale.prose import counted
from evenscale.report.contents import Contents
from evenscale.report.measured import MeasurePart, View
from evenscale.statements import Verdict
from evenscale.tables import shown

_POINTER = re.compile(r" \((?:see )?docs/[\w./-]+\)")
NAMED = 5
"""So many systems are named in a sentence."""


@dataclass(frozen=True, slots=True)
class Tile:
    """One answer of the summary: a heading, a few words in large letters, and sentences below."""

    title: str
    big: str
    lines: Sequence[str]


def about(contents: Contents, title: str) -> str:
    """What was evaluated, in one line; what the title says already is left out."""
    facts, names = contents.about, ", ".join(part.label for part in contents.parts)
    what = f"{counted(facts.systems, 'system')} on {counted(facts.topics, 'topic')}"
    return f"measured by {names}" if title == what else f"{what}, measured by {names}"


def facts(contents: Contents) -> list[tuple[str, str]]:
    """The facts about the input as terms and texts."""
    found = contents.about
    grades = ", ".join(f"grade {grade}: {count:,}" for grade, count in found.grades.iter_rows())
    least, middle, most = found.relevant
    return [
        ("Systems", f"{found.systems:,}"),
        ("Topics", f"{found.topics:,}"),
        ("Judgments", f"{found.judgments:,} ({grades})"),
        ("Relevant documents per topic", f"from {least:,} to {most:,}, median {middle:g}"),
        ("Test", f"{contents.testing.title}, alpha = {contents.testing.alpha:g}"),
    ]


def tiles(contents: Contents) -> list[Tile]:
    """The answers of the summary; those about one measure are about the first."""
    first = contents.parts[0]
    found = [_best(first), _differences(first, contents), _claims(first), _scale(first), _agreement(contents)]
    return [tile for tile in [*found, _oddities(contents)] if tile is not None]


def _best(part: MeasurePart) -> Tile:
    rows = part.measure.standings
    top = rows.row(0, named=True)
    sharing = rows.filter(rows["place"] == top["place"]).height
    lines = [f"{'Total' if part.counts else 'Mean'} {shown(top['mean'], 4)}."]
    if sharing > 1:
        lines[0] = f"Shares the first place with {counted(sharing - 1, 'other')}: {lines[0].lower()}"
    if part.measure.comparison is not None:
        lines.append(_beaten(part.measure, top["system"]))
    if part.interval is not None and rows.height > 1:
        lines.append(_best_on_interval(part, part.interval, top["system"]))
    return Tile(f"Best on {part.label}", shown(top["system"], 0), lines)


def _beaten(view: View, system: str) -> str:
    """How many systems the best one beats, and the names of those that it is not shown to be better than."""
    pairs = view.pairs.filter(view.pairs["system"] == system)
    states: dict[str, list[str]] = {"better": [], "not different": [], "worse": []}
    for other, state in pairs.select("other", "state").iter_rows():
        states[state].append(shown(other, 0))
    said = [f"Significantly better than {len(states['better']):,} of {counted(pairs.height, 'other')}"]
    if states["not different"]:
        said.append(f"not shown to differ from {named(states['not different'], NAMED)}")
    if states["worse"]:  # a test that does not compare means may say so
        said.append(f"significantly worse than {named(states['worse'], NAMED)}")
    return "; ".join(said) + "."


def _best_on_interval(part: MeasurePart, interval: View, system: str) -> str:
    place = part.leaderboard.filter(part.leaderboard["system"] == system)["interval_place"][0]
    if place == 1:
        return "First on the interval version too."
    return f"On the interval version it is number {place}; {shown(interval.standings['system'][0], 0)} is first."


def _differences(part: MeasurePart, contents: Contents) -> Tile | None:
    if part.measure.comparison is None:
        return None
    pairs = part.measure.pairs.height
    lines = [f"Test: {contents.testing.title}, alpha = {contents.testing.alpha:g}."]
    if part.changes is not None:
        changes = part.changes
        lines.append(
            f"On the interval version {changes.interval_significant:,}: significance is lost by {changes.s2ns:,} "
            f"and gained by {changes.ns2s:,}."
        )
    return Tile(f"Pairs that differ on {part.label}", f"{part.measure.significant:,} of {pairs:,}", lines)


def _claims(part: MeasurePart) -> Tile | None:
    if part.statements is None:
        return None
    found = part.statements.categories
    claims = sum(found.values()) - found["tie"]
    lines = ["The order of two means is safe where it is the same on any scale that keeps the order of scores."]
    if part.interval is not None:
        lines.append(f"{found['interval']:,} more hold on the interval version; {found['flips']:,} turn round there.")
    return Tile(f"Claims that survive on {part.label}", f"{found['any']:,} of {claims:,}", lines)


def _scale(part: MeasurePart) -> Tile:
    if part.kind.interval and not part.kind.topicwise:
        lines = [f"{part.label}: {part.kind.reason}.", "Differences and means of its scores have a meaning."]
        return Tile("Can means be trusted?", "Yes, it is an interval scale", lines)
    lines = [f"{part.label} is {'' if part.kind.interval else 'not '}an interval scale: {part.kind.reason}."]
    if part.kind.topicwise:
        lines.append("It depends on the recall base, so every topic has a scale of its own.")
    lines.append(
        "Believe what its interval version confirms."
        if part.interval is not None
        else f"No interval version: {part.reason}."
    )
    return Tile("Can means be trusted?", "With care", lines)


def _agreement(contents: Contents) -> Tile | None:
    known = contents.correlation.drop_nulls("before")
    if known.is_empty():
        return None
    least = known.sort("before").row(0, named=True)
    lines = [f"Kendall's tau between the rankings by {least['measure']} and {least['other']}, the lowest of all pairs."]
    if least["after"] is not None:
        lines.append(f"Between their interval versions it is {least['after']:.2f}.")
    return Tile("Do the measures agree?", f"tau ≥ {least['before']:.2f}", lines)


def _oddities(contents: Contents) -> Tile:
    counts = contents.about.oddity_counts()
    if not counts:
        return Tile("Is the input in order?", "Nothing odd", ["No note on judgments or runs."])
    kinds = ", ".join(f"{kind} ({count:,})" for kind, count in counts.items())
    return Tile("Is the input in order?", counted(len(contents.about.oddities), "note"), [f"About: {kinds}."])


def warnings(contents: Contents) -> list[str]:
    """What a reader must know before believing a number."""
    found = [
        f"{part.label} was not tested: {part.measure.untested}." for part in contents.parts if part.measure.untested
    ]
    found += [f"{part.label} has no interval version: {part.reason}." for part in contents.parts if _lacks(part)]
    return [shown(line, 0) for line in found]


def _lacks(part: MeasurePart) -> bool:
    return part.interval is None and not part.counts and not part.kind.interval


BOARD = (
    "Each measure stands beside its interval version, on which all possible values are equally far apart; the arrow "
    "says how many places a system gains or loses there."
)
CARD = "A system's name opens its scores and marks it in every table."
MEANS = (
    "Points are means over topics, bars are simultaneous intervals: where the bars of two systems do not overlap, "
    "Tukey's HSD test finds a difference between them. A tier holds systems that cannot be told apart from its best."
)
MATRIX = (
    "Systems stand in the order of their means, best first. Each cell compares the system of its row with that of its "
    "column."
)
CORRELATION = (
    "Kendall's tau between the rankings of the systems by two measures, and by their interval versions: 1 where the "
    "rankings are the same, 0 where they have nothing to do with each other."
)
SCALES = (
    "All possible values of a measure in order. On an interval scale they lie on the straight line, and one step is "
    "worth as much as any other. Off the line, a difference of 0.1 means different things at different places."
)
STATEMENTS = (
    "That one system's mean is above another's is safe to say where it is true however the scores are rescaled "
    "without changing their order. Otherwise it depends on the scale; then the interval version is asked, and it "
    "agrees or says the opposite."
)


def matrix_lines(part: MeasurePart) -> list[str]:
    """What the significance matrix amounts to."""
    if part.measure.comparison is None:
        return [f"Not tested: {shown(part.measure.untested, 0)}."]
    said = f"{part.measure.significant:,} of {counted(part.measure.pairs.height, 'pair')} differ significantly."
    if part.changes is None:
        return [said]
    found = part.changes
    turned = f", {counted(found.turned, 'turns', 'turn')} round" if found.turned else ""
    return [
        f"{said} On the interval version it is {found.interval_significant:,}: significance is lost by "
        f"{counted(found.s2ns, 'pair')} and gained by {found.ns2s:,}{turned}."
    ]


def scale_lines(part: MeasurePart) -> list[str]:
    """A measure's scale in words."""
    kind = f"{part.label} is {'' if part.kind.interval else 'not '}an interval scale: {part.kind.reason}."
    lines = [shown(kind, 0)]
    if part.kind.topicwise:
        lines.append(
            "It depends on the recall base, so every topic has a scale of its own; its interval version is a surrogate "
            "that puts them on one."
        )
    if part.scale is None:
        return [*lines, f"No picture: {shown(part.scale_reason, 0)}."]
    spacing = part.scale.spacing
    gaps = f" Gaps between neighbours run from {spacing.smallest_gap:.3g} to {spacing.largest_gap:.3g}."
    counts = (
        f"{counted(spacing.runs, 'possible run')} of length {spacing.depth} have {counted(spacing.values, 'value')}."
    )
    return [*lines, counts + ("" if spacing.equispaced else gaps)]


def claim_lines(part: MeasurePart) -> list[str]:
    """What becomes of the claims, in words."""
    if part.statements is None:
        return [f"Not judged: {shown(part.statements_reason, 0)}."]
    return [shown(_without_pointers(line), 0) for line in part.statements.sentences()]


def reasons(part: MeasurePart) -> list[str]:
    """Why the claims below depend on the scale, each reason once."""
    said = dict.fromkeys(dict(verdict.lines())["verdict"] for verdict in part.verdicts)
    return [_sentence(reason) for reason in said]


def witnesses(part: MeasurePart) -> list[tuple[str, list[str]]]:
    """Claims that turn round on another scale: the claim, then a rescaling that shows it, and the interval version."""
    return [_claim(verdict) for verdict in part.verdicts]


def _claim(verdict: Verdict) -> tuple[str, list[str]]:
    lines = dict(verdict.lines())
    rest = [_sentence(lines[heading]) for heading in ("witness", "interval version") if heading in lines]
    return _sentence(lines["statement"]), rest


def _sentence(text: str) -> str:
    plain = _without_pointers(text)
    return shown(f"{plain[:1].upper()}{plain[1:]}.", 0)


def _without_pointers(text: str) -> str:
    """A reader of the page does not have the manual's pages at hand.

    >>> _without_pointers("a surrogate (docs/scales.md), since topics differ (see docs/permissible.md)")
    'a surrogate, since topics differ'
    """
    return _POINTER.sub("", text)
