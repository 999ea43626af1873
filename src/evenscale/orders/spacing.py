"""Whether the values of a measure are all different and evenly spaced, with the runs that say no."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from evenscale.orders.gaps import Value, gap, same_gap, shown, spelled
from evenscale.orders.values import Placed, Run


@dataclass(frozen=True)
class Uneven:
    """Three runs with consecutive values that are not evenly spaced: `gaps` are the two exact differences."""

    runs: tuple[Run, Run, Run]
    values: tuple[Value, Value, Value]
    gaps: tuple[Value, Value]

    @property
    def sentence(self) -> str:
        """The finding in words."""
        low, middle, high = (f"{shown(run)} scores {spelled(v)}" for run, v in zip(self.runs, self.values, strict=True))
        return (
            f"{low}, {middle} and {high}, with no value between: "
            f"the first step is {spelled(self.gaps[0])} and the second {spelled(self.gaps[1])}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "runs": [list(run) for run in self.runs],
            "values": [spelled(value) for value in self.values],
            "floats": [float(value) for value in self.values],
            "gaps": [spelled(value) for value in self.gaps],
            "sentence": self.sentence,
        }


def same_value_pair(found: Placed) -> tuple[Run, Run] | None:
    """The two distinct runs of equal value that are quickest to read, or None where every run has its own value.

    >>> from evenscale.measures import parse
    >>> from evenscale.orders.values import placed
    >>> from evenscale.orders.universe import Universe
    >>> same_value_pair(placed(parse("P@2"), Universe(2)))
    ((0, 1), (1, 0))
    >>> same_value_pair(placed(parse("RBP(p=0.5)@2"), Universe(2))) is None
    True
    """
    if len(found.values) == len(found.runs):
        return None
    first: dict[int, Run] = {}
    pairs: list[tuple[Run, Run]] = []
    for number in _readable(found):
        place, run = int(found.places[number]), found.runs[number]
        if place not in first:
            first[place] = run
        elif first[place]:
            pairs.append((first[place], run))
            first[place] = ()
    return min(pairs, key=lambda pair: (burden(pair[0]) + burden(pair[1]), pair))


def uneven_gaps(found: Placed) -> Uneven | None:
    """Three runs with consecutive values and unequal steps between them, or None where the values are equi-spaced.

    One value or two are equi-spaced.

    >>> from evenscale.measures import parse
    >>> from evenscale.orders.values import placed
    >>> from evenscale.orders.universe import Universe
    >>> uneven_gaps(placed(parse("P@3"), Universe(3))) is None
    True
    >>> found = uneven_gaps(placed(parse("RR@3"), Universe(3)))
    >>> found.runs, [str(value) for value in found.gaps]
    (((0, 0, 0), (0, 0, 1), (0, 1, 0)), ['1/3', '1/6'])
    """
    values = found.values
    gaps = [gap(low, high) for low, high in pairwise(values)]
    uneven = [i for i in range(len(gaps) - 1) if not same_gap(gaps[i], gaps[i + 1])]
    if not uneven:
        return None
    runs = easiest(found)
    at = min(uneven, key=lambda i: (sum(burden(runs[i + k]) for k in range(3)), i))
    return Uneven(
        (runs[at], runs[at + 1], runs[at + 2]), (values[at], values[at + 1], values[at + 2]), (gaps[at], gaps[at + 1])
    )


def burden(run: Run) -> int:
    """How much there is to read in a run: the sum of its grades."""
    return sum(run)


def easiest(found: Placed) -> list[Run]:
    """For every distinct value, the run of that value that is quickest to read."""
    runs: dict[int, Run] = {}
    for number in _readable(found):
        runs.setdefault(int(found.places[number]), found.runs[number])
    return [runs[place] for place in range(len(found.values))]


def _readable(found: Placed) -> list[int]:
    """The numbers of the runs, those with the least to read first."""
    return [int(n) for n in np.argsort([burden(run) for run in found.runs], kind="stable")]
