"""A seeded search over rescalings: what the criteria of statements are held against."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evenscale.statements.campaign import Campaign
from evenscale.stats import Scores

Ints = NDArray[np.int64]


def campaign(
    matrix: list[list[int]] | NDArray[np.int64], *, scale: str = "ordinal", topicwise: bool = False
) -> Campaign:
    """Whole scores over ten, systems called A, B, C, ..."""
    values = np.asarray(matrix) / 10
    systems = [chr(ord("A") + k) for k in range(values.shape[1])]
    scores = Scores.of(values, systems=systems, measure="M")
    return Campaign(scores, scale, topicwise, "for the test")  # type: ignore[arg-type]


def increasing_maps(rng: np.random.Generator, levels: int, count: int) -> Ints:
    """Strictly increasing maps of levels to whole numbers, some mild and some nearly steps: one per row."""
    steep = rng.integers(1, 7, size=(count, 1))
    return np.cumsum(
        rng.integers(1, 10, size=(count, levels)) * 10 ** rng.integers(0, steep, size=(count, levels)), axis=1
    )


def rescaled(made: Campaign, rng: np.random.Generator, count: int) -> Ints:
    """Scores under random permissible rescalings of an ordinal scale: maps by topics by systems."""
    levels = len(made.levels)
    if not made.topicwise:
        return increasing_maps(rng, levels, count)[:, made.codes]
    topics = len(made.codes)
    maps = increasing_maps(rng, levels, count * topics).reshape(count, topics, levels)
    maps *= 10 ** rng.integers(0, 7, size=(count, topics, 1))
    return np.stack([maps[:, t, made.codes[t]] for t in range(topics)], axis=1)


def random_scores(rng: np.random.Generator, systems: int = 2, most: int = 7) -> NDArray[np.int64]:
    """A small matrix, with many ties, and often one system ahead."""
    topics, top = int(rng.integers(1, most)), int(rng.integers(2, 8))
    scores = rng.integers(0, top, size=(topics, systems))
    if rng.random() < 0.5:
        scores[:, 0] = np.maximum(scores[:, 0], scores[:, 1] - rng.integers(0, 2, size=topics))
    return scores
