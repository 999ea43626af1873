"""Which rescalings change the sign of a weighted sum of scores, and how far the scale must be bent for it.

A claim about means, leads or medians says that a sum of weighted scores, weights adding to 0, is above 0. Every
increasing map of a finite set of values is a constant plus a sum of steps 1[x >= v] with positive weights, so the sum
keeps its sign under all of them exactly when no step gives it the other sign. For the means of two systems that is
first-order stochastic dominance. Where every topic has a scale of its own, steps are taken topic by topic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import TypeAlias

Map: TypeAlias = Callable[[int, int], Fraction]
"""A rescaling: from a scale's number and a level to the new value."""


@dataclass(frozen=True, slots=True)
class Term:
    """One score in a sum: the scale it is on (0 where there is one for all, else the topic), its level, its weight."""

    scale: int
    level: int
    weight: Fraction


@dataclass(frozen=True, slots=True)
class Step:
    """What the sum becomes under the step at a level; under the scale itself where there is no level."""

    scale: int
    level: int | None
    total: Fraction


@dataclass(frozen=True, slots=True)
class Bend:
    """An increasing rescaling that gives the sum the other sign: (1 - share) x + share * steps at these levels.

    `least` is the share of steps that any such mix needs: how far the scale must be bent. It is checked when made.
    """

    least: Fraction
    share: Fraction
    steps: Mapping[int, int | None]
    before: Fraction
    after: Fraction
    rescaled: Map


def steps(terms: Sequence[Term]) -> list[Step]:
    """The sum under every step, scale by scale, levels ascending; steps that lift everything are left out.

    >>> terms = [Term(0, level, Fraction(weight)) for level, weight in ((3, 1), (2, 1), (1, -1), (5, -1))]
    >>> found = steps(terms)
    >>> [(step.level, int(step.total)) for step in found]
    [(2, 1), (3, 0), (5, -1)]
    """
    weights: dict[tuple[int, int], Fraction] = {}
    for term in terms:
        key = (term.scale, term.level)
        weights[key] = weights.get(key, Fraction(0)) + term.weight
    found: list[Step] = []
    running, before = Fraction(0), None
    for scale, level in sorted(weights, reverse=True):
        running = (running if scale == before else Fraction(0)) + weights[scale, level]
        before = scale
        found.append(Step(scale, level, running))
    lowest = {step.scale: step.level for step in found}
    return [step for step in reversed(found) if step.level != lowest[step.scale]]


def stretches(terms: Sequence[Term], values: Sequence[Fraction]) -> list[Step]:
    """The sum on every scale as it is: all that may be changed on interval scales is their unit, scale by scale."""
    sums: dict[int, Fraction] = {}
    for term in terms:
        sums[term.scale] = sums.get(term.scale, Fraction(0)) + term.weight * values[term.level]
    return [Step(scale, None, total) for scale, total in sums.items()]


def always(found: Sequence[Step]) -> bool | None:
    """Whether the sum is above 0 on every rescaling (True), on none (False), or on some (None)."""
    if all(step.total <= 0 for step in found):
        return False
    return True if all(step.total >= 0 for step in found) else None


def bend(terms: Sequence[Term], found: Sequence[Step], values: Sequence[Fraction], before: Fraction) -> Bend:
    """The rescaling that turns a sum of `before` round with the least share of steps; there must be one.

    The sum is (1 - share) * before + share * s with s what the chosen steps give, so it turns at before / (before - s).

    >>> unit = [Fraction(k, 4) for k in range(5)]
    >>> a, b = Fraction(1, 2), Fraction(-1, 2)
    >>> terms = [Term(0, 4, a), Term(0, 1, a), Term(0, 2, b), Term(0, 2, b)]
    >>> turned = bend(terms, steps(terms), unit, Fraction(1, 8))
    >>> turned.least, turned.share, turned.steps[0], turned.after < 0
    (Fraction(1, 5), Fraction(3, 10), 2, True)
    """
    side = -1 if before > 0 else 1
    chosen: dict[int, Step] = {}
    for step in found:
        best = chosen.get(step.scale)
        if step.total * side > 0 and (best is None or step.total * side > best.total * side):
            chosen[step.scale] = step
    reach = sum((step.total for step in chosen.values()), Fraction(0))
    if not reach:
        raise ValueError("no step gives the sum another sign")
    least = before / (before - reach)
    share = _round_up(least)
    levels = {scale: step.level for scale, step in chosen.items()}

    def rescaled(scale: int, level: int) -> Fraction:
        value = (1 - share) * values[level]
        if scale not in levels:
            return value
        at = levels[scale]
        return value + share * (values[level] if at is None else int(level >= at))

    after = sum((term.weight * rescaled(term.scale, term.level) for term in terms), Fraction(0))
    if after * side <= 0 or not increasing(rescaled, terms, len(values)):
        raise ValueError("the rescaling does not do what it was made for")
    return Bend(least, share, levels, before, after, rescaled)


def increasing(rescaled: Map, terms: Sequence[Term], levels: int) -> bool:
    """Whether a map is strictly increasing on every scale over the levels that occur there and the two ends."""
    occurring: dict[int, set[int]] = {}
    for term in terms:
        occurring.setdefault(term.scale, {0, levels - 1}).add(term.level)
    for scale, found in occurring.items():
        values = [rescaled(scale, level) for level in sorted(found)]
        if any(a >= b for a, b in pairwise(values)):
            return False
    return True


def _round_up(least: Fraction) -> Fraction:
    """A round number a little above a share below 1.

    >>> [str(_round_up(Fraction(n, 1000))) for n in (0, 301, 960, 999)]
    ['1/10', '2/5', '97/100', '9991/10000']
    """
    clear, most = least + (1 - least) / 1000, least + (1 - least) / 2
    for digits in range(1, 40):
        ten = 10**digits
        share = Fraction(floor(clear * ten) + 1, ten)
        if share <= max(most, Fraction(1, 10)) and share < 1:
            return share
    return most
