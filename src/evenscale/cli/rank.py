"""`evenscale rank`; it shares its options with `evenscale scale`."""

from evenscale.cli.scale import rank_command as command

__all__ = ["command"]
