"""From qrels, runs and measures to scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenscale.errors import BadParameter
from evenscale.files import list_runs, read_qrels, read_runs
from evenscale.judged import Block, JudgedRun, Judgments, Policy, judge
from evenscale.judged.judgments import barren_note
from evenscale.judged.policy import Barren, Missing, Negative, Ties, Unjudged
from evenscale.measures import Measure
from evenscale.measures.expected import expected_float
from evenscale.oddities import Oddity
from evenscale.prose import counted
from evenscale.scales import Interval, parse
from evenscale.scores.evaluation import Evaluation

DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10", "RR", "R@1000")
"""What is computed when nothing is asked for."""

Progress = Callable[[int, int], None]
"""Called with runs done and runs in all."""


def evaluate(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    ties: Ties = "trec_eval",
    unjudged: Unjudged = "nonrelevant",
    negative: Negative = "nonrelevant",
    missing: Missing = "zero",
    barren: Barren = "skip",
    depth: int | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Score runs against qrels.

    `qrels` and `runs` may be paths (for runs also a folder, a glob or a list of any of these), Polars or pandas frames,
    or dicts; `measures` are spelled like `"AP@30"` or are Measure objects. The policies are those of
    `evenscale.judged.Policy`. What was odd about the input is in the result's `oddities`.

    >>> qrels = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"d": 1}}
    >>> runs = {"good": {"q1": {"c": 2.0, "a": 1.0}, "q2": {"d": 1.0}}, "poor": {"q1": {"b": 2.0, "a": 1.0}}}
    >>> result = evaluate(qrels, runs, ["AP", "nDCG@2"])
    >>> print(result)
    run       AP  nDCG@2
    good  1.0000  1.0000
    poor  0.1250  0.1199
    >>> result.matrix("AP").tolist()
    [[1.0, 0.25], [1.0, 0.0]]
    >>> [str(oddity) for oddity in result.oddities]
    ['poor: topic q2 is not in the run and scores 0']
    """
    policy = Policy(ties, unjudged, negative, missing, barren, depth)
    chosen, labels = _measures(measures)
    judgments = Judgments.of(read_qrels(qrels), policy)
    _check(chosen, judgments, policy)
    sources = list_runs(runs)
    judged: list[JudgedRun] = []
    columns: list[NDArray[np.float64]] = []
    for done, run in enumerate(read_runs(sources, ranks=ties == "rank"), 1):
        met = judge(run, judgments, policy)
        columns.append(np.array([_blank(met.block) if m.batched else _scores(m, met.block) for m in chosen]))
        judged.append(met)
        if progress:
            progress(done, len(sources))
    _fill_batched(chosen, judged, columns)
    return _collect(judgments, judged, columns, chosen, labels, policy)


def _blank(block: Block) -> NDArray[np.float64]:
    return np.full(block.rows, np.nan)


def _fill_batched(
    measures: Sequence[Measure], judged: Sequence[JudgedRun], columns: Sequence[NDArray[np.float64]]
) -> None:
    """Scores that are cheaper for all runs together than for one after the other."""
    batched = [m for m, measure in enumerate(measures) if measure.batched]
    if not batched or not judged:
        return
    everything = Block.stacked([met.block for met in judged])
    for m in batched:
        for column, part in zip(columns, np.split(measures[m].scores(everything), len(judged)), strict=True):
            column[m] = part


def _measures(wanted: str | Measure | Iterable[str | Measure]) -> tuple[tuple[Measure, ...], tuple[str, ...]]:
    """The measures and the labels they go by, each once."""
    asked = [wanted] if isinstance(wanted, str | Measure) else list(wanted)
    if not asked:
        raise BadParameter("no measure is asked for")
    unique = dict.fromkeys(parse(measure) for measure in asked)
    return tuple(unique), tuple(str(measure) for measure in unique)


def _check(measures: Sequence[Measure], judgments: Judgments, policy: Policy) -> None:
    for measure in measures:
        measure.check(judgments.levels)
        if policy.unjudged in ("lower", "upper") and not measure.boundable:
            raise BadParameter(f"{measure} has no lower and upper bound for unjudged documents")
        if policy.ties == "expected" and isinstance(measure, Interval):
            raise BadParameter(f"{measure} has no expected value over ties; choose another policy for ties")


def _scores(measure: Measure, block: Block) -> NDArray[np.float64]:
    values = measure.scores(block)
    for row, spans in block.ties.items():
        values[row] = expected_float(measure, block.judged(row), spans)
    if block.capped:
        # An upper bound counts unjudged documents as found but not as part of the recall base.
        highest = [float(measure.bounds(block.topic(r), int(n))[1]) for r, n in enumerate(block.retrieved.tolist())]
        values = np.minimum(values, highest)
    return values


def _collect(
    judgments: Judgments,
    judged: Sequence[JudgedRun],
    columns: Sequence[NDArray[np.float64]],
    measures: tuple[Measure, ...],
    labels: tuple[str, ...],
    policy: Policy,
) -> Evaluation:
    bare = set(judgments.barren) if policy.barren == "skip" else set()
    rows = np.array([i for i, topic in enumerate(judgments.topics) if topic not in bare], dtype=np.int64)
    topics = tuple(judgments.topics[i] for i in rows.tolist())
    values = np.stack(columns, axis=-1)[:, rows, :]
    if policy.missing == "skip":
        for k, met in enumerate(judged):
            values[:, np.isin(np.array(topics), np.array(met.missing, dtype=np.str_)), k] = np.nan
    oddities = [*judgments.oddities, *barren_note(judgments, policy)]
    oddities += [oddity for met in judged for oddity in met.oddities]
    oddities += _scale_notes(measures, judged)
    names = tuple(met.name for met in judged)
    blocks = tuple(met.block for met in judged)
    return Evaluation(names, topics, measures, labels, values, policy, tuple(oddities), blocks, rows)


def _scale_notes(measures: Sequence[Measure], judged: Sequence[JudgedRun]) -> list[Oddity]:
    """What must be said about interval versions: surrogates, and runs too short for the scale."""
    scales = [m for m in measures if isinstance(m, Interval)]
    notes = [
        Oddity(
            "surrogate scale",
            "",
            f"{m} is a surrogate: {m.measure.name} depends on the recall base, so topics have no common scale",
        )
        for m in scales
        if m.surrogate
    ]
    depth = max((m.measure.cutoff or 0 for m in scales), default=0)
    for met in judged:
        retrieved = met.block.retrieved
        short = int(((retrieved > 0) & (retrieved < depth)).sum())
        if short:
            have = counted(short, "topic has", "topics have")
            text = f"{have} fewer than {depth} documents; filled up with non-relevant ones for the scale"
            notes.append(Oddity("short runs", met.name, text, short))
    return notes
