"""Four measures that are interval scales by construction: the rank functions of four orders on runs.

Ferrante, Ferro and Pontarollo 2018 derive them: equations 3 (SBTO), 5 (SBPO), 7 (RBTO) and 9 (RBPO). Their values are
whole numbers that count steps in the order's Hasse diagram; they need a cut-off, the runs' common length N, and a
highest grade c (`gmax`, by default the qrels' highest).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import ClassVar

import numpy as np

from evenscale.errors import BadParameter
from evenscale.judged.block import Block, Floats
from evenscale.judged.topic import Grade, Topic
from evenscale.measures.contract import Amount, Measure, Walk, additive, optional, parameter, whole, within
from evenscale.measures.exact import Exact, Rational

_LARGEST_POWER = 1000  # of 2 that a float holds with room to add


@dataclass(frozen=True, kw_only=True)
class _OrderMeasure(Measure):
    """What the four share."""

    cite: ClassVar[str] = "Ferrante et al. 2018"
    needs_cutoff: ClassVar[bool] = True

    gmax: int | None = parameter(None, optional(whole(1)))

    @property
    def length(self) -> int:
        """The length N of the runs."""
        assert self.cutoff is not None
        return self.cutoff

    def check(self, levels: Sequence[Grade]) -> None:
        within(levels, self.gmax, str(self))
        if any(g != int(g) for g in levels):
            raise BadParameter(f"{self}: needs whole grades")

    def degrees(self, top: Grade) -> int:
        """The highest degree c."""
        return int(self.gmax or top)

    def _add_up(self, block: Block, weights: Floats) -> Floats:
        hits = block.graded().within(self.cutoff)
        grades = np.array([float(grade) for grade in block.levels])
        return block.add_up(hits, weights[hits.rank - 1] * grades[hits.code])


def _degree(grade: Grade | None) -> Rational:
    return grade if grade is not None and grade > 0 else 0


@dataclass(frozen=True, kw_only=True)
class SBTO(_OrderMeasure):
    """How many sets of N documents lie below this one when the highest differing grade decides.

    With the grades sorted from high to low, the sum over j of C(grade_j + N - j, N - j + 1).

    >>> from evenscale.judged import Judged
    >>> SBTO(cutoff=5, gmax=2)(Judged.of([2, 2, 1, 1, 1]))
    Fraction(14, 1)
    """

    name: ClassVar[str] = "SBTO"
    title: ClassVar[str] = "set-based total order: rank of the retrieved set when the highest grades decide"

    def walk(self, topic: Topic, depth: int) -> Walk:
        degrees = self.degrees(topic.top)

        def step(rank: int, counts: tuple[int, ...], grade: Grade | None) -> tuple[tuple[int, ...], Amount]:
            at = int(_degree(grade))
            if not at:
                return counts, 0
            grown = (*counts[: at - 1], counts[at - 1] + 1, *counts[at:])
            return grown, self.place(grown) - self.place(counts)

        return Walk((0,) * degrees, step, kind="whole numbers")

    def place(self, counts: tuple[int, ...]) -> int:
        """The value of the set with this many documents of grade 1, 2, ..."""
        value, j = 0, 0
        for grade in range(len(counts), 0, -1):
            # A run of equal grades telescopes: the hockey-stick identity adds its terms at once.
            n, left = counts[grade - 1], self.length - j
            value += comb(grade + left, left) - comb(grade + left - n, left - n) if n else 0
            j += n
        return value

    def bounds(self, topic: Topic, depth: int) -> tuple[Exact, Exact]:
        c = self.degrees(topic.top)
        return 0, comb(self.length + c, c) - 1

    def scores(self, block: Block) -> Floats:
        hits, top = block.graded().within(self.cutoff), self.degrees(block.top)
        counts = np.zeros((block.rows, top), dtype=np.int64)
        grades = np.array([int(grade) for grade in block.levels])
        np.add.at(counts, (hits.row, grades[hits.code] - 1), 1)
        kinds, which = np.unique(counts, axis=0, return_inverse=True)
        places = np.array([float(self.place(tuple(kind))) for kind in kinds.tolist()])
        return places[which.reshape(-1)]


@dataclass(frozen=True, kw_only=True)
class SBPO(_OrderMeasure):
    """The sum of the grades: how many single-step replacements lead from nothing to this set.

    >>> from evenscale.judged import Judged
    >>> SBPO(cutoff=3, gmax=3)(Judged.of([3, 1, 0]))
    Fraction(4, 1)
    """

    name: ClassVar[str] = "SBPO"
    title: ClassVar[str] = "set-based partial order: the sum of the grades"

    def walk(self, topic: Topic, depth: int) -> Walk:
        return additive(lambda rank: 1, _degree)

    def bounds(self, topic: Topic, depth: int) -> tuple[Exact, Exact]:
        return 0, self.length * self.degrees(topic.top)

    def scores(self, block: Block) -> Floats:
        return self._add_up(block, np.ones(self.length))


@dataclass(frozen=True, kw_only=True)
class RBTO(_OrderMeasure):
    """The run read as a number in base c + 1: strong top-heaviness, where the first differing rank decides.

    >>> from evenscale.judged import Judged
    >>> RBTO(cutoff=3, gmax=1)(Judged.of([1, 0, 1])), RBTO(cutoff=3, gmax=2)(Judged.of([1, 0, 2]))
    (Fraction(5, 1), Fraction(11, 1))
    """

    name: ClassVar[str] = "RBTO"
    title: ClassVar[str] = "rank-based total order: the run as a number in base gmax + 1 (strong top-heaviness)"

    def check(self, levels: Sequence[Grade]) -> None:
        super().check(levels)
        base = self.degrees(max(levels[-1], 1)) + 1
        most = int(_LARGEST_POWER / np.log2(base))
        if self.length > most:
            raise BadParameter(
                f"{self} has values above what a float can hold; with grades 0 to {base - 1} the cut-off may be "
                f"{most} at most"
            )

    def walk(self, topic: Topic, depth: int) -> Walk:
        base = self.degrees(topic.top) + 1
        return additive(lambda rank: base ** (self.length - rank), _degree)

    def bounds(self, topic: Topic, depth: int) -> tuple[Exact, Exact]:
        return 0, (self.degrees(topic.top) + 1) ** self.length - 1

    def scores(self, block: Block) -> Floats:
        base = float(self.degrees(block.top) + 1)
        return self._add_up(block, base ** np.arange(self.length - 1, -1, -1.0))


@dataclass(frozen=True, kw_only=True)
class RBPO(_OrderMeasure):
    """The sum of (N - rank + 1) times the grade: weak top-heaviness, where prefixes decide.

    >>> from evenscale.judged import Judged
    >>> RBPO(cutoff=4)(Judged.of([1, 0, 1, 1]))
    Fraction(7, 1)
    """

    name: ClassVar[str] = "RBPO"
    title: ClassVar[str] = "rank-based partial order: sum of (N - rank + 1) * grade (weak top-heaviness)"

    def walk(self, topic: Topic, depth: int) -> Walk:
        return additive(lambda rank: self.length - rank + 1, _degree)

    def bounds(self, topic: Topic, depth: int) -> tuple[Exact, Exact]:
        return 0, self.degrees(topic.top) * self.length * (self.length + 1) // 2

    def scores(self, block: Block) -> Floats:
        return self._add_up(block, np.arange(self.length, 0, -1.0))
