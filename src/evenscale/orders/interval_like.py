"""Interval-like measures (Ferrante, Ferro and Pontarollo 2017): longer intervals of runs get larger differences.

An interval [r, s] goes up from a run r to a run s that is better under weak top-heaviness. Its length is a vector, its
*difference vector*, and such vectors are ordered only in part. A measure is interval-like if it never gives a smaller
interval the larger difference in value; equal lengths then need equal differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenscale.errors import BadInput, BadParameter
from evenscale.judged import Topic
from evenscale.measures import Measure
from evenscale.orders.gaps import Value, gap, shown, spelled
from evenscale.orders.universe import Universe
from evenscale.orders.values import Placed, Run, placed, placed_values
from evenscale.results import Result
from evenscale.tables import Table

Ints: TypeAlias = NDArray[np.int64]
Interval: TypeAlias = tuple[Run, Run]
"""Its two end points, the lower one first."""

BUDGET = 1 << 26
"""Pairs of difference vectors to compare at most; beyond, intervals are sampled."""
MOST_RUNS = 1 << 11
"""Runs of a universe that is looked through in full."""
SAMPLES = 2000
CHUNK = 1 << 22


def differences(r: Sequence[int], s: Sequence[int]) -> Run:
    """The difference vector from r to s: entry i is the sum over j <= i of (i - j + 1)(s[j] - r[j]) (Definition 2).

    It counts the single steps that lead from r to s, replacements at the end and swaps with the rank above, down to
    every rank. Its last entry is the natural distance. Grades above 1 count as so many steps, which is the same vector
    summed over the grades. From a better run down to a worse one all entries are negative or 0.

    >>> differences((0, 1, 0, 0), (1, 0, 1, 0))
    (1, 1, 2, 3)
    >>> differences((1, 0), (0, 1))
    (-1, -1)
    >>> differences((1, 0, 0), (0, 1, 1))
    Traceback (most recent call last):
    ...
    evenscale.errors.BadInput: (1, 0, 0) and (0, 1, 1) cannot be compared: neither has at least as much at every rank
    """
    if len(r) != len(s):
        raise BadInput(f"the runs must have one length, got {len(r)} and {len(s)}")
    counts = _prefix_counts(np.array([r, s], dtype=np.int64), max(1, *r, *s))
    if not ((counts[0] <= counts[1]).all() or (counts[1] <= counts[0]).all()):
        runs = f"{shown(tuple(r))} and {shown(tuple(s))}"
        raise BadInput(f"{runs} cannot be compared: neither has at least as much at every rank")
    return tuple(accumulate(accumulate(b - a for a, b in zip(r, s, strict=True))))


def smaller_or_equal(first: Sequence[int], second: Sequence[int]) -> bool:
    """Whether one difference vector is nowhere above another (Definition 3).

    >>> smaller_or_equal((0, 1, 1), (1, 1, 1)), smaller_or_equal((0, 2), (1, 1)), smaller_or_equal((1, 1), (0, 2))
    (True, False, False)
    """
    return all(a <= b for a, b in zip(first, second, strict=True))


@dataclass(frozen=True)
class Violation:
    """Two intervals that a measure gets wrong: the smaller one has the larger difference in value."""

    smaller: Interval
    larger: Interval
    smaller_gap: Value
    larger_gap: Value

    @property
    def vectors(self) -> tuple[Run, Run]:
        """Both difference vectors, that of the smaller interval first."""
        return differences(*self.smaller), differences(*self.larger)

    @property
    def sentence(self) -> str:
        """The finding in words."""
        (u, v), (r, s), (small, large) = self.smaller, self.larger, self.vectors
        relation = "as long as" if small == large else "no longer than"
        return (
            f"from {shown(u)} to {shown(v)} is {relation} from {shown(r)} to {shown(s)}: the difference vectors are "
            f"{shown(small)} and {shown(large)}; but the value rises by {spelled(self.smaller_gap)} and by "
            f"{spelled(self.larger_gap)}"
        )

    @property
    def short(self) -> str:
        """The runs and the two differences in value, in short."""
        (u, v), (r, s) = ((shown(low), shown(high)) for low, high in (self.smaller, self.larger))
        return f"{u} to {v}: {spelled(self.smaller_gap)}; {r} to {s}: {spelled(self.larger_gap)}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        small, large = self.vectors
        return {
            "smaller": [list(run) for run in self.smaller],
            "larger": [list(run) for run in self.larger],
            "vectors": [list(small), list(large)],
            "gaps": [spelled(self.smaller_gap), spelled(self.larger_gap)],
            "sentence": self.sentence,
        }


@dataclass(frozen=True, eq=False)
class IntervalLike(Result):
    """Whether a measure is interval-like on a universe, and the two intervals that show where it is not.

    `intervals` is how many were looked at (single runs are intervals of length 0), `lengths` how many different
    difference vectors they have; every pair of vectors was compared. Without a violation, `exhaustive` tells a proof
    for this universe from a search that found nothing.
    """

    measure: str
    depth: int
    grades: int
    equal_mass: bool
    exhaustive: bool
    intervals: int
    lengths: int
    violation: Violation | None

    @property
    def holds(self) -> bool:
        """Whether no violation was found."""
        return self.violation is None

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        mass = "equally many relevant documents" if self.grades == 1 else "the same sum of grades"
        which = f"intervals whose ends have {mass}" if self.equal_mass else "intervals"
        looked = f"{'all' if self.exhaustive else 'a sample of'} {self.intervals:,} {which} at depth {self.depth}"
        if self.violation:
            return f"{self.measure} is not interval-like: {self.violation.sentence}."
        if self.exhaustive:
            return f"{self.measure} is interval-like on {looked}."
        return f"{looked[0].upper()}{looked[1:]} shows no violation; that does not prove {self.measure} interval-like."

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row."""
        row = {key: value for key, value in self.to_dict().items() if key != "violation"}
        found = self.violation.to_dict() if self.violation else {}
        return pl.DataFrame([row | {key: str(found[key]) if found else None for key in ("smaller", "larger", "gaps")}])

    def table(self) -> Table:
        """The verdict as a person wants to see it."""
        kind = "ends of equal mass" if self.equal_mass else "all"
        rows = [
            ("measure", self.measure),
            ("depth", str(self.depth)),
            ("intervals", f"{kind}: {self.intervals:,}, {'exhaustive' if self.exhaustive else 'sampled'}"),
            ("interval-like", "yes" if self.holds and self.exhaustive else "not refuted" if self.holds else "no"),
            ("why", self.sentence),
        ]
        return Table(("", ""), rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "measure": self.measure,
            "depth": self.depth,
            "grades": self.grades,
            "equal_mass": self.equal_mass,
            "interval_like": self.holds,
            "exhaustive": self.exhaustive,
            "intervals": self.intervals,
            "lengths": self.lengths,
            "sentence": self.sentence,
            "violation": self.violation.to_dict() if self.violation else None,
        }


def interval_like(
    measure: Measure | Callable[[Run], Any],
    universe: Universe,
    *,
    equal_mass: bool = False,
    budget: int = BUDGET,
    samples: int = SAMPLES,
    rng: int | np.random.Generator = 0,
) -> IntervalLike:
    """Look for two intervals that a measure gets wrong: all of them on a small universe, else a random sample.

    `equal_mass` keeps to intervals whose end points have the same number of relevant documents (graded: the same sum of
    grades), for which Ferrante, Ferro and Pontarollo 2017 claim the property of DCG and RBP. Graded runs are ordered by
    weak top-heaviness: at least as many documents of at least every grade down to every rank. Values are compared
    exactly; a measure that gives floats is compared to a small tolerance.

    >>> from evenscale.measures import parse
    >>> interval_like(parse("RBP(p=0.8)@4"), Universe(4), equal_mass=True).holds
    True
    >>> print(interval_like(parse("RBP(p=0.8)@2"), Universe(2)).violation.sentence)
    from (0, 0) to (0, 1) is no longer than from (0, 1) to (1, 0): the difference vectors are (0, 1) and (1, 1);
    but the value rises by 4/25 and by 1/25
    """
    for name, number in (("budget", budget), ("samples", samples)):
        if number < 1:
            raise BadParameter(f"{name} must be at least 1, got {number}")
    found = _all_intervals(measure, universe, equal_mass, budget)
    exhaustive = found is not None
    if found is None:
        found = _sampled(measure, universe, equal_mass, samples, np.random.default_rng(rng))
    scored, lower, upper = found
    lengths, violation = _violation(scored, lower, upper)
    name = str(measure) if isinstance(measure, Measure) else getattr(measure, "__name__", "the measure")
    return IntervalLike(name, universe.depth, universe.grades, equal_mass, exhaustive, len(lower), lengths, violation)


_Found: TypeAlias = tuple[Placed, Ints, Ints]
"""Scored runs, and the numbers of the lower and of the upper end points of the intervals."""


def _prefix_counts(runs: Ints, grades: int) -> Ints:
    """For every run, how many documents of at least every grade there are down to every rank, side by side."""
    return np.concatenate([np.cumsum(runs >= grade, axis=1) for grade in range(1, grades + 1)], axis=1)


def _all_intervals(measure: Any, universe: Universe, equal_mass: bool, budget: int) -> _Found | None:
    """Every interval of a universe; None where there is too much to compare."""
    if universe.size > MOST_RUNS:
        return None
    runs = np.array(list(universe.runs()), dtype=np.int64)
    lower, upper = _comparable(runs, universe.grades, equal_mass)
    if len(np.unique(_vectors(runs, lower, upper), axis=0)) ** 2 > budget:
        return None
    return placed(measure, universe), lower, upper


def _comparable(runs: Ints, grades: int, equal_mass: bool) -> tuple[Ints, Ints]:
    """The numbers of all pairs of runs of which the second is at least as good; a run is an interval by itself too."""
    counts, mass = _prefix_counts(runs, grades), runs.sum(axis=1)
    pairs = []
    for number in range(len(runs)):
        above = (counts[number] <= counts).all(axis=1)
        if equal_mass:
            above &= mass == mass[number]
        pairs.append(np.flatnonzero(above))
    lower = np.repeat(np.arange(len(runs)), [len(found) for found in pairs])
    return lower.astype(np.int64), np.concatenate(pairs).astype(np.int64)


def _vectors(runs: Ints, lower: Ints, upper: Ints) -> Ints:
    """The difference vector of every interval."""
    return np.cumsum(np.cumsum(runs[upper] - runs[lower], axis=1), axis=1)


def _violation(scored: Placed, lower: Ints, upper: Ints) -> tuple[int, Violation | None]:
    """How many difference vectors there are, and the violation that is quickest to read.

    All intervals of one vector count as one: its largest difference must not exceed the smallest of any vector above.
    """
    runs = np.array(scored.runs, dtype=np.int64)
    vectors, group = np.unique(_vectors(runs, lower, upper), axis=0, return_inverse=True)
    places, gaps = _ordered_gaps(scored, lower, upper)
    burden = runs[lower].sum(axis=1) + runs[upper].sum(axis=1)
    most = _one_each(group.reshape(-1), -places, burden)
    least = _one_each(group.reshape(-1), places, burden)
    pair = _worst_pair(vectors, places[most], places[least], burden[most], burden[least])
    if pair is None:
        return len(vectors), None
    small, large = most[pair[0]], least[pair[1]]

    def ends(number: int) -> Interval:
        return scored.runs[lower[number]], scored.runs[upper[number]]

    return len(vectors), Violation(ends(small), ends(large), gaps[places[small]], gaps[places[large]])


def _ordered_gaps(scored: Placed, lower: Ints, upper: Ints) -> tuple[Ints, tuple[Value, ...]]:
    """For every interval, the place of its difference in value among all of them, ordered exactly."""
    ends = scored.places[lower] * len(scored.values) + scored.places[upper]
    distinct, which = np.unique(ends, return_inverse=True)
    values = scored.values
    found = [gap(values[end // len(values)], values[end % len(values)]) for end in distinct.tolist()]
    among = placed_values([()] * len(found), found)
    return among.places[which.reshape(-1)], among.values


def _one_each(group: Ints, first_by: Ints, then_by: Ints) -> Ints:
    """For every group the number of the member that comes first."""
    order = np.lexsort((then_by, first_by, group))
    return order[np.unique(group[order], return_index=True)[1]]


def _worst_pair(
    vectors: Ints, most: Ints, least: Ints, most_burden: Ints, least_burden: Ints
) -> tuple[int, int] | None:
    """Vectors a <= b such that the most of a is above the least of b, with the least to read."""
    best: tuple[int, int, int] | None = None
    rows = max(1, CHUNK // len(vectors))
    for start in range(0, len(vectors), rows):
        part = slice(start, start + rows)
        wrong = most[part, None] > least
        for rank in range(vectors.shape[1]):
            wrong &= vectors[part, None, rank] <= vectors[None, :, rank]
        if not wrong.any():
            continue
        a, b = np.nonzero(wrong)
        cost = most_burden[a + start] + least_burden[b]
        at = int(cost.argmin())
        if best is None or cost[at] < best[0]:
            best = int(cost[at]), int(a[at]) + start, int(b[at])
    return best[1:] if best else None


# --- beyond the budget ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Chosen:
    """Some runs of a universe."""

    listed: tuple[Run, ...]
    depth: int
    topic: Topic

    @property
    def size(self) -> int:
        return len(self.listed)

    def runs(self) -> Iterator[Run]:
        return iter(self.listed)


def _sampled(measure: Any, universe: Universe, equal_mass: bool, samples: int, rng: np.random.Generator) -> _Found:
    """Random intervals: from a random run some steps up, mostly few, since short intervals are compared most often."""
    numbers: dict[Run, int] = {}
    lower, upper = [], []
    for _ in range(samples):
        low = _random_run(universe, rng)
        high = low
        for _ in range(int(rng.geometric(1 / 3))):
            high = _step_up(high, universe, equal_mass, rng)
        lower.append(numbers.setdefault(low, len(numbers)))
        upper.append(numbers.setdefault(high, len(numbers)))
    scored = placed(measure, _Chosen(tuple(numbers), universe.depth, universe.topic))
    return scored, np.array(lower, dtype=np.int64), np.array(upper, dtype=np.int64)


def _random_run(universe: Universe, rng: np.random.Generator) -> Run:
    """A run with any number of relevant documents that the universe allows."""
    relevant = int(rng.integers(universe.most_relevant + 1))
    run = np.zeros(universe.depth, dtype=np.int64)
    where = rng.choice(universe.depth, size=relevant, replace=False)
    run[where] = rng.integers(1, universe.grades + 1, size=relevant)
    return tuple(run.tolist())


def _step_up(run: Run, universe: Universe, equal_mass: bool, rng: np.random.Generator) -> Run:
    """A run one step better: two neighbours swapped or the last document replaced; the same run where none is."""
    options = [i for i in range(len(run) - 1) if run[i] < run[i + 1]]
    full = not run[-1] and sum(map(bool, run)) >= universe.most_relevant
    if not equal_mass and run[-1] < universe.grades and not full:
        options.append(len(run) - 1)
    if not options:
        return run
    at = int(rng.choice(options))
    if at == len(run) - 1:
        return (*run[:-1], run[-1] + 1)
    return (*run[:at], run[at + 1], run[at], *run[at + 2 :])
