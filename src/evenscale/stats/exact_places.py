"""The order of scores, decided exactly: places of the exact values instead of floats that may or may not be equal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evenscale.measures import Exact, Measure
from evenscale.measures.contract import Amount
from evenscale.measures.exact import in_order, total
from evenscale.scales import Interval
from evenscale.scales.interval import dense
from evenscale.scores import Evaluation

DEEPEST = 200
"""The greatest cut-off for which exact values are worked out; they grow with the depth."""


def exact_places(evaluation: Evaluation, measure: Measure) -> NDArray[np.int64] | None:
    """For every topic and run the place of its exact value among all of them, from 0; None where that is not offered.

    Places are whole numbers in the order of the scores, equal exactly where the scores are equal. They are worked out
    once for an evaluation.
    """
    kept: dict[Measure, NDArray[np.int64] | None] = evaluation.__dict__.setdefault("_exact_places", {})
    if measure not in kept:
        kept[measure] = _places(evaluation, measure)
    return kept[measure]


def _places(evaluation: Evaluation, measure: Measure) -> NDArray[np.int64] | None:
    values = evaluation.matrix(measure)
    if isinstance(measure, Interval):
        return np.unique(values, return_inverse=True)[1].reshape(values.shape)
    offered = measure.boundable and measure.cutoff is not None and measure.cutoff <= DEEPEST
    whole = evaluation.blocks and all(grade == int(grade) for grade in evaluation.blocks[0].levels)
    if not offered or not whole or evaluation.policy.ties == "expected" or evaluation.policy.unjudged != "nonrelevant":
        return None
    if np.isnan(values).any():
        return None
    return _placed(_exact_values(evaluation, measure), values.shape)


def _exact_values(evaluation: Evaluation, measure: Measure) -> list[Exact]:
    """Exact values by topic, then run. The sum of a run's increments does not depend on the topic, its divisor does."""
    depth = measure.cutoff or 0
    rows = evaluation.topic_rows.tolist()
    sums: dict[bytes, Amount] = {}
    columns: list[list[Exact]] = []
    walks = [measure.walk(evaluation.blocks[0].topic(row), depth) for row in rows]
    for block in evaluation.blocks:
        grades = dense(block, depth)
        column: list[Exact] = []
        for walk, row in zip(walks, rows, strict=True):
            key = grades[row].tobytes()
            if key not in sums:
                sums[key] = total(walk.increments(grades[row].tolist()))
            column.append(walk.finish(sums[key]))
        columns.append(column)
    return [column[t] for t in range(len(rows)) for column in columns]


def _placed(values: list[Exact], shape: tuple[int, ...]) -> NDArray[np.int64]:
    place = {value: number for number, value in enumerate(in_order(set(values)))}
    return np.array([place[value] for value in values], dtype=np.int64).reshape(shape)
