"""Scales: universes of runs, the exact image of a measure on them, and its interval scale."""

from evenscale.orders.universe import Universe
from evenscale.scales.engine import ScaleTooLarge
from evenscale.scales.interval import Interval, interval, parse
from evenscale.scales.scale import IntervalScale, Spacing, interval_scale

__all__ = [
    "Interval",
    "IntervalScale",
    "ScaleTooLarge",
    "Spacing",
    "Universe",
    "interval",
    "interval_scale",
    "parse",
]
