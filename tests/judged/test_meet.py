"""Where run and qrels meet: against a plain-Python twin, policy by policy."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import campaigns
from evenscale import evaluate, parse
from evenscale.errors import BadInput, BadParameter
from evenscale.files import read_qrels, read_run
from evenscale.judged import Judged, Judgments, Policy, judge
from evenscale.judged.lookup import KeyIndex
from measures.cases import MEASURES

GRADES = st.integers(-1, 3)


def naive_grades(
    qrels: campaigns.Qrels, run: campaigns.RunDict, topic: str, cast: Any = float, depth: int | None = None
) -> list[int | None]:
    """Grades by rank: score, then document id, both descending; a grade below 0 is 0."""
    ranked = sorted(run.get(topic, {}).items(), key=lambda item: (cast(item[1]), item[0]), reverse=True)
    judged = qrels.get(topic, {})
    return [max(judged[doc], 0) if doc in judged else None for doc, _ in ranked][:depth]


def met(qrels: Any, run: Any, **policy: Any) -> dict[str, list[int | None]]:
    chosen = Policy(**policy)
    ready = Judgments.of(read_qrels(qrels), chosen)
    block = judge(read_run(run, name="run"), ready, chosen).block
    return {topic: list(block.judged(i).grades) for i, topic in enumerate(ready.topics)}


@given(campaigns.qrels(GRADES, relevant=False), campaigns.runs(), st.sampled_from([None, 1, 3]))
def test_grades_by_rank_equal_the_twin(qrels: campaigns.Qrels, run: campaigns.RunDict, depth: int | None) -> None:
    got = met(qrels, run, depth=depth)
    assert got == {topic: naive_grades(qrels, run, topic, depth=depth) for topic in qrels}


def shared_keys(frame: pl.DataFrame) -> np.ndarray:
    """Keys that two documents share: d0 with d1, d2 with d3, and so on."""
    pairs = zip(frame["topic"].to_list(), frame["doc"].to_list(), strict=True)
    return np.array([int(topic[1:]) * 100 + int(doc[1:]) // 2 for topic, doc in pairs], dtype=np.uint64)


@given(campaigns.qrels(GRADES, relevant=False), campaigns.runs())
def test_keys_that_collide_do_no_harm(qrels: campaigns.Qrels, run: campaigns.RunDict) -> None:
    """Within the qrels, or between qrels and run: the names settle what the keys confuse."""
    chosen = Policy()
    ready = Judgments.of(read_qrels(qrels), chosen)
    ready.__dict__["keys"] = shared_keys(ready.frame)
    ours = read_run(run, name="run")
    ours.__dict__["keys"] = shared_keys(ours.frame)
    block = judge(ours, ready, chosen).block
    assert {t: list(block.judged(i).grades) for i, t in enumerate(ready.topics)} == met(qrels, run)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2**64 - 1)), unique_by=lambda pair: pair[1], max_size=60),
    st.lists(st.tuples(st.integers(-1, 5), st.integers(0, 2**64 - 1)), max_size=60),
)
def test_key_index_equals_a_dictionary(held: list[tuple[int, int]], asked: list[tuple[int, int]]) -> None:
    asked = asked + held[::2]
    index = KeyIndex.of(np.array([k for _, k in held], dtype=np.uint64), np.array([g for g, _ in held], dtype=np.int64))
    found = index.find(
        np.array([k for _, k in asked], dtype=np.uint64), np.array([g for g, _ in asked], dtype=np.int64)
    )
    where = {pair: place for place, pair in enumerate(held)}
    assert found.tolist() == [where.get(pair, -1) for pair in asked]


def test_ties_by_document_id_descending_as_bytes() -> None:
    run = {"q": {"a": 1.0, "b": 1.0, "é": 1.0, "Z": 1.0}}
    qrels = {"q": {"a": 1, "b": 2, "é": 3, "Z": 0}}
    assert met(qrels, run) == {"q": [3, 2, 1, 0]}


def test_float32_ties_follow_older_trec_eval() -> None:
    run = {"q": {"a": 1.00000002, "b": 1.00000001}}
    qrels = {"q": {"a": 1, "b": 0}}
    assert met(qrels, run) == {"q": [1, 0]}
    assert met(qrels, run, ties="float32") == {"q": [0, 1]}


def test_rank_column_decides_when_asked() -> None:
    frame = pl.DataFrame({"topic": ["q"] * 3, "doc": ["a", "b", "c"], "score": [3.0, 2.0, 1.0], "rank": [3, 1, 2]})
    qrels = {"q": {"a": 1, "b": 2, "c": 3}}
    chosen = Policy(ties="rank")
    ready = Judgments.of(read_qrels(qrels), chosen)
    block = judge(read_run(frame, name="r", ranks=True), ready, chosen).block
    assert block.judged(0).grades == (2, 3, 1)


def test_rank_policy_without_ranks_is_an_error() -> None:
    with pytest.raises(BadInput, match="rank"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP", ties="rank")


def test_removed_documents_close_the_gap() -> None:
    assert met({"q": {"a": 1, "c": 2}}, {"q": {"x": 3.0, "a": 2.0, "y": 1.5, "c": 1.0}}, unjudged="removed") == {
        "q": [1, 2]
    }


def test_depth_counts_before_unjudged_documents_are_removed() -> None:
    """As trec_eval does with -M and -J together."""
    run = {"q": {"x": 3.0, "a": 2.0, "c": 1.0}}
    assert met({"q": {"a": 1, "c": 2}}, run, unjudged="removed", depth=2) == {"q": [1]}


def test_float_grades_are_never_truncated() -> None:
    assert met({"q": {"a": 0.5, "b": 1.5}}, {"q": {"a": 2.0, "b": 1.0}}) == {"q": [Fraction(1, 2), Fraction(3, 2)]}
    assert evaluate({"q": {"a": 0.5, "b": 1.5}}, {"q": {"a": 2.0}}, "P(rel=0.5)@1").values.item() == 1.0


@given(campaigns.qrels(st.integers(0, 2)), campaigns.runs())
def test_bounds_hold_whatever_the_unjudged_documents_are(qrels: campaigns.Qrels, run: campaigns.RunDict) -> None:
    """Every way of judging the retrieved documents gives a score between the bounds."""
    bounded = [m for m in MEASURES if m.boundable]
    top = max(g for judged in qrels.values() for g in judged.values())
    low = evaluate(qrels, run, bounded, unjudged="lower", barren="zero").values
    high = evaluate(qrels, run, bounded, unjudged="upper", barren="zero").values
    topics = sorted(qrels, key=lambda t: int(t[1:]))
    rng = np.random.default_rng(0)
    for _ in range(4):
        full = {
            topic: {**{doc: int(rng.integers(0, top + 1)) for doc in run.get(topic, {})}, **judged}
            for topic, judged in qrels.items()
        }
        values = evaluate(full, run, bounded, barren="zero").values
        assert (low <= values + 1e-12).all(), topics
        assert (values <= high + 1e-12).all(), topics


def test_bounds_are_refused_where_they_would_be_wrong() -> None:
    with pytest.raises(BadParameter, match="Bpref has no lower and upper bound"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "Bpref", unjudged="upper")


@given(campaigns.qrels(st.integers(0, 2)), campaigns.runs(every_topic=True))
def test_expected_ties_are_the_mean_over_all_orders(qrels: campaigns.Qrels, run: campaigns.RunDict) -> None:
    run = {topic: dict(list(docs.items())[:6]) for topic, docs in run.items()}
    measures = ["AP", "nDCG@3", "RR", "P@2", "ERR"]
    got = evaluate(qrels, run, measures, ties="expected")
    for place, topic in enumerate(got.topics):
        orders = _orders(run[topic])
        for m, measure in enumerate(map(parse, measures)):
            values = []
            for order in orders:
                grades = tuple(qrels[topic].get(doc) for doc in order)
                values.append(float(measure(Judged(grades, got.judged(got.runs[0], topic).topic))))
            assert got.values[m, place, 0] == pytest.approx(np.mean(values), abs=1e-12)


def _orders(docs: dict[str, float]) -> list[list[str]]:
    groups = [[d for d, s in docs.items() if s == score] for score in sorted(set(docs.values()), reverse=True)]
    return [list(itertools.chain(*parts)) for parts in itertools.product(*(itertools.permutations(g) for g in groups))]


def test_oddities_name_what_was_odd() -> None:
    qrels = {"q1": {"a": 1, "b": -1}, "q2": {"a": 0}, "q3": {"a": 2}, "q4": {"c": 1}}
    run = {"q1": {"a": 1.0, "b": 1.0}, "q9": {"z": 1.0}}
    result = evaluate(qrels, {"mine": run}, "AP")
    assert {(o.kind, str(o)) for o in result.oddities} == {
        ("negative grades", "1 judgments have a grade below 0 and count as nonrelevant"),
        ("no relevant documents", "1 topic has no relevant document and is left out: q2"),
        ("missing topic", "mine: topics q2, q3, q4 are not in the run; each scores 0"),
        ("unknown topic", "mine: topic q9 not in the qrels, ignored"),
        ("tied scores", "mine: 1 document has the score of the one above it; ties='trec_eval' decides"),
    }


def test_missing_and_barren_topics() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"b": 0}}
    run = {"mine": {"q1": {"a": 1.0}}}
    mean = lambda **policy: evaluate(qrels, run, "AP", **policy).means()["value"].item()  # noqa: E731
    assert mean() == 0.5
    assert mean(missing="skip") == 1.0
    assert mean(barren="zero") == pytest.approx(1 / 3)
    assert evaluate(qrels, run, "AP").topics == ("q1", "q2")


def test_no_topic_in_common_is_not_silent() -> None:
    result = evaluate({"q1": {"a": 1}}, {"mine": {"x": {"a": 1.0}}}, "AP")
    assert result.means()["value"].item() == 0
    assert {o.kind for o in result.oddities} == {"missing topic", "unknown topic"}
