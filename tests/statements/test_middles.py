"""Medians, quantiles and modes on every rescaling, against a random search."""

from __future__ import annotations

import numpy as np
import pytest

from evenscale.errors import BadParameter
from evenscale.statements.middles import Median, Mode, Quantile
from statements.search import campaign, random_scores, rescaled


def medians(scores: np.ndarray, places: tuple[int, ...]) -> np.ndarray:  # type: ignore[type-arg]
    return np.sort(scores, axis=1)[:, list(places)].sum(axis=1)


@pytest.mark.parametrize("topicwise", [False, True])
@pytest.mark.parametrize("statement", [Median(a="A", b="B"), Quantile(a="A", b="B", at=0.3)])
def test_medians_and_quantiles_both_ways(statement: Median, topicwise: bool) -> None:
    rng = np.random.default_rng(5)
    seen = {"meaningful": 0, "depends": 0}
    for _ in range(500):
        made = campaign(random_scores(rng), topicwise=topicwise)
        verdict = statement.judge(made)
        seen[verdict.verdict] += 1
        found = medians(rescaled(made, rng, 60), statement.places(len(made.codes)))
        if verdict.verdict == "meaningful":
            assert ((found[:, 0] > found[:, 1]) == verdict.true_as_computed).all()
        else:
            assert verdict.witness is not None
            after = verdict.witness.after
            assert (after["A"] > after["B"]) != verdict.true_as_computed
    assert seen["meaningful"] > 50
    assert (seen["depends"] > 5) == (topicwise or statement.name == "median")


def test_equal_topics_are_allowed_for_up_to_the_places_that_are_averaged() -> None:
    """Better on every topic survives; one equal topic survives only where two middle scores are averaged."""
    verdicts = {
        (3, 0): campaign([[2, 1], [3, 1], [4, 1]], topicwise=True),
        (3, 1): campaign([[2, 1], [3, 1], [4, 4]], topicwise=True),
        (4, 1): campaign([[2, 1], [3, 1], [4, 1], [5, 5]], topicwise=True),
        (4, 2): campaign([[2, 1], [3, 1], [4, 4], [5, 5]], topicwise=True),
    }
    found = {key: Median(a="A", b="B").judge(made).verdict for key, made in verdicts.items()}
    assert found == {(3, 0): "meaningful", (3, 1): "depends", (4, 1): "meaningful", (4, 2): "depends"}


def test_modes_need_a_common_order_and_say_when_there_are_several() -> None:
    one = Mode(a="A", b="B").judge(campaign([[3, 1], [3, 1], [0, 9]]))
    assert (one.verdict, one.true_as_computed) == ("meaningful", True)
    two = Mode(a="A", b="B").judge(campaign([[3, 1], [3, 1], [0, 9], [0, 2]]))
    assert (two.verdict, two.true_as_computed) == ("meaningful", False)
    assert "equally frequent" in two.reason
    assert Mode(a="A", b="B").judge(campaign([[3, 1], [3, 1]], topicwise=True)).verdict == "inexpressible"


def test_a_quantile_lies_between_0_and_1() -> None:
    with pytest.raises(BadParameter, match="quantile lies in"):
        Quantile(a="A", b="B", at=1.0)
