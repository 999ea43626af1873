"""The qrels made ready: topics and grades as small integers, and an index to find documents in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenscale.files import Qrels, row_keys
from evenscale.judged.block import Ints
from evenscale.judged.lookup import KeyIndex, Keys
from evenscale.judged.policy import Policy
from evenscale.judged.topic import Grade, as_grade
from evenscale.oddities import Oddity, named


@dataclass(frozen=True, eq=False)
class Judgments:
    """The qrels under a policy.

    `topics` are in natural order; row i of `counts` says how many documents topic i has of each level. `frame`, `code`
    and `topic` run in parallel: the judged documents, their level, and their topic's number.
    """

    topics: tuple[str, ...]
    levels: tuple[Grade, ...]
    counts: Ints
    frame: pl.DataFrame
    code: Ints
    topic: Ints
    oddities: tuple[Oddity, ...]

    @classmethod
    def of(cls, qrels: Qrels, policy: Policy) -> Judgments:
        """Make qrels ready.

        >>> from evenscale.files import read_qrels
        >>> ready = Judgments.of(read_qrels({"q10": {"a": 2}, "q9": {"a": 1, "b": -1}}), Policy())
        >>> ready.topics, ready.levels, ready.counts.tolist()
        (('q9', 'q10'), (0, 1, 2), [[1, 1, 0], [0, 0, 1]])
        """
        topics = tuple(sorted(qrels.frame["topic"].unique().to_list(), key=natural))
        frame, oddities = _without_negatives(qrels, policy)
        levels = _levels(frame)
        code = _codes(frame["grade"], levels)
        topic = numbered(frame["topic"], topics)
        counts = np.zeros((len(topics), len(levels)), dtype=np.int64)
        np.add.at(counts, (topic, code), 1)
        return cls(topics, levels, counts, frame, code, topic, (*qrels.oddities, *oddities))

    @property
    def top(self) -> Grade:
        """The highest grade, at least something above 0."""
        return self.levels[-1] if self.levels[-1] > 0 else 1

    @property
    def barren(self) -> tuple[str, ...]:
        """Topics without a document of a grade above 0."""
        empty = self.counts[:, 1:].sum(axis=1) == 0
        return tuple(t for t, bare in zip(self.topics, empty.tolist(), strict=True) if bare)

    @cached_property
    def keys(self) -> Keys:
        """One key per judged document, the same as the runs' rows have."""
        return row_keys(self.frame)

    @cached_property
    def index(self) -> KeyIndex | None:
        """The keys, ready to be searched; None in the unlikely case that two documents share one."""
        return KeyIndex.of(self.keys, self.topic) if len(np.unique(self.keys)) == len(self.keys) else None


def natural(text: str) -> tuple[tuple[int, int | str], ...]:
    """Sort key by which q9 comes before q10.

    >>> sorted(["q10", "q9", "401", "51"], key=natural)
    ['51', '401', 'q9', 'q10']
    """
    parts = re.findall(r"[0-9]+|[^0-9]+", text)
    return (*((0, int(p)) if p.isascii() and p.isdigit() else (1, p) for p in parts), (2, text))


def numbered(labels: pl.Series, names: Sequence[str]) -> NDArray[np.int64]:
    """Each label's place among the names, -1 where it is none of them.

    >>> numbered(pl.Series(["b", "b", "x", "a"]), ["a", "b"]).tolist()
    [1, 1, -1, 0]
    """
    place = {name: i for i, name in enumerate(names)}
    runs = labels.rle().struct.unnest()  # topics mostly come in runs of equal labels
    codes = np.array([place.get(label, -1) for label in runs["value"].to_list()], dtype=np.int64)
    return np.repeat(codes, runs["len"].to_numpy())


def _without_negatives(qrels: Qrels, policy: Policy) -> tuple[pl.DataFrame, list[Oddity]]:
    frame = qrels.frame
    below = int((frame["grade"] < 0).sum())
    if not below:
        return frame, []
    note = Oddity(
        "negative grades",
        qrels.path,
        f"{below} judgments have a grade below 0 and count as {policy.negative}",
        below,
    )
    if policy.negative == "unjudged":
        return frame.filter(pl.col("grade") >= 0), [note]
    return frame.with_columns(pl.col("grade").clip(lower_bound=0)), [note]


def _levels(frame: pl.DataFrame) -> tuple[Grade, ...]:
    return tuple(sorted({0, *(as_grade(g) for g in frame["grade"].unique().to_list())}))


def _codes(grades: pl.Series, levels: tuple[Grade, ...]) -> NDArray[np.int64]:
    return np.searchsorted(np.array([float(g) for g in levels]), grades.to_numpy().astype(np.float64))


def barren_note(judgments: Judgments, policy: Policy) -> list[Oddity]:
    """Say which topics have nothing to find."""
    bare = judgments.barren
    if not bare:
        return []
    fate = "left out" if policy.barren == "skip" else "scored 0"
    plural = "topics have" if len(bare) > 1 else "topic has"
    return [
        Oddity(
            "no relevant documents",
            "",
            f"{len(bare)} {plural} no relevant document and {'are' if len(bare) > 1 else 'is'} {fate}: {named(bare)}",
            len(bare),
        )
    ]
