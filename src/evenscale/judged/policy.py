"""The choices that are made where run and qrels meet, in one place."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, TypeAlias, get_args

from evenscale.errors import BadParameter

Ties: TypeAlias = Literal["trec_eval", "float32", "rank", "expected"]
Unjudged: TypeAlias = Literal["nonrelevant", "removed", "lower", "upper"]
Negative: TypeAlias = Literal["nonrelevant", "unjudged"]
Missing: TypeAlias = Literal["zero", "skip"]
Barren: TypeAlias = Literal["skip", "zero"]


@dataclass(frozen=True, slots=True)
class Policy:
    """How a run and the qrels become grades by rank.

    `ties`: documents with equal scores are ordered by `trec_eval` (float64 scores, then document id, both
    descending), `float32` (the same with scores cut to single precision, as trec_eval did before 9.0.8), `rank` (the
    run file's own rank column instead of scores) or scored by their `expected` value over all orders of the tied
    documents.

    `unjudged`: a retrieved document without a judgment is `nonrelevant`, `removed` from the list before ranks are
    counted, or scored so that the result is a `lower` or `upper` bound on what judging the retrieved documents
    could make of it.

    `negative`: a grade below 0 is a judgment, `nonrelevant`, or no judgment, `unjudged` (what trec_eval makes of it).

    `missing`: a topic that a run lacks scores `zero` or is left out (`skip`).

    `barren`: a topic without relevant documents is left out of the means (`skip`) or counts as `zero`.

    `depth`: only this many documents per topic are looked at, all others are as if not retrieved.

    >>> Policy(ties="random")
    Traceback (most recent call last):
    ...
    evenscale.errors.BadParameter: ties must be one of trec_eval, float32, rank, expected, got 'random'
    """

    ties: Ties = "trec_eval"
    unjudged: Unjudged = "nonrelevant"
    negative: Negative = "nonrelevant"
    missing: Missing = "zero"
    barren: Barren = "skip"
    depth: int | None = None

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise BadParameter(f"{name} must be one of {', '.join(choices)}, got {value!r}")
        if self.depth is not None and self.depth < 1:
            raise BadParameter(f"depth must be a whole number of at least 1, got {self.depth!r}")

    def row(self) -> dict[str, str | int | None]:
        """The choices as plain data, for reports that say how they were made."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


CHOICES: dict[str, tuple[str, ...]] = {
    "ties": get_args(Ties),
    "unjudged": get_args(Unjudged),
    "negative": get_args(Negative),
    "missing": get_args(Missing),
    "barren": get_args(Barren),
}
"""What each policy may be; the command line reads its options from here."""
