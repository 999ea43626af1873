"""`evenscale check`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from evenscale.cli.matrix import read_matrix
from evenscale.cli.options import alpha_option, correction_option, digits_option, matrix_option, ties_option
from evenscale.cli.output import Shown, format_options, progress_bar, show
from evenscale.errors import BadInput
from evenscale.oddities import Oddity
from evenscale.scales import parse
from evenscale.scores import Evaluation, evaluate
from evenscale.statements import STATEMENTS, LeaderboardCheck, Verdict, check, leaderboard_check
from evenscale.statements.rankings import BY, COEFFICIENTS
from evenscale.stats import TESTS, Scores

SCALES = ("nominal", "ordinal", "interval", "ratio")
OPTIONS = {
    "quantile": ("at",),
    "percent": ("by",),
    "lead": ("times", "over"),
    "correlation": ("other", "coefficient", "across"),
}
"""The options that belong to one statement only."""
LISTED = "\n\n\b\n" + "\n".join(f"{name:<12} {statement.help}" for name, statement in STATEMENTS.items())


@click.command("check", epilog=f"Statements:{LISTED}")
@click.argument("qrels", required=False)
@click.argument("runs", metavar="RUN...", nargs=-1)
@click.option("-m", "--measure", metavar="MEASURE", help="The measure the sentence is about.  [default: AP@30]")
@click.option(
    "--statement",
    type=click.Choice(tuple(STATEMENTS)),
    default="mean",
    show_default=True,
    help="The sentence; see below.",
)
@click.option("--pair", nargs=2, metavar="A B", help="The systems A and B, where there are more than two.")
@click.option("--leaderboard", is_flag=True, help="Check the means of all pairs of systems.")
@click.option("--test", type=click.Choice(tuple(TESTS)), help="The test.  [default: t, with --leaderboard anova2]")
@alpha_option
@correction_option
@click.option("--at", type=float, metavar="Q", help="For quantile: which one, between 0 and 1.")
@click.option("--by", type=float, metavar="PERCENT", help="For percent: how much better; as computed unless given.")
@click.option("--over", nargs=2, metavar="C D", help="For lead: the systems whose lead is set against A's over B.")
@click.option("--times", type=float, metavar="K", help="For lead: how many times as large; 1 unless given.")
@click.option("--other", metavar="MEASURE", help="For correlation: the other measure.")
@click.option("--coefficient", type=click.Choice(tuple(COEFFICIENTS)), help="For correlation; kendall unless given.")
@click.option("--across", type=click.Choice(BY), help="For correlation: of means (overall, the default) or by topic.")
@matrix_option
@click.option("--scale", type=click.Choice(SCALES), help="Declare the scale; a matrix is ordinal unless declared.")
@click.option("--topic-wise", is_flag=True, help="Declare that every topic has a scale of its own.")
@digits_option
@ties_option
@format_options
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measure: str | None,
    matrix: str | None,
    leaderboard: bool,
    scale: Any,
    topic_wise: bool,
    kind: str | None,
    output: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Say whether a sentence about systems holds on every permissible rescaling of the scores.

    The verdict is 'meaningful' (true or false, every rescaling agrees), 'depends' (with a rescaling under which the
    opposite is true) or 'inexpressible'. The guide is docs/statements.md.

    \b
    evenscale check qrels.txt a.run b.run -m AP@30
    evenscale check qrels.txt runs/ -m RR@10 --pair bm25 new --statement significant --test t
    evenscale check qrels.txt runs/ -m AP@30 --leaderboard
    evenscale check --matrix scores.csv --pair bm25 new --scale interval
    """
    source: Evaluation | Scores
    oddities: tuple[Oddity, ...] = ()
    if matrix is not None:
        if qrels is not None:
            raise click.UsageError("Give either --matrix or QRELS and RUN..., not both.")
        source = replace(read_matrix(matrix, options["digits"]), measure=measure or "score")
    else:
        source = _evaluated(qrels, runs, measure or "AP@30", options)
        oddities = source.oddities
    declared = {"scale": scale, "topicwise": True if topic_wise else None}
    if leaderboard:
        test = {"test": options["test"]} if options["test"] else {}
        found = leaderboard_check(source, alpha=options["alpha"], correction=options["correction"], **test, **declared)
        show(_shown(found, "Leaderboard check", oddities), kind, output, quiet)
        return
    show(_shown(_checked(source, options, declared), "Check of a statement", oddities), kind, output, quiet)


def _evaluated(qrels: str | None, runs: tuple[str, ...], measure: str, options: dict[str, Any]) -> Evaluation:
    if qrels is None or not runs:
        raise click.UsageError("Missing arguments: QRELS and RUN..., or --matrix FILE.")
    measures = [parse(measure), *([parse(options["other"])] if options["other"] else [])]
    with progress_bar("scoring runs") as progress:
        return evaluate(qrels, list(runs), measures, ties=options["ties"], progress=progress)


def _checked(source: Evaluation | Scores, options: dict[str, Any], declared: dict[str, Any]) -> Verdict:
    statement = options["statement"]
    for name, names in OPTIONS.items():
        for option in names:
            if name != statement and options[option]:
                raise click.UsageError(f"--{option} belongs to --statement {name}.")
    given = {
        name: options[name] for name in (*OPTIONS.get(statement, ()), "test", "alpha") if options[name] is not None
    }
    if "over" in given:
        given["c"], given["d"] = given.pop("over")
    if "across" in given:
        given["by"] = given.pop("across")
    if STATEMENTS[statement].pair:
        given["a"], given["b"] = options["pair"] or _two(source)
    return check(source, statement=statement, **given, **declared)


def _two(source: Evaluation | Scores) -> tuple[str, str]:
    """The two systems there are."""
    names = source.systems if isinstance(source, Scores) else source.runs
    if len(names) != 2:
        raise BadInput(f"expected two systems, found {len(names)}: name two with --pair A B")
    return names[0], names[1]


def _shown(found: Verdict | LeaderboardCheck, title: str, oddities: tuple[Oddity, ...]) -> Shown:
    data = {**found.to_dict(), "oddities": [oddity.row() for oddity in oddities]}
    return Shown(found.table(), found.frame, data, title, oddities, prose=found.text())
