"""Analysis of variance of scores: how much of what varies is topics, systems, or neither.

The two-way model, score = mean + topic + system + error, is the one for systems run on the same topics; the one-way
model leaves the topics in the error.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import polars as pl

from evenscale.errors import BadParameter
from evenscale.results import Result
from evenscale.stats import studentised
from evenscale.stats.matrix import Floats, Scores
from evenscale.tables import Table

Model: TypeAlias = Literal["one-way", "two-way"]

SIZES = ((0.14, "large"), (0.06, "medium"), (0.01, "small"))
"""Thresholds for omega squared after Cohen (1988)."""


@dataclass(frozen=True)
class Source:
    """One line of the table. Error and total have no F, p and omega squared (NaN); the total has no mean square.

    `omega2` is the partial omega squared, df (F - 1) / (df (F - 1) + N): the share of variance in the population that
    the source explains once the others are set aside; negative where it explains less than chance would.
    """

    source: str
    ss: float
    df: int
    ms: float = math.nan
    f: float = math.nan
    p: float = math.nan
    omega2: float = math.nan

    @property
    def size(self) -> str:
        """Omega squared in words.

        >>> Source("system", 1.0, 1, omega2=0.1).size, Source("error", 1.0, 1).size
        ('medium', '')
        """
        if math.isnan(self.omega2):
            return ""
        return next((word for least, word in SIZES if self.omega2 >= least), "negligible")


@dataclass(frozen=True)
class Check:
    """An assumption held against the data. A small p speaks against it; nothing here stops a test."""

    assumption: str
    test: str
    statistic: float
    p: float


@dataclass(frozen=True, eq=False)
class MarginalMeans(Result):
    """The systems' means with simultaneous intervals: two systems differ where their intervals do not overlap."""

    systems: tuple[str, ...]
    means: Floats
    half_width: float
    alpha: float
    measure: str = ""

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per system, in the order they were given."""
        low, high = self.means - self.half_width, self.means + self.half_width
        return pl.DataFrame({"system": list(self.systems), "mean": self.means, "low": low, "high": high})

    def table(self) -> Table:
        """The best system first."""
        rows = self.frame.sort("mean", descending=True, maintain_order=True).rows()
        title = f"Means and {1 - self.alpha:.0%} intervals (Tukey), half-width {self.half_width:.4f}"
        return Table(["system", self.measure or "mean", "low", "high"], rows, title=title)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        head = {"measure": self.measure, "alpha": self.alpha, "half_width": self.half_width}
        return {**head, "means": self.frame.to_dicts()}


@dataclass(frozen=True, eq=False)
class AnovaTable(Result):
    """An analysis of variance: sources (topic, system), then error and total."""

    model: Model
    systems: tuple[str, ...]
    topics: int
    sources: tuple[Source, ...]
    means: Floats
    residuals: Floats
    measure: str = ""

    @property
    def mse(self) -> float:
        """The error mean square."""
        return self["error"].ms

    @property
    def df(self) -> int:
        """The error degrees of freedom."""
        return self["error"].df

    def __getitem__(self, source: str) -> Source:
        for row in self.sources:
            if row.source == source:
                return row
        raise BadParameter(f"no source {source!r}; there are {', '.join(row.source for row in self.sources)}")

    def marginal_means(self, alpha: float = 0.05) -> MarginalMeans:
        """The systems' means, with intervals that do not overlap exactly where Tukey's HSD test finds a difference."""
        check_alpha(alpha)
        critical = float(studentised.isf(alpha, len(self.systems), self.df))
        half_width = critical * math.sqrt(self.mse / self.topics) / 2.0
        return MarginalMeans(self.systems, self.means, half_width, alpha, self.measure)

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """The model's assumptions held against its residuals."""
        normal, equal = anderson_darling(self.residuals.reshape(-1)), brown_forsythe(self.residuals)
        return (
            Check("errors are normal", "Anderson-Darling", *normal),
            Check("systems have equal error variances", "Brown-Forsythe", *equal),
        )

    def warnings(self, alpha: float = 0.05) -> tuple[str, ...]:
        """What the checks speak against at level alpha, for a person to weigh."""
        return tuple(
            f"{check.test} speaks against the assumption that {check.assumption} (p = {check.p:.2g})"
            for check in self.checks
            if check.p <= alpha
        )

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per source."""
        rows = [(r.source, r.ss, r.df, r.ms, r.f, r.p, r.omega2, r.size or None) for r in self.sources]
        floats = dict.fromkeys(("ms", "f", "p", "omega2"), pl.Float64)
        schema = {"source": pl.String, "ss": pl.Float64, "df": pl.Int64, **floats, "size": pl.String}
        return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col(*floats).fill_nan(None))

    def table(self) -> Table:
        """The usual layout."""
        rows = [(r.source, r.ss, r.df, r.ms, r.f, _shown_p(r), r.omega2, r.size or None) for r in self.sources]
        return Table(["source", "SS", "df", "MS", "F", "p", "omega²", "size"], rows, title=f"ANOVA, {self.model}")

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "test": f"{self.model} ANOVA",
            "measure": self.measure,
            "sources": [_plain(row) for row in self.frame.to_dicts()],
            "checks": [_plain(asdict(check)) for check in self.checks],
        }


def anova1(scores: Scores) -> AnovaTable:
    """One-way analysis: systems against all the rest, topics included.

    >>> print(anova1(Scores.of([[0.1, 0.3], [0.2, 0.5], [0.1, 0.6]])))
    ANOVA, one-way
    <BLANKLINE>
    source      SS  df      MS        F  p      omega²  size
    system  0.1667   1  0.1667  12.5000  0.024  0.6571  large
    error   0.0533   4  0.0133        -  -           -  -
    total   0.2200   5       -        -  -           -  -
    """
    return _anova(scores, "one-way")


def anova2(scores: Scores) -> AnovaTable:
    """Two-way analysis, topics and systems without interaction.

    >>> table = anova2(Scores.of([[0.1, 0.3], [0.2, 0.5], [0.1, 0.6]]))
    >>> [f"{row.source} {row.ss:.4f} {row.df}" for row in table.sources]
    ['topic 0.0300 2', 'system 0.1667 1', 'error 0.0233 2', 'total 0.2200 5']
    """
    return _anova(scores, "two-way")


def noise(values: Floats) -> float:
    """What rounding alone may leave of a difference of means that is zero."""
    return float(16 * np.finfo(np.float64).eps * np.abs(values).max())


def check_alpha(alpha: float) -> None:
    """Raise unless alpha is a level."""
    if not 0 < alpha < 1:
        raise BadParameter(f"alpha must lie in (0, 1), got {alpha}")


def _anova(scores: Scores, model: Model) -> AnovaTable:
    """Sums of squares of effects, never differences of large sums.

    Effects or residuals that are rounding noise throughout count as zero: scores that fit exactly have no error.
    """
    scores.need()
    m, n = scores.values.shape
    least = noise(scores.values)
    centred = scores.values - scores.values.mean()
    system = _cleaned(centred.mean(axis=0), least)
    topic = _cleaned(centred.mean(axis=1), least) if model == "two-way" else np.zeros(m)
    residuals = _cleaned(centred - system - topic[:, None], least)
    effects = [("system", m * float(system @ system), n - 1)]
    if model == "two-way":
        effects.insert(0, ("topic", n * float(topic @ topic), m - 1))
    ss, df = float((residuals**2).sum()), m * n - 1 - sum(d for _, _, d in effects)
    rows = [_source(name, s, d, ss / df, df, m * n) for name, s, d in effects]
    rows.append(Source("error", ss, df, ss / df))
    rows.append(Source("total", math.fsum(row.ss for row in rows), m * n - 1))
    return AnovaTable(model, scores.systems, m, tuple(rows), scores.means, residuals, scores.measure)


def _source(name: str, ss: float, df: int, mse: float, error_df: int, count: int) -> Source:
    """An effect against the error. Without any error, an effect has p = 0 and omega² = 1, and no effect p = 1."""
    from scipy.special import fdtrc

    ms = ss / df
    if mse == 0.0:
        return Source(name, ss, df, ms, *((math.inf, 0.0, 1.0) if ss > 0 else (math.nan, 1.0, math.nan)))
    f = ms / mse
    gain = df * (f - 1.0)
    return Source(name, ss, df, ms, f, float(fdtrc(df, error_df, f)), gain / (gain + count))


def _cleaned(effects: Floats, least: float) -> Floats:
    return np.zeros_like(effects) if np.abs(effects).max() <= least else np.asarray(effects)


def anderson_darling(residuals: Floats) -> tuple[float, float]:
    """A² for normality with mean and variance estimated, and p after D'Agostino and Stephens (1986, Table 4.9).

    Shapiro and Wilk's p is not calibrated beyond 5,000 residuals, which a campaign soon has. NaN where nothing varies,
    and below eight residuals, where the approximation of p does not hold.
    """
    from scipy.special import log_ndtr

    n, deviation = len(residuals), float(residuals.std(ddof=1)) if len(residuals) > 1 else 0.0
    if n < 8 or deviation == 0.0:
        return math.nan, math.nan
    z = np.sort((residuals - residuals.mean()) / deviation)
    weights = (2 * np.arange(1, n + 1) - 1) / n
    a2 = float(-n - (weights * (log_ndtr(z) + log_ndtr(-z[::-1]))).sum())
    return a2, _anderson_p(a2 * (1 + 0.75 / n + 2.25 / n**2))


def _anderson_p(a: float) -> float:
    if a >= 153.467:  # the vertex of the last parabola: beyond it the formula would rise again
        return 0.0
    if a >= 0.6:
        return math.exp(1.2937 - 5.709 * a + 0.0186 * a * a)
    if a >= 0.34:
        return math.exp(0.9177 - 4.279 * a - 1.38 * a * a)
    if a >= 0.2:
        return 1 - math.exp(-8.318 + 42.796 * a - 59.938 * a * a)
    return 1 - math.exp(-13.436 + 101.14 * a - 223.73 * a * a)


def brown_forsythe(groups: Floats) -> tuple[float, float]:
    """F and p for equal variances of columns: one-way ANOVA of distances to their medians (Brown and Forsythe 1974)."""
    distances = np.abs(groups - np.median(groups, axis=0))
    system = _anova(Scores.of(distances, digits=0), "one-way")["system"]
    return (system.f, system.p) if not math.isnan(system.f) else (math.nan, math.nan)


def _shown_p(row: Source) -> str | None:
    """p in two digits; one too small for a float is not shown as zero unless there is no error at all."""
    if math.isnan(row.p):
        return None
    return "<1e-300" if row.p == 0.0 and math.isfinite(row.f) else f"{row.p:.2g}"


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """JSON has neither NaN nor infinity."""
    return {key: None if isinstance(v, float) and not math.isfinite(v) else v for key, v in row.items()}
