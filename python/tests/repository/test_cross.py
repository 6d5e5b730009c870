# SPDX-License-Identifier: Apache-2.0
"""tools/cross_check.py, cross.py, binary_imports.py: what they read from commands and programs."""

import importlib
import struct
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def cross(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("cross")


def _mach_o(library: str, major: int) -> bytes:
    """A program without code: LC_BUILD_VERSION, then LC_LOAD_DYLIB."""
    name = library.encode() + b"\0" * (8 - len(library) % 8)
    build = struct.pack("<IIIIII", 0x32, 24, 1, major << 16, 15 << 16, 0)
    load = struct.pack("<IIIIII", 0xC, 24 + len(name), 24, 0, 0, 0) + name
    header = struct.pack("<IIIIIIII", 0xFEEDFACF, 0x0100000C, 0, 2, 2, len(build + load), 0, 0)
    return header + build + load


def _pe(library: str) -> bytes:
    """A program without code: one section, whose import directory names one library."""
    base, at = 0x1000, 0x200
    directory = struct.pack("<IIIII", 0, 0, 0, base + 40, 0) + bytes(20)
    section = directory + library.encode() + b"\0"
    optional = struct.pack("<H", 0x20B) + bytes(110) + struct.pack("<IIII", 0, 0, base, 40)
    coff = struct.pack("<HHIIIHH", 0x8664, 1, 0, 0, 0, len(optional), 0)
    row = struct.pack("<8sIIII", b".idata", len(section), base, len(section), at) + bytes(16)
    head = b"MZ" + bytes(0x3A) + struct.pack("<I", 0x40) + b"PE\0\0" + coff + optional + row
    return head.ljust(at, b"\0") + section


@pytest.mark.parametrize(
    ("target", "data", "said"),
    [
        ("aarch64-macos", _mach_o("/usr/lib/libSystem.B.dylib", 11), None),
        ("aarch64-macos", _mach_o("/usr/lib/libSystem.B.dylib", 13), "needs macOS 13.0, not 11.0"),
        ("aarch64-macos", _mach_o("libgomp.so.1", 11), "loads .'libgomp.so.1'."),
        ("x86_64-windows-gnu", _pe("KERNEL32.dll"), None),
        ("x86_64-windows-gnu", _pe("libstdc++-6.dll"), "loads .'libstdc[+][+]-6.dll'."),
    ],
)
def test_programs_load_libraries_of_their_system_alone(
    cross: ModuleType, tmp_path: Path, target: str, data: bytes, said: str | None
) -> None:
    program = tmp_path / "program.exe"
    program.write_bytes(data)
    if said is None:
        cross.checked(target, program)
        return
    with pytest.raises(cross.CrossError, match=said):
        cross.checked(target, program)


def test_a_program_of_linux_is_neither(cross: ModuleType, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"\x7fELF" + bytes(60))
    with pytest.raises(ValueError, match="neither a program of macOS nor of Windows"):
        cross.libraries(program)


def test_commands_lose_outputs_and_what_concerns_code_alone() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        from cross_check import unit_of
    finally:
        sys.path.pop(0)
    command = "c++ -I/r -O3 -std=c++20 -mavx2 -mtune=znver3 -MD -MT a.o -MF a.d -o a.o -c /r/a.cpp"
    unit = unit_of({"command": command, "file": "/r/a.cpp"})
    assert unit.options == ("-I/r", "-std=c++20", "-mavx2")
    assert (unit.source, unit.machine) == ("/r/a.cpp", ("-mavx2",))
