"""The engine for cumulative measures against going through all runs, and against sizes found that way elsewhere."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import accumulate, pairwise
from math import lcm
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenscale.errors import BadParameter
from evenscale.measures.average_precision import AP
from evenscale.measures.contract import Walk
from evenscale.measures.dcg import DCG
from evenscale.measures.err import ERR
from evenscale.measures.precision import P
from evenscale.measures.reciprocal_rank import RR
from evenscale.orders.universe import Universe
from evenscale.scales import engine as contract
from evenscale.scales.cumulative import Budget, CumulativeEngine
from evenscale.scales.cumulative.steps import tabulate
from evenscale.scales.cumulative.sums import Layout, Sums, merged
from evenscale.scales.engine import ScaleTooLarge

# --- walks ----------------------------------------------------------------------------------------------------------


def q_measure(universe: Universe) -> Walk:
    """Like the Q-measure: the state is a pair, the denominators are not the ranks."""

    def step(rank: int, state: tuple[int, int], grade: int) -> tuple[tuple[int, int], Fraction]:
        if not grade:
            return state, Fraction(0)
        count, gain = state[0] + 1, state[1] + grade
        return (count, gain), Fraction(gain + count, universe.grades * min(rank, universe.most_relevant) + rank)

    return Walk((0, 0), step)


def graded_ap(universe: Universe) -> Walk:
    """Cumulated gain over rank, at every relevant document."""

    def step(rank: int, gain: int, grade: int) -> tuple[int, Fraction]:
        return gain + grade, Fraction(gain + grade, rank) if grade else Fraction(0)

    return Walk(0, step)


def signed(universe: Universe) -> Walk:
    """Increments of both signs."""

    def step(rank: int, state: int, grade: int) -> tuple[int, Fraction]:
        return (state + grade) % 3, Fraction((-1) ** (rank + state) * grade, rank) - Fraction(state, 7)

    return Walk(1, step)


def constant(universe: Universe) -> Walk:
    return Walk(None, lambda rank, state, grade: (None, 0))


def fine(universe: Universe) -> Walk:
    """Denominators far beyond two machine words."""
    return Walk(1, lambda rank, state, grade: (state + grade, Fraction(state * grade, 7 ** (20 * rank))))


Maker = Callable[[Universe], Walk]
WALKS: dict[str, Maker] = {
    "AP": lambda universe: AP().walk(universe.topic, universe.depth),
    "ERR": lambda universe: ERR(gmax=universe.grades).walk(universe.topic, universe.depth),
    "RR": lambda universe: RR().walk(universe.topic, universe.depth),
    "P": lambda universe: P(cutoff=universe.depth).walk(universe.topic, universe.depth),
    "Q": q_measure,
    "graded AP": graded_ap,
    "signed": signed,
    "constant": constant,
    "fine": fine,
}

BUDGETS = {
    "listed": Budget(),
    "one word": Budget(long=24, window=16),
    "two words": Budget(long=24, window=16, word_bits=6),
    "cut at the top": Budget(long=0, window=4, word_bits=40),
}


def engine(
    maker: Maker, universe: Universe, budget: Budget | None = None, workers: int | None = None
) -> CumulativeEngine:
    return CumulativeEngine(maker(universe), universe, stored=False, budget=budget, workers=workers)


# --- the naive twin -------------------------------------------------------------------------------------------------


class Naive(NamedTuple):
    """Every run, its rank, how many runs are below and equal; and all values."""

    runs: np.ndarray
    ranks: list[int]
    tallies: list[tuple[int, int]]
    image: list[Fraction]


def naive(walk: Walk, universe: Universe) -> Naive:
    def paths(rank: int, state: object, left: int, total: Fraction) -> Iterator[Fraction]:
        if rank > universe.depth:
            yield total
            return
        for grade in range(universe.grades + 1 if left else 1):
            after, increment = walk.step(rank, state, grade)
            yield from paths(rank + 1, after, left - (grade >= 1), total + increment)

    values = list(paths(1, walk.start, universe.most_relevant, Fraction(0)))
    counts = Counter(values)
    image = sorted(counts)
    place = {value: i for i, value in enumerate(image)}
    below = list(accumulate((counts[value] for value in image), initial=0))
    places = [place[value] for value in values]
    tallies = [(below[i], below[i + 1] - below[i]) for i in places]
    return Naive(np.array(list(universe.runs())), [i + 1 for i in places], tallies, image)


@cache
def twin(name: str, universe: Universe) -> Naive:
    return naive(WALKS[name](universe), universe)


def universes() -> Iterator[Universe]:
    """All with at most 2^12 runs; with a recall base those where it matters."""
    for grades, deepest in ((1, 12), (2, 7), (3, 6)):
        for depth in range(1, deepest + 1):
            for base in sorted({None, 1, 2, depth - 1} - {0}, key=lambda b: b or 0):
                if base is None or base < depth:
                    yield Universe(depth, grades, base)


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("name", WALKS)
def test_every_run_of_every_small_universe(name: str, budget: str) -> None:
    for universe in universes():
        if universe.size > 300 and (budget == "cut at the top" or name in ("signed", "constant", "fine")):
            continue
        if name == "fine" and budget != "listed":
            continue
        truth = twin(name, universe)
        scale = engine(WALKS[name], universe, BUDGETS[budget])
        assert scale.size == len(truth.image), universe
        assert scale.ranks(truth.runs) == truth.ranks, universe
        assert scale.tallies(truth.runs) == truth.tallies, universe
        assert scale.values() == truth.image, universe
        some = range(1, scale.size + 1, max(1, scale.size // 8))
        assert [scale.at(each) for each in some] == [truth.image[each - 1] for each in some], universe
        gaps = [float(after - before) for before, after in pairwise(truth.image)]
        assert scale.gaps() == (min(gaps, default=0.0), max(gaps, default=0.0), True), universe


def test_the_budgets_lead_to_what_they_say() -> None:
    universe = Universe(12)
    made = {name: engine(WALKS["AP"], universe, budget) for name, budget in BUDGETS.items()}
    assert [scale.halves.cut < 12 for scale in made.values()] == [False, True, True, True]
    assert made["cut at the top"].halves.cut == 0
    assert made["one word"].axis.table.long_low is None
    assert made["two words"].axis.table.long_low is not None
    assert all(len(made[name].index.counts) > 20 for name in ("one word", "two words"))
    assert engine(fine, universe)._layout.low_bits is None


def test_the_twin_notices_a_wrong_rank() -> None:
    """A negative control: with the state ignored, AP is another measure, and the comparison fails."""
    universe = Universe(6)

    def stateless(rank: int, state: int, grade: int) -> tuple[int, Fraction]:
        return 0, Fraction(grade, rank)

    truth = twin("AP", universe)
    wrong = CumulativeEngine(Walk(0, stateless), universe, stored=False)
    assert wrong.ranks(truth.runs) != truth.ranks
    assert wrong.tallies(truth.runs) != truth.tallies


# --- deeper, by integers --------------------------------------------------------------------------------------------


@cache
def sums_of_ap(depth: int) -> np.ndarray:
    """AP of all binary runs times lcm(1..depth), the run read as a number with rank 1 as its lowest bit."""
    scale = lcm(*range(1, depth + 1))
    sums, found = np.zeros(1, np.int64), np.zeros(1, np.int64)
    for rank in range(1, depth + 1):
        sums = np.concatenate([sums, sums + (found + 1) * (scale // rank)])
        found = np.concatenate([found, found + 1])
    return sums


@cache
def deep_engine(depth: int, word_bits: int) -> CumulativeEngine:
    return engine(WALKS["AP"], Universe(depth), Budget(long=1 << 9, window=1 << 7, word_bits=word_bits))


@settings(max_examples=30, deadline=None)
@given(depth=st.integers(12, 16), word_bits=st.sampled_from([8, 60]), data=st.data())
def test_random_runs_at_depths_12_to_16(depth: int, word_bits: int, data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.integers(0, 2**depth - 1), min_size=1, max_size=20))
    sums = sums_of_ap(depth)
    asked, ordered, image = sums[numbers], np.sort(sums), np.unique(sums)
    runs = np.array([[number >> rank & 1 for rank in range(depth)] for number in numbers])
    scale = deep_engine(depth, word_bits)
    ranks = np.searchsorted(image, asked, side="right").tolist()
    assert scale.ranks(runs) == ranks
    smaller = np.searchsorted(ordered, asked)
    same = np.searchsorted(ordered, asked, side="right") - smaller
    assert scale.tallies(runs) == list(zip(smaller.tolist(), same.tolist(), strict=True))
    unit = Fraction(1, lcm(*range(1, depth + 1)))
    assert [scale.at(rank) for rank in ranks] == [int(value) * unit for value in asked]


@pytest.mark.parametrize(("depth", "size"), [(4, 15), (5, 31), (10, 810), (15, 22_646), (20, 644_203)])
def test_size_of_ap_by_enumerating_all_runs_exactly(depth: int, size: int) -> None:
    """Found with integers over all 2^N runs. Ferrante, Ferro and Fuhr 2021 count floats, and find more at depth 10."""
    assert engine(WALKS["AP"], Universe(depth)).size == size
    assert engine(WALKS["AP"], Universe(depth), Budget(long=1 << 12, window=1 << 12)).size == size


def test_floats_would_find_too_many_values_of_ap() -> None:
    """Why equality is decided in integers."""
    sums = np.zeros(1)
    found = np.zeros(1)
    for rank in range(1, 11):
        sums = np.concatenate([sums, sums + (found + 1) / rank])
        found = np.concatenate([found, found + 1])
    assert len(np.unique(sums)) > 810


@pytest.mark.parametrize(("depth", "size"), [(5, 32), (8, 250), (10, 1010), (15, 30_650), (20, 1_027_958)])
def test_size_of_err_by_enumerating_all_runs_exactly(depth: int, size: int) -> None:
    """Binary grades, stop probability 1/2; found with integers over all 2^N runs."""
    for budget in (Budget(), Budget(long=1 << 12, window=1 << 12), Budget(long=1 << 12, window=1 << 12, word_bits=16)):
        assert engine(WALKS["ERR"], Universe(depth), budget).size == size


def test_ap_at_24_is_swept() -> None:
    scale = engine(WALKS["AP"], Universe(24))
    assert (scale.size, scale.halves.cut < 24) == (8_482_100, True)
    assert scale.ranks(np.array([[0] * 24, [1] * 24])) == [1, 8_482_100]
    assert scale.at(8_482_100) == 24
    with pytest.raises(ScaleTooLarge, match=r"8,482,100 values, more than the 4,194,304"):
        scale.values()


def test_one_thread_finds_what_two_find() -> None:
    budget = Budget(long=1 << 9, window=1 << 6)
    one, three = (engine(WALKS["AP"], Universe(14), budget, workers=workers) for workers in (1, 3))
    runs = np.random.default_rng(0).integers(0, 2, (50, 14))
    assert (one.size, one.gaps(), one.ranks(runs), one.tallies(runs)) == (
        *(three.size, three.gaps(), three.ranks(runs), three.tallies(runs)),
    )


def test_values_that_crowd_at_every_magnitude() -> None:
    """Windows hold clusters; with words of two bits, one high word holds more sums than a window should."""

    def step(rank: int, state: int, grade: int) -> tuple[int, Fraction]:
        return state ^ grade, Fraction((1 + state) * grade, 5 ** (rank * rank // 4))

    universe = Universe(11)
    truth = naive(Walk(0, step), universe)
    for word_bits in (60, 40, 2):
        budget = Budget(long=100, window=60, word_bits=word_bits)
        scale = CumulativeEngine(Walk(0, step), universe, stored=False, budget=budget)
        assert scale.values() == truth.image
        assert scale.ranks(truth.runs) == truth.ranks


@pytest.mark.parametrize("spread", [1, 1000, 1 << 40, 1 << 60, 1 << 61])
@pytest.mark.parametrize("low_bits", [0, 20, 50])
def test_sorting_a_window_whatever_its_shape(spread: int, low_bits: int) -> None:
    """Evenly filled, or all but one sum in a corner, which no leading bit tells apart."""
    from evenscale.scales.cumulative import kernels

    rng = np.random.default_rng(low_bits)
    for n in (0, 1, 2, 40, 1000, 6000):
        for most in {spread, min(spread, 5000), min(spread, 1 << 50)}:
            keys = rng.integers(0, most, n).astype(np.uint64)
            keys[:1] = spread - 1
            lows = rng.integers(0, 1 << low_bits, n).astype(np.uint64)
            lows[n // 2 :] = lows[: n - n // 2]
            expected = sorted(set(zip(keys.tolist(), lows.tolist(), strict=True)))
            two = low_bits > 0
            words, spare = (keys, lows if two else None), (np.empty_like(keys), np.empty_like(lows) if two else None)
            count = kernels.settle(*words, *spare, n, spread, low_bits)
            assert (
                list(zip(keys[:count].tolist(), lows[:count].tolist() if two else [0] * count, strict=True)) == expected
            )


def test_ways_beyond_a_machine_word() -> None:
    """80 ranks that add 0 or 1: 2^80 runs, 81 values, as a list and as windows."""
    walk = Walk(None, lambda rank, state, grade: (None, grade))
    runs = np.zeros((2, 80), int)
    runs[1, :40] = 1
    for budget in (Budget(), Budget(long=60, window=8)):
        scale = CumulativeEngine(walk, Universe(80), stored=False, budget=budget)
        (below, same), middle = scale.tallies(runs)
        assert (scale.size, below, same) == (81, 0, 1)
        assert 2 * middle[0] + middle[1] == 2**80


# --- refusals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [36, 48])
def test_what_is_too_large_is_refused_at_once(depth: int) -> None:
    started = time.perf_counter()
    with pytest.raises(ScaleTooLarge, match=f"runs of depth {depth} .*smaller cut-off.*estimate"):
        _ = engine(WALKS["AP"], Universe(depth)).size
    assert time.perf_counter() - started < 10


def test_the_limit_of_pairs_is_kept() -> None:
    tight, enough = (Budget(long=100, window=50, pairs=pairs) for pairs in (900, 1100))
    assert engine(WALKS["AP"], Universe(10), enough).size == 810
    with pytest.raises(ScaleTooLarge, match=r"1,024 runs of depth 10 make [0-9,]+ pair sums .* above the limit of 900"):
        _ = engine(WALKS["AP"], Universe(10), tight).size


def test_too_many_states_are_refused() -> None:
    history = Walk((), lambda rank, state, grade: ((*state, grade), Fraction(len(set(state)), rank)))
    with pytest.raises(ScaleTooLarge, match=r"more than 1,000 states within the first 9 of 20 ranks"):
        tabulate(history, Universe(20), limit=1000)


def test_values_too_long_for_machine_words_are_refused_where_many() -> None:
    with pytest.raises(ScaleTooLarge, match=r"bits, more than two machine words"):
        _ = engine(fine, Universe(12), Budget(boxed=100)).size
    with pytest.raises(ScaleTooLarge, match=r"about 10\^30 runs of depth 100 have values of 143 bits"):
        _ = engine(WALKS["AP"], Universe(100)).size


def test_logarithms_are_refused() -> None:
    universe = Universe(4)
    with pytest.raises(BadParameter, match=r"rank [0-9] adds LogSum.*rational"):
        CumulativeEngine(DCG().walk(universe.topic, 4), universe, stored=False)


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ([[1, 0]], "3 columns"),
        ([[1, 0, 2]], "0..1, got 2"),
        ([[0, -1, 1]], "0..1, got -1"),
        ([[0, 0, 0], [1, 1, 1]], r"\[1, 1, 1\] has more relevant"),
    ],
)
def test_runs_outside_the_universe_are_refused(runs: list[list[int]], message: str) -> None:
    scale = engine(WALKS["AP"], Universe(3, 1, recall_base=2))
    with pytest.raises(BadParameter, match=message):
        scale.ranks(np.array(runs))


@pytest.mark.parametrize("rank", [0, 16])
def test_ranks_outside_the_scale_are_refused(rank: int) -> None:
    with pytest.raises(BadParameter, match=f"1..15, got {rank}"):
        engine(WALKS["AP"], Universe(4)).at(rank)


def test_no_runs_have_no_ranks() -> None:
    for budget in (Budget(), Budget(long=20, window=8)):
        scale = engine(WALKS["AP"], Universe(8), budget)
        nothing = np.zeros((0, 8), int)
        assert (scale.ranks(nothing), scale.tallies(nothing)) == ([], [])


# --- the table of steps ---------------------------------------------------------------------------------------------


def test_states_with_the_same_future_are_one() -> None:
    """AP with its whole history as state is the same table as AP, and so the same scale."""

    def step(rank: int, state: tuple[int, ...], grade: int) -> tuple[tuple[int, ...], Fraction]:
        after = (*state, grade)
        return after, Fraction(sum(after), rank) if grade else Fraction(0)

    def changed(rank: int, state: tuple[int, ...], grade: int) -> tuple[tuple[int, ...], Fraction]:
        return step(rank, state, grade) if rank < 6 else ((), Fraction(1, 1000))

    universe = Universe(6)
    plain = tabulate(WALKS["AP"](universe), universe)
    assert tabulate(Walk((), step), universe) == plain
    assert tabulate(Walk((), step), universe).fingerprint() == plain.fingerprint()
    assert tabulate(Walk((), changed), universe).fingerprint() != plain.fingerprint()


def test_fingerprints_tell_universes_apart() -> None:
    made = [Universe(6), Universe(7), Universe(6, 2), Universe(6, 1, 2), Universe(6, 1, 3)]
    prints = {tabulate(graded_ap(universe), universe).fingerprint() for universe in made}
    assert len(prints) == len(made)
    everything = Universe(6, 1, 6)
    assert tabulate(graded_ap(everything), everything).fingerprint() in prints


def test_negative_numbers_survive_two_words() -> None:
    layout = Layout.of(1 << 80)
    values = [-(1 << 79) - 3, -1, 0, 1, (1 << 70) + 5]
    assert layout.integers(layout.array(values)) == values
    assert layout.integers(layout.shifted(layout.array(values), -(1 << 65) - 9)) == [v - (1 << 65) - 9 for v in values]


def test_merging_adds_up_ways() -> None:
    sums = [Sums(np.array([1, 4]), None, np.array([1, 2])), Sums(np.array([4, 5]), None, np.array([10, 20]))]
    assert (merged(sums).high.tolist(), merged(sums).ways.tolist()) == ([1, 4, 5], [1, 12, 20])  # type: ignore[union-attr]


# --- progress, forecast, estimate -----------------------------------------------------------------------------------


def test_progress_runs_up_to_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evenscale.scales.cumulative.sweep.SLAB", 1 << 10)
    reports: list[tuple[int, int]] = []
    universe = Universe(14)
    scale = CumulativeEngine(
        WALKS["AP"](universe),
        universe,
        stored=False,
        progress=lambda done, total: reports.append((done, total)),
        budget=Budget(long=1 << 9, window=1 << 7),
    )
    assert scale.size == len(np.unique(sums_of_ap(14)))
    assert len(reports) > 5
    assert reports == sorted(reports)
    assert reports[-1] == (scale.halves.pairs, scale.halves.pairs)


def test_an_interrupted_sweep_can_be_taken_up_again() -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    universe = Universe(12)
    scale = CumulativeEngine(
        WALKS["AP"](universe), universe, stored=False, progress=stop, budget=Budget(long=99, window=64)
    )
    with pytest.raises(KeyboardInterrupt):
        _ = scale.size
    scale.progress = None
    assert scale.size == len(np.unique(sums_of_ap(12)))


def test_forecast_names_runs_and_pairs() -> None:
    scale = engine(WALKS["AP"], Universe(20), Budget(long=1 << 12))
    forecast = scale.forecast()
    assert forecast.runs == 1 << 20
    assert forecast.pairs == scale.halves.pairs <= 1 << 20
    assert 0 < forecast.seconds < 60
    assert engine(WALKS["AP"], Universe(8)).forecast().seconds == 0


ESTIMATED = Budget(long=1 << 10, sampled=1 << 10, window=1 << 5)


def test_an_estimate_from_all_cells_is_the_truth() -> None:
    for word_bits in (60, 8):
        scale = engine(WALKS["AP"], Universe(12), Budget(long=256, sampled=256, window=16, word_bits=word_bits))
        runs = np.random.default_rng(3).integers(0, 2, (100, 12))
        told = scale.estimate(runs, np.random.default_rng(0), strata=5, cells=10**6)
        truth = (np.array(scale.ranks(runs)) - 1) / (scale.size - 1)
        assert told.size == pytest.approx(scale.size, abs=1e-6)
        if word_bits == 60:  # with two words an estimate sees the high word only
            assert told.share == pytest.approx(truth, abs=1e-9)
            assert told.high - told.low == pytest.approx(np.zeros(100), abs=1e-9)
        assert not told.exact


def test_estimates_are_unbiased_and_their_intervals_cover() -> None:
    scale = engine(WALKS["AP"], Universe(16), ESTIMATED)
    runs = np.random.default_rng(4).integers(0, 2, (40, 16))
    truth = (np.array(scale.ranks(runs)) - 1) / (scale.size - 1)
    rng = np.random.default_rng(5)
    told = [scale.estimate(runs, rng, strata=24, cells=3) for _ in range(60)]
    sizes = np.array([each.size for each in told])
    error = sizes.std(ddof=1)
    assert error > 0
    assert abs(sizes.mean() - scale.size) < 3 * error / np.sqrt(len(told))
    assert 0.6 < np.mean([each.size_error for each in told]) / error < 1.6
    shares = np.array([each.share for each in told])
    spread = shares.std(axis=0, ddof=1)
    assert np.all(np.abs(shares.mean(axis=0) - truth) < 4.5 * spread / np.sqrt(len(told)) + 1e-4)
    covered = np.mean([(each.low <= truth) & (truth <= each.high) for each in told])
    assert 0.85 < covered <= 1


def test_estimates_repeat_with_their_seed() -> None:
    scale = engine(WALKS["AP"], Universe(14), ESTIMATED)
    runs = np.eye(14, dtype=int)
    first, again, other = (scale.estimate(runs, np.random.default_rng(seed), strata=8) for seed in (1, 1, 2))
    assert np.array_equal(first.share, again.share)
    assert not np.array_equal(first.share, other.share)


def test_an_estimate_needs_two_cells_and_a_share() -> None:
    scale, runs, rng = engine(WALKS["AP"], Universe(8)), np.zeros((1, 8), int), np.random.default_rng(0)
    with pytest.raises(BadParameter, match="at least 2, got 8 and 1"):
        scale.estimate(runs, rng, strata=8, cells=1)
    with pytest.raises(BadParameter, match="confidence must lie"):
        scale.estimate(runs, rng, confidence=1.0)


# --- what is not loaded ---------------------------------------------------------------------------------------------


def test_small_scales_do_not_load_numba() -> None:
    script = (
        "import sys, numpy as np\n"
        "from evenscale.measures.average_precision import AP\n"
        "from evenscale.scales.cumulative import CumulativeEngine\n"
        "from evenscale.orders.universe import Universe\n"
        "u = Universe(12)\n"
        "scale = CumulativeEngine(AP().walk(u.topic, 12), u, stored=False)\n"
        "scale.ranks(np.eye(12, dtype=int)), scale.tallies(np.eye(12, dtype=int)), scale.gaps()\n"
        "print('numba' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"


def test_it_is_an_engine() -> None:
    assert isinstance(engine(WALKS["AP"], Universe(3)), contract.Engine)
