"""The report in a real browser: it works, looks right at both widths, loads nothing and lets no name out.

Screenshots are kept in `test-artefacts/`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from report.browser import ARGUMENTS, DESKTOP, PHONE, Visit, browser_path, visit
from report.pages import HOSTILE, hostile_page, lone_page, sample_contents, sample_page, trec8_page
from shared_data import needs_trec8

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
pytestmark = [
    pytest.mark.skipif(browser_path() is None, reason="there is no Chromium on this machine"),
    pytest.mark.xdist_group("report"),
]

PAGES = {"sample": sample_page, "hostile": hostile_page, "lone": lone_page}
Write = Callable[[str, str], Path]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as tools:
        started = tools.chromium.launch(executable_path=browser_path(), args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Write:
    folder = tmp_path_factory.mktemp("pages")

    def write(name: str, text: str) -> Path:
        path = folder / f"{name}.html"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def opened(browser: Any, files: Write) -> Iterator[Visit]:
    """The sample's page in a window as wide as a desk; nothing may have gone wrong at the end."""
    with visit(browser, files("sample", sample_page())) as met:
        yield met
        met.check()


def column(met: Visit, table: str, number: int) -> list[str]:
    """The visible cells of a column."""
    rows = met.page.locator(f"#{table} tbody tr:not(.off)")
    return [text.strip() for text in rows.locator(f"xpath=./*[{number}]").all_inner_texts()]


def means() -> list[float]:
    return sample_contents().parts[0].leaderboard["mean"].to_list()


# --- every page, at both widths, light, dark and printed ------------------------------------------------------------


@pytest.mark.parametrize("name", PAGES)
def test_pages_open_quietly_and_fit(browser: Any, files: Write, name: str) -> None:
    path = files(name, PAGES[name]())
    for size, words in ((DESKTOP, "desktop"), (PHONE, "phone")):
        with visit(browser, path, size) as met:
            assert met.fits(), words
            met.keep(f"{name}-{words}")
            met.page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
            met.page.evaluate("document.querySelectorAll('.off').forEach(part => part.classList.remove('off'))")
            assert met.fits(), f"{words}, all opened"
            met.check()


def test_wide_content_would_be_noticed(browser: Any, files: Write) -> None:
    spoilt = sample_page().replace("<h1>", '<div style="width:3000px">wide</div><h1>')
    with visit(browser, files("wide", spoilt)) as met:
        assert not met.fits()


def test_requests_and_scripts_would_be_noticed(browser: Any, files: Write) -> None:
    spoilt = sample_page().replace("</main>", '<img src="https://example.org/x.png" alt=""></main>')
    with visit(browser, files("curious", spoilt)) as met:
        with pytest.raises(AssertionError):
            met.check()
        assert any("Content Security Policy" in line for line in met.complaints)


def test_dark_page_and_print(browser: Any, files: Write) -> None:
    path = files("sample", sample_page())
    with visit(browser, path, color_scheme="dark") as met:
        dark = met.page.evaluate("getComputedStyle(document.body).backgroundColor")
        met.keep("sample-dark")
        assert met.page.locator("#theme").inner_text() == "Light page"
        met.page.locator("#theme").click()
        assert met.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)" != dark
        met.page.locator("#theme").click()
        met.page.emulate_media(media="print")
        assert met.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert not met.page.locator(".bar").is_visible()
        assert met.page.locator("#means-0").is_visible()
        assert not met.page.locator("#means-1").is_visible(), "paper shows the measure that was chosen"
        assert "mean" in met.page.locator("#board thead").inner_text()
        met.keep("sample-print")
        met.check()


def test_figures_change_their_colours_in_the_dark(browser: Any, files: Write) -> None:
    found = []
    for scheme in ("light", "dark"):
        with visit(browser, files("sample", sample_page()), color_scheme=scheme) as met:
            text = met.page.locator(".drawing svg text").first
            found.append(text.evaluate("element => getComputedStyle(element).fill"))
    assert found == ["rgb(43, 47, 54)", "rgb(228, 233, 238)"]


def test_page_is_complete_without_script(browser: Any, files: Write) -> None:
    with visit(browser, files("sample", sample_page()), java_script_enabled=False) as met:
        assert met.page.locator("#board tbody tr:visible").count() == 24
        assert met.page.locator("#topics-0 tbody tr:visible").count() == 50
        assert met.page.locator("#topics-1 tbody tr:visible").count() == 50
        assert met.page.locator(".bar").is_hidden() and met.page.locator("input:visible").count() == 0
        assert met.page.locator(".drawing svg:visible").count() >= 10


# --- sorting, filtering, choosing -----------------------------------------------------------------------------------


def test_sorting_by_mouse_and_keyboard(opened: Visit) -> None:
    assert column(opened, "board", 3) == [f"{mean:.4f}" for mean in means()]
    head = opened.page.locator("#board thead tr:last-child th:nth-child(3)")
    assert head.get_attribute("aria-sort") is None
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert column(opened, "board", 3) == [f"{mean:.4f}" for mean in means()]
    head.locator("button").focus()
    opened.page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(opened, "board", 3) == [f"{mean:.4f}" for mean in reversed(means())]
    opened.page.locator("#board thead tr:last-child th:nth-child(1) button").press("Space")
    assert column(opened, "board", 1) == sorted(sample_contents().systems)
    assert opened.page.locator("#board th[aria-sort]").count() == 1
    opened.page.wait_for_function("document.getElementById('live').textContent.startsWith('Sorted by system')")


def test_sorting_by_moves_takes_numbers_not_arrows(opened: Visit) -> None:
    opened.page.locator("#board thead tr:last-child th:nth-child(5) button").click()
    moved = sorted(sample_contents().parts[0].leaderboard["moved"].to_list(), reverse=True)
    assert column(opened, "board", 5) == [f"{'▲' if k > 0 else '▼'} {abs(k)}" if k else "=" for k in moved]


def test_filtering(opened: Visit) -> None:
    opened.page.get_by_label("Filter systems").first.fill("L")
    wanted = [name for name in sample_contents().systems if "l" in name]
    assert column(opened, "board", 1) == wanted
    assert opened.page.locator("#board-count").inner_text() == f"{len(wanted)} of 24 shown"
    opened.page.get_by_label("Filter systems").first.fill("no such system")
    assert column(opened, "board", 1) == []
    opened.page.get_by_label("Filter systems").first.fill("")
    assert len(column(opened, "board", 1)) == 24


def test_long_tables_open_on_demand(opened: Visit) -> None:
    assert len(column(opened, "topics-0", 1)) == 10
    button = opened.page.get_by_role("button", name="Show all 50 topics")
    button.press("Enter")
    assert len(column(opened, "topics-0", 1)) == 50
    opened.page.get_by_role("button", name="Show the first 10").click()
    assert len(column(opened, "topics-0", 1)) == 10


def test_one_measure_at_a_time(opened: Visit) -> None:
    first, second = opened.page.locator("#topics-0"), opened.page.locator("#topics-1")
    assert first.is_visible() and not second.is_visible()
    opened.page.get_by_role("radio", name="AP@10").focus()
    opened.page.keyboard.press("ArrowRight")
    assert second.is_visible() and not first.is_visible()
    opened.page.get_by_role("radio", name="all").check(force=True)
    assert first.is_visible() and second.is_visible()


def test_a_system_s_card_and_highlight(opened: Visit) -> None:
    name = sample_contents().systems[2]
    opened.page.locator("#board").get_by_role("link", name=name, exact=True).click()
    card = opened.page.get_by_role("dialog")
    assert card.is_visible() and card.get_by_role("heading").inner_text() == name
    first = card.locator("#card-scores tbody tr").first.locator("th, td").all_inner_texts()
    evaluation = sample_contents().evaluation
    scores = [evaluation.matrix(label)[0, evaluation.runs.index(name)] for label in ("AP@10", "P@10")]
    assert first == [evaluation.topics[0], *(f"{score:.4f}" for score in scores)]
    opened.page.keyboard.press("Escape")
    assert card.is_hidden()
    marked = opened.page.locator("tr.marked th").all_inner_texts()
    assert len(marked) >= 4 and set(marked) <= {name, ""}
    opened.page.get_by_label("Clear the highlight").click()
    assert opened.page.locator("tr.marked").count() == 0


def test_copying(opened: Visit) -> None:
    opened.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened.page.get_by_role("button", name="Copy text").click()
    opened.page.wait_for_function("document.getElementById('live').textContent === 'Copied'")
    assert opened.page.evaluate("navigator.clipboard.readText()") == sample_contents().methods.text


def test_readers_without_eyes_find_their_way(opened: Visit) -> None:
    page = opened.page
    assert page.get_by_role("main").count() == page.get_by_role("banner").count() == 1
    assert page.get_by_role("navigation").count() == 1
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the results"
    assert page.locator("table[id]:not(:has(caption))").count() == 0
    assert page.locator(".drawing svg:not([role=img])").count() == 0
    levels = [int(tag[1]) for tag in page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map(h => h.tagName)")]
    assert levels[0] == 1 and all(after <= before + 1 for before, after in pairwise(levels))


# --- hostile names --------------------------------------------------------------------------------------------------


def test_no_name_becomes_markup(browser: Any, files: Write) -> None:
    with visit(browser, files("hostile", hostile_page())) as met:
        page = met.page
        assert page.evaluate("document.querySelectorAll('script').length") == 2
        assert page.evaluate("document.querySelectorAll('img, iframe, b, i, u').length") == 0
        for link in page.locator("#board tbody th a").all():
            link.click()
            page.keyboard.press("Escape")
        shown = page.evaluate("JSON.parse(document.getElementById('data').textContent).systems")
        assert sorted(shown) == sorted(HOSTILE)
        assert page.evaluate("document.querySelectorAll('script').length") == 2
        assert page.evaluate("document.querySelectorAll('svg script, svg foreignObject, svg a, svg image').length") == 0
        assert met.fits()
        met.check()


# --- a large campaign -----------------------------------------------------------------------------------------------


@needs_trec8
def test_trec8(browser: Any, files: Write) -> None:
    text = trec8_page()
    assert len(text.encode()) < 5_000_000
    path = files("trec8", text)
    for size, words in ((DESKTOP, "desktop"), (PHONE, "phone")):
        with visit(browser, path, size) as met:
            assert met.fits()
            assert len(column(met, "board", 1)) == 20
            met.page.get_by_role("button", name="Show all 129 systems").first.click()
            assert len(column(met, "board", 1)) == 129
            met.page.get_by_label("Filter systems").first.fill("readware")
            assert column(met, "board", 1) == ["READWARE2", "READWARE"]
            met.keep(f"trec8-{words}")
            met.check()
