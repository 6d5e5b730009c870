# SPDX-License-Identifier: Apache-2.0
"""The package nttforge-hardware: its wheel, built in a clone and from its source package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from nttforge_hardware._extras import EXTRAS

PROJECT = Path(__file__).resolve().parents[1]
ROOT = PROJECT.parents[1]
BUILD = """
import sys
from scikit_build_core.build import build_{what}
build_{what}(sys.argv[1])
"""


def _build(what: str, folder: Path, out: Path) -> Path:
    command = [sys.executable, "-c", BUILD.format(what=what), str(out)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (made,) = out.iterdir()
    return made


def _texts(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    pytest.importorskip("scikit_build_core")
    if not (ROOT / "hardware").is_dir():
        pytest.skip("not a clone")
    return _texts(_build("wheel", PROJECT, tmp_path_factory.mktemp("wheel")))


def test_the_wheel_has_code_and_modules(wheel: dict[str, bytes]) -> None:
    for folder in (PROJECT / "nttforge_hardware", ROOT / "hardware"):
        for path in (*folder.rglob("*.py"), *folder.rglob("*.sv")):
            name = f"nttforge_hardware/{path.relative_to(folder)}"
            assert wheel[name] == path.read_bytes(), name
    assert "nttforge_hardware/py.typed" in wheel
    assert "nttforge_hardware/host/nttf_engine.h" in wheel
    assert all(name.startswith("nttforge_hardware") for name in wheel)
    assert not [name for name in wheel if re.search(r"(^|/)tests?/|(^|/)test_", name)]
    for name in ("LICENSE", "NOTICE"):
        (text,) = [text for path, text in wheel.items() if path.endswith(f"/licenses/{name}")]
        assert text == (ROOT / name).read_bytes()


def test_the_source_package_gives_the_same_wheel(wheel: dict[str, bytes], tmp_path: Path) -> None:
    for name in ("source", "unpacked", "wheel"):
        (tmp_path / name).mkdir()
    archive = _build("sdist", PROJECT, tmp_path / "source")
    with tarfile.open(archive) as tar:
        if hasattr(tarfile, "data_filter"):  # Python 3.10.12, 3.11.4 and later
            tar.extraction_filter = tarfile.data_filter
        tar.extractall(tmp_path / "unpacked")
    (folder,) = (tmp_path / "unpacked").iterdir()
    assert _texts(_build("wheel", folder, tmp_path / "wheel")) == wheel


def test_the_wheel_alone_generates_and_simulates(wheel: dict[str, bytes], tmp_path: Path) -> None:
    """Neither nttforge nor any other distribution is on the path."""
    for name, text in wheel.items():
        path = tmp_path / "alone" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    assert not [name for name in wheel if name.endswith((".so", ".pyd", ".dylib"))]
    said = {}
    environment = {"PYTHONPATH": str(tmp_path / "alone"), "PATH": os.environ["PATH"]}
    for k, words in enumerate(
        (
            "generate --n 32 --bits 20 --dp 4 --pp 2 --out design",
            "prove design",
            "explore --n 64 --max-dsp 24",
            "generate --scheme ml-kem --direction both --dp 4 --pp 1 --out kem",
            "generate --n 32 --bits 20 --moduli runtime --axi --dp 4 --pp 1 --out engine",
        )
    ):
        command = [sys.executable, "-S", "-m", "nttforge_hardware", *words.split()]
        ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        said[k] = ran.stdout
    assert "as defined" in said[1]
    version = (ROOT / "packages/hardware/pyproject.toml").read_text("utf-8")
    number = re.search(r'^version = "(.*)"', version, re.MULTILINE)
    assert number is not None
    top = (tmp_path / "design/rtl/ntt_top.sv").read_text("utf-8")
    assert f"nttforge {number[1]}, generated" in top
    if shutil.which("iverilog") is None:
        pytest.skip("no iverilog on the path")
    build = ["iverilog", "-g2012", "-s", "ntt_testbench", "-o", "run.vvp", "-f", "testbench.f"]
    subprocess.run(build, cwd=tmp_path / "design", check=True)
    run = subprocess.run(
        ["vvp", "-n", "run.vvp"], cwd=tmp_path / "design", capture_output=True, text=True
    )
    assert run.stdout.rstrip().endswith("PASS")


def test_extras_are_those_of_the_package() -> None:
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = {extra: tuple(needs) for extra, needs in project["optional-dependencies"].items()}
    assert extras == EXTRAS
