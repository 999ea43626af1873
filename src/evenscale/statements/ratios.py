"""Statements that multiply or divide scores: geometric means and percentages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, floor, isfinite
from typing import ClassVar

import numpy as np

from evenscale.errors import BadParameter
from evenscale.statements.averages import Mean, freedom, listed, terms_of, total_of
from evenscale.statements.bends import Bend, always, bend, stretches
from evenscale.statements.campaign import NEVER, Campaign
from evenscale.statements.partial_order import dominance
from evenscale.statements.verdict import Computed, Decision, Verdict, Witness
from evenscale.stats.matrix import Floats, Scale

SHIFTS = 400
"""How many shifts of an interval scale are tried."""
FAR = (10.0, 1e3, 1e6, 1e9)
"""By how much the scores of a topic are shifted to make it count little; its inverse makes it count much."""
ZERO = "one score of 0 makes a geometric mean 0, whatever the others are, and 0 is not 0 on every rescaling"
EQUAL = 1e-10
"""Sums of logarithms this close are equal."""


@dataclass(frozen=True, kw_only=True)
class GeometricMean(Mean):
    """The geometric mean of A is above B's.

    >>> from evenscale.stats import Scores
    >>> from evenscale.statements.campaign import campaign_of
    >>> paris, rome = [2, 2, 4, 8, 36], [1, 2, 4, 15, 34]
    >>> scores = Scores.of(list(zip(paris, rome)), systems=["Paris", "Rome"], measure="Celsius", scale="interval")
    >>> found = GeometricMean(a="Paris", b="Rome").judge(campaign_of(scores))
    >>> found.true_as_computed, found.verdict
    (True, 'depends')
    """

    name: ClassVar[str] = "gmean"
    title: ClassVar[str] = "the geometric mean of A is above B's"
    needs: ClassVar[Scale] = "ratio"
    help: ClassVar[str] = "the geometric mean over topics of A is above B's"
    statistic: ClassVar[str] = "geometric mean"
    shows_p: ClassVar[bool] = False

    def computed(self, campaign: Campaign) -> Computed:
        a, b = self._scores(campaign)
        if min(a.min(), b.min()) < 0:
            return Computed(None, {}, "there are scores below 0, which have no geometric mean")
        values = {self.a: _geometric(a), self.b: _geometric(b)}
        shown = f"{values[self.a]:.4f} against {values[self.b]:.4f}"
        zeros = [f"{name} has {n} of 0" for name, n in ((self.a, (a == 0).sum()), (self.b, (b == 0).sum())) if n]
        shown += f"; {' and '.join(zeros)}" if zeros else ""
        return Computed(_above(a, b), values, shown, values[self.a] - values[self.b])

    def decide(self, campaign: Campaign, computed: Computed) -> Decision:
        if computed.true is None:
            return Decision("inexpressible", f"a geometric mean needs scores above 0: {computed.shown}")
        if campaign.scale == "ratio":
            return Decision("meaningful", f"{campaign.measure} is {campaign.scale_name()}, and a unit cancels out")
        if campaign.scale == "ordinal":
            return self._on_order(campaign, computed)
        return self._by_topic(campaign, computed) if campaign.topicwise else self._shifted(campaign, computed)

    def _scores(self, campaign: Campaign) -> tuple[Floats, Floats]:
        levels = np.array([float(value) for value in campaign.levels])
        a, b = (levels[campaign.codes[:, campaign.system(name)]] for name in (self.a, self.b))
        return a, b

    def _on_order(self, campaign: Campaign, computed: Computed) -> Decision:
        """The logarithm of an increasing positive map is any increasing map, so the criterion is that of means."""
        cells = self.cells(campaign)
        terms = terms_of(campaign, cells)
        found = freedom(campaign, terms)
        if always(found) == computed.true:
            return Decision("meaningful", self.why(campaign, bool(computed.true)))
        total = total_of(campaign, cells)  # scores of 0 may hide, as computed, what every scale above 0 shows
        turned = None if (total > 0) != computed.true else bend(terms, found, campaign.unit, total)
        after = {name: exp(value) for name, value in self._logs(campaign, turned).items()}
        how = "" if turned is None else f", with a step of {float(turned.share):.4g} in it"
        text = (
            f"replace every score x by e to the power of x on a scale from 0 to 1{how}: the order of scores stays, "
            f"and the geometric means become {listed(after)}"
        )
        witness = Witness(text, dict(computed.values), after, (), float(turned.least) if turned else None)
        return Decision("depends", self.why_not(campaign) if always(found) is None else ZERO, witness)

    def _logs(self, campaign: Campaign, turned: Bend | None) -> dict[str, float]:
        if turned is not None:
            return self.values(campaign, turned)
        unit = np.array([float(value) for value in campaign.unit])
        return {name: float(unit[campaign.codes[:, campaign.system(name)]].mean()) for name in (self.a, self.b)}

    def _shifted(self, campaign: Campaign, computed: Computed) -> Decision:
        """On an interval scale the origin is free: x + b for any b that keeps all scores above 0."""
        a, b = self._scores(campaign)
        low = float(campaign.levels[0])
        wide = float(campaign.levels[-1]) - low or 1.0
        for shift in wide * np.geomspace(1e-6, 1e4, SHIFTS) - low:
            if _above(a + shift, b + shift) != computed.true:
                after = {self.a: _geometric(a + shift), self.b: _geometric(b + shift)}
                text = f"add {shift:.4g} to every score: the geometric means become {listed(after)}"
                why = f"it needs a ratio scale, and {campaign.measure} is {campaign.scale_name()}, whose origin is free"
                return Decision("depends", why, Witness(text, dict(computed.values), after))
        if _beyond_concave(a, b) or _beyond_concave(b, a) or (np.sort(a) == np.sort(b)).all():
            why = (
                "the lowest k scores of the one add up to at least those of the other for every k, so no shift of the "
                "origin changes the order of geometric means"
            )
            return Decision("meaningful", why)
        return Decision(
            "depends", f"the origin of {campaign.measure} is free, but no witness was found: {SHIFTS} shifts tried"
        )

    def _by_topic(self, campaign: Campaign, computed: Computed) -> Decision:
        codes = campaign.codes[:, [campaign.system(self.a), campaign.system(self.b)]]
        above = dominance(codes, topicwise=True)
        if (above.any() or (codes[:, 0] == codes[:, 1]).all()) and bool(above[0, 1]) == computed.true:
            return Decision("meaningful", self.why(campaign, bool(computed.true)))
        a, b = self._scores(campaign)
        against = b > a if computed.true else a > b
        lowest = np.array([float(campaign.levels[k]) for k in campaign.codes.min(axis=1)])
        for far in FAR:
            shift = np.where(against, 1 / far - lowest, far)
            if _above(a + shift, b + shift) != computed.true:
                after = {self.a: _geometric(a + shift), self.b: _geometric(b + shift)}
                text = f"add a different number to the scores of each topic: the geometric means become {listed(after)}"
                why = ZERO if above.any() else self.why_not(campaign)
                return Decision("depends", why, Witness(text, dict(computed.values), after))
        return Decision("depends", f"{self.why_not(campaign)}; no witness was found: {len(FAR)} sets of shifts tried")


@dataclass(frozen=True, kw_only=True)
class Percent(Mean):
    """The mean of A is at least so many percent above B's; without a number, the one that was computed."""

    name: ClassVar[str] = "percent"
    title: ClassVar[str] = "A is x % better than B"
    needs: ClassVar[Scale] = "ratio"
    help: ClassVar[str] = "the mean of A is at least --by PERCENT above B's"

    shows_p: ClassVar[bool] = False

    by: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.by is not None and not (isfinite(self.by) and self.by > -100):
            raise BadParameter(f"by must be a percentage above -100, got {self.by}")

    def judge(self, campaign: Campaign) -> Verdict:
        if self.by is not None:
            return super().judge(campaign)
        self.check(campaign)
        found = _percentage(self.values(campaign), self.a, self.b)
        return replace(self, by=max(floor(found * 10) / 10, 0.0) if found is not None else 0.0).judge(campaign)

    def sentence(self, measure: str) -> str:
        return f"mean {measure} of {self.a} is at least {self.by or 0:g} % above {self.b}'s"

    def weights(self) -> list[tuple[str, Fraction]]:
        return [(self.a, Fraction(1)), (self.b, -1 - Fraction(str(self.by or 0)) / 100)]

    def computed(self, campaign: Campaign) -> Computed:
        means = self.values(campaign)
        found = _percentage(means, self.a, self.b)
        shown = f"{means[self.a]:.4f} against {means[self.b]:.4f}"
        if found is None:
            return Computed(None, means, f"{shown}: there is no percentage of a mean that is not above 0")
        return Computed(
            found >= (self.by or 0) - EQUAL, means, f"{shown}, {found:.1f} %", means[self.a] - means[self.b]
        )

    def decide(self, campaign: Campaign, computed: Computed) -> Decision:
        if campaign.scale == "ratio" and computed.true is not None:
            return self._on_ratio(campaign, computed)
        means = self.values(campaign)
        wide = float(campaign.levels[-1] - campaign.levels[0]) or 1.0
        after = {name: value + wide for name, value in means.items()}
        percentages = [_percentage(values, self.a, self.b) for values in (means, after)]
        one, other = (f"{p:.1f} %" if p is not None else "no percentage" for p in percentages)
        text = f"add {wide:.4g} to every score: the means become {listed(after)}, and {one} becomes {other}"
        reason = (
            f"percentages of scores need a ratio scale, one with a fixed zero, and {campaign.measure} is "
            f"{campaign.scale_name()}"
        )
        return Decision("inexpressible", reason, Witness(text, means, after))

    def _on_ratio(self, campaign: Campaign, computed: Computed) -> Decision:
        if not campaign.topicwise:
            return Decision(
                "meaningful", f"{campaign.measure} is {campaign.scale_name()}, on which ratios have a meaning"
            )
        terms = terms_of(campaign, self.cells(campaign))
        found = stretches(terms, campaign.levels)
        if all(step.total >= 0 for step in found) or all(step.total < 0 for step in found):
            return Decision(
                "meaningful", "the percentage is on the same side on every topic, so any unit of any topic agrees"
            )
        total = sum((step.total for step in found), Fraction(0))
        turned = bend(terms, found, campaign.levels, max(total, NEVER) if computed.true else total)
        why = (
            "every topic has a unit of its own, so those that say yes, or those that say no, can be made to count more"
        )
        return Decision("depends", why, self.witness(campaign, turned))


def _percentage(means: dict[str, float], a: str, b: str) -> float | None:
    return 100 * (means[a] / means[b] - 1) if means[b] > 0 else None


def _geometric(values: Floats) -> float:
    return float(np.exp(np.log(values).mean())) if (values > 0).all() else 0.0


def _above(a: Floats, b: Floats) -> bool:
    """Whether the geometric mean of a is above b's; one score of 0 makes it 0."""
    if (a <= 0).any() or (b <= 0).any():
        return bool((a > 0).all() and (b <= 0).any())
    return bool((np.log(a) - np.log(b)).sum() > EQUAL)


def _beyond_concave(a: Floats, b: Floats) -> bool:
    """Whether every increasing concave map of the scores agrees that a is above b (second-order dominance)."""
    gaps = np.cumsum(np.sort(a)) - np.cumsum(np.sort(b))
    return bool((gaps >= -EQUAL).all() and (gaps > EQUAL).any())
