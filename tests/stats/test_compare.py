"""From scores to tiers, for every test; and the published counts of TREC-8."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from evenscale import evaluate, sample
from evenscale.errors import BadInput, BadParameter
from evenscale.stats import TESTS, Scores, compare, scores_of
from evenscale.stats.compare import restricted
from shared_data import DATA

RNG = np.random.default_rng(5)
SCORES = Scores.of(
    np.clip(RNG.beta(2, 3, (30, 1)) + RNG.normal(0, 0.08, (30, 6)) + np.linspace(0, 0.2, 6), 0, 1),
    systems=list("abcdef"),
    measure="AP",
)
needs_urbano = pytest.mark.skipif(not (DATA / "urbano").is_dir(), reason="the TREC-8 score matrices are not here")


@pytest.mark.parametrize("test", TESTS)
def test_every_test_gives_a_full_result(test: str) -> None:
    result = compare(SCORES, test=test, resamples=999)
    found = result.comparisons
    assert len(found.p) == 15
    assert ((found.p >= 0) & (found.p <= 1)).all()
    assert found.needs == TESTS[test].needs
    assert result.frame["system"][0] == "f"
    assert result.frame.height == 6
    assert found.significant.any()
    json.dumps(result.to_dict(), allow_nan=False)
    for text in (result.to_markdown(), result.to_latex(), result._repr_html_(), str(result)):
        assert "f" in text


@pytest.mark.parametrize("test", TESTS)
def test_a_baseline_gives_the_same_verdicts_as_all_pairs(test: str) -> None:
    every = compare(SCORES, test=test, resamples=999).comparisons
    some = compare(SCORES, test=test, resamples=999, baseline="c").comparisons
    assert [SCORES.systems[s] for s in some.second] == ["c"] * 5
    whole = restricted(every, 2)
    np.testing.assert_array_equal(some.first, whole.first)
    np.testing.assert_allclose(some.difference, whole.difference, atol=1e-12)
    np.testing.assert_allclose(some.p, whole.p, atol=1e-12)


def test_baseline_table_marks_what_differs() -> None:
    text = str(compare(SCORES, test="t", baseline="a"))
    assert "systems differ from a" in text
    assert "*" in text


def test_corrections_only_raise_p() -> None:
    plain = compare(SCORES, test="t").comparisons
    for correction in ("bonferroni", "holm", "bh", "by"):
        corrected = compare(SCORES, test="t", correction=correction).comparisons
        assert (corrected.adjusted >= plain.p - 1e-15).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"test": "nope"}, "test must be one of"),
        ({"alpha": 1.5}, r"alpha must lie in \(0, 1\)"),
        ({"test": "anova2", "correction": "holm"}, "accounts for the number of pairs already"),
        ({"test": "anova2", "alternative": "greater"}, "is two-sided"),
        ({"baseline": "zz"}, "there is no system 'zz'"),
    ],
)
def test_bad_questions(options: dict, words: str) -> None:
    with pytest.raises(BadParameter, match=words):
        compare(SCORES, **options)


@pytest.mark.parametrize("test", TESTS)
def test_too_little_to_test(test: str) -> None:
    with pytest.raises(BadInput, match="at least 2"):
        compare(Scores.of([[0.1, 0.2]]), test=test, resamples=99)
    with pytest.raises(BadInput, match="at least 2"):
        compare(Scores.of([[0.1], [0.2]]), test=test, resamples=99)


@pytest.mark.parametrize("test", TESTS)
def test_constant_scores_do_not_differ(test: str) -> None:
    found = compare(Scores.of(np.full((6, 3), 0.25)), test=test, resamples=99).comparisons
    assert not found.significant.any()


def test_nan_and_unequal_topics_are_refused() -> None:
    with pytest.raises(BadInput, match="the score of system s2 on topic t1 is nan"):
        Scores.of([[0.1, float("nan")], [0.2, 0.3]])
    result = evaluate(
        {"q1": {"a": 1}, "q2": {"a": 1}}, {"x": {"q1": {"a": 1.0}}, "y": {"q1": {"a": 1.0}}}, "AP", missing="skip"
    )
    with pytest.raises(BadInput, match="needs a finite score on every topic"):
        scores_of(result, "AP")


def test_an_interval_version_has_an_interval_scale() -> None:
    result = evaluate(*sample(), ["RR@10", "interval(RR@10)"])
    assert scores_of(result, "RR@10").scale == "ordinal"
    assert scores_of(result, "interval(RR@10)").scale == "interval"


@needs_urbano
def test_trec8_two_way_anova_as_published() -> None:
    """Two-way ANOVA of TREC-8 AP: 3,423 of 8,256 pairs differ by Tukey's HSD."""
    scores = Scores.of(pl.read_csv(DATA / "urbano" / "adhoc8_ap.csv").to_numpy(), digits=4)
    assert int(compare(scores).comparisons.significant.sum()) == 3423


PUBLISHED = dict(  # at depth 30
    zip(
        ("sign", "rank-sum", "signed-rank", "t", "anova1", "kruskal", "anova2", "friedman"),
        (4074, 3951, 4578, 4582, 1691, 1500, 2233, 1813),
        strict=True,
    )
)


@needs_urbano
@pytest.mark.parametrize("test", PUBLISHED)
def test_trec8_counts_on_reciprocal_rank_as_published(test: str) -> None:
    """Ferrante, Ferro and Fuhr 2021, Tables 5 and 6; RR at a depth is RR at 1000 with later hits set to 0."""
    values = pl.read_csv(DATA / "urbano" / "adhoc8_rr.csv").to_numpy()
    ranks = np.where(values > 0, np.rint(1 / np.where(values > 0, values, 1)), np.inf)
    scores = Scores.of(np.where(ranks <= 30, 1 / ranks, 0.0))
    assert abs(int(compare(scores, test=test).comparisons.significant.sum()) - PUBLISHED[test]) <= 4
