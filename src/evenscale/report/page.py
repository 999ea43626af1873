"""The report: one HTML page that holds all it shows and loads nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from evenscale.errors import BadFile
from evenscale.files import atomic
from evenscale.measures import Measure
from evenscale.report import page_words
from evenscale.report.contents import DEFAULT_MEASURES, Contents, gather
from evenscale.report.figures import save_figures
from evenscale.report.page_figures import dark_colours
from evenscale.report.page_view import view_of

TEMPLATES = Path(__file__).parent / "templates"

# What would end a script element, or a line in a script of old.
_ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def page(contents: Contents, *, title: str = "", date: str = "") -> str:
    """The report as one HTML page.

    The page depends on nothing but `contents` and these words: no time is taken from the clock. It carries its style,
    its script and its data, and forbids the browser to load anything else.

    >>> from evenscale.bundled import sample
    >>> text = page(gather(*sample(), ["P@10"]), title="A <small> campaign")
    >>> "<title>A &lt;small&gt; campaign</title>" in text
    True
    """
    style = _read("style.css") + dark_colours()
    script = _read("script.js")
    template = _environment().get_template("report.html.j2")
    text = template.render(
        view=view_of(contents, title, date),
        words=page_words,
        policy=_policy(script),
        style=Markup(style),  # noqa: S704 - a file of this package
        script=Markup(script),  # noqa: S704 - a file of this package
        data=Markup(embedded(contents.data())),  # noqa: S704 - escaped by embedded
    )
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def write_report(
    contents: Contents,
    output: str | os.PathLike[str] = "report.html",
    *,
    title: str = "",
    date: str = "",
    figures: str | os.PathLike[str] | None = None,
) -> list[Path]:
    """Write the page, whole or not at all, and the figures if a folder is given; all paths, the page's first."""
    text = page(contents, title=title, date=date)
    if figures is not None:
        _make_folder(figures)
    with atomic(output, "w") as out:
        out.write(text)
    return [Path(output), *(save_figures(contents, figures) if figures is not None else ())]


def make_report(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    output: str | os.PathLike[str] = "report.html",
    test: str = "anova2",
    alpha: float = 0.05,
    correction: str = "none",
    title: str = "",
    date: str = "",
    figures: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    **policy: Any,
) -> Path:
    """Evaluate runs and write the report about them; the path of the page.

    `qrels`, `runs`, `measures` and the policies are those of `evaluate`, `test`, `alpha` and `correction` those of
    `compare`. With `figures`, every figure is written to that folder too, as SVG, PNG and PDF.
    """
    testing: dict[str, Any] = {"test": test, "alpha": alpha, "correction": correction}
    contents = gather(qrels, runs, measures, progress=progress, **testing, **policy)
    return write_report(contents, output, title=title, date=date, figures=figures)[0]


def _make_folder(folder: str | os.PathLike[str]) -> None:
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(folder, f"cannot make this folder: {error.strerror}") from None


def embedded(data: dict[str, Any]) -> str:
    r"""Data as JSON that is safe inside a script element.

    >>> embedded({"tag": "</script><b>&"})
    '{"tag":"\\u003c/script\\u003e\\u003cb\\u003e\\u0026"}'
    """
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character, escaped in _ESCAPED.items():
        text = text.replace(character, escaped)
    return text


def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _read(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    """What the browser may do: run this one script, use styles written in the page, and nothing else."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
