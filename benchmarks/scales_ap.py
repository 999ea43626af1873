"""The scale of AP at depth 30: 2^30 runs, swept, stored, opened again and looked into; measured against `numpy.sort`.

Every part runs in a process of its own, timed inside it after imports, in an empty cache and without the scales that
are shipped. The sort runs before and after the build: absolute times depend on the machine and its load, the ratios
much less. The compiled loops are made first and reported by themselves, since they are kept on disk.
Usage: python benchmarks/scales_ap.py [--depth 30] [--runs 6450]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from evenscale.measures.average_precision import AP
from evenscale.orders.universe import Universe
from evenscale.scales import store
from evenscale.scales.cumulative import Budget, CumulativeEngine

TARGETS = {"build / sort": 8.0, "peak MB": 1000.0, "open s": 0.1, "index KB": 300.0, "ranks s": 10.0, "tallies s": 60.0}


def sort() -> dict[str, Any]:
    """`numpy.sort` on 2^26 random 64-bit integers, three times."""
    values = np.random.default_rng(0).integers(0, 1 << 62, 1 << 26)
    np.sort(values)  # the first one pays for memory that the others find
    return {"sort s": [timed(lambda: np.sort(values))[0] for _ in range(3)]}


def build(depth: int) -> dict[str, Any]:
    """Sweep and store the scale."""
    scale = engine(depth)
    seconds, size = timed(lambda: scale.size)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"build s": seconds, "size": size, "pairs": scale.halves.pairs, "peak MB": peak, "gaps": scale.gaps()}


def warm(depth: int) -> dict[str, Any]:
    """Compile the loops, or load them, on a small scale."""
    scale = engine(min(depth, 16), stored=False, budget=Budget(long=1 << 9, window=1 << 9))
    return {"compile or load s": timed(lambda: (scale.size, scale.ranks(campaign(9, scale.universe.depth))))[0]}


def reopen(depth: int) -> dict[str, Any]:
    """Open the stored scale: from the measure to its size."""
    seconds, scale = timed(lambda: (opened := engine(depth), opened.size)[0])
    return {"open s": seconds, "open size": scale.size}


def ranks(depth: int, runs: int) -> dict[str, Any]:
    """Rank many runs with the stored scale; loading the compiled loops is part of it."""
    scale, judged = engine(depth), campaign(runs, depth)
    seconds, found = timed(lambda: scale.ranks(judged))
    return {"ranks s": seconds, "distinct ranks": len(set(found))}


def tallies(depth: int, runs: int) -> dict[str, Any]:
    """Count the runs below and equal."""
    scale, judged = engine(depth), campaign(runs, depth)
    seconds, found = timed(lambda: scale.tallies(judged))
    assert all(below >= 0 and same >= 1 and below + same <= 1 << depth for below, same in found)
    return {"tallies s": seconds}


def engine(depth: int, **options: Any) -> Any:
    universe = Universe(depth)
    return CumulativeEngine(AP().walk(universe.topic, depth), universe, label=f"AP@{depth}", **options)


def campaign(runs: int, depth: int) -> np.ndarray:
    """Judged runs of systems of different skill on topics of different difficulty."""
    rng = np.random.default_rng(8)
    skill, decay = rng.beta(2, 3, (runs, 1)), rng.uniform(5, 60, (runs, 1))
    return (rng.random((runs, depth)) < skill * np.exp(-np.arange(depth) / decay)).astype(np.int64)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


PARTS: dict[str, Callable[..., dict[str, Any]]] = {
    part.__name__: part for part in (sort, warm, build, reopen, ranks, tallies)
}


def part(name: str, *arguments: int) -> dict[str, Any]:
    """One part in a process of its own."""
    command = [sys.executable, __file__, "--part", name, *map(str, arguments)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout))


def measured(depth: int, runs: int) -> dict[str, Any]:
    """All parts."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EVENSCALE_CACHE"] = folder
        before = part("sort")["sort s"]
        found = {**part("warm", depth), **part("build", depth)}
        sorts = before + part("sort")["sort s"]
        (index,) = (os.path.join(folder, name) for name in os.listdir(folder))
        found["index KB"] = os.path.getsize(index) / 1024
        for name, arguments in (("reopen", [depth]), ("ranks", [depth, runs]), ("tallies", [depth, runs])):
            found |= part(name, *arguments)
    assert found.pop("open size") == found["size"]
    found["sort s"] = statistics.median(sorts)
    found["build / sort"] = found["build s"] / found["sort s"]
    found["pairs per s"] = found["pairs"] / found["build s"]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--depth", type=int, default=30)
    parser.add_argument("--runs", type=int, default=6450)
    parser.add_argument("--part", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        store.SHIPPED = Path(os.environ["EVENSCALE_CACHE"]) / "nothing"
        name, *arguments = options.part
        print(json.dumps(PARTS[name](*map(int, arguments))))
        return
    for name, value in measured(options.depth, options.runs).items():
        shown = f"{value:,.3f}" if isinstance(value, float) else value if isinstance(value, list) else f"{value:,}"
        target = TARGETS.get(name)
        verdict = "" if target is None else f"  (at most {target:g}: {'met' if value <= target else 'MISSED'})"
        print(f"{name:18} {shown}{verdict}")


if __name__ == "__main__":
    main()
