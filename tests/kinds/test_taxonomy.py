"""The intrinsic taxonomy: a naive twin over every measure in the table, planted functions, depths of change."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import pytest

from evenscale.errors import BadParameter
from evenscale.judged import Topic
from evenscale.kinds.every import (
    LIKE,
    VARIANTS,
    ignores_order,
    interval_like_table,
    natural,
    taxonomy_table,
)
from evenscale.kinds.taxonomy import KINDS, Listed, category_of, on_topic, taxonomy, weakest
from evenscale.measures import MEASURES, Measure, parse
from evenscale.measures.exact import in_order
from evenscale.orders.gaps import gap
from evenscale.orders.universe import SetUniverse, Universe

Run = tuple[int, ...]
EVERY = [str(natural(kind, 4)) for kind in MEASURES] + list(VARIANTS)


def naive(score: Callable[[Run], Any], runs: list[Run]) -> tuple[bool, bool]:
    """Whether no two runs share a value, and whether all steps are equal: pair by pair, as defined."""
    values = {run: score(run) for run in runs}
    injective = all(values[a] != values[b] for a, b in combinations(runs, 2))
    steps = [gap(low, high) for low, high in pairwise(in_order(set(values.values())))]
    return injective, all(a == b for a, b in combinations(steps, 2))


@pytest.mark.parametrize("text", EVERY)
@pytest.mark.parametrize(
    "universe", [Universe(4), Universe(3, 2), Universe(4, 1, 2), SetUniverse(4), SetUniverse(2, 3)]
)
def test_category_against_the_naive_twin(text: str, universe: Any) -> None:
    measure = parse(text)
    measure = measure @ universe.depth if measure.takes_cutoff else measure
    walk = measure.walk(universe.topic, universe.depth)
    found = category_of(measure, universe)
    assert (found.injective, found.equispaced) == naive(walk.value, list(universe.runs()))
    if found.same:
        first, second = found.same
        assert first != second
        assert walk.value(first) == walk.value(second) == found.shared
    if found.uneven:
        assert [walk.value(run) for run in found.uneven.runs] == list(found.uneven.values)
        assert found.uneven.gaps[0] != found.uneven.gaps[1]


def number(run: Run) -> int:
    return int("".join(map(str, run)), 2)


PLANTED: dict[str, tuple[Callable[[Run], Any], str, str]] = {
    "the run as a number": (number, "interval/metric", "the 8 runs have as many equi-spaced values"),
    "its square": (
        lambda run: number(run) ** 2,
        "ordinal/metric",
        "(0, 0, 0), (0, 0, 1), (0, 1, 0) score 0, 1, 4: steps of 1 and 3",
    ),
    "its half, rounded": (
        lambda run: number(run) // 2,
        "ordinal/pseudometric",
        "(0, 0, 0) and (0, 0, 1) both score 0; the values are equi-spaced",
    ),
    "its half squared": (
        lambda run: (number(run) // 2) ** 2,
        "ordinal/pseudometric",
        "(0, 0, 0) and (0, 0, 1) both score 0",
    ),
    "constant": (lambda run: Fraction(1, 3), "ordinal/pseudometric", "every run scores 1/3"),
    "one run apart": (
        lambda run: number(run) + (run == (1, 1, 1)),
        "ordinal/metric",
        "(1, 0, 1), (1, 1, 0), (1, 1, 1) score 5, 6, 8: steps of 1 and 2",
    ),
    "two runs alike": (
        lambda run: min(number(run), 6),
        "ordinal/pseudometric",
        "(1, 1, 0) and (1, 1, 1) both score 6; the values are equi-spaced",
    ),
    "floats with noise": (
        lambda run: sum([0.1] * number(run)),
        "interval/metric",
        "the 8 runs have as many equi-spaced values",
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_functions_are_told_apart(name: str) -> None:
    score, kind, sentence = PLANTED[name]
    found = category_of(score, Universe(3))
    assert (found.kind, found.sentence) == (kind, sentence)


def test_the_weakest_of_several_universes_counts() -> None:
    even, uneven, shared = (
        category_of(score, Universe(2)) for score in (number, lambda r: number(r) ** 2, lambda r: number(r) // 2)
    )
    assert weakest([even, even]).kind == "interval/metric"
    assert weakest([even, uneven]).kind == "ordinal/metric"
    both = weakest([even, uneven, shared])
    assert both.kind == "ordinal/pseudometric"
    assert (both.same, both.uneven) == (shared.same, uneven.uneven)
    assert both.runs == 12


def test_a_topic_with_fewer_relevant_documents() -> None:
    """R-precision looks no further than R: with 1 relevant document only the first rank counts."""
    found = category_of(parse("Rprec"), on_topic(Universe(3), Topic.of({0: 3, 1: 1})))
    assert found.values == 2
    restricted = taxonomy("AP", up_to=4, recall_base=1)
    assert [one.runs for one in restricted.categories] == [2, 3, 4, 5]
    assert restricted.history == "interval/metric at depth 1, ordinal/metric from 3"


CHANGES = {
    "AP": [(2, "ordinal/metric"), (4, "ordinal/pseudometric")],
    "ERR": [(2, "ordinal/metric"), (6, "ordinal/pseudometric")],
    "Bpref": [(2, "ordinal/metric"), (4, "ordinal/pseudometric")],
    "RBPO@1": [(3, "ordinal/pseudometric")],
    "P": [(2, "ordinal/pseudometric")],
    "RBP(p=0.8)": [(2, "ordinal/metric")],
    "RBP(p=0.5)": [],
    "interval(AP@5)": [(4, "ordinal/pseudometric")],
}


@pytest.mark.parametrize("measure", CHANGES)
def test_depths_at_which_the_category_changes(measure: str) -> None:
    found = taxonomy(measure, up_to=7)
    assert [(change.depth, change.after) for change in found.changes] == CHANGES[measure]
    assert found.settled.depth == (CHANGES[measure][-1][0] if CHANGES[measure] else 1)
    assert found.settled.kind == found.last.kind


def test_the_default_depth_is_the_cut_off_or_the_budget() -> None:
    assert taxonomy("AP@4").last.depth == 4
    assert taxonomy("interval(P@3)").last.depth == 3
    assert taxonomy("P", budget=100).last.depth == 6
    assert taxonomy("P", grades=2, budget=100).last.depth == 4
    assert taxonomy("P", sets=True).last.depth == 10
    assert taxonomy(number, up_to=3).measure == "number"
    with pytest.raises(BadParameter, match="up_to must be at least 1, got -1"):
        taxonomy("AP", up_to=-1)
    with pytest.raises(BadParameter, match="restricts rankings, not sets"):
        taxonomy("P", sets=True, recall_base=2)


def test_sets_of_one_size_give_back_the_interval_scale() -> None:
    for text in ("P", "R", "F", "gP", "gR", "SBPO@1", "SBTO@1"):
        assert taxonomy(text, up_to=6, sets=True).last.kind == "interval/metric"
        assert taxonomy(text, up_to=6).last.kind == "ordinal/pseudometric"
    assert taxonomy("SBTO@1", up_to=3, grades=2, sets=True).last.kind == "interval/metric"
    assert taxonomy("gP", up_to=3, grades=2, sets=True).last.kind == "ordinal/pseudometric"


def test_dcg_keeps_binary_runs_apart_to_depth_62() -> None:
    """Ranks i with i + 1 a power of one number g have weights 1, 1/2, 1/3, ... times 1/log2(g), and other ranks are
    independent of them. Sums of different unit fractions to 1/5 differ; 1/2 = 1/3 + 1/6 needs g^6, first 2^6 = 64."""
    weight = parse("DCG").weight  # type: ignore[attr-defined]
    assert weight(3) == weight(7) + weight(63)
    fractions = [Fraction(1, k) for k in range(1, 6)]
    sums = [sum(part) for size in range(6) for part in combinations(fractions, size)]
    assert len(sums) == len(set(sums)) == 32
    assert max(power for power in range(1, 10) if 2**power <= 62 + 1) == 5


def test_results_become_rows_and_plain_data() -> None:
    found = taxonomy("RR", up_to=4)
    assert found.frame["category"].to_list() == ["interval/metric"] + ["ordinal/pseudometric"] * 3
    data = json.loads(json.dumps(found.to_dict()))
    assert data["changes"] == [
        {
            "depth": 2,
            "before": "interval/metric",
            "after": "ordinal/pseudometric",
            "witness": "(1, 0) and (1, 1) both score 1",
        }
    ]
    assert data["depths"][0]["witness"] is None
    assert "ordinal/pseudometric" in str(found)
    assert Listed(((0,), (1, 0)), Topic.of({1: 2})).size == 2


# --- every measure in the table ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("depth", "grades"), [(3, 1), (2, 2)])
def test_the_table_has_every_measure(depth: int, grades: int) -> None:
    found = taxonomy_table(depth, grades, measures=[natural(kind, depth) for kind in MEASURES])
    assert found.frame.height == len(MEASURES)
    assert set(found.frame["category"]) <= set(KINDS)
    for row, kind in zip(found.frame.iter_rows(named=True), MEASURES, strict=True):
        assert row["measure"].startswith(kind.name)
        here = category_of(natural(kind, depth), Universe(depth, grades))
        assert (row["category"], row["values"]) == (here.kind, here.values)
        assert (row["on_sets"] is not None) == ignores_order(natural(kind, depth), depth, grades)
    json.dumps(found.to_dict())


def test_a_depth_beyond_the_search_is_refused() -> None:
    with pytest.raises(BadParameter, match="depth must lie between 1 and 10 for grades 0 to 1, got 11"):
        taxonomy_table(11)


def test_interval_like_table_names_the_smallest_depth() -> None:
    found = interval_like_table(4)
    verdicts = {(m, k): (holds, depth) for m, k, holds, depth, _ in found.frame.rows()}
    assert len(verdicts) == 2 * len(LIKE)
    assert verdicts["AP", "all"] == verdicts["ERR", "all"] == verdicts["DCG", "all"] == (False, 2)
    assert verdicts["AP", "equal mass"] == verdicts["ERR", "equal mass"] == (False, 3)
    assert verdicts["DCG", "equal mass"] == verdicts["RBP(p=0.8)", "equal mass"] == (True, 4)
    assert verdicts["DCG(dcg='jk',base=2)", "equal mass"] == (False, 3)
    assert verdicts["RBP(p=0.5)", "all"] == (True, 4)
    json.dumps(found.to_dict())
    with pytest.raises(BadParameter, match="deepest must be at least 1, got 0"):
        interval_like_table(0)


def test_natural_settings_are_measures_of_the_table() -> None:
    assert all(isinstance(natural(kind, 3), Measure) for kind in MEASURES)
