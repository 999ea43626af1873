"""The command line: thin commands; no mathematics. Each command's module is loaded only when it runs."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from evenscale._version import __version__
from evenscale.errors import EvenscaleError

COMMANDS = {
    "evaluate": ("evenscale.cli.evaluate", "Score runs against qrels."),
    "compare": ("evenscale.cli.compare", "Say which systems differ, and group them into tiers."),
    "check": ("evenscale.cli.check", "Say whether a claim about systems survives a change of scale."),
    "report": ("evenscale.cli.report", "Write one page about a campaign, with figures and words."),
    "study": ("evenscale.cli.study", "Say what changes when every measure is on its interval scale."),
    "explain": ("evenscale.cli.explain", "Say what kind of scale a measure is and why."),
    "scale": ("evenscale.cli.scale", "Count and draw the values that a measure can take."),
    "rank": ("evenscale.cli.rank", "Give one run's value, rank and score on a measure's scale."),
    "measures": ("evenscale.cli.measures", "List the measures, one line each."),
    "sample": ("evenscale.cli.sample", "Write the bundled sample campaign as files."),
}
"""Name, module and one line of help; the module defines a click command called `command`."""


class _Commands(click.Group):
    """A group that knows its commands' help without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in COMMANDS:
            from difflib import get_close_matches

            near = get_close_matches(name, COMMANDS, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else f" There are: {', '.join(COMMANDS)}."
            ctx.fail(f"No such command '{name}'.{hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", prog_name="evenscale", message="%(prog)s %(version)s")
def cli() -> None:
    """Evaluate search systems, and know what you may say about the scores.

    First steps: 'evenscale sample campaign' writes a small campaign, 'evenscale evaluate campaign/qrels.txt
    campaign/runs' scores it.
    """


def main() -> None:
    """Run the command line; bad input ends with one line on stderr and exit code 2."""
    try:
        cli.main(standalone_mode=False)
    except click.exceptions.Abort:
        click.echo("interrupted", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except EvenscaleError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        # The reader (head, less) has gone; leave quietly, and keep Python from flushing into the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
