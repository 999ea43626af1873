"""One topic's judgments and one judged run: all that a measure may know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

Grade: TypeAlias = int | Fraction
"""A relevance grade; 0 is non-relevant. Text and floats become exact fractions on the way in."""


@dataclass(frozen=True, slots=True)
class Topic:
    """How many documents were judged with each grade, and the highest grade in use anywhere in the qrels.

    >>> topic = Topic.of({0: 40, 1: 6, 2: 3})
    >>> topic.relevant(), topic.relevant(rel=2), topic.nonrelevant(), topic.top
    (9, 3, 40, 2)
    >>> list(topic.ideal())
    [2, 2, 2, 1, 1, 1, 1, 1, 1]
    """

    counts: tuple[tuple[Grade, int], ...]
    top: Grade

    @classmethod
    def of(cls, counts: Mapping[Grade, int], top: Grade | None = None) -> Topic:
        """Judged documents by grade; `top` defaults to the highest grade there is (at least 1)."""
        ordered = tuple(sorted((g, n) for g, n in counts.items() if n))
        highest = max((g for g, _ in ordered if g > 0), default=1)
        return cls(ordered, highest if top is None else top)

    def relevant(self, rel: Grade = 1) -> int:
        """The recall base: judged documents of at least this grade."""
        return sum(n for g, n in self.counts if g >= rel)

    def nonrelevant(self, rel: Grade = 1) -> int:
        """Judged documents below this grade."""
        return sum(n for g, n in self.counts if g < rel)

    def ideal(self) -> Iterator[Grade]:
        """The grades above 0 in the best possible order."""
        for grade, number in reversed(self.counts):
            if grade > 0:
                yield from (grade for _ in range(number))


@dataclass(frozen=True, slots=True)
class Judged:
    """One run on one topic: grades in rank order (`None` is unjudged) and the topic's judgments.

    >>> run = Judged.of([1, 0, 1], relevant=3)
    >>> run.grades, run.topic.relevant()
    ((1, 0, 1), 3)
    """

    grades: tuple[Grade | None, ...]
    topic: Topic

    @classmethod
    def of(cls, grades: Iterable[Grade | None], relevant: int | None = None, top: Grade | None = None) -> Judged:
        """A judged run for examples and universes.

        Without `relevant` the recall base is what the run retrieved; with it, missing relevant documents get grade 1.
        """
        listed = tuple(grades)
        counts: dict[Grade, int] = {}
        for grade in listed:
            if grade is not None:
                counts[grade] = counts.get(grade, 0) + 1
        found = sum(n for g, n in counts.items() if g > 0)
        if relevant is not None:
            counts[1] = counts.get(1, 0) + max(0, relevant - found)
        return cls(listed, Topic.of(counts, top))


def as_grade(value: float | Fraction) -> Grade:
    """An exact grade: whole numbers become integers, other floats the decimal they print as.

    >>> as_grade(2.0), as_grade(0.1)
    (2, Fraction(1, 10))
    """
    exact = value if isinstance(value, Fraction) else Fraction(str(value))
    return int(exact) if exact.denominator == 1 else exact
