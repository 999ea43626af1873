"""The measures of Giner 2023: against our own measures where they coincide, and against the paper's examples."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, isclose, log

import pytest

from evenscale.errors import BadInput
from evenscale.judged import Judged
from evenscale.kinds import classics
from evenscale.kinds.classics import Contingency
from evenscale.measures import parse
from evenscale.measures.exact import compare

Run = tuple[int, ...]
RUNS = {depth: list(product((0, 1), repeat=depth)) for depth in range(1, 6)}
R1, R2, R3 = (1, 0, 0, 0), (0, 1, 0, 0), (0, 1, 0, 1)


def own(measure: str, run: Run, relevant: int) -> object:
    return parse(measure)(Judged.of(run, relevant=relevant))


@pytest.mark.parametrize("name", ["precision", "recall", "F-measure"])
def test_set_measures_are_our_own(name: str) -> None:
    text = {"precision": "P", "recall": "R", "F-measure": "F"}[name]
    for depth, runs in RUNS.items():
        for run in runs:
            counts = Contingency.of(run, relevant=depth, collection=3 * depth)
            assert classics.SET_MEASURES[name](counts) == own(text, run, depth)


def test_set_measures_are_each_others_complements() -> None:
    pairs = [
        ("recall", "miss rate"),
        ("precision", "false discovery rate"),
        ("classification accuracy", "error rate"),
        ("inverse recall", "fallout"),
        ("inverse precision", "false omission rate"),
    ]
    for tp, fp, fn, tn in product(range(1, 4), repeat=4):
        counts = Contingency(tp, fp, fn, tn)
        for one, other in pairs:
            assert classics.SET_MEASURES[one](counts) + classics.SET_MEASURES[other](counts) == 1
        assert classics.SET_MEASURES["specificity"](counts) == Fraction(tn, tn + fp)
        assert classics.SET_MEASURES["generality factor"](counts) == Fraction(tp + fn, tp + fp + fn + tn)


def test_f_measure_is_the_harmonic_mean() -> None:
    for tp, fp, fn in product(range(1, 5), repeat=3):
        precision, recall = Fraction(tp, tp + fp), Fraction(tp, tp + fn)
        mean = 2 * precision * recall / (precision + recall)
        assert classics.SET_MEASURES["F-measure"](Contingency(tp, fp, fn, 3)) == mean


def test_a_set_that_cannot_be_is_refused() -> None:
    with pytest.raises(BadInput, match="does not fit 1 relevant documents among 9"):
        Contingency.of((1, 1), relevant=1, collection=9)


def test_ranking_measures_that_coincide_with_ours() -> None:
    """With as many relevant documents as ranks: the ratios are P, and AWP and the Q-measure are AP."""
    for depth, runs in RUNS.items():
        ideal = (1,) * depth
        for run in runs:
            for ratio in (classics.sliding_ratio, classics.extended_gain, classics.gain_recall):
                assert ratio(run, ideal) == own("P", run, depth)
            for at_r in (classics.weighted_r_precision, classics.r_measure):
                assert at_r(run, ideal) == own("Rprec", run, depth)
            for average in (classics.average_weighted_precision, classics.q_measure):
                assert average(run, ideal) == own("AP", run, depth)


@pytest.mark.parametrize("relevant", [1, 2, 3])
def test_ranking_measures_with_few_relevant_documents(relevant: int) -> None:
    """In the binary case (Giner 2023): R-WP and the R-measure are R-precision, and the Q-measure lies between AP and
    AWP since a mediant lies between its parts."""
    ideal = (1,) * relevant
    for run in RUNS[5]:
        if sum(run) > relevant:
            continue
        for at_r in (classics.weighted_r_precision, classics.r_measure):
            assert at_r(run, ideal) == own("Rprec", run, relevant)
        assert own("AP", run, relevant) <= classics.q_measure(run, ideal)  # type: ignore[operator]
        assert classics.q_measure(run, ideal) <= classics.average_weighted_precision(run, ideal)


def test_normalised_precision_is_what_its_formula_says() -> None:
    for depth in range(2, 6):
        for run in RUNS[depth]:
            ranks = [i for i, hit in enumerate(run, 1) if hit]
            if not 0 < len(ranks) < depth:
                assert classics.normalised_precision(run) == 1
                continue
            best = sum(map(log, range(1, len(ranks) + 1)))
            expected = 1 - (sum(map(log, ranks)) - best) / log(comb(depth, len(ranks)))
            assert isclose(float(classics.normalised_precision(run)), expected, abs_tol=1e-12)


def test_normalised_precision_is_decided_by_the_product_of_the_ranks() -> None:
    for relevant in range(1, 6):
        runs = [run for run in product((0, 1), repeat=6) if sum(run) == relevant]
        for a, b in product(runs, repeat=2):
            first, second = (Fraction(1) * _product([i for i, hit in enumerate(run, 1) if hit]) for run in (a, b))
            found = compare(classics.normalised_precision(a), classics.normalised_precision(b))
            assert found == (second > first) - (second < first)


def _product(numbers: list[int]) -> int:
    result = 1
    for number in numbers:
        result *= number
    return result


def test_normalised_recall_runs_from_0_to_1() -> None:
    assert classics.normalised_recall((0, 0, 1)) == 0
    assert classics.normalised_recall((1, 1, 0)) == 1
    assert classics.normalised_recall((0, 1, 0)) == Fraction(1, 2)


def test_examples_of_the_paper_that_hold() -> None:
    assert classics.sliding_ratio(R1, (1,)) == classics.sliding_ratio(R2, (1,)) == 1
    values = [classics.modified_sliding_ratio(run, (1,)) for run in (R1, R2, (0, 0, 1, 0))]
    assert values == [1, Fraction(1, 2), Fraction(1, 3)]
    assert own("P", R1, 4) == own("P", R2, 4) == Fraction(1, 4)
    assert own("AP", R1, 4) == own("AP", R3, 4) == Fraction(1, 4)
    assert classics.q_measure(R1, (1,) * 4) == classics.q_measure(R3, (1,) * 4) == Fraction(1, 4)
    assert own("RR", R2, 4) == own("RR", R3, 4) == Fraction(1, 2)
    assert own("DCG(dcg='jk',base=2)", R1, 4) == own("DCG(dcg='jk',base=2)", R2, 4) == 1
    assert classics.extended_gain(R1, (1,)) == classics.extended_gain(R2, (1,)) == 1
    assert classics.gain_recall(R1, (1,)) == classics.gain_recall(R2, (1,)) == 1


def test_examples_of_the_paper_that_do_not_hold() -> None:
    """AWP with two relevant documents; MAnxCG; bpref of one relevant document at the top and of two."""
    two = (1, 1)
    assert classics.average_weighted_precision(R1, two) == Fraction(1, 2)
    assert classics.average_weighted_precision(R3, two) == Fraction(3, 4)
    assert classics.average_weighted_precision(R1, (1,) * 4) == classics.average_weighted_precision(R3, (1,) * 4)
    for relevant in (1, 2, 4):
        ideal = (1,) * relevant
        assert classics.mean_extended_gain(R1, ideal) > classics.mean_extended_gain(R2, ideal)
    assert classics.mean_extended_gain((0, 0, 1, 1), two) == classics.mean_extended_gain(R2, two)
    assert own("Bpref", (1, 0, 0, 0), 4) != own("Bpref", (1, 1, 0, 0), 4)


def test_user_outputs_of_the_paper() -> None:
    """r5 and r6 differ in a non-relevant document, r7 and r8 in a relevant one unknown to the user."""
    r5, r6, r7, r8 = (2,), (2, 0), (1, 0), (0, 0)
    for name in ("coverage ratio", "retrieval recall", "novelty ratio"):
        assert classics.USER_MEASURES[name](r5, 3) == classics.USER_MEASURES[name](r6, 3)
    assert classics.USER_MEASURES["recall effort"](r7, 3) == classics.USER_MEASURES["recall effort"](r8, 3)
    assert classics.USER_MEASURES["recall effort"](r5, 3) != classics.USER_MEASURES["recall effort"](r6, 3)
    assert classics.USER_MEASURES["novelty ratio"]((2, 1, 1, 0), 3) == Fraction(2, 3)


def test_utility_of_four_different_weights_can_be_constant() -> None:
    weights = classics.utility(4, 3, 2, 1)
    assert {weights(Contingency.of(run, relevant=3, collection=9)) for run in RUNS[3]} == {18}


def test_expected_search_length_is_the_mean_over_all_orders_of_a_level() -> None:
    """A level with 2 relevant and 2 other documents: the mean over its 6 orders of the others read before the end."""
    orders = [run for run in RUNS[4] if sum(run) == 2]
    for wanted in (1, 2):
        read = [run[: _position(run, wanted)].count(0) for run in orders]
        expected = Fraction(sum(read), len(read))
        assert classics.expected_search_length([(2, 2)], wanted) == expected
    assert classics.expected_search_length([(1, 1), (2, 2)], wanted=2) == 1 + classics.expected_search_length([(2, 2)])
    assert classics.expected_search_length([(1, 3)], wanted=2) == 3


def _position(run: Run, wanted: int) -> int:
    return [i for i, hit in enumerate(run, 1) if hit][wanted - 1]


def test_search_length_counts_what_stands_above_the_first_hit() -> None:
    for run in RUNS[4]:
        above = run.index(1) if any(run) else len(run)
        assert classics.search_length(run, (1,)) == above
