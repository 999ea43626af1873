"""Discounted cumulated gain and its normalised form, in the three variants that carry the name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import ClassVar

import numpy as np

from evenscale.errors import BadParameter
from evenscale.judged.block import Block, Floats, Ints
from evenscale.judged.topic import Grade, Topic
from evenscale.measures.contract import Amount, Measure, Walk, additive, one_of, optional, parameter, whole
from evenscale.measures.exact import Exact, Rational, inverse_log, total


@lru_cache(maxsize=100_000)
def _log2_weight(rank: int, base: int) -> Amount:
    return inverse_log(base, rank + 1)


@lru_cache(maxsize=100_000)
def _jk_weight(rank: int, base: int) -> Amount:
    return 1 if rank <= base else inverse_log(base, rank)


def _log2_floats(n: int, base: int) -> Floats:
    return np.asarray(1.0 / np.log2(np.arange(2, n + 2)))


def _jk_floats(n: int, base: int) -> Floats:
    return np.asarray(1.0 / np.maximum(1.0, np.log(np.arange(1, n + 1)) / np.log(base)))


def _as_it_is(grade: Grade | None) -> Rational:
    return grade if grade is not None and grade > 0 else 0


def _exponential(grade: Grade | None) -> Rational:
    return 2 ** int(grade) - 1 if grade is not None and grade > 0 else 0


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to discount and to gain."""

    weight: Callable[[int, int], Amount]
    floats: Callable[[int, int], Floats]
    gain: Callable[[Grade | None], Rational]


VARIANTS = {
    "log2": Variant(_log2_weight, _log2_floats, _as_it_is),
    "exp-log2": Variant(_log2_weight, _log2_floats, _exponential),
    "jk": Variant(_jk_weight, _jk_floats, _as_it_is),
}


@dataclass(frozen=True, kw_only=True)
class DCG(Measure):
    """Discounted cumulated gain: gain over discount, summed over the ranks.

    `dcg='log2'` (trec_eval's): the grade over log2(rank + 1). `dcg='exp-log2'`: 2^grade - 1 over the same.
    `dcg='jk'` with `base` b (Järvelin and Kekäläinen 2002): the grade, whole up to rank b, then over log_b(rank).

    >>> from evenscale.judged import Judged
    >>> DCG(dcg="jk", cutoff=4)(Judged.of([0, 0, 1, 1]))
    LogSum({Unit(base=2, argument=3): Fraction(1, 1)}, Fraction(1, 2))
    >>> DCG(base=10)
    Traceback (most recent call last):
    ...
    evenscale.errors.BadParameter: DCG: base belongs to dcg='jk', got base=10 with dcg='log2'
    """

    name: ClassVar[str] = "DCG"
    title: ClassVar[str] = "discounted cumulated gain; dcg= one of 'log2' (default), 'exp-log2', 'jk' with base="
    cite: ClassVar[str] = "Järvelin and Kekäläinen 2002; Burges et al. 2005"

    dcg: str = parameter("log2", one_of(*VARIANTS))
    base: int | None = parameter(None, optional(whole(2)))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.base is not None and self.dcg != "jk":
            raise BadParameter(f"{self.name}: base belongs to dcg='jk', got base={self.base} with dcg={self.dcg!r}")
        if self.base is None and self.dcg == "jk":
            object.__setattr__(self, "base", 2)

    def check(self, levels: Sequence[Grade]) -> None:
        if self.dcg == "exp-log2" and any(g != int(g) for g in levels):
            raise BadParameter(f"{self}: the gain 2^grade - 1 needs whole grades, the qrels hold {_first_part(levels)}")

    def weight(self, rank: int) -> Amount:
        """What a gain of 1 counts at this rank."""
        return VARIANTS[self.dcg].weight(rank, self.base or 2)

    def walk(self, topic: Topic, depth: int) -> Walk:
        return additive(self.weight, VARIANTS[self.dcg].gain)

    def bounds(self, topic: Topic, depth: int) -> tuple[Exact, Exact]:
        ranks = range(1, min(self.cutoff or depth, depth) + 1)
        return 0, total(self.weight(i) for i in ranks) * VARIANTS[self.dcg].gain(topic.top)

    def scores(self, block: Block) -> Floats:
        hits = block.graded().within(self.cutoff)
        weights = _weights(self.dcg, self.base or 2, int(hits.rank.max(initial=0)))
        return block.add_up(hits, weights[hits.rank - 1] * self._gains(block)[hits.code])

    def _gains(self, block: Block) -> Floats:
        return np.array([float(VARIANTS[self.dcg].gain(grade)) for grade in block.levels])


@dataclass(frozen=True, kw_only=True)
class nDCG(DCG):  # noqa: N801 - the field's own spelling
    """DCG divided by the DCG of the best possible ranking of the topic's judged documents, cut at the same depth.

    >>> from evenscale.judged import Judged
    >>> nDCG(cutoff=2)(Judged.of([2, 1])), round(float(nDCG(cutoff=2)(Judged.of([1, 2]))), 4)
    (Fraction(1, 1), 0.8597)
    """

    name: ClassVar[str] = "nDCG"
    title: ClassVar[str] = "DCG divided by that of the ideal ranking; dcg= and base= as for DCG"
    recall_base: ClassVar[bool] = True

    def walk(self, topic: Topic, depth: int) -> Walk:
        gain = VARIANTS[self.dcg].gain
        best = enumerate(islice(topic.ideal(), self.cutoff), 1)
        return additive(self.weight, gain, divisor=total(self.weight(i) * gain(g) for i, g in best))

    def bounds(self, topic: Topic, depth: int) -> tuple[Exact, Exact]:
        return 0, 1

    def scores(self, block: Block) -> Floats:
        kinds, which = np.unique(block.counts, axis=0, return_inverse=True)
        ideal = np.array([self._ideal(counts, self._gains(block)) for counts in kinds])[which.reshape(-1)]
        return super().scores(block) / np.where(ideal > 0, ideal, 1.0)

    def _ideal(self, counts: Ints, gains: Floats) -> float:
        best = np.repeat(gains[:0:-1], counts[:0:-1])[: self.cutoff]
        return float(best @ _weights(self.dcg, self.base or 2, len(best)))


@lru_cache(maxsize=32)
def _weights(variant: str, base: int, n: int) -> Floats:
    return VARIANTS[variant].floats(n, base)


def _first_part(levels: Sequence[Grade]) -> Fraction | int:
    return next(g for g in levels if g != int(g))
