"""Sorted distinct sums, exact, in as few machine words as they fit.

Integers of up to 60 bits are one word. Longer ones are split into a high word of 60 bits and a low word with the rest
(ERR at depth 30 has 69 bits). Beyond 120 bits they stay Python integers in object arrays, which only small universes
can afford.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Words: TypeAlias = NDArray[Any]
"""64-bit integers, or Python integers."""

WORD_BITS = 60
"""Bits of a word: with four to spare, sums and differences of a few words need no care."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How integers are kept: `low_bits` in the low word (0: there is none), or None for Python integers.

    >>> Layout.of(1 << 40), Layout.of(1 << 68), Layout.of(1 << 200)
    (Layout(low_bits=0), Layout(low_bits=9), Layout(low_bits=None))
    >>> Layout(9).split(-1), Layout(9).join(-1, 511)
    ((-1, 511), -1)
    """

    low_bits: int | None

    @classmethod
    def of(cls, reach: int, word_bits: int = WORD_BITS) -> Layout:
        """The layout for integers up to this absolute value."""
        low_bits = max(0, reach.bit_length() - word_bits)
        return cls(low_bits if low_bits <= WORD_BITS else None)

    def split(self, value: int) -> tuple[int, int]:
        """High and low word."""
        bits = self.low_bits or 0
        return value >> bits, value & ((1 << bits) - 1)

    def join(self, high: int, low: int) -> int:
        """The integer with this high and low word."""
        return (int(high) << (self.low_bits or 0)) + int(low)

    def array(self, values: Sequence[int]) -> Sums:
        """Integers as they come, neither sorted nor made distinct."""
        if self.low_bits is None:
            boxed = np.empty(len(values), object)
            boxed[:] = values
            return Sums(boxed)
        split = [self.split(value) for value in values]
        high = np.array([each for each, _ in split], np.int64)
        return Sums(high, np.array([each for _, each in split], np.int64) if self.low_bits else None)

    def integers(self, sums: Sums) -> list[int]:
        """Sums as Python integers."""
        high: list[int] = sums.high.tolist()
        if sums.low is None:
            return high
        return [self.join(each, low) for each, low in zip(high, sums.low.tolist(), strict=True)]

    def shifted(self, sums: Sums, add: int) -> Sums:
        """Every sum plus an increment."""
        if not add:
            return sums
        if not self.low_bits:
            return Sums(sums.high + add, None, sums.ways)
        high, low = self.split(add)
        assert sums.low is not None
        carried = sums.low + low
        mask = (1 << self.low_bits) - 1
        return Sums(sums.high + high + (carried >> self.low_bits), carried & mask, sums.ways)


@dataclass(frozen=True, slots=True)
class Sums:
    """Integers by word, and in how many `ways` each comes about (None where nobody asked)."""

    high: Words
    low: Words | None = None
    ways: Words | None = None

    def __len__(self) -> int:
        return len(self.high)

    def take(self, order: NDArray[Any] | slice) -> Sums:
        """The sums at these places, or where a mask says so."""
        return Sums(self.high[order], *(None if part is None else part[order] for part in (self.low, self.ways)))


def merged(parts: Sequence[Sums]) -> Sums:
    """The sums of all parts, sorted, equal ones once, their ways added up.

    >>> merged([Sums(np.array([1, 4])), Sums(np.array([2, 4]))]).high
    array([1, 2, 4])
    """
    if len(parts) == 1:
        return parts[0]
    together = Sums(*(_joined([getattr(part, word) for part in parts]) for word in ("high", "low", "ways")))
    if together.low is None and together.ways is None:
        together = Sums(np.sort(together.high))  # much faster than by way of the order
    else:
        together = together.take(_order(together))
    first = _first_of_kind(together)
    if first.all():
        return together
    ways = None if together.ways is None else np.add.reduceat(together.ways, np.flatnonzero(first))
    kept = Sums(together.high, together.low).take(first)
    return Sums(kept.high, kept.low, ways)


def _joined(parts: list[Any]) -> Any:
    return None if parts[0] is None else np.concatenate(parts)


def _order(sums: Sums) -> NDArray[np.intp]:
    """Stable, which is fast on parts that are sorted already; low words only matter among equal high words."""
    order = np.argsort(sums.high, kind="stable")
    if sums.low is not None:
        high = sums.high[order]
        again = high[1:] == high[:-1]
        tied = np.flatnonzero(np.append(again, False) | np.append(False, again))
        order[tied] = order[tied][np.lexsort((sums.low[order[tied]], high[tied]))]
    return order


def _first_of_kind(ordered: Sums) -> NDArray[np.bool_]:
    """Where a sorted array holds something new."""
    first = np.ones(len(ordered), np.bool_)
    first[1:] = ordered.high[1:] != ordered.high[:-1]
    if ordered.low is not None:
        first[1:] |= ordered.low[1:] != ordered.low[:-1]
    return first
