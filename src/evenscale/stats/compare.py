"""Which systems differ: one call from scores to tiers, for every test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np
import polars as pl

from evenscale.errors import BadParameter
from evenscale.results import Result
from evenscale.scales import Interval
from evenscale.scores import Evaluation
from evenscale.stats.exact_places import exact_places
from evenscale.stats.groups import differences, letters, tiers
from evenscale.stats.matrix import DIGITS, Scale, Scores
from evenscale.stats.result import Alternative, Comparisons
from evenscale.tables import Cell, Table


@dataclass(frozen=True, slots=True)
class Test:
    """One way to compare all pairs of systems."""

    __test__ = False  # the name is a noun here, not an instruction to pytest

    module: str
    function: str
    title: str
    needs: Scale
    joint: bool = False
    """Whether its p-values already account for the number of pairs."""
    tails: bool = False
    """Whether it can be one-sided."""
    resamples: bool = False

    def __call__(self, scores: Scores, **options: Any) -> Comparisons:
        function: Callable[..., Comparisons] = getattr(import_module(f"evenscale.stats.{self.module}"), self.function)
        return function(scores, **options)


TESTS: Mapping[str, Test] = {
    "anova2": Test("families", "tukey_anova2", "two-way ANOVA (topic + system), Tukey HSD", "interval", joint=True),
    "anova1": Test("families", "tukey_anova1", "one-way ANOVA, Tukey HSD", "interval", joint=True),
    "friedman": Test("families", "tukey_friedman", "Friedman, Tukey-type comparisons", "ordinal", joint=True),
    "kruskal": Test("families", "tukey_kruskal", "Kruskal-Wallis, Tukey-type comparisons", "ordinal", joint=True),
    "scheffe": Test("families", "scheffe", "two-way ANOVA, Scheffe's comparisons", "interval", joint=True),
    "tukey-random": Test(
        "resampling", "randomised_tukey", "randomised Tukey HSD", "interval", joint=True, resamples=True
    ),
    "t": Test("pairwise", "paired_t", "paired t", "interval", tails=True),
    "signed-rank": Test("pairwise", "signed_rank", "Wilcoxon signed-rank", "interval", tails=True),
    "sign": Test("pairwise", "sign", "sign", "ordinal", tails=True),
    "rank-sum": Test("pairwise", "rank_sum", "Wilcoxon rank-sum", "ordinal", tails=True),
    "randomisation": Test(
        "resampling", "randomisation", "paired randomisation (sign flips)", "interval", tails=True, resamples=True
    ),
    "bootstrap": Test("resampling", "bootstrap", "paired bootstrap", "interval", tails=True, resamples=True),
}
"""Every test by the name it has on the command line, the recommended one first."""


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """Systems from best to worst with their tiers, and the pairwise comparisons behind them."""

    scores: Scores
    comparisons: Comparisons
    baseline: str | None = None

    @cached_property
    def order(self) -> list[int]:
        """The systems' numbers, the best mean first."""
        return [int(s) for s in np.argsort(-self.scores.means, kind="stable")]

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per system, the best first: tier, mean, letters; with a baseline, the difference from it instead."""
        return self._against() if self.baseline is not None else self._tiers()

    def _tiers(self) -> pl.DataFrame:
        different = differences(self.comparisons)
        tier, marks = tiers(self.order, different), letters(self.order, different)
        beaten = different & (self.scores.means[:, None] > self.scores.means[None, :])
        return pl.DataFrame(
            {
                "tier": [tier[s] for s in self.order],
                "system": [self.scores.systems[s] for s in self.order],
                "mean": [float(self.scores.means[s]) for s in self.order],
                "beats": [int(beaten[s].sum()) for s in self.order],
                "group": [marks[s] if marks else "" for s in self.order],
            }
        )

    def _against(self) -> pl.DataFrame:
        rows = self.comparisons.frame.select(
            "system", "difference", "low", "high", "effect", "p", "adjusted", "significant"
        )
        means = pl.DataFrame({"system": self.scores.systems, "mean": self.scores.means})
        return rows.join(means, on="system", maintain_order="left").sort("mean", descending=True, maintain_order=True)

    def table(self) -> Table:
        title = self.summary()
        if self.baseline is not None:
            shown = self.frame.select("system", "mean", "difference", "low", "high", "adjusted", "significant")
            rows: list[tuple[Cell, ...]] = [
                (*row[:5], f"{row[5]:.2g}", "*" if row[6] else "") for row in shown.iter_rows()
            ]
            return Table(("system", "mean", "difference", "low", "high", "p", ""), rows, title=title)
        kept = ["tier", "system", "mean", "beats", "group"]
        if not any(self.frame["group"]):
            kept.remove("group")
        return Table(kept, list(self.frame.select(kept).iter_rows()), title=title)

    def summary(self) -> str:
        """The result in one line."""
        count, pairs = int(self.comparisons.significant.sum()), len(self.comparisons.p)
        what = (
            f"{count:,} of {pairs:,} pairs differ"
            if self.baseline is None
            else (f"{count:,} of {pairs:,} systems differ from {self.baseline}")
        )
        return (
            f"{self.scores.measure or 'scores'}, {self.comparisons.method}, alpha = {self.comparisons.alpha:g}: {what}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "measure": self.scores.measure,
            "topics": len(self.scores.topics),
            "baseline": self.baseline,
            "systems": self.frame.to_dicts(),
            **self.comparisons.to_dict(),
        }


def scores_of(evaluation: Evaluation, measure: str, *, digits: int = DIGITS, exact: bool = True) -> Scores:
    """One measure's scores, ready for tests; `exact=False` saves the work of ordering them exactly."""
    place = evaluation._place(measure)
    chosen = evaluation.measures[place]
    scale: Scale = "interval" if isinstance(chosen, Interval) else "ordinal"
    return Scores.of(
        evaluation.values[place],
        topics=evaluation.topics,
        systems=evaluation.runs,
        measure=evaluation.labels[place],
        scale=scale,
        digits=digits,
        places=exact_places(evaluation, chosen) if exact else None,
    )


def compare(
    scores: Scores,
    *,
    test: str = "anova2",
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    correction: str = "none",
    baseline: str | None = None,
    resamples: int = 10_000,
    rng: np.random.Generator | int = 0,
) -> Comparison:
    """Compare all pairs of systems, or all with a baseline.

    `test` is one of `TESTS`; `correction` (none, bonferroni, holm, bh, by) is for tests that take one pair at a time.
    """
    if test not in TESTS:
        raise BadParameter(f"test must be one of {', '.join(TESTS)}, got {test!r}")
    if not 0 < alpha < 1:
        raise BadParameter(f"alpha must lie in (0, 1), got {alpha}")
    chosen = TESTS[test]
    options: dict[str, Any] = {"alpha": alpha}
    if chosen.tails:
        options["alternative"] = alternative
    elif alternative != "two-sided":
        raise BadParameter(f"{chosen.title} is two-sided, got {alternative!r}")
    if chosen.resamples:
        options |= {"n": resamples, "rng": rng}
    found = _baseline(scores, chosen, baseline, options) if baseline is not None else chosen(scores, **options)
    if correction != "none":
        if chosen.joint:
            raise BadParameter(f"{chosen.title} accounts for the number of pairs already; leave out {correction!r}")
        from evenscale.stats.multiplicity import corrected

        found = corrected(found, correction)
    return Comparison(scores, found, baseline)


def _baseline(scores: Scores, test: Test, baseline: str, options: dict[str, Any]) -> Comparisons:
    """Only the pairs with the baseline, which comes second."""
    if baseline not in scores.systems:
        raise BadParameter(f"there is no system {baseline!r} to be the baseline")
    if test.joint:
        return restricted(test(scores, **options), scores.systems.index(baseline))
    from evenscale.stats.pairwise import against

    return against(scores, baseline, test, **options)


def restricted(found: Comparisons, base: int) -> Comparisons:
    """Of comparisons of all pairs those with one system, turned so that it comes second.

    The p-values stay those of the family of all pairs.
    """
    keep = (found.first == base) | (found.second == base)
    turned = found.first[keep] == base
    sign = np.where(turned, -1.0, 1.0)
    low, high = found.low[keep], found.high[keep]
    return replace(
        found,
        first=np.where(turned, found.second[keep], found.first[keep]),
        second=np.full(int(keep.sum()), base),
        difference=sign * found.difference[keep],
        statistic=found.statistic[keep],
        p=found.p[keep],
        adjusted=found.adjusted[keep],
        low=np.where(turned, -high, low),
        high=np.where(turned, -low, high),
        effect=sign * found.effect[keep],
    )
