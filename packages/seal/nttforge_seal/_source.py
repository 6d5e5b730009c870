# SPDX-License-Identifier: Apache-2.0
"""Bytes as SEAL frames them: a header of 16 bytes, then fields, perhaps compressed."""

from __future__ import annotations

import importlib
import io
import struct
import zlib
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nttforge.errors import FormatError, UnsupportedError

__all__ = ["HEADER_BYTES", "MAGIC", "Source", "header", "open_source"]

MAGIC, HEADER_BYTES, MAJOR = 0xA15E, 16, 4
_NONE, _ZLIB, _ZSTD = 0, 1, 2
_PIECE = 1 << 16
#: Modules that read Zstandard, the one of the standard library first, with what opens a stream.
_ZSTD_MODULES = ("compression.zstd", "backports.zstd", "zstandard")


class _Stream(Protocol):
    def read(self, count: int, /) -> bytes: ...


class _Inflater:
    """What zlib compressed, piece by piece: memory is taken for what is asked for only."""

    def __init__(self, data: memoryview) -> None:
        self._inflater, self._data, self._rest = zlib.decompressobj(), data, b""

    def read(self, count: int, /) -> bytes:
        pieces = []
        while count and not self._inflater.eof:
            if not self._rest:  # a little at a time, since what is left over is copied
                self._rest, self._data = bytes(self._data[:_PIECE]), self._data[_PIECE:]
            piece = self._inflater.decompress(self._rest, count)
            if not piece and not self._rest:
                break
            self._rest = self._inflater.unconsumed_tail
            pieces.append(piece)
            count -= len(piece)
        if self._inflater.eof and (self._inflater.unused_data or self._data):
            raise FormatError("bytes follow what was compressed")
        return b"".join(pieces)


def _zstd_stream(data: memoryview) -> _Stream:
    for name in _ZSTD_MODULES:
        try:
            module: Any = importlib.import_module(name)
        except ImportError:
            continue
        if name == "zstandard":
            stream: _Stream = module.ZstdDecompressor().stream_reader(io.BytesIO(data))
        else:
            stream = module.ZstdFile(io.BytesIO(data))
        return stream
    raise UnsupportedError(
        "these bytes are compressed with Zstandard, SEAL's default: install the package zstandard, "
        "or save them with save(stream, seal::compr_mode_type::none) or compr_mode_type::zlib"
    )


def header(what: str, data: bytes | memoryview) -> tuple[int, int]:
    """Compression and total size that a header states, checked."""
    if len(data) < HEADER_BYTES:
        raise FormatError(f"{what}: {len(data)} bytes are left, a header of SEAL has 16")
    magic, size, major, minor, compression, zero, total = struct.unpack_from("<HBBBBHQ", data)
    if magic != MAGIC or size != HEADER_BYTES:
        raise FormatError(
            f"{what}: the bytes begin with {magic:#06x}, {size}; objects of SEAL begin with "
            f"{MAGIC:#06x}, {HEADER_BYTES}"
        )
    if major != MAJOR:
        raise FormatError(
            f"{what}: written by SEAL {major}.{minor}; versions 4.x are read: load the object with "
            "SEAL 4, which reads older ones, and save it again"
        )
    if compression > _ZSTD or zero:
        raise FormatError(
            f"{what}: compression {compression} and reserved bits {zero}: SEAL 4 writes 0, 1 or 2, "
            "and 0"
        )
    return compression, total


class Source:
    """Fields in their order; errors name the object and the field."""

    def __init__(self, what: str, stream: _Stream) -> None:
        self.what, self._stream = what, stream

    def bytes(self, count: int, field: str) -> bytes:
        """So many bytes, and no fewer."""
        try:
            data = self._stream.read(count)
            while len(data) < count:
                more = self._stream.read(count - len(data))
                if not more:
                    raise FormatError(f"{self.what}.{field}: the bytes end before it does")
                data += more
        except (FormatError, MemoryError):
            raise
        except Exception as error:  # each package for Zstandard has errors of its own
            raise FormatError(f"{self.what}.{field}: not decompressed: {error}") from None
        return data

    def number(self, field: str, size: int = 8) -> int:
        """An unsigned integer of so many bytes."""
        return int.from_bytes(self.bytes(size, field), "little")

    def expect(self, field: str, expected: int, size: int = 8) -> None:
        """A number that has one allowed value."""
        found = self.number(field, size)
        if found != expected:
            raise FormatError(f"{self.what}.{field} = {found}: need {expected}")

    def nested(self, field: str) -> None:
        """The header of an object inside, which is not compressed and whose end is known."""
        compression, _ = header(f"{self.what}.{field}", self.bytes(HEADER_BYTES, field))
        if compression != _NONE:
            raise FormatError(f"{self.what}.{field}: an object inside another is not compressed")

    def words(self, field: str, allowed: tuple[int, ...]) -> NDArray[np.uint64]:
        """An array of words of SEAL, whose length must be one of those allowed."""
        self.nested(field)
        count = self.number(f"{field}.size")
        if count not in allowed:
            need = " or ".join(map(str, allowed))
            raise FormatError(f"{self.what}.{field}.size = {count}: need {need}")
        return np.frombuffer(self.bytes(8 * count, field), "<u8").astype(np.uint64, copy=False)

    def finish(self) -> None:
        """Nothing follows."""
        try:
            rest = self._stream.read(1)
        except Exception as error:
            raise FormatError(f"{self.what}: its end is not decompressed: {error}") from None
        if rest:
            raise FormatError(f"{self.what}: bytes follow that no field has")


def open_source(what: str, data: NDArray[np.uint8]) -> Source:
    """The fields of an object, after its header."""
    given = data.data
    compression, total = header(what, given)
    if total != len(given):
        raise FormatError(f"{what}: {len(given)} bytes, its header states {total}")
    body = given[HEADER_BYTES:]
    if compression == _ZLIB:
        return Source(what, _Inflater(body))
    return Source(what, _zstd_stream(body) if compression == _ZSTD else io.BytesIO(body))
