"""The studentised range: evenscale beside SciPy, for all pairs of a campaign and far in the tail.

8,256 p-values of 129 systems with 6,272 degrees of freedom: ours all at once, SciPy on a sample and scaled up. Then
relative errors where k = 2, against the t distribution in high precision.

Usage: python benchmarks/studentised.py [--sample 10]
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections.abc import Callable

import mpmath as mp
import numpy as np
from scipy.stats import studentized_range

from evenscale.stats import studentised
from evenscale.tables import Table

PAIRS, SYSTEMS, DF = 8256, 129, 6272


def seconds(call: Callable[[], object], rounds: int = 3) -> float:
    """The best of some rounds."""
    best = math.inf
    for _ in range(rounds):
        started = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - started)
    return best


def fresh(call: Callable[[], object]) -> Callable[[], object]:
    """With nothing prepared for this number of systems."""

    def timed() -> None:
        studentised._range_tail.cache_clear()
        call()

    return timed


def speed(sample: int) -> Table:
    q = np.linspace(0.01, 30, PAIRS)
    some = q[:: PAIRS // sample]
    theirs = seconds(lambda: studentized_range.sf(some, SYSTEMS, DF), rounds=1) * PAIRS / len(some)
    inverse = seconds(lambda: studentized_range.isf(0.05, SYSTEMS, DF), rounds=1)
    rows = [
        ("evenscale, first call", seconds(fresh(lambda: studentised.sf(q, SYSTEMS, DF)))),
        ("evenscale, again", seconds(lambda: studentised.sf(q, SYSTEMS, DF))),
        ("evenscale, infinite df", seconds(lambda: studentised.sf(q, SYSTEMS, math.inf))),
        (f"SciPy, from {len(some)} values", theirs),
        ("evenscale, one inverse", seconds(lambda: studentised.isf(0.05, SYSTEMS, DF))),
        ("SciPy, one inverse", inverse),
    ]
    return Table(["what", "seconds"], rows, title=f"{PAIRS} p-values, k = {SYSTEMS}, df = {DF}", digits=3)


def accuracy() -> Table:
    rows = []
    with mp.workdps(40):
        for p in (0.05, 1e-6, 1e-12, 1e-18, 1e-30):
            q = float(studentised.isf(p, 2, 98))
            x2 = mp.mpf(q) ** 2 / 2
            right = mp.betainc(49, mp.mpf(1) / 2, 0, 98 / (98 + x2), regularized=True)
            errors = [
                abs(float(value / right) - 1) for value in (studentised.sf(q, 2, 98), studentized_range.sf(q, 2, 98))
            ]
            rows.append((f"{p:g}", *(f"{error:.1e}" for error in errors)))
    return Table(["p", "evenscale", "SciPy"], rows, title="Relative error of the tail, k = 2, df = 98")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=10)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # SciPy's quadrature says that it is unsure
    print(speed(options.sample).text(), accuracy().text(), sep="\n\n")


if __name__ == "__main__":
    main()
