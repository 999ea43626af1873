"""Rank-biased overlap: against published values, plain twins over all small rankings with ties, and its properties."""

from __future__ import annotations

import csv
import json
from functools import cache
from itertools import permutations, product
from math import isclose, prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenscale.errors import BadInput, BadParameter
from evenscale.stats.matrix import Scores
from evenscale.stats.rbo import Ties, overlap, parse_ranking, ranking_of, rbo

PUBLISHED = Path(__file__).resolve().parents[2].parent / "shared/data/urbano/rbo_1000.csv"
VARIANTS: tuple[Ties, ...] = ("w", "a", "b")
Groups = tuple[tuple[str, ...], ...]


def weak_orders(items: str) -> list[Groups]:
    """All rankings of the items, ties allowed."""
    n = len(items)
    levels = [v for v in product(range(n), repeat=n) if set(v) == set(range(max(v) + 1))]
    return [
        tuple(tuple(i for i, k in zip(items, v, strict=True) if k == level) for level in range(max(v) + 1))
        for v in levels
    ]


@cache
def places(groups: Groups) -> dict[str, tuple[int, int]]:
    """Where each item's group begins, and its size."""
    starts = [sum(map(len, groups[:k])) for k in range(len(groups))]
    return {item: (start, len(group)) for start, group in zip(starts, groups, strict=True) for item in group}


def presence(groups: Groups, item: str, depth: int, ties: Ties) -> float:
    before, size = places(groups).get(item, (depth, 1))
    inside = min(max(depth - before, 0), size)
    return float(inside > 0) if ties == "w" else inside / size


def agreement(x: Groups, y: Groups, depth: int, ties: Ties, shared: float | None = None) -> float:
    """Corsi and Urbano's agreement at one depth, straight from the contributions of items."""
    cx, cy = ({item: presence(g, item, depth, ties) for item in places(g)} for g in (x, y))
    both = sum(cx[i] * cy[i] for i in cx.keys() & cy.keys()) if shared is None else shared
    if ties == "w":
        return 2 * both / (sum(cx.values()) + sum(cy.values()))
    if ties == "a":
        return both / depth
    return both / (sum(v * v for v in cx.values()) * sum(v * v for v in cy.values())) ** 0.5


def continued(x: Groups, y: Groups, alike: bool, end: int) -> tuple[Groups, Groups]:
    """Both rankings continued to a depth, sharing nothing more, or as much as they can as soon as they can."""
    items = [[i for group in g for i in group] for g in (x, y)]
    wanted = [[i for i in items[1] if i not in items[0]], [i for i in items[0] if i not in items[1]]]
    out = [list(x), list(y)]
    for side in (0, 1):
        for depth in range(len(items[side]) + 1, end + 1):
            given = wanted[side].pop(0) if alike and wanted[side] else f"new{depth}" + ("" if alike else f"_{side}")
            out[side].append((given,))
    return tuple(out[0]), tuple(out[1])


def naive_bound(x: Groups, y: Groups, p: float, ties: Ties, alike: bool) -> float:
    end = 16  # what is beyond weighs less than 1e-13
    long_x, long_y = continued(x, y, alike, end)
    return sum((1 - p) * p ** (d - 1) * agreement(long_x, long_y, d, ties) for d in range(1, end + 1))


def naive_ext(x: Groups, y: Groups, p: float, ties: Ties) -> float:
    """The agreement at the shorter's end carried on, depth by depth."""
    (short, s), (long, n) = sorted(((g, sum(map(len, g))) for g in (x, y)), key=lambda pair: pair[1])
    known = {i for group in short for i in group}
    own = [i for group in long for i in group if i not in known]
    at_end = agreement(short, long, s, ties)
    filled = (*short, *((f"fill{k}",) for k in range(n - s)))
    total = 0.0
    for d in range(1, n + 1):
        both = sum(presence(short, i, d, ties) * presence(long, i, d, ties) for i in known)
        if d > s:
            there = [v for v in (presence(long, i, d, ties) for i in own) if v > 0]
            both += (d - s) * at_end * sum(there) / len(there)
        total += (1 - p) * p ** (d - 1) * agreement(filled, long, d, ties, both)
    return total + (both / n if n > s else at_end) * p**n


def webber_ext(x: list[str], y: list[str], p: float) -> float:
    """Extrapolated overlap without ties, in Webber, Moffat and Zobel's closed form."""
    short, long = sorted((x, y), key=len)
    s, n = len(short), len(long)
    both = [len(set(short[:d]) & set(long[:d])) for d in range(n + 1)]
    seen = sum(both[d] / d * p**d for d in range(1, n + 1))
    carried = sum(both[s] * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1))
    return (1 - p) / p * (seen + carried) + ((both[n] - both[s]) / n + both[s] / s) * p**n


@pytest.mark.skipif(
    not PUBLISHED.is_file(), reason="Corsi and Urbano's 1,000 pairs of rankings are not on this machine"
)
def test_against_the_thousand_pairs_of_corsi_and_urbano() -> None:
    with PUBLISHED.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 1000
    worst = 0.0
    for row in rows:
        x, y = parse_ranking(row["x"]), parse_ranking(row["y"])
        for ties in VARIANTS:
            found = rbo(x, y, float(row["p"]), ties)
            for name in ("ext", "min", "max", "res"):
                worst = max(worst, abs(getattr(found, name) - float(row[f"{ties}.{name}"])))
    assert worst < 1e-13


@pytest.mark.skipif(
    not PUBLISHED.is_file(), reason="Corsi and Urbano's 1,000 pairs of rankings are not on this machine"
)
def test_the_published_variants_differ() -> None:
    with PUBLISHED.open(newline="") as lines:
        row = next(csv.DictReader(lines))
    x, y = parse_ranking(row["x"]), parse_ranking(row["y"])
    for ties, other in permutations(VARIANTS, 2):
        assert abs(rbo(x, y, float(row["p"]), ties).ext - float(row[f"{other}.ext"])) > 1e-4


@pytest.mark.parametrize("ties", VARIANTS)
@pytest.mark.parametrize("items", ["abc", "abd", "dea", "dbce", "ab", "d"])
def test_against_twins_over_all_small_rankings(items: str, ties: Ties) -> None:
    p = 0.15
    for x, y in product(weak_orders("abc"), weak_orders(items)):
        found = rbo(x, y, p, ties)
        assert isclose(found.ext, naive_ext(x, y, p, ties), abs_tol=1e-12), (x, y)
        assert isclose(found.min, naive_bound(x, y, p, ties, alike=False), abs_tol=1e-12), (x, y)
        assert isclose(found.max, naive_bound(x, y, p, ties, alike=True), abs_tol=1e-12), (x, y)


@cache
def untied(x: tuple[str, ...], y: tuple[str, ...]) -> tuple[float, float, float]:
    found = rbo(x, y, 0.7, "w")
    return found.ext, found.min, found.max


def test_variant_a_is_the_mean_over_the_orders_of_ties() -> None:
    def orders(groups: Groups) -> list[tuple[str, ...]]:
        return [tuple(i for part in parts for i in part) for parts in product(*(permutations(g) for g in groups))]

    for x, y in product(weak_orders("abcd"), repeat=2):
        if [i for g in x for i in g] != list("abcd"):
            continue  # names do not matter: one naming of the first ranking covers all
        values = [untied(a, b) for a in orders(x) for b in orders(y)]
        assert len(values) == prod(len(list(permutations(g))) for g in (*x, *y))
        found = rbo(x, y, 0.7, "a")
        assert (found.ext, found.min, found.max) == pytest.approx(np.mean(values, axis=0), abs=1e-12)


rankings = st.permutations(list("abcdefghij")).flatmap(lambda items: st.integers(1, 10).map(lambda n: items[:n]))


@given(rankings, rankings, st.floats(0.05, 0.98))
def test_without_ties_against_webber(x: list[str], y: list[str], p: float) -> None:
    found = [rbo(x, y, p, ties) for ties in VARIANTS]
    assert found[0].ext == pytest.approx(webber_ext(x, y, p), abs=1e-12)
    for name in ("ext", "min", "max", "res"):
        assert len({round(getattr(f, name), 12) for f in found}) == 1


@st.composite
def tied(draw: st.DrawFn) -> list[tuple[str, ...]]:
    items = draw(rankings)
    cuts = draw(st.lists(st.booleans(), min_size=len(items), max_size=len(items)))
    groups: list[tuple[str, ...]] = []
    for item, cut in zip(items, cuts, strict=True):
        groups = [*groups, (item,)] if cut or not groups else [*groups[:-1], (*groups[-1], item)]
    return groups


@given(tied(), tied(), st.floats(0.05, 0.98), st.sampled_from(VARIANTS))
def test_properties(x: list[tuple[str, ...]], y: list[tuple[str, ...]], p: float, ties: Ties) -> None:
    found, back = rbo(x, y, p, ties), rbo(y, x, p, ties)
    for name in ("ext", "min", "max", "res"):
        assert getattr(found, name) == pytest.approx(getattr(back, name), abs=1e-12)
        assert -1e-12 <= getattr(found, name) <= 1 + 1e-12
    assert found.min - 1e-12 <= found.ext <= found.max + 1e-12
    assert rbo([g[::-1] for g in x], y, p, ties).ext == pytest.approx(found.ext, abs=1e-12)
    itself = rbo(x, x, p, ties)
    if ties != "a" or all(len(g) == 1 for g in x):
        assert itself.ext == pytest.approx(1, abs=1e-12) and itself.max == pytest.approx(1, abs=1e-12)


def test_more_agreement_is_more_overlap() -> None:
    x = list("abcdefgh")
    for ties in VARIANTS:
        values = [rbo(x, [*x[:k], *"ABCDEFGH"[k:]], 0.8, ties).ext for k in range(9)]
        assert values[0] == 0 and values[-1] == pytest.approx(1) and sorted(set(values)) == values
    swapped = [rbo(x, [*x[:k], x[k + 1], x[k], *x[k + 2 :]], 0.8).ext for k in range(7)]
    assert sorted(set(swapped)) == swapped  # the deeper the swap, the less it costs


def test_a_tied_ranking_and_itself() -> None:
    x = parse_ranking("a (b c d) e")
    assert rbo(x, x, 0.9, "a").ext < 0.96
    assert rbo(x, x, 0.9, "b").ext == rbo(x, x, 0.9, "w").ext == pytest.approx(1)


def test_disjoint_rankings() -> None:
    found = rbo("ab", "cde", 0.5)
    assert found.ext == found.min == 0 and found.res == found.max > 0


def test_rankings_from_text_and_scores() -> None:
    assert parse_ranking("a (b c) d") == [("a",), ("b", "c"), ("d",)]
    assert ranking_of("abc", [0.1, 0.3, 0.3]) == [("b", "c"), ("a",)]
    assert ranking_of("ab", [0.3, 0.3 + 1e-6], digits=4) == [("a", "b")]
    for bad in ("a (b", "a) b", "()", "((a))"):
        with pytest.raises(BadInput, match="expected items and groups"):
            parse_ranking(bad)
    with pytest.raises(BadInput, match="expected 2 scores, found 1"):
        ranking_of("ab", [1.0])


def test_overlap_of_systems() -> None:
    a = Scores.of([[0.1, 0.5, 0.3], [0.3, 0.5, 0.1]], systems=["x", "y", "z"], measure="AP")
    b = Scores.of([[0.1, 0.5, 0.3]], systems=["x", "y", "w"], measure="RR")
    found = overlap(a, b, 0.8, "b")
    plain = rbo(["y", ("x", "z")], ["y", "w", "x"], 0.8, "b")
    assert (found.ext, found.min, found.max) == (plain.ext, plain.min, plain.max)
    assert "AP and RR" in str(found) and found.frame["ranking"].to_list() == ["AP"]
    assert json.loads(json.dumps(found.to_dict()))["res"] == found.res
    assert "ranking" not in plain.to_dict()


def test_refusals() -> None:
    for p in (0, 1, -0.5, float("nan")):
        with pytest.raises(BadParameter, match="p must lie in"):
            rbo("ab", "ab", p)
    with pytest.raises(BadParameter, match="ties must be one of w, a, b"):
        rbo("ab", "ab", 0.5, "c")  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="first ranking has no items"):
        rbo([], ["a"])
    with pytest.raises(BadInput, match="second ranking has item 'b' more than once"):
        rbo(["a"], ["b", ("a", "b")])
