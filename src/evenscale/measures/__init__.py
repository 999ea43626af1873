"""Measures: the contract, one file each, the table and the spelling."""

from evenscale.measures.contract import Measure, Walk, additive
from evenscale.measures.exact import Exact, LogRatio, LogSum
from evenscale.measures.expected import expected
from evenscale.measures.spelling import parse
from evenscale.measures.table import ALIASES, MEASURES

__all__ = [
    "ALIASES",
    "MEASURES",
    "Exact",
    "LogRatio",
    "LogSum",
    "Measure",
    "Walk",
    "additive",
    "expected",
    "parse",
]
