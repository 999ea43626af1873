"""How much of what was retrieved has a judgment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evenscale.judged.block import Block, Floats
from evenscale.judged.topic import Topic
from evenscale.measures.contract import Measure, Walk, additive


@dataclass(frozen=True, kw_only=True)
class Judged(Measure):
    """The share of the first k documents (of those there are) that is judged.

    >>> from evenscale.judged import Judged as Run
    >>> Judged(cutoff=10)(Run.of([1, None, 0]))
    Fraction(2, 3)
    """

    name: ClassVar[str] = "Judged"
    title: ClassVar[str] = "share of the first k documents (or of all retrieved) that has a judgment"
    boundable: ClassVar[bool] = False

    def walk(self, topic: Topic, depth: int) -> Walk:
        seen = min(self.cutoff or depth, depth)
        return additive(lambda rank: 1, lambda grade: int(grade is not None), divisor=seen)

    def scores(self, block: Block) -> Floats:
        keep = block.rank <= (self.cutoff or np.inf)
        seen = np.minimum(block.retrieved, self.cutoff or block.retrieved)
        return np.bincount(block.row[keep], minlength=block.rows) / np.maximum(seen, 1)
