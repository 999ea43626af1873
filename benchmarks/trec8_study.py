"""The scale study of TREC-8 at all published depths, ours beside print (Ferrante, Ferro and Fuhr 2021, Tables 2 and 3).

Usage: python benchmarks/trec8_study.py FOLDER, where FOLDER holds qrels.trec8.adhoc.gz and runs/.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import polars as pl

from evenscale.studies import study
from evenscale.tables import Table

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))


def main(folder: Path) -> None:
    from golden.trec8_published import MEASURES, TABLE_2, TABLE_3

    rows = []
    for depth in TABLE_2:
        started = time.perf_counter()
        found = study(
            folder / "qrels.trec8.adhoc.gz", folder / "runs", depths=[depth], tie_rules=("unq", "mid"), ties="float32"
        )
        seconds = time.perf_counter() - started
        for rule, table in (("unq", TABLE_2), ("mid", TABLE_3)):
            taus = found.correlation.filter(pl.col("ties") == rule)["tau"].to_list()
            for measure, ours, printed in zip(MEASURES, taus, table[depth], strict=True):
                rows.append((depth, rule, measure, ours, printed, "" if round(ours, 4) == printed else "differs"))
        print(f"depth {depth}: {seconds:.1f} s", flush=True)
    print(Table(("depth", "ties", "measure", "ours", "print", ""), rows).text())
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
