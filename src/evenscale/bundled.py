"""A sample campaign made from nothing: the same 24 systems, 50 topics and judgments on every machine.

Randomness comes from integer hashing (splitmix64) and sums of uniforms, not from a library's generator, so the campaign
does not change with versions or platforms. It has what real campaigns have: systems close in quality, easy and hard
topics, grades 0 to 3, judgments from a pool of only some of the systems, tied scores, and a system that lost a topic.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenscale.files import Qrels, Run, read_qrels, read_run

SYSTEMS = (
    "alder", "ash", "aspen", "beech", "birch", "cedar", "cherry", "elder", "elm", "fir", "hazel", "holly",
    "juniper", "larch", "lime", "maple", "oak", "pear", "pine", "plum", "poplar", "rowan", "spruce", "willow",
)  # fmt: skip
TOPICS = tuple(str(number) for number in range(201, 251))
CANDIDATES = 600
DEPTH = 100
POOL_DEPTH = 25
POOLED = 16  # systems that contributed to the pool; what the others found alone is unjudged
TIED = {"elm": 1, "poplar": 1, "willow": 0}  # these round their scores to so many decimals
LOST = ("larch", "217")  # the system that has no answer for a topic


class Sample(NamedTuple):
    """Qrels and runs, ready for `evaluate(*sample(), ...)`."""

    qrels: Qrels
    runs: tuple[Run, ...]


def sample(seed: int = 0) -> Sample:
    """The bundled sample campaign; another seed gives another campaign of the same kind.

    >>> campaign = sample()
    >>> len(campaign.runs), campaign.qrels.frame["topic"].n_unique(), sorted(campaign.qrels.frame["grade"].unique())
    (24, 50, [0, 1, 2, 3])
    """
    worth = np.stack([_worth(seed, t) for t in range(len(TOPICS))])
    orders = [[_search(seed, s, t, worth[t]) for t in range(len(TOPICS))] for s in range(len(SYSTEMS))]
    runs = tuple(_run(s, orders[s]) for s in range(len(SYSTEMS)))
    return Sample(_judge(worth, orders), runs)


def _worth(seed: int, topic: int) -> NDArray[np.int64]:
    """The true grade of every candidate document of a topic."""
    amount = 0.01 + 0.1 * _uniform(seed, 1, topic, np.zeros(1))[0] ** 2
    u = _uniform(seed, 2, topic, np.arange(CANDIDATES))
    return np.asarray((u < amount).astype(np.int64) + (u < 0.4 * amount) + (u < 0.12 * amount))


def _search(
    seed: int, system: int, topic: int, worth: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """What a system returns for a topic: documents and scores, best first."""
    docs = np.arange(CANDIDATES)
    skill = 0.45 + 0.95 * ((system * 7 + 5) % len(SYSTEMS)) / len(SYSTEMS)  # a name's place says nothing
    ease = 0.35 + 1.3 * _uniform(seed, 3, topic, np.zeros(1))[0]
    luck = 0.6 + 0.8 * _uniform(seed, 4, topic * len(SYSTEMS) + system, np.zeros(1))[0]
    shared = _normal(seed, 5, topic, docs)  # what misleads every system alike
    own = _normal(seed, 6, topic * len(SYSTEMS) + system, docs)
    score = np.round(10 + skill * ease * luck * worth + 0.45 * shared + 0.75 * own, TIED.get(SYSTEMS[system], 6))
    best = np.lexsort((docs, -score))[:DEPTH]
    return docs[best], score[best]


def _run(system: int, answers: list[tuple[NDArray[np.int64], NDArray[np.float64]]]) -> Run:
    name = SYSTEMS[system]
    rows = [
        pl.DataFrame({"topic": [topic] * len(docs), "doc": _names(topic, docs), "score": scores})
        for topic, (docs, scores) in zip(TOPICS, answers, strict=True)
        if (name, topic) != LOST
    ]
    return read_run(pl.concat(rows), name=name)


def _judge(worth: NDArray[np.int64], orders: list[list[tuple[NDArray[np.int64], NDArray[np.float64]]]]) -> Qrels:
    """The judgments: true grades of what the pooled systems put among their first documents."""
    pooled = [round(k * (len(SYSTEMS) - 1) / (POOLED - 1)) for k in range(POOLED)]
    rows = []
    for t, topic in enumerate(TOPICS):
        pool = np.unique(np.concatenate([orders[s][t][0][:POOL_DEPTH] for s in pooled]))
        rows.append(pl.DataFrame({"topic": [topic] * len(pool), "doc": _names(topic, pool), "grade": worth[t][pool]}))
    return read_qrels(pl.concat(rows))


def _names(topic: str, docs: NDArray[np.int64]) -> list[str]:
    """Document ids whose order tells nothing about their worth."""
    return [f"D{topic}-{(doc * 7919 + 104729) % 10007:05d}" for doc in docs.tolist()]


def _uniform(seed: int, kind: int, group: int, items: NDArray[np.generic]) -> NDArray[np.float64]:
    """Numbers in [0, 1) that depend on nothing but the arguments."""
    start = _mix(np.array([seed * 1_000_003 + kind * 10_007 + group], dtype=np.uint64))
    return np.asarray((_mix(items.astype(np.uint64) + start) >> np.uint64(11)) * 2.0**-53, dtype=np.float64)


def _normal(seed: int, kind: int, group: int, items: NDArray[np.generic]) -> NDArray[np.float64]:
    """Nearly normal numbers: twelve uniforms added, less six."""
    parts = [_uniform(seed, kind * 100 + k, group, items) for k in range(12)]
    return np.asarray(np.sum(parts, axis=0) - 6.0)


def _mix(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The splitmix64 finaliser of Steele, Lea and Flood 2014."""
    z = numbers + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))
