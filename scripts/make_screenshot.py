"""Take the picture of the sample campaign's report that the README shows: the top of the page, 1280 pixels wide.

Needs Playwright for Python and an installed Chromium. Usage: python scripts/make_screenshot.py [docs/report-sample.png]
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from evenscale.bundled import sample
from evenscale.report.page import make_report

WIDTH, HEIGHT = 1280, 1800
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run")


def take(target: Path) -> None:
    """Write the sample's report to a temporary folder, open it and keep what shows first."""
    browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser_path is None:
        raise SystemExit(f"no browser found: expected one of {', '.join(BROWSERS)}")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as tools:
        report = make_report(*sample(), output=Path(folder) / "report.html", title="The sample campaign")
        browser = tools.chromium.launch(executable_path=browser_path, args=list(ARGUMENTS))
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, reduced_motion="reduce")
        page.goto(report.resolve().as_uri())
        page.screenshot(path=target)
        browser.close()


if __name__ == "__main__":
    take(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/report-sample.png"))
