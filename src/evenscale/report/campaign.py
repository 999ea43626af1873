"""What was evaluated, and from what: the facts that a report states before its first number."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import polars as pl

from evenscale._version import __version__
from evenscale.errors import BadFile
from evenscale.files import Qrels, RunSource
from evenscale.oddities import Oddity
from evenscale.scores import Evaluation

LIBRARIES = ("numpy", "polars", "scipy", "numba", "altair", "vl-convert-python")
"""What the numbers and figures depend on, beside Python and evenscale itself."""

IN_MEMORY = "in memory"


class Relevant(NamedTuple):
    """Relevant documents per topic."""

    least: int
    median: float
    most: int


@dataclass(frozen=True, slots=True)
class InputFile:
    """One source of judgments or runs. What was handed over in memory has neither size nor hash."""

    role: str
    """`qrels` or `run`."""
    name: str
    """The path as it was given, or `in memory`, with the run's name where it has one."""
    size: int | None = None
    """Bytes, as on disk."""
    sha256: str | None = None

    def row(self) -> dict[str, str | int | None]:
        """The source as one row of a table."""
        return {"role": self.role, "name": self.name, "size": self.size, "sha256": self.sha256}


@dataclass(frozen=True, eq=False)
class About:
    """What was evaluated.

    `grades` has one row per grade in the qrels: `grade, judgments`. `policy` and `options` are the choices as plain
    data: how run and qrels were brought together, and measures, test and alpha. `versions` are those of evenscale,
    Python and the main libraries by name.
    """

    title: str
    systems: int
    topics: int
    judgments: int
    grades: pl.DataFrame
    relevant: Relevant
    oddities: tuple[Oddity, ...]
    policy: dict[str, str | int | None]
    options: dict[str, Any]
    versions: dict[str, str]
    files: tuple[InputFile, ...]

    def oddity_counts(self) -> dict[str, int]:
        """How many notes there are of each kind, the most frequent first."""
        kinds = [oddity.kind for oddity in self.oddities]
        return dict(sorted(((kind, kinds.count(kind)) for kind in dict.fromkeys(kinds)), key=lambda item: -item[1]))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "title": self.title,
            "systems": self.systems,
            "topics": self.topics,
            "judgments": self.judgments,
            "grades": self.grades.to_dicts(),
            "relevant": self.relevant._asdict(),
            "oddities": [oddity.row() for oddity in self.oddities],
            "policy": self.policy,
            "options": self.options,
            "versions": self.versions,
            "files": [source.row() for source in self.files],
        }


def about(
    evaluation: Evaluation, qrels: Qrels, files: Sequence[InputFile], options: dict[str, Any], title: str
) -> About:
    """The facts about an evaluation."""
    bases = evaluation.blocks[0].positives[evaluation.topic_rows].tolist()
    counts = qrels.frame.group_by("grade").len("judgments").sort("grade")
    return About(
        title=title or _title(len(evaluation.runs), len(evaluation.topics)),
        systems=len(evaluation.runs),
        topics=len(evaluation.topics),
        judgments=qrels.frame.height,
        grades=counts.with_columns(pl.col("judgments").cast(pl.Int64)),
        relevant=Relevant(min(bases), float(median(bases)), max(bases)),
        oddities=evaluation.oddities,
        policy=evaluation.policy.row(),
        options=options,
        versions=versions(),
        files=tuple(files),
    )


def _title(systems: int, topics: int) -> str:
    """
    >>> _title(24, 50), _title(1, 1)
    ('24 systems on 50 topics', '1 system on 1 topic')
    """
    return f"{systems} system{'s' * (systems != 1)} on {topics} topic{'s' * (topics != 1)}"


def input_files(qrels: Any, runs: Sequence[RunSource]) -> list[InputFile]:
    """The sources with their hashes; a file is read once more for that."""
    given = os.fsdecode(qrels) if isinstance(qrels, str | os.PathLike) else ""
    return [_input("qrels", given, ""), *(_input("run", run.path, run.name or _name(run.source)) for run in runs)]


def _name(source: object) -> str:
    name = getattr(source, "name", "")
    return name if isinstance(name, str) else ""


def _input(role: str, path: str, name: str) -> InputFile:
    if not path:
        return InputFile(role, f"{name} ({IN_MEMORY})" if name else IN_MEMORY)
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise BadFile(path, f"cannot be read: {error.strerror}") from None
    return InputFile(role, path, len(content), hashlib.sha256(content).hexdigest())


def versions() -> dict[str, str]:
    """Versions by name, evenscale's first.

    >>> list(versions())[:2]
    ['evenscale', 'Python']
    """
    found = {"evenscale": __version__, "Python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
