"""`interval(AP@30)`: the interval version of a measure, a measure like any other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evenscale.errors import BadParameter
from evenscale.judged import Block, Grade, Topic
from evenscale.judged.block import Floats
from evenscale.measures import Measure, Walk
from evenscale.measures.contract import Amount, one_of, parameter
from evenscale.measures.spelling import parse as parse_plain
from evenscale.measures.spelling import register
from evenscale.scales.scale import TIE_RULES, IntervalScale, interval_scale


def _measure(label: str, value: Any) -> Measure:
    if isinstance(value, Interval):
        raise BadParameter(f"{value} is an interval version already")
    if not isinstance(value, Measure):
        raise BadParameter(f"{label} must be a measure, got {value!r}")
    if value.cutoff is None:
        hint = f"write interval({value}@10), say" if value.takes_cutoff else "it takes none"
        raise BadParameter(f"{value} has no scale without a cut-off: {hint}")
    return value


@dataclass(frozen=True, kw_only=True)
class Interval(Measure):
    """A run's place among all values that the measure can take, from 0 (the lowest) to 1 (the highest).

    The universe is all runs of the cut-off's length over the grades of the qrels. Shorter runs are filled up with
    non-relevant documents. For a measure that depends on the recall base the scale differs from topic to topic, so
    its interval version is only a surrogate across topics.

    >>> from evenscale.judged import Judged
    >>> parse("interval(RR@4)")(Judged.of([0, 1, 0, 0]))
    Fraction(3, 4)
    """

    name: ClassVar[str] = "interval"
    title: ClassVar[str] = "interval version of a measure: a run's place among all values it can take"
    cite: ClassVar[str] = "Ferrante, Ferro and Fuhr 2021"
    takes_cutoff: ClassVar[bool] = False
    boundable: ClassVar[bool] = False
    batched: ClassVar[bool] = True

    measure: Measure = parameter(None, _measure)
    ties: str = parameter("unq", one_of(*TIE_RULES))

    @property
    def surrogate(self) -> bool:
        """Whether there is no common scale across topics."""
        return self.measure.recall_base

    def __str__(self) -> str:
        return f"interval({self.measure}{'' if self.ties == 'unq' else f',ties={self.ties!r}'})"

    def check(self, levels: Sequence[Grade]) -> None:
        self.measure.check(levels)
        if any(g != int(g) for g in levels):
            raise BadParameter(f"{self}: a scale needs whole grades")

    def scale(self, top: Grade) -> IntervalScale:
        """The scale for judgments with this highest grade."""
        grades = int(max(top, getattr(self.measure, "gmax", None) or 1))
        return interval_scale(self.measure, grades=grades, ties=self.ties)  # type: ignore[arg-type]

    def walk(self, topic: Topic, depth: int) -> Walk:
        """As a path sum whose state is all that was seen: each document moves the run's place."""
        scale = self.scale(topic.top)

        def step(rank: int, seen: tuple[int, ...], grade: Grade | None) -> tuple[tuple[int, ...], Amount]:
            after = (*seen, int(max(grade or 0, 0)))
            return after, self._place(scale, after) - self._place(scale, seen)

        return Walk((), step, offset=0)

    def __call__(self, judged: Any) -> Fraction:
        grades = [int(max(g or 0, 0)) for g in judged.grades[: self.measure.cutoff]]
        return self._place(self.scale(judged.topic.top), grades)

    def scores(self, block: Block) -> Floats:
        distinct, which = np.unique(dense(block, self.measure.cutoff or 0), axis=0, return_inverse=True)
        return self.scale(block.top).scores(distinct)[which.reshape(-1)]

    def _place(self, scale: IntervalScale, run: Sequence[int]) -> Fraction:
        lowest, highest = scale._ends
        return Fraction(scale.rank(run) - lowest) / (highest - lowest) if highest != lowest else Fraction(0)


def dense(block: Block, depth: int) -> NDArray[np.int8]:
    """Grades by rank as a matrix: one row per run and topic, cut and filled up to a depth, unjudged as 0."""
    grades = np.array([int(grade) for grade in block.levels], dtype=np.int8)
    keep = block.rank <= depth
    rows = np.zeros((block.rows, depth), dtype=np.int8)
    rows[block.row[keep], block.rank[keep] - 1] = grades[block.code[keep]]
    return rows


def parse(text: str | Measure) -> Measure:
    """The measure that a text spells, interval versions included.

    >>> parse("interval(AP@30)")
    Interval(cutoff=None, measure=AP(cutoff=30, rel=1), ties='unq')
    >>> str(parse("interval( ndcg_cut_10 )"))
    'interval(nDCG@10)'
    """
    return parse_plain(text)


def interval(measure: str | Measure) -> Interval:
    """The interval version of a measure.

    >>> print(interval("AP@30"))
    interval(AP@30)
    """
    return Interval(measure=parse(measure))


def _parse_inside(inside: str) -> Measure:
    body, ties = inside, "unq"
    head, comma, last = inside.rpartition(",")
    if comma and last.strip().startswith("ties=") and head.count("(") == head.count(")"):
        body, ties = head, last.strip().removeprefix("ties=").strip("'\"")
    return Interval(measure=parse(body), ties=ties)


register("interval", _parse_inside)
