"""What every engine can do: count the distinct values of a walk over a universe, without listing its runs.

An engine works on *raw* values: the sum of a walk's increments before the topic's divisor and offset, which move no
rank.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenscale.errors import EvenscaleError
from evenscale.measures.contract import Amount

Runs: TypeAlias = NDArray[np.signedinteger[Any]]
"""Runs as rows, grades by rank as columns."""

Progress: TypeAlias = Callable[[int, int], None]
"""Called with what is done and what there is in all."""

VALUES_LIMIT = 1 << 22
"""The most values that `values()` lists."""


class ScaleTooLarge(EvenscaleError, ValueError):
    """A scale cannot be had within the budget; the message names the size asked for and what to do instead."""


class Gaps(NamedTuple):
    """The smallest and the largest distance between neighbouring raw values."""

    smallest: float
    largest: float
    exact: bool = True


class Engine(ABC):
    """Distinct values of a walk over a universe, in order."""

    size: int
    """How many distinct values there are."""
    exact: bool = True
    """Whether ranks are exact; if not, `error` bounds how far a rank can be off, as a share of `size`."""
    error: float = 0.0

    @abstractmethod
    def ranks(self, runs: Runs) -> list[int]:
        """For every run the number of distinct values that are at most its own: one-based, without holes."""

    @abstractmethod
    def tallies(self, runs: Runs) -> list[tuple[int, int]]:
        """For every run how many runs of the universe have a smaller value, and how many the same."""

    @abstractmethod
    def at(self, rank: int) -> Amount:
        """The raw value with this rank, 1 to `size`."""

    @abstractmethod
    def values(self) -> list[Amount]:
        """All raw values, ascending; ScaleTooLarge where there are more than VALUES_LIMIT."""

    @abstractmethod
    def gaps(self) -> Gaps:
        """The smallest and the largest gap between neighbouring values."""
