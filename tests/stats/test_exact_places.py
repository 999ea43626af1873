"""Exact order of scores: against sorting the exact values one by one."""

from __future__ import annotations

from functools import cmp_to_key

import numpy as np
import pytest

from evenscale import evaluate, parse, sample
from evenscale.measures.exact import compare
from evenscale.stats.exact_places import exact_places

MEASURES = ["AP@20", "nDCG@10", "DCG@10", "RBP(p=0.3)@40", "RR@10", "P@10", "R@20", "ERR@10", "F@10"]


@pytest.fixture(scope="module")
def result():
    campaign = sample()
    return evaluate(campaign.qrels, campaign.runs[:3], [*MEASURES, "interval(RR@10)", "AP", "Judged@10"])


@pytest.mark.parametrize("text", MEASURES)
def test_places_are_those_of_the_exact_values(result, text: str) -> None:
    places = exact_places(result, parse(text))
    assert places is not None
    exact = [result.exact(text, run, topic) for topic in result.topics for run in result.runs]
    ordered = sorted(set(exact), key=cmp_to_key(compare))
    assert places.reshape(-1).tolist() == [ordered.index(value) for value in exact]


def test_floats_would_merge_what_is_different(result) -> None:
    """RBP with small p has values closer than ten decimals, and closer than floats can tell."""
    text = "RBP(p=0.3)@40"
    places = exact_places(result, parse(text))
    assert places is not None
    assert len(np.unique(np.round(result.matrix(text), 10))) < len(np.unique(places))


def test_places_of_an_interval_version_are_those_of_its_ranks(result) -> None:
    plain, ranked = exact_places(result, parse("RR@10")), exact_places(result, parse("interval(RR@10)"))
    np.testing.assert_array_equal(plain, ranked)


@pytest.mark.parametrize("text", ["AP", "Judged@10"])
def test_not_offered_without_a_cut_off_or_for_measures_of_the_judging(result, text: str) -> None:
    assert exact_places(result, parse(text)) is None
