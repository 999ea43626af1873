"""Standardisation: against plain formulas, the published definitions, and the documented answers on constant topics."""

from __future__ import annotations

from math import asin, erf, log, sqrt
from statistics import fmean, geometric_mean, stdev

import numpy as np
import pytest

from evenscale.errors import BadInput, BadParameter
from evenscale.stats.matrix import Scores
from evenscale.stats.standardise import STANDARDISATIONS, geometric_means, linear_standardisation, standardise


def matrix(topics: int = 7, systems: int = 9, shift: int = 0) -> Scores:
    values = np.random.default_rng(3 + shift).integers(0, 21, (topics, systems)) / 20
    return Scores.of(values, systems=[f"r{shift}_{k}" for k in range(systems)], measure="AP", scale="interval")


def naive(x: float, reference: list[float], method: str) -> float:
    z = (x - fmean(reference)) / stdev(reference)
    return {
        "z": z,
        "normal": (1 + erf(z / sqrt(2))) / 2,
        "linear": min(max(0.15 * z + 0.5, 0), 1),
        "empirical": sum(r <= x for r in reference) / len(reference),
        "arcsine": asin(sqrt(x)),
    }[method]


@pytest.mark.parametrize("method", list(STANDARDISATIONS))
@pytest.mark.parametrize("own", [True, False])
def test_against_plain_formulas(method: str, own: bool) -> None:
    scores = matrix()
    reference = scores if own else matrix(systems=5, shift=1)
    found = standardise(scores, method, None if own else reference)
    for row, known, got in zip(scores.values.tolist(), reference.values.tolist(), found.values.tolist(), strict=True):
        assert got == pytest.approx([naive(x, known, method) for x in row], abs=1e-12)
    assert found.systems == scores.systems and found.topics == scores.topics
    assert found.measure == f"{method}(AP)" and found.scale == STANDARDISATIONS[method].gives


def test_what_each_needs() -> None:
    needs = {name: s.needs for name, s in STANDARDISATIONS.items()}
    assert needs == {
        "z": "interval",
        "normal": "interval",
        "linear": "interval",
        "empirical": "ordinal",
        "arcsine": "ratio",
    }
    assert all(s.about for s in STANDARDISATIONS.values())


@pytest.mark.parametrize("method", list(STANDARDISATIONS))
def test_needs_is_what_it_is_invariant_under(method: str) -> None:
    """Interval: units and origins of topics do not matter. Ordinal: any growing transform will do."""
    scores = matrix()
    scale = STANDARDISATIONS[method].needs
    linear = Scores.of(scores.values * np.linspace(0.2, 0.5, 7)[:, None] + 0.25)
    cubed = Scores.of(scores.values**3)
    before = standardise(scores, method).values
    assert np.allclose(before, standardise(linear, method).values, atol=1e-9) == (scale in {"interval", "ordinal"})
    assert np.allclose(before, standardise(cubed, method).values, atol=1e-9) == (scale == "ordinal")


def test_standardised_topics_have_mean_0_and_deviation_1() -> None:
    z = standardise(matrix(), "z").values
    assert np.allclose(z.mean(axis=1), 0) and np.allclose(z.std(axis=1, ddof=1), 1)


@pytest.mark.parametrize(
    ("method", "expected"),
    [("z", [0, 0, 0]), ("normal", [0.5] * 3), ("linear", [0.5] * 3), ("empirical", [0, 1, 1])],
)
def test_constant_topics_have_a_documented_answer(method: str, expected: list[float]) -> None:
    scores = Scores.of([[0.1, 0.2, 0.9]])
    # 0.1 + 0.1 + 0.1 is not 0.3: constant is decided on the digits that count.
    reference = Scores.of([[0.2, 0.1 + 0.1, 0.3 - 0.1]])
    assert standardise(scores, method, reference).values.tolist() == [expected]


def test_a_constant_topic_among_others_leaves_them_alone() -> None:
    scores = Scores.of([[0.3, 0.3, 0.3], [0.1, 0.2, 0.3]])
    assert np.allclose(standardise(scores, "z").values, [[0, 0, 0], [-1, 0, 1]])
    assert standardise(scores, "empirical").values[0].tolist() == [1, 1, 1]


def test_empirical_ties_are_decided_on_digits() -> None:
    reference = Scores.of([[0.3, 0.5]])
    assert standardise(Scores.of([[0.1 + 0.2, 0.3 - 1e-15, 0.29]]), "empirical", reference).values.tolist() == [
        [0.5, 0.5, 0]
    ]


def test_linear_cuts_off() -> None:
    reference = Scores.of([[0.4, 0.5, 0.6]])
    assert standardise(Scores.of([[0.0, 1.0]]), "linear", reference).values.tolist() == [[0, 1]]
    other = linear_standardisation(0.1, 0.4)(Scores.of([[0.5, 0.6]]), reference)
    assert other.values[0] == pytest.approx([0.4, 0.5])
    for slope, middle in ((0, 0.5), (-1, 0.5), (0.15, 2), (float("nan"), 0.5)):
        with pytest.raises(BadParameter, match="slope must be positive"):
            linear_standardisation(slope, middle)


def test_reference_is_matched_by_topic() -> None:
    scores, reference = matrix(), matrix(shift=1)
    more = np.vstack([reference.values[::-1], np.ones(9)])
    mixed = Scores.of(more, topics=[*reference.topics[::-1], "extra"])
    expected = standardise(scores, "z", reference).values
    assert np.array_equal(standardise(scores, "z", mixed).values, expected)


def test_refusals() -> None:
    scores = matrix()
    with pytest.raises(BadInput, match=r"no scores on topics t3, t4, t5, t6, t7$"):
        standardise(scores, "z", matrix(topics=2))
    with pytest.raises(BadInput, match="scored by RR, the systems by AP"):
        standardise(scores, "z", Scores.of(scores.values, measure="RR"))
    with pytest.raises(BadInput, match="at least 2 reference systems, found 1"):
        standardise(Scores.of([[0.1]]), "normal")
    with pytest.raises(BadParameter, match="method must be one of z, normal"):
        standardise(scores, "sigmoid")
    with pytest.raises(BadInput, match=r"found 1\.5 for system s2 on topic t1"):
        standardise(Scores.of([[0.1, 1.5]]), "arcsine")
    with pytest.raises(BadInput, match="at least 1 reference system"):
        standardise(Scores.of(np.empty((1, 0))), "empirical")


def test_one_reference_system_serves_the_empirical_one() -> None:
    assert standardise(Scores.of([[0.5]]), "empirical").values.tolist() == [[1]]


def test_geometric_means_against_plain_python() -> None:
    scores = matrix()
    expected = [geometric_mean([max(v, 1e-5) for v in column]) for column in scores.values.T.tolist()]
    assert geometric_means(scores) == pytest.approx(expected, rel=1e-12)
    assert geometric_means(Scores.of([[0.0], [0.0]])) == pytest.approx([1e-5])
    # One zero costs a factor that the floor sets.
    fails = Scores.of([[0.0], [0.5]])
    ratio = geometric_means(fails, floor=1e-5) / geometric_means(fails, floor=1e-3)
    assert log(ratio[0]) == pytest.approx(0.5 * log(1e-2))


def test_geometric_means_refuse() -> None:
    with pytest.raises(BadInput, match=r"at least 0, found -0\.1"):
        geometric_means(Scores.of([[-0.1]]))
    with pytest.raises(BadParameter, match="floor must be positive"):
        geometric_means(matrix(), floor=0)
    with pytest.raises(BadInput, match="at least 1 topics"):
        geometric_means(Scores.of(np.empty((0, 2))))
