"""What every test gets: a matrix of scores, topics down and systems across, with what is known about its scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenscale.errors import BadInput, BadParameter

Scale: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

DIGITS = 10
"""Decimals that count unless others are declared: below them differences are rounding noise."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of systems on topics.

    `digits` decimals of the scores, and of their differences, count: ties are decided on whole multiples of the last
    one, never on floats. A difference is taken first and rounded then, so that 0.3 - 0.2 is 0.2 - 0.1.

    >>> scores = Scores.of([[0.1 + 0.2, 0.3]], systems=["a", "b"])
    >>> bool(scores.values[0, 0] == scores.values[0, 1]), bool(scores.units[0, 0] == scores.units[0, 1])
    (False, True)
    """

    values: Floats
    topics: tuple[str, ...]
    systems: tuple[str, ...]
    measure: str = ""
    scale: Scale = "ordinal"
    digits: int = DIGITS
    places: Ints | None = None
    """Whole numbers in the exact order of the scores, where that is known better than from `digits` decimals."""

    @classmethod
    def of(
        cls,
        matrix: ArrayLike,
        *,
        topics: Sequence[str] | None = None,
        systems: Sequence[str] | None = None,
        measure: str = "",
        scale: Scale = "ordinal",
        digits: int = DIGITS,
        places: Ints | None = None,
    ) -> Scores:
        """Check a matrix; topics and systems are numbered where they have no names."""
        values = np.asarray(matrix, dtype=np.float64)
        if values.ndim != 2:
            raise BadInput(f"expected a matrix of topics by systems, found {values.ndim} dimensions")
        m, n = values.shape
        named_topics = tuple(topics) if topics is not None else tuple(f"t{i}" for i in range(1, m + 1))
        named_systems = tuple(systems) if systems is not None else tuple(f"s{i}" for i in range(1, n + 1))
        for kind, names, size in (("topics", named_topics, m), ("systems", named_systems, n)):
            if len(names) != size:
                raise BadInput(f"expected {size} {kind}, found {len(names)} names")
            if len(set(names)) != size:
                raise BadInput(f"the names of {kind} must differ")
        if not np.isfinite(values).all():
            t, s = (int(k) for k in np.argwhere(~np.isfinite(values))[0])
            raise BadInput(
                f"the score of system {named_systems[s]} on topic {named_topics[t]} is {values[t, s]}: "
                "every system needs a finite score on every topic"
            )
        if not 0 <= digits <= 15:
            raise BadParameter(f"digits must be 0 to 15, got {digits}")
        if values.size and np.abs(values).max() * 10.0**digits >= 2.0**62:
            raise BadParameter(
                f"scores up to {np.abs(values).max():g} leave no room for {digits} digits; declare fewer"
            )
        return cls(values, named_topics, named_systems, measure, scale, digits, places)

    @cached_property
    def units(self) -> Ints:
        """The scores as whole multiples of the last digit that counts."""
        return np.rint(self.values * 10.0**self.digits).astype(np.int64)

    @property
    def order(self) -> Ints:
        """Whole numbers by which scores are ranked and tied; differences of them mean nothing."""
        return self.units if self.places is None else self.places

    @cached_property
    def means(self) -> Floats:
        """The systems' means over topics."""
        return np.asarray(self.values.mean(axis=0))

    @property
    def pairs(self) -> tuple[Ints, Ints]:
        """All pairs of systems, first below second."""
        first, second = np.triu_indices(len(self.systems), k=1)
        return first.astype(np.int64), second.astype(np.int64)

    def need(self, *, topics: int = 2, systems: int = 2) -> None:
        """Raise unless there is enough to test."""
        for kind, least, names in (("topics", topics, self.topics), ("systems", systems, self.systems)):
            if len(names) < least:
                raise BadInput(f"the test needs at least {least} {kind}, found {len(names)}")
