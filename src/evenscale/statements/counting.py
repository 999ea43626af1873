"""Statements that only count topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from evenscale.statements.campaign import Campaign
from evenscale.statements.statement import Statement
from evenscale.statements.verdict import Computed, Decision
from evenscale.stats.matrix import Scale


@dataclass(frozen=True, kw_only=True)
class Topics(Statement):
    """A is better than B on most topics: on more than half of them.

    >>> from evenscale.stats import Scores
    >>> from evenscale.statements.campaign import campaign_of
    >>> scores = Scores.of([[3, 1], [2, 1], [0, 9]], systems=["A", "B"])
    >>> found = Topics(a="A", b="B").judge(campaign_of(scores, topicwise=True))
    >>> found.true_as_computed, found.verdict, found.computed.shown
    (True, 'meaningful', 'better on 2 of 3 topics, worse on 1, equal on 0')
    """

    name: ClassVar[str] = "topics"
    title: ClassVar[str] = "A is better than B on most topics"
    needs: ClassVar[Scale] = "ordinal"
    help: ClassVar[str] = "A is better than B on more than half of the topics"

    def sentence(self, measure: str) -> str:
        return f"{self.a} is better than {self.b} in {measure} on most topics"

    def computed(self, campaign: Campaign) -> Computed:
        a, b = (campaign.codes[:, campaign.system(name)] for name in (self.a, self.b))
        wins, losses = int((a > b).sum()), int((a < b).sum())
        shown = f"better on {wins} of {len(a)} topics, worse on {losses}, equal on {len(a) - wins - losses}"
        return Computed(2 * wins > len(a), {self.a: wins, self.b: losses}, shown, float(wins - losses))

    def decide(self, campaign: Campaign, computed: Computed) -> Decision:
        return Decision(
            "meaningful",
            "which system is better on a topic is a matter of order, which every rescaling of every topic keeps",
        )
