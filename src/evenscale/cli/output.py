"""What all commands share: formats, output files, oddities and the progress bar."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click
import polars as pl

from evenscale.errors import BadParameter
from evenscale.oddities import Oddity
from evenscale.tables import Table

_Function = TypeVar("_Function", bound=Callable[..., Any])

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .25rem .75rem; }}
thead th {{ border-bottom: 2px solid currentColor; }}
tbody tr:nth-child(even) {{ background: color-mix(in srgb, currentColor 6%, transparent); }}
.scroll {{ overflow-x: auto; }}
</style>
</head>
<body>
<main>
<h1>{title}</h1>
{notes}
<div class="scroll">
{table}
</div>
</main>
</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class Shown:
    """All that a command has to show, whatever the format."""

    table: Table
    frame: pl.DataFrame
    data: dict[str, Any]
    title: str
    oddities: Sequence[Oddity] = ()
    prose: str = ""
    """What is printed as text instead of the table, where words say it better."""


def _html(shown: Shown) -> str:
    import html

    notes = "".join(f"<li>{html.escape(str(oddity))}</li>" for oddity in shown.oddities)
    listed = f"<details><summary>{len(shown.oddities)} notes on the input</summary><ul>{notes}</ul></details>"
    return PAGE.format(title=html.escape(shown.title), notes=listed if notes else "", table=shown.table.html())


FORMATS: dict[str, Callable[[Shown], str]] = {
    "text": lambda shown: (shown.prose or shown.table.text()) + "\n",
    "json": lambda shown: json.dumps(shown.data, indent=2, ensure_ascii=False, allow_nan=False) + "\n",
    "csv": lambda shown: shown.frame.write_csv(),
    "latex": lambda shown: shown.table.latex() + "\n",
    "markdown": lambda shown: shown.table.markdown() + "\n",
    "html": _html,
}
SUFFIXES = {
    ".txt": "text",
    ".json": "json",
    ".csv": "csv",
    ".tex": "latex",
    ".md": "markdown",
    ".html": "html",
    ".htm": "html",
}


def format_options(function: _Function) -> _Function:
    """The options by which every command chooses its format."""
    chosen = [
        click.option("--json", "kind", flag_value="json", help="Print JSON."),
        click.option("--csv", "kind", flag_value="csv", help="Print CSV in full precision."),
        click.option("--latex", "kind", flag_value="latex", help="Print a LaTeX table (booktabs)."),
        click.option("--markdown", "kind", flag_value="markdown", help="Print a Markdown table."),
        click.option(
            "-o",
            "--output",
            type=click.Path(dir_okay=False, writable=True),
            metavar="FILE",
            help="Write to a file; its suffix (.json .csv .tex .md .html .txt) decides the format if no option does.",
        ),
        click.option("--quiet", "-q", is_flag=True, help="Say nothing about oddities in the input."),
    ]
    for option in reversed(chosen):
        function = option(function)
    return function


def show(shown: Shown, kind: str | None, output: str | None, quiet: bool) -> None:
    """Print or write a result, then say on stderr what was odd about the input."""
    if output:
        from evenscale.files.atomic import atomic

        text = FORMATS[kind or _by_suffix(output)](shown)
        with atomic(output, "w") as out:
            out.write(text)
        click.echo(f"wrote {output}", err=True)
    elif kind:
        click.echo(FORMATS[kind](shown), nl=False)
    elif shown.prose:
        click.echo(shown.prose)
    else:
        terminal = sys.stdout.isatty()
        width = shutil.get_terminal_size().columns if terminal else None
        style = (lambda text: click.style(text, bold=True)) if terminal and "NO_COLOR" not in os.environ else None
        click.echo(shown.table.text(width, style))
    if not quiet:
        tell(shown.oddities)


def _by_suffix(output: str) -> str:
    suffix = Path(output).suffix.lower()
    if suffix not in SUFFIXES:
        raise BadParameter(
            f"cannot tell the format of {output!r}: use one of {' '.join(SUFFIXES)}, "
            "or --json, --csv, --latex, --markdown"
        )
    return SUFFIXES[suffix]


def tell(oddities: Sequence[Oddity], each: int = 3) -> None:
    """The oddities on stderr, a few of each kind."""
    kinds: dict[str, list[Oddity]] = {}
    for oddity in oddities:
        kinds.setdefault(oddity.kind, []).append(oddity)
    for kind, group in kinds.items():
        for oddity in group[:each]:
            click.echo(f"note: {oddity}", err=True)
        if len(group) > each:
            click.echo(f"note: ... and {len(group) - each} more like this ({kind}); --json lists all", err=True)


@contextmanager
def progress_bar(label: str, patience: float = 1.0) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr for what takes longer than a second; silent where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    started = time.monotonic()
    task: TaskID | None = None

    def advance(done: int, total: int) -> None:
        nonlocal task
        if task is None and time.monotonic() - started > patience and done < total:
            task = bar.add_task(label, total=total)
            bar.start()
        if task is not None:
            bar.update(task, completed=done, total=total)

    try:
        yield advance
    finally:
        bar.stop()
