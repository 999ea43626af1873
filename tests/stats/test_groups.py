"""Tiers and letters, against their definitions on random patterns."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evenscale.stats.groups import letters, tiers


@st.composite
def patterns(draw: st.DrawFn) -> np.ndarray:
    n = draw(st.integers(1, 7))
    flags = draw(st.lists(st.booleans(), min_size=n * n, max_size=n * n))
    upper = np.triu(np.array(flags).reshape(n, n), k=1)
    return upper | upper.T


@given(patterns())
def test_systems_share_a_letter_exactly_when_they_do_not_differ(different: np.ndarray) -> None:
    n = len(different)
    given_letters = letters(range(n), different)
    assert given_letters is not None
    for i in range(n):
        for j in range(n):
            if i != j:
                assert bool(set(given_letters[i]) & set(given_letters[j])) != different[i, j]


@given(patterns())
def test_no_letter_is_superfluous(different: np.ndarray) -> None:
    found = letters(range(len(different)), different) or []
    sets = {c: {i for i, text in enumerate(found) if c in text} for c in set("".join(found))}
    assert not any(a < b for a in sets.values() for b in sets.values())


@given(patterns())
def test_a_tier_does_not_differ_from_its_leader(different: np.ndarray) -> None:
    n = len(different)
    found = tiers(range(n), different)
    for tier in range(1, max(found) + 1):
        members = [s for s in range(n) if found[s] == tier]
        assert not any(different[members[0], s] for s in members)
        for earlier in range(1, tier):
            leader = found.index(earlier)
            assert all(different[leader, s] for s in members)


def test_too_many_letters_are_not_forced() -> None:
    rng = np.random.default_rng(1)
    upper = np.triu(rng.random((60, 60)) < 0.5, k=1)
    assert letters(range(60), upper | upper.T) is None
