"""Correlation between two scorings of the same systems: do two measures (or two topic sets) order systems alike?

Coefficients of rank see only the order; ties are decided on scores rounded to `digits` decimals, since means that
differ by rounding noise are no order (Ferrante, Ferro and Fuhr 2021 round means to 8 decimals). A coefficient that has
no value (one system, or a constant vector where it divides by the pairs that differ) is NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from evenscale.errors import BadInput, BadParameter
from evenscale.results import Result
from evenscale.stats.matrix import Floats, Ints, Scale, Scores
from evenscale.tables import Cell, Table

DIGITS = 8
"""Decimals in which means must differ for systems to differ."""

By: TypeAlias = Literal["overall", "topic"]


def rounded(values: ArrayLike, digits: int = DIGITS) -> Ints:
    """Scores as whole multiples of the last digit that counts.

    >>> rounded([0.1 + 0.2, 0.3], digits=8).tolist()
    [30000000, 30000000]
    """
    floats = np.asarray(values, dtype=np.float64)
    if floats.ndim != 1:
        raise BadInput(f"expected a vector of scores, found {floats.ndim} dimensions")
    if not np.isfinite(floats).all():
        k = int(np.argmin(np.isfinite(floats)))
        raise BadInput(f"score {k + 1} is {floats[k]}: every system needs a finite score")
    if not 0 <= digits <= 15:
        raise BadParameter(f"digits must be 0 to 15, got {digits}")
    if floats.size and np.abs(floats).max() >= 2.0**62 / 10.0**digits:
        raise BadParameter(f"scores up to {np.abs(floats).max():g} leave no room for {digits} digits; declare fewer")
    return np.rint(floats * 10.0**digits).astype(np.int64)


def tau_a(x: ArrayLike, y: ArrayLike, *, digits: int = DIGITS) -> float:
    """Kendall's tau over all pairs of systems (Kendall 1938): concordant less discordant; tied pairs count as neither.

    A constant vector gives 0: no pair speaks for or against.

    >>> tau_a([1, 2, 3, 3], [1, 3, 2, 2])
    0.16666666666666666
    """
    a, b = _both(x, y, digits)
    n = len(a)
    return _agreement(a, b) / (n * (n - 1) // 2) if n > 1 else float("nan")


def tau_b(x: ArrayLike, y: ArrayLike, *, digits: int = DIGITS) -> float:
    """Kendall's tau, corrected for ties (Kendall 1945): a ranking agrees fully with itself; NaN if all scores tie.

    >>> tau_b([1, 2, 3, 3], [1, 3, 2, 2])
    0.2
    """
    a, b = _both(x, y, digits)
    untied = _untied(a) * _untied(b)
    # Kendall's correction is the geometric mean of the pairs untied in either; the root of an exact integer.
    return float(_agreement(a, b) / np.sqrt(untied)) if untied else float("nan")


def tau_ap(x: ArrayLike, y: ArrayLike, *, digits: int = DIGITS) -> float:
    """AP correlation (Yilmaz, Aslam and Robertson 2008): the top of the ranking y counts most, x is the truth; no ties.

    It is not symmetric. Ties raise an error, since the definition has none: see `tau_ap_a` and `tau_ap_b`.

    >>> tau_ap([4, 3, 2, 1], [4, 3, 1, 2]) > tau_ap([4, 3, 2, 1], [3, 4, 2, 1])
    True
    """
    a, b = _both(x, y, digits)
    for name, values in (("first", a), ("second", b)):
        if len(np.unique(values)) < len(values):
            raise BadInput(f"the {name} scores tie at {digits} digits: use tau_ap_a or tau_ap_b")
    return _ap_a(a, b)


def tau_ap_symmetric(x: ArrayLike, y: ArrayLike, *, digits: int = DIGITS) -> float:
    """The mean of AP correlation both ways (Yilmaz, Aslam and Robertson 2008); no ties.

    >>> tau_ap_symmetric([3, 1, 2], [1, 2, 3]) == tau_ap_symmetric([1, 2, 3], [3, 1, 2])
    True
    """
    return (tau_ap(x, y, digits=digits) + tau_ap(y, x, digits=digits)) / 2


def tau_ap_a(x: ArrayLike, y: ArrayLike, *, digits: int = DIGITS) -> float:
    """AP correlation where ties are ignorance: its mean over all orders of the tied systems (Urbano and Marrero 2017).

    Their truth x has no ties; here it may, and the mean goes over the orders of both. A constant vector gives 0.

    >>> (tau_ap([3, 2, 1], [3, 2, 1]) + tau_ap([3, 2, 1], [2, 3, 1])) / 2 == tau_ap_a([3, 2, 1], [2, 2, 1])
    True
    """
    return _ap_a(*_both(x, y, digits))


def tau_ap_b(x: ArrayLike, y: ArrayLike, *, digits: int = DIGITS) -> float:
    """AP correlation, symmetric and corrected for ties (Urbano and Marrero 2017): a ranking agrees fully with itself.

    Each system is compared with those above its group of ties, in one ranking, then in the other; a pair that ties in
    the other only counts as discordant, as in their code. NaN if all scores tie.

    >>> tau_ap_b([3, 2, 2, 1], [3, 2, 2, 1])
    1.0
    """
    a, b = _both(x, y, digits)
    return (_ap_b(a, b) + _ap_b(b, a)) / 2


def spearman(x: ArrayLike, y: ArrayLike, *, digits: int = DIGITS) -> float:
    """Spearman's rho: Pearson's correlation of mid-ranks; NaN if all scores tie.

    >>> spearman([1, 2, 3], [1, 4, 9])
    1.0
    """
    a, b = _both(x, y, digits)
    return _pearson(_mid_ranks(a), _mid_ranks(b))


def pearson(x: ArrayLike, y: ArrayLike, *, digits: int = DIGITS) -> float:
    """Pearson's r of the scores themselves, which must be on interval scales; NaN if all tie at `digits` decimals.

    >>> pearson([1, 2, 3], [2, 4, 6])
    1.0
    """
    a, b = _both(x, y, digits)
    if not (_varies(a) and _varies(b)):
        return float("nan")
    return _pearson(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))


METHODS: Mapping[str, Callable[..., float]] = {
    f.__name__: f for f in (tau_a, tau_b, tau_ap, tau_ap_symmetric, tau_ap_a, tau_ap_b, spearman, pearson)
}
"""Coefficients by name."""

ASYMMETRIC = frozenset({"tau_ap", "tau_ap_a"})
"""Those that take the first scores for the truth."""


@dataclass(frozen=True, eq=False)
class Correlation(Result):
    """Correlation of two scorings: of the systems' means, or topic by topic.

    `value` is the coefficient of the means, or the mean of the topics' coefficients; topics where it is undefined (all
    systems score the same) are NaN in `values` and left out of the mean. `topics` and `values` are empty overall.
    `needs` is the scale it takes: means need an interval scale, coefficients of rank an ordinal one.
    """

    method: str
    by: By
    needs: Scale
    value: float
    systems: int
    topics: tuple[str, ...]
    values: Floats
    measure: str = ""
    other: str = ""

    @property
    def undefined(self) -> int:
        """How many topics have no coefficient."""
        return int(np.isnan(self.values).sum())

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per topic, or one row for the overall coefficient, whose topic is null."""
        topics: Sequence[str | None] = self.topics if self.by == "topic" else [None]
        values = self.values if self.by == "topic" else np.array([self.value])
        frame = pl.DataFrame({"topic": pl.Series(topics, dtype=pl.String), "value": values})
        return frame.with_columns(pl.col("value").fill_nan(None))

    def table(self) -> Table:
        """The coefficients; below those of topics, their mean."""
        title = (
            f"{self.method} of {self.measure or 'the first'} and {self.other or 'the second'}, {self.systems} systems"
        )
        if self.by == "overall":
            return Table(["", self.method], [("overall", self.value)], title=title)
        rows: list[tuple[Cell, ...]] = [*zip(self.topics, self.values.tolist(), strict=True), ("mean", self.value)]
        return Table(["topic", self.method], rows, title=title, strong={(len(rows) - 1, 1)})

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; undefined coefficients are null."""
        return {
            "method": self.method,
            "by": self.by,
            "needs": self.needs,
            "measure": self.measure,
            "other": self.other,
            "systems": self.systems,
            "value": _plain(self.value),
            "undefined": self.undefined,
            "topics": {t: _plain(v) for t, v in zip(self.topics, self.values.tolist(), strict=True)},
        }


@dataclass(frozen=True, eq=False)
class CorrelationMatrix(Result):
    """Correlations of all pairs of measures; rows are the first argument of a coefficient that is not symmetric."""

    method: str
    by: By
    needs: Scale
    measures: tuple[str, ...]
    values: Floats

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per ordered pair, a measure with itself included."""
        k = len(self.measures)
        names = pl.Series(self.measures, dtype=pl.String)
        first, second = names.gather(np.repeat(np.arange(k), k)), names.gather(np.tile(np.arange(k), k))
        frame = pl.DataFrame({"measure": first, "other": second, "value": self.values.ravel()})
        return frame.with_columns(pl.col("value").fill_nan(None))

    def table(self) -> Table:
        """The square matrix."""
        rows = [(name, *row) for name, row in zip(self.measures, self.values.tolist(), strict=True)]
        return Table(["", *self.measures], rows, title=f"{self.method}, {self.by}")

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; undefined coefficients are null."""
        return {
            "method": self.method,
            "by": self.by,
            "needs": self.needs,
            "measures": list(self.measures),
            "correlations": self.frame.to_dicts(),
        }


def correlate(a: Scores, b: Scores, method: str = "tau_b", by: By = "overall", *, digits: int = DIGITS) -> Correlation:
    """Correlate two scorings of the same systems, matched by name; topic by topic, of the same topics too.

    Overall, the topics may differ: that is how the halves of a topic set are compared.

    >>> ap = Scores.of([[0.1, 0.4, 0.3], [0.2, 0.3, 0.4]], systems=["a", "b", "c"], measure="AP")
    >>> p = Scores.of([[0.2, 0.1, 0.4], [0.2, 0.1, 0.6]], systems=["b", "a", "c"], measure="P@10")
    >>> round(correlate(ap, p).value, 4), correlate(ap, p, by="topic").values.round(4).tolist()
    (0.8165, [0.3333, 1.0])
    """
    if method not in METHODS:
        raise BadParameter(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    if by not in get_args(By):
        raise BadParameter(f"by must be overall or topic, got {by!r}")
    left, right = _aligned(a, b, by)
    coefficient = METHODS[method]
    topics = a.topics if by == "topic" else ()
    rows = zip(left, right, strict=True) if by == "topic" else ()
    values = np.array([coefficient(x, y, digits=digits) for x, y in rows], dtype=np.float64)
    value = _mean(values) if by == "topic" else coefficient(left.mean(axis=0), right.mean(axis=0), digits=digits)
    return Correlation(method, by, _needs(method, by), value, len(a.systems), topics, values, a.measure, b.measure)


def correlations(
    scores: Mapping[str, Scores], method: str = "tau_b", by: By = "overall", *, digits: int = DIGITS
) -> CorrelationMatrix:
    """Correlate all pairs of measures; topic by topic the mean over topics.

    >>> ap, p = Scores.of([[0.1, 0.4, 0.3]]), Scores.of([[0.1, 0.2, 0.4]])
    >>> print(correlations({"AP": ap, "P@10": p}))
    tau_b, overall
              AP    P@10
    AP    1.0000  0.3333
    P@10  0.3333  1.0000
    """
    names = tuple(scores)
    values = np.empty((len(names), len(names)))
    for i, first in enumerate(names):
        for j, second in enumerate(names):
            if j < i and method not in ASYMMETRIC:
                values[i, j] = values[j, i]
            else:
                values[i, j] = correlate(scores[first], scores[second], method, by, digits=digits).value
    return CorrelationMatrix(method, by, _needs(method, by), names, values)


def _both(x: ArrayLike, y: ArrayLike, digits: int) -> tuple[Ints, Ints]:
    a, b = rounded(x, digits), rounded(y, digits)
    if len(a) != len(b):
        raise BadInput(f"expected as many scores on both sides, found {len(a)} and {len(b)}")
    return a, b


def _order(a: Ints) -> NDArray[np.int8]:
    """The sign of every difference; all pairs at once is fast for the hundreds of systems a campaign has."""
    return np.asarray(np.greater.outer(a, a).view(np.int8) - np.less.outer(a, a).view(np.int8))


def _agreement(a: Ints, b: Ints) -> int:
    """Concordant less discordant pairs."""
    return int((_order(a) * _order(b)).sum(dtype=np.int64)) // 2


def _untied(a: Ints) -> int:
    """Pairs that differ."""
    _, counts = np.unique(a, return_counts=True)
    return (len(a) * (len(a) - 1) - sum(int(c) * (int(c) - 1) for c in counts)) // 2


def _ap_a(truth: Ints, pivot: Ints) -> float:
    """The mean AP correlation over all orders of ties (Urbano and Marrero 2017), in harmonic numbers."""
    n = len(truth)
    if n < 2:
        return float("nan")
    above = np.less.outer(pivot, pivot)
    concordant = np.where(above, (1 - _order(truth)) / 2, 0.0).sum(axis=1)
    before, tied = above.sum(axis=1), np.equal.outer(pivot, pivot).sum(axis=1)
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, n))])
    last = harmonic[before + tied - 1]
    # A tied system is as likely at each place of its group, so average 1 / (systems before) over the places.
    from_above = concordant * (last - harmonic[np.maximum(before - 1, 0)]) / tied
    # Within the group half of the k systems before it are in the right order: the mean of k / (2 (before + k)).
    within = (tied - 1 - before * (last - harmonic[before])) / (2 * tied)
    return float(2 / (n - 1) * (from_above + within).sum() - 1)


def _ap_b(truth: Ints, pivot: Ints) -> float:
    """AP correlation over the systems below the first group of ties (Urbano and Marrero 2017)."""
    above = np.less.outer(pivot, pivot)
    before = above.sum(axis=1)
    if not before.any():
        return float("nan")
    concordant = (above & np.less.outer(truth, truth)).sum(axis=1)
    below = before > 0
    return float(2 * np.mean(concordant[below] / before[below]) - 1)


def _mid_ranks(a: Ints) -> Floats:
    _, inverse, counts = np.unique(a, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    return np.asarray(ranks[inverse], dtype=np.float64)


def _pearson(x: Floats, y: Floats) -> float:
    if not (_varies(x) and _varies(y)):
        return float("nan")
    x, y = x - x.mean(), y - y.mean()
    x, y = x / np.abs(x).max(), y / np.abs(y).max()  # squares of tiny scores must not underflow
    return max(-1.0, min(1.0, float(x @ y / np.sqrt((x @ x) * (y @ y)))))


def _varies(values: Floats | Ints) -> bool:
    return len(values) > 1 and bool((values != values[0]).any())


def _mean(values: Floats) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


def _plain(value: float) -> float | None:
    return None if np.isnan(value) else value


def _needs(method: str, by: By) -> Scale:
    return "interval" if by == "overall" or method == "pearson" else "ordinal"


def _aligned(a: Scores, b: Scores, by: By) -> tuple[Floats, Floats]:
    """The two matrices with the systems (and topics, where they are compared) in the order of the first."""
    _same("systems", a.systems, b.systems)
    place = {name: k for k, name in enumerate(b.systems)}
    right = b.values[:, [place[name] for name in a.systems]]
    if by == "topic":
        _same("topics", a.topics, b.topics)
        row = {name: k for k, name in enumerate(b.topics)}
        right = right[[row[name] for name in a.topics]]
    return a.values, right


def _same(kind: str, first: Sequence[str], second: Sequence[str]) -> None:
    sides = (("first", sorted(set(first) - set(second))), ("second", sorted(set(second) - set(first))))
    parts = [f"only in the {side}: {_listed(names)}" for side, names in sides if names]
    if parts:
        raise BadInput(f"the {kind} must be the same; {'; '.join(parts)}")


def _listed(names: Sequence[str], limit: int = 5) -> str:
    """
    >>> _listed(["a", "b"]), _listed(list("abcdefgh"))
    ('a, b', 'a, b, c, d, e and 3 more')
    """
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
