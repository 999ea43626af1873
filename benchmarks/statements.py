"""The leaderboard check on TREC-8: time all in, and the figures of docs/statements.md.

Usage: python benchmarks/statements.py FOLDER, a folder with qrels.trec8.adhoc.gz and runs/.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

from evenscale.scores import evaluate
from evenscale.statements import leaderboard_check
from evenscale.tables import Table

MEASURES = ("AP@30", "nDCG@10", "RBP(p=0.8)@20", "RR@10", "P@10")


def main(folder: Path) -> None:
    rows = []
    for measure in MEASURES:
        started = time.perf_counter()
        evaluation = evaluate(folder / "qrels.trec8.adhoc.gz", folder / "runs", [measure], ties="float32")
        found = leaderboard_check(evaluation, measure)
        found.to_dict()
        seconds = time.perf_counter() - started
        c, s = found.categories, found.significance
        chain, top = len(found.order["longest_chain"]), len(found.order["undominated"])
        kinds = (c["any"], c["interval"], c["flips"], c["level"] + c["tie"])
        rows.append((measure, *kinds, chain, top, s["significant"], s["survive"], s["s2ns"], s["ns2s"], seconds))
    columns = (
        "any",
        "interval",
        "flips",
        "level or tie",
        "chain",
        "undominated",
        "sig",
        "survive",
        "S2NS",
        "NS2S",
        "s",
    )
    print(Table(("measure", *columns), rows, digits=1).text())
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
