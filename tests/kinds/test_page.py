"""The tables on the taxonomy page are what evenscale computes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from evenscale.kinds.every import interval_like_table, taxonomy_table
from evenscale.kinds.published import table2, table3
from evenscale.results import Result

PAGE = Path(__file__).parents[2] / "docs" / "taxonomy.md"
TABLES: dict[str, Callable[[], Result]] = {
    "measures": taxonomy_table,
    "giner2": table2,
    "giner3": table3,
    "interval-like": interval_like_table,
}
BLOCK = re.compile(r"<!-- table: (?P<name>[\w-]+) -->\n\n(?P<table>.*?)\n\n<!-- end of table -->", flags=re.DOTALL)


def blocks(page: str) -> dict[str, str]:
    """The generated tables of a page by name."""
    return {match["name"]: match["table"] for match in BLOCK.finditer(page)}


@pytest.mark.parametrize("name", TABLES)
def test_table_on_the_page_is_what_is_computed(name: str) -> None:
    made = TABLES[name]
    how = f'python -c "from {made.__module__} import {made.__name__}; print({made.__name__}().to_markdown())"'
    assert blocks(PAGE.read_text())[name] == made().to_markdown(), f"replace table {name} by the output of: {how}"


def test_every_table_of_the_page_is_checked() -> None:
    assert set(blocks(PAGE.read_text())) == set(TABLES)
    assert PAGE.read_text().count("<!-- table:") == len(TABLES)
