"""Significance on every rescaling: extremes of t against a random search, verdicts both ways."""

from __future__ import annotations

import numpy as np
import pytest

from evenscale.statements.candidates import candidates, rises
from evenscale.statements.extremes import extreme_t, most_by_topic, signed_rank_always, t_statistic
from evenscale.statements.significance import Significant
from evenscale.statements.statement import pair_result
from evenscale.stats import TESTS, Scores
from statements.search import campaign, increasing_maps, rescaled


def close_pair(rng: np.random.Generator, topics: int) -> np.ndarray:  # type: ignore[type-arg]
    """Two systems, the first a little better on most topics."""
    second = rng.integers(0, 6, size=topics)
    return np.stack(
        [np.clip(second + rng.choice([-1, 0, 1, 2], size=topics, p=[0.1, 0.2, 0.4, 0.3]), 0, 9), second], axis=1
    )


def test_extremes_of_t_against_a_random_search() -> None:
    rng = np.random.default_rng(8)
    reached = 0
    for _ in range(150):
        scores = close_pair(rng, int(rng.integers(3, 12)))
        a, b = np.unique(scores, return_inverse=True)[1].reshape(scores.shape).T
        found = extreme_t(a, b)
        maps = increasing_maps(rng, int(max(a.max(), b.max())) + 1, 200)
        statistics = [t_statistic(m[a] - m[b]) for m in maps / maps[:, -1:]]
        assert max(statistics) <= found.greatest + 1e-6 * abs(found.greatest)
        assert min(statistics) >= found.least - 1e-6 * abs(found.least)
        reached += max(statistics) > 0.9 * found.greatest and min(statistics) < found.least + 0.3
    assert reached > 20  # the bounds are not idle


def test_extremes_are_approached_by_increasing_maps() -> None:
    rng = np.random.default_rng(9)
    for _ in range(100):
        scores = close_pair(rng, int(rng.integers(3, 12)))
        a, b = np.unique(scores, return_inverse=True)[1].reshape(scores.shape).T
        found = extreme_t(a, b)
        for bound, weights in ((found.least, found.least_weights), (found.greatest, found.greatest_weights)):
            if not np.isfinite(bound) or not weights.any():
                continue
            heights = np.zeros(int(max(a.max(), b.max())) + 1)
            heights[found.levels] = weights + 1e-7 * weights.max()
            values = np.cumsum(heights)
            assert t_statistic(values[a] - values[b]) == pytest.approx(bound, rel=1e-3, abs=1e-3)


def test_the_most_by_topic_is_equal_wins_and_losses_of_nothing() -> None:
    assert t_statistic(np.array([1.0] * 7 + [0.0] * 3)) == pytest.approx(most_by_topic(7, 10))
    assert most_by_topic(10, 10) == np.inf


def test_signed_ranks_from_wins_and_losses_against_a_random_search() -> None:
    rng = np.random.default_rng(16)
    seen = set()
    for _ in range(60):
        wins, losses = (25 * rng.beta(2, 1, size=2) * [1.6, 0.4]).astype(int)
        always = signed_rank_always(int(wins), int(losses), 0.05)
        seen.add(always)
        if always is None or wins + losses < 2:
            continue
        for most in (1, 2, 5, 1000):
            sizes = rng.integers(1, most + 1, size=wins + losses)
            for ordered in (sizes, np.sort(sizes), np.sort(sizes)[::-1]):
                signs = np.repeat([1, -1], [wins, losses])
                scores = Scores.of(np.stack([ordered * signs, 0 * ordered], axis=1), systems=["A", "B"], digits=3)
                found = pair_result(scores, "A", "B", "signed-rank", 0.05)
                assert found is not None and found.significant == always
    assert seen == {True, False, None}


@pytest.mark.parametrize("topicwise", [False, True])
@pytest.mark.parametrize("test", ["t", "signed-rank", "sign", "rank-sum"])
def test_verdicts_both_ways(test: str, topicwise: bool) -> None:
    """A proof is never contradicted by the search, and a witness always turns the test round."""
    rng = np.random.default_rng(10)
    seen = {"meaningful": 0, "depends": 0}
    statement = Significant(a="A", b="B", test=test)
    for _ in range(16 if test == "signed-rank" else 40):
        made = campaign(close_pair(rng, int(rng.integers(6, 20))), topicwise=topicwise)
        verdict = statement.judge(made)
        seen[verdict.verdict] += 1
        if verdict.verdict == "depends":
            p = verdict.witness.after["p"] if verdict.witness else None
            assert p is None or p <= 0.05 or verdict.true_as_computed
            continue
        for values in rescaled(made, rng, 15):
            new = Scores.of(values / values.max(), systems=["A", "B"], digits=14, places=_places(values))
            found = pair_result(new, "A", "B", test, 0.05)
            assert found is not None and found.significant == verdict.true_as_computed
    needs_more = test in ("t", "signed-rank") or (topicwise and test == "rank-sum")
    assert (seen["depends"] > 0) == needs_more


def _places(values: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    return np.unique(values, return_inverse=True)[1].reshape(values.shape)


def test_dominance_is_not_enough_for_significance_by_topic() -> None:
    made = campaign([[k + 1 + k % 2, k] for k in range(8)], topicwise=True)
    found = Significant(a="A", b="B").judge(made)
    assert (found.true_as_computed, found.verdict) == (True, "depends")
    assert found.witness is not None and found.witness.after["p"] > 0.05


def test_a_lead_at_every_threshold_survives_a_t_test() -> None:
    """Every step keeps t above the critical value, so every rescaling does."""
    made = campaign([[9, 0]] * 7 + [[8, 1]])
    found = Significant(a="A", b="B").judge(made)
    assert (found.true_as_computed, found.verdict) == (True, "meaningful")
    assert "at least" in found.reason


@pytest.mark.parametrize("topicwise", [False, True])
def test_candidates_keep_the_order_of_scores(topicwise: bool) -> None:
    rng = np.random.default_rng(11)
    made = campaign(rng.integers(0, 9, size=(8, 4)), topicwise=topicwise)
    tried = list(candidates(made, 0, 1))
    assert len(tried) == 200
    assert all(rises(made, candidate.scores) for candidate in tried)


def test_the_check_of_order_sees_a_fall_and_a_broken_tie() -> None:
    made = campaign([[1, 2], [2, 3]])
    assert rises(made, Scores.of([[1, 2], [2, 3]]))
    assert not rises(made, Scores.of([[1, 3], [3, 2]]))
    assert not rises(made, Scores.of([[1, 2], [2.5, 3]]))
    by_topic = campaign([[1, 2], [2, 3]], topicwise=True)
    assert rises(by_topic, Scores.of([[8, 9], [1, 2]]))
    assert not rises(by_topic, Scores.of([[9, 8], [1, 2]]))


@pytest.mark.parametrize("test", TESTS)
def test_every_test_gives_a_verdict_with_a_reason(test: str) -> None:
    rng = np.random.default_rng(12)
    made = campaign(np.concatenate([close_pair(rng, 8), rng.integers(0, 9, size=(8, 1))], axis=1))
    statement = Significant(a="A", b="B", test=test)
    found = statement.judge(made)
    assert found.reason
    assert found.verdict == "meaningful" or found.witness or "tried" in found.reason
    assert statement.judge(campaign(made.codes, scale="interval")).verdict == "meaningful"
