"""Means on every rescaling: the criterion both ways on thousands of random pairs."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from evenscale.statements.averages import Lead, Mean, freedom, terms_of, total_of
from evenscale.statements.bends import Bend, always, bend
from evenscale.statements.campaign import Campaign
from statements.search import campaign, random_scores, rescaled

A_B = {"A": 1, "B": -1}


def naive_sum(made: Campaign, weights: dict[str, float], bent: Bend) -> Fraction:
    """The sum of means under a rescaling, straight from its definition."""
    total = Fraction(0)
    for name, weight in weights.items():
        for t, level in enumerate(made.codes[:, made.system(name)].tolist()):
            total += Fraction(str(weight)) * bent.rescaled(t if made.topicwise else 0, level) / len(made.codes)
    return total


def found_bend(statement: Mean, made: Campaign) -> Bend:
    cells = statement.cells(made)
    terms = terms_of(made, cells)
    return bend(terms, freedom(made, terms), made.unit, total_of(made, cells))


def is_increasing(made: Campaign, bent: Bend) -> bool:
    """On all levels of the measure, not only those that the systems have."""
    scales = range(len(made.codes)) if made.topicwise else [0]
    rows = [[bent.rescaled(scale, level) for level in range(len(made.levels))] for scale in scales]
    return all(a < b for row in rows for a, b in pairwise(row))


@pytest.mark.parametrize("topicwise", [False, True])
def test_means_both_ways_on_random_pairs(topicwise: bool) -> None:
    rng = np.random.default_rng(1)
    seen = {"meaningful": 0, "depends": 0}
    statement = Mean(a="A", b="B")
    for _ in range(1500):
        made = campaign(random_scores(rng), topicwise=topicwise)
        verdict = statement.judge(made)
        seen[verdict.verdict] += 1
        if verdict.verdict == "meaningful":
            sums = rescaled(made, rng, 60).sum(axis=1)
            assert ((sums[:, 0] > sums[:, 1]) == verdict.true_as_computed).all()
            assert verdict.witness is None
            continue
        bent = found_bend(statement, made)
        assert is_increasing(made, bent)
        assert (naive_sum(made, A_B, bent) > 0) != verdict.true_as_computed
        assert verdict.witness is not None
        after = verdict.witness.after
        assert (after["A"] > after["B"]) != verdict.true_as_computed
        assert verdict.witness.bend == float(bent.least) < float(bent.share)
    assert min(seen.values()) > 150


@pytest.mark.parametrize("topicwise", [False, True])
def test_leads_both_ways_on_random_systems(topicwise: bool) -> None:
    rng = np.random.default_rng(2)
    seen = {"meaningful": 0, "depends": 0}
    for _ in range(700):
        made = campaign(random_scores(rng, systems=4, most=4), topicwise=topicwise)
        times = float(rng.choice([0.5, 1.0, 2.0, 3.0]))
        statement = Lead(a="A", b="B", c="C", d="D", times=times)
        weights = {"A": 1.0, "B": -1.0, "C": -times, "D": times}
        verdict = statement.judge(made)
        seen[verdict.verdict] += 1
        if verdict.verdict == "meaningful":
            whole = np.array([int(2 * weight) for weight in weights.values()])
            sums = rescaled(made, rng, 100).sum(axis=1) @ whole
            assert ((sums > 0) == verdict.true_as_computed).all()
            continue
        bent = found_bend(statement, made)
        assert is_increasing(made, bent)
        assert (naive_sum(made, weights, bent) > 0) != verdict.true_as_computed
    assert min(seen.values()) > 50


def test_the_search_finds_what_a_wrong_criterion_misses() -> None:
    """Control: taking the sign of the mean for an answer would be caught."""
    rng = np.random.default_rng(3)
    caught = 0
    for _ in range(200):
        made = campaign(random_scores(rng))
        means = rescaled(made, rng, 60).mean(axis=1)
        caught += len(set((means[:, 0] > means[:, 1]).tolist())) > 1
    assert caught > 20


def test_a_rescaling_that_turns_nothing_is_refused() -> None:
    made = campaign([[3, 1], [2, 2]])
    terms = terms_of(made, Mean(a="A", b="B").cells(made))
    assert always(freedom(made, terms)) is True
    with pytest.raises(ValueError, match="no step"):
        bend(terms, freedom(made, terms), made.unit, Fraction(1, 10))


def test_an_interval_scale_keeps_means_and_a_scale_for_each_topic_only_dominance() -> None:
    crossing, ahead = [[5, 1], [1, 4]], [[5, 1], [4, 4]]
    for matrix in (crossing, ahead):
        assert Mean(a="A", b="B").judge(campaign(matrix, scale="interval")).verdict == "meaningful"
    found = Mean(a="A", b="B").judge(campaign(crossing, scale="interval", topicwise=True))
    assert found.verdict == "depends"
    assert found.witness is not None
    assert found.witness.after["A"] < found.witness.after["B"]
    assert Mean(a="A", b="B").judge(campaign(ahead, scale="interval", topicwise=True)).verdict == "meaningful"


def test_units_of_topics_both_ways() -> None:
    """Interval scales by topic: only the units are free, and they are enough to turn means round."""
    rng = np.random.default_rng(4)
    for _ in range(400):
        made = campaign(random_scores(rng), scale="interval", topicwise=True)
        verdict = Mean(a="A", b="B").judge(made)
        units = 10 ** rng.integers(0, 7, size=(len(made.codes), 200))
        gaps = (made.scores.units[:, 0] - made.scores.units[:, 1]) // 10**9 @ units
        assert verdict.verdict == "depends" or ((gaps > 0) == verdict.true_as_computed).all()
        if verdict.witness:
            assert (verdict.witness.after["A"] > verdict.witness.after["B"]) != verdict.true_as_computed


def test_ties_of_means_are_exact() -> None:
    """A third three times is one: no rounding puts either ahead."""
    made = campaign([[10, 0]])
    third = 1 / 3
    scores = type(made.scores).of([[third, 1], [third, 0], [third, 0]], systems=["A", "B"], measure="M")
    found = Mean(a="A", b="B").judge(Campaign(scores, "interval", False, "for the test"))
    assert found.true_as_computed is False
    assert Mean(a="B", b="A").judge(Campaign(scores, "interval", False, "for the test")).true_as_computed is False


def test_one_topic_and_equal_systems() -> None:
    assert Mean(a="A", b="B").judge(campaign([[3, 1]])).verdict == "meaningful"
    same = Mean(a="A", b="B").judge(campaign([[3, 3], [1, 1]]))
    assert (same.verdict, same.true_as_computed) == ("meaningful", False)
    assert "same scores" in same.reason
