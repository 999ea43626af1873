"""The deep engine against the exact one where both can, and against itself where only it can."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from evenscale.errors import BadParameter
from evenscale.measures import parse
from evenscale.measures.exact import total
from evenscale.orders.universe import Universe
from evenscale.scales import series
from evenscale.scales.additive import AdditiveEngine
from evenscale.scales.deep import DeepEngine
from evenscale.scales.engine import ScaleTooLarge

BOTH = [
    ("DCG(dcg='jk')", 20, 1),
    ("DCG(dcg='jk',base=10)", 40, 1),
    ("DCG", 30, 1),
    ("DCG", 12, 4),
    ("DCG(dcg='exp-log2')", 14, 2),
    ("RBP(p=0.8)", 32, 1),
    ("RBP(p=0.6)", 28, 1),
    ("RBP(p=0.8)", 16, 2),
]


@pytest.fixture(autouse=True)
def _a_quarter_of_the_frequencies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds must hold with any number; with fewer the tests are faster."""
    monkeypatch.setattr(series, "ROWS", 256)
    monkeypatch.setattr(series, "TILTED_ROWS", 16)


@cache
def deep_of(measure: str, depth: int, grades: int = 1) -> DeepEngine:
    universe = Universe(depth, grades)
    return DeepEngine(parse(f"{measure}@{depth}").walk(universe.topic, depth), universe)


@cache
def exact_of(measure: str, depth: int, grades: int = 1) -> AdditiveEngine:
    universe = Universe(depth, grades)
    return AdditiveEngine(parse(f"{measure}@{depth}").walk(universe.topic, depth), universe)


def some_runs(number: int, depth: int, grades: int = 1) -> np.ndarray:
    """Random runs of every quality, the worst, the best, and a few lopsided ones."""
    rng = np.random.default_rng(depth)
    runs = rng.binomial(grades, rng.random((number, 1)) * np.linspace(1, 0.5, depth)).astype(np.int8)
    runs[0], runs[1], runs[2], runs[3], runs[4] = 0, grades, 0, 0, grades
    runs[2, 0], runs[3, -1], runs[4, -1] = grades, 1, 0
    return runs


def true_shares(measure: str, depth: int, grades: int, runs: np.ndarray) -> np.ndarray:
    engine = exact_of(measure, depth, grades)
    return np.array([(rank - 1) / (engine.size - 1) for rank in engine.ranks(runs)])


@pytest.mark.parametrize(("measure", "depth", "grades"), BOTH)
def test_truth_lies_within_the_bounds(measure: str, depth: int, grades: int) -> None:
    engine, runs = deep_of(measure, depth, grades), some_runs(100, depth, grades)
    truth = true_shares(measure, depth, grades, runs)
    assert engine.size == exact_of(measure, depth, grades).size
    assert not engine.exact
    for shares in (engine.shares(runs), engine.certified(runs)):
        assert np.all(shares.low <= truth)
        assert np.all(truth <= shares.high)
        assert np.all((shares.low <= shares.estimate) & (shares.estimate <= shares.high))
        assert np.max(np.abs(shares.estimate - truth)) <= engine.error < 1e-3
    ranks = np.array(engine.ranks(runs[:10]), dtype=np.float64)
    assert np.max(np.abs((ranks - 1) / (engine.size - 1) - truth[:10])) <= engine.error + 1 / engine.size


@pytest.mark.parametrize(("measure", "depth", "grades"), [*BOTH, ("RBP(p=0.55)", 26, 1)])
def test_poor_runs_have_relative_bounds(measure: str, depth: int, grades: int) -> None:
    """Runs with few relevant documents: shares down to one over the size of the scale."""
    rng = np.random.default_rng(3)
    runs = rng.binomial(grades, rng.choice([0.02, 0.06, 0.15, 0.3], (150, 1)), (150, depth)).astype(np.int8)
    truth, shares = true_shares(measure, depth, grades, runs), deep_of(measure, depth, grades).shares(runs)
    assert np.all((shares.low <= truth) & (truth <= shares.high))
    assert np.all(shares.estimate[~runs.any(axis=1)] == 0)


def test_the_error_shrinks_with_depth() -> None:
    errors = [deep_of("DCG", depth).error for depth in (14, 24, 30, 60, 100)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-2] < 1e-8
    assert errors[-1] < 1e-12


def test_bounds_hold_with_few_frequencies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series, "ROWS", 64)
    engine = deep_of.__wrapped__("DCG(dcg='jk')", 24)
    runs = some_runs(300, 24)
    truth, (low, estimate, high) = true_shares("DCG(dcg='jk')", 24, 1, runs), engine.certified(runs)
    assert np.all((low <= truth) & (truth <= high))
    assert np.max(np.abs(estimate - truth)) <= engine.error


def test_bounds_do_not_hold_for_another_distribution() -> None:
    """Negative control: with one rank left out the truth is outside."""
    engine, runs = deep_of.__wrapped__("DCG", 24), some_runs(50, 24)
    engine._tables.pop()
    truth, (low, _, high) = true_shares("DCG", 24, 1, runs), engine.certified(runs)
    assert not np.all((low <= truth) & (truth <= high))


def test_neighbouring_tilts_agree_at_depth_1000() -> None:
    """Shares down to 2^-760 by two series each, about means on either side of the place."""
    known = deep_of("DCG", 1000)._values
    known.logarithms(np.array([0.6 * known.variables.ends[0]]))
    rungs = known._rungs
    for k in range(2, len(rungs) - 1, 4):
        place = (rungs[k].mean + rungs[k + 1].mean) / 2
        found = []
        for number in (k, k + 1):
            value, error = (
                known._tilted(number)(np.array([place - rungs[number].mean]))[0],
                known._tilted(number).error,
            )
            found.append((np.log(value) + rungs[number].logarithm - rungs[number].tilt * place, error / value))
        assert abs(found[0][0] - found[1][0]) < found[0][1] + found[1][1] + 1e-12 < 1e-9
    assert rungs[-2].logarithm - rungs[-2].tilt * rungs[-2].mean < -100


# --- runs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "depth", "grades"), [("DCG(dcg='jk')", 20, 1), ("DCG", 12, 4), ("RBP(p=0.8)", 32, 1)]
)
def test_tallies_against_the_exact_engine(measure: str, depth: int, grades: int) -> None:
    engine, runs = deep_of(measure, depth, grades), some_runs(100, depth, grades)
    every, bound = engine.universe.size, engine._runs.plain.error
    for (below, same), (b, s) in zip(engine.tallies(runs), exact_of(measure, depth, grades).tallies(runs), strict=True):
        assert same == s
        assert abs(below - b) <= bound * every + s


def test_tallies_against_sampled_runs() -> None:
    """Of 2^100 runs, 40,000 at random: the share below agrees within four standard deviations."""
    engine, runs = deep_of("DCG(dcg='jk')", 100), some_runs(20, 100)[5:]
    weights = np.array([float(engine_weight(i)) for i in range(1, 101)])
    sample = np.random.default_rng(7).integers(0, 2, (40_000, 100)) @ weights
    for (below, same), own in zip(engine.tallies(runs), runs @ weights, strict=True):
        share = float(Fraction(2 * below + same, 2 * 2**100))
        assert abs(np.mean(sample < own) - share) < 4 * 0.5 / 200


def engine_weight(rank: int) -> float:
    return 1.0 if rank <= 2 else 1 / np.log2(rank)


# --- where only this engine can --------------------------------------------------------------------------------------


DEEP = [("DCG(dcg='jk')", 100, 1), ("DCG", 1000, 1), ("RBP(p=0.8)", 100, 1), ("RBP(p=0.95)", 1000, 2)]


@pytest.mark.parametrize(("measure", "depth", "grades"), DEEP)
def test_depth_100_and_1000(measure: str, depth: int, grades: int) -> None:
    """Accurate, symmetric, monotone, between the ends, and `at` undoes `ranks`."""
    engine, runs = deep_of(measure, depth, grades), some_runs(30, depth, grades)
    assert engine.error < 1e-11
    low, share, high = engine.certified(runs)
    assert np.all(high - low < 1e-4)
    np.testing.assert_allclose(share + engine.shares(grades - runs).estimate, 1, atol=2 * engine.error)
    assert share[0] <= engine.error
    assert share[1] >= 1 - engine.error
    better = runs.copy()
    better[:, depth // 3] = grades
    assert np.all(engine.shares(better).estimate >= share - engine.error)
    poor = runs[5:][share[5:] < 0.5][:2]
    ranks = engine.ranks(poor)
    assert all(1 <= rank <= engine.size for rank in ranks)
    weights = np.array([float(engine_walk_weight(measure, depth, grades, i)) for i in range(1, depth + 1)])
    found = [float(engine.at(rank)) for rank in ranks]  # type: ignore[arg-type]
    np.testing.assert_allclose(found, poor @ weights, rtol=1e-9)


def test_five_grades_at_depth_1000() -> None:
    engine = deep_of("DCG", 1000, 4)
    runs = np.zeros((3, 1000), dtype=np.int8)
    runs[1, :100], runs[2, :100] = 4, 3
    low, share, high = engine.shares(runs)
    assert 0 == share[0] < share[2] < share[1] < 1e-50
    assert np.all(high - low <= 1e-10 * share)
    assert engine.ranks(runs)[0] == 1
    assert engine.error < 1e-11


def engine_walk_weight(measure: str, depth: int, grades: int, rank: int) -> float:
    universe = Universe(depth, grades)
    walk = parse(f"{measure}@{depth}").walk(universe.topic, depth)
    assert walk.weight is not None
    assert walk.gain is not None
    return float(walk.weight(rank)) * float(walk.gain(1))


def test_rbp_at_depth_100_lies_between_what_its_head_allows() -> None:
    """The first 32 ranks counted exactly; the rest can add at most p^32 of the range."""
    engine, head = deep_of("RBP(p=0.8)", 100), exact_of("RBP(p=0.8)", 32)
    runs = some_runs(11, 100)[5:]
    share = engine.shares(runs).estimate
    floats = runs @ (0.2 * 0.8 ** np.arange(100))
    tail = 0.8**32
    for value, estimate in zip(floats, share, strict=True):
        low, high = (_share_below(head, bound) for bound in (value - tail, value))
        assert low - 1e-9 <= estimate <= high + 1e-9


def _share_below(engine: AdditiveEngine, value: float) -> float:
    low, high = 0, engine.size
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if float(engine.at(middle)) <= value else (low, middle - 1)  # type: ignore[arg-type]
    return low / engine.size


def test_both_ends_are_exact() -> None:
    for measure, depth in (("DCG(dcg='jk')", 100), ("RBP(p=0.8)", 1000)):
        universe = Universe(depth)
        walk = parse(f"{measure}@{depth}").walk(universe.topic, depth)
        engine = deep_of(measure, depth)
        assert engine.at(1) == 0
        assert engine.at(engine.size) == total(walk.increments([1] * depth))


def test_gaps_at_the_ends_are_no_wider_than_all() -> None:
    seen, all_of_them = deep_of("DCG", 20).gaps(), exact_of("DCG", 20).gaps()
    assert not seen.exact
    assert all_of_them.smallest <= seen.smallest < seen.largest <= all_of_them.largest
    deepest = deep_of("RBP(p=0.8)", 1000).gaps()
    assert 0 < deepest.smallest < deepest.largest < 1e-90


def test_what_is_not_offered_is_refused() -> None:
    universe = Universe(100, 1, 3)
    with pytest.raises(ScaleTooLarge, match="at most 3 relevant"):
        DeepEngine(parse("DCG@100").walk(universe.topic, 100), universe)
    engine = deep_of("DCG", 100)
    with pytest.raises(ScaleTooLarge, match=r"about 2\^99 values"):
        engine.values()
    with pytest.raises(BadParameter, match="rank must be"):
        engine.at(0)
    with pytest.raises(BadParameter, match="rows of 100"):
        engine.ranks(np.zeros((1, 3), dtype=np.int8))
