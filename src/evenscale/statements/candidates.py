"""Rescalings to try a test on: all that order permits is searched where no proof says how it ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from evenscale.statements.campaign import Campaign
from evenscale.statements.extremes import extreme_t
from evenscale.stats import Scores
from evenscale.stats.matrix import Floats, Ints

MIXES = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 1e-3, 1e-4, 1e-6)
"""Shares of the scale as it is in a mix with an extreme rescaling, the mildest first."""
TINY = 1e-3
DIGITS = 14
TRIES = {"quick": 200, "joint": 24, "resampled": 6}
"""How many rescalings are tried: fewer with tests of all pairs together, and fewest with those that resample."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A rescaling of all scores, in words and applied."""

    text: str
    scores: Scores


def candidates(campaign: Campaign, a: int, b: int, kind: str = "quick", seed: int = 0) -> Iterator[Candidate]:
    """Permissible rescalings for a kind of test, those first that an extreme of t suggests, then random ones."""
    make = _by_topic if campaign.topicwise else _in_common
    found = make(campaign, a, b, np.random.default_rng(seed))
    for _, candidate in zip(range(TRIES[kind]), found, strict=False):
        yield candidate


# --- one scale for all topics ---------------------------------------------------------------------------------------


def _in_common(campaign: Campaign, a: int, b: int, rng: np.random.Generator) -> Iterator[Candidate]:
    unit = np.array([float(value) for value in campaign.unit])
    codes = campaign.codes
    bounds = extreme_t(codes[:, a], codes[:, b])
    for weights in (bounds.greatest_weights, bounds.least_weights):
        for mix in MIXES:
            yield _mapped(campaign, _mixed(unit, bounds.levels, weights, mix), "steps where they tell most")
    for power in (0.5, 2.0, 0.2, 5.0, 0.1, 10.0):
        yield _mapped(campaign, unit**power, f"x to the power of {power:g}")
    for mix in (0.1, 0.01):
        for k in range(len(bounds.levels)):
            step = np.zeros(len(bounds.levels))
            step[k] = 1.0
            yield _mapped(campaign, _mixed(unit, bounds.levels, step, mix), "one step")
    while len(bounds.levels):
        weights = rng.exponential(size=len(bounds.levels)) * (rng.random(len(bounds.levels)) < rng.random())
        yield _mapped(campaign, _mixed(unit, bounds.levels, weights, TINY), "random steps")


def _mixed(unit: Floats, levels: Ints, weights: Floats, mix: float) -> Floats:
    """(1 - mix) times the steps, plus mix times the scale as it is."""
    steps = np.zeros(len(unit))
    steps[levels] = weights
    heights = np.cumsum(steps)
    return np.asarray((1 - mix) * heights / (heights[-1] or 1.0) + mix * unit)


def _mapped(campaign: Campaign, values: Floats, text: str) -> Candidate:
    """All scores with each level's new value; the order is the old one."""
    old = campaign.scores
    new = Scores.of(
        values[campaign.codes],
        topics=old.topics,
        systems=old.systems,
        measure=old.measure,
        digits=DIGITS,
        places=campaign.codes,
    )
    return Candidate(f"one increasing rescaling of all scores ({text})", new)


def rises(campaign: Campaign, new: Scores) -> bool:
    """Whether a rescaling keeps the order of all scores, in each topic where topics have scales of their own."""
    rows = range(len(campaign.codes)) if campaign.topicwise else [slice(None)]
    for t in rows:
        codes, values = campaign.codes[t].reshape(-1), new.values[t].reshape(-1)
        order = np.lexsort((values, codes))
        up, rise = np.diff(codes[order]) > 0, np.diff(values[order])
        if (rise[up] <= 0).any() or (np.abs(rise[~up]) > 0).any():
            return False
    return True


# --- a scale for each topic -----------------------------------------------------------------------------------------


def _by_topic(campaign: Campaign, a: int, b: int, rng: np.random.Generator) -> Iterator[Candidate]:
    """Two scores of a topic can be moved anywhere, in their order: an affine map with a rising slope does it."""
    side = np.sign(campaign.codes[:, a] - campaign.codes[:, b])
    n = len(side)
    some = 1 + np.arange(n) / n
    for ahead in (1, -1):
        for tiny in (0.1, 0.01, TINY):
            sizes = np.where(side == ahead, 1.0, tiny)
            yield _placed(campaign, a, b, np.zeros(n), sizes, "the wins of one system count equally and most")
            yield _placed(campaign, a, b, np.zeros(n), sizes * some, "the wins of one system count most")
            first = np.flatnonzero(side == ahead)[:1]
            alone = np.full(n, tiny)
            alone[first] = 1.0
            yield _placed(campaign, a, b, np.zeros(n), alone, "one topic counts most")
        # Middle bands for the others, so that the wins of one system span everything.
        low = np.where(side == ahead, 0.0, 1.0 + np.arange(n) / n)
        yield _placed(
            campaign, a, b, low, np.where(side == ahead, 3.0, 0.5 / n), "the wins of one system span the rest"
        )
    yield _placed(campaign, a, b, np.arange(n, dtype=float), np.full(n, 0.5), "every topic in a band of its own")
    while True:
        low = rng.random(n) * rng.choice([0.0, 1.0, 10.0])
        yield _placed(campaign, a, b, low, TINY + rng.exponential(size=n) ** rng.choice([1, 3]), "random")


def _placed(campaign: Campaign, a: int, b: int, low: Floats, sizes: Floats, text: str) -> Candidate:
    """The lower of the two scores goes to `low`, the higher one lies `sizes` above it; the topic's others follow."""
    old = campaign.scores
    unit = np.array([float(value) for value in campaign.unit])
    codes, values = campaign.codes, unit[campaign.codes]
    bottom, top = codes[:, [a, b]].min(axis=1), codes[:, [a, b]].max(axis=1)
    apart = unit[top] - unit[bottom]
    slope = np.where(top > bottom, sizes / np.where(apart > 0, apart, 1.0), TINY)
    moved = low[:, None] + slope[:, None] * (values - unit[bottom][:, None])
    # The pair gets its places as asked for, without the rounding of the way there.
    moved = np.where(codes == top[:, None], np.where(top > bottom, low + sizes, low)[:, None], moved)
    moved = np.where(codes == bottom[:, None], low[:, None], moved)
    places = np.unique(moved, return_inverse=True)[1].reshape(moved.shape)
    digits = DIGITS - max(0, int(np.ceil(np.log10(max(np.abs(moved).max(), 1.0)))))
    names = {"topics": old.topics, "systems": old.systems, "measure": old.measure}
    new = Scores.of(moved, **names, digits=max(digits, 0), places=places)  # type: ignore[arg-type]
    return Candidate(f"a rescaling for each topic ({text})", new)
