"""Statements about all systems at once: their ranking, and how two measures agree on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from evenscale.errors import BadParameter
from evenscale.statements.averages import Mean, as_it_is, freedom, terms_of, total_of
from evenscale.statements.bends import Bend, always, bend
from evenscale.statements.campaign import Campaign
from evenscale.statements.leaderboard import above_all, alike, oriented
from evenscale.statements.statement import Statement
from evenscale.statements.verdict import Computed, Decision, Verdict, Witness
from evenscale.stats.correlation import pearson, tau_b
from evenscale.stats.matrix import Floats, Ints, Scale

NAMED = 8
"""The most pairs that are listed."""
TURNED = 30
"""The most pairs that are turned round in search of another correlation."""
SAME = 5e-5
"""Correlations closer than this are the same to four decimals."""


def upset(campaign: Campaign) -> tuple[Ints, Ints]:
    """Pairs of systems whose means some rescaling puts the other way round, the closest first."""
    first, second, side = oriented(campaign)
    held = above_all(campaign, first, second, side)[first, second] | ((side == 0) & alike(campaign)[first, second])
    gaps = campaign.scores.means[first] - campaign.scores.means[second]
    order = [k for k in np.argsort(gaps, kind="stable") if not held[k]]
    return first[order], second[order]


@dataclass(frozen=True, kw_only=True)
class Ranking(Statement):
    """The systems ranked by their means, all of them."""

    name: ClassVar[str] = "ranking"
    title: ClassVar[str] = "the ranking of all systems by mean"
    needs: ClassVar[Scale] = "interval"
    help: ClassVar[str] = "the ranking of all systems by mean"
    pair: ClassVar[bool] = False

    def sentence(self, measure: str) -> str:
        return f"the systems rank by mean {measure} in this order"

    def computed(self, campaign: Campaign) -> Computed:
        order = np.argsort(-campaign.scores.means, kind="stable")
        means = {campaign.scores.systems[s]: float(campaign.scores.means[s]) for s in order}
        first = " > ".join([*list(means)[:5], *(["..."] if len(means) > 5 else [])])
        return Computed(True, means, first)

    def check(self, campaign: Campaign) -> None:
        campaign.scores.need(topics=1, systems=2)

    def decide(self, campaign: Campaign, computed: Computed) -> Decision:
        first, second = upset(campaign)
        names = campaign.scores.systems
        pairs = len(names) * (len(names) - 1) // 2
        if not len(first):
            why = (
                f"{campaign.measure} is {campaign.scale_name()}"
                if as_it_is(campaign)
                else "of each two systems one dominates"
            )
            return Decision("meaningful", f"{why}, so no rescaling changes the order of any pair")
        closest = Mean(a=names[first[0]], b=names[second[0]]).judge(replace(campaign, version=None))
        listed = ", ".join(f"{names[i]} and {names[j]}" for i, j in zip(first[:NAMED], second[:NAMED], strict=True))
        more = f" and {len(first) - NAMED:,} more" if len(first) > NAMED else ""
        reason = (
            f"{campaign.measure} is {campaign.scale_name()}, and some rescaling puts {len(first):,} of {pairs:,} pairs "
            f"the other way round: {listed}{more}"
        )
        return Decision("depends", reason, closest.witness)

    def on_interval(self, campaign: Campaign) -> dict[str, Any] | None:
        version = campaign.on_version()
        if version is None:
            return None
        before, after = campaign.scores.means, version.scores.means
        i, j = campaign.scores.pairs
        swapped = int(((before[i] - before[j]) * (after[i] - after[j]) < 0).sum())
        tau = float(tau_b(before, after))
        also = ", a surrogate (docs/scales.md), since topics have no common scale" if campaign.surrogate else ""
        turned = f"{swapped:,} of {len(i):,} pairs are the other way round"
        return {
            "text": f"on {version.measure}: {turned} (Kendall's tau {tau:.4f}){also}",
            "measure": version.measure,
            "true": swapped == 0,
            "swapped": swapped,
            "tau": None if np.isnan(tau) else tau,
            "surrogate": campaign.surrogate,
        }


Coefficient = Callable[[Any, Any], float]
COEFFICIENTS: dict[str, tuple[str, Coefficient]] = {
    "kendall": ("Kendall's tau", lambda x, y: tau_b(x, y)),
    "pearson": ("Pearson's r", lambda x, y: pearson(x, y)),
}
BY = ("overall", "topic")


@dataclass(frozen=True, kw_only=True)
class Correlation(Statement):
    """Two measures agree so much on the systems: of their means ("overall"), or topic by topic and then averaged."""

    name: ClassVar[str] = "correlation"
    title: ClassVar[str] = "the correlation between two measures"
    needs: ClassVar[Scale] = "interval"
    help: ClassVar[str] = "the correlation between the measure and --other, overall or --across topic"
    pair: ClassVar[bool] = False

    other: Campaign | None = None
    coefficient: str = "kendall"
    by: str = "overall"
    value: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for what, found, known in (("coefficient", self.coefficient, tuple(COEFFICIENTS)), ("by", self.by, BY)):
            if found not in known:
                raise BadParameter(f"{what} must be one of {', '.join(known)}, got {found!r}")
        if self.other is None:
            raise BadParameter("a correlation needs another measure")

    @property
    def against(self) -> Campaign:
        """The other measure's scores."""
        assert self.other is not None
        return self.other

    def check(self, campaign: Campaign) -> None:
        campaign.scores.need(topics=1, systems=2)
        if (
            campaign.scores.systems != self.against.scores.systems
            or campaign.scores.topics != self.against.scores.topics
        ):
            raise BadParameter("both measures need scores of the same systems on the same topics")

    def judge(self, campaign: Campaign) -> Verdict:
        if self.value is not None:
            return super().judge(campaign)
        self.check(campaign)
        return replace(self, value=self.found(campaign.scores.values, self.against.scores.values)).judge(campaign)

    def found(self, x: Floats, y: Floats) -> float:
        """The coefficient of two matrices; by topic it is the mean over topics where it exists."""
        measure = COEFFICIENTS[self.coefficient][1]
        if self.by == "overall":
            return float(measure(x.mean(axis=0), y.mean(axis=0)))
        each = [float(measure(a, b)) for a, b in zip(x, y, strict=True)]
        kept = [value for value in each if not np.isnan(value)]
        return float(np.mean(kept)) if kept else float("nan")

    def sentence(self, measure: str) -> str:
        title, what = COEFFICIENTS[self.coefficient][0], "mean " if self.by == "overall" else ""
        how = "" if self.by == "overall" else ", topic by topic,"
        return f"{title} between {what}{measure} and {what}{self.against.measure}{how} is {self.value:.4f}"

    def computed(self, campaign: Campaign) -> Computed:
        value = self.value if self.value is not None else float("nan")
        if np.isnan(value):
            return Computed(None, {}, "all systems tie under one of them")
        return Computed(True, {"value": value}, f"{len(campaign.scores.systems)} systems")

    def decide(self, campaign: Campaign, computed: Computed) -> Decision:
        both = (campaign, self.against)
        if computed.true is None:
            return Decision("inexpressible", f"there is no correlation: {computed.shown}")
        if self.by == "topic" and (self.coefficient == "kendall" or all(c.scale != "ordinal" for c in both)):
            kept = "the order" if self.coefficient == "kendall" else "the ratios of differences"
            return Decision(
                "meaningful", f"it needs {kept} of scores within a topic only, which every rescaling of topics keeps"
            )
        if all(as_it_is(c) for c in both):
            return Decision(
                "meaningful", "both measures are interval scales, and it does not change with unit and origin"
            )
        if self.coefficient == "kendall" and not any(len(upset(c)[0]) for c in both):
            return Decision("meaningful", "no rescaling changes the order of any two means under either measure")
        return self._searched(campaign)

    def _searched(self, campaign: Campaign) -> Decision:
        needs = "the order of means, which" if self.coefficient == "kendall" else "differences, which"
        weak = " and ".join(f"{c.measure} ({c.scale_name()})" for c in (campaign, self.against) if not as_it_is(c))
        why = f"it needs {needs} a rescaling of {weak} can change"
        tried = 0
        for which, c in enumerate((campaign, self.against)):
            other = (self.against, campaign)[which].scores.values
            for text, values in _rescalings(c):
                tried += 1
                new = self.found(values, other)
                if not np.isnan(new) and abs(new - (self.value or 0.0)) > SAME:
                    before = {"value": float(self.value or 0.0)}
                    return Decision("depends", why, Witness(f"{text}: it becomes {new:.4f}", before, {"value": new}))
        return Decision("depends", f"{why}; no witness was found: {tried} rescalings tried")

    def on_interval(self, campaign: Campaign) -> dict[str, Any] | None:
        one, other = campaign.version, self.against.version
        if one is None or other is None:
            return None
        new = self.found(one.values, other.values)
        surrogate = campaign.surrogate or self.against.surrogate
        value = None if np.isnan(new) else new
        also = ", surrogates where topics have no common scale" if surrogate else ""
        return {
            "text": f"between {one.measure} and {other.measure} it is {new:.4f}{also}",
            "measure": one.measure,
            "true": value is not None and self.value is not None and abs(value - self.value) <= SAME,
            "difference": None if value is None or self.value is None else value - self.value,
            "value": value,
            "surrogate": surrogate,
        }


def _rescalings(campaign: Campaign) -> Iterator[tuple[str, Floats]]:
    """Rescaled scores of all systems: bends that turn close pairs round."""
    if as_it_is(campaign):
        return
    first, second = upset(campaign)
    names = campaign.scores.systems
    for i, j in list(zip(first.tolist(), second.tolist(), strict=True))[:TURNED]:
        turned = _turned(campaign, names[i], names[j])
        if turned is not None:
            text = f"the rescaling of {campaign.measure} that puts {names[j]} above {names[i]}"
            yield text, _rescaled(campaign, turned)


def _turned(campaign: Campaign, a: str, b: str) -> Bend | None:
    cells = Mean(a=a, b=b).cells(campaign)
    terms = terms_of(campaign, cells)
    found = freedom(campaign, terms)
    return None if always(found) is not None else bend(terms, found, campaign.unit, total_of(campaign, cells))


def _rescaled(campaign: Campaign, turned: Bend) -> Floats:
    """All scores under a bend."""
    unit = np.array([float(Fraction(value)) for value in campaign.unit])
    share = float(turned.share)
    new = (1 - share) * unit[campaign.codes]
    for scale, level in turned.steps.items():
        rows = [scale] if campaign.topicwise else slice(None)
        codes = campaign.codes[rows]
        new[rows] += share * (unit[codes] if level is None else (codes >= level))
    return np.asarray(new)
