"""Which scale a printed number needs, and whether the measure has it."""

from __future__ import annotations

from collections.abc import Sequence

from evenscale.measures import Measure
from evenscale.scales import Interval
from evenscale.scales.kind import Kind, scale_kind
from evenscale.stats import TESTS

GUIDE = "see docs/statements.md"
WITHIN_TOPICS = ("sign", "friedman")
"""Tests that look at the order within topics only."""
POOLED = ("rank-sum", "kruskal")
"""Tests that look at the order of all scores together."""


def means_need(measures: Sequence[Measure], grades: int = 1) -> str:
    """One line on the measures whose means mean little, and what to do; empty where there are none.

    Interval versions beside a measure are the remedy, so it is not spoken of again.

    >>> from evenscale.scales import parse
    >>> print(means_need([parse("P@10"), parse("interval(AP@30)")]))
    <BLANKLINE>
    >>> print(means_need([parse("RR@10")]))
    means need an interval scale, which RR@10 is not: --interval takes its interval version; see docs/statements.md
    """
    answered = {m.measure for m in measures if isinstance(m, Interval)}
    asked = [m for m in measures if not isinstance(m, Interval) and m not in answered]
    kinds = {str(m): scale_kind(m, grades) for m in asked}
    weak = {name: kind for name, kind in kinds.items() if not kind.interval or kind.topicwise}
    if not weak:
        return ""
    listed, verb = ", ".join(weak), "is" if len(weak) == 1 else "are"
    remedy = _remedy([m for m in asked if str(m) in weak])
    return f"means need {_scale(list(weak.values()))}, which {listed} {verb} not: {remedy}; {GUIDE}"


def comparison_needs(measure: Measure, test: str, grades: int = 1) -> str:
    """One line where a test needs a scale that the measure does not have, and what to do; else empty.

    >>> from evenscale.scales import parse
    >>> print(comparison_needs(parse("AP@30"), "sign"))
    <BLANKLINE>
    >>> print(comparison_needs(parse("RR@10"), "t"))
    paired t needs an interval scale, which RR@10 is not: --interval takes its interval version; see docs/statements.md
    """
    if isinstance(measure, Interval) or test in WITHIN_TOPICS:
        return ""
    kind = scale_kind(measure, grades)
    enough = not kind.topicwise and (kind.interval or test in POOLED)
    if enough:
        return ""
    scale = "one scale for all topics" if test in POOLED else _scale([kind])
    return f"{TESTS[test].title} needs {scale}, which {measure} {_lacks(test)}: {_remedy([measure])}; {GUIDE}"


def _lacks(test: str) -> str:
    return "has not" if test in POOLED else "is not"


def _scale(kinds: Sequence[Kind]) -> str:
    return "an interval scale common to all topics" if any(kind.topicwise for kind in kinds) else "an interval scale"


def _remedy(measures: Sequence[Measure]) -> str:
    """What to do: an interval version needs a cut-off, and is a surrogate under the recall base."""
    words = (
        "--interval takes its interval version" if len(measures) == 1 else "--interval takes their interval versions"
    )
    uncut = [m for m in measures if m.cutoff is None]
    if uncut:
        return f"{words}, which {uncut[0]} has {'with a cut-off only' if uncut[0].takes_cutoff else 'not'}"
    return f"{words}, a surrogate" if all(m.recall_base for m in measures) and len(measures) == 1 else words
