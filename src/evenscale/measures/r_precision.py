"""R-precision: precision after as many documents as there are relevant ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evenscale.judged.block import Block, Floats, Hits
from evenscale.judged.topic import Grade, Topic
from evenscale.measures.contract import Measure, Walk, additive, grade_above_zero, parameter, relevance


@dataclass(frozen=True, kw_only=True)
class Rprec(Measure):
    """Precision at rank R, where R is the topic's number of relevant documents.

    >>> from evenscale.judged import Judged
    >>> Rprec()(Judged.of([1, 0, 1, 1], relevant=3))
    Fraction(2, 3)
    """

    name: ClassVar[str] = "Rprec"
    title: ClassVar[str] = "precision at rank R, the number of relevant documents of the topic"
    recall_base: ClassVar[bool] = True
    takes_cutoff: ClassVar[bool] = False
    boundable: ClassVar[bool] = False

    rel: Grade = parameter(1, grade_above_zero)

    def walk(self, topic: Topic, depth: int) -> Walk:
        base = topic.relevant(self.rel)
        return additive(lambda rank: int(rank <= base), relevance(self.rel), divisor=base)

    def scores(self, block: Block) -> Floats:
        base = block.recall_base(self.rel)
        hits = block.relevant(self.rel)
        keep = hits.rank <= base[hits.row]
        return block.add_up(Hits(*(part[keep] for part in hits))) / np.maximum(base, 1)
