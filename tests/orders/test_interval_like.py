"""Interval-like measures: the examples of Ferrante, Ferro and Pontarollo 2017, its claims, and a naive twin."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate, product
from typing import Any

import numpy as np
import pytest

from evenscale.errors import BadInput, BadParameter
from evenscale.judged import Judged
from evenscale.measures import Measure, parse
from evenscale.measures.exact import compare, inverse_log
from evenscale.orders.gaps import gap
from evenscale.orders.interval_like import Violation, differences, interval_like, smaller_or_equal
from evenscale.orders.universe import Universe

Run = tuple[int, ...]


def bits(text: str) -> Run:
    return tuple(map(int, text))


def value(measure: str, run: Run) -> Any:
    return parse(measure)(Judged.of(run, relevant=len(run)))


def rise(measure: str, low: Run, high: Run) -> Any:
    return gap(value(measure, low), value(measure, high))


def steps(low: Run, high: Run) -> Run:
    """The single steps at every rank: the difference vector before its entries are added up."""
    vector = differences(low, high)
    return tuple(b - a for a, b in zip((0, *vector), vector, strict=False))


# --- the examples of the paper ----------------------------------------------------------------------------------------


def test_example_from_the_empty_run() -> None:
    """Two replacements at rank 4, one swap at rank 2, two at rank 3. The run itself is missing from the printed text;
    its printed cumulated sums (0, 1, 2, 2) give it back."""
    run = (0, 1, 1, 0)
    assert tuple(accumulate(run)) == (0, 1, 2, 2)
    assert steps((0, 0, 0, 0), run) == (0, 1, 2, 2)


def test_example_of_two_runs_of_length_4() -> None:
    assert steps(bits("0100"), bits("1010")) == (1, 0, 1, 1)


def test_example_of_length_10() -> None:
    """The runs are missing from the printed text; every pair with the printed steps has the printed vector."""
    printed = (0, 1, 1, 1, 2, 1, 1, 1, 0, 1)
    change = tuple(b - a for a, b in zip((0, *printed), printed, strict=False))
    pairs = [(low, tuple(a + c for a, c in zip(low, change, strict=True))) for low in product((0, 1), repeat=10)]
    pairs = [(low, high) for low, high in pairs if set(high) <= {0, 1}]
    assert len(pairs) == 2 ** change.count(0)
    assert {steps(*pair) for pair in pairs} == {printed}
    assert {differences(*pair) for pair in pairs} == {(0, 1, 2, 3, 5, 6, 7, 8, 8, 9)}


def test_example_of_a_smaller_interval() -> None:
    smaller = differences(bits("1001011100"), bits("1011101000"))
    assert smaller == (0, 0, 1, 2, 4, 5, 6, 6, 6, 6)
    larger = (0, 1, 2, 3, 5, 6, 7, 8, 8, 9)
    assert smaller_or_equal(smaller, larger)
    assert not smaller_or_equal(larger, smaller)


def test_example_where_the_natural_distance_sees_no_difference() -> None:
    top = differences(bits("0100000000"), bits("1000000000"))
    bottom = differences(bits("0000000001"), bits("0000000010"))
    assert top == (1,) * 10
    assert bottom == (0,) * 8 + (1, 1)
    assert top[-1] == bottom[-1] == 1
    assert smaller_or_equal(bottom, top)


AGREEING = ("RBP(p=0.3)@10", "RBP(p=0.5)@10", "RBP(p=0.8)@10", "RBP(p=0.95)@10", "DCG@10", "DCG(dcg='jk',base=2)@10")


def test_example_of_err() -> None:
    r, s, u, v = map(bits, ("0000001110", "0000010110", "1101011011", "1110011011"))
    assert smaller_or_equal(differences(r, s), differences(u, v))
    assert compare(rise("ERR@10", r, s), rise("ERR@10", u, v)) > 0
    for measure in (*AGREEING, "AP@10"):
        assert compare(rise(measure, r, s), rise(measure, u, v)) <= 0


def test_example_of_ap() -> None:
    r, s, u = map(bits, ("0000000000", "0100100001", "0100111001"))
    assert smaller_or_equal(differences(s, u), differences(r, s))
    assert differences(s, u) != differences(r, s)
    assert compare(rise("AP@10", r, s), rise("AP@10", s, u)) < 0
    for measure in (*AGREEING, "ERR@10"):
        assert compare(rise(measure, r, s), rise(measure, s, u)) >= 0


def test_example_of_dcg_and_rbp_with_unequal_mass() -> None:
    """The runs are missing from the printed text. A search among all runs of length 10 finds many that fit all it says:
    u and s hold equally many relevant documents, r two fewer, and RBP goes wrong for p above .85. These are the ones
    with the fewest relevant documents that both discounts of DCG get wrong."""
    r, s, u = map(bits, ("0000000000", "0000000101", "0010001000"))
    assert sum(u) == sum(s) == sum(r) + 2
    assert smaller_or_equal(differences(r, s), differences(s, u))
    assert differences(r, s) != differences(s, u)
    for measure in ("DCG@10", "DCG(dcg='jk',base=2)@10", "RBP(p=0.86)@10", "RBP(p=0.9)@10", "RBP(p=0.99)@10"):
        assert compare(rise(measure, r, s), rise(measure, s, u)) > 0
    for measure in ("RBP(p=0.5)@10", "RBP(p=0.84)@10"):
        assert compare(rise(measure, r, s), rise(measure, s, u)) < 0


# --- the claims -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", ["DCG", "nDCG", "RBP(p=0.3)", "RBP(p=0.8)", "RBP(p=0.99)", "gP"])
def test_equal_mass_holds_on_all_small_universes(measure: str) -> None:
    graded = [Universe(1, 3), Universe(2, 2), Universe(2, 3), Universe(3, 2), Universe(4, 2), Universe(3, 3)]
    for universe in [*(Universe(depth) for depth in range(1, 9)), *graded]:
        found = interval_like(parse(f"{measure}@{universe.depth}"), universe, equal_mass=True)
        assert found.exhaustive
        assert found.holds, found.sentence


def test_gains_that_do_not_grow_evenly_break_equal_mass_on_graded_runs() -> None:
    """2^grade - 1 makes a swap of grades 1 and 2 worth twice that of 0 and 1, at the same length."""
    found = interval_like(parse("DCG(dcg='exp-log2')@2"), Universe(2, 2), equal_mass=True)
    assert found.violation
    assert (found.violation.smaller, found.violation.larger) == (((1, 2), (2, 1)), ((0, 1), (1, 0)))
    assert found.violation.smaller_gap == 2 * found.violation.larger_gap


@pytest.mark.parametrize("measure", ["RBP(p=0.3)", "RBP(p=0.5)", "RBPO", "RBTO"])
def test_rbp_up_to_one_half_and_the_order_measures_hold_for_all_intervals(measure: str) -> None:
    for depth in range(1, 8):
        assert interval_like(parse(f"{measure}@{depth}"), Universe(depth)).holds


SMALLEST: dict[tuple[str, bool], tuple[int, Violation]] = {
    ("AP", False): (2, Violation(((1, 0), (1, 1)), ((0, 0), (0, 1)), Fraction(1, 2), Fraction(1, 4))),
    ("AP", True): (
        3,
        Violation(((1, 0, 1), (1, 1, 0)), ((0, 0, 1), (0, 1, 0)), Fraction(1, 9), Fraction(1, 18)),
    ),
    ("ERR", False): (2, Violation(((0, 0), (0, 1)), ((1, 0), (1, 1)), Fraction(1, 4), Fraction(1, 8))),
    ("ERR", True): (
        3,
        Violation(((0, 0, 1), (0, 1, 0)), ((1, 0, 1), (1, 1, 0)), Fraction(1, 12), Fraction(1, 24)),
    ),
    ("RBP(p=0.8)", False): (2, Violation(((0, 0), (0, 1)), ((0, 1), (1, 0)), Fraction(4, 25), Fraction(1, 25))),
    ("DCG", False): (
        2,
        Violation(((0, 0), (0, 1)), ((0, 1), (1, 0)), inverse_log(2, 3), 1 - inverse_log(2, 3)),
    ),
}


@pytest.mark.parametrize(("measure", "equal_mass"), SMALLEST)
def test_smallest_depth_with_a_violation(measure: str, equal_mass: bool) -> None:
    depth, expected = SMALLEST[measure, equal_mass]
    for smaller in range(1, depth):
        assert interval_like(parse(f"{measure}@{smaller}"), Universe(smaller), equal_mass=equal_mass).holds
    found = interval_like(parse(f"{measure}@{depth}"), Universe(depth), equal_mass=equal_mass)
    assert found.violation == expected


def test_dcg_with_a_flat_start_is_not_interval_like_for_equal_mass() -> None:
    """The paper says DCG is. With Järvelin and Kekäläinen's discount the first b ranks count alike, so a swap among
    them is worth nothing, and a swap below is worth something although it makes a smaller interval."""
    found = interval_like(parse("DCG(dcg='jk',base=2)@3"), Universe(3), equal_mass=True)
    assert found.violation == Violation(((0, 0, 1), (0, 1, 0)), ((0, 1, 0), (1, 0, 0)), 1 - inverse_log(2, 3), 0)
    low, high, top, second = (tuple(int(i == rank) for i in range(1, 12)) for rank in (11, 10, 1, 2))
    base_10 = "DCG(dcg='jk',base=10)@11"
    assert smaller_or_equal(differences(low, high), differences(second, top))
    assert compare(rise(base_10, low, high), rise(base_10, second, top)) > 0


def curvature(weights: tuple[int, ...]) -> list[int]:
    """Second differences, with weights of 0 below the last rank."""
    w = (*weights, 0, 0)
    return [w[i] - 2 * w[i + 1] + w[i + 2] for i in range(len(weights))]


@pytest.mark.parametrize("equal_mass", [False, True])
def test_additive_measures_are_decided_by_their_weights(equal_mass: bool) -> None:
    """Summation by parts: a sum of weights is a sum of difference-vector entries times second differences of weights.

    So an additive measure is interval-like exactly when these are not negative: with 0 after the last rank for all
    intervals; for ends of equal mass, up to the last but two, and with the last weight not above the last but one.
    Checked over all weights 0 to 3 at depth 4: RBP's are convex for every p, and in the first sense for p <= 1/2.
    """
    for weights in product(range(4), repeat=4):

        def score(run: Run, weights: tuple[int, ...] = weights) -> int:
            return sum(w * g for w, g in zip(weights, run, strict=True))

        convex = [*curvature(weights)[:2], weights[2] - weights[3]] if equal_mass else curvature(weights)
        assert interval_like(score, Universe(4), equal_mass=equal_mass).holds == (min(convex) >= 0), weights


# --- the naive twin ---------------------------------------------------------------------------------------------------


def better(low: Run, high: Run, grades: int) -> bool:
    return all(
        sum(g >= grade for g in low[: i + 1]) <= sum(g >= grade for g in high[: i + 1])
        for i in range(len(low))
        for grade in range(1, grades + 1)
    )


def naive_violations(score: Callable[[Run], Any], universe: Universe, equal_mass: bool) -> list[tuple[Run, ...]]:
    """All quadruples (u, v, r, s) whose interval [u, v] is the smaller one and gets the larger difference."""
    runs = list(universe.runs())
    values = {run: score(run) for run in runs}
    intervals = [
        (low, high)
        for low in runs
        for high in runs
        if better(low, high, universe.grades) and not (equal_mass and sum(low) != sum(high))
    ]
    lengths = {
        (low, high): [sum((i - j + 1) * (high[j] - low[j]) for j in range(i + 1)) for i in range(universe.depth)]
        for low, high in intervals
    }
    rises = {pair: gap(values[pair[0]], values[pair[1]]) for pair in intervals}
    return [
        (*small, *large)
        for small in intervals
        for large in intervals
        if all(a <= b for a, b in zip(lengths[small], lengths[large], strict=True))
        and compare(rises[small], rises[large]) > 0
    ]


TWINS = ["P", "RR", "AP", "ERR", "DCG", "DCG(dcg='jk',base=2)", "nDCG", "RBP(p=0.5)", "RBP(p=0.8)", "RBPO@1", "SBTO@1"]


@pytest.mark.parametrize("universe", [Universe(1), Universe(3), Universe(2, 2), Universe(4, 1, 2)], ids=str)
@pytest.mark.parametrize("text", TWINS)
def test_against_the_naive_twin(text: str, universe: Universe) -> None:
    measure = parse(text.split("@")[0] + f"@{universe.depth}")
    walk = measure.walk(universe.topic, universe.depth)
    for equal_mass in (False, True):
        expected = naive_violations(walk.value, universe, equal_mass)
        found = interval_like(measure, universe, equal_mass=equal_mass)
        assert found.exhaustive
        assert found.holds == (not expected)
        if found.violation:
            assert (*found.violation.smaller, *found.violation.larger) in expected


def test_a_measure_that_falls_is_caught_by_an_interval_of_one_run() -> None:
    def worse_when_better(run: Run) -> int:
        return -run[0]

    assert len(naive_violations(worse_when_better, Universe(1), False)) == 2
    violation = interval_like(worse_when_better, Universe(1)).violation
    assert violation
    assert violation.vectors == ((0,), (1,))
    assert (violation.smaller_gap, violation.larger_gap) == (0, -1)


# --- beyond the budget ------------------------------------------------------------------------------------------------


def test_the_sample_finds_what_ap_and_err_do_at_depth_30() -> None:
    for text in ("AP@30", "ERR@30"):
        found = interval_like(parse(text), Universe(30), equal_mass=True, samples=400)
        assert not found.exhaustive
        check(found.violation, parse(text), Universe(30))


def check(violation: Violation | None, measure: Measure, universe: Universe) -> None:
    assert violation
    small, large = violation.vectors
    assert smaller_or_equal(small, large)
    assert compare(violation.smaller_gap, violation.larger_gap) > 0
    walk = measure.walk(universe.topic, universe.depth)
    for (low, high), rises in ((violation.smaller, violation.smaller_gap), (violation.larger, violation.larger_gap)):
        assert gap(walk.value(low), walk.value(high)) == rises


def test_a_sample_that_finds_nothing_does_not_claim_a_proof() -> None:
    found = interval_like(parse("RBP(p=0.8)@30"), Universe(30), equal_mass=True, samples=200)
    assert found.holds and not found.exhaustive
    assert "does not prove" in found.sentence
    assert found.table().rows[3][1] == "not refuted"


def test_the_sample_agrees_with_the_exhaustive_search_where_both_can_be_had() -> None:
    for text in ("AP@5", "DCG(dcg='jk',base=2)@5", "RBP(p=0.8)@5", "DCG@5"):
        for universe in (Universe(5), Universe(5, 1, 2), Universe(5, 2)):
            full = interval_like(parse(text), universe, equal_mass=True)
            sampled = interval_like(parse(text), universe, equal_mass=True, budget=1, samples=400)
            assert full.exhaustive and not sampled.exhaustive
            assert full.holds == sampled.holds
            for low, high in (sampled.violation.smaller, sampled.violation.larger) if sampled.violation else ():
                assert {low, high} <= set(universe.runs())


def test_the_sample_repeats_itself_with_one_seed() -> None:
    first, again, other = (
        interval_like(parse("AP@20"), Universe(20), samples=200, rng=rng) for rng in (7, np.random.default_rng(7), 8)
    )
    assert first.to_dict() == again.to_dict()
    assert first.to_dict() != other.to_dict()


# --- results and errors -----------------------------------------------------------------------------------------------


def test_results_become_rows_and_plain_data() -> None:
    for found in (
        interval_like(parse("AP@3"), Universe(3), equal_mass=True),
        interval_like(parse("DCG@3"), Universe(3), equal_mass=True),
    ):
        data = json.loads(json.dumps(found.to_dict()))
        assert data["interval_like"] == found.holds == (data["violation"] is None)
        assert found.frame.height == 1
        assert found.measure in found.sentence
        assert str(found.depth) in str(found)


def test_bad_input_is_refused() -> None:
    with pytest.raises(BadInput, match="one length, got 2 and 3"):
        differences((0, 1), (0, 1, 1))
    with pytest.raises(BadInput, match="cannot be compared"):
        differences((1, 0, 0), (0, 1, 1))
    with pytest.raises(BadParameter, match="samples must be at least 1, got 0"):
        interval_like(parse("AP@3"), Universe(3), samples=0)


def test_graded_runs_are_compared_at_every_grade() -> None:
    """(0, 2) and (1, 1) hold the same sum of grades at rank 2, but neither is better: one has the higher grade."""
    with pytest.raises(BadInput, match="cannot be compared"):
        differences((0, 2), (1, 1))
    assert differences((0, 2), (2, 0)) == (2, 2)
