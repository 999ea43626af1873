"""What a statement is judged on: scores of systems on topics, with all that is known about their scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property

import numpy as np

from evenscale.errors import BadInput, BadParameter, EvenscaleError
from evenscale.judged import Block
from evenscale.measures import Exact, Measure
from evenscale.measures.exact import LogRatio, compare, total
from evenscale.scales import Interval
from evenscale.scales.kind import scale_kind
from evenscale.scores import Evaluation
from evenscale.stats import Scores, scores_of
from evenscale.stats.matrix import Ints, Scale

VERSION_DIGITS = 12
"""Decimals that count on an interval version: its steps are small where it has many values."""

NEVER = Fraction(1, 1 << 70)
"""How far apart two values are put that floats cannot tell apart but exact places can."""


@dataclass(frozen=True, eq=False)
class Campaign:
    """Scores, the type of their scale, and the same systems on the measure's interval version where there is one.

    `topicwise` says that every topic has a scale of its own, as under measures that depend on the recall base. `why` is
    a clause that gives the reason for the scale type.
    """

    scores: Scores
    scale: Scale
    topicwise: bool
    why: str
    version: Scores | None = None
    surrogate: bool = False
    no_version: str = "a matrix of scores has no interval version: that needs the runs"
    exact: Callable[[int, int], Exact] | None = None
    """The exact score on a topic of a system, where it can be had."""

    @property
    def measure(self) -> str:
        return self.scores.measure or "score"

    @cached_property
    def codes(self) -> Ints:
        """Levels from 0, topics down and systems across: equal scores have equal levels, higher scores higher ones."""
        order = self.scores.order
        return np.unique(order, return_inverse=True)[1].reshape(order.shape).astype(np.int64)

    @cached_property
    def levels(self) -> tuple[Fraction, ...]:
        """The value of each level, strictly increasing."""
        codes, scores = self.codes.reshape(-1), self.scores
        _, first = np.unique(codes, return_index=True)
        if scores.places is None:
            return tuple(Fraction(int(u), 10**scores.digits) for u in scores.units.reshape(-1)[first])
        values: list[Fraction] = []
        for number in scores.values.reshape(-1)[first].tolist():
            value = Fraction(number)
            values.append(value if not values or value > values[-1] else values[-1] + NEVER)
        return tuple(values)

    @cached_property
    def unit(self) -> tuple[Fraction, ...]:
        """The levels' values moved to [0, 1]: as they are where they lie there, else over the range that occurs."""
        low, high = self.levels[0], self.levels[-1]
        if low >= 0 and high <= 1:
            low, high = Fraction(0), Fraction(1)
        wide = high - low or Fraction(1)
        return tuple((value - low) / wide for value in self.levels)

    def system(self, name: str) -> int:
        """A system's number."""
        if name not in self.scores.systems:
            shown = ", ".join(self.scores.systems[:8]) + (", ..." if len(self.scores.systems) > 8 else "")
            raise BadParameter(f"there is no system {name!r}; there are {shown}")
        return self.scores.systems.index(name)

    def scale_name(self) -> str:
        """The scale in words."""
        article = "an" if self.scale[0] in "aeiou" else "a"
        return f"{article} {self.scale} scale" + (", another one on every topic" if self.topicwise else "")

    def reason(self) -> str:
        """What scale the measure is and why, as a clause."""
        return f"{self.measure} is {self.scale_name()} ({self.why})"

    def on_version(self) -> Campaign | None:
        """The same systems on the interval version."""
        if self.version is None:
            return None
        return Campaign(self.version, "interval", False, "it is an interval version", surrogate=self.surrogate)

    def settled(self, value: Fraction, cells: Sequence[tuple[int, int, Fraction]]) -> Fraction:
        """A weighted sum of scores: `value` as floats give it, or exactly 0 where only rounding keeps it from that.

        `cells` are topic, system and weight. Exact values decide where they can be had and added, else the decimals
        that count.
        """
        weight = max((abs(w) for *_, w in cells), default=Fraction(1))
        if abs(value) > weight * len(cells) * Fraction(1, 10**8):
            return value
        if self.exact is not None:
            parts = [(self.exact(t, s), w) for t, s, w in cells]
            if not any(isinstance(part, LogRatio) for part, _ in parts):
                side = compare(total(part * w for part, w in parts), 0)  # type: ignore[operator]
                return value if side * value > 0 else side * NEVER
        noise = weight * len(cells) * Fraction(1, 2 * 10**self.scores.digits)
        return value if abs(value) >= noise else Fraction(0)


def campaign_of(
    source: Evaluation | Scores,
    measure: str | Measure | None = None,
    *,
    scale: Scale | None = None,
    topicwise: bool | None = None,
    version: bool = True,
) -> Campaign:
    """Scores with what is known about their scale; `scale` and `topicwise` overrule what is known."""
    if isinstance(source, Scores):
        made = Campaign(source, source.scale, False, "declared so")
    elif isinstance(source, Evaluation):
        made = _of_evaluation(source, measure, version)
    else:
        raise BadInput(f"expected an Evaluation or Scores, found {type(source).__name__}")
    if not made.scores.topics or not made.scores.systems:
        raise BadInput("there is nothing to judge: no topic or no system has scores")
    if scale is not None:
        made = replace(made, scale=scale, topicwise=False, why="declared so")
    return made if topicwise is None else replace(made, topicwise=topicwise)


def _of_evaluation(evaluation: Evaluation, measure: str | Measure | None, version: bool) -> Campaign:
    place = evaluation._place(measure) if measure is not None else 0
    chosen = evaluation.measures[place]
    top = evaluation.blocks[0].top if evaluation.blocks else 1
    kind = scale_kind(chosen, int(max(top, 1)))
    scores = scores_of(evaluation, evaluation.labels[place])
    other, missing = _version(evaluation, chosen) if version else (None, "it was not asked for")
    whole = evaluation.policy.unjudged == "nonrelevant" and not isinstance(chosen, Interval)

    @cache
    def exact(topic: int, system: int) -> Exact:
        return evaluation.exact(chosen, evaluation.runs[system], evaluation.topics[topic])

    return Campaign(
        scores,
        "interval" if kind.interval else "ordinal",
        kind.topicwise,
        kind.reason,
        other,
        kind.topicwise,
        missing,
        exact if whole else None,
    )


def _version(evaluation: Evaluation, measure: Measure) -> tuple[Scores | None, str]:
    """The scores on the interval version, or why there are none."""
    if measure.total_by == "sum":
        return None, f"{measure} counts, so it needs no interval version"
    try:
        chosen = measure if isinstance(measure, Interval) else Interval(measure=measure)
        if chosen in evaluation.measures:
            return scores_of(evaluation, str(chosen), digits=VERSION_DIGITS), ""
        if evaluation.policy.ties == "expected":
            return None, "there is no interval version of an expected value over ties"
        chosen.check(evaluation.blocks[0].levels)
        stacked = chosen.scores(Block.stacked(evaluation.blocks))
    except EvenscaleError as error:
        return None, str(error)
    values = stacked.reshape(len(evaluation.runs), -1).T[evaluation.topic_rows]
    places = np.unique(values, return_inverse=True)[1].reshape(values.shape)
    names = {"topics": evaluation.topics, "systems": evaluation.runs, "measure": str(chosen)}
    made = Scores.of(values, **names, scale="interval", digits=VERSION_DIGITS, places=places)  # type: ignore[arg-type]
    return made, ""
