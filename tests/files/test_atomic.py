"""A file is written whole or not at all."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from evenscale.errors import BadFile, BadParameter
from evenscale.files import atomic, read_run, write_run, writing
from evenscale.files.atomic import _unwritable


def test_text_and_bytes(tmp_path: Path) -> None:
    with atomic(tmp_path / "t", "w") as text:
        text.write("ü\n")
    with atomic(str(tmp_path / "b")) as out:
        out.write(b"\x00")
    assert (tmp_path / "t").read_bytes() == "ü\n".encode()
    assert (tmp_path / "b").read_bytes() == b"\x00"


def test_nothing_is_there_before_the_end(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_text("old")
    with atomic(path, "w") as out:
        out.write("new")
        out.flush()
        assert path.read_text() == "old"
        assert [p.name.startswith(".") for p in tmp_path.iterdir() if p != path] == [True]
    assert path.read_text() == "new"


def fail(path: Path, error: BaseException) -> None:
    with atomic(path, "w") as out:
        out.write("new")
        raise error


@pytest.mark.parametrize("error", [ValueError(), KeyboardInterrupt()])
def test_failure_leaves_what_was_there(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "t"
    path.write_text("old")
    with pytest.raises(type(error)):
        fail(path, error)
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("t", "old")]


def test_failed_move_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "replace", refuse)
    with (
        pytest.raises(BadFile, match="cannot be written: invalid cross-device link"),
        atomic(tmp_path / "t") as out,
    ):
        out.write(b"x")
    assert list(tmp_path.iterdir()) == []


def test_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def __enter__(self) -> Full:
            return self

        def __exit__(self, *_: object) -> None: ...

        def write(self, _: bytes) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "atomic", lambda *_: Full())
    with pytest.raises(BadFile, match=r"x\.run: cannot be written: no space left on device$"):
        write_run(read_run({"1": {"a": 1}}, name="x"), tmp_path / "x.run")


def test_umask_and_old_permissions_are_kept(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with atomic(tmp_path / "new") as out:
            out.write(b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    (tmp_path / "new").chmod(0o604)
    with atomic(tmp_path / "new") as out:
        out.write(b"y")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o604


def test_links_stay_links(tmp_path: Path) -> None:
    (tmp_path / "to").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "to")
    with atomic(tmp_path / "link", "w") as out:
        out.write("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "to").read_text() == "new"


def test_pipes_are_written_to_directly(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    heard: list[bytes] = []
    reader = threading.Thread(target=lambda: heard.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    with atomic(tmp_path / "pipe") as out:
        out.write(b"through")
    reader.join()
    assert heard == [b"through"]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_read_only_files_are_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t").touch()
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(BadFile, match=r"t: no permission to write it$"), atomic(tmp_path / "t"):
        pass


def test_no_permission_in_the_folder() -> None:
    assert str(_unwritable("a/b", PermissionError(13, "Permission denied"))) == "a/b: no permission to write it"


def test_modes(tmp_path: Path) -> None:
    with pytest.raises(BadParameter, match=r"^mode must be one of wb, w, got 'a'$"):
        atomic(tmp_path / "t", "a")  # type: ignore[call-overload]
