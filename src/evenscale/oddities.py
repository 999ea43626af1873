"""What was odd about the input: not wrong enough to stop, too odd to pass over in silence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Oddity:
    """One thing a user should know about what was read.

    `kind` is a short fixed word (`"missing topic"`), `where` the file, run or topic it is about, `text` one
    sentence for a person, and `count` how many lines, documents or topics it covers.

    >>> print(Oddity("missing topic", "bm25", "topic 404 is not in the run and scores 0"))
    bm25: topic 404 is not in the run and scores 0
    """

    kind: str
    where: str
    text: str
    count: int = 1

    def __str__(self) -> str:
        return f"{self.where}: {self.text}" if self.where else self.text

    def row(self) -> dict[str, str | int]:
        """The oddity as one row of a table.

        >>> Oddity("extra text", "a.run", "ignored", 3).row()
        {'kind': 'extra text', 'where': 'a.run', 'text': 'ignored', 'count': 3}
        """
        return {"kind": self.kind, "where": self.where, "text": self.text, "count": self.count}


def named(items: Iterable[str], limit: int = 5) -> str:
    """A few names in a sentence, and how many more there are.

    >>> named(["401", "402", "403"], limit=2)
    '401, 402 and 1 more'
    >>> named(["401"])
    '401'
    """
    names = list(items)
    shown = ", ".join(names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"
