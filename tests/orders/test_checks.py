"""What a measure is on an order: the quick answer against all pairs and chains, and every witness held to its word."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenscale.errors import BadInput, BadParameter, EvenscaleError
from evenscale.measures import Measure, parse
from evenscale.measures.exact import inverse_log
from evenscale.orders import (
    ORDERS,
    Poset,
    ScaleCheck,
    Universe,
    UniverseTooLarge,
    induced,
    placed,
    rank_function,
    same_value_pair,
    scale_on,
    uneven_gaps,
)
from evenscale.orders.gaps import gap, same_gap, spelled
from measures.cases import MEASURES
from orders import twins
from orders.twins import LEQ

PLACES = [(name, 2, 2) for name in ORDERS] + [("weak", 3, 1), ("strong", 3, 1), ("set-partial", 3, 2)]


def _values(measure: Any, universe: Any) -> dict[tuple[int, ...], Any]:
    if not isinstance(measure, Measure):
        return {run: measure(run) for run in universe.runs()}
    walk = measure.walk(universe.topic, universe.depth)
    return {run: walk.value(run[: measure.cutoff]) for run in universe.runs()}


def _naive(name: str, value: dict[tuple[int, ...], Any]) -> tuple[bool, bool, bool]:
    """Ordinal, strict and interval by all pairs and, on every maximal chain, by all quadruples (Theorem 1)."""
    runs, leq = list(value), LEQ[name]
    below = [(r, s) for r in runs for s in runs if r != s and leq(r, s)]
    ordinal = all(value[r] <= value[s] for r, s in below)
    strict = all(value[r] < value[s] for r, s in below)
    chains = twins.maximal_chains(runs, leq)
    even = len({len(chain) for chain in chains}) == 1 and all(_on_chain([value[r] for r in chain]) for chain in chains)
    return ordinal, strict, even


def _on_chain(values: list[Any]) -> bool:
    steps = {(a, b): gap(values[a], values[b]) for a, b in product(range(len(values)), repeat=2)}
    return all((b - a <= d - c) == (steps[a, b] <= steps[c, d]) for (a, b), (c, d) in product(steps, repeat=2))


def _holds(found: ScaleCheck, leq: Callable[[Any, Any], bool], value: dict[tuple[int, ...], Any]) -> None:
    """A witness shows what it says."""
    for witness in filter(None, (found.witness, found.tie)):
        assert witness.values == tuple(value[run] for run in witness.runs)
        low, high = witness.runs[:2]
        assert leq(low, high) and low != high
        if witness.kind == "reversal":
            assert value[low] > value[high]
        if witness.kind == "tie":
            assert value[low] == value[high]
        if witness.kind == "steps":
            other, higher = witness.runs[2:]
            steps = twins.covers(list(value), leq)
            assert (low, high) in steps and (other, higher) in steps and leq(high, other)
            assert gap(value[low], value[high]) != gap(value[other], value[higher])
        if witness.kind == "chains":
            short, long = witness.chains
            steps = twins.covers(list(value), leq)
            assert all(step in steps for chain in witness.chains for step in pairwise(chain))
            assert (short[0], short[-1]) == (long[0], long[-1]) == witness.runs and len(short) < len(long)


@pytest.mark.parametrize(("name", "depth", "grades"), PLACES)
def test_every_measure_against_all_pairs_and_chains(name: str, depth: int, grades: int) -> None:
    poset, universe = twins.poset(name, depth, grades), twins.universe_of(name, depth, grades)
    verdicts = set()
    for measure in (*MEASURES, parse(f"RBPO@{depth}"), lambda run: -sum(run)):
        value = _values(measure, universe)
        found = scale_on(measure, name, universe, poset=poset)
        assert (found.ordinal, found.strict, found.interval) == _naive(name, value), str(measure)
        assert (found.witness is None) == found.interval
        assert (found.tie is None) == (found.strict or not found.ordinal)
        _holds(found, LEQ[name], value)
        if found.interval:
            ranks = rank_function(poset)
            assert all(found.slope * ranks[run] + found.offset == value[run] for run in value)
        json.dumps(found.to_dict(), allow_nan=False)
        verdicts.add((found.ordinal, found.interval))
    assert (True, False) in verdicts and len(verdicts) > 1


@pytest.mark.parametrize("text", ["P@3", "AP@3", "RR@3", "nDCG@3", "DCG(dcg='jk',base=2)@3", "RBP(p=0.5)@3", "NumQ"])
@pytest.mark.parametrize("grades", [1, 2])
def test_induced_order_against_the_spacing_of_the_values(text: str, grades: int) -> None:
    measure, universe = parse(text), Universe(3, grades)
    found = scale_on(measure, "induced", universe)
    values = placed(measure, universe).values
    even = len({gap(low, high) for low, high in pairwise(values)}) <= 1
    assert (found.ordinal, found.strict, found.interval, found.order) == (True, True, even, "induced")
    # The same through the general way: the poset of the classes.
    poset = Poset.of(induced(measure), universe)
    general = scale_on(_plain(measure, universe), induced(measure), universe, poset=poset)
    assert (general.interval, general.slope, general.offset) == (even, found.slope, found.offset)


def _plain(measure: Measure, universe: Universe) -> Callable[[tuple[int, ...]], Any]:
    walk = measure.walk(universe.topic, universe.depth)
    return lambda run: walk.value(run[: measure.cutoff])


def test_a_measure_on_the_order_of_another() -> None:
    """P takes runs as equal that AP tells apart, so AP is not even ordinal on P's order; R is."""
    found = scale_on(parse("AP@3"), induced(parse("P@3")), Universe(3))
    assert not found.ordinal and found.witness is not None and found.witness.kind == "reversal"
    assert found.witness.sentence == "(1, 0, 0) is equivalent to (0, 0, 1), but scores 1/3 against 1/9"
    same = scale_on(parse("R@3"), induced(parse("P@3")), Universe(3))
    assert same.interval and same.affine == "1/3 * rank + 0"


# --- planted measures -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ORDERS)
def test_planted_measures_are_what_they_were_made(name: str) -> None:
    depth, grades = (3, 1) if name == "weak" else (3, 2)
    poset, universe = twins.poset(name, depth, grades), twins.universe_of(name, depth, grades)
    ranks = rank_function(poset)
    top = max(ranks.values())
    planted: dict[str, Callable[[tuple[int, ...]], Any]] = {
        "affine": lambda run: 3 * ranks[run] + Fraction(1, 7),
        "floats": lambda run: 0.1 * ranks[run] + 0.3,
        "logs": lambda run: inverse_log(2, 3) * ranks[run] + 1,
        "convex": lambda run: 2 ** ranks[run],
        "last": lambda run: ranks[run] + Fraction(ranks[run] == top, 1000),
        "flat": lambda run: max(ranks[run], 1),
        "constant": lambda run: 5,
        "falling": lambda run: -ranks[run],
        "one swap": lambda run: {1: 2, 2: 1}.get(ranks[run], ranks[run]),
    }
    found = {kind: scale_on(measure, name, universe, poset=poset) for kind, measure in planted.items()}
    yes = {kind: (check.ordinal, check.strict, check.interval) for kind, check in found.items()}
    assert yes == {
        "affine": (True, True, True),
        "floats": (True, True, True),
        "logs": (True, True, True),
        "convex": (True, True, False),
        "last": (True, True, False),
        "flat": (True, False, False),
        "constant": (True, False, False),
        "falling": (False, False, False),
        "one swap": (False, False, False),
    }
    assert (found["affine"].slope, found["affine"].offset) == (3, Fraction(1, 7))
    assert same_gap(found["floats"].slope, 0.1) and found["logs"].slope == inverse_log(2, 3)
    kinds = {kind: check.witness.kind for kind, check in found.items() if check.witness}
    expected = {"convex": "steps", "last": "steps", "flat": "steps", "constant": "tie"}
    assert kinds == {**expected, "falling": "reversal", "one swap": "reversal"}
    for kind, check in found.items():
        if "floats" not in kind:
            _holds(check, LEQ[name], {run: planted[kind](run) for run in universe.runs()})


@settings(max_examples=150)
@given(twins.relations(most=8), st.lists(st.integers(0, 3), min_size=8, max_size=8), st.booleans())
def test_random_orders_and_values(order: tuple[int, set[tuple[int, int]]], values: list[int], ranked: bool) -> None:
    """Any order on some runs and any values: pairs and covers by definition."""
    runs, (size, pairs) = list(Universe(3).runs()), order
    poset = Poset.of_relation(runs[:size], lambda r, s: (runs.index(r), runs.index(s)) in pairs)
    if ranked:  # as even as the order allows, so that interval scales turn up
        values = [2 * poset.depths[poset.number(run)] + 1 for run in runs[:size]] + [0] * (8 - size)
    found = scale_on(lambda run: values[runs.index(run)], ORDERS["weak"], Universe(3), poset=poset)
    below = [(values[a], values[b]) for a, b in pairs if a != b]
    assert found.ordinal == all(low <= high for low, high in below)
    assert found.strict == all(low < high for low, high in below)
    steps = {values[b] - values[a] for a, b in twins.covers(range(size), lambda a, b: (a, b) in pairs)}
    lengths = {len(chain) for chain in twins.maximal_chains(range(size), lambda a, b: (a, b) in pairs)}
    assert found.interval == (len(lengths) == 1 and len(steps) <= 1 and all(step > 0 for step in steps))


def test_steps_of_one_chain_are_preferred() -> None:
    """The first two steps from the bottom differ but lie on no common chain; the first and the last do."""
    square = Poset.of_relation(list(Universe(2).runs()), lambda a, b: a[0] <= b[0] and a[1] <= b[1])
    found = scale_on(lambda run: 2 * run[0] + run[1], ORDERS["weak"], Universe(2), poset=square)
    assert found.witness.runs == ((0, 0), (0, 1), (0, 1), (1, 1)) and "steps of one chain" in found.witness.sentence


def test_steps_that_lie_on_no_common_chain_still_tell() -> None:
    """Two chains side by side, each even, with different steps."""
    sides = Poset.of_relation([(0, 0), (0, 1), (1, 0), (1, 1)], lambda a, b: a[0] == b[0] and a[1] <= b[1])
    found = scale_on(lambda run: run[1] * (1 + run[0]), ORDERS["weak"], Universe(2), poset=sides)
    assert found.ordinal and not found.interval and "single steps" in found.witness.sentence
    apart = scale_on(lambda run: run[1] + run[0] * 5, ORDERS["weak"], Universe(2), poset=sides)
    assert apart.interval and apart.slope == 1 and apart.offset is None and apart.affine == "1 a step"


def test_no_measure_is_interval_where_the_order_is_not_graded() -> None:
    found = scale_on(parse("RBPO@3"), "weak", Universe(3, 2))
    assert found.ordinal and found.strict and not found.interval and not found.graded
    assert found.witness.kind == "chains" and "no measure can be an interval scale" in found.witness.sentence
    assert [len(chain) for chain in found.witness.chains] == [3, 4]


# --- what is shown --------------------------------------------------------------------------------------------------


def test_the_result_becomes_rows_and_words() -> None:
    found = scale_on(parse("AP@3"), "strong", Universe(3))
    assert found.witness.sentence == "(0, 1, 1) is below (1, 0, 0), but scores 7/18 against 1/3"
    assert found.frame.row(0, named=True)["witness"] == found.witness.sentence
    assert "ordinal   no" in str(found)
    told = found.to_dict()
    assert told["measure"] == "AP@3" and told["order"] == "strong" and (told["depth"], told["grades"]) == (3, 1)
    assert told["witness"]["runs"] == [[0, 1, 1], [1, 0, 0]] and told["witness"]["values"] == ["7/18", "1/3"]
    yes = scale_on(parse("P@3"), "set-partial", ORDERS["set-partial"].universe(3))
    assert "1/3 * rank + 0" in str(yes) and yes.to_dict()["slope"] == "1/3" and yes.to_dict()["witness"] is None


def test_what_cannot_be_checked_is_refused() -> None:
    for depth in (13, 40):  # before anything is scored
        with pytest.raises(UniverseTooLarge, match="depth 12 would work"):
            scale_on(parse("AP"), "weak", Universe(depth))
    with pytest.raises(UniverseTooLarge, match="budget of 65,536: depth 16 would work"):
        scale_on(parse("AP"), "induced", Universe(40))
    assert scale_on(parse("P"), "induced", Universe(13)).interval
    with pytest.raises(BadParameter, match="gmax=1"):
        scale_on(parse("RBTO(gmax=1)@3"), "strong", Universe(3, 2))
    with pytest.raises(EvenscaleError, match="must be one of"):
        scale_on(parse("AP"), "bottom-heavy", Universe(3))


def test_quotients_of_logarithms_are_subtracted_over_one_divisor() -> None:
    values = placed(parse("nDCG@3"), Universe(3)).values
    for low, high in product(values, repeat=2):
        assert abs(float(gap(low, high)) - (float(high) - float(low))) < 1e-12
        assert gap(low, low) == 0
    other = placed(parse("nDCG@2"), Universe(2)).values[1]
    with pytest.raises(BadInput, match="same divisor"):
        gap(other, values[1])
    assert gap(values[0], values[-1]) == values[-1] and spelled(gap(values[0], values[1])) == "0.23464"


# --- all values different, evenly spaced ----------------------------------------------------------------------------


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_same_value_pairs_and_uneven_gaps_against_all_runs(measure: Measure) -> None:
    universe = Universe(3, 2)
    value, found = _values(measure, universe), placed(measure, universe)
    pair, uneven = same_value_pair(found), uneven_gaps(found)
    equal = [(r, s) for r in value for s in value if r < s and value[r] == value[s]]
    assert (pair is None) == (not equal)
    if pair:
        least = min(sum(r) + sum(s) for r, s in equal)
        assert tuple(sorted(pair)) in equal and sum(map(sum, pair)) == least
    distinct = found.values
    assert (uneven is None) == (len({gap(low, high) for low, high in pairwise(distinct)}) <= 1)
    if uneven:
        places = [distinct.index(value[run]) for run in uneven.runs]
        assert places == [places[0], places[0] + 1, places[0] + 2]
        assert uneven.values == tuple(value[run] for run in uneven.runs)
        assert uneven.gaps == tuple(gap(low, high) for low, high in pairwise(uneven.values))
        assert uneven.gaps[0] != uneven.gaps[1]
        assert json.loads(json.dumps(uneven.to_dict()))["sentence"] == uneven.sentence
