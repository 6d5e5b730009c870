# SPDX-License-Identifier: Apache-2.0
"""What other packages register with nttforge, and what is said where one is missing."""

import argparse
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import nttforge
from nttforge import NttPlan, UnsupportedError, _providers
from nttforge.cli import main
from nttforge.ntt._devices import registered
from nttforge_demo import command

REMEDY = (
    "pip install nttforge-hardware (in a clone: pip install ./packages/oracle ./packages/hardware)"
)
DEVICE = '''"""A device whose plans add one to what the CPU's give."""
from nttforge import _core
from nttforge.ntt._host_plan import HostPlan
class Plan(HostPlan):
    name = "adder"
    def __init__(self, spec, recipe, limb_axis):
        super().__init__(_core.NttPlan(spec, 1), limb_axis)
    @staticmethod
    def tools():
        return "an adder"
    def unary(self, name, x, out, check, stream):
        return super().unary(name, x, out, check, stream) + 1
'''
PROGRAM = """
from nttforge import NttPlan
plan = NttPlan(8, 17, device="adder")
print(plan.device, plan.forward([0] * 8).tolist())
try:
    NttPlan(8, 17, device="adder", threads=2)
except ValueError as error:
    print(error)
"""


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where nothing but nttforge is installed."""
    monkeypatch.setattr(metadata, "entry_points", lambda **_: ())


def test_a_device_of_a_package(tmp_path: Path) -> None:
    (tmp_path / "adder.py").write_text(DEVICE)
    information = tmp_path / "adder-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: adder\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[nttforge.devices]\nadder = adder:Plan\n")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"adder {[1] * 8}",
        "threads = 2 does not go with device = 'adder'",
    ]


@pytest.mark.usefixtures("alone")
def test_a_device_of_a_package_that_is_missing() -> None:
    with pytest.raises(UnsupportedError) as raised:
        NttPlan(64, 257, device="rtl")
    assert str(raised.value) == f"device = 'rtl' needs the package nttforge-hardware: {REMEDY}"
    assert registered("tpu") is None
    with pytest.raises(ValueError, match='device = "tpu" is unknown'):
        NttPlan(64, 257, device="tpu")


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("command", _providers.DISTRIBUTIONS[_providers.COMMANDS])
@pytest.mark.parametrize("words", [["generate", "--n", "64"], ["--out", "x"], ["--help"], []])
def test_a_command_of_a_package_that_is_missing(
    capsys: pytest.CaptureFixture[str], command: str, words: list[str]
) -> None:
    package = _providers.DISTRIBUTIONS[_providers.COMMANDS][command]
    assert main([command, *words]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err == (
        f"nttforge: error: the command 'nttforge {command}' needs the package {package}: "
        f"{_providers.remedy(package)}\n"
    )
    with pytest.raises(SystemExit):
        main(["--help"])
    assert f"\n    {command} " in capsys.readouterr().out


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("name", _providers.DISTRIBUTIONS[_providers.MODULES])
def test_a_module_of_a_package_that_is_missing(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.delitem(vars(nttforge), name, raising=False)
    with pytest.raises(UnsupportedError) as raised:
        getattr(nttforge, name)
    package = _providers.DISTRIBUTIONS[_providers.MODULES][name]
    folder = package.removeprefix("nttforge-")
    assert str(raised.value) == (
        f"nttforge.{name} needs the package {package}: pip install {package} "
        f"(in a clone: pip install ./packages/{folder})"
    )


def test_a_command_that_cannot_be_imported_leaves_the_others(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = metadata.EntryPoint("bench", "nttforge_bench.gone", _providers.COMMANDS)
    monkeypatch.setattr(metadata, "entry_points", metadata.EntryPoints([broken]).select)
    assert main(["ntt", "--q", "17", "1", "2", "3", "4"]) == 0
    capsys.readouterr()
    assert main(["bench", "cpu"]) == 2
    assert "'nttforge bench' cannot be loaded" in capsys.readouterr().err


@pytest.mark.usefixtures("alone")
def test_the_demonstration_says_it_first(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sklearn")
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    with pytest.raises(UnsupportedError, match="nttforge-hardware") as raised:
        command.run(parser.parse_args(["--device", "rtl"]))
    assert capsys.readouterr().out == "" and REMEDY in str(raised.value)


def test_the_command_line_names_the_package_of_an_import(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: object) -> int:
        raise ModuleNotFoundError("No module named 'nttforge_hardware'", name="nttforge_hardware")

    monkeypatch.setattr("nttforge.cli.selftest.run", fails)
    assert main(["selftest"]) == 2
    assert REMEDY in capsys.readouterr().err


def test_the_folder_of_the_remedy_is_there() -> None:
    root = Path(__file__).resolve().parents[3]
    for folders in _providers._FOLDERS.values():
        assert all((root / folder / "pyproject.toml").is_file() for folder in folders.split())
