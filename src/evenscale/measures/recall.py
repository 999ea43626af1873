"""Recall: the share of the relevant documents that was retrieved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evenscale.judged.block import Block, Floats
from evenscale.judged.topic import Grade, Topic
from evenscale.measures.contract import Measure, Walk, additive, grade_above_zero, parameter, relevance


@dataclass(frozen=True, kw_only=True)
class R(Measure):
    """Recall at a cut-off, or of the whole retrieved set without one.

    >>> from evenscale.judged import Judged
    >>> R(cutoff=2)(Judged.of([1, 0, 1], relevant=4))
    Fraction(1, 4)
    """

    name: ClassVar[str] = "R"
    title: ClassVar[str] = "recall: the share of the relevant documents among the first k (or all retrieved)"
    recall_base: ClassVar[bool] = True

    rel: Grade = parameter(1, grade_above_zero)

    def walk(self, topic: Topic, depth: int) -> Walk:
        return additive(lambda rank: 1, relevance(self.rel), divisor=topic.relevant(self.rel))

    def scores(self, block: Block) -> Floats:
        found = block.add_up(block.relevant(self.rel).within(self.cutoff))
        return found / np.maximum(block.recall_base(self.rel), 1)
