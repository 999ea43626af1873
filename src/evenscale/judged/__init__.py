"""Run and qrels meet here, once, and become grades by rank."""

from evenscale.judged.block import Block, Hits
from evenscale.judged.judgments import Judgments
from evenscale.judged.meet import JudgedRun, judge
from evenscale.judged.policy import CHOICES, Policy
from evenscale.judged.topic import Grade, Judged, Topic, as_grade

__all__ = [
    "CHOICES",
    "Block",
    "Grade",
    "Hits",
    "Judged",
    "JudgedRun",
    "Judgments",
    "Policy",
    "Topic",
    "as_grade",
    "judge",
]
