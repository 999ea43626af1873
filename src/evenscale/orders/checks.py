"""What kind of scale a measure is on an order: decided over all runs of a universe, with the runs that decide it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import polars as pl

from evenscale.measures.contract import Measure
from evenscale.orders.gaps import Value, gap, shown, spelled
from evenscale.orders.grading import gradedness
from evenscale.orders.orders import BUDGET, AnyOrder, Induced, find_order, refuse_large
from evenscale.orders.poset import Poset
from evenscale.orders.spacing import Uneven, burden, easiest, same_value_pair, uneven_gaps
from evenscale.orders.steps import Steps
from evenscale.orders.values import Placed, Run, Runs, placed
from evenscale.results import Result
from evenscale.tables import Table

__all__ = [
    "ScaleCheck",
    "Scored",
    "Uneven",
    "Witness",
    "burden",
    "easiest",
    "same_value_pair",
    "scale_on",
    "uneven_gaps",
]

Scored: TypeAlias = Measure | Callable[[Run], Any]
"""A measure, or any function from a run to a number."""

OWN_BUDGET = 1 << 16
"""The most runs of which all values are compared on the order that a measure induces itself; pairs are not needed."""

Kind: TypeAlias = Literal["reversal", "tie", "steps", "chains"]


@dataclass(frozen=True)
class Witness:
    """The runs that show what a measure is not.

    `reversal`: the first run is below the second, but scores more. `tie`: it is below, but scores the same. `steps`:
    the first run to the second and the third to the fourth are steps of one length, but add different amounts.
    `chains`: two maximal chains of different lengths, so that steps cannot be counted; `runs` are their ends.
    """

    kind: Kind
    runs: tuple[Run, ...]
    values: tuple[Value, ...]
    sentence: str
    chains: tuple[tuple[Run, ...], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "kind": self.kind,
            "runs": [list(run) for run in self.runs],
            "values": [spelled(value) for value in self.values],
            "floats": [float(value) for value in self.values],
            "chains": [[list(run) for run in chain] for chain in self.chains],
            "sentence": self.sentence,
        }


@dataclass(frozen=True)
class ScaleCheck(Result):
    """What a measure is on an order, over all runs of a universe.

    `ordinal`: no run that is below another scores more. `strict`: it always scores less. `interval`: the measure is
    slope * rank + offset, with the order's rank function and a slope above 0 (there is no slope to tell where all runs
    are equivalent). `witness` shows why it is not ordinal or not interval; `tie` why it is ordinal but not strict.
    """

    measure: str
    order: str
    depth: int
    grades: int
    runs: int
    ordinal: bool
    strict: bool
    interval: bool
    graded: bool
    slope: Value | None = None
    offset: Value | None = None
    witness: Witness | None = None
    tie: Witness | None = None

    @property
    def frame(self) -> pl.DataFrame:
        """One row."""
        return pl.DataFrame([{**self._plain(), "witness": self.witness.sentence if self.witness else None}])

    def table(self) -> Table:
        """The finding as a person wants to see it."""
        answers = [(name, "yes" if getattr(self, name) else "no") for name in ("ordinal", "strict", "interval")]
        affine = [("scale", self.affine)] if self.affine else []
        why = [("why", self.witness.sentence)] if self.witness else []
        title = f"{self.measure} on the order '{self.order}', depth {self.depth}, grades 0 to {self.grades}"
        return Table(("", ""), [*answers, *affine, *why], title=title)

    @property
    def affine(self) -> str:
        """The measure in terms of the order's rank function, where it is an interval scale."""
        if self.slope is None:
            return ""
        if self.offset is None:
            return f"{spelled(self.slope)} a step"
        return f"{spelled(self.slope)} * rank + {spelled(self.offset)}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        witness = self.witness.to_dict() if self.witness else None
        return {**self._plain(), "witness": witness, "tie": self.tie.to_dict() if self.tie else None}

    def _plain(self) -> dict[str, Any]:
        names = ("measure", "order", "depth", "grades", "runs", "ordinal", "strict", "interval", "graded")
        affine = {name: None if (x := getattr(self, name)) is None else spelled(x) for name in ("slope", "offset")}
        return {**{name: getattr(self, name) for name in names}, **affine}


def scale_on(measure: Scored, order: AnyOrder | str, universe: Runs, *, poset: Poset | None = None) -> ScaleCheck:
    """Whether a measure is an ordinal and an interval scale on an order; a poset that is known already saves time.

    A universe of more than 4,096 runs is refused; on the order that the measure induces itself, of more than 65,536.

    >>> from evenscale.measures import parse
    >>> from evenscale.orders.universe import Universe
    >>> found = scale_on(parse("RBP(p=0.5)@3"), "strong", Universe(3))
    >>> found.ordinal, found.interval, found.affine
    (True, True, '1/8 * rank + 0')
    >>> found = scale_on(parse("AP@3"), "weak", Universe(3))
    >>> found.ordinal, found.interval
    (True, False)
    >>> print(found.witness.sentence)
    from (0, 0, 0) to (0, 0, 1) and from (0, 0, 1) to (0, 1, 0) are steps of one chain, but the first adds 1/9 and the \
second 1/18
    """
    if isinstance(order, str):
        order = find_order(order, measure)
    if isinstance(measure, Measure):
        measure.check(tuple(range(int(universe.topic.top) + 1)))
    own = isinstance(order, Induced) and order.measure == measure
    if poset is None:
        refuse_large(universe, OWN_BUDGET if own else BUDGET)
    found = placed(measure, universe)
    about = _About(_name(measure), order.name, universe.depth, int(universe.topic.top), len(found.runs))
    if own:
        return _on_own_order(about, found)
    return _on_poset(about, found, Poset.of(order, universe) if poset is None else poset)


def _name(measure: Scored) -> str:
    return str(measure) if isinstance(measure, Measure) else getattr(measure, "__name__", repr(measure))


@dataclass(frozen=True)
class _About:
    """What was asked."""

    measure: str
    order: str
    depth: int
    grades: int
    runs: int

    def answer(self, **answers: Any) -> ScaleCheck:
        return ScaleCheck(self.measure, self.order, self.depth, self.grades, self.runs, **answers)


def _on_own_order(about: _About, found: Placed) -> ScaleCheck:
    """On the order that it induces itself a measure is ordinal; it is interval if its values are evenly spaced."""
    uneven, values = uneven_gaps(found), found.values
    yes = {"ordinal": True, "strict": True, "graded": True}
    if uneven is None:
        slope = gap(values[0], values[1]) if len(values) > 1 else None
        return about.answer(**yes, interval=True, slope=slope, offset=values[0])
    low, middle, high = uneven.runs
    first, second, third = uneven.values
    witness = Witness("steps", (low, middle, middle, high), (first, second, second, third), uneven.sentence)
    return about.answer(**yes, interval=False, witness=witness)


def _on_poset(about: _About, found: Placed, poset: Poset) -> ScaleCheck:
    steps = Steps.of(found, poset)
    grading = gradedness(poset)
    no = {"ordinal": False, "strict": False, "interval": False, "graded": grading.graded}
    if (pair := steps.split()) or (pair := steps.first(steps.falling)):
        return about.answer(**no, witness=_pair("reversal", pair, steps))
    flat = steps.first(steps.level)
    tie = _pair("tie", flat, steps) if flat else None
    sofar = {**no, "ordinal": True, "strict": tie is None, "tie": tie}
    if not grading.graded:
        short, _ = grading.chains
        ends = (short[0], short[-1])
        why = f"the order is not graded: {grading.sentence}; no measure can be an interval scale on it"
        return about.answer(
            **sofar, witness=Witness("chains", ends, tuple(map(steps.value, ends)), why, grading.chains)
        )
    if (four := steps.uneven()) or tie:
        return about.answer(**sofar, witness=_four(four, steps) if four else tie)
    return about.answer(**{**sofar, "interval": True}, slope=steps.slope(), offset=steps.offset())


_SENTENCES: dict[Kind, str] = {
    "reversal": "{low} is {relation} {high}, but scores {first} against {second}",
    "tie": "{low} is {relation} {high}, but both score {first}",
}


def _pair(kind: Kind, pair: tuple[Run, Run], steps: Steps) -> Witness:
    values = tuple(map(steps.value, pair))
    relation = "equivalent to" if steps.equivalent(*pair) else "below"
    (low, high), (first, second) = map(shown, pair), map(spelled, values)
    sentence = _SENTENCES[kind].format(low=low, high=high, relation=relation, first=first, second=second)
    return Witness(kind, pair, values, sentence)


def _four(runs: Sequence[Run], steps: Steps) -> Witness:
    values = tuple(map(steps.value, runs))
    first, second = gap(values[0], values[1]), gap(values[2], values[3])
    low, high, other, higher = map(shown, runs)
    chain = "steps of one chain" if steps.on_one_chain(runs) else "single steps"
    sentence = (
        f"from {low} to {high} and from {other} to {higher} are {chain}, "
        f"but the first adds {spelled(first)} and the second {spelled(second)}"
    )
    return Witness("steps", tuple(runs), values, sentence)
