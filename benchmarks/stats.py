"""Statistics for a whole campaign: time of the eight tests, and the type I error of every test on null campaigns.

Usage: python benchmarks/stats.py [--campaigns 400] [--skip-null]

Times are for 129 systems x 50 topics (8,256 pairs each), warm, beside per-pair calls of SciPy on a sample of the pairs
scaled up. A null campaign has systems that do not differ: topic effects and independent errors, normal or skewed. For
tests that look at one pair at a time the rate is that of a single pair; for joint tests it is the share of campaigns
with any pair found significant. The bounds are those within which the rate of a test that keeps its level exactly would
lie in 99.9 % of such studies; discrete tests (sign, signed-rank) and those that ignore the topics (one-way ANOVA,
Kruskal-Wallis, rank-sum) lie below, no test may lie above.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from evenscale.stats import TESTS, Scores, compare
from evenscale.tables import Table

EIGHT = ("sign", "rank-sum", "signed-rank", "t", "anova1", "kruskal", "anova2", "friedman")
ALPHA = 0.05


def campaign(
    rng: np.random.Generator, topics: int, systems: int, *, skewed: bool = False, apart: float = 0.0
) -> Scores:
    base = rng.beta(1.2, 2.5, (topics, 1))
    noise = rng.gamma(1.5, 0.05, (topics, systems)) if skewed else rng.normal(0, 0.08, (topics, systems))
    return Scores.of(base + noise + apart * np.linspace(0, 1, systems))


def times() -> None:
    scores = campaign(np.random.default_rng(1), 50, 129, apart=0.3)
    for test in EIGHT:
        compare(scores, test=test)
    rows = []
    for test in EIGHT:
        started = time.perf_counter()
        TESTS[test](scores, alpha=ALPHA)
        rows.append((test, time.perf_counter() - started))
    rows.append(("all eight", sum(seconds for _, seconds in rows)))
    print(Table(("test", "seconds"), rows, title="129 systems x 50 topics, all 8,256 pairs", digits=3).text())
    print(f"\nper-pair calls of SciPy for sign, rank-sum, signed-rank and t would take {peers(scores):.1f} s")


def peers(scores: Scores, sample: int = 200) -> float:
    """Seconds for four tests of every pair by SciPy, from a sample of the pairs."""
    from scipy import stats

    rng = np.random.default_rng(2)
    first, second = scores.pairs
    chosen = rng.choice(len(first), sample, replace=False)
    started = time.perf_counter()
    for i, j in zip(first[chosen], second[chosen], strict=True):
        a, b = scores.values[:, i], scores.values[:, j]
        stats.binomtest(int((a > b).sum()), len(a))
        stats.mannwhitneyu(a, b, method="asymptotic")
        stats.wilcoxon(a, b, method="asymptotic")
        stats.ttest_rel(a, b)
    return (time.perf_counter() - started) / sample * len(first)


def null(campaigns: int, topics: int = 30, systems: int = 6) -> None:
    rows = []
    for test, about in TESTS.items():
        row: list[str | float] = [test, "any pair" if about.joint else "one pair"]
        for skewed in (False, True):
            rng = np.random.default_rng(7)
            hits = sum(hit(campaign(rng, topics, systems, skewed=skewed), test, k) for k in range(campaigns))
            row.append(hits / campaigns)
        rows.append(tuple(row))
    spread = 3.29 * (ALPHA * (1 - ALPHA) / campaigns) ** 0.5
    title = (
        f"type I error at alpha = {ALPHA}, {campaigns} null campaigns of {systems} systems x {topics} topics; "
        f"bounds {max(0, ALPHA - spread):.3f} to {ALPHA + spread:.3f}"
    )
    print(Table(("test", "rate of", "normal errors", "skewed errors"), rows, title=title, digits=3).text())


def hit(scores: Scores, test: str, seed: int) -> bool:
    found = compare(scores, test=test, resamples=499, rng=np.random.default_rng(seed)).comparisons.significant
    return bool(found.any() if TESTS[test].joint else found[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=1000)
    parser.add_argument("--skip-null", action="store_true")
    options = parser.parse_args()
    times()
    if not options.skip_null:
        print()
        null(options.campaigns)


if __name__ == "__main__":
    main()
