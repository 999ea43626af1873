"""All pairwise claims of a leaderboard at once: which hold on any rescaling, which on the interval version only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenscale.errors import BadParameter
from evenscale.measures import Measure
from evenscale.prose import counted, wrapped
from evenscale.results import Result
from evenscale.scores import Evaluation
from evenscale.statements.averages import as_it_is
from evenscale.statements.campaign import Campaign, campaign_of
from evenscale.statements.partial_order import Above, dominance, surviving
from evenscale.stats import Scores
from evenscale.stats.matrix import Floats, Ints, Scale
from evenscale.stats.testing import Testing
from evenscale.tables import Cell, Table

Strings = NDArray[np.str_]

CATEGORIES: Mapping[str, str] = {
    "any": "hold on any permissible rescaling",
    "interval": "depend on the scale, and hold on the interval version too",
    "flips": "depend on the scale, and are the other way round on the interval version",
    "level": "depend on the scale, and are level on the interval version",
    "depends": "depend on the scale, and there is no interval version to ask",
    "tie": "are ties as computed",
}
"""What becomes of the claim that one system's mean is above another's."""

NEAR = 1e-9
"""Means this close are compared exactly where exact values can be had."""


@dataclass(frozen=True, eq=False)
class LeaderboardCheck(Result):
    """Every pair of systems, the one with the higher mean first, and what may be said of it.

    `above[i, j]` says that system i is above system j on every permissible rescaling: the partial order that survives.
    Significance is that of `test`; it is None on the interval version where there is none.
    """

    campaign: Campaign
    testing: Testing
    first: Ints
    second: Ints
    difference: Floats
    category: Strings
    verdict: Strings
    interval_difference: Floats | None
    significant: NDArray[np.bool_]
    interval_significant: NDArray[np.bool_] | None
    above: Above

    @property
    def systems(self) -> tuple[str, ...]:
        return self.campaign.scores.systems

    @property
    def measure(self) -> str:
        return self.campaign.measure

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per pair."""
        names = pl.Series(self.systems, dtype=pl.String)
        return pl.DataFrame(
            {
                "system": names.gather(self.first),
                "other": names.gather(self.second),
                "difference": self.difference,
                "verdict": self.verdict,
                "category": self.category,
                "interval_difference": self.interval_difference,
                "significant": self.significant,
                "interval_significant": self.interval_significant,
                "change": self.change,
            },
            schema_overrides={"interval_difference": pl.Float64, "interval_significant": pl.Boolean},
        )

    @cached_property
    def change(self) -> list[str | None]:
        """S2NS where significance is lost on the interval version, NS2S where it is gained there."""
        if self.interval_significant is None:
            return [None] * len(self.first)
        words = {(True, False): "S2NS", (False, True): "NS2S"}
        pairs = zip(self.significant.tolist(), self.interval_significant.tolist(), strict=True)
        return [words.get(pair) for pair in pairs]

    @cached_property
    def categories(self) -> dict[str, int]:
        """How many pairs there are of each category."""
        return {name: int((self.category == name).sum()) for name in CATEGORIES}

    @cached_property
    def verdicts(self) -> dict[str, int]:
        """How many pairs get each verdict."""
        return {name: int((self.verdict == name).sum()) for name in ("meaningful", "depends", "inexpressible")}

    @cached_property
    def significance(self) -> dict[str, Any]:
        """Significant claims, and what becomes of them: `survive` counts those that the interval version confirms.

        `any` counts significant claims whose means are in the same order on any rescaling.
        """
        sig = int(self.significant.sum())
        held = int((self.significant & (self.category == "any")).sum())
        if self.interval_significant is None or self.interval_difference is None:
            lost = gained = confirmed = None
        else:
            same = self.interval_difference > 0
            confirmed = int((self.significant & self.interval_significant & same).sum())
            lost, gained = self.change.count("S2NS"), self.change.count("NS2S")
        share = confirmed / sig if confirmed is not None and sig else None
        return {
            "significant": sig,
            "any": held,
            "survive": confirmed,
            "share": share,
            "s2ns": lost,
            "ns2s": gained,
            "turned": None if confirmed is None or lost is None else sig - confirmed - lost,
        }

    @cached_property
    def order(self) -> dict[str, Any]:
        """The partial order that survives: its covering pairs, its longest chain, the systems that nothing is above."""
        poset, names = surviving(self.above), self.systems
        return {
            "covers": [[names[high], names[low]] for high, low in sorted((high, low) for low, high in poset.covers)],
            "longest_chain": [names[s] for s in reversed(poset.longest_chain)],
            "undominated": [names[s] for s in sorted(poset.maximal)],
        }

    def table(self) -> Table:
        """The counts."""
        pairs = max(len(self.first), 1)
        rows: list[tuple[Cell, ...]] = [
            (words, self.categories[name], f"{100 * self.categories[name] / pairs:.1f} %")
            for name, words in CATEGORIES.items()
            if self.categories[name] or name in ("any", "interval", "flips")
        ]
        return Table(("claims about pairs that", "pairs", "share"), rows, title=self.summary())

    def summary(self) -> str:
        """What was checked, in one line."""
        topics = len(self.campaign.scores.topics)
        return f"{len(self.systems):,} systems, {topics} topics: mean {self.measure} of one above another's"

    def text(self) -> str:
        """The counts, and what they mean, as prose."""
        return "\n".join([self.table().text(), "", *(wrapped(line, rest="  ") for line in self.sentences())])

    def sentences(self) -> list[str]:
        """What the counts mean."""
        c, order, s = self.campaign, self.order, self.significance
        best = order["undominated"]
        lines = [
            f"{c.reason()}.",
            f"No rescaling upsets an order with {counted(len(order['longest_chain']), 'system')} in its longest chain; "
            + (
                f"{best[0]} alone has nothing above it."
                if len(best) == 1
                else f"{len(best)} systems have nothing above them."
            ),
            f"{counted(s['significant'], 'pair differs', 'pairs differ')} significantly ({self.testing.title}, "
            f"alpha = {self.testing.alpha:g}); "
            f"{s['any']:,} of them are ordered the same on any rescaling.",
        ]
        if s["survive"] is None:
            return [*lines, f"There is no interval version: {c.no_version}."]
        share = f" ({100 * s['share']:.1f} %)" if s["share"] is not None else ""
        assert c.version is not None
        surrogate = ", a surrogate (docs/scales.md) since topics have no common scale" if c.surrogate else ""
        return [
            *lines,
            f"On {c.version.measure}{surrogate}, {s['survive']:,} of the significant claims{share} stay significant, "
            f"{counted(s['s2ns'], 'does', 'do')} not (S2NS), and {counted(s['ns2s'], 'becomes', 'become')} so (NS2S).",
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "measure": self.measure,
            "scale": self.campaign.scale,
            "topicwise": self.campaign.topicwise,
            "reason": self.campaign.why,
            "interval_measure": self.campaign.version.measure if self.campaign.version else None,
            "surrogate": self.campaign.surrogate,
            "no_interval": "" if self.campaign.version else self.campaign.no_version,
            "systems": len(self.systems),
            "topics": len(self.campaign.scores.topics),
            "pairs": len(self.first),
            "verdicts": self.verdicts,
            "categories": self.categories,
            "test": self.testing.test,
            "alpha": self.testing.alpha,
            "correction": self.testing.correction,
            "significance": self.significance,
            "order": self.order,
            "rows": self.frame.to_dicts(),
        }

    def __str__(self) -> str:
        return self.text()


def leaderboard_check(
    source: Evaluation | Scores,
    measure: str | Measure | None = None,
    *,
    test: str = "anova2",
    alpha: float = 0.05,
    correction: str = "none",
    scale: Scale | None = None,
    topicwise: bool | None = None,
) -> LeaderboardCheck:
    """Judge for all pairs of systems the claim that one's mean is above the other's.

    `test`, `alpha` and `correction` are those of `compare`, for the significance that stands beside each claim.

    >>> scores = Scores.of([[1, 1 / 2, 0], [1 / 4, 1 / 2, 0]], systems=["A", "B", "C"], measure="RR")
    >>> leaderboard_check(scores).categories["any"], leaderboard_check(scores).categories["depends"]
    (2, 1)
    """
    campaign = campaign_of(source, measure, scale=scale, topicwise=topicwise)
    return check_campaign(campaign, Testing(test, alpha, correction))


def check_campaign(campaign: Campaign, testing: Testing) -> LeaderboardCheck:
    """The same, on a campaign."""
    if campaign.scale == "nominal":
        raise BadParameter("means have no order on a nominal scale; see docs/permissible.md")
    campaign.scores.need(topics=2, systems=2)
    first, second, side = oriented(campaign)
    above = above_all(campaign, first, second, side)
    held = above[first, second]
    significant = _significant(campaign.scores, testing, first, second)
    later = campaign.version
    leads = later.means[first] - later.means[second] if later is not None else None
    meaningful = held | ((side == 0) & alike(campaign)[first, second])
    return LeaderboardCheck(
        campaign=campaign,
        testing=testing,
        first=first,
        second=second,
        difference=np.where(side == 0, 0.0, campaign.scores.means[first] - campaign.scores.means[second]),
        category=_categories(held, side, leads, 0.5 * 10.0**-later.digits if later is not None else 0.0),
        verdict=np.where(meaningful, "meaningful", "depends"),
        interval_difference=leads,
        significant=significant,
        interval_significant=_significant(later, testing, first, second) if later is not None else None,
        above=above,
    )


def oriented(campaign: Campaign) -> tuple[Ints, Ints, Ints]:
    """All pairs with the higher mean first, and 1 where it is higher, 0 for a tie."""
    i, j = campaign.scores.pairs
    means = campaign.scores.means
    gap = means[i] - means[j]
    side = np.sign(gap).astype(np.int64)
    topics = len(campaign.scores.topics)
    for k in np.flatnonzero(np.abs(gap) < NEAR).tolist():
        cells = [(t, int(s), Fraction(w, topics)) for s, w in ((i[k], 1), (j[k], -1)) for t in range(topics)]
        value = sum((w * campaign.unit[campaign.codes[t, s]] for t, s, w in cells), Fraction(0))
        settled = campaign.settled(value, cells)
        side[k] = (settled > 0) - (settled < 0)
    turned = side < 0
    return np.where(turned, j, i), np.where(turned, i, j), np.abs(side)


def above_all(campaign: Campaign, first: Ints, second: Ints, side: Ints) -> Above:
    """Which systems' means are above which on every permissible rescaling, from the pairs as they are oriented."""
    if not as_it_is(campaign):
        return dominance(campaign.codes, topicwise=campaign.topicwise)
    above = np.zeros((len(campaign.scores.systems),) * 2, dtype=bool)
    above[first, second] = side > 0
    return above


def alike(campaign: Campaign) -> Above:
    """Pairs whose means, if they tie, tie on every rescaling: the same scores, topic by topic or in all.

    On one interval scale every tie of means stays one.
    """
    if as_it_is(campaign):
        return np.ones((len(campaign.scores.systems),) * 2, dtype=bool)
    columns = campaign.codes.T if campaign.topicwise else np.sort(campaign.codes, axis=0).T
    return np.array([(column == columns).all(axis=1) for column in columns])


def _significant(scores: Scores, testing: Testing, first: Ints, second: Ints) -> NDArray[np.bool_]:
    """Which pairs differ, in the order of the pairs given."""
    found = testing(scores).comparisons
    matrix = np.zeros((len(scores.systems),) * 2, dtype=bool)
    matrix[found.first, found.second] = matrix[found.second, found.first] = found.significant
    return matrix[first, second]


def _categories(held: NDArray[np.bool_], side: Ints, leads: Floats | None, noise: float) -> Strings:
    if leads is None:
        return np.select([side == 0, held], ["tie", "any"], "depends")
    return np.select([side == 0, held, np.abs(leads) < noise, leads > 0], ["tie", "any", "level", "interval"], "flips")
