"""Sweep the scales that come with the package, and put their indexes where they are shipped.

Only scales that take more than a moment are worth shipping; smaller ones are listed in memory. An index is named after
the fingerprint of the measure's steps: after a change to a measure or to the format, run this again, and remove what no
longer belongs. Usage: python scripts/make_shipped_scales.py [AP@30 ...]
"""

from __future__ import annotations

import sys
import time

from evenscale.measures import parse
from evenscale.orders.universe import Universe
from evenscale.scales import store
from evenscale.scales.cumulative import CumulativeEngine

LABELS = ("AP@30", "ERR@30")


def make(label: str) -> str:
    """Sweep one scale over binary grades and ship its index; a line about it."""
    measure = parse(label)
    assert measure.cutoff is not None
    universe = Universe(measure.cutoff)
    walk = measure.walk(universe.topic, universe.depth)
    started = time.perf_counter()
    index = CumulativeEngine(walk, universe, label=label, stored=False).index
    if not store.save(index, store.SHIPPED):
        raise SystemExit(f"{store.SHIPPED} cannot be written to")
    return f"{label}: {index.size:,} values in {len(index.counts):,} windows, {time.perf_counter() - started:.1f} s"


def main() -> None:
    for label in sys.argv[1:] or LABELS:
        sys.stdout.write(make(label) + "\n")


if __name__ == "__main__":
    main()
