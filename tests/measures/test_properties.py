"""Every measure in the table, over all small runs, against its naive twin and the properties it claims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest

import naive
from evenscale.judged import Block, Judged, Topic
from evenscale.measures import MEASURES as TABLE
from evenscale.measures import Measure, Walk, additive, parse
from evenscale.measures.average_precision import AP
from evenscale.measures.exact import compare
from evenscale.measures.precision import P
from measures.cases import CASES, MEASURES

RICH = {0: 6, 1: 6, 2: 6}  # enough of every grade for any run of depth 6
POOR = {0: 9, 1: 2, 2: 1}
BARE = {0: 9}
WHOLE_ONLY = ("ERR", "SBTO", "SBPO", "RBTO", "RBPO")  # their definitions need whole grades
UNIVERSE = list(naive.universe(6, (0, 1, 2)))
MIXED = [run for depth in range(6) for run in naive.universe(depth, (None, 0, 1, 2))]


def block(runs: list[tuple[int | None, ...]], counts: naive.Counts, top: int = 2) -> Block:
    return Block.of([list(r) for r in runs], (0, 1, 2), [[counts.get(g, 0) for g in (0, 1, 2)]] * len(runs), top)


def exact_values(measure: Measure, runs: list[tuple[int | None, ...]], counts: naive.Counts) -> list:
    topic = Topic.of(counts, top=2)
    return [measure(Judged(run, topic)) for run in runs]


def fits(run: tuple[int | None, ...], counts: naive.Counts) -> bool:
    """A topic cannot yield more documents of a grade than it has."""
    return all(sum(g == grade for g in run) <= counts.get(grade, 0) for grade in (0, 1, 2))


def test_every_measure_in_the_table_has_a_case() -> None:
    assert {type(m) for m in MEASURES} == set(TABLE)


@pytest.mark.parametrize("text", CASES)
@pytest.mark.parametrize("counts", [RICH, POOR, BARE], ids=["rich", "poor", "bare"])
def test_exact_and_vectorised_values_equal_the_naive_twin(text: str, counts: naive.Counts) -> None:
    measure, twin = parse(text), CASES[text]
    runs = [run for run in MIXED + UNIVERSE[::7] if fits(run, counts)]
    slow = np.array([twin(run, counts, 2) for run in runs], dtype=float)
    exact = np.array([float(v) for v in exact_values(measure, runs, counts)])
    np.testing.assert_allclose(exact, slow, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(measure.scores(block(runs, counts)), exact, rtol=1e-12, atol=1e-13)


def test_the_comparison_with_the_twin_can_fail() -> None:
    wrong = np.array([naive.average_precision(run, RICH, 4) for run in UNIVERSE])
    right = AP().scores(block(UNIVERSE, RICH))
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(right, wrong, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_spelling_round_trips(measure: Measure) -> None:
    assert parse(str(measure)) == measure
    assert str(parse(str(measure))) == str(measure)
    assert hash(parse(str(measure))) == hash(measure)


def test_round_trip_check_can_fail() -> None:
    assert parse(str(replace(AP(), cutoff=30))) != AP()


def check_range(measure: Measure) -> None:
    topic = Topic.of(RICH, top=2)
    low, high = measure.bounds(topic, 6)
    for run, value in zip(UNIVERSE, exact_values(measure, UNIVERSE, RICH), strict=True):
        assert compare(low, value) <= 0 <= compare(high, value), f"{measure} is out of range at {run}"


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_values_stay_in_range(measure: Measure) -> None:
    check_range(measure)


def check_replacement(measure: Measure) -> None:
    """Replacing a document by the next better grade must not lower the value."""
    value = dict(zip(UNIVERSE, exact_values(measure, UNIVERSE, RICH), strict=True))
    for run, before in value.items():
        for i, grade in enumerate(run):
            if grade < 2:
                better = (*run[:i], grade + 1, *run[i + 1 :])
                assert compare(before, value[better]) <= 0, f"{measure} falls from {run} to {better}"


def check_swap(measure: Measure) -> None:
    """Moving the better of two neighbours up must not lower the value."""
    value = dict(zip(UNIVERSE, exact_values(measure, UNIVERSE, RICH), strict=True))
    for run, before in value.items():
        for i in range(5):
            if run[i] < run[i + 1]:
                better = (*run[:i], run[i + 1], run[i], *run[i + 2 :])
                assert compare(before, value[better]) <= 0, f"{measure} falls from {run} to {better}"


@pytest.mark.parametrize("measure", [m for m in MEASURES if m.replacement], ids=str)
def test_monotone_under_replacement(measure: Measure) -> None:
    check_replacement(measure)


@pytest.mark.parametrize("measure", [m for m in MEASURES if m.swap], ids=str)
def test_monotone_under_swap(measure: Measure) -> None:
    check_swap(measure)


@dataclass(frozen=True, kw_only=True)
class _Backwards(P):
    """A negative control: likes bad documents and late ones, and leaves its range."""

    name: ClassVar[str] = "Backwards"

    def walk(self, topic: Topic, depth: int) -> Walk:
        return additive(lambda rank: rank, lambda grade: -1 if grade else 0)


@dataclass(frozen=True, kw_only=True)
class _Late(P):
    """A negative control: likes good documents, but late."""

    name: ClassVar[str] = "Late"

    def walk(self, topic: Topic, depth: int) -> Walk:
        return additive(lambda rank: Fraction(rank, 100), lambda grade: grade or 0)


@pytest.mark.parametrize(
    ("check", "measure"),
    [(check_range, _Backwards()), (check_replacement, _Backwards()), (check_swap, _Late())],
    ids=["range", "replacement", "swap"],
)
def test_property_checks_can_fail(check: Callable[[Measure], None], measure: Measure) -> None:
    with pytest.raises(AssertionError, match=measure.name):
        check(measure)


@pytest.mark.parametrize("kind", TABLE, ids=lambda kind: kind.name)
def test_recall_base_is_declared(kind: type[Measure]) -> None:
    """A measure depends on the recall base exactly when it says so."""
    runs = [run for run in UNIVERSE if fits(run, POOR)]
    more = {0: 9, 1: 7, 2: 5}
    cases = [m for m in MEASURES if type(m) is kind]
    assert any(exact_values(m, runs, POOR) != exact_values(m, runs, more) for m in cases) == kind.recall_base


@pytest.mark.parametrize("text", [t for t in CASES if "rel=" not in t and "gmax" not in t])
def test_float_grades_are_kept(text: str) -> None:
    """Grades halved everywhere, threshold and top included, leave graded shares as they were."""
    measure = parse(text)
    half = {Fraction(1, 2): 6, 1: 6, 0: 6}
    if measure.name in WHOLE_ONLY or "exp" in text:
        with pytest.raises(ValueError, match="whole grades"):
            measure.check((0, Fraction(1, 2), 1))
        return
    runs = [tuple(Fraction(g, 2) for g in run) for run in UNIVERSE[::11]]
    listed = Block.of(
        [[int(g) if g == int(g) else g for g in run] for run in runs],
        (0, Fraction(1, 2), 1),
        [[6, 6, 6]] * len(runs),
        1,
    )
    topic = Topic.of(half, top=1)
    exact = [float(measure(Judged(run, topic))) for run in runs]
    np.testing.assert_allclose(measure.scores(listed), exact, rtol=1e-12, atol=1e-13)
