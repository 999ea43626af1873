"""Expected reciprocal rank, the cascade measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from evenscale.errors import BadParameter
from evenscale.judged.block import Block, Floats
from evenscale.judged.topic import Grade, Topic
from evenscale.measures.contract import Amount, Measure, Walk, optional, parameter, whole, within
from evenscale.measures.exact import Exact


@dataclass(frozen=True, kw_only=True)
class ERR(Measure):
    """The expected reciprocal rank at which a user stops who reads down the list and stops at a document of grade g
    with probability (2^g - 1) / 2^gmax. `gmax` is by default the highest grade in the qrels; gdeval has 4.

    >>> from evenscale.judged import Judged
    >>> ERR(gmax=2)(Judged.of([1, 0, 2, 0, 1]))
    Fraction(143, 320)
    """

    name: ClassVar[str] = "ERR"
    title: ClassVar[str] = "expected reciprocal rank: stop with probability (2^grade - 1) / 2^gmax"
    cite: ClassVar[str] = "Chapelle et al. 2009"

    gmax: int | None = parameter(None, optional(whole(1)))

    def check(self, levels: Sequence[Grade]) -> None:
        within(levels, self.gmax, str(self))
        if any(g != int(g) for g in levels):
            raise BadParameter(f"{self}: the stop probability (2^grade - 1) / 2^gmax needs whole grades")

    def stop(self, grade: Grade, top: Grade) -> Fraction:
        """The probability to stop at a document of this grade."""
        return Fraction(2 ** int(max(grade, 0)) - 1, 2 ** int(self.gmax or top))

    def walk(self, topic: Topic, depth: int) -> Walk:
        def step(rank: int, looking: Fraction, grade: Grade | None) -> tuple[Fraction, Amount]:
            chance = self.stop(grade, topic.top) if grade is not None else Fraction(0)
            return looking * (1 - chance), looking * chance / rank

        return Walk(Fraction(1), step)

    def bounds(self, topic: Topic, depth: int) -> tuple[Exact, Exact]:
        return 0, 1

    def scores(self, block: Block) -> Floats:
        hits = block.graded().within(self.cutoff)
        chance = np.array([float(self.stop(grade, block.top)) for grade in block.levels])[hits.code]
        values, looking = np.zeros(block.rows), np.ones(block.rows)
        # One pass per position among a row's relevant documents: the passes are few, the rows many.
        order = np.argsort(hits.nth, kind="stable")
        for at in np.split(order, np.cumsum(np.bincount(hits.nth)[1:])[:-1] if len(order) else []):
            rows, stop = hits.row[at], chance[at]
            values[rows] += looking[rows] * stop / hits.rank[at]
            looking[rows] *= 1 - stop
        return values
