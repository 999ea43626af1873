"""The line that says when a printed number needs a scale the measure does not have."""

from __future__ import annotations

import sys

import click

STRICT = 3
"""The exit code of `--strict` where the line had to be said."""

strict_option = click.option(
    "--strict", is_flag=True, help="Exit with code 3 where the measure lacks the scale that the result needs."
)


def tell_scale(said: str, strict: bool, quiet: bool) -> None:
    """Say it on stderr after the result, as a note; as an error with `--strict`, which `--quiet` does not silence."""
    if said and strict:
        click.echo(f"error: {said}", err=True)
        sys.exit(STRICT)
    if said and not quiet:
        click.echo(f"note: {said}", err=True)
