"""The result object: frames, matrices, tables, and every kind of input."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from evenscale import Evaluation, evaluate, parse, sample
from evenscale.errors import BadParameter, UnknownMeasure
from evenscale.files import read_qrels, read_run, write_qrels, write_run

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"d": 1}}
RUNS = {"good": {"q1": {"c": 2.0, "a": 1.0}, "q2": {"d": 1.0}}, "poor": {"q1": {"b": 2.0, "a": 1.0}}}


@pytest.fixture(scope="module")
def result() -> Evaluation:
    return evaluate(QRELS, RUNS, ["AP", "nDCG@2", "NumRelRet"])


def test_frame_has_one_row_per_score(result: Evaluation) -> None:
    assert result.frame.columns == ["run", "topic", "measure", "value"]
    assert result.frame.height == 2 * 2 * 3
    assert result.frame.row(0) == ("good", "q1", "AP", 1.0)


def test_matrix_is_topics_by_runs(result: Evaluation) -> None:
    assert result.matrix("AP").tolist() == [[1.0, 0.25], [1.0, 0.0]]
    assert result.matrix(parse("AP")).tolist() == result.matrix("map").tolist()
    with pytest.raises(BadParameter, match="P@5 was not evaluated; there are AP, nDCG@2, NumRelRet"):
        result.matrix("P@5")


def test_counts_are_summed_and_shown_whole(result: Evaluation) -> None:
    means = {(r["run"], r["measure"]): r["value"] for r in result.means().to_dicts()}
    assert means["good", "NumRelRet"] == 3
    assert str(result).splitlines()[1].split() == ["good", "1.0000", "1.0000", "3"]


def test_tables_in_every_language(result: Evaluation) -> None:
    assert result.to_markdown().startswith("| run  |")
    assert "**1.0000**" in result.to_markdown()
    assert "\\toprule" in result.to_latex()
    assert "<table>" in result._repr_html_()
    json.dumps(result.to_dict(), allow_nan=False)


def test_every_kind_of_input_gives_the_same_scores(tmp_path, result: Evaluation) -> None:
    qrels, runs = read_qrels(QRELS), [read_run(r, name=n) for n, r in RUNS.items()]
    write_qrels(qrels, tmp_path / "qrels.txt")
    (tmp_path / "runs").mkdir()
    for run in runs:
        write_run(run, tmp_path / "runs" / f"{run.name}.run.gz")
    tagged = pl.concat([run.frame.with_columns(tag=pl.lit(run.name)) for run in runs])
    inputs = [
        (str(tmp_path / "qrels.txt"), tmp_path / "runs"),
        (tmp_path / "qrels.txt", str(tmp_path / "runs" / "*.gz")),
        (tmp_path / "qrels.txt", [tmp_path / "runs" / "good.run.gz", str(tmp_path / "runs" / "poor.run.gz")]),
        (qrels, runs),
        (qrels.frame, {run.name: run.frame for run in runs}),
        (pd.DataFrame(qrels.frame.to_dict(as_series=False)), tagged),
        (qrels.frame.lazy(), pd.DataFrame(tagged.to_dict(as_series=False))),
    ]
    for some_qrels, some_runs in inputs:
        again = evaluate(some_qrels, some_runs, ["AP", "nDCG@2", "NumRelRet"])
        assert again.runs == result.runs
        np.testing.assert_array_equal(again.values, result.values)


def test_skipped_scores_are_absent_not_zero() -> None:
    result = evaluate(QRELS, RUNS, "AP", missing="skip")
    assert result.frame.height == 3
    assert np.isnan(result.matrix("AP")[1, 1])
    json.dumps(result.to_dict(), allow_nan=False)


def test_a_run_without_any_score_has_no_mean() -> None:
    result = evaluate(QRELS, {"none": {"q9": {"a": 1.0}}, **RUNS}, "AP", missing="skip")
    assert result.leaderboard()["run"].to_list() == ["good", "poor", "none"]
    assert str(result).splitlines()[-1].split() == ["none", "-"]
    json.dumps(result.to_dict(), allow_nan=False)


def test_no_topic_left_is_still_a_result() -> None:
    result = evaluate({"q": {"a": 0}}, {"mine": {"q": {"a": 1.0}}}, "AP")
    assert result.topics == ()
    assert result.frame.is_empty()
    assert str(result).splitlines()[-1].split() == ["mine", "-"]


def test_a_measure_asked_for_twice_is_computed_once() -> None:
    assert evaluate(QRELS, RUNS, ["AP", "map", "MAP"]).labels == ("AP",)


@pytest.mark.parametrize(
    ("measures", "error", "words"),
    [
        ([], BadParameter, "no measure"),
        (["Nope"], UnknownMeasure, "no measure is called 'Nope'"),
        (["RBP(p=1.5)"], BadParameter, r"RBP: p must lie in \(0, 1\), got 1.5"),
        (["P@0"], BadParameter, "P: the cut-off must be a whole number of at least 1, got 0"),
        (["P@1.5"], BadParameter, "whole number"),
        (["AP(rel=0)"], BadParameter, "AP: rel must be above 0, got 0"),
        (["nDCG(dcg='x')"], BadParameter, "dcg must be one of 'log2', 'exp-log2', 'jk', got 'x'"),
        (["nDCG(base=2)"], BadParameter, "base belongs to dcg='jk'"),
        (["DCG(dcg='jk',base=1)@5"], BadParameter, "at least 2"),
        (["AP(foo=1)"], BadParameter, "AP has no parameter 'foo'; it takes rel"),
        (["AP(rel=1,rel=2)"], BadParameter, "given twice"),
        (["Rprec@5"], BadParameter, "Rprec has no parameter 'cutoff'|Rprec takes no cut-off"),
        (["RBTO"], BadParameter, "RBTO needs a cut-off"),
        (["ERR(gmax=1)"], BadParameter, "the qrels hold grade 2, above gmax=1"),
        (["RBTO@2000"], BadParameter, "the cut-off may be"),
        (["AP@@3"], BadParameter, "cannot read the measure"),
        (["AP(rel)"], BadParameter, "expected name=value"),
        (["IPrec@1.5"], BadParameter, r"recall must lie in \[0, 1\]"),
    ],
)
def test_bad_measures_say_what_is_wrong(measures: list[str], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        evaluate(QRELS, RUNS, measures)
    assert "\n" not in str(caught.value)


def test_sample_campaign_has_what_it_promises() -> None:
    campaign = sample()
    result = evaluate(*campaign, ["AP", "nDCG@10", "Judged@100"])
    kinds = {oddity.kind for oddity in result.oddities}
    assert {"missing topic", "tied scores"} <= kinds
    assert len(result.runs) == 24
    assert len(result.topics) == 50
    means = result.leaderboard()
    assert means["AP"].max() > 2 * means["AP"].min()
    assert 0.2 < means["Judged@100"].mean() < 1


def test_sample_campaign_never_changes() -> None:
    """The first scores, as they were when the sample was made; another machine or version must give the same."""
    result = evaluate(*sample(), ["AP", "NumRelRet"])
    top = result.leaderboard().head(3)
    assert [(r["run"], round(r["AP"], 4), r["NumRelRet"]) for r in top.to_dicts()] == SAMPLE_TOP


SAMPLE_TOP = [("cherry", 0.5392, 942.0), ("fir", 0.5298, 946.0), ("oak", 0.5261, 918.0)]


def test_another_seed_is_another_campaign() -> None:
    assert not sample(1).qrels.frame.equals(sample(0).qrels.frame)


def test_totals_are_the_means_in_the_order_of_the_runs() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    runs = {"half": {"q1": {"a": 1.0}}, "none": {"q3": {"a": 1.0}}, "full": {"q1": {"a": 1.0}, "q2": {"b": 1.0}}}
    result = evaluate(qrels, runs, ["P@1", "NumRelRet"], missing="skip")
    assert result.totals("P@1").tolist()[::2] == [1.0, 1.0] and np.isnan(result.totals("P@1")[1])
    assert result.totals("NumRelRet").tolist()[::2] == [1.0, 2.0]
    means = {(run, label): value for run, label, value in result.means().iter_rows()}
    for label in result.labels:
        known = [means[run, label] for run in result.runs]
        assert [None if np.isnan(x) else x for x in result.totals(label)] == known
