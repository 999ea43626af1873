"""A campaign given as judged matrices: grades by rank for every run and topic, without documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from evenscale.errors import BadInput
from evenscale.files import Qrels, Run, read_qrels, read_run


def campaign_of(
    judged: Mapping[str, ArrayLike], *, recall_bases: Sequence[int] | None = None
) -> tuple[Qrels, list[Run]]:
    """Qrels and runs that give these grades: one matrix per run, topics down, ranks across.

    Documents are made up: the k-th document of a grade that a run retrieves is the same for all runs. `recall_bases`
    says how many relevant documents each topic has; without it, as many as the best run found.

    >>> qrels, runs = campaign_of({"a": [[1, 0, 1]], "b": [[0, 1, 0]]}, recall_bases=[4])
    >>> qrels.frame.height, [run.frame.height for run in runs]
    (4, [3, 3])
    """
    matrices = {name: np.asarray(matrix) for name, matrix in judged.items()}
    topics = _topics(matrices, recall_bases)
    most: list[dict[int, int]] = [{} for _ in range(topics)]
    runs = [_run(name, matrix, most) for name, matrix in matrices.items()]
    rows = [
        {"topic": f"t{t + 1}", "doc": f"g{grade}-{k}", "grade": grade}
        for t in range(topics)
        for grade, n in _filled(most[t], recall_bases[t] if recall_bases is not None else None, t).items()
        for k in range(n)
    ]
    nothing = [{"topic": f"t{t + 1}", "doc": "none", "grade": 0} for t in range(topics) if not most[t]]
    return read_qrels(pl.DataFrame(rows + nothing)), runs


def _topics(matrices: Mapping[str, NDArray[Any]], bases: Sequence[int] | None) -> int:
    if not matrices:
        raise BadInput("expected at least one judged matrix, found none")
    for name, matrix in matrices.items():
        if matrix.ndim != 2 or matrix.dtype.kind not in "iub" or (matrix.size and matrix.min() < 0):
            raise BadInput(f"{name}: expected a matrix of whole grades of at least 0, topics by ranks")
    counts = {len(matrix) for matrix in matrices.values()} | ({len(bases)} if bases is not None else set())
    if len(counts) != 1:
        raise BadInput(f"every run needs the same topics, found {', '.join(map(str, sorted(counts)))}")
    return counts.pop()


def _run(name: str, matrix: NDArray[Any], most: list[dict[int, int]]) -> Run:
    rows = []
    for t, grades in enumerate(matrix.astype(int).tolist()):
        seen: dict[int, int] = {}
        for rank, grade in enumerate(grades, 1):
            k = seen.get(grade, 0)
            seen[grade] = k + 1
            doc = f"g{grade}-{k}" if grade else f"x{rank}"
            rows.append({"topic": f"t{t + 1}", "doc": doc, "score": float(-rank)})
        for grade, n in seen.items():
            if grade:
                most[t][grade] = max(most[t].get(grade, 0), n)
    return read_run(pl.DataFrame(rows), name=name)


def _filled(found: dict[int, int], base: int | None, topic: int) -> dict[int, int]:
    """Missing relevant documents get the lowest grade there is."""
    if base is None:
        return found
    missing = base - sum(found.values())
    if missing < 0:
        raise BadInput(
            f"topic t{topic + 1}: the runs found {sum(found.values())} relevant documents, its base is {base}"
        )
    lowest = min(found, default=1)
    return {**found, lowest: found.get(lowest, 0) + missing}
