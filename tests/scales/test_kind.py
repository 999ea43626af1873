"""The kind of scale a measure is, decided from its lowest values, held against the whole scale."""

from __future__ import annotations

from itertools import pairwise

import pytest

from evenscale.measures import Measure, parse
from evenscale.measures.exact import total
from evenscale.orders.universe import Universe
from evenscale.orders.values import placed
from evenscale.scales import interval
from evenscale.scales.kind import lowest_sums, scale_kind
from measures.cases import CASES

TAKING_CUTOFF = [text for text in CASES if parse(text).takes_cutoff and parse(text).total_by == "mean"]
UNIVERSES = [(n, 1) for n in range(1, 9)] + [(n, 2) for n in range(1, 6)] + [(n, 3) for n in range(1, 5)]


def at(text: str, depth: int) -> Measure:
    return parse(text) @ depth


def even(measure: Measure, universe: Universe) -> bool:
    """By listing: the sums before the topic's divisor, which cannot change what is even."""
    walk = measure.walk(universe.topic, universe.depth)
    values = placed(lambda run: total(walk.increments(run)), universe).values
    return len({b - a for a, b in pairwise(values)}) <= 1


@pytest.mark.parametrize("text", TAKING_CUTOFF)
def test_kind_is_what_listing_all_runs_finds(text: str) -> None:
    for depth, grades in UNIVERSES:
        measure = at(text, depth)
        gmax = getattr(measure, "gmax", None)
        if gmax is not None and gmax < grades:
            continue
        assert scale_kind(measure, grades).interval == even(measure, Universe(depth, grades)), (measure, grades)


@pytest.mark.parametrize("text", ["AP@6", "RR@6", "RBP(p=0.8)@6", "DCG@6", "ERR@6", "RBPO@6"])
@pytest.mark.parametrize("grades", [1, 2])
def test_lowest_sums_are_all_sums_in_order_when_nothing_stops_them(text: str, grades: int) -> None:
    universe = Universe(6, grades)
    measure = parse(text)
    walk = measure.walk(universe.topic, 6)
    listed = placed(lambda run: total(walk.increments(run)), universe).values
    assert list(lowest_sums(walk, universe, steps=universe.size)) == list(listed)


def test_interval_versions_counts_and_measures_without_cutoff() -> None:
    assert scale_kind(interval("RR@10")).interval
    assert not scale_kind(interval("RR@10")).topicwise
    assert scale_kind(interval("AP@10")).topicwise
    assert not scale_kind(parse("interval(RR@10,ties='mid')")).interval
    assert scale_kind(parse("NumRelRet")).interval
    assert not scale_kind(parse("P")).interval


def test_deep_measures_are_decided_without_their_scale() -> None:
    assert scale_kind(parse("P@1000")).interval
    for text in ("AP@1000", "nDCG@1000", "RR@1000", "ERR@100"):
        assert not scale_kind(parse(text)).interval
