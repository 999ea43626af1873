"""The order of systems that no rescaling can upset."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenscale.orders.poset import Poset
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


def surviving(above: Above) -> Poset:
    """The systems' numbers as a partially ordered set; systems that tie everywhere stay apart.

    >>> surviving(np.triu(np.ones((3, 3), dtype=bool), 1)).covers
    ((2, 1), (1, 0))
    """
    return Poset.of_relation(range(len(above)), above.T | np.eye(len(above), dtype=bool))
