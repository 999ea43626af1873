"""From what the user names to the single runs that are meant: folders, patterns, lists and dictionaries."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from evenscale.errors import BadFile, BadInput, BadParameter, quoted
from evenscale.files.memory import is_pandas, is_row
from evenscale.files.records import Run


@dataclass(frozen=True, eq=False)
class RunSource:
    """One source of runs, not read yet; `name` is set where the user gave one."""

    source: object
    name: str | None = None

    @property
    def path(self) -> str:
        """The file's path; `""` where the source is not a file."""
        return os.fsdecode(self.source) if isinstance(self.source, (str, os.PathLike)) else ""


def list_runs(sources: object) -> list[RunSource]:
    """The single sources that `sources` stands for, found without reading any of them.

    A folder stands for the files in it and a pattern with `*`, `?` or `[` for the files it matches, both
    sorted; a list for all that is in it; a dictionary for its values, named by its keys. What comes back may
    be given to `read_runs`, so that one can say how many runs there will be before the first is read.

    >>> [source.name for source in list_runs({"a": {"401": {"x": 1.5}}, "b": {"401": {"y": 2.5}}})]
    ['a', 'b']
    >>> len(list_runs({"401": {"x": 1.5}, "402": {"y": 2.5}}))
    1
    """
    listed = _listed(sources)
    if not listed:
        raise BadInput("runs: expected at least one, found none")
    return listed


def _listed(sources: object) -> list[RunSource]:
    if isinstance(sources, RunSource):
        return [sources]
    if isinstance(sources, (str, os.PathLike)):
        return [RunSource(path) for path in _expanded(os.fsdecode(sources))]
    if isinstance(sources, Mapping):
        return [RunSource(sources)] if _is_one_run(sources) else _named(sources)
    if isinstance(sources, (Run, pl.DataFrame, pl.LazyFrame)) or is_pandas(sources):
        return [RunSource(sources)]
    if not isinstance(sources, Iterable) or isinstance(sources, bytes):
        kind = type(sources).__name__
        raise BadParameter(f"runs: expected a path, table, dictionary or a list of them, found {kind}")
    # Rows come as a list or a generator too; their first item tells.
    items = list(sources)
    if items and is_row(items[0]):
        return [RunSource(items)]
    return [source for item in items for source in _listed(item)]


def _is_one_run(source: Mapping[object, object]) -> bool:
    """Whether a dictionary is `{topic: {doc: score}}` rather than `{name: run}`.

    >>> _is_one_run({"401": {"a": 1.5}}), _is_one_run({"bm25": {"401": {"a": 1.5}}})
    (True, False)
    """
    inner = [value for value in source.values() if isinstance(value, Mapping)]
    if len(inner) < len(source):
        return False
    scores = next((value for topic in inner for value in topic.values()), None)
    return not isinstance(scores, Mapping) and bool(source)


def _named(sources: Mapping[object, object]) -> list[RunSource]:
    names = [str(name) for name in sources]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise BadParameter(f"runs: the name {quoted(twice[0])} is given twice")
    listed = [RunSource(source, name) for name, source in zip(names, sources.values(), strict=True)]
    for source in listed:
        _check_there(source.path)
    return listed


def _check_there(path: str) -> None:
    if path and not os.path.exists(path):
        raise BadFile(path, "no such file")


def _expanded(path: str) -> list[str]:
    """The files that a path stands for."""
    if os.path.isdir(path):
        return _files_in(path)
    if os.path.lexists(path) or not glob.has_magic(path):
        _check_there(path)
        return [path]
    files = sorted(found for found in glob.glob(path, recursive=True) if os.path.isfile(found))
    if not files:
        raise BadFile(path, "no file matches")
    return files


def _files_in(folder: str) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise BadFile(folder, "no permission to read it") from error
    paths = [os.path.join(folder, name) for name in names if not name.startswith(".")]
    files = [path for path in paths if os.path.isfile(path)]
    if not files:
        raise BadFile(folder, "the folder holds no files")
    return files
