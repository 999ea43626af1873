"""Corrections of p-values for the number of comparisons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from evenscale.errors import BadInput, BadParameter
from evenscale.stats.matrix import Floats
from evenscale.stats.result import Comparisons

SIMULTANEOUS = ("tukey", "scheffe")
"""Tests whose p-values already hold for all pairs together."""

CORRECTED = "; p corrected after "


@dataclass(frozen=True)
class _Method:
    """A factor for each place among the sorted p-values, and whether p must not fall going up or down the places."""

    name: str
    factors: Callable[[int], Floats]
    up: bool


def _places(n: int) -> Floats:
    return np.arange(1.0, n + 1)


def _harmonic(n: int) -> float:
    return float((1.0 / _places(n)).sum())


METHODS: dict[str, _Method] = {
    "bonferroni": _Method("Bonferroni", lambda n: np.full(n, float(n)), up=True),
    "holm": _Method("Holm (1979)", lambda n: n - _places(n) + 1, up=True),
    "hochberg": _Method("Hochberg (1988)", lambda n: n - _places(n) + 1, up=False),
    "bh": _Method("Benjamini and Hochberg (1995)", lambda n: n / _places(n), up=False),
    "by": _Method("Benjamini and Yekutieli (2001)", lambda n: n * _harmonic(n) / _places(n), up=False),
}


def adjust(p: ArrayLike, method: str) -> Floats:
    """p-values corrected for their number, in their order.

    Bonferroni and Holm bound the chance of any false discovery, whatever the dependence (Holm is never worse); Hochberg
    does so for positively dependent tests. Benjamini and Hochberg bound the expected share of false discoveries for
    positively dependent tests, Benjamini and Yekutieli for any. `method` is none or one of `METHODS`.

    >>> adjust([0.01, 0.04, 0.03], "holm").tolist()
    [0.03, 0.06, 0.06]
    >>> adjust([0.01, 0.04, 0.03], "bh").round(4).tolist()
    [0.03, 0.04, 0.04]
    """
    given = np.asarray(p, dtype=np.float64)
    if not ((given >= 0) & (given <= 1)).all():
        raise BadInput("p-values must lie in [0, 1]")
    chosen = _method(method)
    if chosen is None or not given.size:
        return given.copy()
    order = np.argsort(given, axis=None, kind="stable")
    scaled = given.reshape(-1)[order] * chosen.factors(given.size)
    steps = np.maximum.accumulate(scaled) if chosen.up else np.minimum.accumulate(scaled[::-1])[::-1]
    answer = np.empty(given.size)
    answer[order] = np.minimum(steps, 1.0)
    return answer.reshape(given.shape)


def corrected(comparisons: Comparisons, method: str) -> Comparisons:
    """The same comparisons with `adjusted` made from `p`; intervals stay those of each comparison by itself.

    Tests that already hold for all pairs together, like Tukey's, are refused: correcting twice only loses power.
    """
    chosen = _method(method)
    if chosen is not None and any(name in comparisons.test.lower() for name in SIMULTANEOUS):
        raise BadParameter(f"{comparisons.test} already takes the number of comparisons into account")
    plain = comparisons.method.split(CORRECTED)[0]
    described = plain if chosen is None else f"{plain}{CORRECTED}{chosen.name}"
    return replace(comparisons, adjusted=adjust(comparisons.p, method), method=described)


def _method(method: str) -> _Method | None:
    if method == "none":
        return None
    if method not in METHODS:
        raise BadParameter(f"no correction {method!r}; there are none, {', '.join(METHODS)}")
    return METHODS[method]
