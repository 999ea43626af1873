"""`evenscale study`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from evenscale.cli.options import alpha_option, campaign_of, plain_ties_option
from evenscale.cli.output import progress_bar, tell
from evenscale.errors import BadFile, BadParameter
from evenscale.files import atomic
from evenscale.scales import interval_scale, parse
from evenscale.scales.scale import TIE_RULES
from evenscale.studies import DEFAULT_DEPTHS, DEFAULT_MEASURES, Study, study


def _whole_numbers(context: click.Context, option: click.Parameter, text: str) -> tuple[int, ...]:
    try:
        numbers = tuple(int(word) for word in text.split(","))
    except ValueError:
        raise click.BadParameter(f"expected whole numbers separated by commas, got {text!r}") from None
    if min(numbers) < 1:
        raise click.BadParameter(f"depths are at least 1, got {min(numbers)}")
    return numbers


@click.command("study")
@click.argument("qrels", required=False)
@click.argument("runs", metavar="RUN...", nargs=-1)
@click.option("--sample", "use_sample", is_flag=True, help="Study the bundled sample campaign.")
@click.option(
    "--depth",
    "depths",
    default=",".join(map(str, DEFAULT_DEPTHS)),
    show_default=True,
    callback=_whole_numbers,
    help="Depths at which runs are cut.",
)
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="MEASURE", help="A measure without cut-off; may be repeated."
)
@click.option(
    "--tie-rules", default="unq", show_default=True, help="Ranks of tied runs: unq, min, max, mid, by commas."
)
@plain_ties_option
@alpha_option
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write all tables and figures there.",
)
@click.option("--no-figures", is_flag=True, help="Write tables only.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing about oddities in the input.")
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    use_sample: bool,
    depths: tuple[int, ...],
    measures: tuple[str, ...],
    tie_rules: str,
    output: Path | None,
    no_figures: bool,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Say what changes when every measure is on its interval scale.

    For every measure and depth: Kendall's tau between the measure and its interval version, between all pairs of
    measures before and after, and the pairs of systems that lose or gain significance under eight tests (Ferrante,
    Ferro and Fuhr 2021, Tables 2 to 6). Measures marked † depend on the recall base: their interval version is a
    surrogate.

    \b
    evenscale study qrels.txt runs/ --depth 10,30 -o study
    evenscale study --sample
    """
    rules = tuple(rule.strip() for rule in tie_rules.split(","))
    if unknown := [rule for rule in rules if rule not in TIE_RULES]:
        raise BadParameter(f"tie rules are {', '.join(TIE_RULES)}, got {unknown[0]!r}")
    campaign = campaign_of(qrels, runs, use_sample)
    chosen = measures or DEFAULT_MEASURES
    with progress_bar("studying depths") as progress:
        result = study(*campaign, depths=depths, measures=chosen, tie_rules=rules, progress=progress, **options)
    if output is not None:
        _write(result, output, depths, chosen, not no_figures)
    text = json.dumps(result.to_dict(), indent=2, ensure_ascii=False) if as_json else result.table().text()
    click.echo(text)
    if not quiet:
        tell(result.oddities)


def _write(result: Study, folder: Path, depths: tuple[int, ...], measures: tuple[str, ...], figures: bool) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(folder, f"cannot make this folder: {error.strerror}") from None
    frames = {name: getattr(result, name) for name in result.tables()}
    for name, table in result.tables().items():
        contents = {"csv": frames[name].write_csv(), "tex": table.latex() + "\n", "md": table.markdown() + "\n"}
        for suffix, content in contents.items():
            _write_text(folder / f"{name}.{suffix}", content)
    _write_text(folder / "study.json", json.dumps(result.to_dict(), indent=2, ensure_ascii=False) + "\n")
    if figures:
        _draw(result, folder, depths, measures)
    click.echo(f"wrote {folder}", err=True)


def _write_text(path: Path, content: str) -> None:
    with atomic(path, "w") as out:
        out.write(content)


def _draw(result: Study, folder: Path, depths: tuple[int, ...], measures: tuple[str, ...]) -> None:
    from evenscale.report import charts

    deepest = max(depths)
    at = f"runs of length {deepest}"
    between = result.between.filter(result.between["depth"] == deepest)
    if between.height:
        charts.save(charts.tau_changes(between, title=f"Correlation between measures, {at}"), folder / "between.svg")
    changes = result.significance.filter(result.significance["depth"] == deepest)
    charts.save(charts.significance_changes(changes, title=f"Significant pairs, {at}"), folder / "significance.svg")
    for number, measure in enumerate(map(parse, measures), 1):
        scale = interval_scale(measure @ deepest)
        curve = charts.scale_curve(scale.curve(), title=scale.label, subtitle=f"{scale.size:,} values")
        charts.save(curve, folder / f"values-{number:02d}-{measure.name}.svg")
        small = interval_scale(measure @ 4)
        ladder = charts.scale_ladder(small.ladder(), title=small.label, subtitle="ordering and spacing")
        charts.save(ladder, folder / f"spacing-{number:02d}-{measure.name}.svg")
