"""The order of systems that no rescaling can upset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenscale.stats.matrix import Ints

Above: TypeAlias = NDArray[np.bool_]
"""above[i, j]: system i is above system j; strict and transitive."""


def dominance(codes: Ints, *, topicwise: bool) -> Above:
    """Which systems are above which on every increasing rescaling: topics down and systems across in `codes`.

    With one scale for all topics the sorted scores are compared place by place (first-order stochastic dominance), with
    a scale for each topic the scores themselves.

    >>> codes = np.array([[2, 1], [0, 1]])
    >>> dominance(codes, topicwise=False).any(), dominance(np.array([[2, 0], [1, 1]]), topicwise=True).tolist()
    (np.False_, [[False, True], [False, False]])
    """
    columns = codes.T if topicwise else np.sort(codes, axis=0).T
    above = np.empty((len(columns), len(columns)), dtype=bool)
    for i, column in enumerate(columns):
        above[i] = (column >= columns).all(axis=1) & (column > columns).any(axis=1)
    return above


def covers(above: Above) -> list[tuple[int, int]]:
    """Pairs next to each other: nothing lies between them.

    >>> covers(np.triu(np.ones((3, 3), dtype=bool), 1))
    [(0, 1), (1, 2)]
    """
    between = (above.astype(np.int64) @ above.astype(np.int64)) > 0
    return [(int(i), int(j)) for i, j in np.argwhere(above & ~between)]


def longest_chain(above: Above) -> list[int]:
    """The longest sequence of systems each above the next.

    >>> longest_chain(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool))
    [0, 1]
    """
    if not len(above):
        return []
    order = np.argsort(above.sum(axis=1), kind="stable")  # what is below something has fewer systems below itself
    length, following = np.ones(len(above), dtype=np.int64), np.full(len(above), -1)
    for i in order:
        lower = np.flatnonzero(above[i])
        if len(lower):
            best = int(lower[np.argmax(length[lower])])
            length[i], following[i] = length[best] + 1, best
    chain = [int(np.argmax(length))]
    while following[chain[-1]] >= 0:
        chain.append(int(following[chain[-1]]))
    return chain


def undominated(above: Above) -> list[int]:
    """Systems that nothing is above."""
    return [int(s) for s in np.flatnonzero(~above.any(axis=0))]


def named(pairs: Sequence[tuple[int, int]], names: Sequence[str]) -> list[list[str]]:
    """Pairs of numbers as pairs of names."""
    return [[names[i], names[j]] for i, j in pairs]
