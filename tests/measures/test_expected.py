"""Expected values over ties, against the mean over all orders."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest

from evenscale.judged import Judged, Topic
from evenscale.measures import Measure, expected
from evenscale.measures.expected import expected_float
from measures.cases import MEASURES

TOPIC = Topic.of({0: 5, 1: 3, 2: 3}, top=2)
RUNS = [
    ((0, 1, 2, 0, 1), [(1, 3)]),
    ((2, 0, None, 1, 0, 2), [(1, 2), (3, 6)]),
    ((0, 0, 1, 2, 1), [(2, 5)]),
    ((None, 2, 0, 1), [(1, 4)]),
]


def over_all_orders(measure: Measure, grades: tuple, spans: list[tuple[int, int]]) -> object:
    orders = [itertools.permutations(grades[a - 1 : b]) for a, b in spans]
    values = []
    for drawn in itertools.product(*map(list, orders)):
        run = list(grades)
        for (a, b), part in zip(spans, drawn, strict=True):
            run[a - 1 : b] = part
        values.append(measure(Judged(tuple(run), TOPIC)))
    return values


@pytest.mark.parametrize("measure", MEASURES, ids=str)
@pytest.mark.parametrize(("grades", "spans"), RUNS)
def test_expected_value_is_the_mean_over_all_orders(measure: Measure, grades: tuple, spans: list) -> None:
    values = over_all_orders(measure, grades, spans)
    got = expected(measure, Judged(grades, TOPIC), spans)
    if all(isinstance(v, int | Fraction) for v in values):
        assert got == sum(values, Fraction(0)) / len(values)
    else:
        assert math.isclose(float(got), sum(map(float, values)) / len(values), rel_tol=1e-12)
    assert math.isclose(expected_float(measure, Judged(grades, TOPIC), spans), float(got), rel_tol=1e-12, abs_tol=1e-15)


def test_without_ties_it_is_the_value() -> None:
    for measure in MEASURES:
        judged = Judged((2, 0, None, 1), TOPIC)
        assert expected(measure, judged, []) == measure(judged)
