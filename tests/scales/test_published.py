"""Figures that Ferrante, Ferro and Fuhr 2021 (Towards Meaningful Statements in IR Evaluation) print."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from evenscale import evaluate
from evenscale.scales import Universe, interval_scale


def test_worked_example_of_figure_4() -> None:
    """DCG with log base 2 at N = 4: 12 values; the ranks printed in section VI-A."""
    scale = interval_scale("DCG(dcg='jk',base=2)@4")
    assert scale.size == 12
    printed = {
        (1, 1, 1, 1): 12,
        (1, 1, 1, 0): 11,
        (1, 1, 0, 1): 10,
        (1, 0, 1, 1): 9,
        (0, 1, 1, 1): 9,
        (1, 0, 0, 1): 6,
        (0, 0, 1, 1): 5,
        (0, 0, 0, 1): 2,
        (0, 0, 0, 0): 1,
    }
    assert {run: scale.rank(run) for run in printed} == printed
    assert [round(float(scale.value(run)), 3) for run in ((0, 0, 1, 1), (1, 0, 0, 1))] == [1.131, 1.5]


@pytest.mark.parametrize(("depth", "size"), [(5, 24), (10, 768), (15, 24_576)])
def test_number_of_dcg_values_of_section_6b(depth: int, size: int) -> None:
    assert interval_scale(f"DCG(dcg='jk',base=2)@{depth}").size == size


@pytest.mark.parametrize("depth", [1, 4, 9, 30])
def test_rbp_with_one_half_against_its_formula(depth: int) -> None:
    """phi(m) = 2^N m is printed zero-based; equation 2 is one-based, so 1 is added."""
    scale = interval_scale(f"RBP(p=0.5)@{depth}")
    rng = np.random.default_rng(depth)
    for run in rng.integers(0, 2, (20, depth)).tolist():
        assert scale.rank(run) == 2**depth * scale.value(run) + 1


@pytest.mark.parametrize("depth", [1, 4, 9, 100])
def test_reciprocal_rank_against_its_formula(depth: int) -> None:
    """phi(m) = N + 1 - 1/m is printed zero-based as well; a run without a hit has rank 1."""
    scale = interval_scale(f"RR@{depth}")
    for first in range(1, depth + 1):
        run = [0] * (first - 1) + [1] * (depth - first + 1)
        assert scale.rank(run) == depth + 2 - 1 / scale.value(run)
    assert scale.rank([0] * depth) == 1


def test_tie_rules_of_section_6() -> None:
    """M = [0, .25, .40, .40, .70]: mid [1 2 3.5 3.5 5], min [1 2 3 3 5], max [1 2 4 4 5], unique [1 2 3 3 4]."""
    values = dict(zip(Universe(4, 1, 1).runs(), ("0", "1/4", "2/5", "2/5", "7/10"), strict=True))
    printed = {"mid": [1, 2, 3.5, 3.5, 5], "min": [1, 2, 3, 3, 5], "max": [1, 2, 4, 4, 5], "unq": [1, 2, 3, 3, 4]}
    for ties, ranks in printed.items():
        scale = interval_scale(lambda run: Fraction(values[run]), depth=4, recall_base=1, ties=ties)
        assert [scale.rank(run) for run in values] == ranks


def test_example_12_recall_as_a_surrogate() -> None:
    """N = 2: the runs have ranks 1, 2, 2, 3 whatever the recall base is; across topics that is a surrogate."""
    scale = interval_scale("R@2")
    assert scale.ranks([[0, 0], [0, 1], [1, 0], [1, 1]]).tolist() == [1, 2, 2, 3]
    assert scale.surrogate
    qrels = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1, "b": 1, "c": 1}}
    run = {"q1": {"a": 2.0, "x": 1.0}, "q2": {"a": 2.0, "x": 1.0}}
    result = evaluate(qrels, run, ["R@2", "interval(R@2)"])
    assert result.matrix("R@2")[:, 0].tolist() == [1 / 2, 1 / 3]
    assert result.matrix("interval(R@2)")[:, 0].tolist() == [1 / 2, 1 / 2]
    assert any(oddity.kind == "surrogate scale" for oddity in result.oddities)
    assert "interval(R@2)†" in str(result)


@pytest.mark.parametrize(("depth", "size"), [(4, 15), (5, 31), (10, 810), (15, 22_646), (20, 644_203)])
def test_number_of_average_precision_values(depth: int, size: int) -> None:
    """Exact; comparing floats finds values that do not exist (861 or 866 at N = 10, in the printed AP columns)."""
    assert interval_scale(f"AP@{depth}").size == size


def test_floats_invent_values_of_average_precision() -> None:
    runs = np.array(list(Universe(10).runs()))
    hits = np.cumsum(runs, axis=1)
    values = (runs * hits / np.arange(1, 11)).sum(axis=1) / 10
    assert len(np.unique(values)) > 810


@pytest.mark.parametrize(("depth", "size"), [(5, 32), (8, 250), (10, 1010), (15, 30_650)])
def test_number_of_expected_reciprocal_rank_values(depth: int, size: int) -> None:
    assert interval_scale(f"ERR@{depth}").size == size


@pytest.mark.parametrize(("base", "sizes"), [(2, (12, 24, 768, 24_576, 786_432)), (10, (5, 6, 11, 352, 11_264))])
def test_number_of_dcg_values(base: int, sizes: tuple[int, ...]) -> None:
    found = tuple(interval_scale(f"DCG(dcg='jk',base={base})@{n}").size for n in (4, 5, 10, 15, 20))
    assert found == sizes


def test_equally_spaced_measures_of_figure_3() -> None:
    """At N = 4 only precision (recall) and RBP with p = 1/2 are equally spaced; AP, RR, DCG and other RBP are not."""
    even = {m: interval_scale(f"{m}@4").spacing().equispaced for m in ("P", "R", "RBP(p=0.5)")}
    uneven = {
        m: interval_scale(f"{m}@4").spacing().equispaced for m in ("AP", "RR", "DCG(dcg='jk',base=2)", "RBP(p=0.8)")
    }
    assert all(even.values())
    assert not any(uneven.values())
