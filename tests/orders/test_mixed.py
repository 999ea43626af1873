"""Mixed universes S[N, K]: where P, R and F stop being interval scales (Ferrante, Ferro and Fuhr 2021, IV-D)."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations, pairwise

import pytest

from evenscale.errors import BadParameter
from evenscale.orders import MixedUniverse, mixed_check
from evenscale.orders.mixed import SET_MEASURES, MixedRun

F = Fraction


@pytest.mark.parametrize("longest", range(1, 6))
@pytest.mark.parametrize("largest", range(1, 6))
def test_against_all_pairs_of_runs(longest: int, largest: int) -> None:
    universe = MixedUniverse.up_to(longest, largest)
    runs = [
        MixedRun(r, n, k) for n in range(1, longest + 1) for k in range(1, largest + 1) for r in range(n + 1) if r <= k
    ]
    assert sorted(universe.runs()) == sorted(runs) and universe.size == len(runs)
    found = mixed_check(universe)
    for name, measure in SET_MEASURES.items():
        values = sorted({measure(run) for run in runs})
        assert list(found.images[name]) == values
        assert found.interval(name) == (len({high - low for low, high in pairwise(values)}) <= 1)
        uneven = found.uneven[name]
        assert uneven is None or [measure(MixedRun(*run)) for run in uneven.runs] == list(uneven.values)
    for a, b in combinations(SET_MEASURES, 2):
        _compare(found.agreement(a, b), a, b, runs)


def _compare(agreement, first: str, second: str, runs: list[MixedRun]) -> None:  # type: ignore[no-untyped-def]
    one, other = SET_MEASURES[first], SET_MEASURES[second]
    pairs = [(one(r) - one(s), other(r) - other(s)) for r, s in combinations(runs, 2)]
    assert (agreement.reversed_pair is not None) == any(x * y < 0 for x, y in pairs)
    assert (agreement.tied_pair is not None) == any((x == 0) != (y == 0) for x, y in pairs)
    if agreement.reversed_pair:
        r, s = agreement.reversed_pair
        assert (one(r) - one(s)) * (other(r) - other(s)) < 0
    if agreement.tied_pair:
        r, s = agreement.tied_pair
        assert (one(r) == one(s)) != (other(r) == other(s))


@pytest.mark.parametrize("length", range(1, 7))
@pytest.mark.parametrize("base", range(1, 7))
def test_one_length_and_one_recall_base_are_one_interval_scale(length: int, base: int) -> None:
    found = mixed_check(MixedUniverse((length,), (base,)))
    assert all(found.interval(name) for name in SET_MEASURES)
    assert all(agreement.agree for agreement in found.agreements)


def test_where_they_stop_being_interval_scales() -> None:
    """P up to length 2, R up to recall base 2, F on S[1, 1] only."""
    for longest in range(1, 8):
        for largest in range(1, 8):
            found = mixed_check(MixedUniverse.up_to(longest, largest))
            assert found.interval("P") == (longest <= 2)
            assert found.interval("R") == (largest <= 2)
            assert found.interval("F") == (longest == largest == 1)


def test_images_of_precision_in_figures() -> None:
    def images(n: int, k: int) -> list[Fraction]:
        return list(mixed_check(MixedUniverse.up_to(n, k)).images["P"])

    assert images(1, 4) == [0, 1] and images(2, 4) == [0, F(1, 2), 1]
    assert images(3, 1) == [0, F(1, 3), F(1, 2), 1]
    assert images(3, 2) == images(3, 5) == [0, F(1, 3), F(1, 2), F(2, 3), 1]
    for n in range(4, 9):
        assert images(n, 3)[:3] == [0, F(1, n), F(1, n - 1)]


def test_runs_and_orders_of_s_2_2() -> None:
    universe = MixedUniverse.up_to(2, 2)
    listed = [(0, 1, 1), (0, 1, 2), (0, 2, 1), (0, 2, 2), (1, 2, 1), (1, 2, 2), (1, 1, 1), (1, 1, 2), (2, 2, 2)]
    assert sorted(universe.runs()) == sorted(listed)
    found = mixed_check(universe)
    assert list(found.images["R"]) == [0, F(1, 2), 1] and list(found.images["F"]) == [0, F(1, 2), F(2, 3), 1]
    assert set(found.agreement("P", "R").reversed_pair) == {(1, 2, 1), (1, 1, 2)}
    one, other = MixedRun(1, 2, 1), MixedRun(1, 1, 2)
    values = {name: (measure(one), measure(other)) for name, measure in SET_MEASURES.items()}
    assert values == {"P": (F(1, 2), 1), "R": (1, F(1, 2)), "F": (F(2, 3), F(2, 3))}
    assert not found.agreement("F", "P").agree and not found.agreement("F", "R").agree


def test_f_on_the_smallest_mixed_universes() -> None:
    for n, k in ((2, 1), (1, 2)):
        assert list(mixed_check(MixedUniverse.up_to(n, k)).images["F"]) == [0, F(2, 3), 1]
    for n, k in ((3, 1), (1, 3), (3, 2), (4, 5)):
        assert list(mixed_check(MixedUniverse.up_to(n, k)).images["F"][:3]) == [0, F(2, n + k), F(2, n + k - 1)]


def test_precision_and_recall_disagree_from_two_and_two_on() -> None:
    for n in range(1, 6):
        for k in range(1, 6):
            pair = mixed_check(MixedUniverse.up_to(n, k)).agreement("P", "R").reversed_pair
            assert (pair is not None) == (n >= 2 and k >= 2)


def test_one_length_keeps_precision_and_one_recall_base_keeps_recall() -> None:
    every = tuple(range(1, 6))
    assert mixed_check(MixedUniverse((5,), every)).interval("P")
    assert not mixed_check(MixedUniverse((5,), every)).interval("R")
    assert mixed_check(MixedUniverse(every, (5,))).interval("R")
    assert not mixed_check(MixedUniverse(every, (5,))).interval("P")


def test_the_result_becomes_rows_and_words() -> None:
    found = mixed_check(MixedUniverse.up_to(3, 3))
    told = json.loads(json.dumps(found.to_dict()))
    assert [row["measure"] for row in told["measures"]] == ["P", "R", "F"] and told["lengths"] == [1, 2, 3]
    assert found.agreement("R", "P").sentence == "[1, 1, 2] and [1, 2, 1] have P 1 and 1/2 but R 1/2 and 1"
    assert "interval" in str(found)
    assert mixed_check(MixedUniverse((2,), (2,))).agreement("P", "R").sentence == "P and R order all runs alike"


def test_empty_universes_are_refused() -> None:
    with pytest.raises(BadParameter, match="lengths must be"):
        MixedUniverse((), (1,))
    with pytest.raises(BadParameter, match="recall_bases must be"):
        MixedUniverse((1,), (0, 1))
