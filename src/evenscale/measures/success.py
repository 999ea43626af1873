"""Success: whether anything relevant was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from evenscale.judged.block import Block, Floats
from evenscale.judged.topic import Grade, Topic
from evenscale.measures.contract import Amount, Measure, Walk, grade_above_zero, parameter


@dataclass(frozen=True, kw_only=True)
class Success(Measure):
    """1 if a relevant document is among the first k, else 0.

    >>> from evenscale.judged import Judged
    >>> Success(cutoff=2)(Judged.of([0, 1, 1]))
    Fraction(1, 1)
    """

    name: ClassVar[str] = "Success"
    title: ClassVar[str] = "1 if any of the first k documents (or of all retrieved) is relevant, else 0"

    rel: Grade = parameter(1, grade_above_zero)

    def walk(self, topic: Topic, depth: int) -> Walk:
        def step(rank: int, found: bool, grade: Grade | None) -> tuple[bool, Amount]:
            hit = grade is not None and grade >= self.rel
            return found or hit, int(hit and not found)

        return Walk(False, step, kind="first hit")

    def scores(self, block: Block) -> Floats:
        hits = block.relevant(self.rel).within(self.cutoff)
        return (block.add_up(hits) > 0).astype(float)
