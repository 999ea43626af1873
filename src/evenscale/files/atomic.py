"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import IO, Any, Literal, overload

from evenscale.errors import BadFile, BadParameter, quoted

# Bytes, and UTF-8 text.
MODES = ("wb", "w")


@overload
def atomic(path: str | os.PathLike[str], mode: Literal["wb"] = "wb") -> AbstractContextManager[IO[bytes]]: ...
@overload
def atomic(path: str | os.PathLike[str], mode: Literal["w"]) -> AbstractContextManager[IO[str]]: ...
def atomic(path: str | os.PathLike[str], mode: str = "wb") -> AbstractContextManager[IO[Any]]:
    r"""A file to write to that takes its place only when all went well.

    What is written goes to a hidden file in the same folder, which is moved over `path` at the end of the
    `with` block, or removed if the block raises. A file that was there keeps its permissions. Text is UTF-8
    with line feeds. A device or pipe, which cannot be replaced, is written to directly.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic(pathlib.Path(folder) / "a.txt", "w") as out:
    ...         _ = out.write("whole\n")
    ...     [(path.name, path.read_text()) for path in pathlib.Path(folder).iterdir()]
    [('a.txt', 'whole\n')]
    """
    if mode not in MODES:
        raise BadParameter(f"mode must be one of {', '.join(MODES)}, got {quoted(mode)}")
    return _atomic(os.fsdecode(path), mode)


@contextmanager
def _atomic(path: str, mode: str) -> Iterator[IO[Any]]:
    target = os.path.realpath(path)  # what a link points to is replaced, not the link
    permissions = _permissions(target, path)
    if permissions is not None and not stat.S_ISREG(permissions):
        with _opened(target, mode, path) as out:
            yield out
        return
    temporary = os.path.join(os.path.dirname(target), f".{secrets.token_hex(8)}.tmp")
    try:
        with _opened(temporary, mode.replace("w", "x"), path) as out:
            yield out
        if permissions is not None:
            os.chmod(temporary, stat.S_IMODE(permissions))
        _move(temporary, target, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _permissions(target: str, path: str) -> int | None:
    """Kind and permissions of what is at the target already; None where nothing is."""
    try:
        mode = os.stat(target).st_mode
    except OSError:
        return None  # a folder that is missing shows when the temporary file is made
    if stat.S_ISDIR(mode):
        raise BadFile(path, "expected a file to write to, found a folder")
    if not os.access(target, os.W_OK):
        raise BadFile(path, "no permission to write it")
    return mode


def _opened(name: str, mode: str, path: str) -> IO[Any]:
    encoding, newline = (None, None) if "b" in mode else ("utf-8", "\n")
    try:
        return open(name, mode, encoding=encoding, newline=newline)
    except OSError as error:
        raise _unwritable(path, error) from error


def _move(temporary: str, target: str, path: str) -> None:
    try:
        os.replace(temporary, target)
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: str, error: Exception) -> BadFile:
    """The error for a file that cannot be written, in words for the usual causes."""
    causes: dict[type[Exception], str] = {
        FileNotFoundError: "no such folder",
        NotADirectoryError: "no such folder",
        PermissionError: "no permission to write it",
    }
    reason = getattr(error, "strerror", None) or str(error)
    return BadFile(path, causes.get(type(error), f"cannot be written: {reason.lower()}"))
