"""The answer to "may I say that?": a verdict, its reason, and what speaks against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import polars as pl

from evenscale.prose import wrapped
from evenscale.results import Result
from evenscale.tables import Cell, Table

Judgement: TypeAlias = Literal["meaningful", "depends", "inexpressible"]

SAID: Mapping[str, str] = {
    "meaningful": "meaningful: the same on every permissible rescaling",
    "depends": "depends on the scale",
    "inexpressible": "cannot be said on this scale",
}
"""The verdicts in words; docs/statements.md explains them."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A permissible rescaling under which a statement changes its truth value; checked by recomputation.

    `text` says how the scores are rescaled, `bend` how far the scale must be bent at least (the share of a step in it),
    `before` and `after` hold the numbers that the statement compares, `rows` a few scores with their new values.
    """

    text: str
    before: Mapping[str, float]
    after: Mapping[str, float]
    rows: tuple[Mapping[str, Cell], ...] = ()
    bend: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "text": self.text,
            "bend": self.bend,
            "before": dict(self.before),
            "after": dict(self.after),
            "rows": [dict(row) for row in self.rows],
        }

    def table(self) -> Table:
        """The rescaling as a small table."""
        columns = list(self.rows[0]) if self.rows else []
        return Table(columns, [[row[name] for name in columns] for row in self.rows])


@dataclass(frozen=True, slots=True)
class Computed:
    """A statement on one set of numbers: whether it is true there, and the numbers it compares.

    `true` is None where the numbers do not allow an answer, `shown` the numbers as a clause.
    """

    true: bool | None
    values: Mapping[str, float]
    shown: str
    difference: float | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What may be said of a statement, why, and what speaks against it."""

    verdict: Judgement
    reason: str
    witness: Witness | None = None


@dataclass(frozen=True, eq=False)
class Verdict(Result):
    """Whether a statement keeps its truth value on every permissible rescaling.

    `verdict` is "meaningful" (true or false, it is the same on all of them), "depends" or "inexpressible"; `reason`
    says why; `witness` is a rescaling that turns the statement round; `interval` is the statement on the measure's
    interval version, None where there is none (`no_interval` says why).
    """

    statement: str
    true_as_computed: bool | None
    verdict: Judgement
    reason: str
    witness: Witness | None
    interval: Mapping[str, Any] | None
    computed: Computed
    kind: str = ""
    measure: str = ""
    scale: str = ""
    topicwise: bool = False
    no_interval: str = ""

    @property
    def frame(self) -> pl.DataFrame:
        """The verdict as one row."""
        interval = self.interval or {}
        row = {
            "kind": self.kind,
            "measure": self.measure,
            "statement": self.statement,
            "true_as_computed": self.true_as_computed,
            "verdict": self.verdict,
            "reason": self.reason,
            "bend": self.witness.bend if self.witness else None,
            "interval_true": interval.get("true"),
            "interval_difference": interval.get("difference"),
            "interval_p": interval.get("p"),
        }
        floats = dict.fromkeys(("bend", "interval_difference", "interval_p"), pl.Float64)
        return pl.DataFrame([row], schema_overrides={**floats, "interval_true": pl.Boolean})

    def table(self) -> Table:
        """The verdict, line by line."""
        return Table(("", ""), self.lines())

    def lines(self) -> list[tuple[str, str]]:
        """What a person wants to read: a heading and a sentence each."""
        rows = [
            ("statement", f"{self.statement}: {_truth(self.true_as_computed)} as computed ({self.computed.shown})"),
            ("verdict", f"{SAID[self.verdict]}: {self.reason}"),
        ]
        if self.witness:
            rows.append(("witness", self.witness.text))
        other = self.interval["text"] if self.interval else f"no interval version: {self.no_interval}"
        return [*rows, ("interval version", other)]

    def text(self) -> str:
        """The verdict as a few lines of prose, the witness as a small table among them."""
        parts = []
        for heading, sentence in self.lines():
            parts.append(wrapped(f"witness: {sentence}" if heading == "witness" else sentence, rest="  "))
            if heading == "witness" and self.witness and self.witness.rows:
                parts.append("\n".join(f"  {row}".rstrip() for row in self.witness.table().text().splitlines()))
        return "\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "statement": self.statement,
            "true_as_computed": self.true_as_computed,
            "verdict": self.verdict,
            "reason": self.reason,
            "witness": self.witness.to_dict() if self.witness else None,
            "interval": dict(self.interval) if self.interval else None,
            "kind": self.kind,
            "measure": self.measure,
            "scale": self.scale,
            "topicwise": self.topicwise,
            "computed": dict(self.computed.values),
            "no_interval": self.no_interval,
        }

    def __str__(self) -> str:
        return self.text()


def _truth(true: bool | None) -> str:
    return {True: "true", False: "false", None: "neither true nor false"}[true]
