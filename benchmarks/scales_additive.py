"""Ranks on the scales of additive measures: as many runs as a campaign of 129 systems and 50 topics has.

The exact engine at depth 30, the approximate one at 100 and 1000. Building the scale is part of the time, compiling
is not (a first call compiles the counting loop, or loads it from the cache). Processor time is given beside
elapsed time, because machines are shared.

Usage: python benchmarks/scales_additive.py [--runs 6450] [--deep]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from evenscale.measures import parse
from evenscale.orders.universe import Universe
from evenscale.scales.additive import AdditiveEngine
from evenscale.scales.deep import DeepEngine

EXACT = [
    ("DCG(dcg='jk')", 30, 1, None),
    ("DCG(dcg='jk',base=10)", 30, 1, None),
    ("DCG", 30, 1, None),
    ("RBP(p=0.8)", 30, 1, None),
    ("RBP(p=0.95)", 30, 1, None),
    ("DCG", 30, 1, 10),
    ("DCG", 15, 4, None),
]
DEEP = [
    ("DCG(dcg='jk')", 100, 1),
    ("DCG", 100, 1),
    ("DCG", 100, 4),
    ("RBP(p=0.8)", 100, 1),
    ("DCG(dcg='jk')", 1000, 1),
    ("DCG", 1000, 4),
    ("RBP(p=0.95)", 1000, 1),
]


def judged_runs(number: int, depth: int, grades: int, most: int | None = None) -> np.ndarray:
    """Runs like those of a campaign: relevant documents thin out down the ranks."""
    rng = np.random.default_rng(8)
    chance = rng.uniform(0.1, 0.9, (number, 1)) * np.minimum(1, 10 / np.arange(1, depth + 1)) ** 0.5
    runs = rng.binomial(grades, chance).astype(np.int8)
    if most is not None:
        runs[np.cumsum(runs > 0, axis=1) > most] = 0
    return runs


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    wall, processor = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - wall, time.process_time() - processor


def engine_of(kind: type[Any], measure: str, universe: Universe) -> Any:
    return kind(parse(f"{measure}@{universe.depth}").walk(universe.topic, universe.depth), universe)


def exact(number: int) -> None:
    engine_of(AdditiveEngine, "DCG", Universe(4)).ranks(np.zeros((1, 4), dtype=np.int8))
    print(f"{'exact':26}{'depth':>6}{'grades':>7}{'recall':>7}{'values':>16}{'ranks':>9}{'(cpu)':>9}{'tallies':>9}")
    for measure, depth, grades, base in EXACT:
        universe, runs = Universe(depth, grades, base), judged_runs(number, depth, grades, base)
        engine: Any = None

        def ranked(universe: Universe = universe, runs: np.ndarray = runs, measure: str = measure) -> Any:
            made = engine_of(AdditiveEngine, measure, universe)
            made.ranks(runs)
            return made

        engine, wall, processor = timed(ranked)
        tallies = timed(lambda engine=engine, runs=runs: engine.tallies(runs))[1]
        size, recall = f"{engine.size:,}", base or "-"
        print(f"{measure:26}{depth:6}{grades:7}{recall:>7}{size:>16}{wall:8.2f}s{processor:8.2f}s{tallies:8.2f}s")


def deep(number: int) -> None:
    print(f"{'approximate':26}{'depth':>6}{'grades':>7}{'bits':>7}{'series':>9}{'shares':>9}{'(cpu)':>9}   error")
    for measure, depth, grades in DEEP:
        universe, runs = Universe(depth, grades), judged_runs(number, depth, grades)

        def made(universe: Universe = universe, measure: str = measure) -> Any:
            engine = engine_of(DeepEngine, measure, universe)
            return engine, engine.error

        (engine, error), built, _ = timed(made)
        _, wall, processor = timed(lambda engine=engine, runs=runs: engine.shares(runs))
        bits = engine.size.bit_length()
        print(f"{measure:26}{depth:6}{grades:7}{bits:7}{built:8.2f}s{wall:8.2f}s{processor:8.2f}s   {error:.1e}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=6450)
    parser.add_argument("--deep", action="store_true", help="the approximate engine too")
    options = parser.parse_args()
    exact(options.runs)
    if options.deep:
        deep(options.runs)


if __name__ == "__main__":
    main()
