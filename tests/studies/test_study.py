"""The scale study on small campaigns: its tables against their definitions, its command, its refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

from cli.test_cli import Call, call  # noqa: F401 - a fixture
from evenscale import evaluate, sample
from evenscale.errors import BadInput, BadParameter
from evenscale.stats import TESTS, scores_of
from evenscale.studies import DEFAULT_MEASURES, Study, campaign_of, study


@pytest.fixture(scope="module")
def found() -> Study:
    return study(*sample(), depths=[5, 10], tie_rules=("unq", "mid"))


def test_every_cell_is_there(found: Study) -> None:
    n = len(DEFAULT_MEASURES)
    assert found.correlation.height == 2 * 2 * n
    assert found.between.height == 2 * n * (n - 1) // 2
    assert found.significance.height == 2 * n * 8
    assert found.anova.height == 2 * n * 2 * 4
    assert found.averages.height == 2 * 4


def test_tau_equals_scipy_s_on_the_means(found: Study) -> None:
    result = evaluate(*sample(), ["RR@10", "interval(RR@10)"])
    means = [np.round(result.matrix(m).mean(axis=0), 8) for m in result.labels]
    row = found.correlation.filter((pl.col("measure") == "RR@10") & (pl.col("ties") == "unq")).row(0, named=True)
    assert row["tau"] == pytest.approx(kendalltau(*means).statistic, abs=1e-12)
    assert row["tau_by_topic"] == pytest.approx(1.0)


def test_precision_is_an_interval_scale_already(found: Study) -> None:
    rows = found.significance.filter(pl.col("measure").str.starts_with("P@"))
    assert rows["s2ns"].sum() == rows["ns2s"].sum() == 0
    assert (
        found.correlation.filter(pl.col("measure").str.starts_with("P@") & (pl.col("ties") == "unq"))["tau"].min() == 1
    )


def test_rank_tests_do_not_change_without_a_recall_base(found: Study) -> None:
    """An increasing rescaling moves no rank; with a recall base each topic is rescaled by itself."""
    rows = found.significance.filter(~pl.col("recall_base") & (pl.col("needs") == "ordinal"))
    assert rows["delta"].to_list() == [0.0] * rows.height


def test_counts_of_changes_add_up(found: Study) -> None:
    result = evaluate(*sample(), ["AP@10", "interval(AP@10)"])
    old, new = (TESTS["t"](scores_of(result, m), alpha=0.05).significant for m in result.labels)
    row = found.significance.filter((pl.col("measure") == "AP@10") & (pl.col("test") == "t")).row(0, named=True)
    assert (row["sig"], row["sig"] - row["s2ns"] + row["ns2s"]) == (int(old.sum()), int(new.sum()))
    assert row["delta"] == pytest.approx(100 * int((old != new).sum()) / int(old.sum()))


def test_movers_are_sorted_by_how_far_they_move(found: Study) -> None:
    for part in found.movers.partition_by("depth", "measure"):
        moved = part["moved"].abs().to_list()
        assert moved == sorted(moved, reverse=True)
        assert (part["place"] - part["interval_place"]).to_list() == part["moved"].to_list()


def test_results_are_plain_data(found: Study) -> None:
    json.dumps(found.to_dict())
    assert "†" in str(found)
    assert found.to_markdown().startswith("**24 systems")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"measures": ["AP@5"]}, "give one without cut-off, got AP@5"),
        ({"measures": ["Rprec"]}, "give one without cut-off, got Rprec"),
        ({"depths": []}, "at least one depth"),
        ({"tests": ["bootstrap"]}, "tests must be among"),
    ],
)
def test_bad_questions(options: dict, words: str) -> None:
    with pytest.raises(BadParameter, match=words):
        study(*sample(), **options)


def test_judged_matrices_give_the_grades_back() -> None:
    judged = {"a": [[1, 0, 2], [0, 0, 0]], "b": [[0, 2, 2], [1, 1, 0]]}
    result = evaluate(*campaign_of(judged, recall_bases=[5, 2]), ["NumRel", "P@3"])
    for run, matrix in judged.items():
        for topic, grades in zip(result.topics, matrix, strict=True):
            assert [g or 0 for g in result.judged(run, topic).grades] == grades
    assert result.matrix("NumRel")[:, 0].tolist() == [5, 2]
    assert study(*campaign_of(judged), depths=[3], measures=["P"], tests=["sign"]).systems == 2


@pytest.mark.parametrize(
    ("judged", "words"),
    [({}, "at least one"), ({"a": [[0.5]]}, "whole grades"), ({"a": [[1]], "b": [[1], [0]]}, "the same topics")],
)
def test_bad_matrices(judged: dict, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        campaign_of(judged)


def test_study_command_writes_every_table_and_figure(call: Call, tmp_path: Path) -> None:  # noqa: F811
    words = ("study", "--sample", "--depth", "5", "-m", "P", "-m", "RR", "-o", tmp_path / "out", "-q")
    answer = call(*words)
    assert answer.code == 0
    assert answer.out.startswith("24 systems, 50 topics, depth 5")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    tables = {"correlation", "between", "significance", "averages", "anova", "movers"}
    assert {f"{t}.{s}" for t in tables for s in ("csv", "tex", "md")} | {"study.json", "between.svg"} <= names
    assert {"values-01-P.svg", "spacing-02-RR.svg", "significance.svg"} <= names
    assert pl.read_csv(tmp_path / "out" / "correlation.csv").height == 2


def test_study_command_refuses(call: Call) -> None:  # noqa: F811
    assert call("study").code == 2
    assert call("study", "--sample", "--depth", "x").code == 2
    assert "tie rules are" in call("study", "--sample", "--tie-rules", "best").err
    assert call("study", "q", "r", "--sample").code == 2
