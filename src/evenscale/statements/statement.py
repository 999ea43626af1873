"""What every statement is: a value that knows its sentence, the scale it needs, and how to judge itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar

from evenscale.errors import BadParameter
from evenscale.statements.campaign import Campaign
from evenscale.statements.verdict import Computed, Decision, Verdict
from evenscale.stats import TESTS
from evenscale.stats.matrix import Scale, Scores

CHANGES = {"S2NS": "significance is lost (S2NS)", "NS2S": "significance is gained (NS2S)"}
"""What may become of a test's answer on the interval version."""


@dataclass(frozen=True, slots=True)
class TestOf:
    """One pair's result in a test: the statistic's sign as `better`, and p."""

    __test__ = False

    p: float
    better: bool
    significant: bool


@dataclass(frozen=True, kw_only=True)
class Statement(ABC):
    """A sentence about systems that may or may not survive a change of scale.

    `needs` is the least scale type on which it is always meaningful; `help` is one line for the command line.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    needs: ClassVar[Scale]
    help: ClassVar[str]
    pair: ClassVar[bool] = True
    """Whether it speaks of two systems, A and B."""
    shows_p: ClassVar[bool] = False
    """Whether a test of the pair belongs to what is said about the interval version."""

    a: str = ""
    b: str = ""
    test: str = "t"
    alpha: float = 0.05

    def __post_init__(self) -> None:
        if self.pair and self.a == self.b:
            raise BadParameter(f"the two systems must differ, got {self.a!r} twice")
        if self.test not in TESTS:
            raise BadParameter(f"test must be one of {', '.join(TESTS)}, got {self.test!r}")
        if not 0 < self.alpha < 1:
            raise BadParameter(f"alpha must lie in (0, 1), got {self.alpha}")

    @abstractmethod
    def sentence(self, measure: str) -> str:
        """The statement in plain English."""

    @abstractmethod
    def computed(self, campaign: Campaign) -> Computed:
        """The statement on the numbers as they are."""

    @abstractmethod
    def decide(self, campaign: Campaign, computed: Computed) -> Decision:
        """Whether every permissible rescaling agrees, on a scale that is at least ordinal."""

    def check(self, campaign: Campaign) -> None:
        """Raise unless the campaign has what the statement speaks of."""
        for name in (self.a, self.b) if self.pair else ():
            campaign.system(name)

    def judge(self, campaign: Campaign) -> Verdict:
        """The verdict on a campaign."""
        self.check(campaign)
        computed = self.computed(campaign)
        decision = _nothing_but_names(campaign) or self.decide(campaign, computed)
        interval = self.on_interval(campaign)
        return Verdict(
            statement=self.sentence(campaign.measure),
            true_as_computed=computed.true,
            verdict=decision.verdict,
            reason=decision.reason,
            witness=decision.witness,
            interval=interval,
            computed=computed,
            kind=self.name,
            measure=campaign.measure,
            scale=campaign.scale,
            topicwise=campaign.topicwise,
            no_interval="" if interval else campaign.no_version,
        )

    def on_interval(self, campaign: Campaign) -> dict[str, Any] | None:
        """The statement on the interval version, with a test of the pair."""
        version = campaign.on_version()
        if version is None:
            return None
        computed = self.computed(version)
        tested = pair_result(version.scores, self.a, self.b, self.test, self.alpha)
        found = {
            "measure": version.measure,
            "true": computed.true,
            "difference": computed.difference,
            **dict(self.beside(campaign)),
            "test": self.test,
            "p": tested.p if tested else None,
            "significant": tested.significant if tested else None,
            "surrogate": campaign.surrogate,
            "values": dict(computed.values),
        }
        return {"text": self._interval_text(version, computed, found), **found}

    def _interval_text(self, version: Campaign, computed: Computed, found: Mapping[str, Any]) -> str:
        truth = {True: "true", False: "false", None: "neither true nor false"}[computed.true]
        parts = [f"on {version.measure}: {truth} ({computed.shown})"]
        if found["difference"] is not None and isfinite(found["difference"]):
            parts.append(f"difference {found['difference']:.4f}")
        if found["p"] is not None and self.shows_p:
            parts.append(f"{TESTS[found['test']].title} p = {found['p']:.3g}")
        if found.get("change"):
            parts.append(CHANGES[found["change"]])
        if version.surrogate:
            parts.append("a surrogate (docs/scales.md), since topics have no common scale")
        return ", ".join(parts)

    def beside(self, campaign: Campaign) -> Mapping[str, Any]:
        """What else is said about the interval version."""
        return {}


def pair_result(scores: Scores, a: str, b: str, test: str, alpha: float) -> TestOf | None:
    """A test's result for one pair, None where there are too few topics; joint tests are run on all systems."""
    if len(scores.topics) < 2:
        return None
    i, j = scores.systems.index(a), scores.systems.index(b)
    chosen = TESTS[test]
    options: dict[str, Any] = {"alpha": alpha}
    if chosen.resamples:
        options["rng"] = 0
    if not chosen.joint:
        pair = Scores(
            scores.values[:, [i, j]],
            scores.topics,
            (a, b),
            scores.measure,
            scores.scale,
            scores.digits,
            scores.places[:, [i, j]] if scores.places is not None else None,
        )
        found, k, sign = chosen(pair, **options), 0, 1.0
    else:
        found = chosen(scores, **options)
        here = ((found.first == i) & (found.second == j)) | ((found.first == j) & (found.second == i))
        k = int(here.argmax())
        sign = 1.0 if int(found.first[k]) == i else -1.0
    # Signed ranks may differ where their median shift, with many equal topics, is 0; the rank sums tell the side.
    sides = found.effect if test == "signed-rank" else found.difference
    p, lead = float(found.adjusted[k]), sign * float(sides[k])
    return TestOf(p, lead > 0, p <= alpha and lead > 0)


def _nothing_but_names(campaign: Campaign) -> Decision | None:
    if campaign.scale != "nominal":
        return None
    return Decision(
        "inexpressible",
        "a nominal scale only tells scores apart; which of two is the higher has no meaning on it "
        "(see docs/permissible.md)",
    )
