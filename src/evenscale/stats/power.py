"""Power, and how many topics an experiment needs: the paired t-test, one-way ANOVA, and confidence intervals.

Powers are exact under the model (noncentral t and F). Topic set sizes follow Sakai (2016), "Topic set size design": the
smallest number of topics that reaches the wanted power for the smallest difference worth finding, or keeps the expected
width of a confidence interval below a cap. Sakai's spreadsheets approximate the noncentral F; here it is evaluated, so
that sizes may differ from his by a topic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import exp, lgamma, log, sqrt
from typing import Any, TypeAlias, get_args

import numpy as np
import polars as pl

from evenscale.errors import BadParameter
from evenscale.results import Result
from evenscale.stats.matrix import Floats, Scale, Scores
from evenscale.stats.result import Alternative
from evenscale.tables import Table

Settings: TypeAlias = Mapping[str, float | str]

MOST = 10_000_000
"""Topics beyond which no experiment goes: a design that needs more is refused."""


@dataclass(frozen=True, eq=False)
class TopicSetSize(Result):
    """How many topics a design needs.

    `achieved` is the power (or the expected width of the interval) with that many topics, `wanted` what was asked for;
    with one topic less it would be missed. `settings` holds what the design assumes.
    """

    method: str
    topics: int
    goal: str
    wanted: float
    achieved: float
    settings: Settings = field(default_factory=dict)
    needs: Scale = "interval"

    @property
    def frame(self) -> pl.DataFrame:
        """One row."""
        return pl.DataFrame(
            [{"topics": self.topics, "goal": self.goal, "wanted": self.wanted, "achieved": self.achieved}]
        )

    def table(self) -> Table:
        """What is assumed, and the answer."""
        rows = [*self.settings.items(), (f"wanted {self.goal}", self.wanted), (f"achieved {self.goal}", self.achieved)]
        shown = [(name, value if isinstance(value, str) else f"{value:.6g}") for name, value in rows]
        return Table(["", "value"], [*shown, ("topics", str(self.topics))], title=self.method, strong={(len(rows), 1)})

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"method": self.method, "needs": self.needs, "settings": dict(self.settings), **self.frame.to_dicts()[0]}


@dataclass(frozen=True, eq=False)
class Power(Result):
    """The power of a test with given numbers of topics, one value for each."""

    method: str
    topics: tuple[int, ...]
    values: Floats
    settings: Settings = field(default_factory=dict)
    needs: Scale = "interval"

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per number of topics."""
        return pl.DataFrame(
            {"topics": self.topics, "power": self.values}, schema={"topics": pl.Int64, "power": pl.Float64}
        )

    def table(self) -> Table:
        """Topics and power."""
        return Table(["topics", "power"], list(self.frame.iter_rows()), title=self.method)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        rows = self.frame.to_dicts()
        return {"method": self.method, "needs": self.needs, "settings": dict(self.settings), "powers": rows}


def t_power(effect: float, topics: int, *, alpha: float = 0.05, alternative: Alternative = "two-sided") -> float:
    """Power of the paired t-test; `effect` is the mean difference over the standard deviation of the differences.

    >>> round(t_power(0.5, 50), 4), round(t_power(0.5, 50, alternative="greater"), 4), round(t_power(0, 50), 4)
    (0.9339, 0.9672, 0.05)
    """
    from scipy.special import ncfdtr, nctdtr, stdtrit

    _check(alpha, topics)
    if not np.isfinite(effect):
        raise BadParameter(f"the effect must be finite, got {effect}")
    if alternative not in get_args(Alternative):
        raise BadParameter(f"alternative must be one of {', '.join(get_args(Alternative))}, got {alternative!r}")
    df, shift = topics - 1, effect * sqrt(topics)
    if alternative == "two-sided":
        # t squared is F: both tails at once, and free of the noncentral t's trouble far from its mode.
        return float(1 - ncfdtr(1, df, shift**2, stdtrit(df, 1 - alpha / 2) ** 2))
    # P(T > c) is P(-T < -c), a lower tail. Where SciPy has no number for it and the effect points the other way, the
    # power is below what a double can tell from 0.
    tail = float(nctdtr(df, -shift if alternative == "greater" else shift, stdtrit(df, alpha)))
    return 0.0 if np.isnan(tail) and (shift < 0) == (alternative == "greater") else tail


def t_topics(effect: float, power: float = 0.8, *, alpha: float = 0.05, alternative: Alternative = "two-sided") -> int:
    """The fewest topics with which the paired t-test reaches a power.

    >>> t_topics(0.5), t_topics(0.2)
    (34, 199)
    """
    _check_power(power, alpha)
    if effect == 0 or (effect < 0 and alternative == "greater") or (effect > 0 and alternative == "less"):
        raise BadParameter(f"no number of topics gives the power {power:g} for an effect of {effect:g} ({alternative})")
    return _fewest(lambda m: t_power(effect, m, alpha=alpha, alternative=alternative) >= power)


def anova_power(span: float, variance: float, systems: int, topics: int, *, alpha: float = 0.05) -> float:
    """Power of one-way ANOVA where the best and the worst system's means differ by `span`.

    The least power that this difference allows (Sakai 2016): the other systems lie halfway between the two. `variance`
    is that of scores within a system.

    >>> round(anova_power(0.1, 0.05, 10, 100), 4)
    0.5595
    """
    from scipy.special import fdtri, ncfdtr

    _check(alpha, topics)
    _check_positive(span=span, variance=variance)
    if systems < 2:
        raise BadParameter(f"systems must be at least 2, got {systems}")
    between, within = systems - 1, systems * (topics - 1)
    return float(1 - ncfdtr(between, within, topics * span**2 / (2 * variance), fdtri(between, within, 1 - alpha)))


def anova_topics(span: float, variance: float, systems: int, power: float = 0.8, *, alpha: float = 0.05) -> int:
    """The fewest topics with which one-way ANOVA reaches a power (Sakai 2016).

    >>> anova_topics(0.1, 0.05, 10)
    158
    """
    _check_power(power, alpha)
    return _fewest(lambda m: anova_power(span, variance, systems, m, alpha=alpha) >= power)


def interval_width(variance: float, topics: int, *, alpha: float = 0.05) -> float:
    """The expected width of the t confidence interval for a mean difference whose variance is given (Sakai 2016).

    The mean of the sample's standard deviation is below the true one; the ratio of gamma functions says by how much.

    >>> round(interval_width(0.1, 50), 4)
    0.1788
    """
    from scipy.special import stdtrit

    _check(alpha, topics)
    _check_positive(variance=variance)
    df = topics - 1
    bias = exp(lgamma((df + 1) / 2) - lgamma(df / 2) + 0.5 * log(2 / df))
    return float(2 * stdtrit(df, 1 - alpha / 2) * bias * sqrt(variance / topics))


def interval_topics(width: float, variance: float, *, alpha: float = 0.05) -> int:
    """The fewest topics that keep the expected width of the interval within `width` (Sakai 2016).

    >>> interval_topics(0.1, 0.1)
    156
    """
    _check_positive(width=width)
    return _fewest(lambda m: interval_width(variance, m, alpha=alpha) <= width)


def pilot_variance(scores: Scores) -> float:
    """The variance of scores within systems, pooled: what Sakai (2016) plans the next experiment with.

    For the variance of the differences between two systems he takes twice this, as if their scores were independent;
    the topics they share make it smaller, so that the plan errs on the safe side.

    >>> pilot_variance(Scores.of([[0.0, 1.0], [1.0, 2.0]]))
    0.5
    """
    scores.need(topics=2, systems=1)
    return float(scores.values.var(axis=0, ddof=1).mean())


def power_of_t(
    difference: float,
    variance: float,
    topics: Sequence[int],
    *,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> Power:
    """Power of the paired t-test for a difference of means, given the variance of the differences between topics.

    >>> print(power_of_t(0.05, 0.02, [25, 50]))
    Power of the paired t-test
    <BLANKLINE>
    topics   power
        25  0.3964
        50  0.6882
    """
    _check_positive(variance=variance)
    settings: Settings = {"difference": difference, "variance": variance, "alpha": alpha, "alternative": alternative}
    effect = difference / sqrt(variance)
    values = np.array([t_power(effect, m, alpha=alpha, alternative=alternative) for m in topics])
    return Power("Power of the paired t-test", tuple(topics), values, settings)


def power_of_anova(span: float, variance: float, systems: int, topics: Sequence[int], *, alpha: float = 0.05) -> Power:
    """Power of one-way ANOVA (Sakai 2016); see `anova_power`."""
    settings: Settings = {"range": span, "variance": variance, "systems": systems, "alpha": alpha}
    values = np.array([anova_power(span, variance, systems, m, alpha=alpha) for m in topics])
    return Power("Power of one-way ANOVA", tuple(topics), values, settings)


def design_for_t(
    difference: float,
    variance: float,
    power: float = 0.8,
    *,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> TopicSetSize:
    """The topics that the paired t-test needs to find a difference of means, given the variance of the differences.

    >>> design_for_t(0.05, 0.02).topics
    65
    """
    _check_positive(variance=variance)
    effect = difference / sqrt(variance)
    topics = t_topics(effect, power, alpha=alpha, alternative=alternative)
    settings: Settings = {"difference": difference, "variance": variance, "alpha": alpha, "alternative": alternative}
    achieved = t_power(effect, topics, alpha=alpha, alternative=alternative)
    return TopicSetSize("Topics for the paired t-test", topics, "power", power, achieved, settings)


def design_for_anova(
    span: float, variance: float, systems: int, power: float = 0.8, *, alpha: float = 0.05
) -> TopicSetSize:
    """The topics that one-way ANOVA needs to find that the best and the worst system differ by `span` (Sakai 2016).

    >>> print(design_for_anova(0.1, 0.05, 10))
    Topics for one-way ANOVA
    <BLANKLINE>
                    value
    range           0.1
    variance        0.05
    systems         10
    alpha           0.05
    wanted power    0.8
    achieved power  0.80202
    topics          158
    """
    topics = anova_topics(span, variance, systems, power, alpha=alpha)
    settings: Settings = {"range": span, "variance": variance, "systems": systems, "alpha": alpha}
    achieved = anova_power(span, variance, systems, topics, alpha=alpha)
    return TopicSetSize("Topics for one-way ANOVA", topics, "power", power, achieved, settings)


def design_for_interval(width: float, variance: float, *, alpha: float = 0.05) -> TopicSetSize:
    """The topics that keep the interval for a mean difference narrow (Sakai 2016).

    >>> design_for_interval(0.1, 0.1).topics
    156
    """
    topics = interval_topics(width, variance, alpha=alpha)
    achieved = interval_width(variance, topics, alpha=alpha)
    settings: Settings = {"variance": variance, "alpha": alpha}
    return TopicSetSize("Topics for a confidence interval", topics, "width", width, achieved, settings)


def _fewest(enough: Callable[[int], bool]) -> int:
    """The fewest topics, two or more, that are enough; more topics never do worse."""
    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST:
            raise BadParameter(f"more than {MOST // 2} topics would be needed; ask for less")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _check(alpha: float, topics: int) -> None:
    if not 0 < alpha < 1:
        raise BadParameter(f"alpha must lie in (0, 1), got {alpha}")
    if topics < 2:
        raise BadParameter(f"topics must be at least 2, got {topics}")


def _check_power(power: float, alpha: float) -> None:
    if not 0 < power < 1:
        raise BadParameter(f"power must lie in (0, 1), got {power}")
    _check(alpha, 2)


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if not (np.isfinite(value) and value > 0):
            raise BadParameter(f"{name} must be positive, got {value}")
