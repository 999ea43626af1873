"""Scores: qrels, runs and measures in, an `Evaluation` out."""

from evenscale.scores.evaluate import DEFAULT_MEASURES, evaluate
from evenscale.scores.evaluation import Evaluation

__all__ = ["DEFAULT_MEASURES", "Evaluation", "evaluate"]
