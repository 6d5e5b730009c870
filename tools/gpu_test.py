"""Every GPU test, on a machine with an NVIDIA GPU and a CUDA toolkit. Nothing is downloaded.

Builds library, extension and tests with this Python (nanobind, cmake, ninja and pytest must be
installed for it), then runs the C++ and Python tests, the examples, the self-test and
compute-sanitizer.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SANITIZERS = ("memcheck", "racecheck", "initcheck", "synccheck")
LITTLE = "each recipe with little data"


class Steps:
    """Runs commands, keeps a table of what happened."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str]] = []
        self.failed = False

    def run(self, name: str, command: list[object], environment: dict[str, str]) -> bool:
        print(f"== {name}", flush=True)
        start = time.perf_counter()
        words = [str(word) for word in command]
        code = subprocess.run(words, cwd=ROOT, env=environment, check=False).returncode
        seconds = time.perf_counter() - start
        self.rows.append((name, f"{'ok' if code == 0 else f'FAILED ({code})'}, {seconds:.0f} s"))
        self.failed |= code != 0
        return code == 0

    def skip(self, name: str, why: str) -> None:
        self.rows.append((name, f"skipped: {why}"))

    def report(self) -> int:
        width = max(len(name) for name, _ in self.rows)
        print("\n" + "\n".join(f"{name.ljust(width)}  {what}" for name, what in self.rows))
        return int(self.failed)


def require_tools() -> None:
    missing = [t for t in ("cmake", "ninja") if shutil.which(t) is None]
    missing += [
        m for m in ("nanobind", "pytest", "numpy", "tqdm") if not importlib.util.find_spec(m)
    ]
    if missing:
        sys.exit(
            f"missing: {', '.join(missing)}: install them for {sys.executable}, or set PYTHON=..."
        )


def build(steps: Steps, folder: pathlib.Path, jobs: int, environment: dict[str, str]) -> bool:
    configure = ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
    configure += ["-DNTTFORGE_CUDA=ON", "-DNTTFORGE_TESTS=ON", "-DNTTFORGE_PYTHON=ON"]
    configure += [f"-DPython_EXECUTABLE={sys.executable}", "-DCMAKE_INSTALL_MESSAGE=NEVER"]
    targets = ["nttforge_cuda_test", "_core"]
    return steps.run("configure", configure, environment) and steps.run(
        "build", ["cmake", "--build", folder, "-j", jobs, "--target", *targets], environment
    )


def examples(steps: Steps, folder: pathlib.Path, environment: dict[str, str]) -> None:
    prefix, out = folder / "prefix", folder / "gpu_cpp"
    install = ["cmake", "--install", folder, "--component", "development", "--prefix", prefix]
    configure = ["cmake", "-S", ROOT / "examples/gpu_cpp", "-B", out, "-G", "Ninja"]
    configure += [f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release"]
    built = (
        steps.run("example in C++: install the library", install, environment)
        and steps.run("example in C++: configure", configure, environment)
        and steps.run("example in C++: build", ["cmake", "--build", out], environment)
    )
    if built:
        steps.run("example in C++", [out / "gpu_example"], environment)
    for module, name in (("torch", "gpu_pytorch.py"), ("cupy", "gpu_cupy.py")):
        if importlib.util.find_spec(module):
            steps.run(f"example {name}", [sys.executable, ROOT / "examples" / name], environment)
        else:
            steps.skip(f"example {name}", f"{module} is not installed")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/gpu", help="folder")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--no-sanitizers", action="store_true", help="leave compute-sanitizer out")
    options = parser.parse_args()
    require_tools()
    folder = options.build.resolve()
    environment = os.environ | {
        "NTTFORGE_REQUIRE_GPU": "1",
        "PYTHONPATH": str(folder / "python"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    steps = Steps()
    if not build(steps, folder, options.jobs, environment):
        return steps.report()
    tests = folder / "nttforge_cuda_test"
    steps.run("C++ tests", [tests], environment)
    files = sorted((ROOT / "python/tests").glob("test_cuda*.py"))
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
    steps.run("Python tests", pytest, environment)
    examples(steps, folder, environment)
    selftest = [sys.executable, "-m", "nttforge", "selftest", "--device", "cuda"]
    steps.run("self-test of the card", selftest, environment)
    for tool in () if options.no_sanitizers else SANITIZERS:
        if shutil.which("compute-sanitizer") is None:
            steps.skip(f"compute-sanitizer {tool}", "not on PATH")
            continue
        command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", 1, tests, LITTLE]
        steps.run(f"compute-sanitizer {tool}", command, environment)
    return steps.report()


if __name__ == "__main__":
    sys.exit(main())
