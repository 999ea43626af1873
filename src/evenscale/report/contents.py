"""What a report shows: everything gathered once, as rows, before anything is drawn or written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from evenscale.errors import BadInput, BadParameter
from evenscale.files import list_runs, read_qrels
from evenscale.judged import Judgments, Policy
from evenscale.measures import Measure
from evenscale.measures.interpolated import IPrec
from evenscale.report.campaign import About, about, input_files
from evenscale.report.measured import MeasurePart, Plan, Scale, changes, side_by_side, view
from evenscale.report.methods import Methods, methods
from evenscale.results import Result
from evenscale.scales import Interval, ScaleTooLarge, parse
from evenscale.scales.kind import scale_kind
from evenscale.scores import Evaluation, evaluate
from evenscale.statements import LeaderboardCheck, Verdict
from evenscale.statements.averages import Mean
from evenscale.statements.campaign import campaign_of
from evenscale.statements.leaderboard import check_campaign
from evenscale.stats import TESTS
from evenscale.stats.correlation import tau_b
from evenscale.stats.matrix import Floats
from evenscale.stats.testing import Testing
from evenscale.studies.study import INTERVAL_DIGITS, MEAN_DIGITS
from evenscale.tables import Cell, Table

DEFAULT_MEASURES = ("AP@30", "nDCG@10", "P@10", "RR@10")
"""What a report shows when nothing is asked for; each has a cut-off, so each has a scale."""
LEVELS = tuple(Fraction(k, 10) for k in range(11))
"""Recall levels of the precision-recall curves."""
WITNESSES = 4
"""So many pairs that flip are explained for every measure."""
CURVE_POINTS = 80
"""So many points make the picture of a scale; on a deep scale each takes a while to find."""

Progress = Callable[[int, int], None]
"""Called with steps done and steps in all: one for every run, then one for every measure."""


@dataclass(frozen=True, eq=False, repr=False)
class Contents(Result):
    """Everything that a report shows.

    `parts` has one entry per measure that was asked for. `precision_recall`: `system, place, recall, precision`, the
    mean interpolated precision at eleven recall levels; the row group whose system is null is the median over systems.
    `correlation`: `measure, other, before, after, change`, Kendall's tau (b) between the systems' means under two
    measures and under their interval versions, and the change in percent. `agreement`: `measure, tau` between a
    measure and its own interval version. A number that does not exist is null.
    """

    about: About
    evaluation: Evaluation
    parts: tuple[MeasurePart, ...]
    testing: Testing
    precision_recall: pl.DataFrame
    correlation: pl.DataFrame
    agreement: pl.DataFrame
    methods: Methods

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, best first by the first measure."""
        return tuple(self.parts[0].leaderboard["system"].to_list())

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics in natural order."""
        return self.evaluation.topics

    def part(self, label: str) -> MeasurePart:
        """What is known about one measure."""
        for part in self.parts:
            if part.label == label:
                return part
        raise BadParameter(f"the report has no measure {label!r}; there are {', '.join(p.label for p in self.parts)}")

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The leaderboards of all measures, one below the other."""
        return pl.concat(
            [part.leaderboard.select(pl.lit(part.label).alias("measure"), pl.all()) for part in self.parts]
        )

    @cached_property
    def claims(self) -> pl.DataFrame:
        """What becomes of the claims about pairs, `measure, category, pairs`, of the measures that were checked."""
        rows = [
            (part.label, category, pairs)
            for part in self.parts
            if part.statements is not None
            for category, pairs in part.statements.categories.items()
        ]
        return pl.DataFrame(rows, schema={"measure": pl.String, "category": pl.String, "pairs": pl.Int64}, orient="row")

    def table(self) -> Table:
        """The systems, best first, with every measure and its interval version side by side."""
        columns, numbers = ["system"], []
        for part in self.parts:
            rows = {row["system"]: row for row in part.leaderboard.iter_rows(named=True)}
            columns.append(part.label)
            numbers.append([rows[system]["mean"] for system in self.systems])
            if part.interval is not None:
                columns.append(part.interval.label + ("†" if part.surrogate else ""))
                numbers.append([rows[system]["interval_mean"] for system in self.systems])
        return Table(columns, list(zip(self.systems, *numbers, strict=True)), title=self.about.title)

    def leaderboard_table(self, label: str) -> Table:
        """One measure's leaderboard as a person wants to see it."""
        part = self.part(label)
        kept = ["place", "system", "mean", "low", "high", "tier"]
        if part.interval is not None:
            kept += ["interval_place", "interval_mean", "interval_tier", "moved"]
        rows: list[tuple[Cell, ...]] = list(part.leaderboard.select(kept).iter_rows())
        return Table([name.replace("_", " ") for name in kept], rows, title=part.label)

    def data(self) -> dict[str, Any]:
        """Plain data for the page; see `evenscale.report.plain`."""
        from evenscale.report.plain import plain

        return plain(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return self.data()

    def __repr__(self) -> str:
        return f"Contents({self.about.title}; measures: {', '.join(part.label for part in self.parts)})"


def gather(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    test: str = "anova2",
    alpha: float = 0.05,
    correction: str = "none",
    title: str = "",
    progress: Progress | None = None,
    **policy: Any,
) -> Contents:
    """Evaluate runs and gather all that a report shows.

    `qrels`, `runs`, `measures` and the policies are those of `evaluate`; `test`, `alpha` and
    `correction` those of `compare`.

    >>> from evenscale.bundled import sample
    >>> contents = gather(*sample(), ["P@10"])
    >>> contents.about.title, contents.part("P@10").changes.s2ns
    ('24 systems on 50 topics', 0)
    """
    testing = Testing(test, alpha, correction)
    sources, judged, chosen = list_runs(runs), read_qrels(qrels), Policy(**policy)
    files = input_files(qrels, sources)
    plans = _plans(measures, Judgments.of(judged, chosen), chosen)
    steps, tell = len(sources) + len(plans), progress or (lambda done, total: None)
    wanted = _wanted(plans, chosen)
    evaluation = evaluate(judged, sources, wanted, progress=lambda done, total: tell(done, steps), **policy)
    if not evaluation.topics:
        raise BadInput("no topic has a relevant document: there is nothing to report")
    parts = []
    for done, plan in enumerate(plans, len(sources) + 1):
        parts.append(_part(evaluation, plan, testing))
        tell(done, steps)
    options = {"measures": [part.label for part in parts], "test": test, "alpha": alpha, "correction": correction}
    facts = about(evaluation, judged, files, options, title)
    return Contents(
        facts,
        evaluation,
        tuple(parts),
        testing,
        _precision_recall(evaluation, parts[0]),
        _correlation(evaluation, plans),
        _agreement(evaluation, plans),
        methods(facts, parts, testing),
    )


def _wanted(plans: Sequence[Plan], policy: Policy) -> list[Measure]:
    """All that is to be evaluated: measures, interval versions, and precision at recall levels.

    The latter's expected values over ties would take longer than all the rest, and are left out.
    """
    versions = [plan.version for plan in plans if plan.version is not None]
    levels = [IPrec(recall=level) for level in LEVELS] if policy.ties != "expected" else []
    return [*(plan.measure for plan in plans), *versions, *levels]


# --- measures and their scales --------------------------------------------------------------------------------------


def _plans(measures: str | Measure | Iterable[str | Measure], judgments: Judgments, policy: Policy) -> list[Plan]:
    asked = [measures] if isinstance(measures, str | Measure) else list(measures)
    if not asked:
        raise BadParameter("no measure is asked for")
    plans = []
    for measure in dict.fromkeys(parse(m) for m in asked):
        measure.check(judgments.levels)
        reason, no_scale = _reasons(measure, judgments, policy)
        version = None if reason else Interval(measure=measure)
        plans.append(Plan(measure, version, reason, no_scale, scale_kind(measure, _grades(measure, judgments))))
    return plans


def _grades(measure: Measure, judgments: Judgments) -> int:
    """The highest grade of the measure's universe of runs."""
    return int(max(judgments.top, getattr(measure, "gmax", None) or 1))


POLICIES = {
    "ties": ({"expected"}, "a mean over the orders of tied documents is no value of the scale"),
    "unjudged": ({"lower", "upper"}, "a bound over unjudged documents has no place on the scale"),
}
"""Policies under which there are no interval versions, and why."""


def _reasons(measure: Measure, judgments: Judgments, policy: Policy) -> tuple[str, str]:
    """Why there is no interval version, and why there is no picture of the scale; empty where there is one."""
    if isinstance(measure, Interval):
        return "it is an interval version already", "an interval version is a straight line"
    if measure.total_by == "sum":
        return "a count needs no interval version", "a count has no highest value"
    try:
        version = Interval(measure=measure)
        version.check(judgments.levels)
        version.scale(judgments.top).score([0])
    except (BadParameter, ScaleTooLarge) as error:
        return str(error), str(error)
    chosen = policy.row()
    spoilt = [f"{name}={chosen[name]!r}: {why}" for name, (values, why) in POLICIES.items() if chosen[name] in values]
    return "".join(spoilt[:1]), ""


def _scale(plan: Plan, top: Any) -> Scale | None:
    """The picture of a measure's scale, where there is one."""
    if plan.no_scale:
        return None
    scale = Interval(measure=plan.measure).scale(top)
    return Scale(scale.curve(CURVE_POINTS), scale.spacing())


def _part(evaluation: Evaluation, plan: Plan, testing: Testing) -> MeasurePart:
    label = str(plan.measure)
    before = view(evaluation, label, "measure", testing)
    after = view(evaluation, str(plan.version), "interval", testing) if plan.version is not None else None
    return MeasurePart(
        label,
        plan.measure.title,
        plan.measure.cite,
        plan.kind,
        plan.measure.total_by == "sum",
        plan.version.surrogate if plan.version is not None else False,
        plan.reason,
        before,
        after,
        side_by_side(before, after),
        changes(before, after),
        _scale(plan, evaluation.blocks[0].top),
        plan.no_scale,
        *_statements(evaluation, plan.measure, testing),
    )


def _statements(
    evaluation: Evaluation, measure: Measure, testing: Testing
) -> tuple[LeaderboardCheck | None, str, tuple[Verdict, ...]]:
    """What may be said of all pairs of systems, or why nothing can; and verdicts on a few of them."""
    if measure.total_by == "sum":
        return None, "counts are not checked", ()
    try:
        check = check_campaign(campaign_of(evaluation, measure), testing)
    except BadInput as error:
        return None, str(error), ()
    pairs = _telling(check)
    test, alpha = testing.test, testing.alpha
    paired = "t" if TESTS[test].resamples else test  # resampling all systems again for each pair would take long
    return check, "", tuple(Mean(a=a, b=b, test=paired, alpha=alpha).judge(check.campaign) for a, b in pairs)


def _telling(check: LeaderboardCheck) -> list[tuple[str, str]]:
    """The pairs that flip, significant ones and large differences on both sides first; else the two best systems."""
    size = pl.min_horizontal(pl.col("difference").abs(), pl.col("interval_difference").abs())
    significant = pl.col("significant") | pl.col("interval_significant")
    flips = check.frame.filter(pl.col("category") == "flips")
    if flips.height:
        sort = flips.with_columns(size=size, first=significant).sort("first", "size", descending=True)
        return list(sort.head(WITNESSES).select("system", "other").iter_rows())
    means = check.campaign.scores.means
    best, second = (check.systems[s] for s in np.argsort(-means, kind="stable")[:2])
    return [(best, second)]


# --- across measures ------------------------------------------------------------------------------------------------


def _precision_recall(evaluation: Evaluation, first: MeasurePart) -> pl.DataFrame:
    """Means by system, best first, then the median over systems; empty where they were not evaluated."""
    wanted = [IPrec(recall=level) for level in LEVELS]
    levels = wanted if set(wanted) <= set(evaluation.measures) else []
    schema = {"system": pl.String, "place": pl.Int64, "recall": pl.Float64, "precision": pl.Float64}
    if not levels:
        return pl.DataFrame(schema=schema)
    by_level = np.array([evaluation.totals(level) for level in levels])
    place = {run: s for s, run in enumerate(evaluation.runs)}
    rows = [
        (system, number, float(level.recall), float(by_level[k, place[system]]))
        for system, number in first.leaderboard.select("system", "place").iter_rows()
        for k, level in enumerate(levels)
    ]
    known = by_level[:, ~np.isnan(by_level).any(axis=0)]
    middle = np.median(known, axis=1).tolist() if known.size else [None] * len(levels)
    rows += [(None, None, float(level.recall), value) for level, value in zip(levels, middle, strict=True)]
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col("precision").fill_nan(None))


def _correlation(evaluation: Evaluation, plans: Sequence[Plan]) -> pl.DataFrame:
    rows = []
    for a, b in combinations(plans, 2):
        before = _tau(evaluation, a.measure, b.measure)
        after = _tau(evaluation, a.version, b.version)
        change = 100 * (after - before) / before if before and after is not None else None
        names = {"measure": str(a.measure), "other": str(b.measure)}
        rows.append({**names, "before": before, "after": after, "change": change})
    floats = dict.fromkeys(("before", "after", "change"), pl.Float64)
    return pl.DataFrame(rows, schema={"measure": pl.String, "other": pl.String, **floats})


def _agreement(evaluation: Evaluation, plans: Sequence[Plan]) -> pl.DataFrame:
    rows = [{"measure": str(p.measure), "tau": _tau(evaluation, p.measure, p.version)} for p in plans]
    return pl.DataFrame(rows, schema={"measure": pl.String, "tau": pl.Float64})


def _tau(evaluation: Evaluation, a: Measure | None, b: Measure | None) -> float | None:
    """Kendall's tau of the systems' means; None where a measure is missing or tau has no value."""
    if a is None or b is None:
        return None
    x, y = _rounded_means(evaluation, a), _rounded_means(evaluation, b)
    if np.isnan(x).any() or np.isnan(y).any():
        return None
    tau = tau_b(x, y, digits=INTERVAL_DIGITS)
    return None if np.isnan(tau) else tau


def _rounded_means(evaluation: Evaluation, measure: Measure) -> Floats:
    """Means with the decimals that count; those of an interval version are small steps, so more of them do."""
    digits = INTERVAL_DIGITS if isinstance(measure, Interval) else MEAN_DIGITS
    return np.asarray(np.round(evaluation.totals(measure), digits))
