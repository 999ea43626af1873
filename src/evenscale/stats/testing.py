"""How pairs of systems are tested: a test, its level, and the correction for the number of pairs, as one value."""

from __future__ import annotations

from dataclasses import dataclass

from evenscale.errors import BadParameter
from evenscale.stats.compare import TESTS, Comparison, compare
from evenscale.stats.matrix import Scores

CORRECTIONS = {
    "none": "",
    "bonferroni": "Bonferroni's correction",
    "holm": "Holm's correction",
    "bh": "Benjamini and Hochberg's correction",
    "by": "Benjamini and Yekutieli's correction",
}
"""The corrections and how a sentence names them."""


@dataclass(frozen=True, slots=True)
class Testing:
    """A test of all pairs; checked when it is made.

    >>> Testing("t", 0.01, "holm").title
    "paired t, Holm's correction"
    >>> Testing("anova2", correction="holm")
    Traceback (most recent call last):
    ...
    evenscale.errors.BadParameter: two-way ANOVA (topic + system), Tukey HSD accounts for the number of pairs already; \
leave out 'holm'
    """

    __test__ = False  # the name is a noun here, not an instruction to pytest

    test: str = "anova2"
    alpha: float = 0.05
    correction: str = "none"

    def __post_init__(self) -> None:
        if self.test not in TESTS:
            raise BadParameter(f"test must be one of {', '.join(TESTS)}, got {self.test!r}")
        if not 0 < self.alpha < 1:
            raise BadParameter(f"alpha must lie in (0, 1), got {self.alpha}")
        if self.correction not in CORRECTIONS:
            raise BadParameter(f"correction must be one of {', '.join(CORRECTIONS)}, got {self.correction!r}")
        if self.joint and self.correction != "none":
            title = TESTS[self.test].title
            raise BadParameter(f"{title} accounts for the number of pairs already; leave out {self.correction!r}")

    @property
    def joint(self) -> bool:
        """Whether the test itself accounts for the number of pairs."""
        return TESTS[self.test].joint

    @property
    def title(self) -> str:
        """The test and its correction, for a sentence."""
        return ", ".join(part for part in (TESTS[self.test].title, CORRECTIONS[self.correction]) if part)

    def __call__(self, scores: Scores) -> Comparison:
        """All pairs of systems compared."""
        return compare(scores, test=self.test, alpha=self.alpha, correction=self.correction)
