"""Reciprocal rank of the first relevant document."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from evenscale.judged.block import Block, Floats
from evenscale.judged.topic import Grade, Topic
from evenscale.measures.contract import Amount, Measure, Walk, grade_above_zero, parameter


@dataclass(frozen=True, kw_only=True)
class RR(Measure):
    """1 / rank of the first relevant document; 0 if there is none within the cut-off.

    >>> from evenscale.judged import Judged
    >>> RR()(Judged.of([0, 0, 1, 1])), RR(cutoff=2)(Judged.of([0, 0, 1, 1]))
    (Fraction(1, 3), Fraction(0, 1))
    """

    name: ClassVar[str] = "RR"
    title: ClassVar[str] = "reciprocal rank of the first relevant document"
    cite: ClassVar[str] = "Kantor and Voorhees 2000"

    rel: Grade = parameter(1, grade_above_zero)

    def walk(self, topic: Topic, depth: int) -> Walk:
        def step(rank: int, found: bool, grade: Grade | None) -> tuple[bool, Amount]:
            if found or grade is None or grade < self.rel:
                return found, 0
            return True, Fraction(1, rank)

        return Walk(False, step, kind="first hit")

    def scores(self, block: Block) -> Floats:
        hits = block.relevant(self.rel).within(self.cutoff)
        first = hits.nth == 1
        values = np.zeros(block.rows)
        values[hits.row[first]] = 1.0 / hits.rank[first]
        return values
