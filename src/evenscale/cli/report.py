"""`evenscale report`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from evenscale.cli.options import alpha_option, campaign_of, correction_option, policy_options, test_option
from evenscale.cli.output import progress_bar, tell
from evenscale.report.contents import DEFAULT_MEASURES, gather
from evenscale.report.page import write_report


@click.command("report")
@click.argument("qrels", required=False)
@click.argument("runs", metavar="RUN...", nargs=-1)
@click.option("--sample", "use_sample", is_flag=True, help="Report on the bundled sample campaign.")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help=f"A measure such as AP@30; may be repeated. The first one orders the leaderboard. "
    f"Default: {' '.join(DEFAULT_MEASURES)}.",
)
@test_option
@alpha_option
@correction_option
@click.option("--title", default="", metavar="TEXT", help="The title of the page.")
@click.option("--date", default="", metavar="TEXT", help="A date to print on the page; none is printed otherwise.")
@click.option(
    "--figures",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write every figure there too, as SVG, PNG and PDF.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("report.html"),
    show_default=True,
    metavar="FILE",
    help="The page to write.",
)
@policy_options
@click.option("-q", "--quiet", is_flag=True, help="Say nothing about oddities in the input.")
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    use_sample: bool,
    measures: tuple[str, ...],
    title: str,
    date: str,
    figures: Path | None,
    output: Path,
    quiet: bool,
    **options: Any,
) -> None:
    """Write one page about a campaign: leaderboard, significance, topics, scales, and what may be said.

    The page is a single HTML file that needs no network: open it, print it, send it.

    \b
    evenscale report qrels.txt runs/ -o report.html
    evenscale report qrels.txt runs/ -m AP@30 -m nDCG@10 --figures figures
    evenscale report --sample
    """
    campaign = campaign_of(qrels, runs, use_sample)
    with progress_bar("scoring runs") as progress:
        contents = gather(*campaign, measures or DEFAULT_MEASURES, progress=progress, **options)
    page, *drawn = write_report(contents, output, title=title, date=date, figures=figures)
    click.echo(f"wrote {page} ({_size(page.stat().st_size)})")
    if drawn:
        click.echo(f"wrote {len(drawn)} files in {figures}")
    if not quiet:
        tell(contents.about.oddities)


def _size(count: int) -> str:
    """
    >>> _size(512), _size(20_480), _size(3_500_000)
    ('1 KB', '20 KB', '3.3 MB')
    """
    return f"{count / 2**20:.1f} MB" if count >= 2**20 else f"{max(1, round(count / 1024))} KB"
