"""Five ways to say that one run is at least as good as another, without a number.

`set-total`: the highest grade of which the two hold different numbers decides. `set-partial`: at least as many
documents at or above every grade. `strong`: the first rank at which they differ decides. `weak`: at least as many
documents at or above every grade, at every rank. `induced`: a measure decides. The first four are equations 1, 4, 6 and
8 of Ferrante et al. 2018, the fifth is the order of its sections 5.3 and 6.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenscale.errors import BadParameter, EvenscaleError
from evenscale.judged import Topic
from evenscale.measures.contract import Measure
from evenscale.orders.universe import SetUniverse, Universe
from evenscale.orders.values import Run, Runs, placed

Leq: TypeAlias = Callable[[Run, Run], bool]
Grades: TypeAlias = NDArray[np.int64]
"""Runs as rows, grades by rank as columns."""
Features: TypeAlias = NDArray[np.int64]
"""One row a run: a run is at most another when every one of its features is."""

BUDGET = 1 << 12
"""The most runs whose order is worked out pair by pair."""


class UniverseTooLarge(EvenscaleError, ValueError):
    """A universe has more runs than the budget; the message names its size and the depth that would work."""


class _OnRuns:
    """What every order has: a name, and what it is about."""

    name: str
    sets: bool

    def __str__(self) -> str:
        return self.name

    def universe(self, depth: int, grades: int = 1) -> Universe | SetUniverse:
        """All that the order is about: runs of this length, or sets of this size."""
        return SetUniverse(depth, grades) if self.sets else Universe(depth, grades)


def _one_length(run: Run, other: Run) -> None:
    if len(run) != len(other):
        raise BadParameter(f"runs must have one length, got {len(run)} and {len(other)}")


@dataclass(frozen=True)
class Order(_OnRuns):
    """An order on runs: a rule for two runs, and features that give all pairs of a universe at once.

    >>> weak = ORDERS["weak"]
    >>> weak.leq((0, 1, 0), (1, 0, 0)), weak.comparable((0, 1, 1), (1, 0, 0))
    (True, False)
    >>> weak.universe(3, 2)
    Universe(depth=3, grades=2, recall_base=None)
    """

    name: str
    title: str
    sets: bool
    """Whether the order looks at sets, so that ranks do not count."""
    rule: Leq
    spread: Callable[[Grades], Features]
    cite: str = ""

    def leq(self, run: Run, other: Run) -> bool:
        """Whether the first run is at most the second."""
        _one_length(run, other)
        return self.rule(run, other)

    def comparable(self, run: Run, other: Run) -> bool:
        """Whether the order ranks these two at all."""
        return self.leq(run, other) or self.leq(other, run)

    def features(self, runs: Sequence[Run]) -> Features:
        """For every run the numbers that decide: at most in all of them is at most in the order."""
        return self.spread(np.array(runs, dtype=np.int64))

    def matrix(self, universe: Runs) -> NDArray[np.bool_]:
        """For all pairs of runs of a universe whether the row's run is at most the column's.

        >>> ORDERS["strong"].matrix(Universe(1, 2)).astype(int).tolist()
        [[1, 1, 1], [0, 1, 1], [0, 0, 1]]
        """
        refuse_large(universe)
        return self.among(tuple(universe.runs()), universe)

    def among(self, runs: Sequence[Run], universe: Runs) -> NDArray[np.bool_]:
        """The same for some runs of a universe."""
        return all_at_most(self.features(runs))


def all_at_most(features: Features) -> NDArray[np.bool_]:
    """For all pairs of rows whether every feature of the first is at most that of the second."""
    result = np.ones((len(features), len(features)), dtype=np.bool_)
    for column in features.T:
        # Only the order of a feature counts, so its places do; in a narrow type they are compared faster.
        numbers = np.unique(column, return_inverse=True)[1].reshape(-1)
        narrow = numbers.astype(np.int16) if len(features) < 1 << 15 else numbers
        result &= np.less_equal.outer(narrow, narrow)
    return result


def refuse_large(universe: Runs, budget: int = BUDGET) -> None:
    """Raise UniverseTooLarge, with the depth that would work, where a universe has more runs than the budget.

    >>> refuse_large(Universe(13))
    Traceback (most recent call last):
    ...
    evenscale.orders.orders.UniverseTooLarge: depth 13 with grades 0 to 1 has 8,192 runs, above the budget of 4,096: \
depth 12 would work
    """
    if universe.size <= budget:
        return
    grades = f" with grades 0 to {universe.topic.top}"
    works = next((d for d in range(universe.depth - 1, 0, -1) if _shallower(universe, d) <= budget), 0)
    advice = f"depth {works} would work" if works else "no depth would work, take fewer grades"
    raise UniverseTooLarge(
        f"depth {universe.depth}{grades} has {universe.size:,} runs, above the budget of {budget:,}: {advice}"
    )


def _shallower(universe: Runs, depth: int) -> int:
    grades = int(universe.topic.top)
    if isinstance(universe, SetUniverse):
        return SetUniverse(depth, grades).size
    return Universe(depth, grades, getattr(universe, "recall_base", None)).size


# --- the rules, as they are defined ---------------------------------------------------------------------------------


def _set_total(run: Run, other: Run) -> bool:
    """Ferrante et al. 2018, equation 1."""
    for grade in range(max(*run, *other), -1, -1):
        mine, theirs = run.count(grade), other.count(grade)
        if mine != theirs:
            return mine < theirs
    return True


def _set_partial(run: Run, other: Run) -> bool:
    """Ferrante et al. 2018, equation 4."""
    return all(at_least(run, grade) <= at_least(other, grade) for grade in range(max(*run, *other) + 1))


def _strong(run: Run, other: Run) -> bool:
    """Ferrante et al. 2018, equation 6."""
    return next((mine < theirs for mine, theirs in zip(run, other, strict=True) if mine != theirs), True)


def _weak(run: Run, other: Run) -> bool:
    """Ferrante et al. 2018, equation 8."""
    return all(_set_partial(run[:rank], other[:rank]) for rank in range(1, len(run) + 1))


def at_least(run: Run, grade: int) -> int:
    """How many documents of a run are at or above a grade.

    >>> at_least((2, 0, 1), 1)
    2
    """
    return sum(found >= grade for found in run)


# --- the same as features -------------------------------------------------------------------------------------------


def _first_decides(grades: Grades) -> Features:
    """The place of every run when the first difference decides."""
    return np.unique(grades, axis=0, return_inverse=True)[1].reshape(-1, 1)


def _high_to_low(grades: Grades) -> Features:
    # Listed from high to low, the first difference is at the highest grade of which there are different numbers.
    return _first_decides(-np.sort(-grades, axis=1))


def _counts(grades: Grades) -> Features:
    return np.stack([(grades >= grade).sum(axis=1) for grade in _above_zero(grades)], axis=1)


def _prefix_counts(grades: Grades) -> Features:
    return np.concatenate([np.cumsum(grades >= grade, axis=1) for grade in _above_zero(grades)], axis=1)


def _above_zero(grades: Grades) -> range:
    # At grade 0 everything counts, so nothing is decided there; one feature must remain.
    return range(1, max(int(grades.max()), 1) + 1)


CITE = "Ferrante et al. 2018"

ORDERS: dict[str, Order] = {
    order.name: order
    for order in (
        Order("set-total", "the highest differing grade decides", True, _set_total, _high_to_low, f"{CITE}, eq. 1"),
        Order("set-partial", "counts at or above every grade", True, _set_partial, _counts, f"{CITE}, eq. 4"),
        Order("strong", "the first differing rank decides", False, _strong, _first_decides, f"{CITE}, eq. 6"),
        Order("weak", "counts at every rank and grade", False, _weak, _prefix_counts, f"{CITE}, eq. 8"),
    )
}
"""The orders that need no measure, by name."""

NAMES = (*ORDERS, "induced")


@dataclass(frozen=True)
class Induced(_OnRuns):
    """The order that a measure induces: a run is at most another when its exact value is.

    It is a weak order: runs of equal value are equivalent, and what is left of them is a chain.

    >>> from evenscale.measures import parse
    >>> order = induced(parse("P@3"))
    >>> order.leq((1, 0, 0), (0, 1, 1)), order.leq((1, 0, 0), (0, 0, 1)), order.leq((0, 0, 1), (1, 0, 0))
    (True, True, True)
    """

    measure: Measure | Callable[[Run], Any]
    sets: bool = False
    grades: int | None = None
    """The highest grade there is, for `leq`; by default the highest that the two runs hold."""
    name: str = "induced"
    title: str = "the measure decides"
    cite: str = f"{CITE}, sections 5.3 and 6.3"

    def leq(self, run: Run, other: Run) -> bool:
        """Whether the first run's value is at most the second's; on a topic with only highest-grade documents."""
        _one_length(run, other)
        here = placed(self.measure, _Two(run, other, self.grades or max(1, *run, *other)))
        return bool(here.places[0] <= here.places[1])

    def comparable(self, run: Run, other: Run) -> bool:
        """Always: a measure ranks any two runs."""
        return True

    def matrix(self, universe: Runs) -> NDArray[np.bool_]:
        """For all pairs of runs of a universe whether the row's value is at most the column's."""
        refuse_large(universe)
        return self.among(tuple(universe.runs()), universe)

    def among(self, runs: Sequence[Run], universe: Runs) -> NDArray[np.bool_]:
        """The same for some runs of a universe, scored on its topic."""
        found = placed(self.measure, universe)
        place = dict(zip(found.runs, found.places.tolist(), strict=True))
        return all_at_most(np.array([[place[run]] for run in runs], dtype=np.int64))


AnyOrder: TypeAlias = Order | Induced


def induced(measure: Measure | Callable[[Run], Any], *, sets: bool = False, grades: int | None = None) -> Induced:
    """The order of a measure on runs or, with `sets`, on sets."""
    return Induced(measure, sets, grades)


@dataclass(frozen=True)
class _Two:
    """A universe of two runs, with the topic of all runs of their length and grades."""

    run: Run
    other: Run
    grades: int

    @property
    def depth(self) -> int:
        return len(self.run)

    @property
    def size(self) -> int:
        return 2

    @property
    def topic(self) -> Topic:
        return Universe(self.depth, self.grades).topic

    def runs(self) -> Iterator[Run]:
        return iter((self.run, self.other))


def find_order(name: str, measure: Measure | Callable[[Run], Any] | None = None) -> AnyOrder:
    """An order by its name; `induced` needs the measure.

    >>> find_order("weak").title
    'counts at every rank and grade'
    >>> find_order("week")
    Traceback (most recent call last):
    ...
    evenscale.errors.BadParameter: the order must be one of set-total, set-partial, strong, weak, induced, got 'week'
    """
    if name == "induced" and measure is not None:
        return induced(measure)
    if name in ORDERS:
        return ORDERS[name]
    if name == "induced":
        raise BadParameter("the order 'induced' needs the measure that induces it")
    raise BadParameter(f"the order must be one of {', '.join(NAMES)}, got {name!r}")
