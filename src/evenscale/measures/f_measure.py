"""The F measure: the harmonic mean of precision and recall."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from evenscale.judged.block import Block, Floats
from evenscale.judged.topic import Grade, Topic
from evenscale.measures.contract import (
    Measure,
    Walk,
    additive,
    grade_above_zero,
    parameter,
    positive,
    relevance,
)


@dataclass(frozen=True, kw_only=True)
class F(Measure):
    """(1 + beta^2) P R / (beta^2 P + R), which is (1 + beta^2) times the hits over beta^2 RB + N.

    >>> from evenscale.judged import Judged
    >>> F()(Judged.of([1, 0, 1, 0], relevant=4))
    Fraction(1, 2)
    """

    name: ClassVar[str] = "F"
    title: ClassVar[str] = "F measure: weighted harmonic mean of precision and recall"
    cite: ClassVar[str] = "van Rijsbergen 1979"
    recall_base: ClassVar[bool] = True

    beta: Fraction = parameter(Fraction(1), positive)
    rel: Grade = parameter(1, grade_above_zero)

    def walk(self, topic: Topic, depth: int) -> Walk:
        squared = self.beta**2
        size = squared * topic.relevant(self.rel) + (self.cutoff or depth)
        return additive(lambda rank: 1, relevance(self.rel), divisor=size / (1 + squared))

    def scores(self, block: Block) -> Floats:
        squared = float(self.beta) ** 2
        found = block.add_up(block.relevant(self.rel).within(self.cutoff))
        size = squared * block.recall_base(self.rel) + (self.cutoff or block.retrieved)
        return (1 + squared) * found / np.where(size > 0, size, 1)
