"""Statements that add up scores: means, leads, percentages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from evenscale.errors import BadParameter
from evenscale.statements.bends import Bend, Step, Term, always, bend, steps, stretches
from evenscale.statements.campaign import Campaign
from evenscale.statements.statement import Statement
from evenscale.statements.verdict import Computed, Decision, Witness
from evenscale.stats.matrix import Scale
from evenscale.tables import Cell

SHOWN_ROWS = 8
"""The most rows of a witness's table."""

Cells = list[tuple[int, int, Fraction]]
"""Topic, system and weight of each score in a sum."""


def total_of(campaign: Campaign, cells: Cells) -> Fraction:
    """The sum on values moved to [0, 1]; exactly 0 where only rounding keeps it from that."""
    value = sum((w * campaign.unit[campaign.codes[t, s]] for t, s, w in cells), Fraction(0))
    return campaign.settled(value, cells)


def terms_of(campaign: Campaign, cells: Cells) -> list[Term]:
    """The same as terms on their scales."""
    codes = campaign.codes
    return [Term(t if campaign.topicwise else 0, int(codes[t, s]), w) for t, s, w in cells]


def freedom(campaign: Campaign, terms: Sequence[Term]) -> list[Step]:
    """The directions in which permissible rescalings can move a sum."""
    return steps(terms) if campaign.scale == "ordinal" else stretches(terms, campaign.unit)


def as_it_is(campaign: Campaign) -> bool:
    """Whether there is one interval scale for all topics: only unit and origin may change."""
    return campaign.scale != "ordinal" and not campaign.topicwise


@dataclass(frozen=True, kw_only=True)
class Mean(Statement):
    """The mean of A is above B's.

    >>> from evenscale.stats import Scores
    >>> from evenscale.statements.campaign import campaign_of
    >>> scores = Scores.of([[1, 1 / 2], [1 / 4, 1 / 2]], systems=["A", "B"], measure="RR")
    >>> found = Mean(a="A", b="B").judge(campaign_of(scores))
    >>> found.true_as_computed, found.verdict, found.witness.bend
    (True, 'depends', 0.2)
    """

    name: ClassVar[str] = "mean"
    title: ClassVar[str] = "the mean of A is above B's"
    needs: ClassVar[Scale] = "interval"
    help: ClassVar[str] = "the mean over topics of A is above B's"

    statistic: ClassVar[str] = "mean"
    shows_p: ClassVar[bool] = True

    def weights(self) -> list[tuple[str, Fraction]]:
        """The systems' weights in the sum that is claimed to be above 0."""
        return [(self.a, Fraction(1)), (self.b, Fraction(-1))]

    def parts(self, campaign: Campaign, name: str) -> Cells:
        """The scores that make up a system's statistic."""
        topics, system = len(campaign.scores.topics), campaign.system(name)
        return [(t, system, Fraction(1, topics)) for t in range(topics)]

    def cells(self, campaign: Campaign) -> Cells:
        """The scores that make up the sum."""
        return [(t, s, c * w) for name, c in self.weights() for t, s, w in self.parts(campaign, name)]

    def values(self, campaign: Campaign, turned: Bend | None = None) -> dict[str, float]:
        """Every system's statistic, as it is or rescaled."""
        scale = (lambda t: t) if campaign.topicwise else (lambda t: 0)
        return {
            name: float(
                sum(
                    (
                        w * (turned.rescaled(scale(t), k) if turned else campaign.levels[k])
                        for t, k, w in ((t, int(campaign.codes[t, s]), w) for t, s, w in self.parts(campaign, name))
                    ),
                    Fraction(0),
                )
            )
            for name, _ in self.weights()
        }

    def sentence(self, measure: str) -> str:
        return f"{self.statistic} {measure} of {self.a} is above {self.b}'s"

    def computed(self, campaign: Campaign) -> Computed:
        total = total_of(campaign, self.cells(campaign))
        found = self.values(campaign)
        a, b = found[self.a], found[self.b]
        return Computed(total > 0, found, f"{a:.4f} against {b:.4f}", a - b)

    def decide(self, campaign: Campaign, computed: Computed) -> Decision:
        cells = self.cells(campaign)
        terms, total = terms_of(campaign, cells), total_of(campaign, cells)
        found = freedom(campaign, terms)
        if as_it_is(campaign) or always(found) is not None:
            return Decision("meaningful", self.why(campaign, bool(computed.true)))
        turned = bend(terms, found, campaign.unit, total)
        return Decision("depends", self.why_not(campaign), self.witness(campaign, turned))

    def why(self, campaign: Campaign, true: bool) -> str:
        """Why no rescaling changes it."""
        if as_it_is(campaign):
            return f"{campaign.reason()}, on which differences of means keep their sign"
        if not any(step.total for step in freedom(campaign, terms_of(campaign, self.cells(campaign)))):
            return "the two have the same scores, so they tie on every rescaling"
        better, other = (self.a, self.b) if true else (self.b, self.a)
        if campaign.topicwise:
            return f"{better} scores at least as high as {other} on every topic, so any rescaling of any topic agrees"
        return (
            f"{better} is at least as high as {other} at every place when the scores of both are sorted "
            "(stochastic dominance, see docs/statements.md), so any increasing rescaling agrees"
        )

    def why_not(self, campaign: Campaign) -> str:
        """Why some rescaling changes it."""
        ahead = "neither system is ahead on every topic"
        if campaign.topicwise:
            what = "any increasing rescaling" if campaign.scale == "ordinal" else "any change of unit and origin"
            return f"{campaign.measure} has a scale of its own on every topic, which permits {what} there, and {ahead}"
        return (
            f"{campaign.measure} is only an ordinal scale ({campaign.why}), which permits any increasing rescaling, "
            "and the sorted scores of the two cross"
        )

    def witness(self, campaign: Campaign, turned: Bend) -> Witness:
        """The rescaling as text, numbers and a small table."""
        before, after = self.values(campaign), self.values(campaign, turned)
        how, rows = (_by_topic if campaign.topicwise else _in_common)(campaign, turned, tuple(before))
        text = f"{how}, and the {self.statistic}s become {listed(after)}"
        return Witness(text, before, after, rows, float(turned.least))


@dataclass(frozen=True, kw_only=True)
class Lead(Mean):
    """A's lead over B is more than so many times C's over D.

    >>> from evenscale.stats import Scores
    >>> from evenscale.statements.campaign import campaign_of
    >>> today = Scores.of([[20, 10, 12, 7]], systems=["Rome", "Oslo", "Rome then", "Oslo then"], scale="interval")
    >>> lead = Lead(a="Rome", b="Oslo", c="Rome then", d="Oslo then", times=1.5)
    >>> found = lead.judge(campaign_of(today))
    >>> found.true_as_computed, found.verdict
    (True, 'meaningful')
    """

    name: ClassVar[str] = "lead"
    title: ClassVar[str] = "A's lead over B is more than k times C's over D"
    needs: ClassVar[Scale] = "interval"
    help: ClassVar[str] = "A's lead over B is more than --times that of --over C D"

    shows_p: ClassVar[bool] = False

    c: str = ""
    d: str = ""
    times: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.c == self.d:
            raise BadParameter(f"a lead needs another pair of systems to be set against, got {self.c!r} and {self.d!r}")
        if not 0 < self.times < float("inf"):
            raise BadParameter(f"times must be a number above 0, got {self.times}")

    def check(self, campaign: Campaign) -> None:
        super().check(campaign)
        for name in (self.c, self.d):
            campaign.system(name)

    def weights(self) -> list[tuple[str, Fraction]]:
        k = Fraction(str(self.times))
        return [(self.a, Fraction(1)), (self.b, Fraction(-1)), (self.c, -k), (self.d, k)]

    def sentence(self, measure: str) -> str:
        return (
            f"the lead of {self.a} over {self.b} in mean {measure} is more than {self.times:g} times "
            f"that of {self.c} over {self.d}"
        )

    def computed(self, campaign: Campaign) -> Computed:
        total = total_of(campaign, self.cells(campaign))
        means = self.values(campaign)
        one, other = means[self.a] - means[self.b], means[self.c] - means[self.d]
        return Computed(total > 0, means, f"{one:.4f} against {other:.4f}", one - self.times * other)

    def why(self, campaign: Campaign, true: bool) -> str:
        if as_it_is(campaign):
            return f"{campaign.reason()}, on which differences keep their ratio"
        return "at every score, the systems' numbers of topics from there on say the same, so any rescaling agrees"

    def why_not(self, campaign: Campaign) -> str:
        what = "any change of unit" if campaign.scale != "ordinal" else "any increasing rescaling"
        where = " of any topic" if campaign.topicwise else ""
        return (
            f"{campaign.measure} is {campaign.scale_name()}, which permits {what}{where}; leads grow and shrink with it"
        )


Rows = tuple[dict[str, Cell], ...]


def _in_common(campaign: Campaign, turned: Bend, names: Sequence[str]) -> tuple[str, Rows]:
    """One rescaling for all topics, in words and rows."""
    at = turned.steps[0]
    assert at is not None
    occurring = sorted({int(k) for name in names for k in campaign.codes[:, campaign.system(name)]})
    place = occurring.index(at)
    chosen = sorted({occurring[0], *occurring[max(0, place - 3) : place + 3], occurring[-1]})
    rows: Rows = tuple(
        {campaign.measure: float(campaign.levels[k]), "rescaled": float(turned.rescaled(0, k))} for k in chosen
    )
    text = (
        f"shrink the scale to {float(1 - turned.share):.4g} of its width, then move every score from "
        f"{float(campaign.levels[at]):.4g} on up by {_share(turned)}: the order of all scores stays"
    )
    return text, rows


def _by_topic(campaign: Campaign, turned: Bend, names: Sequence[str]) -> tuple[str, Rows]:
    """A rescaling for each topic, some bent or stretched, the others shrunk."""
    topics, bent = campaign.scores.topics, sorted(turned.steps)
    rows = []
    for t in bent[:SHOWN_ROWS]:
        row: dict[str, Cell] = {"topic": topics[t]}
        for name in names:
            level = int(campaign.codes[t, campaign.system(name)])
            row |= {name: float(campaign.levels[level]), f"{name} rescaled": float(turned.rescaled(t, level))}
        rows.append(row)
    share, rest = _share(turned), f"{float(1 - turned.share):.4g}"
    where = f"on {len(bent)} of {len(topics)} topics"
    text = (
        f"shrink the scale of every topic to {rest} of its width, then {where} move the higher scores up by {share}"
        if campaign.scale == "ordinal"
        else f"shrink the scale to {rest} of its width except {where}"
    )
    return f"{text}: the order within every topic stays", tuple(rows)


def _share(turned: Bend) -> str:
    """How far the scale is bent, and how far it must be at least."""
    return f"{float(turned.share):.4g}" + (f" (it takes {float(turned.least):.2g})" if turned.least else "")


def listed(values: dict[str, float]) -> str:
    """Numbers with the names they belong to.

    >>> listed({"A": 0.5, "B": 0.25})
    '0.5000 (A) and 0.2500 (B)'
    """
    return " and ".join(f"{value:.4f} ({name})" for name, value in values.items())
