"""Against pytrec_eval-terrier and ir_measures, for every shared measure; and where we differ on purpose."""

from __future__ import annotations

from fractions import Fraction

import ir_measures
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

import campaigns
from evenscale import evaluate, parse

PYTREC = {
    "map": "AP",
    "map_cut_5": "AP@5",
    "P_5": "P@5",
    "recall_5": "R@5",
    "ndcg": "nDCG",
    "ndcg_cut_5": "nDCG@5",
    "recip_rank": "RR",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "success_1": "Success@1",
    "success_5": "Success@5",
    "set_P": "P",
    "set_recall": "R",
    "set_F": "F",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
}
ASKED = {
    *(
        "map",
        "map_cut.5",
        "P.5",
        "recall.5",
        "ndcg",
        "ndcg_cut.5",
        "recip_rank",
        "Rprec",
        "bpref",
        "success.1,5",
    ),
    *("set_P", "set_recall", "set_F", "num_ret", "num_rel", "num_rel_ret"),
}
IR_MEASURES = (
    *("AP", "AP@3", "AP(rel=2)", "P@3", "P(rel=2)@4", "R@3", "RR", "RR(rel=2)", "nDCG", "nDCG@3", "Rprec"),
    *(
        "Rprec(rel=2)",
        "Bpref",
        "Bpref(rel=2)",
        "Success@2",
        "NumRet",
        "NumQ",
        "NumRel",
        "SetP",
        "SetR",
        "SetF",
    ),
    *("Judged@3", "nDCG(dcg='exp-log2')@3", "IPrec@0.0", "IPrec@1.0"),
)


@pytest.mark.parametrize("level", [1, 2])
@given(qrels=campaigns.qrels(st.integers(0, 3)), run=campaigns.runs())
def test_pytrec_eval_agrees(level: int, qrels: campaigns.Qrels, run: campaigns.RunDict) -> None:
    theirs = pytrec_eval.RelevanceEvaluator(qrels, ASKED, relevance_level=level).evaluate(run)
    measures = [parse(name) for name in PYTREC.values()]
    if level > 1:
        measures = [type(m)(**{**vars(m), "rel": level}) if hasattr(m, "rel") else m for m in measures]
    ours = evaluate(qrels, run, measures, barren="zero")
    for m, name in enumerate(PYTREC):
        if level > 1 and name == "num_rel":
            continue  # pytrec_eval always counts from grade 1 on here
        for t, topic in enumerate(ours.topics):
            if topic in run:
                assert ours.values[m, t, 0] == pytest.approx(theirs[topic][name], abs=1e-12), (name, topic)


@settings(max_examples=40)
@given(qrels=campaigns.qrels(st.integers(0, 3)), run=campaigns.runs())
def test_ir_measures_agrees(qrels: campaigns.Qrels, run: campaigns.RunDict) -> None:
    spelled = {text: ir_measures.parse_measure(text) for text in IR_MEASURES if "exp" not in text}
    supported = {text: m for text, m in spelled.items() if any(p.supports(m) for p in _providers())}
    untied = {t: {d: s + i * 1e-6 for i, (d, s) in enumerate(sorted(docs.items()))} for t, docs in run.items()}
    theirs = {
        (metric.query_id, str(metric.measure)): metric.value
        for metric in ir_measures.iter_calc(list(supported.values()), qrels, untied)
    }
    ours = evaluate(qrels, untied, list(supported), barren="zero")
    checked = 0
    for text, measure in supported.items():
        matrix = ours.matrix(text)
        for t, topic in enumerate(ours.topics):
            if topic in untied and (topic, str(measure)) in theirs:
                assert matrix[t, 0] == pytest.approx(theirs[topic, str(measure)], abs=1e-12), (text, topic)
                checked += 1
    assert checked


def _providers() -> list[ir_measures.providers.Provider]:
    return [p for p in ir_measures.DefaultPipeline.providers if p.is_available()]


def test_most_of_the_shared_measures_are_really_compared() -> None:
    supported = [
        t for t in IR_MEASURES if "exp" not in t and any(p.supports(ir_measures.parse_measure(t)) for p in _providers())
    ]
    assert len(supported) >= 18


# --- deliberate differences -----------------------------------------------------------------------------------------


def test_reciprocal_rank_honours_its_cut_off() -> None:
    """trec_eval's recip_rank has no cut-off; RR@k here is 0 when the first hit is below k."""
    result = evaluate({"q": {"b": 1}}, {"q": {"a": 2.0, "b": 1.0}}, ["RR", "RR@1"])
    assert result.values[:, 0, 0].tolist() == [0.5, 0.0]


def test_interpolated_precision_rounds_as_trec_eval_10_does() -> None:
    """pytrec_eval has trec_eval 9's rule (add 0.9, cut off); version 10 rounds, and so do we, exactly."""
    qrels = {"q": {f"r{i}": 1 for i in range(12)}}
    run = {"q": {"r0": 3.0, "x": 2.0, "r1": 1.0}}
    ours = evaluate(qrels, run, "IPrec@0.1").values.item()
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"iprec_at_recall.0.1"}).evaluate(run)["q"]["iprec_at_recall_0.10"]
    assert ours == 1.0  # 0.1 * 12 = 1.2 rounds to one document, found at rank 1
    assert theirs == pytest.approx(2 / 3)  # 1.2 + 0.9 cut off is two documents


def test_missing_topics_count_in_the_mean() -> None:
    """trec_eval without -c, and pytrec_eval, average over the run's topics; the qrels' topics are the topics here."""
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}}
    assert set(pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run)) == {"q1"}
    assert evaluate(qrels, run, "AP").means()["value"].item() == 0.5


def test_topics_without_relevant_documents_are_left_out() -> None:
    """pytrec_eval scores them 0, which only lowers every mean alike."""
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 0}}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    assert pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run)["q2"]["map"] == 0
    assert evaluate(qrels, run, "AP").means()["value"].item() == 1.0


def test_graded_rbp_never_exceeds_one() -> None:
    qrels, run = {"q": {f"d{i}": 3 for i in range(50)}}, {"q": {f"d{i}": 50.0 - i for i in range(50)}}
    assert 0.99 < evaluate(qrels, run, "RBP(p=0.8)").values.item() <= 1


def test_expected_reciprocal_rank_takes_the_qrels_highest_grade() -> None:
    """gdeval, behind ir_measures' ERR, has 4 built in; ERR(gmax=4) is that one."""
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    assert evaluate(qrels, run, ["ERR", "ERR(gmax=4)"]).values[:, 0, 0].tolist() == [1 / 2, 1 / 16]


def test_float_grades_are_kept_where_trec_eval_truncates() -> None:
    result = evaluate({"q": {"a": 0.5, "b": 2.0}}, {"q": {"a": 2.0, "b": 1.0}}, "nDCG@2")
    assert 0 < result.values.item() < 1
    assert float(result.exact("nDCG@2", result.runs[0], "q")) == pytest.approx(result.values.item(), abs=1e-15)


def test_exact_scores_are_rational() -> None:
    result = evaluate({"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}, "AP")
    assert result.exact("AP", result.runs[0], "q") == Fraction(5, 9)
