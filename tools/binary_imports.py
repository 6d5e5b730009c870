# SPDX-License-Identifier: Apache-2.0
"""Libraries that programs of macOS and Windows load, read from Mach-O and PE files."""

from __future__ import annotations

import pathlib
import struct

_MACH_O_64 = 0xFEEDFACF
#: LC_LOAD_DYLIB, weak, re-exported and lazy.
_LOADED = {0xC, 0x80000018, 0x8000001F, 0x20}
_BUILD_VERSION, _VERSION_MIN_MACOS = 0x32, 0x24


def libraries(path: pathlib.Path) -> list[str]:
    """The libraries that a program loads when it starts.

    Raises ValueError if the file is neither Mach-O of 64 bits nor PE of 64 bits.
    """
    data = path.read_bytes()
    if data[:4] == struct.pack("<I", _MACH_O_64):
        return [_text(data, at + _u32(data, at + 8)) for at in _commands(data, _LOADED)]
    if data[:2] == b"MZ":
        return _of_windows(data)
    raise ValueError(f"{path} is neither a program of macOS nor of Windows")


def least_macos(path: pathlib.Path) -> str:
    """The oldest macOS that a program says it runs on, such as "11.0"."""
    data = path.read_bytes()
    for at in _commands(data, {_BUILD_VERSION}):
        version = _u32(data, at + 12)
        return f"{version >> 16}.{version >> 8 & 255}"
    for at in _commands(data, {_VERSION_MIN_MACOS}):
        version = _u32(data, at + 8)
        return f"{version >> 16}.{version >> 8 & 255}"
    raise ValueError(f"{path} says no oldest version")


def _commands(data: bytes, wanted: set[int]) -> list[int]:
    """Offsets of a Mach-O file's load commands of these kinds."""
    count, at, found = _u32(data, 16), 32, []
    for _ in range(count):
        if _u32(data, at) in wanted:
            found.append(at)
        at += _u32(data, at + 4)
    return found


def _of_windows(data: bytes) -> list[str]:
    """Names in the import directory, whose addresses are those in memory: sections map them."""
    header = _u32(data, 0x3C)
    if data[header : header + 4] != b"PE\0\0" or _u16(data, header + 24) != 0x20B:
        raise ValueError("no PE file of 64 bits")
    sections = header + 24 + _u16(data, header + 20)
    rows = [
        struct.unpack_from("<IIII", data, sections + 40 * i + 8)
        for i in range(_u16(data, header + 6))
    ]

    def offset(address: int) -> int:
        for _, begin, size, at in rows:
            if begin <= address < begin + size:
                return at + address - begin
        raise ValueError(f"no section holds address {address:#x}")

    directory = _u32(data, header + 24 + 120)  # the second of the optional header's directories
    found = []
    at = offset(directory)
    while name := _u32(data, at + 12):
        found.append(_text(data, offset(name)))
        at += 20
    return found


def _u16(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "little")


def _u32(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode("utf-8")
