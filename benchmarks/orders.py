"""Orders and explanations: Hasse diagrams of growing universes, and `explain` for every measure at depth 5.

Everything is measured in one process after one warm-up call. The yardstick of a Hasse diagram is the obvious way to
the covers, on the largest universe for which it is bearable.
Usage: python benchmarks/orders.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from evenscale.kinds import diagram, explain
from evenscale.measures import MEASURES
from evenscale.orders import ORDERS, Poset, Universe


def timed(call: Callable[[], Any]) -> float:
    """The least of three."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def obvious(depth: int) -> int:
    """Covers by their definition: a pair with nothing between, from the whole relation."""
    strict = ORDERS["weak"].matrix(Universe(depth))
    np.fill_diagonal(strict, False)
    between = np.array([(strict & row[:, None]).any(axis=0) for row in strict])
    return int((strict & ~between).sum())


def main() -> None:
    explain("AP@3")
    print(f"{'weak order, binary':28}{'runs':>8}{'seconds':>10}")
    for depth in (6, 8, 10, 12):
        seconds = timed(lambda depth=depth: diagram("weak", depth))  # type: ignore[misc]
        print(f"{f'Hasse diagram, N = {depth}':28}{2**depth:8}{seconds:10.3f}")
    ours = timed(lambda: Poset.of(ORDERS["weak"], Universe(10)).edges)
    print(f"covers of N = 10 by their definition take {timed(lambda: obvious(10)) / ours:.1f} times as long as ours")
    seconds = {}
    for kind in MEASURES:
        measure = kind(cutoff=5) if kind.takes_cutoff else kind()
        for grades in (1, 2):
            start = time.perf_counter()
            explain(measure, depth=5, grades=grades)
            seconds[f"{measure} with grades 0 to {grades}"] = time.perf_counter() - start
    slowest = max(seconds, key=seconds.__getitem__)
    print(f"explain at depth 5, {len(seconds)} cases: slowest {seconds[slowest]:.2f} s ({slowest})")


if __name__ == "__main__":
    main()
