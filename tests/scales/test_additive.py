"""The additive engine against plain enumeration: all small universes, random runs of larger ones, published sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, cmp_to_key
from itertools import pairwise, product
from math import comb, lcm, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenscale.errors import BadParameter
from evenscale.measures import parse
from evenscale.measures.contract import Amount, Walk, additive
from evenscale.measures.exact import LogSum, Rational, compare, inverse_log, total
from evenscale.orders.universe import Universe
from evenscale.scales import additive as module
from evenscale.scales.additive import AdditiveEngine
from evenscale.scales.classes import Classes, progression, settled
from evenscale.scales.engine import ScaleTooLarge

DCGS = [f"DCG(dcg='jk',base={base})" for base in (2, 3, 10)] + ["DCG", "DCG(dcg='exp-log2')"]
RBPS = [f"RBP(p={p})" for p in ("1/2", "1/3", "4/5", "2/3", "3/10")] + ["RBP(p=2/3,rel=2)"]
OTHERS = ["RBPO", "SBPO", "RBTO", "gP", "P"]
SHAPES = [(1, 1), (2, 1), (4, 1), (8, 1), (11, 1), (3, 2), (6, 2), (5, 3)]


def walk_of(measure: str, universe: Universe) -> Walk:
    return parse(f"{measure}@{universe.depth}").walk(universe.topic, universe.depth)


def engine_of(measure: str, depth: int, grades: int = 1, recall_base: int | None = None) -> AdditiveEngine:
    universe = Universe(depth, grades, recall_base)
    return AdditiveEngine(walk_of(measure, universe), universe)


class Naive:
    """Every run with its exact value, by the walk's own steps."""

    def __init__(self, walk: Walk, universe: Universe) -> None:
        self.runs = list(universe.runs())
        self.own = [total(walk.increments(run)) for run in self.runs]
        counts: dict[Amount, int] = {}
        for value in self.own:
            counts[value] = counts.get(value, 0) + 1
        self.values = ascending(list(counts))
        self.rank = {value: rank for rank, value in enumerate(self.values, 1)}
        self.below, running = {}, 0
        for value in self.values:
            self.below[value] = (running, counts[value])
            running += counts[value]


def ascending(values: list[Amount]) -> list[Amount]:
    """By float first; the exact comparison has the last word."""
    values = sorted(values, key=float)
    if any(compare(a, b) >= 0 for a, b in pairwise(values)):
        values.sort(key=cmp_to_key(compare))
    assert all(compare(a, b) < 0 for a, b in pairwise(values))
    return values


def check(walk: Walk, universe: Universe) -> None:
    """Everything that an engine says, on every run."""
    engine, naive = AdditiveEngine(walk, universe), Naive(walk, universe)
    runs = np.array(naive.runs, dtype=np.int8)
    assert engine.size == len(naive.values)
    assert engine.ranks(runs) == [naive.rank[value] for value in naive.own]
    assert engine.tallies(runs) == [naive.below[value] for value in naive.own]
    assert engine.values() == naive.values
    for rank in {1, 2, engine.size // 3, engine.size // 2, engine.size} & set(range(1, engine.size + 1)):
        assert engine.at(rank) == naive.values[rank - 1]
    gaps = [float(total([b, -a])) for a, b in pairwise(naive.values)]
    assert engine.gaps().exact
    assert engine.gaps()[:2] == pytest.approx((min(gaps), max(gaps)) if gaps else (0, 0), rel=1e-6, abs=1e-13)


def random_runs(seed: int, number: int, depth: int, grades: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.binomial(grades, rng.random((number, 1)) * np.linspace(1, 0.5, depth)).astype(np.int8)


# --- the naive twin --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", DCGS + RBPS + OTHERS)
def test_every_run_of_small_universes(measure: str) -> None:
    for depth, grades in SHAPES:
        for base in sorted({None, 1, 2, depth - 1} - {0}, key=str):
            if base is None or (depth < 8 and base < depth):
                universe = Universe(depth, grades, base)
                check(walk_of(measure, universe), universe)


third, fifth = inverse_log(2, 3), inverse_log(2, 5)
ODD_WALKS: dict[str, tuple[Callable[[int], Amount], Callable[[int], Rational]]] = {
    "mixed parts": (lambda i: third + Fraction(1, i) if i % 2 else fifth * i, int),
    "chained parts": (lambda i: (third, third + fifth, fifth, 1 + fifth, 1)[i % 5], int),
    "negative gains": (lambda i: Fraction(1, i), lambda g: g - 2),
    "negative weights": (lambda i: third * (-1) ** i if i < 4 else Fraction(-1, i), int),
    "idle ranks": (lambda i: 0 if i % 3 else inverse_log(2, i + 1), int),
    "nothing but idle ranks": (lambda i: 0, int),
    "one gain": (lambda i: Fraction(1, i), lambda g: 3),
    "uneven gains": (lambda i: Fraction(1, 2**i), lambda g: (0, Fraction(1, 3), Fraction(1, 3), 2)[g]),
    "harmonic": (lambda i: Fraction(1, i), int),
    "huge and tiny": (lambda i: Fraction(10) ** (40 * (i - 3)), int),
    "huge irrationals": (lambda i: inverse_log(2, i + 1) * 10**60, int),
}


@pytest.mark.parametrize("name", ODD_WALKS)
def test_walks_that_no_measure_has(name: str) -> None:
    weight, gain = ODD_WALKS[name]
    for depth, grades, base in ((1, 1, None), (6, 1, None), (8, 1, 3), (5, 2, None), (5, 2, 2), (4, 3, None)):
        check(additive(weight, gain), Universe(depth, grades, base))  # type: ignore[arg-type]


def test_close_calls_are_decided_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a ruler of a few bits nearly every pair is too close to tell; the keys and exact comparison must."""
    monkeypatch.setattr(Classes, "ruler", (4, False))
    for measure in ("DCG", "RBP(p=4/5)", "RBP(p=2/3)"):
        for depth, grades, base in ((6, 1, None), (5, 1, 2), (3, 3, None)):
            universe = Universe(depth, grades, base)
            check(walk_of(measure, universe), universe)


def test_the_close_calls_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: taking close pairs for equal gives other ranks."""
    engine = engine_of("DCG", 8)
    runs = np.array(list(engine.universe.runs()), dtype=np.int8)
    right = engine.ranks(runs)
    monkeypatch.setattr(Classes, "ruler", (4, False))
    monkeypatch.setattr(AdditiveEngine, "_sides", lambda self, pairs, near, runs: [0] * len(near.query))
    assert engine_of("DCG", 8).ranks(runs) != right


# --- the two facts that the product rests on -------------------------------------------------------------------------


@settings(deadline=None, max_examples=300)
@given(
    st.lists(st.integers(-60, 60), min_size=1, max_size=6),
    st.lists(st.integers(-4, 9), min_size=1, max_size=4),
)
def test_settled_ranks_and_core_make_a_product(weights: list[int], gains: list[int]) -> None:
    alone, core = settled(weights, gains)
    assert sorted([*alone, *core]) == list(range(len(weights)))
    groups = [*([i] for i in alone), core]
    sizes = [len(sums([weights[i] for i in group], gains)) for group in groups]
    assert prod(sizes) == len(sums(weights, gains))


@settings(deadline=None, max_examples=200)
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=5), st.lists(st.integers(-4, 6), min_size=1, max_size=4))
def test_progressions_have_no_holes(weights: list[int], gains: list[int]) -> None:
    found, expected = progression(weights, gains), sums(weights, gains)
    if found is not None:
        assert list(found) == expected


def sums(weights: Sequence[int], gains: Sequence[int]) -> list[int]:
    return sorted(
        {sum(w * g for w, g in zip(weights, run, strict=True)) for run in product(gains, repeat=len(weights))}
    )


@pytest.mark.parametrize("p", ["1/10", "1/2", "2/3", "4/5", "19/20", "99/100"])
def test_binary_rbp_takes_every_run_to_its_own_value(p: str) -> None:
    assert engine_of(f"RBP(p={p})", 24).size == 2**24
    assert not any(len(factor.columns) > 1 for factor in engine_of(f"RBP(p={p})", 24).classes.factors)


# --- larger universes ------------------------------------------------------------------------------------------------


@cache
def brute(measure: str, depth: int, grades: int) -> tuple[np.ndarray, np.ndarray, list[Amount]]:
    """All distinct values as integer vectors over their units, their floats, and what an entry of 1 stands for."""
    universe = Universe(depth, grades)
    walk = walk_of(measure, universe)
    assert walk.weight is not None
    assert walk.gain is not None
    weights = [walk.weight(i) for i in range(1, depth + 1)]
    units = sorted({unit for w in weights if isinstance(w, LogSum) for unit, _ in w.terms})
    split = [(dict(w.terms), w.rational) if isinstance(w, LogSum) else ({}, w) for w in weights]
    vectors = [[*(terms.get(unit, 0) for unit in units), rational] for terms, rational in split]
    gains = [Fraction(walk.gain(g)) for g in range(grades + 1)]
    bottom = lcm(*(Fraction(x).denominator for v in vectors for x in v)) * lcm(*(g.denominator for g in gains))
    parts = [np.array([[int(x * g * bottom) for x in v] for g in gains]) for v in vectors]
    found = np.zeros((1, len(units) + 1), dtype=np.int64)
    for part in parts:
        found = np.unique((found[:, None, :] + part[None, :, :]).reshape(-1, len(units) + 1), axis=0)
    worth: list[Amount] = [LogSum({unit: Fraction(1, bottom)}) for unit in units]
    worth.append(Fraction(1, bottom))
    return found, found @ np.array([float(w) for w in worth]), worth


@pytest.mark.parametrize(
    ("measure", "depth", "grades"),
    [
        ("DCG(dcg='jk')", 18, 1),
        ("DCG(dcg='jk',base=10)", 18, 1),
        ("DCG", 16, 1),
        ("DCG(dcg='exp-log2')", 11, 2),
        ("RBP(p=4/5)", 16, 1),
        ("RBP(p=2/3)", 8, 3),
    ],
)
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_random_runs_against_brute_force(measure: str, depth: int, grades: int, data: st.DataObject) -> None:
    vectors, floats, worth = brute(measure, depth, grades)
    engine = _kept(measure, depth, grades)
    run = data.draw(st.lists(st.integers(0, grades), min_size=depth, max_size=depth))
    own = total(walk_of(measure, engine.universe).increments(run))
    rank = int(np.count_nonzero(floats < float(own) - 1e-9))
    for vector in vectors[np.abs(floats - float(own)) <= 1e-9]:
        rank += compare(total(w * int(x) for w, x in zip(worth, vector, strict=True)), own) <= 0
    assert engine.size == len(vectors)
    assert engine.ranks(np.array([run])) == [rank]
    assert engine.at(rank) == own


_kept = cache(engine_of)


@pytest.mark.parametrize("measure", ["DCG(dcg='jk')", "DCG(dcg='jk',base=10)", "DCG", "RBP(p=4/5)", "RBP(p=3/10)"])
def test_depth_30_is_symmetric_and_invertible(measure: str) -> None:
    """Swapping relevant and non-relevant turns the scale around; `at` undoes `ranks`; tallies add up."""
    engine, runs = _kept(measure, 30), random_runs(1, 300, 30)
    ranks, tallies = engine.ranks(runs), engine.tallies(runs)
    assert engine.ranks(1 - runs) == [engine.size + 1 - rank for rank in ranks]
    assert [2**30 - below - same for below, same in tallies] == [below for below, _ in engine.tallies(1 - runs)]
    walk = walk_of(measure, engine.universe)
    for run, rank in zip(runs[:5].tolist(), ranks[:5], strict=True):
        assert engine.at(rank) == total(walk.increments(run))


@pytest.mark.parametrize("measure", ["RBP(p=1/2)", "RBP(p=3/10)", "RBP(p=1/10)", "RBTO"])
def test_lexicographic_scales_read_the_run_as_a_number(measure: str) -> None:
    runs = random_runs(2, 50, 36)
    numbers = [int("".join(map(str, run)), 2) for run in runs.tolist()]
    assert engine_of(measure, 36).ranks(runs) == [number + 1 for number in numbers]
    assert engine_of(measure, 36).tallies(runs) == [(number, 1) for number in numbers]


def test_graded_scales_at_depth_20() -> None:
    engine, runs = engine_of("DCG", 17, 4), random_runs(3, 4, 17, 4)
    assert engine.ranks(4 - runs) == [engine.size + 1 - rank for rank in engine.ranks(runs)]
    assert all(below + same <= 5**17 for below, same in engine.tallies(runs))


def test_few_relevant_documents_at_depth_150() -> None:
    """More ranks than bits in a word; the naive twin has 11,326 runs."""
    universe = Universe(150, 1, 2)
    walk = walk_of("DCG", universe)
    engine = AdditiveEngine(walk, universe)
    runs = np.zeros((200, 150), dtype=np.int8)
    for row, pair in zip(runs, np.random.default_rng(0).integers(0, 150, (200, 2)), strict=True):
        row[pair] = 1
    single = [total([walk.weight(i)]) for i in range(1, 151)]  # type: ignore[misc]
    values = {Fraction(0), *single, *(total(pair) for pair in product(single, repeat=2) if pair[0] != pair[1])}
    listed = ascending(list(values))
    assert engine.size == len(listed)
    own = [total(single[i] for i in np.flatnonzero(row)) for row in runs]
    assert engine.ranks(runs) == [listed.index(value) + 1 for value in own]


def test_counts_too_large_for_a_word() -> None:
    """How many of 2^150 runs have fewer relevant documents: binomial coefficients."""
    engine = engine_of("SBPO", 150)
    runs = np.array([[1] * k + [0] * (150 - k) for k in (0, 1, 40, 75, 150)])
    below = [sum(comb(150, j) for j in range(k)) for k in (0, 1, 40, 75, 150)]
    assert engine.tallies(runs) == [(b, comb(150, k)) for b, k in zip(below, (0, 1, 40, 75, 150), strict=True)]
    assert engine.ranks(runs) == [1, 2, 41, 76, 151]


def test_progressions_of_any_depth() -> None:
    """RBP with p = 1/2 and three grades takes every multiple of its smallest step."""
    engine = engine_of("RBP(p=1/2)", 200, 2)
    assert engine.size == 2**201 - 1
    assert engine.ranks(np.array([[0] * 200, [0] * 199 + [2], [2] * 200])) == [1, 3, 2**201 - 1]
    assert engine.gaps() == (2.0**-201, 2.0**-201, True)


# --- published -------------------------------------------------------------------------------------------------------


def test_sizes_of_dcg_against_ferrante_ferro_fuhr_2021() -> None:
    depths = (4, 5, 10, 15, 20)
    assert [engine_of("DCG(dcg='jk',base=2)", n).size for n in depths] == [12, 24, 768, 24_576, 786_432]
    assert [engine_of("DCG(dcg='jk',base=10)", n).size for n in depths] == [5, 6, 11, 352, 11_264]


def test_worked_example_of_ferrante_ferro_fuhr_2021() -> None:
    engine = engine_of("DCG(dcg='jk',base=2)", 4)
    assert engine.size == 12
    assert engine.ranks(np.array([[0, 0, 1, 1], [1, 0, 0, 1]])) == [5, 6]


# --- gaps, limits, refusals ------------------------------------------------------------------------------------------


def test_gaps_do_not_depend_on_the_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = engine_of("DCG", 12).gaps()
    monkeypatch.setattr(module, "_WINDOW", 50)
    assert engine_of("DCG", 12).gaps() == whole


def test_sampled_gaps_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = engine_of("DCG", 18).gaps()
    monkeypatch.setattr(module, "SWEEP_LIMIT", 1000)
    sampled = engine_of("DCG", 18).gaps()
    assert not sampled.exact
    assert whole.smallest <= sampled.smallest < sampled.largest <= whole.largest


def test_values_are_few_or_refused() -> None:
    with pytest.raises(ScaleTooLarge, match="1,073,741,824 values"):
        engine_of("RBP(p=4/5)", 30).values()


@pytest.mark.parametrize(
    ("measure", "depth", "grades", "message"),
    [
        ("DCG", 60, 1, r"about 2\^60 runs needs 1,073,741,824 half runs"),
        ("RBP(p=4/5)", 1000, 1, r"about 2\^1000 values"),
        ("RBP(p=2/3)", 40, 3, "different sums"),
    ],
)
def test_too_large_is_refused_at_once(
    measure: str, depth: int, grades: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evenscale.scales.classes.TABLE_LIMIT", 1 << 14)
    with pytest.raises(ScaleTooLarge, match=message):
        engine_of(measure, depth, grades)


def test_runs_outside_the_universe_are_refused() -> None:
    engine = engine_of("DCG", 4, 1, 2)
    for runs, message in (([[0, 1]], "rows of 4"), ([[0, 2, 0, 0]], "0 to 1"), ([[1, 1, 1, 0]], "3 relevant")):
        with pytest.raises(BadParameter, match=message):
            engine.ranks(np.array(runs))
    for rank in (0, engine.size + 1):
        with pytest.raises(BadParameter, match="rank must be"):
            engine.at(rank)
    assert engine.ranks(np.zeros((0, 4), dtype=np.int8)) == []


def test_a_walk_with_a_state_is_refused() -> None:
    universe = Universe(4)
    with pytest.raises(BadParameter, match="not additive"):
        AdditiveEngine(parse("AP@4").walk(universe.topic, 4), universe)
