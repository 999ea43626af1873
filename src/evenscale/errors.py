"""The one error tree.

```
EvenscaleError
├── BadInput            something the user handed us cannot be used
│   ├── BadFile         ... a whole file: "runs/bm25.run.gz: the gzip stream ends early"
│   └── BadLine         ... one line of it: "runs/bm25.run:17: expected 6 columns, found 5"
├── BadParameter        an option or a measure's parameter is out of range
└── UnknownMeasure      no such measure; the message names the nearest ones
```

Every message is one line that says where, what was expected and what was found. The command line prints it
and exits with code 2.
"""

from __future__ import annotations

import os


class EvenscaleError(Exception):
    """Base of every error that evenscale raises on purpose."""


class BadInput(EvenscaleError, ValueError):
    """Something the user handed us cannot be used."""


class BadFile(BadInput):
    """A file as a whole cannot be used.

    >>> print(BadFile("bm25.run.gz", "the gzip stream ends early"))
    bm25.run.gz: the gzip stream ends early
    """

    def __init__(self, path: str | os.PathLike[str], why: str) -> None:
        super().__init__(f"{_shown(os.fspath(path))}: {why}")
        self.path, self.why = os.fspath(path), why

    def __reduce__(self) -> tuple[type[BadFile], tuple[str, str]]:
        return type(self), (self.path, self.why)


class BadLine(BadInput):
    """One line of a file cannot be used; lines are counted from 1, comments and blank lines included.

    >>> print(BadLine("bm25.run", 17, "expected 6 columns, found 5"))
    bm25.run:17: expected 6 columns, found 5
    """

    def __init__(self, path: str | os.PathLike[str], number: int, why: str) -> None:
        super().__init__(f"{_shown(os.fspath(path))}:{number}: {why}")
        self.path, self.number, self.why = os.fspath(path), number, why

    def __reduce__(self) -> tuple[type[BadLine], tuple[str, int, str]]:
        return type(self), (self.path, self.number, self.why)


class BadParameter(EvenscaleError, ValueError):
    """An option or a measure's parameter is out of range.

    >>> print(BadParameter("p must lie in (0, 1), got 1.5"))
    p must lie in (0, 1), got 1.5
    """


class UnknownMeasure(EvenscaleError, LookupError):
    """No measure has this name."""


def _shown(text: str) -> str:
    """Keep one error on one line, whatever is in a file's name."""
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


def quoted(text: str, limit: int = 60) -> str:
    """What was found in the input, safe to print and not too long.

    >>> quoted("abc")
    "'abc'"
    >>> print(quoted("x" * 80, limit=10))
    'xxxxxxxxxx...'
    """
    return repr(text if len(text) <= limit else text[:limit] + "...")
