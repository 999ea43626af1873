"""Which column of a table is which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from evenscale.files.numeric import bare
from evenscale.files.origin import Origin
from evenscale.oddities import named

# Where a table has several of the names, the first in this order counts: a table with the columns `query_id`
# and `query` has the topics in `query_id` and their text in `query`.
ALIASES: dict[str, tuple[str, ...]] = {
    "topic": ("topic", "query_id", "qid", "q_id", "query", "topic_id"),
    "doc": ("doc", "doc_id", "docno", "docid", "did"),
    "grade": ("grade", "relevance", "rel", "label", "judgment"),
    "rank": ("rank",),
    "score": ("score", "sim"),
    "tag": ("tag", "run", "run_id", "runid", "system"),
}
OPTIONAL = ("rank", "tag")


def wanted(what: str, *, with_ranks: bool = False) -> tuple[str, ...]:
    """The columns of qrels or of a run, in the order in which they are kept.

    >>> wanted("qrels"), wanted("run"), wanted("run", with_ranks=True)
    (('topic', 'doc', 'grade'), ('topic', 'doc', 'score', 'tag'), ('topic', 'doc', 'rank', 'score', 'tag'))
    """
    if what == "qrels":
        return ("topic", "doc", "grade")
    return ("topic", "doc", "rank", "score", "tag") if with_ranks else ("topic", "doc", "score", "tag")


def find_columns(found: Sequence[str], roles: Sequence[str], origin: Origin) -> dict[str, str]:
    """The table's own name for each role; roles that may be missing are left out where they are.

    >>> find_columns(["Query_ID", "docno", "score"], ["topic", "doc", "score", "tag"], Origin("a.csv"))
    {'topic': 'Query_ID', 'doc': 'docno', 'score': 'score'}
    """
    known: dict[str, str] = {}
    for name in found:
        known.setdefault(name.strip().lower(), name)
    hits = {role: next((known[name] for name in ALIASES[role] if name in known), None) for role in roles}
    missing = [role for role in roles if hits[role] is None and role not in OPTIONAL]
    if missing:
        expected = " and ".join(f"a column {' or '.join(ALIASES[role])}" for role in missing)
        there = named(map(bare, found), limit=10) or "no columns"
        raise origin.bad(f"expected {expected}, found {there}")
    return {role: name for role, name in hits.items() if name is not None}


def has_known_column(found: Iterable[str]) -> bool:
    """Whether any name is one of ours: what tells a table's header from data.

    >>> has_known_column(["qid", "x"]), has_known_column(["401", "0", "a", "1"])
    (True, False)
    """
    ours = {name for names in ALIASES.values() for name in names}
    return any(name.strip().lower() in ours for name in found)


def select(frame: pl.DataFrame, roles: Sequence[str], origin: Origin) -> pl.DataFrame:
    """The columns of a table under their standard names; a tag column that holds nothing is left out."""
    hits = find_columns(frame.columns, roles, origin)
    return kept([frame[name].alias(role) for role, name in hits.items()])


def kept(columns: Iterable[pl.Series]) -> pl.DataFrame:
    """The columns as a frame; a tag column that holds nothing is left out.

    >>> kept([pl.Series("topic", ["1"]), pl.Series("tag", [None], dtype=pl.String)]).columns
    ['topic']
    """
    return pl.DataFrame([column for column in columns if column.name != "tag" or column.count() > 0])
