"""Correlation: against SciPy, against plain twins over all rankings of four systems with ties, and on its edges."""

from __future__ import annotations

import json
import warnings
from functools import cache
from itertools import combinations, permutations, product
from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenscale.errors import BadInput, BadParameter
from evenscale.stats import correlation as c
from evenscale.stats.correlation import METHODS, correlate, correlations
from evenscale.stats.matrix import Scores

Vector = tuple[int, ...]


def weak_orders(n: int) -> list[Vector]:
    """All rankings of n systems, ties allowed, as scores 0, 1, ... without gaps."""
    return [v for v in product(range(n), repeat=n) if set(v) == set(range(max(v) + 1))]


@cache
def orders_of(v: Vector) -> list[Vector]:
    """All rankings without ties that a ranking with ties leaves open."""
    whole = permutations(range(len(v)))
    return [s for s in whole if all(s[i] < s[j] for i, j in permutations(range(len(v)), 2) if v[i] < v[j])]


def sign(a: float, b: float) -> int:
    return (a > b) - (a < b)


def naive_tau(x: Vector, y: Vector) -> tuple[float, float]:
    pairs = list(combinations(range(len(x)), 2))
    total = sum(sign(x[i], x[j]) * sign(y[i], y[j]) for i, j in pairs)
    dx, dy = (sum(v[i] != v[j] for i, j in pairs) for v in (x, y))
    return total / len(pairs), total / sqrt(dx * dy) if dx and dy else float("nan")


@cache
def naive_ap(x: Vector, y: Vector) -> float:
    """Yilmaz, Aslam and Robertson's sum, down the ranking y."""
    ranking = sorted(range(len(y)), key=lambda i: -y[i])
    precision = [sum(x[j] > x[ranking[r]] for j in ranking[:r]) / r for r in range(1, len(ranking))]
    return 2 * sum(precision) / len(precision) - 1


def naive_ap_a(x: Vector, y: Vector) -> float:
    values = [naive_ap(a, b) for a in orders_of(x) for b in orders_of(y)]
    return sum(values) / len(values)


def naive_ap_b(x: Vector, y: Vector) -> float:
    def one_way(truth: Vector, pivot: Vector) -> float:
        shares = []
        for i in range(len(pivot)):
            above = [j for j in range(len(pivot)) if pivot[j] > pivot[i]]
            if above:
                shares.append(sum(truth[j] > truth[i] for j in above) / len(above))
        return 2 * sum(shares) / len(shares) - 1 if shares else float("nan")

    return (one_way(x, y) + one_way(y, x)) / 2


def same(a: float, b: float, tolerance: float = 1e-12) -> bool:
    return (isnan(a) and isnan(b)) or abs(a - b) <= tolerance


@pytest.mark.parametrize("n", [2, 3, 4])
def test_every_coefficient_against_its_twin_over_all_small_rankings(n: int) -> None:
    named = [v for v in weak_orders(n) if list(v) == sorted(v)]  # one naming of the first ranking covers all
    for x, y in product(named, weak_orders(n)):
        tau_a, tau_b = naive_tau(x, y)
        assert same(c.tau_a(x, y), tau_a) and same(c.tau_b(x, y), tau_b), (x, y)
        assert same(c.tau_ap_a(x, y), naive_ap_a(x, y)), (x, y)
        assert same(c.tau_ap_b(x, y), naive_ap_b(x, y)), (x, y)


def test_ap_without_ties_against_its_twin() -> None:
    for x, y in product(permutations(range(4)), repeat=2):
        assert same(c.tau_ap(x, y), naive_ap(x, y))
        both = (naive_ap(x, y) + naive_ap(y, x)) / 2
        assert same(c.tau_ap_symmetric(x, y), both) and same(c.tau_ap_b(x, y), both)


def test_the_twins_tell_the_variants_apart() -> None:
    x, y = (2, 1, 1, 0), (1, 2, 2, 0)
    assert len({round(f(x, y), 9) for f in (c.tau_a, c.tau_b, c.tau_ap_a, c.tau_ap_b)}) == 4
    assert not same(naive_ap((3, 2, 1, 0), (3, 1, 2, 0)), naive_ap((3, 2, 1, 0), (2, 3, 1, 0)))


@pytest.mark.parametrize("seed", range(5))
def test_ap_correlation_of_rounded_scores(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.random(10).round(3).tolist(), rng.random(10).round(3).tolist()
    assert c.tau_ap_a(x, y, digits=1) == pytest.approx(naive_ap_mixed(x, y), abs=1e-12)


def naive_ap_mixed(x: Vector, y: Vector) -> float:
    """The a-variant of scores rounded to one decimal, from its definition by places in the group."""
    a, b = np.round(x, 1), np.round(y, 1)
    total = 0.0
    for i in range(len(b)):
        above, tied = np.flatnonzero(b > b[i]), int((b == b[i]).sum())
        right = float((a[above] > a[i]).sum() + (a[above] == a[i]).sum() / 2)
        before = [len(above) + k for k in range(tied)]
        total += sum((right + k / 2) / m for k, m in enumerate(before) if m) / tied
    return 2 * total / (len(b) - 1) - 1


scores = st.lists(
    st.tuples(st.integers(0, 12).map(lambda k: k / 12), st.integers(0, 5).map(lambda k: k / 7)), min_size=2, max_size=30
)
untied = st.lists(
    st.tuples(st.floats(0, 1).map(lambda v: round(v, 6)), st.floats(0, 1).map(lambda v: round(v, 6))),
    min_size=2,
    max_size=30,
    unique_by=(lambda p: p[0], lambda p: p[1]),
)


@given(scores | untied)
def test_against_scipy(pairs: list[tuple[float, float]]) -> None:
    from scipy import stats

    x, y = np.array(pairs).T
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy warns about constant vectors
        assert same(c.tau_b(x, y), float(stats.kendalltau(x, y).statistic))
        assert same(c.spearman(x, y), float(stats.spearmanr(x, y).statistic))
        assert same(c.pearson(x, y), float(stats.pearsonr(x, y).statistic))


@given(scores)
def test_properties(pairs: list[tuple[float, float]]) -> None:
    x, y = np.array(pairs).T
    for name, f in METHODS.items():
        if name in {"tau_ap", "tau_ap_symmetric"}:
            continue
        value = f(x, y)
        assert isnan(value) or -1 - 1e-12 <= value <= 1 + 1e-12
        if name not in c.ASYMMETRIC:
            assert same(value, f(y, x))
        if name not in {"pearson"}:
            assert same(value, f(2 * x + 1, y**3))  # order is all that counts
        if name in {"tau_b", "tau_ap_b", "spearman", "pearson"}:
            assert isnan(f(x, x)) or same(f(x, x), 1.0)


def test_pearson_is_not_a_coefficient_of_rank() -> None:
    x, y = [0.0, 0.1, 0.9], [0.0, 0.2, 0.3]
    assert not same(c.pearson(x, y), c.pearson(np.square(x), y))
    assert not same(c.tau_ap_a([2, 1, 0], [0, 2, 1]), c.tau_ap_a([0, 2, 1], [2, 1, 0]))


def test_rounding_decides_ties() -> None:
    x, y = [0.1 + 0.2, 0.3, 0.5], [1.0, 1.0, 2.0]
    assert c.tau_b(x, y) == 1.0 and c.tau_b(x, y, digits=15) == 1.0
    x[0] += 1e-10
    assert c.tau_b(x, y) == 1.0
    assert c.tau_b(x, y, digits=12) < 1.0


@pytest.mark.parametrize("name", sorted(METHODS))
def test_edges(name: str) -> None:
    f = METHODS[name]
    assert isnan(f([0.5], [0.5])) and isnan(f([], []))
    for bad in (float("nan"), float("inf")):
        with pytest.raises(BadInput, match="score 2 is"):
            f([0.1, bad], [0.1, 0.2])
    with pytest.raises(BadInput, match="found 2 and 3"):
        f([1, 2], [1, 2, 3])
    with pytest.raises(BadInput, match="2 dimensions"):
        f([[1, 2]], [[1, 2]])
    with pytest.raises(BadParameter, match="no room"):
        f([1e15, 2], [1, 2])
    assert f([1, 2, 3], [1, 2, 3]) == pytest.approx(1) and f([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)


def test_constant_vectors() -> None:
    for name in ("tau_b", "tau_ap_b", "spearman", "pearson"):
        assert isnan(METHODS[name]([1, 1, 1], [1, 2, 3])) and isnan(METHODS[name]([1, 2, 3], [1, 1, 1]))
    for name in ("tau_a", "tau_ap_a"):
        assert same(METHODS[name]([1, 1, 1], [1, 2, 3]), 0) and same(METHODS[name]([1, 2, 3], [1, 1, 1]), 0)
    for name in ("tau_ap", "tau_ap_symmetric"):
        with pytest.raises(BadInput, match="use tau_ap_a or tau_ap_b"):
            METHODS[name]([1, 2, 3], [1, 1, 2])


def matrix(shift: int = 0, **names: object) -> Scores:
    values = np.random.default_rng(7 + shift).integers(0, 5, (6, 8)) / 5
    return Scores.of(values, **names)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["tau_a", "tau_b", "tau_ap_a", "tau_ap_b", "spearman", "pearson"])
def test_correlate_matches_by_name(name: str) -> None:
    a, b = matrix(measure="AP"), matrix(1, measure="RR")
    mixed = Scores.of(b.values[::-1, ::-1], topics=b.topics[::-1], systems=b.systems[::-1], measure="RR")
    f = METHODS[name]
    for other in (b, mixed):
        overall, by_topic = correlate(a, other, name), correlate(a, other, name, by="topic")
        assert same(overall.value, f(a.means, b.means)) and overall.topics == ()
        expected = [f(x, y) for x, y in zip(a.values, b.values, strict=True)]
        assert all(map(same, by_topic.values.tolist(), expected))
        assert same(by_topic.value, float(np.nanmean(expected)))


def test_correlation_as_rows() -> None:
    a, b = matrix(measure="AP"), matrix(1, measure="RR")
    flat = Scores.of(np.vstack([np.full(8, 0.5), b.values[1:]]), measure="RR")
    result = correlate(a, flat, by="topic")
    assert result.undefined == 1 and not isnan(result.value) and result.needs == "ordinal"
    assert result.frame["value"].to_list()[0] is None and result.frame["topic"].to_list() == list(a.topics)
    assert "mean" in str(result) and "AP and RR" in str(result)
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["topics"]["t1"] is None
    overall = correlate(a, b)
    assert overall.needs == "interval" and overall.frame.rows() == [(None, overall.value)]
    assert "overall" in str(overall)


def test_overall_may_compare_other_topics() -> None:
    a = matrix()
    half, rest = (Scores.of(v, topics=t) for v, t in ((a.values[:3], "abc"), (a.values[3:], "def")))
    assert same(correlate(half, rest).value, c.tau_b(half.means, rest.means))
    with pytest.raises(
        BadInput, match="topics must be the same; only in the first: a, b, c; only in the second: d, e, f"
    ):
        correlate(half, rest, by="topic")


def test_refusals() -> None:
    a = Scores.of([[1, 2, 3]], systems=["a", "b", "c"])
    with pytest.raises(BadInput, match="systems must be the same; only in the first: c; only in the second: d, e"):
        correlate(a, Scores.of([[1, 2, 3, 4]], systems=["a", "b", "d", "e"]))
    with pytest.raises(BadParameter, match="method must be one of tau_a"):
        correlate(a, a, "kendall")
    with pytest.raises(BadParameter, match="by must be"):
        correlate(a, a, by="system")  # type: ignore[arg-type]


def test_one_system() -> None:
    one = Scores.of([[0.1], [0.2]])
    assert isnan(correlate(one, one).value) and isnan(correlate(one, one, by="topic").value)


@pytest.mark.parametrize("method", ["tau_b", "tau_ap_a"])
def test_matrix_of_measures(method: str) -> None:
    named = {"AP": matrix(), "RR": matrix(1), "P": matrix(2)}
    result = correlations(named, method)
    assert result.values.shape == (3, 3) and result.measures == ("AP", "RR", "P")
    for first, second, value in result.frame.iter_rows():
        assert same(value, correlate(named[first], named[second], method).value)
    assert (result.values == result.values.T).all() == (method == "tau_b")
    assert [len(row) for row in result.table().rows] == [4, 4, 4]
    assert json.loads(json.dumps(result.to_dict()))["measures"] == ["AP", "RR", "P"]
