"""Is A significantly better than B, whatever the scale?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from evenscale.statements.campaign import Campaign
from evenscale.statements.candidates import Candidate, candidates, rises
from evenscale.statements.extremes import extreme_t, most_by_topic, signed_rank_always
from evenscale.statements.needs import POOLED, WITHIN_TOPICS
from evenscale.statements.statement import Statement, TestOf, pair_result
from evenscale.statements.verdict import Computed, Decision, Witness
from evenscale.stats import TESTS, Scores
from evenscale.stats.matrix import Ints, Scale
from evenscale.tables import Cell

OF_MEANS = ("anova2", "anova1", "scheffe", "tukey-random", "t", "randomisation", "bootstrap")
"""Tests that say "better" where the mean is higher."""
CLEAR = 1e-6
"""A bound this close to the critical value proves nothing: floats made it."""


@dataclass(frozen=True, kw_only=True)
class Significant(Statement):
    """A is significantly better than B under a test, at level alpha, two-sided.

    >>> from evenscale.stats import Scores
    >>> from evenscale.statements.campaign import campaign_of
    >>> scores = Scores.of([[3, 1], [2, 1], [5, 4], [7, 3], [9, 8], [6, 2]], systems=["A", "B"])
    >>> Significant(a="A", b="B", test="sign").judge(campaign_of(scores)).verdict
    'meaningful'
    """

    name: ClassVar[str] = "significant"
    title: ClassVar[str] = "A is significantly better than B"
    needs: ClassVar[Scale] = "interval"
    help: ClassVar[str] = "A is significantly better than B under --test at --alpha"

    def sentence(self, measure: str) -> str:
        how = f"{TESTS[self.test].title}, alpha = {self.alpha:g}"
        return f"{self.a} is significantly better than {self.b} in {measure} ({how})"

    def check(self, campaign: Campaign) -> None:
        super().check(campaign)
        campaign.scores.need(topics=2)

    def computed(self, campaign: Campaign) -> Computed:
        found = pair_result(campaign.scores, self.a, self.b, self.test, self.alpha)
        assert found is not None
        means = {name: float(campaign.scores.means[campaign.system(name)]) for name in (self.a, self.b)}
        shown = f"p = {found.p:.3g}, means {means[self.a]:.4f} and {means[self.b]:.4f}"
        return Computed(found.significant, {"p": found.p, **means}, shown, means[self.a] - means[self.b])

    def beside(self, campaign: Campaign) -> Mapping[str, Any]:
        """Whether significance is lost (S2NS) or gained (NS2S) on the interval version."""
        assert campaign.version is not None
        before, after = (
            pair_result(s, self.a, self.b, self.test, self.alpha) for s in (campaign.scores, campaign.version)
        )
        assert before is not None and after is not None
        words = {(True, False): "S2NS", (False, True): "NS2S"}
        return {"change": words.get((before.significant, after.significant))}

    def decide(self, campaign: Campaign, computed: Computed) -> Decision:
        proof = self.proof(campaign)
        if proof:
            return Decision("meaningful", proof)
        tried = 0
        test = TESTS[self.test]
        kind = "resampled" if test.resamples else "joint" if test.joint else "quick"
        for candidate in candidates(campaign, campaign.system(self.a), campaign.system(self.b), kind):
            tried += 1
            found = pair_result(candidate.scores, self.a, self.b, self.test, self.alpha)
            if found and found.significant != computed.true and rises(campaign, candidate.scores):
                return Decision("depends", self.why_not(campaign), self.witness(campaign, candidate, found, computed))
        reason = (
            f"{self.why_not(campaign)}; no witness was found: {tried} rescalings tried, and no proof that none exists"
        )
        return Decision("depends", reason)

    def why_not(self, campaign: Campaign) -> str:
        """Why the test asks too much of the scale."""
        needs = "an interval scale" if self.test not in POOLED else "one scale for all topics"
        also = " common to all topics" if campaign.topicwise and self.test not in POOLED else ""
        return (
            f"the {TESTS[self.test].title} test needs {needs}{also}, and {campaign.measure} is {campaign.scale_name()}"
        )

    def proof(self, campaign: Campaign) -> str:
        """Why no rescaling changes the test's answer; empty where there is no proof."""
        if self.test in WITHIN_TOPICS:
            return "the test looks at the order within topics only, which every rescaling of every topic keeps"
        if not campaign.topicwise and campaign.scale in ("interval", "ratio"):
            return f"{campaign.reason()}, and the test does not change with unit and origin"
        if not campaign.topicwise and self.test in POOLED:
            return "the test looks at the order of scores only, which every increasing rescaling keeps"
        codes = campaign.codes[:, [campaign.system(self.a), campaign.system(self.b)]]
        if self.test in OF_MEANS and not _reaches(codes, campaign.topicwise):
            return f"no rescaling puts the mean of {self.a} above {self.b}'s, so {self.a} is never better"
        bounded = {"t": self._bounded_t, "signed-rank": self._bounded_ranks}.get(self.test)
        return bounded(campaign) if bounded else ""

    def _bounded_ranks(self, campaign: Campaign) -> str:
        """What the numbers of wins and losses alone say about signed ranks."""
        a, b = (campaign.codes[:, campaign.system(name)] for name in (self.a, self.b))
        wins, losses = int((a > b).sum()), int((a < b).sum())
        always = signed_rank_always(wins, losses, self.alpha)
        if always is None:
            return ""
        said = "enough" if always else "not enough"
        return f"{wins} wins and {losses} losses are {said} for this test, whatever their sizes"

    def _bounded_t(self, campaign: Campaign) -> str:
        """Bounds of t over all rescalings against the critical value."""
        from scipy.special import stdtrit

        a, b = (campaign.codes[:, campaign.system(name)] for name in (self.a, self.b))
        critical = float(-stdtrit(len(a) - 1, self.alpha / 2))
        if campaign.topicwise:
            most = most_by_topic(int((a > b).sum()), len(a))
            least = -np.inf
        else:
            bounds = extreme_t(a, b)
            most, least = bounds.greatest, bounds.least
        if most < critical - CLEAR:
            return f"t stays below {critical:.3f}, where significance begins, on every rescaling: at most {most:.3f}"
        if least > critical + CLEAR:
            return f"t stays above {critical:.3f}, where significance begins, on every rescaling: at least {least:.3f}"
        return ""

    def witness(self, campaign: Campaign, candidate: Candidate, found: TestOf, computed: Computed) -> Witness:
        """The rescaling that changed the answer."""
        new = candidate.scores
        i, j = campaign.system(self.a), campaign.system(self.b)
        after = {"p": found.p, self.a: float(new.means[i]), self.b: float(new.means[j])}
        means = f"{after[self.a]:.4f} and {after[self.b]:.4f}"
        side = f" in favour of {self.a if found.better else self.b}" if found.p <= self.alpha else ""
        text = f"{candidate.text}, under which p becomes {found.p:.3g}{side} and the means {means}"
        rows = self._topics(campaign, new, i, j) if campaign.topicwise else self._levels(campaign, new, i, j)
        return Witness(text, dict(computed.values), after, rows)

    def _levels(self, campaign: Campaign, new: Scores, i: int, j: int) -> tuple[dict[str, Cell], ...]:
        codes, values = campaign.codes[:, [i, j]].reshape(-1), new.values[:, [i, j]].reshape(-1)
        level, first = np.unique(codes, return_index=True)
        chosen = np.unique(np.linspace(0, len(level) - 1, 8).round().astype(int))
        return tuple(
            {campaign.measure: float(campaign.levels[level[k]]), "rescaled": float(values[first[k]])} for k in chosen
        )

    def _topics(self, campaign: Campaign, new: Scores, i: int, j: int) -> tuple[dict[str, Cell], ...]:
        old = campaign.scores
        return tuple(
            {
                "topic": old.topics[t],
                self.a: float(old.values[t, i]),
                f"{self.a} rescaled": float(new.values[t, i]),
                self.b: float(old.values[t, j]),
                f"{self.b} rescaled": float(new.values[t, j]),
            }
            for t in range(min(8, len(old.topics)))
        )


def _reaches(codes: Ints, topicwise: bool) -> bool:
    """Whether some rescaling puts the first system's mean above the second's."""
    columns = codes if topicwise else np.sort(codes, axis=0)
    return bool((columns[:, 0] > columns[:, 1]).any())
