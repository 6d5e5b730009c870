# SPDX-License-Identifier: Apache-2.0
"""nttforge-cuda: its module is taken where its version is nttforge's, and only there."""

import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import nttforge

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import nttforge
from nttforge import _gpu_package
print(nttforge.__path__[0])
print(_gpu_package.mismatch())
print(nttforge.__version__)
"""


def _run(folder: Path) -> list[str]:
    """What nttforge says of its path where ``folder`` is one for packages too."""
    environment = os.environ | {"PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def _installed(folder: Path, version: str) -> Path:
    """A package nttforge-cuda of this version, with a module that tells itself apart."""
    package = folder / "nttforge_cuda"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "_core.py").write_text('version = "with kernels"\n')
    if version:
        information = folder / f"nttforge_cuda-{version}.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: nttforge-cuda\nVersion: {version}\n"
        )
    return package


def _own_version() -> str:
    if not list(Path(nttforge.__file__).parent.parent.glob("nttforge-*.dist-info")):
        pytest.skip("nttforge is not installed as a package")
    return metadata.version("nttforge")


def test_the_module_with_kernels_is_taken(tmp_path: Path) -> None:
    package = _installed(tmp_path, _own_version())
    assert _run(tmp_path) == [str(package), "None", "with kernels"]


@pytest.mark.parametrize("version", ["0.0.1", ""])
def test_another_version_is_not_used_and_is_named(tmp_path: Path, version: str) -> None:
    own = _own_version()
    package = _installed(tmp_path, version)
    path, reason, core = _run(tmp_path)
    assert path != str(package)
    assert core == own
    assert reason.startswith("nttforge-cuda")
    assert ("0.0.1 is not used: nttforge is" if version else "is not installed") in reason


def test_without_it_nothing_changes(tmp_path: Path) -> None:
    own = _own_version()
    path, reason, core = _run(tmp_path)
    assert (Path(path).name, reason, core) == ("nttforge", "None", own)


def test_all_packages_have_one_version() -> None:
    text = (ROOT / "CMakeLists.txt").read_text("utf-8")
    (version,) = re.findall(r"^project\(nttforge VERSION ([0-9.]+)", text, re.M)
    packages = (ROOT / "packages").glob("*/pyproject.toml")
    for name in ("packaging/cuda/pyproject.toml", *packages):
        text = (ROOT / name).read_text("utf-8")
        assert re.findall(r'^version = "(.*)"$', text, re.M) == [version]
        assert set(re.findall(r'"nttforge(?:-[a-z]+)?==([0-9.]+)"', text)) == {version}
    for name in ("pyproject.toml", "python/nttforge/_extras.py"):
        text = (ROOT / name).read_text("utf-8")
        assert re.findall(r"nttforge-cuda==([0-9.]+);", text) == [version], name
        assert re.findall(r"nttforge-hardware\[tools\]==([0-9.]+)", text) == [version], name
