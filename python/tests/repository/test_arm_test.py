# SPDX-License-Identifier: Apache-2.0
"""tools/arm_test.py: what it says where something is missing, what it repeats, what it records."""

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def arm_test(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The tool with a folder of its own and two tests: true, and whether a file is there."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    module = importlib.import_module("arm_test")
    steps = importlib.import_module("steps")
    monkeypatch.setattr(importlib.import_module("platforms"), "RECORDS", tmp_path / "records")
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    monkeypatch.setattr(module.os, "uname", lambda: type("Machine", (), {"machine": "x86_64"}))
    monkeypatch.setattr(module, "zig_environment", dict)
    monkeypatch.setattr(module, "gcc", lambda: None)
    monkeypatch.setattr(module, "build_steps", lambda *_: [steps.Step("build", ["true"])])
    monkeypatch.setattr(module, "emulator", lambda _: ["qemu"])
    found = ["test", "-e", tmp_path / "there"]
    both = [steps.Step("C++ one", ["true"]), steps.Step("C++ two", found)]
    monkeypatch.setattr(module, "cpp_steps", lambda *_: both)
    for folder in ("zig", "zig-sample"):
        (tmp_path / folder).mkdir()
        for name in ("one", "two"):
            (tmp_path / folder / f"nttforge_{name}_test").write_text(name)
    return module


def _main(module: ModuleType, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["arm_test.py", *words])
    code: int = module.main()
    return code


def _missing(error: Exception) -> object:
    def missing(*_: object) -> None:
        raise error

    return missing


@pytest.mark.parametrize(("words", "code"), [(["--sample"], 0), ([], 1)])
def test_a_sample_without_a_compiler_says_so_and_passes(
    arm_test: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    code: int,
) -> None:
    monkeypatch.setattr(arm_test, "zig_environment", _missing(arm_test.ArmTestError("no index")))
    assert _main(arm_test, monkeypatch, *words) == code
    assert "nothing was compiled for aarch64: no index" in capsys.readouterr().out


@pytest.mark.parametrize(("words", "code"), [(["--sample"], 0), ([], 1)])
def test_a_sample_without_an_emulator_compiles_and_says_so(
    arm_test: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    code: int,
) -> None:
    error = arm_test.aarch64_python.NoPythonError("apt-get is missing")
    monkeypatch.setattr(arm_test, "emulator", _missing(error))
    assert _main(arm_test, monkeypatch, *words) == code
    said = capsys.readouterr().out
    assert "build: ok" in said
    assert "the tests did not run: apt-get is missing" in said


def test_what_passed_is_not_run_again_and_a_failure_is_no_record(
    arm_test: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    row = tmp_path / "records" / "linux-aarch64-cpp-runs-under-emulation.json"
    assert _main(arm_test, monkeypatch) == 1
    assert not row.exists()
    (tmp_path / "there").touch()
    assert _main(arm_test, monkeypatch, "--sample") == 0
    assert not row.exists()  # a sample is no record either
    capsys.readouterr()
    assert _main(arm_test, monkeypatch) == 0
    assert "C++ one: ok, before" in " ".join(capsys.readouterr().out.replace("  ", ": ").split())
    assert json.loads(row.read_text())["steps"] == 2


def test_programs_that_were_built_elsewhere_are_run_without_a_build(
    arm_test: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "there").touch()
    monkeypatch.setattr(arm_test, "zig_environment", _missing(arm_test.ArmTestError("no index")))
    assert _main(arm_test, monkeypatch, "--run-only") == 0
    said = capsys.readouterr().out
    assert "C++ two: ok" in said
    assert "build: ok" not in said
    names = [path.name for path in (tmp_path / "records").iterdir()]
    assert names == ["linux-aarch64-cpp-runs-under-emulation.json"]


def test_the_sample_takes_a_compiler_that_is_installed(
    arm_test: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = {}
    for found in (None, "aarch64-linux-gnu-g++-12"):
        monkeypatch.setattr(arm_test, "gcc", lambda found=found: found)
        for words in ([], ["--sample"]):
            monkeypatch.setattr(sys, "argv", ["arm_test.py", *words])
            chosen[found is not None, bool(words)] = arm_test.parsed().compiler
    assert chosen.pop((True, True)) == "g++"
    assert set(chosen.values()) == {"zig"}


@pytest.mark.parametrize(
    ("words", "cpp", "python"),
    [
        ([], True, False),
        (["--python"], True, True),
        (["--cpp", "cpu", "ntt"], False, False),
        (["--cpp", "--python"], False, True),
        (["--python", "--only", "bfv"], False, False),
        (["--skip", "cuda"], False, False),
        (["--sample"], False, False),
    ],
)
def test_only_a_whole_run_is_recorded(
    arm_test: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    cpp: bool,
    python: bool,
) -> None:
    monkeypatch.setattr(sys, "argv", ["arm_test.py", *words])
    version = arm_test.aarch64_python.VERSION
    assert arm_test.whole(arm_test.parsed()) == {"": cpp, version: python}
