"""Average precision."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from evenscale.judged.block import Block, Floats
from evenscale.judged.topic import Grade, Topic
from evenscale.measures.contract import Amount, Measure, Walk, grade_above_zero, parameter


@dataclass(frozen=True, kw_only=True)
class AP(Measure):
    """The precisions at the relevant documents, summed and divided by the recall base.

    With a cut-off the divisor stays the recall base, as in trec_eval, and is not min(k, recall base).

    >>> from evenscale.judged import Judged
    >>> AP()(Judged.of([1, 0, 1], relevant=4))
    Fraction(5, 12)
    """

    name: ClassVar[str] = "AP"
    title: ClassVar[str] = "average precision: mean of the precisions at the relevant documents"
    cite: ClassVar[str] = "Buckley and Voorhees 2005"
    recall_base: ClassVar[bool] = True

    rel: Grade = parameter(1, grade_above_zero)

    def walk(self, topic: Topic, depth: int) -> Walk:
        def step(rank: int, found: int, grade: Grade | None) -> tuple[int, Amount]:
            if grade is None or grade < self.rel:
                return found, 0
            return found + 1, Fraction(found + 1, rank)

        return Walk(0, step, divisor=topic.relevant(self.rel))

    def scores(self, block: Block) -> Floats:
        hits = block.relevant(self.rel).within(self.cutoff)
        return block.add_up(hits, hits.nth / hits.rank) / np.maximum(block.recall_base(self.rel), 1)
