"""Files to bytes, and bytes to text: compression, encoding, and whether it is text at all."""

from __future__ import annotations

import bz2
import gzip
import io
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import IO, cast

import zstandard

from evenscale.errors import BadFile
from evenscale.oddities import Oddity

BOM = b"\xef\xbb\xbf"
# Control characters that no text holds: all but tab, line feed, vertical tab, form feed, carriage return.
BINARY = re.compile(rb"[\x00-\x08\x0e-\x1f]")


class _EndsEarlyError(Exception):
    """A compressed stream stops before its end mark."""


def _gunzip(data: bytes) -> bytes:
    try:
        return gzip.decompress(data)
    except EOFError as error:
        raise _EndsEarlyError from error


def _bunzip2(data: bytes) -> bytes:
    try:
        return bz2.decompress(data)
    except ValueError as error:
        raise _EndsEarlyError from error


def _unzstd(data: bytes) -> bytes:
    """All frames one after the other; the library's own reader is silent about a frame cut short."""
    parts: list[bytes] = []
    while data:
        frame = zstandard.ZstdDecompressor().decompressobj()
        parts.append(frame.decompress(data))
        if not frame.eof:
            raise _EndsEarlyError
        data = frame.unused_data
    return b"".join(parts)


def _zstd(data: bytes) -> bytes:
    # Unlike gzip and bzip2, zstd does not notice damage unless it was asked to when the file was written.
    return zstandard.ZstdCompressor(level=3, write_checksum=True).compress(data)


def _gzip(data: bytes) -> bytes:
    # Without a time stamp the same content gives the same file.
    return gzip.compress(data, compresslevel=6, mtime=0)


def _gzip_stream(file: IO[bytes]) -> IO[bytes]:
    return cast(IO[bytes], gzip.GzipFile(fileobj=file))


def _bzip2_stream(file: IO[bytes]) -> IO[bytes]:
    return cast(IO[bytes], bz2.BZ2File(file))


def _zstd_stream(file: IO[bytes]) -> IO[bytes]:
    return cast(IO[bytes], io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(file)))


@dataclass(frozen=True)
class Codec:
    """One kind of compression: its name, how it is told, and how to undo and do it."""

    name: str
    suffix: str
    magic: bytes
    decompress: Callable[[bytes], bytes]
    compress: Callable[[bytes], bytes]
    stream: Callable[[IO[bytes]], IO[bytes]]


CODECS = (
    Codec("gzip", ".gz", b"\x1f\x8b", _gunzip, _gzip, _gzip_stream),
    Codec("bzip2", ".bz2", b"BZh", _bunzip2, bz2.compress, _bzip2_stream),
    Codec("zstd", ".zst", b"\x28\xb5\x2f\xfd", _unzstd, _zstd, _zstd_stream),
)
CORRUPT = (OSError, EOFError, ValueError, zlib.error, zstandard.ZstdError)


def codec_of(head: bytes) -> Codec | None:
    """The compression that content beginning like this has.

    >>> codec_of(b"\\x1f\\x8b\\x08").name, codec_of(b"401 Q0")
    ('gzip', None)
    """
    return next((codec for codec in CODECS if head.startswith(codec.magic)), None)


def plain_name(path: str) -> str:
    """A file's name without folder and compression suffix.

    >>> plain_name("runs/bm25.run.gz"), plain_name("bm25.csv")
    ('bm25.run', 'bm25.csv')
    """
    name = PurePath(path).name
    packed = any(name.lower().endswith(codec.suffix) for codec in CODECS)
    return name.rpartition(".")[0] or name if packed else name


def opened(path: str) -> IO[bytes]:
    """The file, open for reading.

    >>> opened("no/such/file.run")
    Traceback (most recent call last):
    ...
    evenscale.errors.BadFile: no/such/file.run: no such file
    """
    try:
        return open(path, "rb")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise BadFile(path, "no such file") from error
    except IsADirectoryError as error:
        raise BadFile(path, "expected a file, found a folder") from error
    except PermissionError as error:
        raise BadFile(path, "no permission to read it") from error
    except (OSError, ValueError) as error:
        raise BadFile(path, f"cannot be read: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    """The system's own words, without the number and the path."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def load(path: str) -> bytes:
    """A file's content, decompressed; what its first bytes say counts, not what it is called."""
    with opened(path) as file:
        try:
            data = file.read()
        except OSError as error:
            raise BadFile(path, f"cannot be read: {_reason(error)}") from error
    codec = codec_of(data)
    if codec is None:
        return data
    try:
        return codec.decompress(data)
    except _EndsEarlyError as error:
        raise BadFile(path, f"the {codec.name} stream ends early") from error
    except CORRUPT as error:
        raise BadFile(path, f"the {codec.name} stream is corrupt") from error


@dataclass(frozen=True)
class Text:
    """The content of a text file as valid UTF-8 without byte order mark; `raw` is as it was on disk."""

    path: str
    data: bytes
    raw: bytes
    oddities: tuple[Oddity, ...] = ()

    def refuse_binary(self) -> None:
        """Raise if there are bytes that no text holds."""
        found = BINARY.search(self.raw)
        if found is not None:
            byte, offset = found.group()[0], found.start()
            why = f"expected text, found binary data (byte 0x{byte:02x} at offset {offset})"
            raise BadFile(self.path, why)


def text_of(raw: bytes, path: str) -> Text:
    """Bytes as text; what is not UTF-8 is read as Latin-1, and that is noted.

    >>> text_of(b"caf\\xe9 x", "a.run").oddities[0].text
    'is not UTF-8 (byte 0xe9 at offset 3), read as Latin-1'
    """
    data = raw.removeprefix(BOM)
    if data.isascii():
        return Text(path, data, raw)
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        Text(path, raw, raw).refuse_binary()
        found = f"is not UTF-8 (byte 0x{raw[error.start]:02x} at offset {error.start}), read as Latin-1"
        data = data.decode("latin-1").encode("utf-8")
        return Text(path, data, raw, (Oddity("encoding", path, found),))
    return Text(path, data, raw)
