"""Statements about places in the order of scores: medians, quantiles, modes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import ClassVar

import numpy as np

from evenscale.errors import BadParameter
from evenscale.statements.averages import SHOWN_ROWS, Cells, Mean, as_it_is, listed
from evenscale.statements.campaign import Campaign
from evenscale.statements.statement import Statement
from evenscale.statements.verdict import Computed, Decision, Witness
from evenscale.stats.matrix import Ints, Scale
from evenscale.tables import Cell


@dataclass(frozen=True, kw_only=True)
class Median(Mean):
    """The median of A is above B's; for an even number of topics the mean of the two middle scores.

    >>> from evenscale.stats import Scores
    >>> from evenscale.statements.campaign import campaign_of
    >>> wine = Scores.of([[6, 3], [6, 3], [12, 3], [17, 12], [32, 50]], systems=["X", "Y"], measure="sweetness")
    >>> found = Median(a="X", b="Y").judge(campaign_of(wine))
    >>> found.true_as_computed, found.verdict
    (True, 'meaningful')
    """

    name: ClassVar[str] = "median"
    title: ClassVar[str] = "the median of A is above B's"
    needs: ClassVar[Scale] = "ordinal"
    help: ClassVar[str] = "the median over topics of A is above B's"
    statistic: ClassVar[str] = "median"
    shows_p: ClassVar[bool] = False

    def places(self, topics: int) -> tuple[int, ...]:
        """Which of the sorted scores are meant, from 0."""
        return ((topics - 1) // 2,) if topics % 2 else (topics // 2 - 1, topics // 2)

    def parts(self, campaign: Campaign, name: str) -> Cells:
        system = campaign.system(name)
        order = np.argsort(campaign.codes[:, system], kind="stable")
        chosen = self.places(len(order))
        return [(int(order[k]), system, Fraction(1, len(chosen))) for k in chosen]

    def decide(self, campaign: Campaign, computed: Computed) -> Decision:
        return (
            self._by_topic(campaign, bool(computed.true)) if campaign.topicwise else super().decide(campaign, computed)
        )

    def why(self, campaign: Campaign, true: bool) -> str:
        if as_it_is(campaign):
            return f"{campaign.reason()}, on which {self.statistic}s keep their order"
        if len(self.places(len(campaign.scores.topics))) == 1:
            return f"a {self.statistic} is one of the scores, and every increasing rescaling keeps the order of scores"
        return "both middle scores of the one are at least those of the other, so any increasing rescaling agrees"

    def why_not(self, campaign: Campaign) -> str:
        return (
            f"{campaign.measure} is only an ordinal scale ({campaign.why}); with an even number of topics the median "
            "is the mean of the two middle scores, and those of the one lie inside those of the other"
        )

    def _by_topic(self, campaign: Campaign, true: bool) -> Decision:
        """With a scale for each topic, any topic can be moved to the middle.

        All topics better leave no choice: then every place of the sorted scores is better. One topic that is equal
        makes one place equal, if it is moved there; so true for all means better on all, up to one equal topic where
        two places are averaged. False for all means better on none.
        """
        a, b = (campaign.codes[:, campaign.system(name)] for name in (self.a, self.b))
        wins, losses, ties = (np.flatnonzero(chosen) for chosen in (a > b, a < b, a == b))
        spare = len(self.places(len(a))) - 1
        if not len(wins):
            return Decision("meaningful", f"{self.a} is better on no topic, so no rescaling of topics puts it ahead")
        if not len(losses) and len(ties) <= spare:
            return Decision("meaningful", f"{self.a} is better on every topic, so any rescaling of any topic agrees")
        middle = [*losses, *ties, *wins] if true else [*wins, *ties, *losses]
        if true and not len(losses):
            middle = [*ties]
        witness = self._moved(campaign, a, b, [int(t) for t in middle[: spare + 1]], not true)
        return Decision(
            "depends",
            f"{campaign.measure} has a scale of its own on every topic, so any topic can be rescaled into the middle, "
            f"and {self.a} is not better on all topics and {self.b} not at least as good on all",
            witness,
        )

    def _moved(self, campaign: Campaign, a: Ints, b: Ints, middle: Sequence[int], true: bool) -> Witness:
        """Topics in bands that do not overlap, these in the middle ones; checked by recomputation."""
        others = [t for t in range(len(a)) if t not in middle]
        below = self.places(len(a))[0]
        bands = {t: place for place, t in enumerate([*others[:below], *middle, *others[below:]])}
        unit = campaign.unit
        gap = abs(unit[a[middle[0]]] - unit[b[middle[0]]])
        width = dict.fromkeys(bands, Fraction(1, 2))
        for t in middle[1:]:  # a second one must not outweigh the first
            width[t] = min(Fraction(1, 2), gap / 4) if gap else Fraction(1, 2)
        new = {
            name: [(bands[t] + width[t] * unit[k]) / len(a) for t, k in enumerate(codes.tolist())]
            for name, codes in ((self.a, a), (self.b, b))
        }
        places = self.places(len(a))
        after = {name: sum((sorted(v)[k] for k in places), Fraction(0)) / len(places) for name, v in new.items()}
        if (after[self.a] > after[self.b]) != true:
            raise ValueError("the rescaling does not do what it was made for")
        shown = sorted(bands, key=lambda t: abs(bands[t] - below))[:SHOWN_ROWS]
        rows: tuple[dict[str, Cell], ...] = tuple(
            {
                "topic": campaign.scores.topics[t],
                self.a: float(campaign.levels[a[t]]),
                f"{self.a} rescaled": float(new[self.a][t]),
                self.b: float(campaign.levels[b[t]]),
                f"{self.b} rescaled": float(new[self.b][t]),
            }
            for t in sorted(shown, key=bands.__getitem__)
        )
        floats = {name: float(value) for name, value in after.items()}
        names = " and ".join(campaign.scores.topics[t] for t in middle)
        text = (
            f"rescale every topic into a band of its own, with topic {names} in the middle: the order within every "
            f"topic stays, and the {self.statistic}s become {listed(floats)}"
        )
        return Witness(text, self.values(campaign), floats, rows)


@dataclass(frozen=True, kw_only=True)
class Quantile(Median):
    """A quantile of A is above B's: the lowest score that at least this share of topics does not exceed."""

    name: ClassVar[str] = "quantile"
    title: ClassVar[str] = "a quantile of A is above B's"
    help: ClassVar[str] = "the quantile --at Q of A's scores is above B's"
    statistic: ClassVar[str] = "quantile"

    at: float = 0.25

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.at < 1:
            raise BadParameter(f"a quantile lies in (0, 1), got {self.at}")

    def places(self, topics: int) -> tuple[int, ...]:
        return (ceil(Fraction(str(self.at)) * topics) - 1,)

    def sentence(self, measure: str) -> str:
        return f"the {self.at:g} quantile of {measure} of {self.a} is above {self.b}'s"


@dataclass(frozen=True, kw_only=True)
class Mode(Statement):
    """The most frequent score of A is above B's; where several are, all of A's above all of B's."""

    name: ClassVar[str] = "mode"
    title: ClassVar[str] = "the most frequent score of A is above B's"
    needs: ClassVar[Scale] = "ordinal"
    help: ClassVar[str] = "the most frequent score of A is above B's"

    def sentence(self, measure: str) -> str:
        return f"the most frequent {measure} of {self.a} is above {self.b}'s"

    def modes(self, campaign: Campaign, name: str) -> list[int]:
        """The levels that occur most often, ascending."""
        counts = Counter(campaign.codes[:, campaign.system(name)].tolist())
        return sorted(level for level, n in counts.items() if n == max(counts.values()))

    def computed(self, campaign: Campaign) -> Computed:
        a, b = self.modes(campaign, self.a), self.modes(campaign, self.b)
        lowest, highest = float(campaign.levels[a[0]]), float(campaign.levels[b[-1]])
        more = [f"{name} has {len(found)}" for name, found in ((self.a, a), (self.b, b)) if len(found) > 1]
        shown = f"{lowest:.4f} against {highest:.4f}" + (
            f"; {' and '.join(more)} equally frequent ones" if more else ""
        )
        return Computed(a[0] > b[-1], {self.a: lowest, self.b: highest}, shown, lowest - highest)

    def decide(self, campaign: Campaign, computed: Computed) -> Decision:
        if campaign.topicwise:
            return Decision(
                "inexpressible",
                f"{campaign.measure} has a scale of its own on every topic, so equal scores of different topics "
                "are not the same and cannot be counted together",
            )
        several = any(len(self.modes(campaign, name)) > 1 for name in (self.a, self.b))
        ties = (
            "; several scores are equally frequent, so all of the one were set against all of the other"
            if several
            else ""
        )
        return Decision(
            "meaningful", f"counting needs no more than equality, and every increasing rescaling keeps the order{ties}"
        )
