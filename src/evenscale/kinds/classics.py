"""The measures that Giner 2023 classifies, as small exact functions: those for sets, for users and for rankings.

Set measures read a `Contingency`, the counts of documents by relevance and retrieval. User measures read a set whose
grades say who knew what: 2 is relevant and known to the user, 1 relevant and unknown, 0 non-relevant. Ranking measures
read the grades by rank and the topic's gains in the best possible order, `ideal`. Values are fractions; normalised
precision is a sum of logarithms over one logarithm, kept by its prime factors and so exact too. Quotients of nothing by
nothing are 0, as everywhere in evenscale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import comb, factorial, prod
from typing import TypeAlias

from evenscale.errors import BadInput
from evenscale.measures.exact import LogSum, Rational, Unit
from evenscale.orders.values import Run

Gains: TypeAlias = Sequence[int]
"""Gains by rank, or those of the ideal ranking."""


@dataclass(frozen=True, slots=True)
class Contingency:
    """Documents by relevance and retrieval: true and false positives, false and true negatives.

    >>> Contingency.of((1, 1, 0), relevant=4, collection=10)
    Contingency(tp=2, fp=1, fn=2, tn=5)
    """

    tp: int
    fp: int
    fn: int
    tn: int

    @classmethod
    def of(cls, retrieved: Run, relevant: int, collection: int) -> Contingency:
        """The counts for a set of retrieved documents."""
        tp = sum(map(bool, retrieved))
        fp = len(retrieved) - tp
        if tp > relevant or fp > collection - relevant:
            raise BadInput(f"{retrieved} does not fit {relevant} relevant documents among {collection}")
        return cls(tp, fp, relevant - tp, collection - relevant - fp)

    @property
    def size(self) -> int:
        """All documents."""
        return self.tp + self.fp + self.fn + self.tn


def _share(part: Rational, whole: Rational) -> Fraction:
    return Fraction(part) / whole if whole else Fraction(0)


SetMeasure: TypeAlias = Callable[[Contingency], Rational]

SET_MEASURES: dict[str, SetMeasure] = {
    "recall": lambda c: _share(c.tp, c.tp + c.fn),
    "precision": lambda c: _share(c.tp, c.tp + c.fp),
    "fallout": lambda c: _share(c.fp, c.fp + c.tn),
    "miss rate": lambda c: _share(c.fn, c.tp + c.fn),
    "classification accuracy": lambda c: _share(c.tp + c.tn, c.size),
    "error rate": lambda c: _share(c.fp + c.fn, c.size),
    "inverse recall": lambda c: _share(c.tn, c.fp + c.tn),
    "inverse precision": lambda c: _share(c.tn, c.fn + c.tn),
    "specificity": lambda c: _share(c.tn, c.tn + c.fp),
    "false discovery rate": lambda c: _share(c.fp, c.fp + c.tp),
    "false omission rate": lambda c: _share(c.fn, c.fn + c.tn),
    "F-measure": lambda c: _share(2 * c.tp, 2 * c.tp + c.fp + c.fn),
    "generality factor": lambda c: _share(c.tp + c.fn, c.size),
}
"""By their names in Giner 2023; the F-measure is the harmonic mean of precision and recall, written as one quotient."""


def utility(tp: Rational, fn: Rational, fp: Rational, tn: Rational) -> SetMeasure:
    """The utility with these weights on the four counts.

    >>> utility(2, 0, -1, 0)(Contingency(3, 1, 0, 5))
    5
    """
    return lambda c: tp * c.tp + fn * c.fn + fp * c.fp + tn * c.tn


UserMeasure: TypeAlias = Callable[[Run, int], Fraction]


def _known(retrieved: Run) -> int:
    return retrieved.count(2)


def _unknown(retrieved: Run) -> int:
    return retrieved.count(1)


USER_MEASURES: dict[str, UserMeasure] = {
    "coverage ratio": lambda run, known: _share(_known(run), known),
    "retrieval recall": lambda run, known: _share(_known(run) + _unknown(run), known),
    "novelty ratio": lambda run, known: _share(_unknown(run), _known(run) + _unknown(run)),
    "recall effort": lambda run, known: _share(known, len(run)),
}
"""Of a retrieved set and of the number of relevant documents that the user knew of."""


def _cumulated(gains: Gains, depth: int) -> list[int]:
    """The gains added up to every rank; after the last one nothing is added."""
    return list(accumulate([*gains, *[0] * depth][:depth]))


def _relevant(gains: Gains) -> list[bool]:
    return [gain > 0 for gain in gains]


def sliding_ratio(run: Gains, ideal: Gains) -> Fraction:
    """The gain of the whole run over that of the ideal one (Pollock 1968).

    >>> sliding_ratio((0, 1, 0), (1, 1))
    Fraction(1, 2)
    """
    return _share(sum(run), sum(ideal[: len(run)]))


def modified_sliding_ratio(run: Gains, ideal: Gains) -> Fraction:
    """The sliding ratio with every gain divided by its rank (Sagara 2002).

    >>> modified_sliding_ratio((0, 1, 0, 0), (1,))
    Fraction(1, 2)
    """

    def weighted(gains: Gains) -> Fraction:
        return sum((Fraction(gain, rank) for rank, gain in enumerate(gains, 1)), Fraction(0))

    return _share(weighted(run), weighted(ideal[: len(run)]))


def weighted_r_precision(run: Gains, ideal: Gains) -> Fraction:
    """The gain down to rank R over the ideal gain there, R the topic's relevant documents (Kando 2001).

    >>> weighted_r_precision((0, 2, 1), (2, 1))
    Fraction(2, 3)
    """
    base = sum(_relevant(ideal))
    return _share(sum(run[:base]), sum(ideal[:base]))


def r_measure(run: Gains, ideal: Gains) -> Fraction:
    """Gain and count of relevant documents down to rank R, over the ideal gain and R (Sakai 2004).

    >>> r_measure((0, 2, 1), (2, 1))
    Fraction(3, 5)
    """
    base = sum(_relevant(ideal))
    return _share(sum(run[:base]) + sum(_relevant(run[:base])), sum(ideal[:base]) + base)


def average_weighted_precision(run: Gains, ideal: Gains) -> Fraction:
    """The mean over the topic's relevant documents of gain over ideal gain where one is found (Kando 2001).

    >>> average_weighted_precision((0, 1, 0, 1), (1, 1))
    Fraction(3, 4)
    """
    got, best = _cumulated(run, len(run)), _cumulated(ideal, len(run))
    parts = (Fraction(g, b) for hit, g, b in zip(_relevant(run), got, best, strict=True) if hit)
    return _share(sum(parts, Fraction(0)), sum(_relevant(ideal)))


def q_measure(run: Gains, ideal: Gains) -> Fraction:
    """The mean over the topic's relevant documents of (gain + count) / (ideal gain + rank) where one is found
    (Sakai 2004).

    >>> q_measure((1, 0), (1, 1)), q_measure((2, 1), (2, 1))
    (Fraction(1, 2), Fraction(1, 1))
    """
    hits = _relevant(run)
    got, best, count = _cumulated(run, len(run)), _cumulated(ideal, len(run)), list(accumulate(map(int, hits)))
    parts = (Fraction(got[i] + count[i], best[i] + i + 1) for i, hit in enumerate(hits) if hit)
    return _share(sum(parts, Fraction(0)), sum(_relevant(ideal)))


def extended_gain(run: Gains, ideal: Gains) -> Fraction:
    """Normalised extended cumulated gain at the end of the run (Kazai and Lalmas 2006).

    >>> extended_gain((1, 0, 0, 0), (1,)), extended_gain((0, 1, 0, 0), (1,))
    (Fraction(1, 1), Fraction(1, 1))
    """
    return sliding_ratio(run, ideal)


def mean_extended_gain(run: Gains, ideal: Gains) -> Fraction:
    """The mean over the ranks of the normalised extended cumulated gain (Kazai and Lalmas 2006).

    >>> mean_extended_gain((1, 0, 0, 0), (1,)), mean_extended_gain((0, 1, 0, 0), (1,))
    (Fraction(1, 1), Fraction(3, 4))
    """
    got, best = _cumulated(run, len(run)), _cumulated(ideal, len(run))
    return _share(sum((_share(g, b) for g, b in zip(got, best, strict=True)), Fraction(0)), len(run))


def gain_recall(run: Gains, ideal: Gains) -> Fraction:
    """The gain of the run over all there is to gain (Kazai and Lalmas 2006).

    >>> gain_recall((0, 1), (1, 1, 1))
    Fraction(1, 3)
    """
    return _share(sum(run), sum(ideal))


def normalised_recall(run: Gains) -> Fraction:
    """How far the ranks of the relevant documents are from the best ones (Rocchio 1964); the run ranks all documents.

    >>> normalised_recall((0, 1, 1, 0)), normalised_recall((1, 0, 0, 1)), normalised_recall((1, 1, 0, 0))
    (Fraction(1, 2), Fraction(1, 2), Fraction(1, 1))
    """
    ranks = _ranks(run)
    most = len(ranks) * (len(run) - len(ranks))
    return 1 - _share(sum(ranks) - sum(range(1, len(ranks) + 1)), most)


def normalised_precision(run: Gains) -> Rational | LogSum:
    """The same with the logarithms of the ranks (Rocchio 1964).

    The value is ln(C(L, R) R! / product of the ranks) / ln C(L, R). It is kept as a sum over the primes p of ln p /
    ln C(L, R); two such sums are equal exactly when the exponents are, by unique factorisation.

    >>> normalised_precision((0, 0, 1, 1, 0, 0)) == normalised_precision((0, 1, 0, 0, 0, 1))
    True
    >>> round(float(normalised_precision((0, 1, 0))), 4)
    0.3691
    """
    ranks = _ranks(run)
    choices = comb(len(run), len(ranks))
    if choices == 1:
        return 1
    exponents = prime_exponents(Fraction(choices * factorial(len(ranks)), prod(ranks)))
    return LogSum({Unit(prime, choices): power for prime, power in exponents.items()}) if exponents else 0


def _ranks(run: Gains) -> list[int]:
    return [rank for rank, gain in enumerate(run, 1) if gain > 0]


def prime_exponents(number: Fraction) -> dict[int, int]:
    """The prime factors of a positive fraction with their exponents.

    >>> prime_exponents(Fraction(12, 5))
    {2: 2, 3: 1, 5: -1}
    """
    found: dict[int, int] = {}
    for part, sign in ((number.numerator, 1), (number.denominator, -1)):
        rest, divisor = part, 2
        while rest > 1:
            while rest % divisor == 0:
                found[divisor] = found.get(divisor, 0) + sign
                rest //= divisor
            divisor += 1
    return found


def expected_search_length(levels: Iterable[tuple[int, int]], wanted: int = 1) -> Fraction:
    """The non-relevant documents that a user expects to read before having found so many relevant ones (Cooper 1968).

    `levels` are (relevant, non-relevant) counts of documents that are ranked level, from the top. In the level where
    the search ends, the documents come in random order. Where too few are relevant, all non-relevant ones are read.

    >>> expected_search_length([(0, 2), (1, 3)]), expected_search_length([(2, 1), (1, 4)], wanted=3)
    (Fraction(7, 2), Fraction(3, 1))
    """
    passed = Fraction(0)
    missing = wanted
    for relevant, others in levels:
        if relevant >= missing:
            return passed + Fraction(others * missing, relevant + 1)
        missing -= relevant
        passed += others
    return passed


def search_length(run: Gains, ideal: Gains) -> Fraction:
    """The expected search length of a ranking without ties, for one relevant document.

    >>> search_length((0, 0, 1), (1,))
    Fraction(2, 1)
    """
    return expected_search_length((int(hit), int(not hit)) for hit in _relevant(run))


def golden_rbp(run: Gains, ideal: Gains) -> float:
    """Binary RBP with p the golden ratio less 1, for which p + p^2 = 1 (without the constant factor 1 - p).

    The values are a + b p with whole a and b, at most 55 in size to depth 10. Different ones differ by at least
    1 / (|a| + 1.62 |b|), because the norm of their difference is a whole number; floats and a small tolerance are
    enough to tell them apart.

    >>> abs(golden_rbp((1, 0, 0), ()) - golden_rbp((0, 1, 1), ())) < 1e-12
    True
    """
    p = (5**0.5 - 1) / 2
    return float(sum(p**rank for rank, hit in enumerate(_relevant(run)) if hit))
