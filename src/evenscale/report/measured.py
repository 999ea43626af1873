"""All that a report says about one measure, on the measure itself and on its interval version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import polars as pl

from evenscale.errors import BadInput
from evenscale.measures import Measure
from evenscale.report import by_topic
from evenscale.scales import Interval, Spacing
from evenscale.scales.kind import Kind
from evenscale.scores import Evaluation
from evenscale.stats import Comparison, scores_of
from evenscale.stats.anova import MarginalMeans, anova1, anova2
from evenscale.stats.correlation import rounded
from evenscale.stats.matrix import Floats, Ints, Scores
from evenscale.stats.testing import Testing
from evenscale.studies.study import INTERVAL_DIGITS, MEAN_DIGITS

if TYPE_CHECKING:
    from evenscale.statements import LeaderboardCheck, Verdict

Version: TypeAlias = Literal["measure", "interval"]

HEAT_MAP_SYSTEMS = 40
"""Up to so many systems have a row in the heat map of topics; of more, the best `HEAT_MAP_BEST`."""
HEAT_MAP_BEST = 20

STATES = {1: "better", 0: "not different", -1: "worse"}


@dataclass(frozen=True, slots=True)
class Plan:
    """A measure, its interval version, why it has none where it has none, and why its scale cannot be drawn."""

    measure: Measure
    version: Interval | None
    reason: str
    no_scale: str
    kind: Kind


@dataclass(frozen=True, eq=False)
class Scale:
    """The picture of a measure's scale: value against place for some of its values, and numbers about its spacing."""

    curve: pl.DataFrame
    spacing: Spacing


@dataclass(frozen=True, eq=False)
class View:
    """One measure, or one interval version, on all systems and topics. Systems are in the order of their means.

    `standings`: `system, mean, place, low, high, tier, group, beats`. `low` and `high` are simultaneous intervals:
    where those of two systems do not overlap, Tukey's HSD test finds a difference. Tier, group (letters) and beats (how
    many systems it is significantly better than) come from the chosen test. All of these are null where nothing could
    be tested, and `untested` says why.

    `pairs`: `system, other, difference, p, significant, state`, each pair once, the one with the higher mean first;
    `state` says what `system` is: better, not different or worse. Empty where nothing could be tested.

    `boxes`, `topics`, `wins`, `places`: see `evenscale.report.by_topic`.
    """

    label: str
    version: Version
    values: Floats
    """Scores: topics down, systems across, in the evaluation's order."""
    standings: pl.DataFrame
    comparison: Comparison | None
    untested: str
    pairs: pl.DataFrame
    boxes: pl.DataFrame
    topics: pl.DataFrame
    wins: pl.DataFrame
    places: pl.DataFrame

    @property
    def significant(self) -> int:
        """How many pairs differ."""
        return int(self.pairs["significant"].sum())


@dataclass(frozen=True, slots=True)
class Changes:
    """What becomes of significance on the interval version: pairs that lose it, gain it, or turn round."""

    pairs: int
    significant: int
    interval_significant: int
    s2ns: int
    ns2s: int
    turned: int
    """Significant on both, but in opposite directions."""

    def row(self) -> dict[str, int]:
        """The counts as one row of a table."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, eq=False)
class MeasurePart:
    """Everything about one measure.

    `interval` is the view of the interval version, None where there is none (`reason` then says why); `surrogate`
    whether that version has no common scale across topics. `leaderboard` puts both side by side: the columns of
    `View.standings`, the same with `interval_` before them, and `moved`, the places gained on the interval version.
    """

    label: str
    title: str
    cite: str
    kind: Kind
    counts: bool
    """Whether it is a count, added up over topics and not tested."""
    surrogate: bool
    reason: str
    measure: View
    interval: View | None
    leaderboard: pl.DataFrame
    changes: Changes | None
    scale: Scale | None
    scale_reason: str
    statements: LeaderboardCheck | None = None
    statements_reason: str = ""
    verdicts: tuple[Verdict, ...] = ()
    """Verdicts on a few pairs, those first whose order turns round most clearly on the interval version."""

    @property
    def surviving(self) -> list[list[str]]:
        """The order that no rescaling upsets, as pairs (above, next below); empty where it was not checked."""
        return list(self.statements.order["covers"]) if self.statements is not None else []

    @property
    def views(self) -> tuple[View, ...]:
        """The measure, and its interval version where there is one."""
        return (self.measure,) if self.interval is None else (self.measure, self.interval)


@dataclass(frozen=True, eq=False)
class _Tested:
    """What a test found, or why there is none."""

    scores: Scores | None = None
    comparison: Comparison | None = None
    means: MarginalMeans | None = None
    untested: str = ""


def view(evaluation: Evaluation, label: str, version: Version, testing: Testing) -> View:
    """Look at one measure from all sides."""
    values, systems, topics = evaluation.matrix(label), evaluation.runs, evaluation.topics
    tested = _tested(evaluation, label, version, testing)
    totals = evaluation.totals(label)
    places = _places(totals, MEAN_DIGITS if version == "measure" else INTERVAL_DIGITS)
    order = sorted(range(len(places)), key=lambda s: (places[s], s))
    within, wins = by_topic.standing(tested.scores.order if tested.scores is not None else _order(values))
    within = np.where(np.isnan(values), np.nan, within)
    relevant = evaluation.blocks[0].positives[evaluation.topic_rows].tolist()
    shown = order if len(order) <= HEAT_MAP_SYSTEMS else order[:HEAT_MAP_BEST]
    return View(
        label,
        version,
        values,
        _standings(systems, order, totals, places, tested),
        tested.comparison,
        tested.untested,
        _pairs(tested.comparison, order),
        by_topic.boxes(values, systems, order),
        by_topic.topics(values, wins, topics, systems, relevant),
        by_topic.wins_of(wins, systems),
        by_topic.placed(within, wins, topics, systems, shown),
    )


def _tested(evaluation: Evaluation, label: str, version: Version, testing: Testing) -> _Tested:
    """Tests and intervals; a campaign that is too small for them, or a count, has neither."""
    if evaluation.measures[evaluation.labels.index(label)].total_by == "sum":
        return _Tested(untested="a count is not tested")
    extra: dict[str, Any] = {"digits": INTERVAL_DIGITS} if version == "interval" else {}
    scores = None
    try:
        scores = scores_of(evaluation, label, **extra)
        return _Tested(scores, testing(scores), _intervals(scores, testing))
    except BadInput as error:
        return _Tested(scores, untested=str(error))


def _intervals(scores: Scores, testing: Testing) -> MarginalMeans:
    """Simultaneous intervals: of one-way ANOVA where that is the test, else of two-way ANOVA."""
    return (anova1 if testing.test == "anova1" else anova2)(scores).marginal_means(testing.alpha)


def _places(totals: Floats, digits: int) -> list[int]:
    """Places from 1, the highest first; totals equal to so many digits share the better place.

    >>> _places(np.array([0.5, 0.7, 0.5 + 1e-12, float("nan")]), 8)
    [2, 1, 2, 4]
    """
    known = ~np.isnan(totals)
    lowest = float(totals[known].min()) - 1.0 if known.any() else 0.0
    units = rounded(np.where(known, totals, lowest), digits)
    return [1 + int((units > unit).sum()) for unit in units]


def _order(values: Floats) -> Ints:
    """Whole numbers in the order of the scores where some are missing; those come last."""
    return np.rint(np.nan_to_num(values, nan=-1e6) * 10.0**MEAN_DIGITS).astype(np.int64)


def _standings(
    systems: tuple[str, ...], order: list[int], totals: Floats, places: list[int], found: _Tested
) -> pl.DataFrame:
    frame = pl.DataFrame(
        {
            "system": [systems[s] for s in order],
            "mean": totals[order],
            "place": pl.Series([places[s] for s in order], dtype=pl.Int64),
        }
    ).with_columns(pl.col("mean").fill_nan(None))
    if found.means is None or found.comparison is None:
        missing = {"low": pl.Float64, "high": pl.Float64, "tier": pl.Int64, "group": pl.String, "beats": pl.Int64}
        return frame.with_columns(pl.lit(None, dtype=kind).alias(name) for name, kind in missing.items())
    tested = found.comparison.frame.select("system", pl.col("tier").cast(pl.Int64), "group", "beats")
    bounds = found.means.frame.select("system", "low", "high")
    joined = frame.join(bounds, on="system", maintain_order="left").join(tested, on="system", maintain_order="left")
    return joined.select("system", "mean", "place", "low", "high", "tier", "group", "beats")


PAIRS = {
    "system": pl.String,
    "other": pl.String,
    "difference": pl.Float64,
    "p": pl.Float64,
    "significant": pl.Boolean,
    "state": pl.String,
}


def _pairs(comparison: Comparison | None, order: list[int]) -> pl.DataFrame:
    """Every pair once, sorted by the order of the systems, the one that comes first in it named first."""
    if comparison is None:
        return pl.DataFrame(schema=PAIRS)
    found = comparison.comparisons
    at = np.empty(len(order), dtype=np.int64)
    at[order] = np.arange(len(order))
    turn = at[found.first] > at[found.second]
    first, second = np.where(turn, found.second, found.first), np.where(turn, found.first, found.second)
    difference = np.where(turn, -found.difference, found.difference)
    state = np.where(found.significant, np.sign(difference), 0).astype(np.int64)
    by = np.lexsort((at[second], at[first]))
    names = pl.Series(found.systems, dtype=pl.String)
    frame = pl.DataFrame(
        {
            "system": names.gather(first[by]),
            "other": names.gather(second[by]),
            "difference": difference[by],
            "p": found.adjusted[by],
            "significant": found.significant[by],
            "state": pl.Series([STATES[s] for s in state[by].tolist()], dtype=pl.String),
        }
    )
    return frame.with_columns(pl.col("difference", "p").fill_nan(None))


def changes(before: View, after: View | None) -> Changes | None:
    """What the interval version changes; None where either could not be tested."""
    if after is None or before.comparison is None or after.comparison is None:
        return None
    old, new = before.comparison.comparisons, after.comparison.comparisons
    was, now = old.significant, new.significant
    turned = was & now & (np.sign(old.difference) != np.sign(new.difference))
    counts = (was, now, was & ~now, now & ~was, turned)
    return Changes(len(was), *(int(mask.sum()) for mask in counts))


def side_by_side(before: View, after: View | None) -> pl.DataFrame:
    """The leaderboard: the measure's standings beside those of the interval version."""
    columns = before.standings.columns[1:]
    if after is None:
        empty = [pl.lit(None, dtype=before.standings.schema[name]).alias(f"interval_{name}") for name in columns]
        return before.standings.with_columns(*empty, pl.lit(None, dtype=pl.Int64).alias("moved"))
    other = after.standings.rename({name: f"interval_{name}" for name in columns})
    joined = before.standings.join(other, on="system", maintain_order="left")
    return joined.with_columns(moved=pl.col("place") - pl.col("interval_place"))
