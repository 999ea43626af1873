"""Walks taken apart: all reachable states and what they have added, by dynamic programming."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from evenscale.measures.contract import Amount, State, Walk
from evenscale.measures.exact import in_order
from evenscale.orders.universe import Universe
from evenscale.scales.engine import Runs, ScaleTooLarge

Spectrum: TypeAlias = dict[Amount, int]
"""How many runs have each raw value."""

LIMIT = 1 << 21
"""The most (state, value) pairs that are followed at once."""


def spectrum(walk: Walk, universe: Universe, limit: int = LIMIT) -> Spectrum:
    """Every raw value of the universe with its number of runs, exactly.

    Runs that agree in state, value and number of relevant documents are followed together.

    >>> from evenscale.measures import parse
    >>> universe = Universe(3)
    >>> found = spectrum(parse("AP@3").walk(universe.topic, 3), universe)
    >>> sorted((str(value), n) for value, n in found.items())[:3]
    [('0', 1), ('1', 1), ('1/2', 1)]
    """
    constrained = universe.most_relevant < universe.depth
    ahead: dict[tuple[State, Amount, int], int] = {(walk.start, 0, 0): 1}
    for rank in range(1, universe.depth + 1):
        behind, ahead = ahead, {}
        for (state, value, relevant), runs in behind.items():
            for grade in range(universe.grades + 1):
                used = relevant + (grade > 0) if constrained else 0
                if used > universe.most_relevant:
                    continue
                after, increment = walk.step(rank, state, grade)
                key = (after, value + increment, used)
                ahead[key] = ahead.get(key, 0) + runs
        if len(ahead) > limit:
            raise ScaleTooLarge(
                f"a universe of {universe.size:,} runs has more than {limit:,} different paths to follow; "
                "choose a smaller cut-off"
            )
    counts: Spectrum = {}
    for (_, value, _), runs in ahead.items():
        counts[value] = counts.get(value, 0) + runs
    return counts


def tallies_by_state(walk: Walk, universe: Universe, runs: Runs) -> list[tuple[int, int]]:
    """For every run how many runs have a smaller value, and how many the same."""
    counts = spectrum(walk, universe)
    below, running = {}, 0
    for value in in_order(counts):
        below[value] = running
        running += counts[value]
    own = [_raw(walk, run) for run in runs.tolist()]
    return [(below[value], counts[value]) for value in own]


def _raw(walk: Walk, run: Sequence[int]) -> Amount:
    value: Amount = 0
    for increment in walk.increments(run):
        value = value + increment
    return value
