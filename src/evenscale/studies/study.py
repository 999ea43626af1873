"""The experiments of Ferrante, Ferro and Fuhr 2021 (Tables 2 to 6) for any campaign."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenscale.errors import BadParameter
from evenscale.judged.policy import Ties
from evenscale.measures import Measure
from evenscale.oddities import Oddity
from evenscale.results import Result
from evenscale.scales import Interval, parse
from evenscale.scores import Evaluation, evaluate
from evenscale.stats import TESTS, scores_of
from evenscale.stats.anova import anova2
from evenscale.stats.correlation import tau_b
from evenscale.stats.matrix import Scores
from evenscale.tables import Cell, Table

DEFAULT_MEASURES = (
    *("P", "RBP(p=0.5)", "RR", "RBP(p=0.3)", "RBP(p=0.8)", "DCG(dcg='jk',base=2)", "DCG(dcg='jk',base=10)"),
    *("R", "AP", "nDCG(dcg='jk',base=2)", "nDCG(dcg='jk',base=10)"),
)
DEFAULT_DEPTHS = (5, 10, 20, 30)
EIGHT = ("sign", "rank-sum", "signed-rank", "t", "anova1", "kruskal", "anova2", "friedman")
MEAN_DIGITS = 8
"""Means are rounded to so many decimals before they are ranked, as in the paper."""
INTERVAL_DIGITS = 12
"""Decimals that count on the interval scale: its steps are small where it has many values."""

LONG_SCALE = 1e6
"""Steps from which means are rounded as scores in [0, 1]: as ranks they would be all digits."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Study(Result):
    """All tables of a scale study, as frames.

    `correlation`: tau between each measure and its interval version, overall (means first) and topic by topic, by depth
    and rule for ties. `between`: tau between all pairs of measures, before and after, with the change in percent.
    `significance`: for every test the pairs that are significant on the measure (`sig`), lose that on the interval
    version (`s2ns`) or gain it (`ns2s`), and the change `delta` = (s2ns + ns2s) / sig in percent. `movers`: systems by
    how many places they move between the measure's ranking and the interval version's. `anova`: the two-way analysis of
    variance of each measure and of its interval version.
    """

    correlation: pl.DataFrame
    between: pl.DataFrame
    significance: pl.DataFrame
    anova: pl.DataFrame
    movers: pl.DataFrame
    systems: int
    topics: int
    oddities: tuple[Oddity, ...]

    @property
    def frame(self) -> pl.DataFrame:
        """The significance changes: the study's main table."""
        return self.significance

    @cached_property
    def averages(self) -> pl.DataFrame:
        """Mean percentages by depth, dependence on the recall base and the scale that the tests need."""
        share = [(100 * pl.col(c) / pl.col("sig")).alias(c) for c in ("s2ns", "ns2s")]
        return (
            self.significance.filter(pl.col("sig") > 0)
            .with_columns(*share)
            .group_by("depth", "recall_base", "needs", maintain_order=True)
            .agg(pl.col("s2ns", "ns2s", "delta").mean())
            .sort("depth", "recall_base", "needs")
        )

    def tables(self) -> dict[str, Table]:
        """Every table by name, as a person wants to see it."""
        frames = {
            "correlation": self.correlation,
            "between": self.between,
            "significance": self.significance,
            "averages": self.averages,
            "anova": self.anova,
            "movers": self.movers,
        }
        return {name: Table(frame.columns, list(frame.iter_rows())) for name, frame in frames.items()}

    def table(self) -> Table:
        """One line per measure at the greatest depth: tau, and the changes of a paired t-test and of two-way ANOVA."""
        depth = int(self.correlation["depth"].to_numpy().max())
        deepest = self.correlation.filter((pl.col("depth") == depth) & (pl.col("ties") == "unq"))
        rows: list[tuple[Cell, ...]] = [
            (row["measure"] + ("†" if row["recall_base"] else ""), row["tau"], *self._changes(row["measure"]))
            for row in deepest.iter_rows(named=True)
        ]
        head = ("measure", "tau", "t: sig", "lost", "gained", "ANOVA2: sig", "lost", "gained")
        title = f"{self.systems} systems, {self.topics} topics, depth {depth}: measures against their interval versions"
        return Table(head, rows, title=title)

    def _changes(self, measure: str) -> list[Cell]:
        cells: list[Cell] = []
        for test in ("t", "anova2"):
            row = self.significance.filter((pl.col("measure") == measure) & (pl.col("test") == test))
            cells += list(row.select("sig", "s2ns", "ns2s").row(0)) if row.height else [None] * 3
        return cells

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "systems": self.systems,
            "topics": self.topics,
            "correlation": self.correlation.to_dicts(),
            "between": self.between.to_dicts(),
            "significance": self.significance.to_dicts(),
            "averages": self.averages.to_dicts(),
            "anova": self.anova.to_dicts(),
            "movers": self.movers.to_dicts(),
            "oddities": [oddity.row() for oddity in self.oddities],
        }


def study(
    qrels: Any,
    runs: Any,
    *,
    depths: Sequence[int] = DEFAULT_DEPTHS,
    measures: Sequence[str | Measure] = DEFAULT_MEASURES,
    tie_rules: Sequence[str] = ("unq",),
    tests: Sequence[str] = EIGHT,
    alpha: float = 0.05,
    ties: Ties = "trec_eval",
    progress: Progress | None = None,
) -> Study:
    """Put every measure beside its interval version at every depth.

    `measures` are given without a cut-off; each depth is one. Significance is counted for the rule `unq`, the interval
    scale. Runs that are shorter than a depth are filled up with non-relevant documents, and that is among the oddities.

    >>> from evenscale.bundled import sample
    >>> result = study(*sample(), depths=[5], measures=["P", "RR"], tests=["t"])
    >>> [(m, round(tau, 4)) for m, tau in result.correlation.select("measure", "tau").rows()]
    [('P@5', 1.0), ('RR@5', 0.9581)]
    """
    chosen = _checked(measures, depths, tests)
    results = []
    plain = [replace(m, cutoff=d) for d in depths for m in chosen]
    ranked = [Interval(measure=m, ties=rule) for rule in dict.fromkeys(("unq", *tie_rules)) for m in plain]
    evaluation = evaluate(qrels, runs, [*plain, *ranked], ties=ties)
    for done, depth in enumerate(depths, 1):
        at_depth = [m for m in plain if m.cutoff == depth]
        results.append(
            (
                _correlation(evaluation, at_depth, list(dict.fromkeys(tie_rules))),
                _between(evaluation, at_depth),
                _significance(evaluation, at_depth, tests, alpha),
                _anova(evaluation, at_depth),
                _movers(evaluation, at_depth),
            )
        )
        if progress:
            progress(done, len(depths))
    correlation, between, significance, anova, movers = (pl.concat(parts) for parts in zip(*results, strict=True))
    counts = len(evaluation.runs), len(evaluation.topics)
    return Study(correlation, between, significance, anova, movers, *counts, evaluation.oddities)


def _checked(measures: Sequence[str | Measure], depths: Sequence[int], tests: Sequence[str]) -> list[Measure]:
    if not depths or not measures:
        raise BadParameter("a study needs at least one depth and one measure")
    for test in tests:
        if test not in TESTS or TESTS[test].resamples:
            known = ", ".join(t for t in TESTS if not TESTS[t].resamples)
            raise BadParameter(f"tests must be among {known}, got {test!r}")
    chosen = [parse(m) for m in measures]
    for measure in chosen:
        if measure.cutoff is not None or not measure.takes_cutoff:
            raise BadParameter(f"a study cuts measures at its own depths; give one without cut-off, got {measure}")
    return chosen


def _means(evaluation: Evaluation, measure: Measure) -> NDArray[np.float64]:
    return np.asarray(np.round(evaluation.matrix(measure).mean(axis=0), MEAN_DIGITS))


def _ranked_means(evaluation: Evaluation, measure: Measure, rule: str = "unq") -> NDArray[np.float64]:
    """Means on the interval scale, rounded on the scale's own steps: raw ranks have as many digits as they need."""
    version = Interval(measure=measure, ties=rule)
    values = evaluation.matrix(version)
    steps = float(version.scale(evaluation.blocks[0].top).size - 1)
    means = values.mean(axis=0)
    return np.asarray(np.round(means * steps, MEAN_DIGITS) if steps < LONG_SCALE else np.round(means, 14))


def _correlation(evaluation: Evaluation, measures: Sequence[Measure], rules: Sequence[str]) -> pl.DataFrame:
    rows = []
    for rule in rules:
        for m in measures:
            version = str(Interval(measure=m, ties=rule))
            before, after = scores_of(evaluation, str(m)).order, scores_of(evaluation, version).order
            by_topic = [tau_b(x, y, digits=0) for x, y in zip(before, after, strict=True)]
            rows.append(
                {
                    "depth": m.cutoff,
                    "measure": str(m),
                    "recall_base": m.recall_base,
                    "ties": rule,
                    "tau": tau_b(_means(evaluation, m), _ranked_means(evaluation, m, rule), digits=INTERVAL_DIGITS),
                    "tau_by_topic": float(np.nanmean(by_topic)) if not np.isnan(by_topic).all() else float("nan"),
                }
            )
    return pl.DataFrame(rows)


def _between(evaluation: Evaluation, measures: Sequence[Measure]) -> pl.DataFrame:
    rows = []
    for a, b in combinations(measures, 2):
        before = tau_b(_means(evaluation, a), _means(evaluation, b), digits=INTERVAL_DIGITS)
        after = tau_b(_ranked_means(evaluation, a), _ranked_means(evaluation, b), digits=INTERVAL_DIGITS)
        change = 100 * (after - before) / before if before else float("nan")
        rows.append(
            {"depth": a.cutoff, "measure": str(a), "other": str(b), "before": before, "after": after, "change": change}
        )
    schema = {"depth": pl.Int64, "measure": pl.String, "other": pl.String}
    return pl.DataFrame(rows, schema={**schema, **dict.fromkeys(("before", "after", "change"), pl.Float64)})


def _significance(
    evaluation: Evaluation, measures: Sequence[Measure], tests: Sequence[str], alpha: float
) -> pl.DataFrame:
    rows = []
    for m in measures:
        before = scores_of(evaluation, str(m))
        after = scores_of(evaluation, str(Interval(measure=m)), digits=INTERVAL_DIGITS)
        for test in tests:
            old, new = (_significant(scores, test, alpha) for scores in (before, after))
            sig, lost, gained = int(old.sum()), int((old & ~new).sum()), int((new & ~old).sum())
            rows.append(
                {
                    "depth": m.cutoff,
                    "measure": str(m),
                    "recall_base": m.recall_base,
                    "test": test,
                    "needs": TESTS[test].needs,
                    "sig": sig,
                    "s2ns": lost,
                    "ns2s": gained,
                    "delta": 100 * (lost + gained) / sig if sig else None,
                }
            )
    return pl.DataFrame(rows, schema_overrides={"delta": pl.Float64})


def _significant(scores: Scores, test: str, alpha: float) -> NDArray[np.bool_]:
    return TESTS[test](scores, alpha=alpha).significant


def _anova(evaluation: Evaluation, measures: Sequence[Measure]) -> pl.DataFrame:
    frames = []
    for m in measures:
        for version, label in (("measure", str(m)), ("interval", str(Interval(measure=m)))):
            table = anova2(scores_of(evaluation, label, exact=False)).frame
            named = [pl.lit(m.cutoff).alias("depth"), pl.lit(str(m)).alias("measure"), pl.lit(version).alias("version")]
            frames.append(table.select(*named, pl.all()))
    return pl.concat(frames)


def _movers(evaluation: Evaluation, measures: Sequence[Measure], most: int = 10) -> pl.DataFrame:
    """The systems that move furthest between the two rankings, for each measure."""
    frames = []
    for m in measures:
        before, after = (_places(means) for means in (_means(evaluation, m), _ranked_means(evaluation, m)))
        frame = pl.DataFrame(
            {
                "depth": [m.cutoff] * len(before),
                "measure": [str(m)] * len(before),
                "system": evaluation.runs,
                "place": before,
                "interval_place": after,
                "moved": before - after,
            }
        )
        moved = frame.filter(pl.col("moved") != 0).sort(pl.col("moved").abs(), descending=True, maintain_order=True)
        frames.append(moved.head(most))
    return pl.concat(frames)


def _places(means: NDArray[np.float64]) -> NDArray[np.int64]:
    """Places from 1, the best first; equal means share the better place."""
    return np.asarray([1 + int((means > mean).sum()) for mean in means], dtype=np.int64)
