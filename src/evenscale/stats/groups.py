"""From pairs that differ to groups of systems that do not: tiers, and letters for tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evenscale.stats.result import Comparisons

Different = NDArray[np.bool_]

MOST_LETTERS = 52


def differences(comparisons: Comparisons) -> Different:
    """A symmetric matrix: which systems differ significantly."""
    n = len(comparisons.systems)
    matrix = np.zeros((n, n), dtype=np.bool_)
    matrix[comparisons.first, comparisons.second] = comparisons.significant
    return matrix | matrix.T


def tiers(order: Sequence[int], different: Different) -> list[int]:
    """The tier of every system, from 1: a tier is its best system and all that do not differ from that one.

    `order` is the systems' numbers from best to worst. A system goes to the first tier whose leader it does not differ
    from, so tiers are easy to read; two systems of neighbouring tiers need not differ from each other.

    >>> different = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> tiers([0, 1, 2], different)
    [1, 1, 2]
    """
    result = [0] * len(order)
    left = list(order)
    tier = 0
    while left:
        tier += 1
        leader = left[0]
        members = [s for s in left if s == leader or not different[leader, s]]
        for system in members:
            result[system] = tier
        left = [s for s in left if s not in set(members)]
    return result


def letters(order: Sequence[int], different: Different) -> list[str] | None:
    """Letters such that two systems share one exactly when they do not differ; None where 52 do not suffice.

    The insert-and-absorb algorithm of Piepho 2004: start with one letter for all; each differing pair splits every
    letter that both carry; letters contained in another are dropped.

    >>> different = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> letters([0, 1, 2], different)
    ['a', 'ab', 'b']
    """
    columns = [sum(1 << system for system in order)]  # sets of systems as bits of a number
    for at, i in enumerate(order):
        for j in order[at + 1 :]:
            if different[i, j]:
                columns = _split(columns, 1 << i, 1 << j)
                if len(columns) > 4 * MOST_LETTERS:
                    return None
    if len(columns) > MOST_LETTERS:
        return None
    columns.sort(key=lambda column: [k for k, system in enumerate(order) if column >> system & 1])
    names = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return ["".join(names[k] for k, column in enumerate(columns) if column >> s & 1) for s in range(len(order))]


def _split(columns: list[int], i: int, j: int) -> list[int]:
    """Split every set that holds both systems; a part that lies within another set is dropped."""
    both = i | j
    whole = [column for column in columns if column & both != both]
    parts = {column & ~one for column in columns if column & both == both for one in (i, j)}
    if not parts:
        return columns
    kept = [part for part in parts if not any(part & other == part for other in whole)]
    return whole + [p for p in kept if not any(p != other and p & other == p for other in kept)]
