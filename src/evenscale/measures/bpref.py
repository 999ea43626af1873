"""Binary preference: judged non-relevant documents above relevant ones."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from evenscale.judged.block import Block, Floats
from evenscale.judged.topic import Grade, Topic
from evenscale.measures.contract import Amount, Measure, Walk, grade_above_zero, parameter


@dataclass(frozen=True, kw_only=True)
class Bpref(Measure):
    """For every relevant document retrieved, 1 less the share of judged non-relevant ones above it; over R.

    The share is min(n above, R) / min(N, R), with N the judged non-relevant documents of the topic; unjudged documents
    are passed over.

    >>> from evenscale.judged import Judged, Topic
    >>> Bpref()(Judged((1, None, 0, 1), Topic.of({0: 10, 1: 2})))
    Fraction(3, 4)
    """

    name: ClassVar[str] = "Bpref"
    title: ClassVar[str] = "binary preference: how few judged non-relevant documents precede the relevant ones"
    cite: ClassVar[str] = "Buckley and Voorhees 2004"
    recall_base: ClassVar[bool] = True
    takes_cutoff: ClassVar[bool] = False
    boundable: ClassVar[bool] = False

    rel: Grade = parameter(1, grade_above_zero)

    def walk(self, topic: Topic, depth: int) -> Walk:
        base = topic.relevant(self.rel)
        least = min(base, topic.nonrelevant(self.rel))

        def step(rank: int, above: int, grade: Grade | None) -> tuple[int, Amount]:
            if grade is None:
                return above, 0
            if grade < self.rel:
                return above + 1, 0
            return above, 1 - Fraction(min(above, base), least) if above else 1

        return Walk(0, step, divisor=base)

    def scores(self, block: Block) -> Floats:
        hits = block.relevant(self.rel)
        base = block.recall_base(self.rel)
        least = np.maximum(np.minimum(base, block.nonrelevant(self.rel)), 1)
        above = np.minimum(block.nonrelevant_before(self.rel), base[hits.row])
        return block.add_up(hits, 1.0 - above / least[hits.row]) / np.maximum(base, 1)
