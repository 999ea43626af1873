"""Scales of cumulative measures: exact images of path sums, without listing runs."""

from evenscale.scales.cumulative.engine import CumulativeEngine, Forecast
from evenscale.scales.cumulative.estimate import Estimates
from evenscale.scales.cumulative.halves import Budget

__all__ = ["Budget", "CumulativeEngine", "Estimates", "Forecast"]
