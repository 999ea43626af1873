"""Where a run meets the qrels: order, match, and hand over grades by rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenscale.errors import BadInput
from evenscale.files import Run
from evenscale.judged.block import Block, Ints
from evenscale.judged.judgments import Judgments, numbered
from evenscale.judged.policy import Policy
from evenscale.oddities import Oddity, named
from evenscale.prose import counted


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """A run as grades by rank: one block row per qrels topic, in the judgments' order."""

    name: str
    block: Block
    missing: tuple[str, ...]
    oddities: tuple[Oddity, ...]


@dataclass(frozen=True, eq=False)
class _Ranking:
    """A run's documents in their final order: topic, rank from 1, level (-1 unjudged), and if it ties with the last."""

    topic: Ints
    rank: Ints
    code: Ints
    tied: NDArray[np.bool_]

    def where(self, keep: NDArray[np.bool_]) -> _Ranking:
        """Only some of the documents; a tie with a dropped neighbour is a tie with the one before it."""
        group = np.cumsum(~self.tied)[keep]
        tied = np.concatenate([[False], group[1:] == group[:-1]]) if len(group) else np.zeros(0, dtype=np.bool_)
        return _Ranking(self.topic[keep], self.rank[keep], self.code[keep], tied)


def judge(run: Run, judgments: Judgments, policy: Policy) -> JudgedRun:
    """Order a run's documents, find their grades, and lay them out by topic and rank.

    >>> from evenscale.files import read_qrels, read_run
    >>> qrels = read_qrels({"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1}})
    >>> run = read_run({"q1": {"b": 1.0, "a": 3.0, "x": 2.0}}, name="mine")
    >>> met = judge(run, Judgments.of(qrels, Policy()), Policy())
    >>> met.block.judged(0).grades, met.missing
    ((1, None, 0), ('q2',))
    """
    topic = numbered(run.frame["topic"], judgments.topics)
    order, tied = _order(run, topic, policy)
    ranking = _rank(topic[order], _match(run, topic, judgments)[order], tied)
    ranking = ranking.where(ranking.topic >= 0) if (topic < 0).any() else ranking
    if policy.depth is not None:
        ranking = ranking.where(ranking.rank <= policy.depth)
    if policy.unjudged == "removed":
        kept = ranking.where(ranking.code >= 0)
        ranking = _rank(kept.topic, kept.code, kept.tied)
    block = _block(ranking, judgments, policy)
    missing = tuple(t for t, n in zip(judgments.topics, _present(topic, judgments), strict=True) if not n)
    return JudgedRun(run.name, block, missing, tuple(_oddities(run, topic, tied, missing, policy)))


# --- order ----------------------------------------------------------------------------------------------------------


def _order(run: Run, topic: Ints, policy: Policy) -> tuple[Ints, NDArray[np.bool_]]:
    """The rows by topic and rank, and which of them tie on score with the one above."""
    if policy.ties == "rank":
        if "rank" not in run.frame.columns:
            raise BadInput(f"{run.path or run.name}: ties='rank' needs a rank column, found none")
        falling = -run.frame["rank"].to_numpy().astype(np.float64)
        return np.lexsort((-falling, topic)), np.zeros(len(topic), dtype=np.bool_)
    score = run.frame["score"].to_numpy()
    score = score.astype(np.float32) if policy.ties == "float32" else score
    order = np.arange(len(topic)) if _in_order(topic, score) else np.lexsort((-score, topic))
    tied = _tied(topic[order], score[order])
    if tied.any():
        order = _break_ties(order, tied, run.frame["doc"])
    return order, tied


def _in_order(topic: Ints, score: NDArray[np.floating[Any]]) -> bool:
    """Whether the file is sorted already: by topic, with scores that never rise."""
    step = np.diff(topic)
    return bool(((step > 0) | ((step == 0) & (score[1:] <= score[:-1]))).all())


def _tied(topic: Ints, score: NDArray[np.floating[Any]]) -> NDArray[np.bool_]:
    tied = np.zeros(len(topic), dtype=np.bool_)
    tied[1:] = (topic[1:] == topic[:-1]) & (score[1:] == score[:-1])
    return tied


def _break_ties(order: Ints, tied: NDArray[np.bool_], docs: pl.Series) -> Ints:
    """Within a tie, document ids descending, compared as bytes (trec_eval's rule)."""
    member = tied.copy()
    member[:-1] |= tied[1:]
    at = np.flatnonzero(member)
    group = np.cumsum(~tied)[at]
    names = docs[order[at]].to_list()  # Python compares code points, which is the order of the UTF-8 bytes
    falling = np.array(sorted(range(len(names)), key=names.__getitem__, reverse=True), dtype=np.int64)
    result = order.copy()
    result[at] = order[at][falling[np.argsort(group[falling], kind="stable")]]
    return result


def _rank(topic: Ints, code: Ints, tied: NDArray[np.bool_]) -> _Ranking:
    """Number the documents of each topic from 1; they are sorted by topic."""
    n = len(topic)
    new = np.ones(n, dtype=np.bool_)
    new[1:] = topic[1:] != topic[:-1]
    first = np.flatnonzero(new)
    rank = np.arange(n) - np.repeat(first, np.diff(np.append(first, n))) + 1
    return _Ranking(topic, rank, code, tied & ~new)


# --- match ----------------------------------------------------------------------------------------------------------


def _match(run: Run, topic: Ints, judgments: Judgments) -> Ints:
    """Every row's level, -1 where the document is unjudged.

    Keys find the candidates; the ids themselves confirm them, so a key shared by chance can do no harm.
    """
    if judgments.index is None:
        return _match_by_name(run, judgments)
    found = judgments.index.find(run.keys, topic)
    at = np.flatnonzero(found >= 0)
    held = found[at]
    if not (run.frame["doc"][at] == judgments.frame["doc"][held]).all():
        return _match_by_name(run, judgments)
    code = np.full(len(topic), -1, dtype=np.int64)
    code[at] = judgments.code[held]
    return code


def _match_by_name(run: Run, judgments: Judgments) -> Ints:
    """The same by joining on the ids: the slow road, taken when two keys collide."""
    known = judgments.frame.select("topic", "doc", code=pl.Series(judgments.code))
    rows = run.frame.select("topic", "doc").join(known, on=["topic", "doc"], how="left", maintain_order="left")
    return rows["code"].fill_null(-1).to_numpy().astype(np.int64)


# --- hand over ------------------------------------------------------------------------------------------------------


def _block(ranking: _Ranking, judgments: Judgments, policy: Policy) -> Block:
    counts, code = judgments.counts, ranking.code
    retrieved = np.bincount(ranking.topic, minlength=len(judgments.topics))
    ties = _spans(ranking) if policy.ties == "expected" else {}
    top = len(judgments.levels) - 1
    if policy.unjudged == "upper":
        code = np.where(code < 0, top, code)
    elif policy.unjudged == "lower":
        counts = counts.copy()
        counts[:, top] += np.bincount(ranking.topic[code < 0], minlength=len(judgments.topics))
        code = np.maximum(code, 0)
    listed = np.flatnonzero(code >= 0)
    return Block(
        ranking.topic[listed].astype(np.int32),
        ranking.rank[listed].astype(np.int32),
        code[listed].astype(np.int32),
        judgments.levels,
        counts,
        retrieved,
        judgments.top,
        ties,
        capped=policy.unjudged == "upper",
    )


def _spans(ranking: _Ranking) -> dict[int, tuple[tuple[int, int], ...]]:
    """The tied ranks of each topic, where the tied documents differ in grade."""
    starts = np.flatnonzero(~ranking.tied)
    ends = np.append(starts[1:], len(ranking.tied))
    spans: dict[int, tuple[tuple[int, int], ...]] = {}
    for first, end in zip(starts.tolist(), ends.tolist(), strict=True):
        if end - first > 1 and len(set(ranking.code[first:end].tolist())) > 1:
            row = int(ranking.topic[first])
            spans[row] = (*spans.get(row, ()), (int(ranking.rank[first]), int(ranking.rank[end - 1])))
    return spans


def _present(topic: Ints, judgments: Judgments) -> list[int]:
    return [int(n) for n in np.bincount(topic[topic >= 0], minlength=len(judgments.topics))]


def _oddities(
    run: Run,
    topic: Ints,
    tied: NDArray[np.bool_],
    missing: tuple[str, ...],
    policy: Policy,
) -> list[Oddity]:
    notes = list(run.oddities)
    if missing:
        fate = "scores 0" if policy.missing == "zero" else "is left out"
        which = f"topic {missing[0]} is" if len(missing) == 1 else f"topics {named(missing)} are"
        notes.append(
            Oddity("missing topic", run.name, f"{which} not in the run; each {fate}", len(missing))
            if len(missing) > 1
            else Oddity("missing topic", run.name, f"{which} not in the run and {fate}")
        )
    if (topic < 0).any():
        unknown = run.frame["topic"].gather(np.flatnonzero(topic < 0)).unique(maintain_order=True).to_list()
        text = f"{'topic' if len(unknown) == 1 else 'topics'} {named(unknown)} not in the qrels, ignored"
        notes.append(Oddity("unknown topic", run.name, text, len(unknown)))
    if ties := int(tied.sum()):
        have = counted(
            ties, "document has the score of the one above it", "documents have the score of the one above them"
        )
        text = f"{have}; ties='{policy.ties}' decides"
        notes.append(Oddity("tied scores", run.name, text, ties))
    return notes
