"""Indexes of scales on disk: a scale that took a while to sweep opens at once the next time.

One file per scale, named after the fingerprint of the tabulated measure, so that a changed measure never meets a stale
index. Files come with the package (`shipped/`) or lie in a cache folder: `$EVENSCALE_CACHE`, or where the platform
keeps caches. A file is written under another name and then moved, and ends with a checksum: what is cut short, damaged
or of another version is not read, and the scale is swept again. Two processes may build the same scale; either file is
right.

```
magic and version | length of the header | header (JSON) | windows (zlib) | SHA-256 of all that
```
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import struct
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenscale.errors import EvenscaleError
from evenscale.files.atomic import atomic

VERSION = 1
MAGIC = b"evenscale index %04d\n" % VERSION
SUFFIX = ".scale"
SHIPPED = Path(__file__).parent / "shipped"
LARGEST = 1 << 26
"""Bytes; what is larger was not written here."""
STALE = 3600.0
"""Seconds after which a temporary file is what a killed process left behind."""

# The folder may hold what is somebody else's.
_INDEX = re.compile(r"[0-9a-f]{40}" + re.escape(SUFFIX))
_TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.tmp")
_SIZES = struct.Struct("<II")
_DIGEST = 32


@dataclass(frozen=True, slots=True)
class Index:
    """Where the windows of a scale start and how many distinct values each holds.

    `starts` has one entry more than `counts`: the end of the last window. Gaps are in units, None for a single value.
    """

    fingerprint: str
    size: int
    gaps: tuple[int, int] | None
    starts: NDArray[np.int64] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    label: str = ""
    depth: int = 0
    grades: int = 0
    recall_base: int | None = None
    made: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if len(self.starts) != len(self.counts) + 1 or int(self.counts.sum()) != self.size:
            raise ValueError("an index whose windows do not add up")


class StoredScale(NamedTuple):
    """A line of the listing."""

    label: str
    depth: int
    grades: int
    recall_base: int | None
    size: int
    bytes: int
    date: str
    shipped: bool
    fingerprint: str


def folder() -> Path:
    """Where indexes are kept: `$EVENSCALE_CACHE`, or the platform's folder for caches."""
    if chosen := os.environ.get("EVENSCALE_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        return _home("LOCALAPPDATA", "AppData/Local")
    if sys.platform == "darwin":
        return _home("", "Library/Caches")
    return _home("XDG_CACHE_HOME", ".cache")


def _home(variable: str, otherwise: str) -> Path:
    base = os.environ.get(variable) if variable else None
    return (Path(base) if base else Path.home() / otherwise) / "evenscale"


def load(fingerprint: str) -> Index | None:
    """The index of a scale: the shipped one, or else the one in the cache; None where there is none to trust."""
    for place in _places():
        index = _read(place / _name(fingerprint))
        if index is not None and index.fingerprint == fingerprint:
            return index
    return None


def save(index: Index, where: Path | None = None) -> bool:
    """Keep an index, by default in the cache folder; False where that cannot be written to, which is no error."""
    with suppress(OSError, RuntimeError, EvenscaleError):  # RuntimeError: there is no home folder
        place = folder() if where is None else where
        place.mkdir(parents=True, exist_ok=True)
        _sweep_up(place)
        with atomic(place / _name(index.fingerprint), "wb") as out:
            out.write(encode(index))
        return True
    return False


def listing() -> list[StoredScale]:
    """Every readable index, shipped ones first."""
    lines = []
    for place in _places():
        for path in _files(place):
            index = _read(path)
            if index is not None:
                what = index.label, index.depth, index.grades, index.recall_base, index.size
                shipped = place == SHIPPED
                lines.append(StoredScale(*what, path.stat().st_size, index.made, shipped, index.fingerprint))
    return lines


def clear() -> int:
    """Empty the cache; how many indexes there were. What is shipped stays."""
    removed = 0
    with suppress(OSError, RuntimeError):
        place = folder()
        _sweep_up(place, older_than=0.0)
        for path in _files(place):
            with suppress(OSError):
                path.unlink()
                removed += 1
    return removed


def _places() -> Iterator[Path]:
    yield SHIPPED
    with suppress(RuntimeError):
        yield folder()


def _name(fingerprint: str) -> str:
    return fingerprint[:40] + SUFFIX


def _files(place: Path) -> list[Path]:
    with suppress(OSError):
        return sorted(path for path in place.iterdir() if _INDEX.fullmatch(path.name))
    return []


def _sweep_up(place: Path, older_than: float = STALE) -> None:
    """Remove temporary files that a killed process left; a younger one may be somebody's who is still writing."""
    for path in place.iterdir():
        with suppress(OSError):
            if _TEMPORARY.fullmatch(path.name) and time.time() - path.stat().st_mtime >= older_than:
                path.unlink()


# --- the format -----------------------------------------------------------------------------------------------------


def encode(index: Index) -> bytes:
    """An index as bytes."""
    header = {
        "fingerprint": index.fingerprint,
        "size": index.size,
        "gaps": index.gaps,
        "windows": len(index.counts),
        "label": index.label,
        "depth": index.depth,
        "grades": index.grades,
        "recall_base": index.recall_base,
        "made": index.made or datetime.now(UTC).isoformat(timespec="seconds"),
    }
    text = json.dumps(header, sort_keys=True).encode()
    widths = np.diff(index.starts, prepend=np.int64(0))
    windows = zlib.compress(_planes(widths) + _planes(index.counts), 9)
    body = MAGIC + _SIZES.pack(len(text), len(windows)) + text + windows
    return body + hashlib.sha256(body).digest()


def decode(data: bytes) -> Index | None:
    """The index that these bytes hold; None where they are not whole or of another version."""
    body, digest = data[:-_DIGEST], data[-_DIGEST:]
    if not body.startswith(MAGIC) or hashlib.sha256(body).digest() != digest:
        return None
    try:
        return _decode(body[len(MAGIC) :])
    except (ValueError, KeyError, TypeError, struct.error, zlib.error):
        return None


def _decode(body: bytes) -> Index:
    header_size, windows_size = _SIZES.unpack_from(body)
    if len(body) != _SIZES.size + header_size + windows_size:
        raise ValueError("parts do not add up")
    header: dict[str, Any] = json.loads(body[_SIZES.size : _SIZES.size + header_size])
    windows = header.pop("windows")
    plain = zlib.decompressobj().decompress(body[_SIZES.size + header_size :], 8 * (2 * windows + 1))
    starts = np.cumsum(_numbers(plain[: 8 * (windows + 1)], windows + 1))
    counts = _numbers(plain[8 * (windows + 1) :], windows)
    gaps = header.pop("gaps")
    return Index(starts=starts, counts=counts, gaps=None if gaps is None else (gaps[0], gaps[1]), **header)


def _planes(numbers: NDArray[np.int64]) -> bytes:
    """All first bytes, all second bytes, ...: like beside like compresses better."""
    return numbers.astype("<i8").view(np.uint8).reshape(-1, 8).T.tobytes()


def _numbers(planes: bytes, count: int) -> NDArray[np.int64]:
    flat = np.frombuffer(planes, np.uint8).reshape(8, count).T
    return np.ascontiguousarray(flat).view("<i8").reshape(count).astype(np.int64)


def _read(path: Path) -> Index | None:
    try:
        if path.stat().st_size > LARGEST:
            return None
        return decode(path.read_bytes())
    except OSError:
        return None
