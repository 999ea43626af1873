"""A report read back: its tables, links and scripts, and whether every element is closed."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


@dataclass
class Table:
    """A table as it is read: headings and rows of texts, and the number of the system that each row is about."""

    headings: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    systems: list[str | None] = field(default_factory=list)

    def column(self, number: int) -> list[str]:
        return [row[number] for row in self.rows]


class Parsed(HTMLParser):
    """Everything that the tests ask about a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: dict[str, Table] = {}
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.mistakes: list[str] = []
        self.texts: dict[str, str] = {}
        self._open: list[str] = []
        self._named: list[str | None] = []
        self._table: Table | None = None
        self._cell: list[str] | None = None
        self.feed(text)
        self.close()
        self.mistakes += [f"<{tag}> is not closed" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.elements.append((tag, known))
        if tag in VOID:
            return
        self._open.append(tag)
        self._named.append(known.get("id"))
        if tag == "table":
            self._table = self.tables.setdefault(known.get("id") or "", Table())
        elif tag == "tr" and self._table is not None and "tbody" in self._open:
            self._table.rows.append([])
            self._table.systems.append(known.get("data-system"))
        elif tag in ("td", "th"):
            self._cell = []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1] != tag:
            self.mistakes.append(f"</{tag}> closes {self._open[-1:]} at {self.getpos()}")
            return
        if tag in ("td", "th") and self._table is not None and self._cell is not None:
            text = "".join(self._cell)
            if "tbody" in self._open:
                self._table.rows[-1].append(text)
            elif tag == "th":
                self._table.headings.append(text)
            self._cell = None
        if tag == "table":
            self._table = None
        self._open.pop()
        self._named.pop()

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)
        for name in self._named:
            if name is not None:
                self.texts[name] = self.texts.get(name, "") + data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of every element of a kind."""
        return [attributes for name, attributes in self.elements if name == tag]

    def values(self, attribute: str) -> list[str]:
        """Every value that an attribute has on the page."""
        return [attributes[attribute] or "" for _, attributes in self.elements if attribute in attributes]
