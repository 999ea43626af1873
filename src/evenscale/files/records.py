"""What has been read: a run, a set of judgments, and the key that matches their rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from evenscale.oddities import Oddity

Keys = npt.NDArray[np.uint64]

# The seeds are part of the contract: a run and its qrels match only if both were hashed alike.
KEY = pl.col("doc").hash(seed=1) ^ pl.col("topic").hash(seed=2)


def row_keys(frame: pl.DataFrame) -> Keys:
    """One number per row that stands for its topic and document together.

    Equal rows have equal keys, in every frame of the same process; different rows almost surely have
    different ones.

    >>> frame = pl.DataFrame({"topic": ["1", "2", "1"], "doc": ["a", "a", "a"]})
    >>> keys = row_keys(frame)
    >>> bool(keys[0] == keys[2]), bool(keys[0] == keys[1])
    (True, False)
    """
    return frame.select(KEY.alias("key")).to_series().to_numpy()


@dataclass(frozen=True, eq=False)
class Qrels:
    """Judgments: `frame` has one row per judged document, with columns topic, doc and grade.

    `grade` is Int64, or Float64 where any grade is not a whole number. `path` is `""` for judgments that did
    not come from a file.

    >>> Qrels(pl.DataFrame({"topic": ["1"], "doc": ["a"], "grade": [2]})).keys.dtype
    dtype('uint64')
    """

    frame: pl.DataFrame
    path: str = ""
    oddities: tuple[Oddity, ...] = ()

    @cached_property
    def keys(self) -> Keys:
        """`row_keys` of the frame, computed once."""
        return row_keys(self.frame)


@dataclass(frozen=True, eq=False)
class Run:
    """One system's answer: `frame` has columns topic, doc and score, and rank where it was asked for.

    >>> run = Run("bm25", pl.DataFrame({"topic": ["1"], "doc": ["a"], "score": [0.5]}))
    >>> run.renamed("bm25-default").name
    'bm25-default'
    """

    name: str
    frame: pl.DataFrame
    path: str = ""
    oddities: tuple[Oddity, ...] = ()

    @cached_property
    def keys(self) -> Keys:
        """`row_keys` of the frame, computed once."""
        return row_keys(self.frame)

    def renamed(self, name: str, *oddities: Oddity) -> Run:
        """The same run under another name, with further oddities; keys already computed are kept."""
        run = replace(self, name=name, oddities=(*self.oddities, *oddities))
        run.__dict__.update({"keys": self.keys} if "keys" in self.__dict__ else {})
        return run
