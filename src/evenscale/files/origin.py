"""Where rows came from, so that every message can say so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evenscale.errors import BadFile, BadInput, BadLine


class Trouble(Exception):
    """Row `row` of a column cannot be used; `row` is None where the column as a whole cannot."""

    def __init__(self, row: int | None, why: str) -> None:
        super().__init__(why)
        self.row, self.why = row, why

    @property
    def order(self) -> int:
        """Troubles sort by row, with whole columns first."""
        return -1 if self.row is None else self.row


def _row(row: int) -> str:
    return f"row {row + 1}"


@dataclass(frozen=True)
class Origin:
    """A file, or something in memory that is called `label`.

    `line` gives the number of a row's line, where rows have lines; `spot` says in words where a row is.

    >>> print(Origin("a.run", line=lambda row: row + 3).bad_row(0, "expected 6 columns, found 5"))
    a.run:3: expected 6 columns, found 5
    >>> print(Origin("a.parquet").bad_row(0, "expected a topic, found nothing"))
    a.parquet: row 1: expected a topic, found nothing
    >>> print(Origin(label="run 'bm25'").bad("is empty"))
    run 'bm25': is empty
    """

    path: str = ""
    label: str = ""
    line: Callable[[int], int] | None = None
    spot: Callable[[int], str] = _row

    def bad(self, why: str) -> BadInput:
        """The error for the whole of it."""
        return BadFile(self.path, why) if self.path else BadInput(f"{self.label}: {why}")

    def bad_row(self, row: int | None, why: str) -> BadInput:
        """The error for one row of it."""
        if row is None:
            return self.bad(why)
        if self.line is not None:
            return BadLine(self.path, self.line(row), why)
        return self.bad(f"{self.spot(row)}: {why}")

    def place(self, row: int) -> str:
        """Where a row is, to end a sentence with.

        >>> Origin("a.run", line=lambda row: row + 1).place(6), Origin("a.parquet").place(6)
        ('on line 7', 'in row 7')
        """
        return f"on line {self.line(row)}" if self.line is not None else f"in {self.spot(row)}"
