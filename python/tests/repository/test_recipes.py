# SPDX-License-Identifier: Apache-2.0
"""packaging/: what the recipes say is what the project says; every rule of that can fail."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
CONDA, VCPKG = "packaging/conda-forge/recipe.yaml", "packaging/vcpkg/vcpkg.json"
PORTFILE, DEBIAN = "packaging/vcpkg/portfile.cmake", "packaging/debian"
READ = (
    *("CMakeLists.txt", "pyproject.toml", "LICENSE", "NOTICE", "README.md"),
    *("cmake", "licenses", "packaging", "python/bindings/CMakeLists.txt"),
)


def _module(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module(name)


@pytest.fixture
def recipes(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return _module("recipe_files", monkeypatch)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A copy of what the comparison reads."""
    for name in READ:
        source, target = ROOT / name, tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    return tmp_path


def test_the_recipes_are_the_projects(recipes: ModuleType) -> None:
    assert recipes.problems(ROOT) == []
    assert set(recipes.requirements(ROOT)) == {
        *("scikit-build-core", "nanobind", "cmake", "ninja", "numpy", "tqdm")
    }


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("CMakeLists.txt", "nttforge VERSION ", "nttforge VERSION 7", "CMakeLists.txt has"),
        (VCPKG, '"version": "', '"version": "7', "vcpkg.json: version"),
        (f"{DEBIAN}/changelog", "nttforge (", "nttforge (7", "changelog: version"),
        (PORTFILE, "SHA512", "SKIP_SHA512", "sha512 must stand there once"),
        (CONDA, "numpy >=1.23,<3", "numpy >=1.23", "recipe.yaml: numpy"),
        (CONDA, "nanobind >=2.9,<4", "nanobind >=2.8,<4", "recipe.yaml: nanobind"),
        ("pyproject.toml", "tqdm>=4.60,<5", "tqdm>=4.60,<6", "recipe.yaml: tqdm"),
        (f"{DEBIAN}/control", "nanobind-dev (>= 2.9)", "nanobind-dev (>= 2.8)", "nanobind-dev"),
        (f"{DEBIAN}/control", " cmake (>= 3.26),\n", "", "control: cmake"),
        (VCPKG, "Apache-2.0", "MIT", "vcpkg.json: ['MIT']"),
        (f"{DEBIAN}/copyright", "License: Apache-2.0", "License: MIT", "copyright: "),
        ("pyproject.toml", 'license = "Apache-2.0"', 'license = "MIT"', "recipe.yaml: "),
        (CONDA, "homepage: https://github", "homepage: http://github", "http://github"),
        (VCPKG, "bit-exact", "exact", "bit-exact"),
        (CONDA, "include/nttforge/bfv/bfv.hpp", "include/nttforge/bfv.hpp", "is not installed"),
        ("cmake/install.cmake", "nttforge.h", "", "nttforge.h is not installed"),
        (CONDA, "licenses/nanobind.txt", "licenses/nanobund.txt", "which is not there"),
        (f"{DEBIAN}/rules", "NTTFORGE_CUDA=OFF;", "NTTFORGE_GPU=OFF;", "no option NTTFORGE_GPU"),
        ("cmake/cuda.cmake", "set(NTTFORGE_CUDA ", "set(NTTFORGE_GPU ", "no option NTTFORGE_CUDA"),
    ],
)
def test_each_rule_can_fail(
    recipes: ModuleType, root: Path, name: str, old: str, new: str, words: str
) -> None:
    assert recipes.problems(root) == []
    text = (root / name).read_text("utf-8")
    assert old in text
    (root / name).write_text(text.replace(old, new), "utf-8")
    problems = recipes.problems(root)
    assert any(words in problem for problem in problems), problems


def test_digests_are_those_of_the_archive(recipes: ModuleType, root: Path) -> None:
    archive = root / "nttforge-0.1.0.tar.gz"
    archive.write_bytes(b"words")
    assert len(recipes.digest_problems(root, archive)) == 2  # zeros, as no release was made
    recipes.write_digests(root, archive)
    assert recipes.digest_problems(root, archive) == [] == recipes.problems(root)
    archive.write_bytes(b"other words")
    assert len(recipes.digest_problems(root, archive)) == 2
    text = (root / CONDA).read_text("utf-8")
    recipes.write_version(root, "0.1.0", "Mon, 01 Jan 2035 00:00:00 +0000")
    (root / CONDA).write_text(text, "utf-8")
    (problem,) = recipes.digest_problems(root)
    assert "others zeros" in problem


def test_a_version_is_written_everywhere(recipes: ModuleType, root: Path) -> None:
    recipes.write_version(root, "7.8.9", "Mon, 01 Jan 2035 00:00:00 +0000")
    assert json.loads((root / VCPKG).read_text("utf-8"))["version"] == "7.8.9"
    assert (root / f"{DEBIAN}/changelog").read_text("utf-8").endswith("Jan 2035 00:00:00 +0000\n")
    assert len(recipes.problems(root)) == 3  # CMakeLists.txt still has the version before


@pytest.fixture(scope="module")
def checked(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[subprocess.CompletedProcess[str], Path]:
    """What the command says without any linter, and its folder with the source package."""
    pytest.importorskip("scikit_build_core")
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone")
    folder = tmp_path_factory.mktemp("recipes")
    git, cmake = shutil.which("git"), shutil.which("cmake")
    (folder / "bin").mkdir()
    for program in filter(None, (git, cmake, "/bin/sh")):
        (folder / "bin" / Path(program).name).symlink_to(program)
    program = (
        f"import sys, pathlib; sys.path.insert(0, {str(ROOT / 'tools')!r}); "
        "sys.modules['rattler_build'] = None; import recipes; "
        f"recipes.WORK = pathlib.Path({str(folder / 'work')!r}); sys.exit(recipes.main())"
    )
    words = [sys.executable, "-c", program]
    environment = {"PATH": str(folder / "bin"), "HOME": str(folder)}
    return subprocess.run(words, capture_output=True, text=True, env=environment), folder / "work"


@pytest.mark.full
def test_the_source_package_leaves_the_recipes_out(
    checked: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    """Its digest stands in them."""
    (archive,) = (checked[1] / "source").glob("nttforge-*.tar.gz")
    with tarfile.open(archive) as tar:
        names = [name.split("/", 1)[1] for name in tar.getnames() if "/" in name]
    assert "CMakeLists.txt" in names and "tests/consumer/c/CMakeLists.txt" in names
    assert not [name for name in names if name.startswith("packaging")]


@pytest.mark.full
def test_missing_linters_are_named(
    checked: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    """Without any linter the command compares the recipes and says what it could not check."""
    done, _ = checked
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("the recipes say what CMakeLists.txt")
    missing = [line for line in lines if "NOT CHECKED" in line]
    assert len(missing) == len(lines) - 1 == 4
    for tool in ("conda-smithy", "rattler_build", "vcpkg", "lintian"):
        assert any(f" {tool} is not installed" in line for line in missing), tool
