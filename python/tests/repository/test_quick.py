# SPDX-License-Identifier: Apache-2.0
"""tools/quick.py: which tests belong to a change, and what it does when the time is up."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def quick() -> ModuleType:
    spec = importlib.util.spec_from_file_location("quick", ROOT / "tools/quick.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "folders", "tests"),
    [
        ("nttforge/ntt/plan.cpp", ["ntt"], ["ntt/test_ntt.py", "ntt/test_explorer.py"]),
        ("nttforge/ntt/algorithms/dit.hpp", ["ntt"], ["ntt/test_algorithms.py"]),
        ("nttforge/base/text/json.cpp", ["base"], []),
        ("python/nttforge/arrays.py", [], ["ntt/test_arrays.py", "package/test_package.py"]),
        ("python/tests/ntt/test_arrays.py", [], ["ntt/test_arrays.py"]),
        ("python/tests/helpers/draws.py", [], []),
        ("nttforge/cuda/README.md", ["cuda"], []),
        ("papers/kernels/kim20_rows.hpp", ["cuda"], ["cuda/test_cuda_features.py"]),
        (
            "bench/nttforge_bench/gpu.py",
            [],
            [f"bench/{path.name}" for path in sorted((ROOT / "bench/tests").glob("test_*.py"))],
        ),
        ("papers/tests/test_errata.py", [], ["papers/test_errata.py"]),
        ("docs/gpu.md", [], []),
        ("packages/oracle/tests/test_spec_rns.py", [], ["oracle/test_spec_rns.py"]),
        ("packages/hardware/tests/test_hardware_dgt.py", [], ["hardware/test_hardware_dgt.py"]),
        (
            "packages/hardware/nttforge_hardware/plan/dgt.py",
            [],
            ["hardware/test_hardware.py", "hardware/test_hardware_cli.py"],
        ),
    ],
)
def test_a_change_has_its_tests(
    quick: ModuleType, name: str, folders: list[str], tests: list[str]
) -> None:
    assert quick.cpp_folders([name]) == folders
    assert quick.python_tests([name]) == tests


def test_what_is_nearest_comes_first(quick: ModuleType) -> None:
    names = [
        "python/nttforge/cli/doctor.py",
        "nttforge/rlwe/keys.cpp",
        "python/tests/repository/test_steps.py",
    ]
    tests = quick.python_tests(names)
    assert tests[0] == "repository/test_steps.py" and tests[-1] == "cli/test_cli.py"
    assert "bfv/test_bfv.py" in tests


def test_the_table_knows_every_folder(quick: ModuleType) -> None:
    """A new layer or package must get its row, and every row's tests exist."""
    layers = {path.name for path in (ROOT / "nttforge").iterdir() if any(path.rglob("*_test.cpp"))}
    assert {folder for folder in layers if not quick.cpp_folders([f"nttforge/{folder}/x"])} == set()
    packages = [path.parent.name for path in (ROOT / "python/nttforge").glob("*/__init__.py")]
    for package in packages:
        assert quick.python_tests([f"python/nttforge/{package}/x.py"]), package
    for prefix, patterns in quick.PYTHON_TESTS:
        for pattern in patterns:
            assert "{" in pattern or quick.matching(pattern), (prefix, pattern)


def test_nothing_begins_after_a_failure_or_the_time(quick: ModuleType) -> None:
    clock = quick.Clock(1000)
    clock.run("fails", sys.executable, "-c", "raise SystemExit(3)")
    clock.run("next", sys.executable, "-c", "")
    assert clock.failed == ["fails"] and clock.left_out == ["next"]
    late = quick.Clock(-1)
    late.run("late", sys.executable, "-c", "")
    assert late.failed == [] and late.left_out == ["late"]


def test_without_a_build_it_says_what_to_run(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "tools/quick.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "make build" in done.stderr


def test_test_files_are_in_rooms_under_names_of_their_own() -> None:
    """Where two rooms have files of one name, pytest imports the first for both and fails."""
    tests = ROOT / "python/tests"
    files = [*tests.glob("*.py"), *tests.glob("*/*.py")]
    files += [*ROOT.glob("*/tests/test_*.py"), *ROOT.glob("packages/*/tests/test_*.py")]
    files = [*dict.fromkeys(files)]
    assert [file.name for file in files if file.parent == tests] == []
    assert len({file.name for file in files}) == len(files)
