"""Many runs: in order, in parallel, and with few of them in memory at a time."""

from __future__ import annotations

import random
import threading
import time
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from evenscale.errors import BadLine
from evenscale.files import read_runs, stream
from evenscale.files.stream import in_order


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(40):
        lines = [f"{topic} Q0 d{doc} 0 {doc * number} s{number:02}\n" for topic in range(3) for doc in range(9)]
        (tmp_path / f"{number:02}.run").write_text("".join(lines))
    return tmp_path


def test_runs_come_in_order(folder: Path) -> None:
    runs = list(read_runs(folder))
    assert [run.name for run in runs] == [f"s{number:02}" for number in range(40)]
    assert [run.frame["score"].max() for run in runs] == [8.0 * number for number in range(40)]
    assert all("keys" in run.__dict__ for run in runs)


def sleepy(number: int, running: list[int], most: list[int]) -> list[int]:
    running.append(number)
    most.append(len(running))
    time.sleep(random.Random(number).random() / 100)
    running.remove(number)
    return [number]


def test_jobs_run_side_by_side_and_give_their_results_in_order() -> None:
    running: list[int] = []
    most: list[int] = []
    jobs = [partial(sleepy, number, running, most) for number in range(30)]
    assert list(in_order(jobs, workers=3)) == list(range(30))
    assert 2 <= max(most) <= 3


def test_no_job_is_far_ahead() -> None:
    started: list[int] = []

    def job(number: int) -> list[int]:
        started.append(number)
        return [number]

    results = in_order([partial(job, number) for number in range(30)], workers=3)
    for taken in range(1, 31):
        next(results)
        time.sleep(0.002)
        assert len(started) <= taken + 3


def test_only_a_few_runs_are_in_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alive: weakref.WeakSet[object] = weakref.WeakSet()
    original: Callable[..., list[object]] = stream.runs_in  # type: ignore[assignment]

    def watched(*arguments: object, **options: object) -> list[object]:
        runs = original(*arguments, **options)
        for run in runs:
            alive.add(run)
        return runs

    monkeypatch.setattr(stream, "runs_in", watched)
    monkeypatch.setattr(stream, "WORKERS", 3)
    most = 0
    for run in read_runs(folder):
        most = max(most, len(alive))
        assert run in alive
    # Those that are ready ahead, the one in hand, and the one before it that the loop lets go of last.
    assert 0 < most <= 3 + 2


def test_an_error_stops_the_rest(folder: Path) -> None:
    (folder / "20.run").write_text("1 Q0 a 1 x t\n")
    runs = read_runs(folder)
    assert [next(runs).name for _ in range(20)] == [f"s{number:02}" for number in range(20)]
    with pytest.raises(BadLine, match=r"20\.run:1: expected a number as score, found 'x'$"):
        next(runs)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("evenscale-read")]


def test_stopping_early_ends_the_threads(folder: Path) -> None:
    runs = read_runs(folder)
    next(runs)
    runs.close()  # type: ignore[attr-defined]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("evenscale-read")]


def test_one_source_needs_no_threads(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "ThreadPoolExecutor", None)
    assert [run.name for run in read_runs(folder / "07.run")] == ["s07"]
