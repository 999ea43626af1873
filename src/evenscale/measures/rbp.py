"""Rank-biased precision, and how much of it is still open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from evenscale.errors import BadParameter
from evenscale.judged.block import Block, Floats
from evenscale.judged.topic import Grade, Topic
from evenscale.measures.contract import (
    Measure,
    Walk,
    additive,
    grade_above_zero,
    graded,
    open_unit,
    optional,
    parameter,
    relevance,
    within,
)
from evenscale.measures.exact import Rational


@dataclass(frozen=True, kw_only=True)
class RBP(Measure):
    """(1 - p) times the sum of p^(rank - 1) times the gain.

    The gain is the grade over the highest grade (`gmax`, by default the highest in the qrels), so RBP never exceeds 1;
    with `rel` it is binary from that grade on.

    >>> from evenscale.judged import Judged
    >>> RBP(p=0.5)(Judged.of([1, 0, 1])), RBP(p=0.5)(Judged.of([1, 0, 2]))
    (Fraction(5, 8), Fraction(3, 8))
    >>> RBP(p=1.5)
    Traceback (most recent call last):
    ...
    evenscale.errors.BadParameter: RBP: p must lie in (0, 1), got 1.5
    """

    name: ClassVar[str] = "RBP"
    title: ClassVar[str] = "rank-biased precision with persistence p; graded by default, binary with rel="
    cite: ClassVar[str] = "Moffat and Zobel 2008"

    p: Fraction = parameter(Fraction(4, 5), open_unit, always_spelled=True)
    rel: Grade | None = parameter(None, optional(grade_above_zero))
    gmax: Grade | None = parameter(None, optional(grade_above_zero))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rel is not None and self.gmax is not None:
            raise BadParameter(f"{self.name}: rel makes the gain binary, gmax graded; give one of them")

    def check(self, levels: Sequence[Grade]) -> None:
        within(levels, self.gmax, str(self))

    def weight(self, rank: int) -> Fraction:
        """What a gain of 1 counts at this rank."""
        return (1 - self.p) * self.p ** (rank - 1)

    def gain(self, top: Grade) -> Callable[[Grade | None], Rational]:
        """The gain of a grade where `top` is the highest."""
        return relevance(self.rel) if self.rel is not None else graded(self.gmax or top)

    def walk(self, topic: Topic, depth: int) -> Walk:
        return additive(self.weight, self.gain(topic.top))

    def scores(self, block: Block) -> Floats:
        hits = block.graded().within(self.cutoff)
        gain = self.gain(block.top)
        gains = np.array([float(gain(grade)) for grade in block.levels])
        return block.add_up(hits, (1 - float(self.p)) * float(self.p) ** (hits.rank - 1.0) * gains[hits.code])


@dataclass(frozen=True, kw_only=True)
class RBPres(Measure):
    """The residual of RBP: the weight of all that is unjudged or beyond the end of the list.

    RBP of the fully judged endless run lies between RBP and RBP + RBPres.

    >>> from evenscale.judged import Judged
    >>> RBPres(p=0.5)(Judged.of([1, None, 0]))
    Fraction(3, 8)
    """

    name: ClassVar[str] = "RBPres"
    title: ClassVar[str] = "residual of RBP: how much the unjudged documents could still add"
    cite: ClassVar[str] = "Moffat and Zobel 2008"
    boundable: ClassVar[bool] = False

    p: Fraction = parameter(Fraction(4, 5), open_unit, always_spelled=True)

    def walk(self, topic: Topic, depth: int) -> Walk:
        return additive(
            lambda rank: (1 - self.p) * self.p ** (rank - 1),
            lambda grade: -1 if grade is not None else 0,
            offset=1,
        )

    def scores(self, block: Block) -> Floats:
        keep = block.rank <= (self.cutoff or np.inf)
        weights = (1 - float(self.p)) * float(self.p) ** (block.rank[keep] - 1.0)
        return np.asarray(1.0 - np.bincount(block.row[keep], weights, minlength=block.rows), dtype=np.float64)
