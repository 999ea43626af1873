"""Scores topic by topic: boxes by system, how hard the topics are, and who wins where."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenscale.stats.families import midranks
from evenscale.stats.matrix import Floats, Ints

Wins: TypeAlias = NDArray[np.bool_]
"""Topics down, systems across: who has the best score."""

WHISKER = 1.5
"""Whiskers reach to the outermost scores within so many interquartile ranges of the box (Tukey 1977)."""

BOX = ("low", "q1", "median", "q3", "high")


def boxes(values: Floats, systems: tuple[str, ...], order: list[int]) -> pl.DataFrame:
    """One row per system, the best first: `system, low, q1, median, q3, high, mean, outliers`.

    `low` and `high` are the ends of the whiskers, `outliers` the scores beyond them, ascending. A system without any
    score has nulls.

    >>> boxes(np.array([[0.0], [0.1], [0.2], [0.3], [1.0]]), ("a",), [0]).select("low", "median", "high").rows()
    [(0.0, 0.2, 0.3)]
    """
    rows = [{"system": systems[s], **_box(values[:, s])} for s in order]
    floats = dict.fromkeys((*BOX, "mean"), pl.Float64)
    return pl.DataFrame(rows, schema={"system": pl.String, **floats, "outliers": pl.List(pl.Float64)})


def _box(scores: Floats) -> dict[str, float | list[float] | None]:
    known = np.sort(scores[~np.isnan(scores)])
    if not len(known):
        return {**dict.fromkeys((*BOX, "mean")), "outliers": []}
    q1, middle, q3 = (float(q) for q in np.quantile(known, (0.25, 0.5, 0.75)))
    reach = WHISKER * (q3 - q1)
    within = known[(known >= q1 - reach) & (known <= q3 + reach)]
    beyond = known[(known < within[0]) | (known > within[-1])]
    ends = (float(within[0]), q1, middle, q3, float(within[-1]))
    return {**dict(zip(BOX, ends, strict=True)), "mean": float(known.mean()), "outliers": beyond.tolist()}


def standing(order: Ints) -> tuple[Floats, Wins]:
    """Places within each topic, 1 the best and ties sharing their mean place; and who wins.

    `order` holds whole numbers in the order of the scores, topics down. Nobody wins a topic on which all are equal.
    """
    places = np.stack([midranks(-row) for row in order])
    best = order == order.max(axis=1, keepdims=True)
    return places, best & ~best.all(axis=1, keepdims=True)


def topics(
    values: Floats,
    wins: Wins,
    names: tuple[str, ...],
    systems: tuple[str, ...],
    relevant: list[int],
) -> pl.DataFrame:
    """One row per topic, the hardest first (lowest median, then lowest mean).

    `topic, relevant, worst, q1, median, q3, best, mean, spread, winners`: quartiles over systems, `spread` the distance
    between the outer quartiles, `winners` the systems that share the best score, none where all are equal.
    """
    rows = [
        {
            "topic": topic,
            "relevant": relevant[t],
            **_quartiles(values[t]),
            "winners": [systems[s] for s in np.flatnonzero(wins[t])],
        }
        for t, topic in enumerate(names)
    ]
    floats = dict.fromkeys(("worst", "q1", "median", "q3", "best", "mean", "spread"), pl.Float64)
    schema: dict[str, Any] = {"topic": pl.String, "relevant": pl.Int64, **floats, "winners": pl.List(pl.String)}
    return pl.DataFrame(rows, schema=schema).sort("median", "mean", maintain_order=True, nulls_last=True)


def _quartiles(scores: Floats) -> dict[str, float]:
    """Nothing where no system has a score."""
    known = scores[~np.isnan(scores)]
    if not len(known):
        return {}
    worst, q1, middle, q3, best = (float(q) for q in np.quantile(known, (0, 0.25, 0.5, 0.75, 1)))
    ends = {"worst": worst, "q1": q1, "median": middle, "q3": q3, "best": best}
    return {**ends, "mean": float(known.mean()), "spread": q3 - q1}


def wins_of(wins: Wins, systems: tuple[str, ...]) -> pl.DataFrame:
    """One row per system, most wins first: `system, wins, alone`: topics on which it is best, and best alone."""
    alone = wins & (wins.sum(axis=1, keepdims=True) == 1)
    frame = pl.DataFrame({"system": systems, "wins": wins.sum(axis=0), "alone": alone.sum(axis=0)})
    return frame.sort("wins", "alone", descending=True, maintain_order=True)


def placed(
    places: Floats,
    wins: Wins,
    names: tuple[str, ...],
    systems: tuple[str, ...],
    shown: list[int],
) -> pl.DataFrame:
    """One row per topic and shown system: `system, topic, place, wins`.

    Places are among all systems, shown or not; a score that was left out has none.
    """
    return pl.DataFrame(
        {
            "system": [systems[s] for s in shown for _ in names],
            "topic": [topic for _ in shown for topic in names],
            "place": places[:, shown].T.reshape(-1),
            "wins": wins[:, shown].T.reshape(-1),
        }
    ).with_columns(pl.col("place").fill_nan(None))
