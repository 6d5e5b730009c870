# SPDX-License-Identifier: Apache-2.0
"""The container of ``.orion`` files: a text in JSON, and blobs of numbers.

    b"ORION\\0\\x02\\0" | u32 length, JSON | u32 count | u64 length, bytes | ...    little endian

Whatever a file says of lengths is compared with the bytes there are before anything is made of it.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nttforge import FormatError

__all__ = ["Container", "Field", "open_container", "write_container"]

MAGIC, MOST_BYTES, MOST_TEXT = b"ORION\0\x02\0", 2**34, 2**26
Real = NDArray[np.float64]


class Field:
    """A value of the JSON text with its place, which errors name."""

    def __init__(self, value: Any, place: str = "header") -> None:
        self.value, self.place = value, place

    def __getitem__(self, key: str) -> Field:
        if not isinstance(self.value, dict) or key not in self.value:
            raise FormatError(f"{self.place}.{key} is missing")
        return Field(self.value[key], f"{self.place}.{key}")

    def get(self, key: str, default: Any) -> Field:
        """A field that may be absent."""
        given = self.value.get(key, default) if isinstance(self.value, dict) else default
        return Field(given, f"{self.place}.{key}")

    def integer(self, low: int, high: int) -> int:
        """An integer in a range."""
        value = self.value
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise FormatError(f"{self.place} = {value!r:.60}: need an integer, {low} ... {high}")
        return value

    def number(self) -> float:
        """A finite number."""
        value = self.value
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or not abs(value) < 2**500
        ):
            raise FormatError(f"{self.place} = {value!r:.60}: need a number below 2^500")
        return float(value)

    def text(self, *allowed: str) -> str:
        """A text, one of those where some are given."""
        if not isinstance(self.value, str) or (allowed and self.value not in allowed):
            need = f"one of {', '.join(allowed)}" if allowed else "a text"
            raise FormatError(f"{self.place} = {self.value!r:.60}: need {need}")
        return self.value

    def items(self, most: int) -> list[Field]:
        """The elements of a list."""
        if not isinstance(self.value, list) or len(self.value) > most:
            raise FormatError(f"{self.place} is no list of at most {most} elements")
        return [Field(value, f"{self.place}[{i}]") for i, value in enumerate(self.value)]


@dataclass(frozen=True)
class Container:
    """The parts of a file."""

    header: Field
    blobs: tuple[memoryview, ...]

    def vector(self, field: Field, slots: int) -> Real:
        """The doubles of a blob that fills the slots."""
        blob = self._blob(field)
        if len(blob) != 8 * slots:
            raise FormatError(
                f"{field.place}: the blob has {len(blob)} bytes, need {8 * slots} for {slots} slots"
            )
        return _finite(field, np.frombuffer(blob, "<f8"))

    def diagonals(self, field: Field, slots: int) -> dict[int, Real]:
        """The diagonals of a blob by their number: u32 count, i32 numbers, doubles row by row."""
        blob = self._blob(field)
        count = int.from_bytes(blob[:4], "little") if len(blob) >= 4 else 0
        if not 1 <= count <= slots or len(blob) != 4 + 4 * count + 8 * count * slots:
            raise FormatError(
                f"{field.place}: the blob has {len(blob)} bytes and says {count} diagonals of "
                f"{slots} slots: need 1 ... {slots} of them and the bytes that those take"
            )
        numbers = np.frombuffer(blob[4 : 4 + 4 * count], "<i4")
        if len(set(numbers.tolist())) != count or not (np.abs(numbers) < slots).all():
            raise FormatError(f"{field.place}: numbers of diagonals repeat, or reach {slots}")
        rows = _finite(field, np.frombuffer(blob[4 + 4 * count :], "<f8")).reshape(count, slots)
        return dict(zip(numbers.tolist(), rows, strict=True))

    def _blob(self, field: Field) -> memoryview:
        return self.blobs[field.integer(0, len(self.blobs) - 1)]


def _finite(field: Field, row: Real) -> Real:
    if not (np.abs(row) < 2.0**500).all():
        raise FormatError(f"{field.place}: the blob has NaN or a number of 2^500 or more")
    return row.astype(np.float64, copy=False)


def write_container(magic: bytes, header: Any, blobs: Sequence[bytes]) -> bytes:
    """A file with another magic, which :func:`open_container` reads."""
    text = json.dumps(header).encode()
    parts = [magic, struct.pack("<I", len(text)), text, struct.pack("<I", len(blobs))]
    for blob in blobs:
        parts += [struct.pack("<Q", len(blob)), blob]
    return b"".join(parts)


def open_container(
    data: bytes, magic: bytes = MAGIC, what: str = "an .orion file of version 2"
) -> Container:
    """The parts of a file's bytes, whose lengths add up.

    Raises
    ------
    FormatError
        Names what does not.
    """
    view, at = memoryview(data), len(magic)
    if len(view) > MOST_BYTES:
        raise FormatError(f"file has {len(view)} bytes: need at most {MOST_BYTES}")
    if bytes(view[:at]) != magic:
        raise FormatError(f"magic = {bytes(view[:at])!r}: need {magic!r}, {what}")

    def taken(name: str, length: int) -> memoryview:
        nonlocal at
        if length > len(view) - at:
            raise FormatError(f"{name} says {length} bytes, and {len(view) - at} are left")
        at += length
        return view[at - length : at]

    def number(name: str, length: int) -> int:
        return int.from_bytes(taken(name, length), "little")

    length = number("header length", 4)
    if length > MOST_TEXT:
        raise FormatError(f"header length = {length}: need at most {MOST_TEXT}")
    try:
        header = json.loads(bytes(taken("header", length)))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"header is not JSON: {error}") from None
    count = number("blob count", 4)
    if 8 * count > len(view) - at:
        raise FormatError(f"blob count = {count}, and {len(view) - at} bytes are left")
    blobs = [taken(f"blob {i}", number(f"length of blob {i}", 8)) for i in range(count)]
    if at != len(view):
        raise FormatError(f"file has {len(view) - at} bytes behind its last blob: need none")
    return Container(Field(header), tuple(blobs))
