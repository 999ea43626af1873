"""Names that are distinct, settled before the runs are read."""

from __future__ import annotations

import io
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from evenscale.errors import BadInput, BadParameter, quoted
from evenscale.files.content import BOM, CORRUPT, codec_of, load, opened, plain_name, text_of
from evenscale.files.delimited import is_headed
from evenscale.files.finish import ids
from evenscale.files.listing import RunSource
from evenscale.files.memory import from_memory
from evenscale.files.origin import Trouble
from evenscale.files.reading import runs_in
from evenscale.files.records import Run
from evenscale.files.tables import READERS, read_table, suffix_of
from evenscale.files.trec import RUN
from evenscale.oddities import Oddity

FIELD = re.compile(r"[^ \t\v\f\n]+")
# Lines longer than this are no run's; it keeps a look at a huge file without line feeds short.
LONGEST = 1 << 20


@dataclass(frozen=True)
class Candidate:
    """Names for one run in order of preference; a `fixed` one has only its first, and keeps it."""

    names: tuple[str, ...]
    fixed: bool = False


def settle(candidates: Sequence[Candidate]) -> list[str]:
    """A distinct name for each: the first that nobody else claims, and in the last resort a number.

    >>> settle([Candidate(("x", "a.run")), Candidate(("x", "b.run")), Candidate(("y", "c.run"))])
    ['a.run', 'b.run', 'y']
    >>> settle([Candidate(("x",), fixed=True), Candidate(("x",))])
    ['x', 'x (2)']
    """
    level = [0] * len(candidates)
    while True:
        names = [candidate.names[at] for candidate, at in zip(candidates, level, strict=True)]
        claims = Counter(names)
        movable = [
            place
            for place, candidate in enumerate(candidates)
            if claims[names[place]] > 1 and level[place] + 1 < len(candidate.names) and not candidate.fixed
        ]
        if not movable:
            return _numbered(names, candidates)
        for place in movable:
            level[place] += 1


def _numbered(names: list[str], candidates: Sequence[Candidate]) -> list[str]:
    """The names with numbers after those that are still not distinct; fixed ones choose first."""
    taken: set[str] = set()
    final = list(names)
    for place in sorted(range(len(names)), key=lambda place: not candidates[place].fixed):
        name, number = names[place], 2
        while name in taken or (name != names[place] and name in names):
            name, number = f"{names[place]} ({number})", number + 1
        taken.add(name)
        final[place] = name
    return final


@dataclass(frozen=True)
class Entry:
    """One source with the settled names of the runs that it will give, and what is odd about each name.

    Without names the runs keep those that they are read with.
    """

    source: RunSource
    names: tuple[str, ...] = ()
    oddities: tuple[tuple[Oddity, ...], ...] = ()


def entries(sources: Sequence[RunSource], *, ranks: bool) -> list[Entry]:
    """The sources with settled names; a single source is not looked into, since nothing can clash with it."""
    if len(sources) == 1:
        return [Entry(sources[0])]
    sources = [once for source in sources for once in _readable_twice(source, ranks=ranks)]
    tags = [_tags(source) for source in sources]
    candidates = [
        _candidate(source, tag, place, several=len(mine) > 1)
        for place, (source, mine) in enumerate(zip(sources, tags, strict=True), 1)
        for tag in mine
    ]
    settled = iter(zip(settle(candidates), candidates, strict=True))
    return [_entry(source, [next(settled) for _ in mine]) for source, mine in zip(sources, tags, strict=True)]


def _readable_twice(source: RunSource, *, ranks: bool) -> list[RunSource]:
    """The source, or the runs in it where it is a pipe and a look at its tag would use it up."""
    if not source.path or os.path.isfile(source.path):
        return [source]
    runs = runs_in(source.source, ranks=ranks, label="run")
    return [RunSource(run, source.name) for run in runs]


def _entry(source: RunSource, settled: Sequence[tuple[str, Candidate]]) -> Entry:
    oddities = tuple(_clash(source, name, candidate) for name, candidate in settled)
    return Entry(source, tuple(name for name, _ in settled), oddities)


def _clash(source: RunSource, name: str, candidate: Candidate) -> tuple[Oddity, ...]:
    first = candidate.names[0]
    text = f"the name {quoted(first)} is another run's too; this one is called {quoted(name)}"
    return () if name == first else (Oddity("tag clash", source.path or name, text),)


def _candidate(source: RunSource, tag: str | None, place: int, *, several: bool) -> Candidate:
    """Names for one run: its tag, its file's name, its path; with the tag again if a table has several."""
    if source.name is not None:
        return Candidate((source.name,), fixed=True)
    ending = f":{tag}" if several else ""
    path = source.source.path if isinstance(source.source, Run) else source.path
    fallbacks = (plain_name(path) + ending, path + ending) if path else (f"run{place}{ending}",)
    return Candidate(tuple(dict.fromkeys((tag, *fallbacks) if tag else fallbacks)))


def _tags(source: RunSource) -> list[str | None]:
    """The tags of the runs in a source, None for a run without one, with as little reading as possible."""
    if source.name is not None:
        return [None]
    if isinstance(source.source, Run):
        return [source.source.name]
    try:
        return [*(_text_tags(source.path) or _table_tags(source))] or [None]
    except (BadInput, BadParameter, Trouble):
        return [None]  # whoever reads it will say what is wrong with it


def _table_tags(source: RunSource) -> list[str]:
    """The tags of a table, on disk or in memory."""
    if isinstance(source.source, Mapping):
        return []
    path = source.path
    rough = read_table(path, load(path), ["tag"]) if path else from_memory(source.source, ["tag"], "run")
    if rough is None or "tag" not in rough.frame.columns:
        return []
    return ids(rough.frame["tag"], "tag").unique(maintain_order=True).to_list()


def _text_tags(path: str) -> list[str]:
    """The tag on the first line of TREC text that holds data; nothing for other sources."""
    if not path or (suffix_of(path) in READERS and not _is_bare_tsv(path)):
        return []
    with opened(path) as file:
        codec = codec_of(file.read(8))
        file.seek(0)
        try:
            return first_tag(file if codec is None else codec.stream(file))
        except CORRUPT:
            return []


def _is_bare_tsv(path: str) -> bool:
    return suffix_of(path) == ".tsv" and not is_headed(text_of(load(path), path), "\t")


def first_tag(stream: IO[bytes]) -> list[str]:
    """The tag on the first line that holds data.

    >>> import io
    >>> first_tag(io.BytesIO(b"# a comment\\n401 Q0 a 1 0.5 bm25\\n"))
    ['bm25']
    """
    # Latin-1 keeps every byte as it is, and reading as text takes care of all kinds of line ends.
    lines = io.TextIOWrapper(stream, encoding="latin-1")
    try:
        for line in iter(lambda: lines.readline(LONGEST), ""):
            fields = FIELD.findall(line.removeprefix(BOM.decode("latin-1")))
            if fields and not fields[0].startswith("#"):
                return [_decoded(field.encode("latin-1")) for field in fields[RUN.width - 1 : RUN.width]]
        return []
    finally:
        lines.detach()  # the stream is closed by whoever opened it


def _decoded(field: bytes) -> str:
    return text_of(field, "").data.decode("utf-8")
