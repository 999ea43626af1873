"""Generalised precision and recall: precision and recall with graded gains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evenscale.judged.block import Block, Floats
from evenscale.judged.topic import Grade, Topic
from evenscale.measures.contract import (
    Measure,
    Walk,
    additive,
    grade_above_zero,
    graded,
    optional,
    parameter,
    within,
)


@dataclass(frozen=True, kw_only=True)
class _Generalised(Measure):
    """What the two share: gains as shares of the highest grade, `gmax` or the qrels' highest."""

    cite: ClassVar[str] = "Kekäläinen and Järvelin 2002"

    gmax: Grade | None = parameter(None, optional(grade_above_zero))

    def check(self, levels: Sequence[Grade]) -> None:
        within(levels, self.gmax, str(self))

    def _gained(self, block: Block) -> Floats:
        hits = block.graded().within(self.cutoff)
        gain = graded(self.gmax or block.top)
        return block.add_up(hits, np.array([float(gain(grade)) for grade in block.levels])[hits.code])


@dataclass(frozen=True, kw_only=True)
class gP(_Generalised):  # noqa: N801 - the field's own spelling
    """The gains of the retrieved documents over their number (the cut-off where there is one).

    >>> from evenscale.judged import Judged
    >>> gP(cutoff=4)(Judged.of([2, 0, 1]))
    Fraction(3, 8)
    """

    name: ClassVar[str] = "gP"
    title: ClassVar[str] = "generalised precision: precision with graded gains"

    def walk(self, topic: Topic, depth: int) -> Walk:
        return additive(lambda rank: 1, graded(self.gmax or topic.top), divisor=self.cutoff or depth)

    def scores(self, block: Block) -> Floats:
        return self._gained(block) / (self.cutoff or np.maximum(block.retrieved, 1))


@dataclass(frozen=True, kw_only=True)
class gR(_Generalised):  # noqa: N801 - the field's own spelling
    """The gains of the retrieved documents over the recall base: all documents of a grade above 0.

    >>> from evenscale.judged import Judged
    >>> gR()(Judged.of([2, 0, 1], relevant=3))
    Fraction(1, 2)
    """

    name: ClassVar[str] = "gR"
    title: ClassVar[str] = "generalised recall: recall with graded gains"
    recall_base: ClassVar[bool] = True

    def walk(self, topic: Topic, depth: int) -> Walk:
        base = sum(n for grade, n in topic.counts if grade > 0)
        return additive(lambda rank: 1, graded(self.gmax or topic.top), divisor=base)

    def scores(self, block: Block) -> Floats:
        return self._gained(block) / np.maximum(block.positives, 1)
