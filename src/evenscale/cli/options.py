"""Options that several commands take, each spelled once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from evenscale.judged.policy import CHOICES
from evenscale.stats.compare import TESTS
from evenscale.stats.matrix import DIGITS
from evenscale.stats.testing import CORRECTIONS

_Function = TypeVar("_Function", bound=Callable[..., Any])

POLICIES = {
    "ties": "How documents with equal scores are ordered.",
    "unjudged": "What a retrieved document without a judgment is.",
    "negative": "What a grade below 0 is.",
    "missing": "What becomes of a topic that a run lacks.",
    "barren": "What becomes of a topic without relevant documents.",
}
"""How run and qrels are brought together; of each policy's choices the first is the default."""


def _policy(name: str, choices: tuple[str, ...] = ()) -> Callable[[_Function], _Function]:
    offered = choices or CHOICES[name]
    return click.option(
        f"--{name}", type=click.Choice(offered), default=offered[0], show_default=True, help=POLICIES[name]
    )


def policy_options(function: _Function) -> _Function:
    """All policies of an evaluation."""
    depth = click.option(
        "--depth", type=click.IntRange(1), metavar="N", help="Look at the first N documents of a topic only."
    )
    for option in (depth, *(_policy(name) for name in reversed(POLICIES))):
        function = option(function)
    return function


ties_option = _policy("ties")
"""The one policy that commands with a single measure offer."""
plain_ties_option = _policy("ties", CHOICES["ties"][:3])
"""The same where every run must have one order of its documents."""

test_option = click.option(
    "--test",
    type=click.Choice(tuple(TESTS)),
    default="anova2",
    show_default=True,
    help="The test; the default takes the topics into account and all pairs together.",
)
alpha_option = click.option("--alpha", type=float, default=0.05, show_default=True, help="The level of significance.")
correction_option = click.option(
    "--correction",
    type=click.Choice(tuple(CORRECTIONS)),
    default="none",
    show_default=True,
    help="For the number of pairs, with tests that look at one pair at a time.",
)
matrix_option = click.option(
    "--matrix", metavar="FILE", help="A CSV of scores, topics down and systems across, instead of runs."
)
digits_option = click.option(
    "--digits",
    type=click.IntRange(0, 15),
    default=DIGITS,
    show_default=True,
    help="Decimals of the scores that count; ties are decided on them.",
)
grades_option = click.option(
    "--grades",
    type=click.IntRange(1, 100),
    default=1,
    show_default=True,
    metavar="C",
    help="The highest grade; 1 is binary.",
)
length_option = click.option(
    "--depth", type=click.IntRange(1), metavar="N", help="Length of the runs, for measures without a cut-off."
)


def campaign_of(qrels: str | None, runs: tuple[str, ...], use_sample: bool) -> tuple[Any, Any]:
    """Qrels and runs as they were given, or the bundled sample with `--sample`."""
    if use_sample:
        if qrels is not None:
            raise click.UsageError("Give either --sample or QRELS and RUN..., not both.")
        from evenscale.bundled import sample

        return sample()
    if qrels is None or not runs:
        raise click.UsageError("Missing arguments: QRELS and RUN..., or --sample.")
    return qrels, list(runs)
