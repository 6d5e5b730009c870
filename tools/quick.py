# SPDX-License-Identifier: Apache-2.0
"""Test what was changed, in about two minutes: ``make quick``.

Changed are the files that differ from where the branch left main (on main: from the commit
before) and those not yet committed. Their C++ folders' test programs and the Python test files
that the table below gives them are built and run, the nearest first. What has not begun when the
time is up is named and left to ``make test``.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESTS = ROOT / "python/tests"
#: Packages beside nttforge, which the tests import.
PACKAGES = tuple(path.parent for path in sorted(ROOT.glob("packages/*/pyproject.toml")))
#: Rooms of tests that lie beside what they test.
BESIDE = {path.name: path / "tests" for path in (ROOT / "bench", ROOT / "papers", *PACKAGES)}
#: Which Python tests belong to a file: the first row whose folder or file begins its name.
PYTHON_TESTS = (
    ("python/tests/", ("{test}",)),
    ("packages/hardware/tests/", ("hardware/{test}",)),
    ("packages/cluster/tests/", ("cluster/{test}",)),
    ("packages/cluster/", ("cluster/test_*.py",)),
    ("packages/compilers/tests/test_", ("compilers/{test}",)),
    ("packages/compilers/", ("compilers/test_*.py",)),
    ("packages/serve/tests/test_", ("serve/{test}",)),
    ("packages/serve/", ("serve/test_*.py",)),
    ("packages/demo/tests/", ("demo/{test}",)),
    ("packages/demo/nttforge_demo/cluster/", ("cluster/test_cluster_c*.py",)),
    ("packages/demo/", ("demo/test_demo.py",)),
    ("packages/he/tests/", ("he/{test}",)),
    ("packages/he/", ("he/test_*.py",)),
    ("packages/seal/", ("seal/test_*.py",)),
    ("packages/oracle/tests/", ("oracle/{test}",)),
    ("packages/oracle/", ("oracle/test_*.py",)),
    ("packages/hardware/", ("hardware/test_hardware.py", "hardware/test_hardware_cli.py")),
    ("nttforge/arith/", ("ntt/test_number_theory.py",)),
    ("nttforge/random/", ("oracle/test_spec_random.py", "bfv/test_bfv.py")),
    ("nttforge/ntt/algorithms/", ("ntt/test_algorithms.py",)),
    ("nttforge/ntt/", ("ntt/test_ntt.py", "ntt/test_explorer.py")),
    ("nttforge/embedding/", ("ckks/test_*.py",)),
    ("nttforge/device/", ("bfv/test_bfv.py",)),
    ("nttforge/multi/", ("multi/test_*.py",)),
    ("nttforge/rlwe/", ("bfv/test_*.py", "bgv/test_*.py")),
    ("nttforge/integer_encoding/", ("bfv/test_*.py", "bgv/test_*.py")),
    ("nttforge/bfv/", ("bfv/test_*.py",)),
    ("nttforge/bgv/", ("bgv/test_*.py", "oracle/test_spec_bgv*.py")),
    ("nttforge/cpu/", ("ntt/test_ntt.py", "ntt/test_forced_target.py")),
    ("nttforge/cuda/", ("cuda/test_cuda.py", "cuda/test_cuda_features.py")),
    ("nttforge/", ()),
    ("python/bindings/bfv", ("bfv/test_*.py",)),
    ("python/bindings/bgv", ("bgv/test_*.py",)),
    ("python/bindings/ckks", ("ckks/test_*.py",)),
    (
        "python/bindings/rlwe",
        ("bfv/test_*.py", "bgv/test_*.py", "ckks/test_*.py", "seal/test_*.py"),
    ),
    ("python/bindings/schemes", ("bfv/test_*.py", "bgv/test_*.py")),
    ("python/bindings/cuda", ("cuda/test_cuda.py",)),
    ("python/bindings/", ("ntt/test_n*.py", "package/test_package.py")),
    ("python/nttforge/bfv/", ("bfv/test_*.py",)),
    ("python/nttforge/bgv/", ("bgv/test_*.py",)),
    ("python/nttforge/ckks/", ("ckks/test_*.py",)),
    ("python/nttforge/rlwe/", ("bfv/test_*.py", "bgv/test_*.py", "ckks/test_*.py")),
    ("python/nttforge/integer_encoding/", ("bfv/test_*.py", "bgv/test_*.py")),
    (
        "python/nttforge/circuits/",
        ("bfv/test_linear_*.py", "ckks/test_*.py", "encrypted/test_*.py"),
    ),
    ("python/nttforge/ckks/", ("ckks/test_*.py",)),
    ("python/nttforge/_secrecy", ("cluster/test_*.py",)),
    ("python/nttforge/choosing/", ("bfv/test_choose.py", "encrypted/test_*.py")),
    ("python/nttforge/encrypted/", ("encrypted/test_*.py",)),
    ("python/nttforge/cli/", ("cli/test_cli_*.py", "cli/test_cli.py")),
    ("python/nttforge/console/", ("cli/test_cli_*.py", "cli/test_cli.py")),
    ("python/nttforge/cuda/", ("cuda/test_*.py",)),
    ("python/nttforge/multi/", ("multi/test_*.py",)),
    ("python/nttforge/ntt/", ("ntt/test_{stem}*.py", "ntt/test_n*.py")),
    ("papers/nttforge_papers/", ("papers/test_*.py",)),
    ("papers/tests/", ("papers/{test}",)),
    ("bench/results/", ("papers/test_report.py", "papers/test_papers_hardware.py")),
    ("docs/papers/", ("papers/test_report*.py",)),
    ("docs/site/", ("repository/test_site.py",)),
    ("python/nttforge/spec/", ("oracle/test_*.py",)),
    ("python/nttforge/", ("*/test_{stem}*.py", "package/test_package.py")),
    ("hardware/", ("hardware/test_hardware.py", "hardware/test_hardware_simulation.py")),
    ("papers/kernels/", ("cuda/test_cuda_features.py",)),
    ("papers/benchmarks/", ("cuda/test_cuda_features.py",)),
    ("bench/nttforge_bench/", ("bench/test_*.py",)),
    ("bench/tests/", ("bench/{test}",)),
    ("bench/", ("bench/test_bench.py",)),
    ("tools/code_blocks", ("repository/test_site.py",)),
    ("tools/help_examples", ("repository/test_site.py",)),
    ("tools/run_blocks", ("repository/test_site.py",)),
    ("tools/check_layers", ("repository/test_layers.py",)),
    ("tools/check_sizes", ("repository/test_layers.py",)),
    ("tools/draw_architecture", ("repository/test_layers.py",)),
    ("tools/recipe_files", ("repository/test_recipes.py", "repository/test_release.py")),
    ("tools/release", ("repository/test_release.py", "repository/test_recipes.py")),
    ("packaging/", ("repository/test_recipes.py",)),
    ("tools/", ("repository/test_{stem}.py",)),
)


def git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


def changed_files() -> list[str]:
    """Files changed since the branch left main (on main: since HEAD~), committed or not."""
    head = git("rev-parse", "HEAD")
    bases = git("merge-base", "HEAD", "origin/main") or git("merge-base", "HEAD", "main")
    base = bases[0] if bases and bases != head else "HEAD~"
    names = git("diff", "--name-only", base) + git("ls-files", "--others", "--exclude-standard")
    return sorted(set(names))


def cpp_folders(names: list[str]) -> list[str]:
    """The folders of nttforge/ whose test programs the files belong to, lowest layer first."""
    order = ("base", "arith", "random", "ntt", "rns", "device", "cpu", "cuda", "rlwe", "bfv", "bgv")
    found = {name.split("/")[1] for name in names if name.startswith("nttforge/")}
    found |= {
        "cuda" for name in names if name.startswith("papers/kernels/")
    }  # its tests are cuda's
    found = {folder for folder in found if any((ROOT / "nttforge" / folder).rglob("*_test.cpp"))}
    return [*(folder for folder in order if folder in found), *sorted(found - set(order))]


def matching(pattern: str) -> list[str]:
    """The test files that a pattern matches, each as ROOM/NAME."""
    room, _, inside = pattern.partition("/")
    folder, inside = (BESIDE[room], inside) if room in BESIDE else (TESTS, pattern)
    paths = [path for path in sorted(folder.glob(inside)) if path.name.startswith("test_")]
    return [f"{path.parent.name if folder == TESTS else room}/{path.name}" for path in paths]


def path_of(test: str) -> pathlib.Path:
    """Where a test file of the name ROOM/NAME is."""
    room, _, name = test.partition("/")
    return BESIDE.get(room, TESTS / room) / name


def python_tests(names: list[str]) -> list[str]:
    """The test files that belong to the files, those of the first row of the table first."""
    found: dict[str, int] = {}
    for name in names:
        path = pathlib.PurePath(name)
        for row, (prefix, patterns) in enumerate(PYTHON_TESTS):
            if not name.startswith(prefix) or path.suffix == ".md":
                continue
            for pattern in patterns:
                wanted = pattern.format(stem=path.stem.strip("_"), test=name[len(prefix) :])
                for file in matching(wanted):
                    found[file] = min(row, found.get(file, row))
            break
    return sorted(found, key=lambda file: found[file])


class Clock:
    """Runs commands until one fails or the time is up; tells what it did."""

    def __init__(self, seconds: float) -> None:
        self.begun, self.seconds = time.monotonic(), seconds
        self.failed: list[str] = []
        self.left_out: list[str] = []

    def run(self, title: str, *command: str, always: bool = False) -> None:
        if self.failed or (not always and time.monotonic() - self.begun > self.seconds):
            self.left_out.append(title)
            return
        print(f"-- {title}", flush=True)
        if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
            self.failed.append(title)


def install(build: pathlib.Path) -> None:
    """Bring the package that the tests import up to date, without building the rest."""
    site = pathlib.Path(sysconfig.get_paths()["purelib"])
    command = ["cmake", "--install", str(build), "--component", "python", "--prefix", str(site)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    shutil.copytree(ROOT / "python/nttforge", site / "nttforge", dirs_exist_ok=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    pip += ["--no-build-isolation", "--no-deps", "--force-reinstall", *map(str, PACKAGES)]
    subprocess.run(pip, cwd=ROOT, check=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path, help="CMake build folder: build/dev")
    parser.add_argument("--seconds", type=float, default=120, help="begin nothing after this time")
    options = parser.parse_args()
    if not (options.build / "build.ninja").exists():
        sys.exit(f"{options.build} is not set up: run make build once (CUDA=OFF is quicker)")
    names = changed_files()
    folders, tests = cpp_folders(names), python_tests(names)
    print(
        f"{len(names)} files changed; C++: {' '.join(folders) or '-'}; Python: {len(tests)} files; "
        f"nothing begins after {options.seconds:.0f} s"
    )
    present = [name for name in names if (ROOT / name).is_file()]
    cpp = [name for name in present if name.endswith((".cpp", ".hpp", ".cu", ".cuh"))]
    clock = Clock(options.seconds)
    if cpp:
        clock.run("clang-format", "clang-format", "--dry-run", "--Werror", *cpp)
    clock.run("ruff", "ruff", "check", "--quiet", ".")
    clock.run("ruff format", "ruff", "format", "--check", "--quiet", ".")
    for tool in ("layers", "sizes", "licences", "docs"):
        clock.run(f"tools/check_{tool}.py", sys.executable, f"tools/check_{tool}.py")
    ninja = ("cmake", "--build", str(options.build), "--target")
    for folder in folders:
        program = f"nttforge_{folder}_test"
        clock.run(f"build {program}", *ninja, program)
        clock.run(program, str(options.build / program))
    if tests:
        if folders or any(name.startswith("python/bindings/") for name in names):
            clock.run("build the Python package", *ninja, "_core")
        if not clock.failed:
            install(options.build)
    for file in tests:
        clock.run(file, sys.executable, "-m", "pytest", "-q", str(path_of(file)))
    seconds = time.monotonic() - clock.begun
    if clock.left_out:
        print(f"left to make test: {', '.join(clock.left_out)}")
    state = f"{', '.join(clock.failed)} failed" if clock.failed else "passed"
    print(f"make quick: {state}, {seconds:.0f} s")
    return 1 if clock.failed else 0


if __name__ == "__main__":
    sys.exit(main())
