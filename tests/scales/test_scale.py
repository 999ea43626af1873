"""The front door: input, output, refusals, and the interval version as a measure."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenscale import evaluate, interval_scale, parse, sample
from evenscale.errors import BadInput, BadParameter
from evenscale.judged import Judged, Topic
from evenscale.scales import ScaleTooLarge, Universe, interval
from scales.brute import brute


def test_score_and_rank_are_the_same_scale() -> None:
    scale = interval_scale("AP@6")
    runs = list(Universe(6).runs())
    ranks, scores = scale.ranks(runs), scale.scores(runs)
    np.testing.assert_allclose(scores, (ranks - 1) / (scale.size - 1), rtol=1e-15)
    assert scores.min() == 0
    assert scores.max() == 1


def test_short_long_and_unjudged_runs() -> None:
    scale = interval_scale("RR@4")
    assert scale.rank([0, 1]) == scale.rank([0, 1, 0, 0]) == scale.rank([0, 1, 0, 0, 1]) == scale.rank([None, 1])


@pytest.mark.parametrize(
    ("run", "words"),
    [([2], "grades must be 0 to 1, found 2"), ([-1], "found -1"), ([0.5], "no whole number")],
)
def test_grades_outside_the_universe_are_refused(run: list, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        interval_scale("P@3").rank(run)


def test_runs_beyond_the_recall_base_are_refused() -> None:
    with pytest.raises(BadInput, match="more than 1 relevant"):
        interval_scale("P@3", recall_base=1).rank([1, 1, 0])


@pytest.mark.parametrize(
    ("measure", "options", "words"),
    [
        ("AP", {}, "AP has no scale until its runs have a length: write AP@10, say"),
        ("Rprec", {}, "Rprec has no scale until its runs have a length: give depth="),
        ("AP@5", {"depth": 6}, "AP@5 has the cut-off 5, got depth=6"),
        ("AP@5", {"ties": "first"}, "ties must be one of unq, min, max, mid, got 'first'"),
        ("AP@5", {"grades": 0}, "grades must be at least 1"),
        (max, {}, "a function has no cut-off: give depth="),
    ],
)
def test_bad_questions_get_clear_answers(measure: object, options: dict, words: str) -> None:
    with pytest.raises(BadParameter, match=words):
        interval_scale(measure, **options)


def test_an_arbitrary_measure_at_depth_40_is_refused_at_once() -> None:
    started = time.perf_counter()
    with pytest.raises(
        ScaleTooLarge, match=r"listing all 1,099,511,627,776 runs of depth 40 .* choose a smaller cut-off"
    ):
        interval_scale(lambda run: hash(run) / 7, depth=40)
    assert time.perf_counter() - started < 5  # a refusal, not a search


def test_a_function_of_floats_has_a_tolerance() -> None:
    noisy = lambda run: sum(0.1 for grade in run if grade) + 1e-14 * run[0]  # noqa: E731
    assert interval_scale(noisy, depth=4).size == 5
    assert interval_scale(noisy, depth=4, tolerance=0).size > 5


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "x", None])
def test_a_function_must_give_numbers(value: object) -> None:
    with pytest.raises(BadInput, match="must give a"):
        interval_scale(lambda run: value, depth=2)


def test_quantiles_run_through_the_values() -> None:
    scale = interval_scale("AP@5")
    values = scale.values()
    assert len(values) == scale.size == 31
    assert values == sorted(values)
    assert scale.quantile(0) == values[0]
    assert scale.quantile(1) == values[-1] == 1
    assert scale.quantile(Fraction(1, 2)) == values[15]
    with pytest.raises(BadParameter, match="share"):
        scale.quantile(1.5)


def test_spacing_says_what_a_person_wants_to_know() -> None:
    spacing = interval_scale("RBP(p=0.8)@5").spacing()
    assert (spacing.values, spacing.runs, spacing.equispaced, spacing.tied_share) == (32, 32, False, 0.0)
    assert spacing.unused_above == pytest.approx(0.8**5)
    assert spacing.frame.height == 1
    assert "distinct values" in str(spacing)


def test_huge_scales_keep_exact_integers() -> None:
    scale = interval_scale("RBP(p=0.3)@200")
    assert scale.size == 2**200
    assert scale.rank([1] * 200) == 2**200
    assert scale.ranks([[1] * 200, [0] * 200]).tolist() == [2**200, 1]
    assert scale.score([1] + [0] * 199) == pytest.approx(0.5)


@pytest.mark.parametrize("measure", ["P@1000", "R@1000", "RR@1000", "F@1000", "gP@1000", "Success@1000", "SBTO@500"])
def test_closed_forms_at_any_depth(measure: str) -> None:
    scale = interval_scale(measure, grades=3)
    n = scale.universe.depth
    assert scale.rank([0] * n) == 1
    assert scale.rank([3] * n) == scale.size


def test_graded_judgments_fold_to_what_a_measure_tells_apart() -> None:
    """AP cannot tell grades from each other, so its scale on four grades is the binary one."""
    graded, binary = interval_scale("AP@10", grades=3), interval_scale("AP@10")
    assert graded.size == binary.size == 810
    assert graded.rank([3, 0, 1, 2]) == binary.rank([1, 0, 1, 1])


@settings(max_examples=30)
@given(st.sampled_from(["AP", "ERR", "DCG", "RBP(p=0.8)", "DCG(dcg='jk',base=2)"]), st.integers(12, 15), st.data())
def test_random_runs_against_brute_force(name: str, depth: int, data: st.DataObject) -> None:
    universe = Universe(depth)
    right = _brute(name, depth)
    rows = data.draw(st.lists(st.integers(0, universe.size - 1), min_size=1, max_size=20))
    scale = interval_scale(f"{name}@{depth}")
    np.testing.assert_array_equal(scale.ranks(right.runs[rows]), right.ranks[rows])


_CACHE: dict = {}


def _brute(name: str, depth: int):
    if (name, depth) not in _CACHE:
        universe = Universe(depth)
        _CACHE[name, depth] = brute(parse(f"{name}@{depth}").walk(universe.topic, depth), universe)
    return _CACHE[name, depth]


@pytest.mark.parametrize("grades", [1, 3])
def test_estimates_hold_the_exact_scores(grades: int) -> None:
    """Where the exact scale is known, nearly all intervals must hold it; here 95 % intervals of forty runs."""
    scale = interval_scale("AP@25", grades=grades)
    runs = np.random.default_rng(3).integers(0, 2, (40, 25)) * grades
    found = scale.estimate(runs, rng=1)
    right = scale.scores(runs)
    assert not found.exact
    assert ((found.low <= right) & (right <= found.high)).mean() > 0.85
    assert np.abs(found.share - right).max() < 0.01


def test_estimates_are_for_cumulative_scales() -> None:
    with pytest.raises(BadParameter, match="computed, not estimated"):
        interval_scale("P@10").estimate([[1]])


def test_a_cumulative_scale_beyond_the_budget_is_refused() -> None:
    with pytest.raises(ScaleTooLarge, match="smaller cut-off"):
        _ = interval_scale("AP@60").size


# --- interval(M) is a measure like any other ------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["interval(AP@30)", "interval(nDCG@10)", "interval(RBP(p=0.8)@5,ties='mid')"])
def test_interval_spelling_round_trips(text: str) -> None:
    assert str(parse(text)) == text
    assert parse(str(parse(text))) == parse(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("interval(AP)", r"AP has no scale without a cut-off: write interval\(AP@10\), say"),
        ("interval(Rprec)", "it takes none"),
        ("interval(interval(AP@5))", "is an interval version already"),
        ("interval(AP@5,ties='x')", "ties must be one of"),
    ],
)
def test_bad_interval_versions(text: str, words: str) -> None:
    with pytest.raises(BadParameter, match=words):
        parse(text)


def test_interval_scores_equal_exact_values_and_the_walk() -> None:
    measure = interval("AP@5")
    topic = Topic.of({0: 9, 1: 5}, top=1)
    qrels = {"q": {f"r{i}": 1 for i in range(5)}}
    for run in Universe(5).runs():
        judged = Judged(run, topic)
        docs = {(f"r{i}" if grade else f"x{i}"): 9.0 - i for i, grade in enumerate(run)}
        result = evaluate(qrels, {"q": docs}, measure)
        assert result.values.item() == pytest.approx(float(measure(judged)), abs=1e-15)
        assert result.exact("interval(AP@5)", result.runs[0], "q") == measure(judged)
        assert measure.walk(topic, 5).value(run) == measure(judged)


def test_interval_on_the_sample_campaign() -> None:
    result = evaluate(*sample(), ["P@10", "interval(P@10)", "RR@10", "interval(RR@10)", "nDCG@10", "interval(nDCG@10)"])
    np.testing.assert_allclose(result.matrix("P@10"), result.matrix("interval(P@10)"), atol=1e-12)
    assert not np.allclose(result.matrix("RR@10"), result.matrix("interval(RR@10)"))
    kinds = [oddity.kind for oddity in result.oddities]
    assert kinds.count("surrogate scale") == 1


def test_short_runs_are_filled_up_and_reported() -> None:
    result = evaluate({"q": {"a": 1}}, {"mine": {"q": {"a": 1.0}}}, "interval(P@10)")
    assert result.values.item() == pytest.approx(0.1)
    assert [o.kind for o in result.oddities] == ["short runs"]


def test_interval_versions_refuse_expected_ties() -> None:
    with pytest.raises(BadParameter, match="no expected value over ties"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "interval(P@10)", ties="expected")


def test_float_grades_have_no_scale() -> None:
    with pytest.raises(BadParameter, match="whole grades"):
        evaluate({"q": {"a": 0.5}}, {"q": {"a": 1.0}}, "interval(P@10)")
