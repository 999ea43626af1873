"""Corrections against statsmodels and against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenscale.errors import BadInput, BadParameter
from evenscale.stats.families import scheffe, tukey_anova2
from evenscale.stats.matrix import Scores
from evenscale.stats.multiplicity import METHODS, adjust, corrected
from evenscale.stats.result import Comparisons

THEIRS = {
    "bonferroni": "bonferroni",
    "holm": "holm",
    "hochberg": "simes-hochberg",
    "bh": "fdr_bh",
    "by": "fdr_by",
}

p_values = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.05, 1.0])), min_size=1, max_size=40)


def comparisons(p: list[float], test: str = "t") -> Comparisons:
    n = len(p)
    empty = np.full(n, np.nan)
    first, second = np.zeros(n, dtype=np.int64), np.arange(1, n + 1)
    names = tuple(f"s{i}" for i in range(n + 1))
    given = np.array(p)
    return Comparisons(
        test, "t-test", "interval", names, first, second, empty, empty, given, given, empty, empty, empty
    )


def test_every_method_has_an_oracle() -> None:
    assert set(THEIRS) == set(METHODS)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=20)  # their Holm collects garbage on every call
@given(p=p_values)
def test_against_statsmodels(method: str, p: list[float]) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    theirs = multitest.multipletests(p, method=THEIRS[method])[1]
    assert adjust(p, method) == pytest.approx(theirs, abs=1e-12, rel=1e-12)


@given(p=p_values, alpha=st.floats(0.001, 0.5))
def test_holm_rejects_what_the_step_down_procedure_rejects(p: list[float], alpha: float) -> None:
    """Holm (1979): go through sorted p-values and stop at the first above alpha / (number left)."""
    rejected = 0
    for place, value in enumerate(sorted(p)):
        if value * (len(p) - place) > alpha:
            break
        rejected += 1
    assert (adjust(p, "holm") <= alpha).sum() == rejected


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=40)
@given(p=p_values)
def test_corrections_keep_the_order_and_never_lower_p(method: str, p: list[float]) -> None:
    adjusted = adjust(p, method)
    assert (adjusted >= np.array(p) * (1 - 1e-15)).all() and (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()
    order = np.random.default_rng(1).permutation(len(p))
    assert adjust(np.array(p)[order], method) == pytest.approx(adjusted[order], rel=1e-14, abs=0)


def test_none_shapes_and_nothing() -> None:
    assert adjust([0.2, 0.1], "none").tolist() == [0.2, 0.1]
    assert adjust([[0.2, 0.1], [0.4, 0.3]], "bonferroni").tolist() == [[0.8, 0.4], [1.0, 1.0]]
    assert adjust([], "holm").size == 0


def test_bad_input_is_named() -> None:
    with pytest.raises(BadParameter, match="no correction 'sidak'; there are none, bonferroni, holm"):
        adjust([0.1], "sidak")
    for bad in ([0.1, 1.1], [-0.1], [float("nan")]):
        with pytest.raises(BadInput, match=r"must lie in \[0, 1\]"):
            adjust(bad, "holm")


def test_corrected_comparisons_decide_on_the_adjusted_values() -> None:
    plain = comparisons([0.01, 0.04, 0.03])
    holm = corrected(plain, "holm")
    assert holm.adjusted.tolist() == [0.03, 0.06, 0.06] and holm.p.tolist() == [0.01, 0.04, 0.03]
    assert plain.significant.sum() == 3 and holm.significant.sum() == 1
    assert holm.method == "t-test; p corrected after Holm (1979)"
    again = corrected(holm, "bh")
    assert again.method == "t-test; p corrected after Benjamini and Hochberg (1995)"
    assert again.adjusted.tolist() == adjust(plain.p, "bh").tolist()
    assert corrected(holm, "none").method == "t-test"


@pytest.mark.parametrize("test", [tukey_anova2, scheffe])
def test_simultaneous_tests_are_not_corrected_twice(test) -> None:
    done = test(Scores.of(np.random.default_rng(0).random((5, 3))))
    with pytest.raises(BadParameter, match="already takes the number of comparisons into account"):
        corrected(done, "holm")
    assert corrected(done, "none").adjusted.tolist() == done.p.tolist()
