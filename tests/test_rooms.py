"""Imports flow one way: each room imports only from those above it, and docs/architecture.md lists them in order."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "evenscale"
GROUND = ("_version", "lazy", "errors", "oddities", "prose", "tables", "results")  # under every room
ROOMS = (
    *("files", "judging", "bundled", "judged", "measures", "orders", "scales", "kinds", "scores"),
    *("online", "stats", "studies", "statements", "report", "cli"),
)


def imported(source: str) -> set[str]:
    """The evenscale rooms a source imports, in type-checking blocks and functions too."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("evenscale."):
            found.add(node.module.split(".")[1])
        elif isinstance(node, ast.ImportFrom) and node.module == "evenscale":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("evenscale.")}
        elif isinstance(node, ast.ImportFrom) and node.level:
            found.add("a relative import")
    return found


def trespasses(room: str, source: str) -> set[str]:
    """What a module of this room must not import."""
    allowed = set(GROUND) if room in GROUND else {*GROUND, *ROOMS[: ROOMS.index(room) + 1]}
    return imported(source) - allowed


def modules() -> list[Path]:
    return [p for p in sorted(SOURCE.rglob("*.py")) if p.name != "__main__.py" and p != SOURCE / "__init__.py"]


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_flow_one_way(path: Path) -> None:
    room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    assert not trespasses(room, path.read_text())


def test_the_check_sees_a_trespass() -> None:
    assert trespasses("measures", "from evenscale.report import html") == {"report"}
    assert trespasses("measures", "def f():\n    import evenscale.cli") == {"cli"}
    assert trespasses("errors", "from evenscale.files import Run") == {"files"}
    assert not trespasses("report", "from evenscale.measures import parse")


def test_every_room_on_disk_is_known() -> None:
    on_disk = {p.relative_to(SOURCE).parts[0].removesuffix(".py") for p in modules()}
    assert on_disk <= {*GROUND, *ROOMS}


def test_architecture_page_lists_what_is_there() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    listed = re.findall(r"^  (\w+)(?:\.py|/) ", page, flags=re.MULTILINE)
    on_disk = {p.relative_to(SOURCE).parts[0].removesuffix(".py") for p in modules()} - {"_version"}
    assert set(listed) == on_disk
    rooms = [name for name in listed if name in ROOMS]
    assert rooms == sorted(rooms, key=ROOMS.index)


@pytest.mark.parametrize("package", ["evenscale", "evenscale.orders", "evenscale.statements"])
def test_no_lazy_name_is_a_module_s_too(package: str) -> None:
    """A submodule that is imported takes its name in the package: a function of that name would be there by chance."""
    opened = importlib.import_module(package)
    modules = {path.stem for path in Path(opened.__path__[0]).iterdir()}
    assert not modules & set(opened.__all__)
    for name in opened.__all__:
        assert getattr(opened, name) is not None
