"""Mixed universes S[N, K]: runs of every length up to N against every recall base up to K.

With one length and one recall base, precision, recall and the F-measure are the same interval scale up to an affine
map. Mixed, they stop being interval scales and stop agreeing on the order (Ferrante, Ferro and Fuhr 2021, section
IV-D).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenscale.errors import BadParameter
from evenscale.orders.gaps import spelled
from evenscale.orders.spacing import Uneven, uneven_gaps
from evenscale.orders.values import Placed, placed_values
from evenscale.results import Result
from evenscale.tables import Table


class MixedRun(NamedTuple):
    """A run by its numbers: relevant documents retrieved, length, and the topic's recall base."""

    relevant: int
    length: int
    recall_base: int


SetMeasure: TypeAlias = Callable[[MixedRun], Fraction]

SET_MEASURES: dict[str, SetMeasure] = {
    "P": lambda run: Fraction(run.relevant, run.length),
    "R": lambda run: Fraction(run.relevant, run.recall_base),
    "F": lambda run: Fraction(2 * run.relevant, run.length + run.recall_base),
}
"""Precision, recall and the F-measure of a run given by its numbers."""


@dataclass(frozen=True)
class MixedUniverse:
    """All runs of some lengths against some recall bases.

    >>> universe = MixedUniverse.up_to(2, 2)
    >>> universe.size, next(universe.runs())
    (9, MixedRun(relevant=0, length=1, recall_base=1))
    """

    lengths: tuple[int, ...]
    recall_bases: tuple[int, ...]

    def __post_init__(self) -> None:
        for name in ("lengths", "recall_bases"):
            numbers = getattr(self, name)
            if not numbers or min(numbers) < 1:
                raise BadParameter(f"{name} must be whole numbers of at least 1, got {numbers}")

    @staticmethod
    def up_to(longest: int, largest_base: int) -> MixedUniverse:
        """S[N, K]: every length up to N, every recall base up to K."""
        return MixedUniverse(tuple(range(1, longest + 1)), tuple(range(1, largest_base + 1)))

    @property
    def size(self) -> int:
        """The number of runs."""
        return sum(min(length, base) + 1 for length in self.lengths for base in self.recall_bases)

    def runs(self) -> Iterator[MixedRun]:
        """Every run; no more relevant documents than its length and the recall base allow."""
        return (
            MixedRun(relevant, length, base)
            for length in self.lengths
            for base in self.recall_bases
            for relevant in range(min(length, base) + 1)
        )

    def placed(self, measure: SetMeasure) -> Placed:
        """The exact value of every run and its place."""
        runs = tuple(self.runs())
        return placed_values(runs, [measure(run) for run in runs])


@dataclass(frozen=True)
class Agreement:
    """Whether two measures order the runs alike.

    `reversed_pair` is ordered one way by the first and the other way by the second measure; `tied_pair` is ordered by
    one and not by the other.
    """

    first: str
    second: str
    reversed_pair: tuple[MixedRun, MixedRun] | None
    tied_pair: tuple[MixedRun, MixedRun] | None

    @property
    def agree(self) -> bool:
        """Whether they order all runs alike."""
        return self.reversed_pair is None and self.tied_pair is None

    @property
    def sentence(self) -> str:
        """The finding in words."""
        pair = self.reversed_pair or self.tied_pair
        if pair is None:
            return f"{self.first} and {self.second} order all runs alike"
        one, other = (_scores(pair, name) for name in (self.first, self.second))
        return f"{_shown(pair[0])} and {_shown(pair[1])} have {self.first} {one} but {self.second} {other}"


def _scores(pair: tuple[MixedRun, MixedRun], name: str) -> str:
    return " and ".join(spelled(SET_MEASURES[name](run)) for run in pair)


def _shown(run: MixedRun) -> str:
    return f"[{run.relevant}, {run.length}, {run.recall_base}]"


@dataclass(frozen=True, eq=False)
class MixedCheck(Result):
    """Which of precision, recall and the F-measure are interval scales on a mixed universe, and which agree."""

    universe: MixedUniverse
    images: dict[str, tuple[Fraction, ...]]
    """The distinct values of each measure, ascending."""
    uneven: dict[str, Uneven | None]
    agreements: tuple[Agreement, ...]

    def interval(self, name: str) -> bool:
        """Whether a measure's values are evenly spaced, so that it is an interval scale on the order it induces."""
        return self.uneven[name] is None

    def agreement(self, first: str, second: str) -> Agreement:
        """What two measures say of each other's order."""
        return next(x for x in self.agreements if {x.first, x.second} == {first, second})

    @property
    def frame(self) -> pl.DataFrame:
        """One row a measure."""
        why = [found.sentence if found else "" for found in self.uneven.values()]
        sizes = [len(values) for values in self.images.values()]
        interval = [self.interval(name) for name in self.images]
        return pl.DataFrame({"measure": list(self.images), "values": sizes, "interval": interval, "why": why})

    def table(self) -> Table:
        """The measures as a person wants to see them."""
        rows = [(m, size, "yes" if yes else "no", why) for m, size, yes, why in self.frame.iter_rows()]
        return Table(self.frame.columns, rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "lengths": list(self.universe.lengths),
            "recall_bases": list(self.universe.recall_bases),
            "measures": self.frame.to_dicts(),
            "agreements": [
                {"first": x.first, "second": x.second, "agree": x.agree, "sentence": x.sentence}
                for x in self.agreements
            ],
        }


def mixed_check(universe: MixedUniverse) -> MixedCheck:
    """Check precision, recall and the F-measure on a mixed universe.

    >>> found = mixed_check(MixedUniverse.up_to(2, 2))
    >>> {name: found.interval(name) for name in SET_MEASURES}
    {'P': True, 'R': True, 'F': False}
    >>> print(found.agreement("P", "R").sentence)
    [1, 1, 2] and [1, 2, 1] have P 1 and 1/2 but R 1/2 and 1
    """
    found = {name: universe.placed(measure) for name, measure in SET_MEASURES.items()}
    return MixedCheck(
        universe,
        {name: where.values for name, where in found.items()},
        {name: uneven_gaps(where) for name, where in found.items()},
        tuple(_agreement(a, b, found[a], found[b]) for a, b in combinations(found, 2)),
    )


def _agreement(first: str, second: str, one: Placed, other: Placed) -> Agreement:
    """Compare all pairs of runs, those with the least to read first."""
    runs = sorted(range(len(one.runs)), key=lambda number: (sum(one.runs[number]), one.runs[number]))
    left, right = (np.sign(np.subtract.outer(x.places[runs], x.places[runs])) for x in (one, other))
    named = [MixedRun(*one.runs[number]) for number in runs]
    return Agreement(first, second, _pair(left * right < 0, named), _pair((left == 0) != (right == 0), named))


def _pair(chosen: NDArray[np.bool_], runs: Sequence[MixedRun]) -> tuple[MixedRun, MixedRun] | None:
    found = np.argwhere(np.triu(chosen))
    if not len(found):
        return None
    low, high = min(found.tolist(), key=lambda pair: (sum(runs[pair[0]]) + sum(runs[pair[1]]), pair))
    return runs[low], runs[high]
