"""Reading and scoring a campaign: evenscale beside pytrec_eval-terrier and ir_measures, in one run.

AP, P@10, nDCG@10, RR and R@1000 per topic over 129 x 50 x 1000 generated documents. Every contestant runs in a fresh
process, timed inside it after imports (and once whole), in turns, for several rounds; the table gives medians and
ratios. Absolute times depend on the machine and its load, the ratios much less.

Usage: python benchmarks/evaluate.py [--rounds 3]
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))


def evenscale(qrels: str, runs: str) -> float:
    from evenscale import evaluate

    started = time.perf_counter()
    result = evaluate(qrels, runs, ["AP", "P@10", "nDCG@10", "RR", "R@1000"])
    assert result.values.shape == (5, 50, 129)
    return time.perf_counter() - started


def pytrec_eval(qrels: str, runs: str) -> float:
    import pytrec_eval as peer

    started = time.perf_counter()
    with open(qrels) as file:
        judge = peer.RelevanceEvaluator(
            peer.parse_qrel(file), {"map", "P_10", "ndcg_cut_10", "recip_rank", "recall_1000"}
        )
    for path in sorted(Path(runs).iterdir()):
        with path.open() as file:
            judge.evaluate(peer.parse_run(file))
    return time.perf_counter() - started


def ir_measures(qrels: str, runs: str) -> float:
    import ir_measures as peer
    from ir_measures import AP, RR, P, R, nDCG

    started = time.perf_counter()
    judged = list(peer.read_trec_qrels(qrels))
    for path in sorted(Path(runs).iterdir()):
        list(peer.iter_calc([AP, P @ 10, nDCG @ 10, RR, R @ 1000], judged, peer.read_trec_run(str(path))))
    return time.perf_counter() - started


CONTESTANTS: dict[str, Callable[[str, str], float]] = {
    "evenscale": evenscale,
    "pytrec_eval": pytrec_eval,
    "ir_measures": ir_measures,
}


def contest(name: str, qrels: Path, runs: Path) -> dict[str, float]:
    """One contestant in a process of its own."""
    started = time.perf_counter()
    command = [sys.executable, __file__, "--contestant", name, str(qrels), str(runs)]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {**answer, "process_s": time.perf_counter() - started}


def help_time() -> float:
    """Seconds until `evenscale --help` has answered."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "evenscale", "--help"], check=True, capture_output=True)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "evenscale-bench-129x50x1000")
    parser.add_argument("--contestant", nargs=3, metavar=("NAME", "QRELS", "RUNS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contestant:
        name, qrels, runs = options.contestant
        seconds = CONTESTANTS[name](qrels, runs)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"seconds": seconds, "peak_mb": peak}))
        return
    from campaign import make

    qrels_path, runs_path = make(options.folder)
    rounds = [{name: contest(name, qrels_path, runs_path) for name in CONTESTANTS} for _ in range(options.rounds)]
    report(rounds)


def report(rounds: list[dict[str, dict[str, float]]]) -> None:
    from evenscale.tables import Table

    def middle(name: str, key: str) -> float:
        return statistics.median(r[name][key] for r in rounds)

    def ratio(name: str) -> float:
        return statistics.median(r[name]["seconds"] / r["evenscale"]["seconds"] for r in rounds)

    rows = [
        (
            name,
            middle(name, "seconds"),
            middle(name, "process_s"),
            ratio(name),
            round(middle(name, "peak_mb")),
        )
        for name in CONTESTANTS
    ]
    title = f"129 runs x 50 topics x 1000 documents, 5 measures, median of {len(rounds)} rounds"
    print(Table(("tool", "seconds", "whole process", "times evenscale", "peak MB"), rows, title, digits=2).text())
    print(f"\nevenscale --help: {statistics.median(help_time() for _ in range(5)):.2f} s")


if __name__ == "__main__":
    main()
