"""The deep engine: its bounds hold the exact answer where that is known, and it answers where only it can."""

from __future__ import annotations

import numpy as np
import pytest

from evenscale.errors import EvenscaleError
from evenscale.measures import parse
from evenscale.scales import ScaleTooLarge, Universe, interval_scale
from evenscale.scales.additive import AdditiveEngine
from evenscale.scales.deep import DeepEngine

BOTH = [("DCG", 24, 1), ("DCG(dcg='jk',base=2)", 30, 1), ("RBP(p=0.8)", 20, 1), ("DCG(dcg='jk',base=10)", 16, 2)]


def runs_of(depth: int, grades: int, n: int = 40) -> np.ndarray:
    rng = np.random.default_rng(depth)
    return ((rng.random((n, depth)) < 0.4) * rng.integers(1, grades + 1, (n, depth))).astype(np.int8)


@pytest.mark.parametrize(("measure", "depth", "grades"), BOTH)
def test_the_exact_answer_lies_within_the_bounds(measure: str, depth: int, grades: int) -> None:
    universe = Universe(depth, grades)
    walk = parse(f"{measure}@{depth}").walk(universe.topic, depth)
    exact, deep, runs = AdditiveEngine(walk, universe), DeepEngine(walk, universe), runs_of(depth, grades)
    assert exact.size == deep.size
    right = np.array([(rank - 1) / (exact.size - 1) for rank in exact.ranks(runs)])
    low, middle, high = deep.shares(runs)
    assert (low <= right + 1e-15).all()
    assert (right <= high + 1e-15).all()
    assert np.abs(middle - right).max() < 1e-4


def test_depth_1000_answers_with_a_bound() -> None:
    scale = interval_scale("DCG(dcg='jk',base=2)@1000")
    assert not scale.exact
    assert 0 < scale.error < 1e-9
    better = np.cumsum(np.eye(8, 1000, dtype=np.int8), axis=0)  # 1, then 1 1, then 1 1 1 ...
    scores = scale.scores(better)
    assert (np.diff(scores) >= 0).all()
    assert scale.scores(np.ones((1, 1000), dtype=np.int8))[0] == pytest.approx(1.0, abs=1e-9)
    assert scale.scores(np.zeros((1, 1000), dtype=np.int8))[0] == pytest.approx(0.0, abs=1e-9)


def test_values_of_a_deep_scale_are_not_listed() -> None:
    with pytest.raises((ScaleTooLarge, EvenscaleError)):
        interval_scale("DCG@100").values()
