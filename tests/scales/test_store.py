"""Indexes on disk: whole or not at all, and never trusted when damaged."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evenscale.measures import parse
from evenscale.measures.average_precision import AP
from evenscale.orders.universe import Universe
from evenscale.scales import store
from evenscale.scales.cumulative import Budget, CumulativeEngine
from evenscale.scales.cumulative.sweep import Axis

SMALL = Budget(long=1 << 8, window=1 << 6)
SIZE = {12: 3047}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own, and nothing shipped."""
    folder = tmp_path / "cache" / "scales"
    monkeypatch.setenv("EVENSCALE_CACHE", str(folder))
    monkeypatch.setattr(store, "SHIPPED", tmp_path / "shipped")
    return folder


def example(label: str = "AP@12", fingerprint: str = "ab" * 32) -> store.Index:
    starts = np.array([-5, 0, 7, 1 << 40])
    return store.Index(fingerprint, 60, (1, 1 << 90), starts, np.array([10, 0, 50]), label, 12, 1, 4)


def ap(depth: int = 12, *, budget: Budget = SMALL, label: str = "AP@12") -> CumulativeEngine:
    universe = Universe(depth)
    return CumulativeEngine(AP().walk(universe.topic, depth), universe, label=label, budget=budget)


def same(left: store.Index | None, right: store.Index) -> bool:
    return (
        left is not None
        and all(np.array_equal(getattr(left, name), getattr(right, name)) for name in ("starts", "counts"))
        and replace(left, starts=right.starts, counts=right.counts) == right
    )


@pytest.fixture
def sweeps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts how often an axis is swept."""
    done: list[int] = []
    plain = Axis.sweep
    monkeypatch.setattr(Axis, "sweep", lambda self, progress=None: (done.append(1), plain(self, progress))[1])
    return done


# --- round trip -----------------------------------------------------------------------------------------------------


def test_what_is_saved_is_loaded() -> None:
    assert store.load("ab" * 32) is None
    assert store.save(example())
    assert same(store.load("ab" * 32), example())


def test_an_index_of_many_windows_is_small(cache: Path) -> None:
    rng = np.random.default_rng(0)
    widths, counts = rng.integers(16, 32, 10_000) << 30, rng.integers(20_000, 30_000, 10_000)
    starts = np.concatenate([[0], np.cumsum(widths)])
    index = store.Index("cd" * 32, int(counts.sum()), (1, 2), starts, counts)
    store.save(index)
    assert same(store.load("cd" * 32), index)
    assert sum(path.stat().st_size for path in cache.iterdir()) < 50_000


def test_an_index_must_add_up() -> None:
    with pytest.raises(ValueError, match="add up"):
        store.Index("ab" * 32, 61, None, np.array([0, 1]), np.array([60]))
    with pytest.raises(ValueError, match="add up"):
        store.Index("ab" * 32, 60, None, np.array([0]), np.array([60]))


# --- damage ---------------------------------------------------------------------------------------------------------


def test_a_file_cut_short_anywhere_is_not_read() -> None:
    whole = store.encode(example())
    assert store.decode(whole) is not None
    assert all(store.decode(whole[:length]) is None for length in range(len(whole)))
    assert store.decode(whole + b"x") is None


def test_a_flipped_byte_anywhere_is_noticed() -> None:
    whole = store.encode(example())
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 0x10
        assert store.decode(bytes(damaged)) is None, place


def signed_again(body: bytes) -> bytes:
    return body + hashlib.sha256(body).digest()


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.replace(b"index 0001", b"index 0002"),
        lambda body: body.replace(b'"size": 60', b'"size": 61'),
        lambda body: body.replace(b'"windows": 3', b'"windows": 4'),
        lambda body: body.replace(b'"windows": 3', b'"windows": []'),
        lambda body: body.replace(b'"depth"', b'"death"'),
        lambda body: body[:-4],
        lambda body: body[:20],
    ],
)
def test_a_file_that_is_wrong_but_signed_is_not_read(change: Callable[[bytes], bytes]) -> None:
    body = store.encode(example())[:-32]
    assert store.decode(signed_again(body)) is not None
    assert store.decode(signed_again(change(body))) is None


def test_an_index_under_the_wrong_name_is_not_used(cache: Path) -> None:
    store.save(example())
    (file,) = cache.iterdir()
    file.rename(cache / ("cd" * 20 + ".scale"))
    assert store.load("cd" * 32) is None


def test_a_damaged_file_is_swept_again_and_replaced(cache: Path, sweeps: list[int]) -> None:
    assert ap().size == SIZE[12]
    assert ap().size == SIZE[12]
    assert len(sweeps) == 1
    (file,) = cache.iterdir()
    file.write_bytes(file.read_bytes()[:-1])
    assert ap().size == SIZE[12]
    assert len(sweeps) == 2
    assert ap().size == SIZE[12]
    assert len(sweeps) == 2


def test_an_index_serves_any_budget(sweeps: list[int]) -> None:
    """Windows found with one cut are looked into with another."""
    runs = np.random.default_rng(0).integers(0, 2, (200, 12))
    plain = ap(budget=Budget()).ranks(runs)
    assert ap().ranks(runs) == plain
    assert ap(budget=Budget(long=1 << 10, window=1 << 3)).ranks(runs) == plain
    assert len(sweeps) == 1


def test_another_measure_never_meets_this_index(sweeps: list[int]) -> None:
    universe = Universe(12)
    walk = AP().walk(universe.topic, 12)
    other = replace(walk, step=lambda rank, state, grade: walk.step(min(rank, 11), state, grade))
    assert ap().size == SIZE[12]
    assert CumulativeEngine(other, universe, budget=SMALL).size != SIZE[12]
    assert len(sweeps) == 2


def test_small_scales_are_not_stored(cache: Path) -> None:
    assert ap(budget=Budget()).size == SIZE[12]
    assert not cache.exists()


# --- folders --------------------------------------------------------------------------------------------------------


def test_the_shipped_index_comes_first(tmp_path: Path, sweeps: list[int]) -> None:
    index = ap().index
    store.clear()
    store.save(index, tmp_path / "shipped")
    assert ap().size == SIZE[12]
    assert len(sweeps) == 1
    assert [line.shipped for line in store.listing()] == [True]
    assert store.clear() == 0
    assert ap().size == SIZE[12]


# Found with integers over all 2^30 runs (for ERR, with residues modulo two primes of 61 bits).
@pytest.mark.parametrize(("label", "size"), [("AP@30", 426_591_837), ("ERR@30", 1_044_164_328)])
def test_what_is_shipped_belongs_to_the_measures_of_today(
    label: str, size: int, monkeypatch: pytest.MonkeyPatch, sweeps: list[int]
) -> None:
    monkeypatch.setattr(store, "SHIPPED", Path(store.__file__).parent / "shipped")
    universe = Universe(30)
    scale = CumulativeEngine(parse(label).walk(universe.topic, 30), universe)
    assert (scale.size, scale.index.label) == (size, label)
    ends = np.array([[0] * 30, [1] * 30])
    assert scale.ranks(ends) == [1, size]
    assert scale.ranks(np.eye(30, dtype=int)) == sorted(scale.ranks(np.eye(30, dtype=int)), reverse=True)
    for window in np.random.default_rng(0).integers(0, len(scale.index.counts), 5):
        start, stop = (int(edge) for edge in scale.index.starts[window : window + 2])
        assert scale.axis.slab(start, stop).size == scale.index.counts[window]
    assert sweeps == []


def test_everything_shipped_is_read_and_small(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = Path(store.__file__).parent / "shipped"
    monkeypatch.setattr(store, "SHIPPED", shipped)
    lines = [line for line in store.listing() if line.shipped]
    assert sorted(line.label for line in lines) == ["AP@30", "ERR@30"]
    assert len(list(shipped.iterdir())) == len(lines)
    assert all(line.bytes < 300_000 for line in lines)


def test_a_folder_that_cannot_be_written_is_gone_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("EVENSCALE_CACHE", str(tmp_path / "file" / "cache"))
    assert not store.save(example())
    assert ap().size == SIZE[12]
    assert (store.listing(), store.clear()) == ([], 0)


def test_no_home_folder_is_gone_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVENSCALE_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)

    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nowhere)
    assert not store.save(example())
    assert (store.load("ab" * 32), store.listing(), store.clear()) == (None, [], 0)


@pytest.mark.parametrize(
    ("platform", "variable", "expected"),
    [
        ("linux", "XDG_CACHE_HOME", "set/evenscale"),
        ("linux", "", "home/.cache/evenscale"),
        ("darwin", "", "home/Library/Caches/evenscale"),
        ("win32", "LOCALAPPDATA", "set/evenscale"),
        ("win32", "", "home/AppData/Local/evenscale"),
    ],
)
def test_each_platform_has_its_folder(
    platform: str, variable: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("EVENSCALE_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    if variable:
        monkeypatch.setenv(variable, str(tmp_path / "set"))
    assert store.folder() == tmp_path / expected


def test_listing_and_clearing(cache: Path) -> None:
    for label, fingerprint in (("AP@12", "ab" * 32), ("ERR@30", "cd" * 32)):
        store.save(example(label, fingerprint))
    (cache / ("ef" * 20 + ".scale")).write_bytes(b"not an index")
    for other in ("notes.txt", ".other.tmp", "music.scale"):
        (cache / other).write_text("somebody's")
    lines = store.listing()
    assert [line.label for line in lines] == ["AP@12", "ERR@30"]
    line = lines[0]
    assert (line.depth, line.grades, line.recall_base, line.size, line.shipped) == (12, 1, 4, 60, False)
    assert line.bytes == (cache / ("ab" * 20 + ".scale")).stat().st_size
    assert line.date.startswith("20")
    assert store.clear() == 3
    assert sorted(path.name for path in cache.iterdir()) == [".other.tmp", "music.scale", "notes.txt"]
    assert store.listing() == []


# --- other processes ------------------------------------------------------------------------------------------------

BUILD = """
from evenscale.measures import parse
from evenscale.measures.average_precision import AP
from evenscale.scales import store
from evenscale.scales.cumulative import Budget, CumulativeEngine
from evenscale.orders.universe import Universe
from pathlib import Path
store.SHIPPED = Path("/nowhere")
u = Universe({depth})
print(CumulativeEngine(AP().walk(u.topic, {depth}), u, budget=Budget(long={long}, window={window})).size, flush=True)
"""

HANG = """
import os, time
def hang(source, target, plain=os.replace):
    if not str(target).endswith(".scale"):
        return plain(source, target)
    print("writing", flush=True)
    time.sleep(60)
"""


def child(script: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)


def test_two_processes_may_build_at_once(cache: Path) -> None:
    children = [child(BUILD.format(depth=12, long=1 << 8, window=window)) for window in (50, 60)]
    assert [each.communicate(timeout=120)[0].strip() for each in children] == [str(SIZE[12])] * 2
    assert len(list(cache.iterdir())) == 1
    assert ap().size == SIZE[12]


def test_killed_between_writing_and_moving_leaves_no_index(
    cache: Path, monkeypatch: pytest.MonkeyPatch, sweeps: list[int]
) -> None:
    victim = child(HANG + BUILD.format(depth=12, long=1 << 8, window=64).replace("u = ", "os.replace = hang\nu = "))
    assert victim.stdout is not None
    assert victim.stdout.readline().strip() == "writing"
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    victim.stdout.close()
    assert [path.suffix for path in cache.iterdir()] == [".tmp"]
    assert store.listing() == []
    assert ap().size == SIZE[12]
    assert len(sweeps) == 1
    assert sorted(path.suffix for path in cache.iterdir()) == [".scale", ".tmp"]  # it may still be somebody's
    old = time.time() - store.STALE - 1
    os.utime(next(cache.glob(".*.tmp")), (old, old))
    store.save(example())
    assert {path.suffix for path in cache.iterdir()} == {".scale"}


def test_killed_during_the_sweep_leaves_nothing(cache: Path) -> None:
    script = "print('started', flush=True)\n" + BUILD.format(depth=30, long=1 << 22, window=1 << 16)
    victim = child(script)
    assert victim.stdout is not None
    assert victim.stdout.readline().strip() == "started"
    time.sleep(1.5)
    assert victim.poll() is None
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    victim.stdout.close()
    assert not cache.exists() or not list(cache.iterdir())
