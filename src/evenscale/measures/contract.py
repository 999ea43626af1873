"""What a measure is: a frozen value that declares itself as a path sum.

A measure walks down the ranks with a small state; each step adds an exact increment; the value is the sum divided by a
constant for the topic. From that one declaration follow the exact value of a run, expected values over ties,
the naive enumeration of a universe and the engines of the scales. The vectorised `scores` of a measure is a shortcut
that the tests hold against the walk over all small cases.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Any, ClassVar, Literal, Self, TypeAlias

from evenscale.errors import BadParameter
from evenscale.judged.block import Block, Floats
from evenscale.judged.topic import Grade, Judged, Topic, as_grade
from evenscale.measures.exact import Exact, LogSum, Rational, divide, total

Amount: TypeAlias = Rational | LogSum
"""What a step may add, and what a topic's constant may be."""

State: TypeAlias = Hashable
Step: TypeAlias = Callable[[int, Any, Grade | None], tuple[State, Amount]]
Kind: TypeAlias = Literal["additive", "first hit", "whole numbers", "cumulative"]


@dataclass(frozen=True, slots=True)
class Walk:
    """A measure on one topic: start, step, and the topic's constants. `value = offset + sum(increments) / divisor`.

    `kind` says what sort of sum it is, from which the scales choose their engine. `additive`: the increments depend on
    no state, the step at a rank adds `weight(rank) * gain(grade)`. `first hit`: only the first relevant document adds.
    `whole numbers`: the sums are 0, 1, 2, ... without a hole. `cumulative`: anything else with a small state.
    """

    start: State
    step: Step
    divisor: Amount = 1
    offset: Rational = 0
    kind: Kind = "cumulative"
    weight: Callable[[int], Amount] | None = None
    gain: Callable[[Grade | None], Rational] | None = None

    def increments(self, grades: Iterable[Grade | None]) -> Iterable[Amount]:
        """What each rank adds."""
        state = self.start
        for rank, grade in enumerate(grades, 1):
            state, increment = self.step(rank, state, grade)
            yield increment

    def value(self, grades: Iterable[Grade | None]) -> Exact:
        """The exact value of a run; 0 where the divisor is 0."""
        return self.finish(total(self.increments(grades)))

    def finish(self, increments: Amount) -> Exact:
        """From the sum of the increments to the value."""
        quotient = divide(increments, self.divisor)
        if not self.offset:
            return quotient
        assert not isinstance(quotient, LogSum) and isinstance(quotient, int | Fraction)
        return quotient + self.offset


def additive(
    weight: Callable[[int], Amount],
    gain: Callable[[Grade | None], Rational],
    divisor: Amount = 1,
    offset: Rational = 0,
) -> Walk:
    """A walk without state: every rank adds `weight(rank) * gain(grade)`.

    >>> walk = additive(lambda rank: Fraction(1, 2**rank), lambda grade: grade or 0)
    >>> walk.value([1, 0, 1])
    Fraction(5, 8)
    """

    def step(rank: int, state: State, grade: Grade | None) -> tuple[State, Amount]:
        worth = gain(grade)
        return state, (weight(rank) * worth if worth else 0)

    return Walk(None, step, divisor, offset, "additive", weight, gain)


# --- parameters: checked and made exact when the measure is made ----------------------------------------------------

Check: TypeAlias = Callable[[str, Any], Any]


def parameter(default: Any, check: Check, *, always_spelled: bool = False) -> Any:
    """A measure's parameter with its check; `check(label, value)` returns the clean value or raises BadParameter."""
    return field(default=default, metadata={"check": check, "always": always_spelled})


def exact_number(label: str, value: Any) -> Fraction:
    """A number as the decimal or fraction it was written as."""
    try:
        if isinstance(value, bool):
            raise TypeError
        return Fraction(value) if isinstance(value, int | Fraction | str) else Fraction(str(value))
    except (TypeError, ValueError, ZeroDivisionError):
        raise BadParameter(f"{label} must be a number, got {value!r}") from None


def open_unit(label: str, value: Any) -> Fraction:
    """A number strictly between 0 and 1."""
    number = exact_number(label, value)
    if not 0 < number < 1:
        raise BadParameter(f"{label} must lie in (0, 1), got {value}")
    return number


def closed_unit(label: str, value: Any) -> Fraction:
    """A number from 0 to 1."""
    number = exact_number(label, value)
    if not 0 <= number <= 1:
        raise BadParameter(f"{label} must lie in [0, 1], got {value}")
    return number


def positive(label: str, value: Any) -> Fraction:
    """A number above 0."""
    number = exact_number(label, value)
    if number <= 0:
        raise BadParameter(f"{label} must be above 0, got {value}")
    return number


def grade_above_zero(label: str, value: Any) -> Grade:
    """A grade above 0: the least that counts as relevant, or the highest there is."""
    return as_grade(positive(label, value))


def whole(least: int) -> Check:
    """A whole number of at least this."""

    def check(label: str, value: Any) -> int:
        number = exact_number(label, value)
        if number.denominator != 1 or number < least:
            raise BadParameter(f"{label} must be a whole number of at least {least}, got {value}")
        return int(number)

    return check


def optional(check: Check) -> Check:
    """The same, or not given."""
    return lambda label, value: None if value is None else check(label, value)


def one_of(*choices: str) -> Check:
    """One of a few words."""

    def check(label: str, value: Any) -> str:
        if value not in choices:
            raise BadParameter(f"{label} must be one of {', '.join(map(repr, choices))}, got {value!r}")
        return str(value)

    return check


# --- the contract ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Measure(ABC):
    """A measure with its parameters.

    A subclass declares the class attributes below, its parameters as fields made by `parameter`, its `walk`, and a
    vectorised `scores`. Adding one costs its file, a line in `table.py` and a golden value in the tests.
    """

    name: ClassVar[str]
    """How it is spelled."""
    title: ClassVar[str]
    """One line for help and docs."""
    cite: ClassVar[str] = ""
    """Authors and year."""
    replacement: ClassVar[bool] = True
    """Never falls when a document is replaced by a more relevant one."""
    swap: ClassVar[bool] = True
    """Never falls when a more relevant document moves above a less relevant one."""
    recall_base: ClassVar[bool] = False
    """Depends on how many relevant documents the topic has."""
    boundable: ClassVar[bool] = True
    """Judging one more retrieved document moves it between `unjudged="lower"` and `"upper"`."""
    total_by: ClassVar[Literal["mean", "sum"]] = "mean"
    """How topics are put together."""
    batched: ClassVar[bool] = False
    """Scores many runs at once much faster than one after the other."""
    needs_cutoff: ClassVar[bool] = False
    takes_cutoff: ClassVar[bool] = True

    cutoff: int | None = parameter(None, optional(whole(1)))

    def __post_init__(self) -> None:
        for f in fields(self):
            clean = f.metadata["check"](f"{self.name}: {_SPELLED_AS.get(f.name, f.name)}", getattr(self, f.name))
            object.__setattr__(self, f.name, clean)
        if self.cutoff is None and self.needs_cutoff:
            raise BadParameter(f"{self.name} needs a cut-off: write {self.name}@10, say")
        if self.cutoff is not None and not self.takes_cutoff:
            raise BadParameter(f"{self.name} takes no cut-off, got @{self.cutoff}")

    @abstractmethod
    def walk(self, topic: Topic, depth: int) -> Walk:
        """The path sum on a topic for runs of this length."""

    @abstractmethod
    def scores(self, block: Block) -> Floats:
        """The values of many runs at once, as floats."""

    def check(self, levels: Sequence[Grade]) -> None:
        """Raise BadParameter if these grades cannot be scored."""

    def bounds(self, topic: Topic, depth: int) -> tuple[Exact, Exact]:
        """The least and the greatest value a run of this length could have."""
        return 0, 1

    def __call__(self, judged: Judged) -> Exact:
        """The exact value of one judged run."""
        return self.walk(judged.topic, len(judged.grades)).value(judged.grades[: self.cutoff])

    def __matmul__(self, cutoff: int) -> Self:
        """`AP() @ 30` is AP at cut-off 30."""
        return replace(self, cutoff=cutoff)

    def __str__(self) -> str:
        from evenscale.measures.spelling import spell

        return spell(self)


_SPELLED_AS = {"cutoff": "the cut-off"}


def relevance(rel: Grade) -> Callable[[Grade | None], int]:
    """Binary gain: 1 from this grade on.

    >>> [relevance(2)(g) for g in (None, 0, 1, 2, 3)]
    [0, 0, 0, 1, 1]
    """
    return lambda grade: int(grade is not None and grade >= rel)


def graded(top: Grade) -> Callable[[Grade | None], Rational]:
    """Gain as a share of the highest grade.

    >>> [str(graded(2)(g)) for g in (None, 0, 1, 2)]
    ['0', '0', '1/2', '1']
    """
    return lambda grade: Fraction(grade) / top if grade is not None and grade > 0 else 0


def within(levels: Sequence[Grade], gmax: Grade | None, name: str) -> None:
    """Raise BadParameter if a grade is above `gmax`."""
    if gmax is not None and levels[-1] > gmax:
        raise BadParameter(f"{name}: the qrels hold grade {levels[-1]}, above gmax={gmax}")
