# SPDX-License-Identifier: Apache-2.0
"""tools/wheels.py and tools/platforms.py: what they refuse, and what the table says."""

import importlib
import json
import os
import sys
import zipfile
from itertools import product
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
NAME = "nttforge-0.1.0-cp312-abi3-manylinux_2_28_x86_64.whl"


@pytest.fixture
def wheels(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("wheels")


@pytest.fixture
def platforms(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    module = importlib.import_module("platforms")
    monkeypatch.setattr(module, "RECORDS", tmp_path)
    return module


def _wheel(folder: Path, *, without: str = "", more: str = "") -> Path:
    licences = [f"licenses/{each.name}" for each in (ROOT / "licenses").glob("*.txt")]
    names = [
        f"nttforge-0.1.0.dist-info/licenses/{each}" for each in ("LICENSE", "NOTICE", *licences)
    ]
    names += ["nttforge/_core.abi3.so", "nttforge/__init__.py", more]
    path = folder / NAME
    with zipfile.ZipFile(path, "w") as archive:
        for name in filter(None, names):
            if not (without and name.endswith(without)):
                archive.writestr(name, "")
    return path


def test_a_wheel_with_all_it_needs_passes(wheels: ModuleType, tmp_path: Path) -> None:
    wheels.checked(_wheel(tmp_path))


@pytest.mark.parametrize(
    ("without", "more", "said"),
    [
        ("_core.abi3.so", "", "has 0 modules"),
        ("", "nttforge/_core.cpython-311-x86_64-linux-gnu.so", "has 2 modules"),
        ("/NOTICE", "", "lacks NOTICE"),
        ("licenses/llvm.txt", "", "lacks licenses/llvm.txt"),
        ("", "nttforge.libs/libstdc++.so.6", "link them statically"),
    ],
)
def test_a_wheel_that_lacks_something_is_refused(
    wheels: ModuleType, tmp_path: Path, without: str, more: str, said: str
) -> None:
    with pytest.raises(wheels.WheelError, match=said.replace("+", r"\+")):
        wheels.checked(_wheel(tmp_path, without=without, more=more))


def test_a_wheel_that_is_too_large_is_refused(wheels: ModuleType, tmp_path: Path) -> None:
    path = _wheel(tmp_path)
    size = path.stat().st_size
    wheels.checked(path, largest_bytes=size)
    with pytest.raises(wheels.WheelError, match="at most"):
        wheels.checked(path, largest_bytes=size - 1)


@pytest.mark.parametrize(("found", "right"), [("2_28", True), ("2_17", True), ("2_29", False)])
def test_what_auditwheel_finds_must_not_be_newer_than_the_tag(
    wheels: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: str, right: bool
) -> None:
    text = f'is consistent with the\nfollowing platform tag: "manylinux_{found}_x86_64".'
    monkeypatch.setattr(wheels, "run", lambda *_: text)
    if right:
        wheels.audited(tmp_path / NAME, "x86_64", Path(sys.executable))
    else:
        with pytest.raises(wheels.WheelError, match="is no manylinux_2_28_x86_64"):
            wheels.audited(tmp_path / NAME, "x86_64", Path(sys.executable))


def test_the_table_says_the_strongest_that_was_seen(platforms: ModuleType, tmp_path: Path) -> None:
    platforms.record("linux-aarch64", "3.11", "compiles", "make wheels")
    platforms.record("linux-aarch64", "3.11", "runs under emulation", "make wheels", wheel=NAME)
    rows = [json.loads(path.read_text()) for path in sorted(tmp_path.glob("*.json"))]
    assert platforms.cell(rows, "linux-aarch64", "3.11") == "runs under emulation"
    assert platforms.cell(rows, "linux-aarch64", "3.12") == "by the workflow only"
    assert platforms.cell(rows, "windows-x86_64", "") == "—"
    assert "make wheels" in platforms.table(rows)
    with pytest.raises(ValueError, match="known are"):
        platforms.record("linux-aarch64", "3.11", "works", "make wheels")


@pytest.mark.parametrize(
    ("version", "tag"),
    [("3.10", "cp310"), ("3.11", "cp311"), ("3.12", "cp312"), ("3.14", "cp312"), ("3.15", "cp312")],
)
def test_the_wheel_for_a_python(
    platforms: ModuleType, tmp_path: Path, version: str, tag: str
) -> None:
    assert platforms.newest_wheel(tmp_path, version, "aarch64") is None
    for age, release in enumerate(("0.3.0", "0.2.0")):
        for each in platforms.PYTHONS:
            for project, machine in product(("nttforge", "nttforge_cuda"), ("aarch64", "x86_64")):
                path = tmp_path / f"{project}-{release}-{each}-abi3-manylinux_2_28_{machine}.whl"
                path.touch()
                os.utime(path, (age, age))
    found = platforms.newest_wheel(tmp_path, version, "aarch64")
    assert found.name == f"nttforge-0.2.0-{tag}-abi3-manylinux_2_28_aarch64.whl"
    cuda = platforms.newest_wheel(tmp_path, version, "x86_64", "nttforge_cuda")
    assert cuda.name == f"nttforge_cuda-0.2.0-{tag}-abi3-manylinux_2_28_x86_64.whl"
