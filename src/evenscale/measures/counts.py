"""Counts: topics, documents retrieved, relevant, and relevant retrieved. Over topics they are summed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from evenscale.judged.block import Block, Floats
from evenscale.judged.topic import Grade, Topic
from evenscale.measures.contract import Measure, Walk, additive, grade_above_zero, parameter, relevance
from evenscale.measures.exact import Exact


@dataclass(frozen=True, kw_only=True)
class NumQ(Measure):
    """The number of topics: 1 for each.

    >>> from evenscale.judged import Judged
    >>> NumQ()(Judged.of([0, 1]))
    Fraction(1, 1)
    """

    name: ClassVar[str] = "NumQ"
    title: ClassVar[str] = "number of topics"
    total_by: ClassVar[Literal["mean", "sum"]] = "sum"
    takes_cutoff: ClassVar[bool] = False
    boundable: ClassVar[bool] = False

    def walk(self, topic: Topic, depth: int) -> Walk:
        return additive(lambda rank: 0, lambda grade: 0, offset=1)

    def scores(self, block: Block) -> Floats:
        return np.ones(block.rows)


@dataclass(frozen=True, kw_only=True)
class NumRet(Measure):
    """The number of documents retrieved.

    >>> from evenscale.judged import Judged
    >>> NumRet()(Judged.of([0, 1, None]))
    Fraction(3, 1)
    """

    name: ClassVar[str] = "NumRet"
    title: ClassVar[str] = "number of documents retrieved (within the cut-off)"
    total_by: ClassVar[Literal["mean", "sum"]] = "sum"
    boundable: ClassVar[bool] = False

    def walk(self, topic: Topic, depth: int) -> Walk:
        return additive(lambda rank: 1, lambda grade: 1)

    def bounds(self, topic: Topic, depth: int) -> tuple[Exact, Exact]:
        return 0, min(self.cutoff or depth, depth)

    def scores(self, block: Block) -> Floats:
        return np.minimum(block.retrieved, self.cutoff or block.retrieved).astype(float)


@dataclass(frozen=True, kw_only=True)
class NumRel(Measure):
    """The number of relevant documents that the qrels hold, the recall base.

    >>> from evenscale.judged import Judged
    >>> NumRel()(Judged.of([0, 1], relevant=7))
    Fraction(7, 1)
    """

    name: ClassVar[str] = "NumRel"
    title: ClassVar[str] = "number of relevant documents in the qrels, the recall base"
    total_by: ClassVar[Literal["mean", "sum"]] = "sum"
    recall_base: ClassVar[bool] = True
    takes_cutoff: ClassVar[bool] = False
    boundable: ClassVar[bool] = False

    rel: Grade = parameter(1, grade_above_zero)

    def walk(self, topic: Topic, depth: int) -> Walk:
        return additive(lambda rank: 0, lambda grade: 0, offset=topic.relevant(self.rel))

    def bounds(self, topic: Topic, depth: int) -> tuple[Exact, Exact]:
        return topic.relevant(self.rel), topic.relevant(self.rel)

    def scores(self, block: Block) -> Floats:
        return block.recall_base(self.rel).astype(float)


@dataclass(frozen=True, kw_only=True)
class NumRelRet(Measure):
    """The number of relevant documents retrieved.

    >>> from evenscale.judged import Judged
    >>> NumRelRet()(Judged.of([0, 1, 1], relevant=7))
    Fraction(2, 1)
    """

    name: ClassVar[str] = "NumRelRet"
    title: ClassVar[str] = "number of relevant documents retrieved (within the cut-off)"
    total_by: ClassVar[Literal["mean", "sum"]] = "sum"

    rel: Grade = parameter(1, grade_above_zero)

    def walk(self, topic: Topic, depth: int) -> Walk:
        return additive(lambda rank: 1, relevance(self.rel))

    def bounds(self, topic: Topic, depth: int) -> tuple[Exact, Exact]:
        return 0, min(self.cutoff or depth, depth)

    def scores(self, block: Block) -> Floats:
        return block.add_up(block.relevant(self.rel).within(self.cutoff))
