"""All pairs of systems after a test of the whole family: Tukey's and Scheffé's comparisons.

The variants are those of Ferrante, Ferro and Fuhr (2021). Their p-values hold for all pairs together: no further
correction is due. Where scores leave no error at all, equal systems have p = 1 and different ones p = 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from evenscale.results import Result
from evenscale.stats import studentised
from evenscale.stats.anova import AnovaTable, anova1, anova2, check_alpha, noise
from evenscale.stats.matrix import Floats, Ints, Scale, Scores
from evenscale.stats.result import Comparisons
from evenscale.tables import Table


@dataclass(frozen=True, eq=False)
class Omnibus(Result):
    """A test that all systems are alike: one statistic and one p-value."""

    test: str
    method: str
    needs: Scale
    statistic: float
    df: int
    p: float
    measure: str = ""

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row."""
        row = {"test": self.test, "statistic": self.statistic, "df": self.df, "p": self.p}
        return pl.DataFrame([row])

    def table(self) -> Table:
        """One line."""
        return Table(["statistic", "df", "p"], [(self.statistic, self.df, f"{self.p:.2g}")], title=self.method)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"method": self.method, "needs": self.needs, "measure": self.measure, **self.frame.to_dicts()[0]}


def kruskal(scores: Scores) -> Omnibus:
    """Kruskal and Wallis (1952): are the systems' mean ranks over all scores alike? Chi-square, corrected for ties.

    Where all scores are equal the statistic is 0 and p = 1.

    >>> print(kruskal(Scores.of([[1, 4], [2, 5], [3, 6]])))
    Kruskal-Wallis on ranks over all scores, corrected for ties
    <BLANKLINE>
    statistic  df  p
       3.8571   1  0.05
    """
    method = "Kruskal-Wallis on ranks over all scores, corrected for ties"
    return _omnibus(scores, "kruskal", method, *_overall_ranks(scores))


def friedman(scores: Scores) -> Omnibus:
    """Friedman (1937): are the systems' mean ranks within topics alike? Chi-square, corrected for ties.

    Where the systems are equal on every topic the statistic is 0 and p = 1.

    >>> round(friedman(Scores.of([[1, 2, 3], [1, 3, 2], [1, 2, 3]])).statistic, 4)
    4.6667
    """
    method = "Friedman on ranks within topics, corrected for ties"
    return _omnibus(scores, "friedman", method, *_topic_ranks(scores))


def tukey_anova1(scores: Scores, alpha: float = 0.05) -> Comparisons:
    """Tukey's HSD after one-way ANOVA: the topics stay in the error, which costs power on paired scores."""
    return _after_anova(anova1(scores), scores, alpha, "tukey-anova1", "Tukey's HSD", _tukey)


def tukey_anova2(scores: Scores, alpha: float = 0.05) -> Comparisons:
    """Tukey's HSD after two-way ANOVA: the topics' differences are set aside.

    >>> scores = Scores.of([[0.1, 0.3, 0.2], [0.2, 0.5, 0.3], [0.1, 0.6, 0.3]])
    >>> tukey_anova2(scores).p.round(4).tolist()
    [0.014, 0.2074, 0.0736]
    """
    return _after_anova(anova2(scores), scores, alpha, "tukey-anova2", "Tukey's HSD", _tukey)


def scheffe(scores: Scores, alpha: float = 0.05, *, blocked: bool = True) -> Comparisons:
    """Scheffé (1953) after ANOVA, two-way unless not `blocked`: holds for all contrasts, so it is weaker on pairs."""
    table = (anova2 if blocked else anova1)(scores)
    return _after_anova(table, scores, alpha, "scheffe-anova2" if blocked else "scheffe-anova1", "Scheffé", _scheffe)


def tukey_kruskal(scores: Scores, alpha: float = 0.05) -> Comparisons:
    """Tukey-type comparisons of mean ranks over all scores: studentised range with infinite degrees of freedom.

    >>> tukey_kruskal(Scores.of([[1, 4], [2, 5], [3, 6]])).p.round(4).tolist()
    [0.0495]
    """
    ranks, variance = _overall_ranks(scores)
    return _after_ranks(scores, alpha, ranks, variance, "tukey-kruskal", "Kruskal-Wallis, ranks over all scores")


def tukey_friedman(scores: Scores, alpha: float = 0.05) -> Comparisons:
    """Tukey-type comparisons of mean ranks within topics: studentised range with infinite degrees of freedom."""
    ranks, variance = _topic_ranks(scores)
    return _after_ranks(scores, alpha, ranks, variance, "tukey-friedman", "Friedman, ranks within topics")


def midranks(units: Ints) -> Floats:
    """Ranks from 1, ties sharing their mean rank.

    >>> midranks(np.array([10, 30, 10, 20])).tolist()
    [1.5, 4.0, 1.5, 3.0]
    """
    _, place, counts = np.unique(units, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2.0)[place.reshape(units.shape)])


def _overall_ranks(scores: Scores) -> tuple[Floats, float]:
    """Mean ranks among all scores, and the variance of the ranks.

    That is N(N+1)/12 less sum(t³-t)/(12(N-1)) over groups of t ties: the ranks' own variance. Ranks are halves, so the
    sums are exact, and equal scores can neither gain nor lose by rounding.
    """
    scores.need()
    ranks = midranks(scores.order)
    return ranks.mean(axis=0), float(ranks.var(ddof=1))


def _topic_ranks(scores: Scores) -> tuple[Floats, float]:
    """Mean ranks within topics, and the variance of the ranks, n(n+1)/12 less the correction for ties, over topics."""
    scores.need()
    ranks = np.stack([midranks(row) for row in scores.order])
    return ranks.mean(axis=0), float(ranks.var(axis=1, ddof=1).mean())


def _omnibus(scores: Scores, test: str, method: str, ranks: Floats, variance: float) -> Omnibus:
    from scipy.special import chdtrc

    spread = float(((ranks - ranks.mean()) ** 2).sum())
    statistic = len(scores.topics) * spread / variance if variance > 0 else 0.0
    df = len(scores.systems) - 1
    return Omnibus(test, method, "ordinal", statistic, df, float(chdtrc(df, statistic)), scores.measure)


@dataclass(frozen=True)
class _Procedure:
    """p-values of studentised differences, and the difference that has p = alpha, in standard errors of a mean."""

    p: Callable[[Floats, int, float], Floats]
    critical: Callable[[float, int, float], float]


def _scheffe_p(q: Floats, n: int, df: float) -> Floats:
    from scipy.special import fdtrc

    finite = np.where(np.isinf(q), 0.0, q)
    return np.asarray(np.where(np.isinf(q), 0.0, fdtrc(n - 1, df, finite**2 / 2.0 / (n - 1))))


def _scheffe_critical(alpha: float, n: int, df: float) -> float:
    from scipy.special import betainccinv

    # The F quantile through the beta distribution, from the upper tail: 1 - alpha would lose digits.
    x = float(betainccinv((n - 1) / 2.0, df / 2.0, alpha))
    return math.sqrt(2.0 * df * x / (1.0 - x))


def _tukey_critical(alpha: float, n: int, df: float) -> float:
    return float(studentised.isf(alpha, n, df))


_tukey = _Procedure(studentised.sf, _tukey_critical)
_scheffe = _Procedure(_scheffe_p, _scheffe_critical)


def _after_anova(
    table: AnovaTable, scores: Scores, alpha: float, test: str, name: str, procedure: _Procedure
) -> Comparisons:
    method = f"{name} on differences of means, {table.model} ANOVA (error df {table.df})"
    first, second = scores.pairs
    difference = table.means[first] - table.means[second]
    difference = np.where(np.abs(difference) <= noise(scores.values), 0.0, difference)
    effect = difference / math.sqrt(table.mse) if table.mse > 0 else np.full(len(difference), np.nan)
    error = math.sqrt(table.mse / table.topics)
    return _compared(scores, alpha, difference, error, table.df, procedure, (test, method, "interval"), effect)


def _after_ranks(scores: Scores, alpha: float, ranks: Floats, variance: float, test: str, name: str) -> Comparisons:
    method = f"Tukey on differences of mean ranks, {name} (corrected for ties)"
    first, second = scores.pairs
    difference = ranks[first] - ranks[second]
    error = math.sqrt(variance / len(scores.topics))
    effect = np.full(len(difference), np.nan)
    return _compared(scores, alpha, difference, error, math.inf, _tukey, (test, method, "ordinal"), effect)


def _compared(
    scores: Scores,
    alpha: float,
    difference: Floats,
    error: float,
    df: float,
    procedure: _Procedure,
    named: tuple[str, str, Scale],
    effect: Floats,
) -> Comparisons:
    """Comparisons from differences and the standard error of one mean."""
    check_alpha(alpha)
    first, second = scores.pairs
    n = len(scores.systems)
    size = np.abs(difference)
    q = size / error if error > 0 else np.where(size > 0, np.inf, 0.0)
    p = procedure.p(q, n, df)
    half = procedure.critical(alpha, n, df) * error
    test, method, needs = named
    return Comparisons(
        test=test,
        method=method,
        needs=needs,
        systems=scores.systems,
        first=first,
        second=second,
        difference=difference,
        statistic=q,
        p=p,
        adjusted=p,
        low=difference - half,
        high=difference + half,
        effect=effect,
        alpha=alpha,
        measure=scores.measure,
    )
