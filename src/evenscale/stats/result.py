"""What tests give back: plain data that becomes rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenscale.results import Result
from evenscale.stats.matrix import Floats, Ints, Scale
from evenscale.tables import Table

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True, eq=False)
class Comparisons(Result):
    """A test of every pair of systems: one entry per pair in each array.

    `difference` is the effect in the test's own terms (difference of means, of mean ranks, share of wins less losses;
    `method` says which), `low` and `high` a confidence interval for it where the test has one (else NaN), `effect` a
    standardised effect size (Cohen's d for paired tests; NaN where there is none). `p` is as the test gives it;
    `adjusted` takes the number of comparisons into account where the test or a correction does (equal to `p`
    otherwise). `first` and `second` index `systems`; "greater" means that the first is better.
    """

    test: str
    method: str
    needs: Scale
    systems: tuple[str, ...]
    first: Ints
    second: Ints
    difference: Floats
    statistic: Floats
    p: Floats
    adjusted: Floats
    low: Floats
    high: Floats
    effect: Floats
    alpha: float = 0.05
    alternative: Alternative = "two-sided"
    measure: str = ""

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Which pairs differ at level alpha (p <= alpha, after correction)."""
        return np.asarray(self.adjusted <= self.alpha)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per pair."""
        names = pl.Series(self.systems, dtype=pl.String)
        return pl.DataFrame(
            {
                "system": names.gather(self.first),
                "other": names.gather(self.second),
                "difference": self.difference,
                "low": self.low,
                "high": self.high,
                "effect": self.effect,
                "statistic": self.statistic,
                "p": self.p,
                "adjusted": self.adjusted,
                "significant": self.significant,
            }
        ).with_columns(pl.col(pl.Float64).fill_nan(None))

    def table(self) -> Table:
        """The significant pairs, the surest first."""
        rows = self.frame.filter(pl.col("significant")).sort("adjusted", maintain_order=True)
        columns = ["system", "other", "difference", "low", "high", "adjusted"]
        shown = [(*row[:-1], f"{row[-1]:.2g}") for row in rows.select(columns).iter_rows()]
        return Table([*columns[:-1], "p"], shown, title=self.method)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "test": self.test,
            "method": self.method,
            "needs": self.needs,
            "measure": self.measure,
            "alpha": self.alpha,
            "alternative": self.alternative,
            "pairs": len(self.p),
            "significant": int(self.significant.sum()),
            "comparisons": self.frame.to_dicts(),
        }
