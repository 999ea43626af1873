"""`check` as a user calls it: all statements, on evaluations and matrices, and what it refuses."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest

import evenscale
from evenscale.errors import BadInput, BadParameter
from evenscale.scores import Evaluation
from evenscale.statements import STATEMENTS, Verdict, check, leaderboard_check
from evenscale.statements.rankings import Correlation, Ranking
from evenscale.stats import Scores
from evenscale.stats.correlation import tau_b
from evenscale.studies.judged import campaign_of
from statements.search import campaign, random_scores, rescaled

KEYS = ["statement", "true_as_computed", "verdict", "reason", "witness", "interval"]
OWN: dict[str, dict[str, Any]] = {
    "lead": {"c": "elm", "d": "oak", "times": 2},
    "correlation": {"other": "nDCG@10"},
    "quantile": {"at": 0.1},
}


@pytest.fixture(scope="module")
def sample() -> Evaluation:
    qrels, runs = evenscale.sample()
    chosen = [run for run in runs if run.name in ("cherry", "fir", "elm", "oak", "larch")]
    return evenscale.evaluate(qrels, chosen, ["AP@30", "RR@10", "P@10", "R@10", "interval(AP@30)", "AP", "nDCG@10"])


def asked(source: Evaluation | Scores, statement: str, **options: Any) -> Verdict:
    pair = ("cherry", "fir") if STATEMENTS[statement].pair else ()
    return check(source, *pair, statement=statement, **{**OWN.get(statement, {}), **options})


@pytest.mark.parametrize("measure", ["AP@30", "RR@10", "P@10", "R@10", "interval(AP@30)", "AP"])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_every_statement_on_every_kind_of_measure(sample: Evaluation, statement: str, measure: str) -> None:
    found = asked(sample, statement, measure=measure)
    data = found.to_dict()
    assert list(data)[:6] == KEYS
    json.dumps(data, allow_nan=False)
    assert found.reason
    assert found.verdict in str(found) or "scale" in str(found)
    assert found.frame.height == 1
    assert (data["interval"] is None) == (measure == "AP")
    if found.interval is None:
        assert "cut-off" in found.no_interval
    if statement == "topics" or (measure == "P@10" and statement not in ("gmean", "percent", "correlation")):
        assert found.verdict == "meaningful"


def test_surrogates_are_called_so(sample: Evaluation) -> None:
    assert "surrogate" in str(asked(sample, "mean", measure="AP@30"))
    assert "surrogate" not in str(asked(sample, "mean", measure="RR@10"))


def test_declared_scales_overrule(sample: Evaluation) -> None:
    assert asked(sample, "mean", measure="AP@30").topicwise
    assert asked(sample, "mean", measure="AP@30", scale="interval").verdict == "meaningful"
    assert not asked(sample, "mean", measure="AP@30", topicwise=False).topicwise


def test_a_change_of_significance_is_named(sample: Evaluation) -> None:
    words = {(True, False): "S2NS", (False, True): "NS2S"}
    for a, b in permutations(sample.runs, 2):
        found = check(sample, a, b, measure="interval(AP@30)", statement="significant")
        assert found.interval is not None and found.interval["change"] is None
        found = check(sample, a, b, measure="AP@30", statement="significant", alpha=0.001)
        assert found.interval is not None
        assert found.interval["change"] == words.get((bool(found.true_as_computed), found.interval["true"]))


def test_ranking_names_the_pairs_that_can_flip() -> None:
    found = Ranking().judge(campaign([[5, 3, 0], [1, 2, 0]]))
    assert found.verdict == "depends"
    assert "1 of 3 pairs" in found.reason and "A and B" in found.reason
    assert Ranking().judge(campaign([[5, 1, 0], [5, 4, 0]])).verdict == "meaningful"


@pytest.mark.parametrize("by", ["overall", "topic"])
@pytest.mark.parametrize("coefficient", ["kendall", "pearson"])
def test_correlations_both_ways(coefficient: str, by: str) -> None:
    rng = np.random.default_rng(15)
    seen = set()
    for _ in range(40):
        x, y = (campaign(random_scores(rng, systems=4, most=3) + rng.integers(0, 2, size=(1, 4)) * 9) for _ in range(2))
        if len(x.codes) != len(y.codes):
            continue
        found = Correlation(other=y, coefficient=coefficient, by=by).judge(x)
        seen.add(found.verdict)
        if found.verdict == "meaningful" and coefficient == "kendall":
            for values in rescaled(x, rng, 20):
                new = tau_b(values.mean(axis=0), y.scores.means) if by == "overall" else None
                assert new is None or new == pytest.approx(found.computed.values["value"])
        if found.witness:
            assert abs(found.witness.after["value"] - found.witness.before["value"]) > 1e-6
    assert ("meaningful" in seen) or coefficient == "pearson"


def test_correlation_by_topic_needs_order_only(sample: Evaluation) -> None:
    assert asked(sample, "correlation", measure="AP@30", by="topic").verdict == "meaningful"
    assert asked(sample, "correlation", measure="AP@30").verdict == "depends"
    assert (
        asked(sample, "correlation", measure="P@10", other="R@10", by="topic", coefficient="pearson").verdict
        == "meaningful"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"statement": "best"}, "statement must be one of"),
        ({"a": "nobody"}, "there is no system 'nobody'"),
        ({"b": "cherry"}, "must differ"),
        ({"b": None}, "needs the names of two systems"),
        ({"at": 0.3}, "mean takes"),
        ({"alpha": 2}, "alpha must lie in"),
        ({"test": "z"}, "test must be one of"),
        ({"other": "RR@10"}, "takes no other measure"),
        ({"statement": "lead"}, "another pair of systems"),
        ({"statement": "lead", "c": "elm", "d": "oak", "times": 0}, "times must be a number above 0"),
        ({"statement": "correlation"}, "needs another measure"),
        ({"statement": "correlation", "other": "nDCG@10", "by": "run"}, "by must be one of"),
        ({"measure": "P@99"}, "was not evaluated"),
    ],
)
def test_what_is_refused(sample: Evaluation, options: dict[str, Any], said: str) -> None:
    with pytest.raises(BadParameter, match=said):
        check(sample, **{"a": "cherry", "b": "fir", **options})


def test_exact_values_decide_whether_means_tie() -> None:
    """Seven sevenths are one, which floats do not know."""
    first = [[0] * 6 + [1]] * 7, [[1] + [0] * 6] + [[0] * 7] * 6
    assert sum(Fraction(1 / 7) for _ in range(7)) != 1
    runs = evenscale.evaluate(*campaign_of({"A": first[0], "B": first[1]}, recall_bases=[1] * 7), "RR@7")
    assert check(runs, "A", "B").true_as_computed is check(runs, "B", "A").true_as_computed is False
    assert leaderboard_check(runs, test="sign").category.tolist() == ["tie"]


def test_one_topic_has_means_but_no_test() -> None:
    one = Scores.of([[0.5, 0.4]], systems=["A", "B"])
    assert check(one, "A", "B").verdict == "meaningful"
    with pytest.raises(BadInput, match="at least 2 topics"):
        check(one, "A", "B", statement="significant")
    with pytest.raises(BadInput, match="expected an Evaluation or Scores"):
        check([[1]], "A", "B")  # type: ignore[arg-type]
