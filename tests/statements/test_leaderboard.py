"""The whole leaderboard against one pair at a time."""

from __future__ import annotations

import json
from itertools import combinations, pairwise

import numpy as np
import pytest

import evenscale
from evenscale.errors import BadInput, BadParameter
from evenscale.scores import Evaluation
from evenscale.statements import check, leaderboard_check
from evenscale.statements.averages import Mean
from evenscale.statements.leaderboard import check_campaign
from evenscale.statements.partial_order import dominance, surviving
from evenscale.stats import Scores
from evenscale.stats.testing import Testing
from statements.search import campaign

MEASURES = ["AP@30", "interval(AP@30)", "RR@10", "P@10", "AP", "NumRelRet"]


@pytest.fixture(scope="module")
def sample() -> Evaluation:
    qrels, runs = evenscale.sample()
    return evenscale.evaluate(qrels, runs[:9], MEASURES)


@pytest.mark.parametrize("scale", ["ordinal", "interval"])
@pytest.mark.parametrize("topicwise", [False, True])
def test_verdicts_are_those_of_single_pairs(scale: str, topicwise: bool) -> None:
    rng = np.random.default_rng(13)
    for _ in range(40):
        made = campaign(rng.integers(0, 5, size=(int(rng.integers(2, 5)), 5)), scale=scale, topicwise=topicwise)
        for row in check_campaign(made, Testing("sign", 0.05)).frame.iter_rows(named=True):
            single = Mean(a=row["system"], b=row["other"]).judge(made)
            back = Mean(a=row["other"], b=row["system"]).judge(made)
            assert back.true_as_computed is False
            assert single.true_as_computed is (row["category"] != "tie")
            if row["category"] == "tie":
                assert row["verdict"] == ("meaningful" if single.verdict == back.verdict == "meaningful" else "depends")
            else:
                assert row["verdict"] == single.verdict
                assert (row["category"] == "any") == (single.verdict == "meaningful")


@pytest.mark.parametrize("measure", ["AP@30", "RR@10", "P@10"])
def test_categories_follow_the_interval_version(sample: Evaluation, measure: str) -> None:
    found = leaderboard_check(sample, measure, test="t")
    words = {True: "interval", False: "flips"}
    for row in found.frame.iter_rows(named=True):
        single = check(sample, row["system"], row["other"], measure=measure)
        assert single.verdict == row["verdict"]
        assert single.interval is not None
        if row["category"] in words.values():
            assert row["category"] == words[single.interval["true"]]
        assert row["interval_significant"] == (single.interval["p"] <= 0.05)
        lost = row["significant"] and not row["interval_significant"]
        assert (row["change"] == "S2NS") == lost


def test_counts_add_up_and_are_plain_data(sample: Evaluation) -> None:
    data = leaderboard_check(sample, "AP@30").to_dict()
    json.dumps(data, allow_nan=False)
    assert (
        sum(data["categories"].values()) == sum(data["verdicts"].values()) == data["pairs"] == len(data["rows"]) == 36
    )
    s = data["significance"]
    assert s["survive"] + s["s2ns"] + s["turned"] == s["significant"]


def test_a_measure_without_cutoff_has_no_interval_version(sample: Evaluation) -> None:
    found = leaderboard_check(sample, "AP")
    assert set(found.category) <= {"any", "depends", "tie"}
    assert found.to_dict()["significance"]["survive"] is None
    assert "no scale without a cut-off" in str(found)


def test_counts_are_on_an_interval_scale(sample: Evaluation) -> None:
    assert leaderboard_check(sample, "NumRelRet").verdicts["depends"] == 0


@pytest.mark.parametrize("topicwise", [False, True])
def test_dominance_covers_chains_naively(topicwise: bool) -> None:
    rng = np.random.default_rng(14)
    for _ in range(60):
        codes = rng.integers(0, 4, size=(int(rng.integers(1, 4)), 6))
        above = dominance(codes, topicwise=topicwise)
        for i in range(6):
            for j in range(6):
                x, y = (codes[:, i], codes[:, j]) if topicwise else (sorted(codes[:, i]), sorted(codes[:, j]))
                naive = all(p >= q for p, q in zip(x, y, strict=True)) and any(p > q for p, q in zip(x, y, strict=True))
                assert above[i, j] == naive
        between = {(i, j) for i in range(6) for j in range(6) if any(above[i, k] and above[k, j] for k in range(6))}
        poset = surviving(above)
        assert {(high, low) for low, high in poset.covers} == {
            (int(i), int(j)) for i, j in np.argwhere(above)
        } - between
        chains = [c for n in range(1, 7) for c in combinations(np.argsort(-above.sum(axis=1), kind="stable"), n)]
        naive_longest = max(len(c) for c in chains if all(above[i, j] for i, j in pairwise(c)))
        chain = poset.longest_chain[::-1]
        assert len(chain) == naive_longest
        assert all(above[i, j] for i, j in pairwise(chain))
        assert sorted(poset.maximal) == [j for j in range(6) if not any(above[i, j] for i in range(6))]


def test_what_cannot_be_checked() -> None:
    with pytest.raises(BadInput, match="at least 2 topics"):
        leaderboard_check(Scores.of([[1, 2]]))
    with pytest.raises(BadInput, match="at least 2 systems"):
        leaderboard_check(Scores.of([[1], [2]]))
    with pytest.raises(BadParameter, match="nominal"):
        leaderboard_check(Scores.of([[1, 2], [2, 3]]), scale="nominal")
    with pytest.raises(BadParameter, match="test must be one of"):
        leaderboard_check(Scores.of([[1, 2], [2, 3]]), test="z")
