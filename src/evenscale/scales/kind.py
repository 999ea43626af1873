"""Whether a measure is an interval scale as it is: decided from its lowest values, without building its scale."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cmp_to_key, lru_cache
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any

from evenscale.measures import Exact, Measure, Walk
from evenscale.measures.contract import Amount
from evenscale.measures.exact import compare, total
from evenscale.orders.universe import Universe
from evenscale.orders.values import Run, placed
from evenscale.scales.engine import ScaleTooLarge
from evenscale.scales.interval import Interval
from evenscale.scales.scale import interval_scale

LOOKED_AT = 32
"""So many of the lowest values are compared before the whole scale is."""
STEPS = 512
"""The most runs that are followed to find them."""
LISTED = 1 << 12
"""The most runs that are listed for a measure that is not monotone."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a measure's numbers permit.

    `interval`: its possible values are equally spaced, so differences and means have a meaning. `topicwise`: they
    depend on the recall base, so every topic has a scale of its own. `reason` is a clause for a sentence.
    """

    interval: bool
    topicwise: bool
    reason: str


@lru_cache(maxsize=256)
def scale_kind(measure: Measure, grades: int = 1) -> Kind:
    """The kind of scale that a measure is on runs with the grades 0 to `grades`.

    >>> from evenscale.measures import parse
    >>> scale_kind(parse("P@10"))
    Kind(interval=True, topicwise=False, reason='its possible values are equally spaced')
    >>> print(scale_kind(parse("RR@10")).reason)
    its possible values are not equally spaced: 0, 1/10, 1/9 follow each other
    >>> scale_kind(parse("AP")).reason
    'without a cut-off its possible values are not even known'
    """
    if isinstance(measure, Interval):
        even = measure.ties == "unq"
        reason = "it is an interval version" if even else f"ties={measure.ties!r} spoils the even spacing"
        return Kind(even, measure.surrogate, reason)
    topicwise = measure.recall_base
    if measure.total_by == "sum":
        return Kind(True, False, "it counts")
    if measure.cutoff is None:
        return Kind(False, topicwise, "without a cut-off its possible values are not even known")
    uneven = _uneven(measure, Universe(measure.cutoff, grades))
    if uneven is None:
        return Kind(True, topicwise, "its possible values are equally spaced")
    return Kind(False, topicwise, f"its possible values are not equally spaced{uneven}")


def _uneven(measure: Measure, universe: Universe) -> str | None:
    """None where the values are equally spaced; else a few that are not, as the end of a sentence."""
    if not (measure.replacement and measure.swap):
        return _listed(measure, universe)
    walk = measure.walk(universe.topic, universe.depth)
    if walk.kind == "whole numbers" or _flat(walk, universe):
        return None
    seen: list[Amount] = []
    for value in lowest_sums(walk, universe):
        seen.append(value)
        if len(seen) >= 3 and not _even(seen[-3:]):
            return f": {', '.join(_short(walk.finish(v)) for v in seen[-3:])} follow each other"
        if len(seen) >= LOOKED_AT:
            break
    try:
        return None if interval_scale(measure, grades=universe.grades).spacing().equispaced else ""
    except ScaleTooLarge:
        return ", as far as can be told"


def _flat(walk: Walk, universe: Universe) -> bool:
    """Whether every rank weighs the same and grades gain evenly, so that the sum of the grades is all that counts."""
    if walk.weight is None or walk.gain is None:
        return False
    first = walk.weight(1)
    gains = sorted({walk.gain(grade) for grade in range(universe.grades + 1)})
    return _even(gains) and all(walk.weight(rank) == first for rank in range(2, universe.depth + 1))


def _listed(measure: Measure, universe: Universe) -> str | None:
    if universe.size > LISTED:
        return ", as far as can be told"
    walk = measure.walk(universe.topic, universe.depth)
    values = placed(lambda run: total(walk.increments(run)), universe).values
    triples = zip(values, values[1:], values[2:], strict=False)
    uneven = next((triple for triple in triples if not _even(triple)), None)
    return None if uneven is None else f": {', '.join(_short(walk.finish(v)) for v in uneven)} follow each other"


def _even(values: Any) -> bool:
    gaps = [b - a for a, b in pairwise(values)]
    return all(gap == gaps[0] for gap in gaps)


def _short(value: Exact) -> str:
    exact = str(value)
    return exact if len(exact) <= 7 else f"{float(value):.4g}"


def lowest_sums(walk: Walk, universe: Universe, steps: int = STEPS) -> Iterator[Amount]:
    """The distinct sums of a monotone measure's walk, ascending, as many as can be found in so many steps.

    Every run is reached from the one without relevant documents by raising the grade in the last place and moving
    documents up, one step at a time; a measure that never falls on the way shows its values in order.

    >>> from evenscale.measures import parse
    >>> universe = Universe(4)
    >>> [str(value) for value in lowest_sums(parse("AP@4").walk(universe.topic, 4), universe)][:4]
    ['0', '1/4', '1/3', '1/2']
    """
    key = cmp_to_key(compare)
    start = (0,) * universe.depth
    waiting: list[tuple[Any, Run]] = [(key(total(walk.increments(start))), start)]
    met, last = {start}, None
    while waiting and steps:
        steps -= 1
        place, run = heappop(waiting)
        if last is None or compare(place.obj, last) != 0:
            last = place.obj
            yield last
        for better in _raised(run, universe.grades):
            if better not in met:
                met.add(better)
                heappush(waiting, (key(total(walk.increments(better))), better))


def _raised(run: Run, grades: int) -> Iterator[Run]:
    if run[-1] < grades:
        yield (*run[:-1], run[-1] + 1)
    for rank in range(len(run) - 1):
        if run[rank] < run[rank + 1]:
            yield (*run[:rank], run[rank + 1], run[rank], *run[rank + 2 :])
