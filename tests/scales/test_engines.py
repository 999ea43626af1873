"""Every engine, through the front door, against brute force: every run of every small universe, every measure."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from evenscale.measures import MEASURES, Measure
from evenscale.scales import Universe, interval_scale, parse
from evenscale.scales.choose import choose
from evenscale.scales.scale import _scale
from scales.brute import Brute, brute

# One spelling or more for every measure in the table; @N stands for the cut-off.
SPELLINGS = (
    *("P@N", "P(rel=2)@N", "R@N", "F@N", "F(beta=0.5)@N", "Success@N", "RR@N", "RR(rel=2)@N", "AP@N", "AP(rel=2)@N"),
    *("Rprec", "IPrec@0.5", "DCG@N", "DCG(dcg='exp-log2')@N", "DCG(dcg='jk',base=2)@N", "DCG(dcg='jk',base=10)@N"),
    *("nDCG@N", "nDCG(dcg='jk',base=3)@N", "RBP(p=0.3)@N", "RBP(p=0.5)@N", "RBP(p=0.8)@N", "RBP(p=2/3,rel=2)@N"),
    *("RBPres(p=0.8)@N", "ERR@N", "ERR(gmax=3)@N", "Bpref", "gP@N", "gR@N", "SBTO@N", "SBPO@N", "RBTO@N", "RBPO@N"),
    *("Judged@N", "NumQ", "NumRet@N", "NumRel", "NumRelRet@N"),
)
UNIVERSES = [
    *[(depth, 1, None) for depth in (1, 2, 3, 5, 8, 11)],
    *[(depth, 2, None) for depth in (1, 2, 4, 6)],
    *[(depth, 3, None) for depth in (1, 3, 5)],
    *[(6, 1, 1), (6, 1, 3), (9, 1, 8), (5, 2, 2), (4, 3, 1)],
]
EVERY = [(depth, grades) for grades in (1, 2, 3) for depth in range(1, 17) if (grades + 1) ** depth <= 1 << 16]


def spelled(text: str, depth: int) -> Measure:
    return parse(text.replace("@N", f"@{depth}"))


@cache
def twin(text: str, depth: int, grades: int, base: int | None) -> Brute:
    universe = Universe(depth, grades, base)
    return brute(spelled(text, depth).walk(universe.topic, depth), universe)


def fits(text: str, grades: int) -> bool:
    """A threshold above every grade, or a highest grade below one, makes no sense."""
    return not ("gmax=3" in text and grades > 3)


def test_every_measure_is_here() -> None:
    assert {type(spelled(text, 5)) for text in SPELLINGS} == set(MEASURES)


@pytest.mark.parametrize("text", SPELLINGS)
def test_ranks_where_a_topic_has_few_relevant_documents(text: str) -> None:
    for depth, grades, base in UNIVERSES:
        if not fits(text, grades):
            continue
        right = twin(text, depth, grades, base)
        scale = _scale(spelled(text, depth), Universe(depth, grades, base), "unq", None)
        assert scale.size == right.size, (depth, grades, base)
        assert scale.exact
        np.testing.assert_array_equal(scale.ranks(right.runs), right.ranks, err_msg=f"{depth} {grades} {base}")


@pytest.mark.parametrize("text", SPELLINGS)
def test_tallies_values_and_gaps(text: str) -> None:
    for depth, grades, base in UNIVERSES:
        if not fits(text, grades):
            continue
        universe = Universe(depth, grades, base)
        right = twin(text, depth, grades, base)
        engine = choose(spelled(text, depth).walk(universe.topic, depth), universe)
        where = f"{depth} {grades} {base}"
        assert engine.tallies(right.runs) == list(zip(right.below.tolist(), right.equal.tolist(), strict=True)), where
        assert engine.values() == right.values, where
        assert [engine.at(rank) for rank in (1, (engine.size + 1) // 2, engine.size)] == [
            right.values[rank - 1] for rank in (1, (engine.size + 1) // 2, engine.size)
        ]
        gaps = np.diff([float(v) for v in right.values])
        if len(gaps):
            assert engine.gaps().smallest == pytest.approx(gaps.min(), rel=1e-9, abs=1e-12), where
            assert engine.gaps().largest == pytest.approx(gaps.max(), rel=1e-9, abs=1e-12), where


@pytest.mark.parametrize("text", SPELLINGS)
def test_ranks_of_every_run_of_every_universe_of_at_most_65536_runs(text: str) -> None:
    for depth, grades in EVERY:
        if not fits(text, grades):
            continue
        right = twin.__wrapped__(text, depth, grades, None)
        scale = _scale(spelled(text, depth), Universe(depth, grades), "unq", None)
        assert scale.size == right.size, (depth, grades)
        np.testing.assert_array_equal(scale.ranks(right.runs), right.ranks)


def test_the_twin_can_find_a_fault() -> None:
    right = twin("AP@N", 8, 1, None)
    other = interval_scale("P@8")
    assert (other.ranks(right.runs) != right.ranks).any()


@pytest.mark.parametrize("ties", ["min", "max", "mid"])
def test_other_tie_rules_rank_runs(ties: str) -> None:
    """Against SciPy's own ranking of the list of all values."""
    from scipy.stats import rankdata

    right = twin("DCG(dcg='jk',base=2)@N", 8, 1, None)
    method = {"mid": "average"}.get(ties, ties)
    scale = interval_scale("DCG(dcg='jk',base=2)@8", ties=ties)
    np.testing.assert_array_equal(scale.ranks(right.runs).astype(float), rankdata(right.ranks, method=method))
