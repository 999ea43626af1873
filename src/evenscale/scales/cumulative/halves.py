"""The two halves of a universe: what the first ranks can add up to, and what the others can add to that.

Every value is a sum from the first half that ends in some state plus a sum from the second half that starts there. So
the image is the union over the states of A_s + T_s, and nothing longer than the halves has to be kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenscale.scales.cumulative.steps import Node, Steps, edges
from evenscale.scales.cumulative.sums import WORD_BITS, Layout, Sums, Words, merged
from evenscale.scales.engine import ScaleTooLarge


@dataclass(frozen=True, slots=True)
class Budget:
    """What a scale may cost."""

    pairs: int = 1 << 33
    """Pair sums to sweep: about a hundred million a second on two cores."""
    window: int = 1 << 16
    """Pair sums in a window: what is sorted at once, and recomputed for one lookup."""
    long: int = 1 << 22
    """Sums in the first half, over all states; it grows up to here. An image this small is listed whole."""
    rows: int = 1 << 20
    """Sums in the second half."""
    sampled: int = 1 << 25
    """The same where a scale is only sampled."""
    boxed: int = 1 << 18
    """Sums that need more than two machine words each."""
    word_bits: int = WORD_BITS
    """Bits of a machine word that are used."""


NOMINAL_SPEED = 10**8
"""Pair sums a second, about, on two cores: for a first idea of the time."""

WAY_OUT = "take a smaller cut-off, raise the limit, or ask for an estimate from a sample"


class Halves(NamedTuple):
    """The sums of both halves by the state between them, before rank `cut` + 1."""

    cut: int
    first: Sequence[Sums]
    second: Sequence[Sums]

    @property
    def pairs(self) -> int:
        """How many sums of a prefix and a suffix there are."""
        return sum(len(a) * len(t) for a, t in zip(self.first, self.second, strict=True))


def halve(steps: Steps, layout: Layout, budget: Budget) -> Halves:
    """Both halves. The first grows as long as it may: its sums coincide more often than those further down."""
    limit = budget.long if layout.low_bits is not None else budget.boxed
    first, cut = [layout.array([0])], 0
    while cut < steps.depth and _cost_ahead(steps.layers[cut], first) <= limit:
        first = _extend_ahead(steps.layers[cut], first, layout)
        cut += 1
    if cut < steps.depth and layout.low_bits is None:
        raise ScaleTooLarge(
            f"{counted(steps.runs)} runs of depth {steps.depth} have values of {steps.reach().bit_length()} bits, more "
            f"than two machine words, and of such only {limit:,} sums are kept: take a smaller cut-off"
        )
    return Halves(cut, first, suffixes(steps, cut, layout, limit=budget.rows))


def prefixes(steps: Steps, cut: int, layout: Layout, *, ways: bool = False) -> list[Sums]:
    """For every state before rank `cut` + 1 the sums of the ranks above."""
    sums = [_nothing(layout, steps, ways)]
    for layer in steps.layers[:cut]:
        sums = _extend_ahead(layer, sums, layout)
    return sums


def suffixes(steps: Steps, cut: int, layout: Layout, *, ways: bool = False, limit: int | None = None) -> list[Sums]:
    """For every state before rank `cut` + 1 the sums of the ranks below."""
    sums = [_nothing(layout, steps, ways)]
    for layer in reversed(steps.layers[cut:]):
        if limit is not None and (cost := _cost_behind(layer, sums)) > limit:
            raise ScaleTooLarge(
                f"{counted(steps.runs)} runs of depth {steps.depth} have halves of more than {cost:,} sums, above the "
                f"limit of {limit:,}, and would take up to {duration(steps.runs)} to sweep: {WAY_OUT}"
            )
        sums = _extend_back(layer, sums, layout)
    return sums


def _nothing(layout: Layout, steps: Steps, ways: bool) -> Sums:
    """The sum over no ranks: 0, in one way."""
    zero = layout.array([0])
    kind = np.int64 if steps.runs < 1 << 62 else object
    return Sums(zero.high, zero.low, np.ones(1, kind) if ways else None)


def _extend_ahead(layer: Sequence[Node], sums: Sequence[Sums], layout: Layout) -> list[Sums]:
    """From the sums above a rank, by state, to those that include it."""
    parts: dict[int, list[Sums]] = {}
    for node, before in zip(layer, sums, strict=True):
        for n, add in edges(node):
            parts.setdefault(n, []).append(layout.shifted(before, add))
    return [merged(parts[n]) for n in range(len(parts))]


def _extend_back(layer: Sequence[Node], sums: Sequence[Sums], layout: Layout) -> list[Sums]:
    """From the sums below a rank, by state, to those that include it."""
    return [merged([layout.shifted(sums[n], add) for n, add in edges(node)]) for node in layer]


def _cost_ahead(layer: Sequence[Node], sums: Sequence[Sums]) -> int:
    return sum(len(before) for node, before in zip(layer, sums, strict=True) for _ in edges(node))


def _cost_behind(layer: Sequence[Node], sums: Sequence[Sums]) -> int:
    return sum(len(sums[n]) for node in layer for n, _ in edges(node))


def counted(number: int) -> str:
    """A number to be read.

    >>> counted(1 << 30), counted(1 << 100)
    ('1,073,741,824', 'about 10^30')
    """
    return f"{number:,}" if number < 10**15 else f"about 10^{len(str(number)) - 1}"


def duration(pairs: int) -> str:
    """How long it takes to sweep so many pair sums, about.

    >>> duration(1 << 32), duration(1 << 40), duration(1 << 60)
    ('42 seconds', '3 hours', '365 years')
    """
    seconds = pairs // NOMINAL_SPEED
    for name, length in (("years", 31557600), ("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{counted(seconds // length)} {name}"
    return f"{seconds:,} seconds"


# --- for the kernels ------------------------------------------------------------------------------------------------

SENTINEL = 1 << 62
"""Ends the long sums of a state: above any sum, whatever is subtracted from it."""


class Table(NamedTuple):
    """The halves as flat arrays.

    A row is one sum of a state's shorter half; it meets the sums `long[begin[row]:end[row]]` of the longer half, and
    `long[end[row]]` is the sentinel. `low` words are None where one word is enough.
    """

    rows: NDArray[np.int64]
    rows_low: NDArray[np.int64] | None
    begin: NDArray[np.uint64]
    end: NDArray[np.uint64]
    long: NDArray[np.int64]
    long_low: NDArray[np.int64] | None
    low_bits: int


class Ways(NamedTuple):
    """In how many ways each row comes about, and how many ways lead to the long sums before each place, by state."""

    rows: Words
    before: Words


def flatten(halves: Halves, layout: Layout) -> Table:
    """Both halves as flat arrays."""
    pairs = [_short_first(a, t) for a, t in zip(halves.first, halves.second, strict=True)]
    ends = np.cumsum([len(long) + 1 for _, long in pairs]) - 1
    begins = ends - [len(long) for _, long in pairs]
    lengths = [len(short) for short, _ in pairs]
    low = bool(layout.low_bits)
    return Table(
        rows=np.concatenate([short.high for short, _ in pairs]),
        rows_low=np.concatenate([short.low for short, _ in pairs if short.low is not None]) if low else None,
        begin=np.repeat(begins, lengths).astype(np.uint64),
        end=np.repeat(ends, lengths).astype(np.uint64),
        long=_with_ends([long.high for _, long in pairs], SENTINEL),
        long_low=_with_ends([long.low for _, long in pairs if long.low is not None], 0) if low else None,
        low_bits=layout.low_bits or 0,
    )


def flatten_ways(first: Sequence[Sums], second: Sequence[Sums]) -> Ways:
    """The ways of both halves, in the order of `flatten`."""
    pairs = [_short_first(a, t) for a, t in zip(first, second, strict=True)]
    short = [each.ways for each, _ in pairs if each.ways is not None]
    long = [each.ways for _, each in pairs if each.ways is not None]
    before = [np.concatenate([np.zeros(1, ways.dtype), np.cumsum(ways)]) for ways in long]
    return Ways(np.concatenate(short), np.concatenate(before))


def _short_first(a: Sums, t: Sums) -> tuple[Sums, Sums]:
    return (a, t) if len(a) <= len(t) else (t, a)


def _with_ends(parts: Sequence[Words], end: int) -> NDArray[np.int64]:
    closing = np.array([end], np.int64)
    return np.concatenate([piece for part in parts for piece in (part, closing)])
