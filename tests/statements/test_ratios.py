"""Geometric means and percentages: what an origin, a unit and an order leave of them."""

from __future__ import annotations

import numpy as np
import pytest

from evenscale.errors import BadParameter
from evenscale.statements.ratios import GeometricMean, Percent
from statements.search import campaign, random_scores, rescaled

GMEAN = GeometricMean(a="A", b="B")


@pytest.mark.parametrize("topicwise", [False, True])
def test_on_an_order_the_criterion_is_that_of_means(topicwise: bool) -> None:
    rng = np.random.default_rng(6)
    for _ in range(400):
        made = campaign(random_scores(rng), topicwise=topicwise)
        verdict = GMEAN.judge(made)
        if verdict.verdict == "meaningful":
            logs = rescaled(made, rng, 50).sum(axis=1)  # any increasing map is the logarithm of one above 0
            assert ((logs[:, 0] > logs[:, 1]) == verdict.true_as_computed).all()
        else:
            assert verdict.witness is not None
            after = verdict.witness.after
            assert (after["A"] > after["B"] * (1 + 1e-12)) != verdict.true_as_computed


def test_shifts_of_an_interval_scale_against_a_dense_search() -> None:
    rng = np.random.default_rng(7)
    seen = {"meaningful": 0, "depends": 0}
    for _ in range(150):
        scores = random_scores(rng) + 1
        verdict = GMEAN.judge(campaign(scores, scale="interval"))
        seen[verdict.verdict] += 1
        shifts = np.geomspace(1e-5, 1e3, 300) - scores.min() / 10
        logs = np.log(scores[None] / 10 + shifts[:, None, None]).sum(axis=1)
        signs = set((logs[:, 0] - logs[:, 1] > 1e-9).tolist())
        if verdict.verdict == "meaningful":
            assert signs == {verdict.true_as_computed}
        elif verdict.witness:
            assert (verdict.witness.after["A"] > verdict.witness.after["B"]) != verdict.true_as_computed
        else:
            assert len(signs) == 1
            assert "tried" in verdict.reason
    assert min(seen.values()) > 4


def test_a_ratio_scale_keeps_geometric_means_even_by_topic() -> None:
    for topicwise in (False, True):
        assert GMEAN.judge(campaign([[8, 1], [1, 4]], scale="ratio", topicwise=topicwise)).verdict == "meaningful"


def test_origins_of_topics_turn_geometric_means_round() -> None:
    found = GMEAN.judge(campaign([[8, 1], [1, 4], [0, 0]], scale="interval", topicwise=True))
    assert found.verdict == "depends"
    ahead = GMEAN.judge(campaign([[8, 1], [4, 4]], scale="interval", topicwise=True))
    assert ahead.verdict == "meaningful"


def test_scores_of_zero_and_below() -> None:
    zero = GMEAN.judge(campaign([[0, 1], [9, 1]]))
    assert zero.true_as_computed is False
    assert "A has 1 of 0" in zero.computed.shown
    hidden = GMEAN.judge(campaign([[0, 0], [9, 1]]))
    assert (hidden.true_as_computed, hidden.verdict) == (False, "depends")
    assert "one score of 0" in hidden.reason
    below = GMEAN.judge(campaign([[-1, 1], [9, 1]]))
    assert (below.true_as_computed, below.verdict) == (None, "inexpressible")


def test_percentages_need_a_ratio_scale() -> None:
    for scale in ("ordinal", "interval"):
        found = Percent(a="A", b="B").judge(campaign([[3, 2], [3, 2]], scale=scale))
        assert found.verdict == "inexpressible"
        assert found.true_as_computed is True
        assert "50.0 % becomes" in found.witness.text  # type: ignore[union-attr]
    assert Percent(a="A", b="B", by=20).judge(campaign([[3, 2], [3, 2]], scale="ratio")).verdict == "meaningful"


def test_percentages_with_a_unit_for_each_topic() -> None:
    split = campaign([[9, 2], [2, 2]], scale="ratio", topicwise=True)
    found = Percent(a="A", b="B", by=50).judge(split)
    assert (found.true_as_computed, found.verdict) == (True, "depends")
    after = found.witness.after  # type: ignore[union-attr]
    assert after["A"] < 1.5 * after["B"]
    every = campaign([[9, 2], [4, 2]], scale="ratio", topicwise=True)
    assert Percent(a="A", b="B", by=50).judge(every).verdict == "meaningful"


def test_no_percentage_of_nothing() -> None:
    found = Percent(a="A", b="B").judge(campaign([[3, 0], [3, 0]], scale="ratio"))
    assert found.true_as_computed is None
    with pytest.raises(BadParameter, match="percentage above -100"):
        Percent(a="A", b="B", by=-100)
