"""Standardised scores: hard and easy topics made comparable, each against a set of reference systems.

On some topics all systems do well, on others none, and a mean over topics is ruled by those where scores spread. Each
standardisation here sees a score only against the scores of reference systems on the same topic; without a reference
the systems themselves serve. What comes out is a new matrix; `needs` says which scale the scores must have for it to
mean something, and the new matrix declares the scale that is left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from evenscale.errors import BadInput, BadParameter
from evenscale.stats.matrix import Floats, Scale, Scores

FLOOR = 1e-5
"""trec_eval's least score in a geometric mean."""

Kernel: TypeAlias = Callable[[Scores, Scores], Floats]


@dataclass(frozen=True)
class Standardisation:
    """A way to standardise: the scale it needs, the scale it leaves, and in a line what it does."""

    name: str
    needs: Scale
    gives: Scale
    about: str
    kernel: Kernel

    def __call__(self, scores: Scores, reference: Scores | None = None) -> Scores:
        """Standardise the scores; the reference must have the same topics, and the same measure where both name it."""
        values = self.kernel(scores, _reference(scores, reference))
        named = f"{self.name}({scores.measure})" if scores.measure else self.name
        return Scores.of(values, topics=scores.topics, systems=scores.systems, measure=named, scale=self.gives)


def standardise(scores: Scores, method: str = "normal", reference: Scores | None = None) -> Scores:
    """Standardise scores topic by topic: z, normal, linear, empirical or arcsine.

    >>> scores = Scores.of([[0.0, 0.5, 1.0], [0.25, 0.5, 0.75]], measure="AP", scale="interval")
    >>> standardise(scores, "z").values.round(6).tolist(), standardise(scores, "z").measure
    ([[-1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]], 'z(AP)')
    """
    if method not in STANDARDISATIONS:
        raise BadParameter(f"method must be one of {', '.join(STANDARDISATIONS)}, got {method!r}")
    return STANDARDISATIONS[method](scores, reference)


def linear_standardisation(slope: float = 0.15, middle: float = 0.5) -> Standardisation:
    """Sakai's linear standardisation with other constants: slope * z + middle, kept within [0, 1].

    It leaves an ordinal scale, because scores beyond the ends are cut off; where none is, it is as good as z.

    >>> scores = Scores.of([[0.1, 0.2, 0.3]])
    >>> linear_standardisation(0.25)(scores).values.round(6).tolist()
    [[0.25, 0.5, 0.75]]
    """
    if not slope > 0 or not 0 <= middle <= 1:
        raise BadParameter(f"slope must be positive and middle in [0, 1], got {slope} and {middle}")

    def kernel(scores: Scores, reference: Scores) -> Floats:
        return np.clip(slope * _z(scores, reference) + middle, 0.0, 1.0)

    about = f"{slope:g} z + {middle:g}, cut off at 0 and 1 (Sakai 2016)"
    return Standardisation("linear", "interval", "ordinal", about, kernel)


def geometric_means(scores: Scores, *, floor: float = FLOOR) -> Floats:
    """The systems' geometric means over topics, GMAP when the scores are AP (Robertson 2006); needs a ratio scale.

    Scores below the floor are raised to it, as trec_eval does, so that one score of zero does not make the mean zero.
    The floor matters: it sets how much a failed topic costs.

    >>> geometric_means(Scores.of([[0.1, 0.0], [0.4, 0.1]])).round(6).tolist()
    [0.2, 0.001]
    """
    scores.need(topics=1, systems=1)
    if not 0 < floor < np.inf:
        raise BadParameter(f"floor must be positive, got {floor}")
    _within(scores, 0.0, np.inf, "a geometric mean needs scores of at least 0")
    return np.asarray(np.exp(np.log(np.maximum(scores.values, floor)).mean(axis=0)))


def _z(scores: Scores, reference: Scores) -> Floats:
    """Scores in standard deviations from the reference's mean.

    A topic on which all reference systems score the same says nothing about how scores spread: everyone gets 0 there,
    the neutral value. (Raw scores, which Urbano, Lima and Hanjalic keep there, are in other units than the rest.)
    """
    if len(reference.systems) < 2:
        raise BadInput(f"standardisation needs at least 2 reference systems, found {len(reference.systems)}")
    constant = (reference.units == reference.units[:, :1]).all(axis=1, keepdims=True)
    mean = reference.values.mean(axis=1, keepdims=True)
    spread = np.where(constant, 1.0, reference.values.std(axis=1, ddof=1, keepdims=True))
    return np.where(constant, 0.0, (scores.values - mean) / spread)


def _normal(scores: Scores, reference: Scores) -> Floats:
    from scipy.special import ndtr

    return np.asarray(ndtr(_z(scores, reference)))


def _empirical(scores: Scores, reference: Scores) -> Floats:
    """The share of reference systems that do no better; on a constant topic 1, or 0 for a score below all of them."""
    if not reference.systems:
        raise BadInput("standardisation needs at least 1 reference system, found 0")
    ordered = np.sort(reference.units, axis=1)
    rows = zip(ordered, _in_units_of(scores, reference), strict=True)
    places = [np.searchsorted(known, asked, side="right") for known, asked in rows]
    return np.array(places, dtype=np.float64).reshape(scores.values.shape) / len(reference.systems)


def _in_units_of(scores: Scores, reference: Scores) -> Floats:
    return np.rint(scores.values * 10.0**reference.digits)


def _arcsine(scores: Scores, reference: Scores) -> Floats:
    _within(scores, 0.0, 1.0, "the arcsine of the square root needs scores from 0 to 1")
    return np.arcsin(np.sqrt(scores.values))


STANDARDISATIONS: Mapping[str, Standardisation] = {
    s.name: s
    for s in (
        Standardisation("z", "interval", "interval", "standard deviations from the mean", _z),
        Standardisation("normal", "interval", "ordinal", "normal cdf of z (Webber, Moffat and Zobel 2008)", _normal),
        linear_standardisation(),
        Standardisation(
            "empirical",
            "ordinal",
            "ordinal",
            "share of systems not better (Urbano, Lima and Hanjalic 2019)",
            _empirical,
        ),
        Standardisation("arcsine", "ratio", "ordinal", "arcsine of the square root; no reference", _arcsine),
    )
}
"""Standardisations by name."""


def _reference(scores: Scores, reference: Scores | None) -> Scores:
    """The reference with its topics in the order of the scores."""
    if reference is None:
        return scores
    if scores.measure and reference.measure and scores.measure != reference.measure:
        raise BadInput(f"the reference is scored by {reference.measure}, the systems by {scores.measure}")
    missing = sorted(set(scores.topics) - set(reference.topics))
    if missing:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise BadInput(f"the reference has no scores on topics {', '.join(missing[:5])}{more}")
    row = {name: k for k, name in enumerate(reference.topics)}
    values = reference.values[[row[name] for name in scores.topics]]
    return Scores(values, scores.topics, reference.systems, reference.measure, reference.scale, reference.digits)


def _within(scores: Scores, low: float, high: float, why: str) -> None:
    outside = np.argwhere((scores.values < low) | (scores.values > high))
    if len(outside):
        t, s = (int(k) for k in outside[0])
        where = f"system {scores.systems[s]} on topic {scores.topics[t]}"
        raise BadInput(f"{why}, found {scores.values[t, s]:g} for {where}")
