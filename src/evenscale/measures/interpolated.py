"""Interpolated precision at a recall level."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import ClassVar

import numpy as np

from evenscale.judged.block import Block, Floats
from evenscale.judged.topic import Grade, Topic
from evenscale.measures.contract import Amount, Measure, Walk, closed_unit, grade_above_zero, parameter


@dataclass(frozen=True, kw_only=True)
class IPrec(Measure):
    """The highest precision at any rank where recall is at least the given level, spelled `IPrec@0.1`.

    The level counts as reached once level * R relevant documents are found, rounded to the nearest whole number, halves
    up: trec_eval 10's rule, decided exactly. Older versions add 0.9 and cut off, so they ask for one more at times.

    >>> from evenscale.judged import Judged
    >>> IPrec(recall=0.5)(Judged.of([1, 0, 1, 0], relevant=4))
    Fraction(2, 3)
    """

    name: ClassVar[str] = "IPrec"
    title: ClassVar[str] = "interpolated precision: the best precision at any rank with at least this recall"
    recall_base: ClassVar[bool] = True
    takes_cutoff: ClassVar[bool] = False
    at: ClassVar[str] = "recall"

    recall: Fraction = parameter(Fraction(0), closed_unit)
    rel: Grade = parameter(1, grade_above_zero)

    def needed(self, base: int) -> int:
        """How many relevant documents of so many make up the recall level."""
        return floor(self.recall * base + Fraction(1, 2))

    def walk(self, topic: Topic, depth: int) -> Walk:
        base = topic.relevant(self.rel)
        needed = self.needed(base)

        def step(rank: int, state: tuple[int, Fraction], grade: Grade | None) -> tuple[tuple[int, Fraction], Amount]:
            found, best = state
            if grade is None or grade < self.rel:
                return state, 0
            here = Fraction(found + 1, rank)
            if found + 1 < needed or here <= best:
                return (found + 1, best), 0
            return (found + 1, here), here - best

        return Walk((0, Fraction(0)), step, divisor=int(base > 0))

    def scores(self, block: Block) -> Floats:
        base = block.recall_base(self.rel)
        needed = np.array([self.needed(b) for b in base.tolist()], dtype=np.int64)
        hits = block.relevant(self.rel)
        keep = hits.nth >= needed[hits.row]
        best = np.zeros(block.rows)
        np.maximum.at(best, hits.row[keep], hits.nth[keep] / hits.rank[keep])
        return np.where(base > 0, best, 0.0)
