"""Tables: rows in, text, Markdown, LaTeX or HTML out. Nothing is computed here."""

from __future__ import annotations

import html
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Cell: TypeAlias = str | int | float | None
"""A label, a count, a number to be rounded, or nothing."""

GAP = "  "


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings; `strong` marks the cells (row, column) that stand out.

    >>> table = Table(("run", "AP"), [("bm25", 0.25), ("tf", None)], strong={(0, 1)})
    >>> print(table.text())
    run       AP
    bm25  0.2500
    tf         -
    >>> print(table.markdown())
    | run  |         AP |
    |:-----|-----------:|
    | bm25 | **0.2500** |
    | tf   |          - |
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    title: str = ""
    digits: int = 4
    strong: Collection[tuple[int, int]] = field(default_factory=frozenset)

    def text(self, width: int | None = None, style: Callable[[str], str] | None = None) -> str:
        """Plain text; columns that do not fit the width go below, with the first column repeated.

        `style` wraps headings and strong cells for a terminal that can show it.
        """
        cells, widths = self._cells(), self._widths(self._cells())
        if width is not None and widths and widths[0] > max(12, width // 2):
            keep = max(12, width // 2)
            cells = [[_shortened(row[0], keep), *row[1:]] for row in cells]
            widths = [keep, *widths[1:]]
        parts = [self._part(cells, widths, chosen, style) for chosen in _fit(widths, width)]
        return "\n\n".join(([self.title] if self.title else []) + parts)

    def markdown(self) -> str:
        """A Markdown table; pipes in names are escaped."""
        cells = [[_markdown_safe(cell) for cell in row] for row in self._cells()]
        cells = [[f"**{c}**" if (r, k) in self.strong else c for k, c in enumerate(row)] for r, row in enumerate(cells)]
        head = [_markdown_safe(name) for name in self.columns]
        widths = (
            [max(3, len(name), *(len(row[k]) for row in cells)) for k, name in enumerate(head)]
            if cells
            else [max(3, len(name)) for name in head]
        )
        right = self._right()
        rule = "|".join("-" * (w + 1) + ":" if r else ":" + "-" * (w + 1) for w, r in zip(widths, right, strict=True))
        lines = [f"| {_line(head, widths, right, ' | ')} |", f"|{rule}|"]
        lines += [f"| {_line(row, widths, right, ' | ')} |" for row in cells]
        return "\n".join(([f"**{_markdown_safe(self.title)}**", ""] if self.title else []) + lines)

    def latex(self) -> str:
        r"""A booktabs tabular.

        >>> print(Table(("run", "P@10"), [("a_b", 0.5)], digits=2).latex())
        \begin{tabular}{lr}
        \toprule
        run & P@10 \\
        \midrule
        a\_b & 0.50 \\
        \bottomrule
        \end{tabular}
        """
        shape = "".join("r" if right else "l" for right in self._right())
        body = [
            " & ".join(
                f"\\textbf{{{latex_safe(c)}}}" if (r, k) in self.strong else latex_safe(c) for k, c in enumerate(row)
            )
            for r, row in enumerate(self._cells())
        ]
        head = " & ".join(latex_safe(name) for name in self.columns)
        lines = [f"\\begin{{tabular}}{{{shape}}}", "\\toprule", f"{head} \\\\", "\\midrule"]
        return "\n".join([*lines, *(f"{row} \\\\" for row in body), "\\bottomrule", "\\end{tabular}"])

    def html(self) -> str:
        """An HTML table; every name is data and is shown as text.

        >>> "<script>" in Table(("run",), [("<script>",)]).html()
        False
        """
        right = self._right()

        def cell(tag: str, text: str, column: int, strong: bool) -> str:
            inner = html.escape(text)
            align = ' style="text-align:right"' if right[column] else ' style="text-align:left"'
            scope = ' scope="col"' if tag == "th" else ""
            return f"<{tag}{scope}{align}>{f'<strong>{inner}</strong>' if strong else inner}</{tag}>"

        head = "".join(cell("th", name, k, False) for k, name in enumerate(self.columns))
        body = "\n".join(
            "<tr>" + "".join(cell("td", c, k, (r, k) in self.strong) for k, c in enumerate(row)) + "</tr>"
            for r, row in enumerate(self._cells())
        )
        caption = f"<caption>{html.escape(self.title)}</caption>\n" if self.title else ""
        return f"<table>\n{caption}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"

    def _cells(self) -> list[list[str]]:
        return [[shown(cell, self.digits) for cell in row] for row in self.rows]

    def _right(self) -> list[bool]:
        """Columns that hold numbers stand to the right."""
        return [
            any(isinstance(row[k], int | float) for row in self.rows)
            and all(row[k] is None or isinstance(row[k], int | float) for row in self.rows)
            for k in range(len(self.columns))
        ]

    def _widths(self, cells: Sequence[Sequence[str]]) -> list[int]:
        return [max([len(name), *(len(row[k]) for row in cells)]) for k, name in enumerate(self.columns)]

    def _part(
        self,
        cells: Sequence[Sequence[str]],
        widths: Sequence[int],
        chosen: Sequence[int],
        style: Callable[[str], str] | None,
    ) -> str:
        mark = style or (lambda text: text)
        right = self._right()
        w, r = [widths[k] for k in chosen], [right[k] for k in chosen]
        head = _line([self.columns[k] for k in chosen], w, r, GAP).rstrip()
        lines = [mark(head)] if head else []
        for number, row in enumerate(cells):
            padded = [_pad(row[k], widths[k], right[k]) for k in chosen]
            styled = [mark(p) if (number, k) in self.strong else p for p, k in zip(padded, chosen, strict=True)]
            lines.append(GAP.join(styled).rstrip())
        return "\n".join(lines)


def shown(cell: Cell, digits: int) -> str:
    """One cell as text, on one line.

    >>> shown(0.123456, 4), shown(7, 4), shown(None, 4), shown("a\\nb", 4), shown(1.5e20, 4)
    ('0.1235', '7', '-', 'a\\\\nb', '1.500e+20')
    """
    if cell is None or cell != cell:
        return "-"
    if isinstance(cell, float):
        return f"{cell:.{digits}f}" if abs(cell) < 1e12 else f"{cell:.{max(digits - 1, 0)}e}"
    text = str(cell)
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


def _pad(text: str, width: int, right: bool) -> str:
    return text.rjust(width) if right else text.ljust(width)


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool], gap: str) -> str:
    return gap.join(_pad(c, w, r) for c, w, r in zip(cells, widths, right, strict=True))


def _fit(widths: Sequence[int], width: int | None) -> list[list[int]]:
    """Columns in groups that fit, each with the first one in front.

    >>> _fit([4, 6, 6, 6], 20), _fit([4, 6], None)
    ([[0, 1, 2], [0, 3]], [[0, 1]])
    """
    if width is None or not widths:
        return [list(range(len(widths)))]
    groups: list[list[int]] = []
    room = -1
    for k in range(1, len(widths)):
        need = widths[k] + len(GAP)
        if need > room:
            groups.append([0])
            room = max(width - widths[0], need)
        groups[-1].append(k)
        room -= need
    return groups or [[0]]


def _shortened(text: str, width: int) -> str:
    """
    >>> _shortened("a-very-long-name", 9)
    'a-ve…name'
    """
    if len(text) <= width:
        return text
    head = (width - 1) // 2
    return f"{text[:head]}…{text[len(text) - (width - 1 - head) :]}"


def _markdown_safe(text: str) -> str:
    escaped = html.escape(text, quote=False)
    return "".join("\\" + c if c in "|*_`[]\\~" else c for c in escaped)


_LATEX: Mapping[str, str] = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{c: "\\" + c for c in "&%$#_{}"},
}


def latex_safe(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in text)
