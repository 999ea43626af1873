"""The report of a whole campaign: making the page and opening it in a browser.

Usage: python benchmarks/report.py QRELS RUNS [-m MEASURE ...]
The page is made twice in processes of their own, as a user does, after the scales were looked up once; then it is
opened three times in Chromium, where there is one, until its tables react.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MEASURES = ("AP@30", "nDCG@10", "P@10", "RR@10", "RBP(p=0.8)@10")
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")


def make(qrels: str, runs: str, measures: list[str], output: Path) -> float:
    """Seconds of `evenscale report`, start of the interpreter included."""
    asked = [part for measure in measures for part in ("-m", measure)]
    words = ["report", qrels, runs, *asked, "-q", "-o", str(output)]
    start = time.perf_counter()
    code = "from evenscale.cli import main; main()"
    subprocess.run([sys.executable, "-c", code, *words], check=True, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def usable(path: Path) -> list[float]:
    """Seconds until a click on a heading has sorted the leaderboard, three times; empty without a browser."""
    browser = next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), ""
    )
    if not browser:
        return []
    from playwright.sync_api import sync_playwright

    times = []
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser, args=list(QUIET))
        for _ in range(3):
            page = opened.new_page(viewport={"width": 1280, "height": 900})
            start = time.perf_counter()
            page.goto(path.as_uri())
            page.locator("#board thead button").first.click()
            page.locator("#board th[aria-sort=ascending], #board th[aria-sort=descending]").first.wait_for()
            times.append(time.perf_counter() - start)
            page.close()
        opened.close()
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("qrels")
    parser.add_argument("runs")
    parser.add_argument("-m", dest="measures", action="append")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        seconds = [make(chosen.qrels, chosen.runs, chosen.measures or list(MEASURES), path) for _ in range(2)]
        print(f"page made in {min(seconds):.1f} s (first time {seconds[0]:.1f} s), {path.stat().st_size / 1e6:.1f} MB")
        opened = usable(path)
        print(f"sorted after {min(opened):.2f} to {max(opened):.2f} s in Chromium" if opened else "no browser here")


if __name__ == "__main__":
    main()
