"""`evenscale sample`."""

from __future__ import annotations

from pathlib import Path

import click

from evenscale.bundled import sample
from evenscale.errors import BadFile
from evenscale.files import write_qrels, write_run


@click.command("sample")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Another seed, another campaign.")
def command(folder: Path, seed: int) -> None:
    """Write the bundled sample campaign as files: FOLDER/qrels.txt and FOLDER/runs/*.run."""
    runs_folder = folder / "runs"
    try:
        runs_folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(runs_folder, f"cannot make this folder: {error.strerror}") from None
    campaign = sample(seed)
    write_qrels(campaign.qrels, folder / "qrels.txt")
    for run in campaign.runs:
        write_run(run, runs_folder / f"{run.name}.run")
    click.echo(f"wrote {folder / 'qrels.txt'} and {len(campaign.runs)} runs in {runs_folder}")
