"""Precision: the share of the retrieved documents that is relevant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evenscale.judged.block import Block, Floats
from evenscale.judged.topic import Grade, Topic
from evenscale.measures.contract import Measure, Walk, additive, grade_above_zero, parameter, relevance


@dataclass(frozen=True, kw_only=True)
class P(Measure):
    """Precision at a cut-off, or of the whole retrieved set without one.

    A run shorter than the cut-off is divided by the cut-off all the same.

    >>> from evenscale.judged import Judged
    >>> P(cutoff=5)(Judged.of([1, 0, 1], relevant=3))
    Fraction(2, 5)
    """

    name: ClassVar[str] = "P"
    title: ClassVar[str] = "precision: the share of the first k documents (or of all retrieved) that is relevant"

    rel: Grade = parameter(1, grade_above_zero)

    def walk(self, topic: Topic, depth: int) -> Walk:
        return additive(lambda rank: 1, relevance(self.rel), divisor=self.cutoff or depth)

    def scores(self, block: Block) -> Floats:
        found = block.add_up(block.relevant(self.rel).within(self.cutoff))
        return found / (self.cutoff or np.maximum(block.retrieved, 1))
