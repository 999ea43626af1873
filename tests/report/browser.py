"""A real browser for tests of the report: it records what a page complains about and whatever it tries to load."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ARTEFACTS = Path(__file__).parents[2] / "test-artefacts"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
DESKTOP, PHONE = (1280, 900), (375, 740)


def browser_path() -> str | None:
    """Where a Chromium is, if there is one."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@dataclass
class Visit:
    """A page in the browser and what was recorded about it."""

    page: Any
    address: str
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def fits(self) -> bool:
        """Whether nothing sticks out of the window sideways."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))

    def check(self) -> None:
        """Nothing went wrong, and nothing but the page itself was asked for."""
        assert self.complaints == []
        assert self.requests == [self.address]

    def keep(self, name: str) -> Path:
        """A full-length screenshot among the test artefacts."""
        ARTEFACTS.mkdir(exist_ok=True)
        path = ARTEFACTS / f"{name}.png"
        self.page.screenshot(path=path, full_page=True)
        return path


@contextmanager
def visit(browser: Any, path: Path, size: tuple[int, int] = DESKTOP, **options: Any) -> Iterator[Visit]:
    """Open a file in a fresh window; everything it loads is recorded, and nothing but files is let through."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, **{"reduced_motion": "reduce", **options}
    )
    page = context.new_page()
    met = Visit(page, path.resolve().as_uri())
    page.on("console", lambda message: met.complaints.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: met.complaints.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (met.complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("request", lambda request: met.requests.append(request.url))
    page.route("**/*", lambda route: route.continue_() if route.request.url == met.address else route.abort())
    try:
        page.goto(met.address)
        yield met
    finally:
        context.close()
