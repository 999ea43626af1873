"""All statements by the name they have on the command line, and the one call that judges them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from evenscale.errors import BadParameter
from evenscale.measures import Measure
from evenscale.scores import Evaluation
from evenscale.statements.averages import Lead, Mean
from evenscale.statements.campaign import campaign_of
from evenscale.statements.counting import Topics
from evenscale.statements.middles import Median, Mode, Quantile
from evenscale.statements.rankings import Correlation, Ranking
from evenscale.statements.ratios import GeometricMean, Percent
from evenscale.statements.significance import Significant
from evenscale.statements.statement import Statement
from evenscale.statements.verdict import Verdict
from evenscale.stats import Scores
from evenscale.stats.matrix import Scale

STATEMENTS: Mapping[str, type[Statement]] = {
    statement.name: statement
    for statement in (
        *(Mean, Median, Quantile, GeometricMean, Mode, Topics),
        *(Significant, Percent, Lead, Ranking, Correlation),
    )
}
"""Every statement, the commonest first; each class has its title, the scale it needs and a line of help."""


def check(
    source: Evaluation | Scores,
    a: str | None = None,
    b: str | None = None,
    *,
    measure: str | Measure | None = None,
    statement: str = "mean",
    scale: Scale | None = None,
    topicwise: bool | None = None,
    other: str | Measure | Scores | None = None,
    **options: Any,
) -> Verdict:
    """Judge a sentence about system A and system B: does every permissible rescaling agree with it?

    `statement` is one of `STATEMENTS`. `options` are the statement's own: `test` and `alpha` for all, `at` (quantile),
    `by` (percent), `c`, `d`, `times` (lead), `coefficient` and `by` (correlation, with `other`, another measure of the
    evaluation or its scores). `scale` and `topicwise` overrule what is known about the measure.

    >>> scores = Scores.of([[1, 1 / 2], [1 / 4, 1 / 2]], systems=["A", "B"], measure="RR")
    >>> verdict = check(scores, "A", "B")
    >>> print(verdict.statement, "-", verdict.verdict)
    mean RR of A is above B's - depends
    """
    if statement not in STATEMENTS:
        raise BadParameter(f"statement must be one of {', '.join(STATEMENTS)}, got {statement!r}")
    chosen = STATEMENTS[statement]
    known = {field.name for field in fields(chosen)} - {"a", "b", "other", "value"}
    for name in options:
        if name not in known:
            raise BadParameter(f"{statement} takes {', '.join(sorted(known))}, got {name!r}")
    if chosen.pair:
        if a is None or b is None:
            raise BadParameter(f"{statement} needs the names of two systems")
        options |= {"a": a, "b": b}
    if other is not None:
        if statement != "correlation":
            raise BadParameter(f"{statement} takes no other measure")
        options["other"] = campaign_of(other) if isinstance(other, Scores) else campaign_of(source, other)
    return chosen(**options).judge(campaign_of(source, measure, scale=scale, topicwise=topicwise))
