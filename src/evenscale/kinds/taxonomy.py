"""The intrinsic taxonomy (Giner 2023), by computation: is a measure one-to-one on its runs, are its values equi-spaced?

Every measure is an ordinal scale of the order that it induces itself, and its difference a pseudometric. Where no two
runs share a value, the difference is a metric; where the values are equi-spaced as well, the measure is an interval
scale of its own order. Equi-spaced values alone are not enough: runs that share a value lie at distance 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from typing import Any, Literal, TypeAlias

import polars as pl

from evenscale.errors import BadParameter
from evenscale.judged import Topic
from evenscale.measures import Measure
from evenscale.orders.checks import Uneven, same_value_pair, uneven_gaps
from evenscale.orders.gaps import Value, shown, spelled
from evenscale.orders.universe import SetUniverse, Universe
from evenscale.orders.values import Placed, Run, Runs, placed
from evenscale.results import Result
from evenscale.scales import Interval, parse
from evenscale.tables import Table

Kind: TypeAlias = Literal["ordinal/pseudometric", "ordinal/metric", "interval/metric"]
KINDS: tuple[Kind, ...] = ("ordinal/pseudometric", "ordinal/metric", "interval/metric")
"""From the weakest to the strongest."""
Scored: TypeAlias = Measure | Callable[[Run], Any]

BUDGET = 1 << 11
"""Runs at the greatest depth that is looked at by default."""


@dataclass(frozen=True)
class Listed:
    """Chosen runs as a universe, of one length or of several, scored on a topic.

    >>> mixed = Listed(((0,), (1,), (1, 0)), Topic.of({1: 2}))
    >>> mixed.size, mixed.depth
    (3, 2)
    """

    chosen: tuple[Run, ...]
    topic: Topic

    @property
    def depth(self) -> int:
        """The length of the longest run."""
        return max(map(len, self.chosen))

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.chosen)

    def runs(self) -> Iterator[Run]:
        """All of them."""
        return iter(self.chosen)


def on_topic(universe: Runs, topic: Topic) -> Listed:
    """The runs of a universe, scored on another topic: with a smaller recall base, say.

    >>> two_relevant = on_topic(Universe(3), Topic.of({0: 3, 1: 2}))
    >>> category_of(parse("Rprec"), two_relevant).sentence
    '(0, 0, 0) and (0, 0, 1) both score 0; the values are equi-spaced'
    """
    return Listed(tuple(universe.runs()), topic)


@dataclass(frozen=True)
class Category:
    """Where a measure stands in the taxonomy on one universe.

    `same` are two runs that share the value `shared`, `uneven` three runs with consecutive values and unequal steps.
    """

    depth: int
    runs: int
    values: int
    same: tuple[Run, Run] | None
    shared: Value | None
    uneven: Uneven | None

    @property
    def injective(self) -> bool:
        """Whether every run has a value of its own."""
        return self.same is None

    @property
    def equispaced(self) -> bool:
        """Whether all steps between consecutive values are equal; one value or two always are equi-spaced."""
        return self.uneven is None

    @property
    def kind(self) -> Kind:
        """The category: interval/metric needs distinct and equi-spaced values."""
        if not self.injective:
            return "ordinal/pseudometric"
        return "interval/metric" if self.equispaced else "ordinal/metric"

    @property
    def witness(self) -> str:
        """The runs that decide it; empty for interval/metric."""
        if self.same is not None and self.values == 1:
            return f"every run scores {spelled(self.shared)}"
        if self.same is not None:
            first, second = map(shown, self.same)
            return f"{first} and {second} both score {spelled(self.shared)}"
        return steps(self.uneven) if self.uneven else ""

    @property
    def sentence(self) -> str:
        """What decides it, in words."""
        if self.kind == "interval/metric":
            return f"the {self.runs} runs have as many equi-spaced values"
        also = "; the values are equi-spaced" if self.same and self.equispaced and self.values > 2 else ""
        return self.witness + also

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "depth": self.depth,
            "runs": self.runs,
            "values": self.values,
            "category": self.kind,
            "injective": self.injective,
            "equispaced": self.equispaced,
            "same_value": [list(run) for run in self.same] if self.same else None,
            "uneven": self.uneven.to_dict() if self.uneven else None,
            "witness": self.witness or None,
        }


def steps(uneven: Uneven) -> str:
    """Three runs with unequal steps, in short."""
    (a, b, c), (x, y, z) = map(shown, uneven.runs), map(spelled, uneven.values)
    return f"{a}, {b}, {c} score {x}, {y}, {z}: steps of {spelled(uneven.gaps[0])} and {spelled(uneven.gaps[1])}"


def category_of(measure: Scored, universe: Runs) -> Category:
    """The category of a measure, or of any function on runs, decided over all runs of a universe.

    >>> category_of(parse("RBP(p=0.5)@3"), Universe(3)).kind
    'interval/metric'
    >>> category_of(parse("P@3"), Universe(3)).sentence
    '(0, 0, 1) and (0, 1, 0) both score 1/3; the values are equi-spaced'
    >>> category_of(parse("P@3"), SetUniverse(3)).kind
    'interval/metric'
    """
    return category(placed(measure, universe), universe.depth)


def category(found: Placed, depth: int) -> Category:
    """The same from values that are known already."""
    same = same_value_pair(found)
    shared = found.value(found.runs.index(same[0])) if same else None
    return Category(depth, len(found.runs), len(found.values), same, shared, uneven_gaps(found))


def weakest(found: Iterable[Category]) -> Category:
    """One category for several universes of a depth: the first of the weakest, and the runs of all.

    Equi-spaced means so on each; where a run shares its value in one universe and steps are uneven in another, both
    are kept.
    """
    every = list(found)
    worst = min(every, key=lambda one: KINDS.index(one.kind))
    uneven = next((one.uneven for one in every if one.uneven), None)
    return replace(worst, runs=sum(one.runs for one in every), values=sum(one.values for one in every), uneven=uneven)


@dataclass(frozen=True)
class Change:
    """A depth at which the category changes, and why."""

    depth: int
    before: Kind
    after: Kind
    witness: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"depth": self.depth, "before": self.before, "after": self.after, "witness": self.witness}


@dataclass(frozen=True, eq=False)
class Taxonomy(Result):
    """The category of a measure at every depth, and the depths at which it changes."""

    measure: str
    grades: int
    on: Literal["rankings", "sets", "users"]
    categories: tuple[Category, ...]

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """Where the category changes, with the runs that decide it."""
        return tuple(
            Change(after.depth, before.kind, after.kind, after.witness)
            for before, after in zip(self.categories, self.categories[1:], strict=False)
            if before.kind != after.kind
        )

    @property
    def last(self) -> Category:
        """The category at the greatest depth."""
        return self.categories[-1]

    @property
    def settled(self) -> Category:
        """The category at the depth from which it stays the same as far as was looked."""
        return next(one for one in self.categories if one.depth >= (self.changes[-1].depth if self.changes else 0))

    @property
    def spacing(self) -> str:
        """To which depth the values are equi-spaced, in words; one value or two do not count."""
        even = [one for one in takewhile(lambda one: one.equispaced, self.categories) if one.values > 2]
        if all(one.equispaced for one in self.categories):
            return "constant" if self.last.values == 1 else "yes"
        return f"to depth {even[-1].depth}" if even else "no"

    @property
    def history(self) -> str:
        """The categories in the order of depth, in words."""
        parts = [f"{self.categories[0].kind} at depth {self.categories[0].depth}"]
        if not self.changes:
            return f"{self.last.kind} at all depths to {self.last.depth}"
        return ", ".join([*parts, *(f"{change.after} from {change.depth}" for change in self.changes)])

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per depth."""
        rows = [one.to_dict() for one in self.categories]
        keep = ("depth", "category", "injective", "equispaced", "runs", "values", "witness")
        return pl.DataFrame([{"measure": self.measure, **{key: row[key] for key in keep}} for row in rows])

    def table(self) -> Table:
        """One line per depth."""
        rows = [(one.depth, one.kind, one.runs, one.values, one.sentence) for one in self.categories]
        title = f"{self.measure} on {self.on} of grades 0 to {self.grades}"
        return Table(("depth", "category", "runs", "values", "why"), rows, title=title)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "measure": self.measure,
            "grades": self.grades,
            "on": self.on,
            "depths": [one.to_dict() for one in self.categories],
            "changes": [change.to_dict() for change in self.changes],
        }


def taxonomy(
    measure: str | Scored,
    *,
    grades: int = 1,
    up_to: int | None = None,
    recall_base: int | None = None,
    sets: bool = False,
    budget: int = BUDGET,
) -> Taxonomy:
    """The category of a measure at every depth from 1.

    At each depth the measure's cut-off is that depth. `up_to` is the greatest depth: by default the measure's own
    cut-off, or else as far as the universe stays within `budget` runs, and at most 10. `sets` looks at sets of
    retrieved documents instead of rankings. The topic has as many relevant documents as a run can hold, at most
    `recall_base`.

    >>> found = taxonomy("AP", up_to=4)
    >>> found.history
    'interval/metric at depth 1, ordinal/metric from 2, ordinal/pseudometric from 4'
    >>> found.changes[-1].witness
    '(1, 0, 0, 0) and (0, 1, 0, 1) both score 1/4'
    """
    scored = parse(measure) if isinstance(measure, str) else measure
    if sets and recall_base is not None:
        raise BadParameter(f"a recall base restricts rankings, not sets; got sets=True and recall_base={recall_base}")
    name = str(scored) if isinstance(scored, Measure) else getattr(scored, "__name__", "the measure")
    own = cutoff_of(scored)

    def universe(depth: int) -> Runs:
        return SetUniverse(depth, grades) if sets else Universe(depth, grades, recall_base)

    most = up_to or own or max([1, *(d for d in range(1, 11) if universe(d).size <= budget)])
    if most < 1:
        raise BadParameter(f"up_to must be at least 1, got {up_to}")
    found = tuple(category_of(at_depth(scored, depth), universe(depth)) for depth in range(1, most + 1))
    return Taxonomy(name, grades, "sets" if sets else "rankings", found)


def cutoff_of(measure: Scored) -> int | None:
    """The cut-off of a measure, or of the measure that an interval version is made from."""
    if isinstance(measure, Interval):
        return measure.measure.cutoff
    return measure.cutoff if isinstance(measure, Measure) else None


def at_depth(measure: Scored, depth: int) -> Scored:
    """A measure with this cut-off where it takes one.

    >>> print(at_depth(parse("AP@5"), 3), at_depth(parse("Rprec"), 3), at_depth(parse("interval(AP@5)"), 3))
    AP@3 Rprec interval(AP@3)
    """
    if isinstance(measure, Interval):
        return replace(measure, measure=measure.measure @ depth)
    return measure @ depth if isinstance(measure, Measure) and measure.takes_cutoff else measure
