"""Tables of the page: what a table shows, how each column is written and sorted. Nothing is computed here."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from evenscale.tables import Cell, Table, shown

NOTHING = "–"
LIMIT = 20
"""Rows of a long table that are shown until the reader asks for all."""


def _moved(cell: Cell, digits: int) -> str:
    """
    >>> _moved(3, 0), _moved(-2, 0), _moved(0, 0)
    ('▲ 3', '▼ 2', '=')
    """
    places = int(cell or 0)
    return f"{'▲' if places > 0 else '▼'} {abs(places)}" if places else "="


def _chance(cell: Cell, digits: int) -> str:
    """
    >>> _chance(0.04321, 4), _chance(0.00001, 4), _chance(0.0, 4)
    ('0.0432', '< 0.0001', '< 0.0001')
    """
    least = 10.0**-digits
    return f"< {least:.{digits}f}" if isinstance(cell, float) and cell < least else shown(cell, digits)


WRITTEN: Mapping[str, Callable[[Cell, int], str]] = {
    "plain": shown,
    "moved": _moved,
    "chance": _chance,
    "count": lambda cell, digits: f"{cell:,}" if isinstance(cell, int) else shown(cell, digits),
}
"""How a column's cells are written."""
KEYED = ("moved", "chance")
"""Those whose text does not tell the number that they are sorted by."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, how its cells are written, and which end comes first when a reader sorts by it.

    `group` is the heading above it, shared with its neighbours.
    """

    title: str
    digits: int = 4
    first: str = "descending"
    group: str = ""
    hint: str = ""
    written: str = "plain"

    @property
    def says(self) -> str:
        """The heading in full, for a screen reader and for a table without upper headings.

        >>> Column("mean", group="AP@30").says
        'AP@30 mean'
        """
        return f"{self.group} {self.title}".strip()


@dataclass(frozen=True, slots=True)
class Written:
    """One cell as the page writes it: text, the number it is sorted by if the text is none, and its classes."""

    text: str
    key: str | None
    kind: str


@dataclass(frozen=True)
class Grid:
    """A table of the page: rows of cells under columns.

    `systems` gives the number of the system that a row is about, where it is about one; `named` is the column that
    names the row, by which it is filtered; `notes` are classes of single cells, by (row, column).

    >>> grid = Grid("board", "Scores", [Column("system"), Column("mean", digits=2)], [("bm25", 0.25), ("tf", None)])
    >>> [[cell.text for cell in row] for row in grid.written()], grid.numbers
    ([['bm25', '0.25'], ['tf', '–']], [False, True])
    """

    anchor: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    systems: Sequence[int | None] = ()
    named: int = 0
    rows_are: str = "systems"
    filtered: bool = False
    exported: bool = True
    limit: int = LIMIT
    classes: str = ""
    anchors: bool = False
    notes: Mapping[tuple[int, int], str] = field(default_factory=dict)

    @property
    def numbers(self) -> list[bool]:
        """Which columns hold numbers and stand to the right."""
        return [
            any(_is_number(row[k]) for row in self.rows)
            and all(row[k] is None or _is_number(row[k]) for row in self.rows)
            for k in range(len(self.columns))
        ]

    @property
    def groups(self) -> list[tuple[str, int]]:
        """Headings that span columns, with how many; empty where there are none.

        >>> Grid("a", "", [Column("x"), Column("y", group="AP"), Column("z", group="AP")], []).groups
        [('', 1), ('AP', 2)]
        """
        found: list[tuple[str, int]] = []
        for column in self.columns:
            if found and found[-1][0] == column.group and column.group:
                found[-1] = (column.group, found[-1][1] + 1)
            else:
                found.append((column.group, 1))
        return found if any(name for name, _ in found) else []

    @property
    def edges(self) -> list[bool]:
        """Which columns begin a group."""
        groups = [column.group for column in self.columns]
        return [bool(name) and (k == 0 or groups[k - 1] != name) for k, name in enumerate(groups)]

    @property
    def long(self) -> bool:
        """Whether the table is cut until the reader asks for all of it; a few rows more are no reason to."""
        return len(self.rows) > 1.5 * self.limit

    def system(self, row: int) -> int | None:
        """The number of the system that a row is about."""
        return self.systems[row] if self.systems else None

    def written(self) -> list[list[Written]]:
        """Every cell as the page writes it."""
        numbers, edges = self.numbers, self.edges
        plain = [_kinds(n=number, e=edge) for number, edge in zip(numbers, edges, strict=True)]
        return [
            [
                Written(
                    NOTHING if _is_nothing(cell) else WRITTEN[self.columns[k].written](cell, self.columns[k].digits),
                    _key(cell) if numbers[k] and self.columns[k].written in KEYED else None,
                    f"{plain[k]} {self.notes.get((r, k), '')}".strip(),
                )
                for k, cell in enumerate(row)
            ]
            for r, row in enumerate(self.rows)
        ]

    def table(self) -> Table:
        """The same rows for LaTeX and Markdown."""
        return Table([column.says for column in self.columns], self.rows)


def _kinds(**kinds: bool) -> str:
    return " ".join(kind for kind, holds in kinds.items() if holds)


def _is_nothing(cell: Cell) -> bool:
    return cell is None or cell != cell


def _is_number(cell: Cell) -> bool:
    return isinstance(cell, int | float) and math.isfinite(cell)


def _key(cell: Cell) -> str:
    """What a number is sorted by; a dash for nothing, which comes last.

    >>> _key(0.25), _key(7), _key(None)
    ('0.25', '7', '–')
    """
    return NOTHING if _is_nothing(cell) else f"{cell}"
