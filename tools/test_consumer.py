# SPDX-License-Identifier: Apache-2.0
"""Install the C++ library into a fresh prefix; build and run users' projects against it."""

import argparse
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run(*command: str | pathlib.Path) -> str:
    words = [str(part) for part in command]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


def installed_prefix(build: pathlib.Path) -> pathlib.Path:
    """Install the C++ library built in `build` into a fresh prefix beside it."""
    prefix = build.parent / "prefix"
    shutil.rmtree(prefix, ignore_errors=True)
    run("cmake", "--install", build, "--component", "development", "--prefix", prefix)
    return prefix


def build_consumer(
    source: pathlib.Path, work: pathlib.Path, prefix: pathlib.Path, program: str = "consumer"
) -> str:
    """Output of a program of the project in `source`, built against the installed library."""
    shutil.rmtree(work, ignore_errors=True)
    run("cmake", "-S", source, "-B", work, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", work)
    return run(work / program)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path, help="CMake build folder of the library")
    build = parser.parse_args().build.resolve()
    prefix = installed_prefix(build)
    output = build_consumer(ROOT / "tests/consumer", build.parent / "consumer", prefix).split()
    # (1 + 2X + 3X^2 + 4X^3)(5 + 6X + 7X^2 + 8X^3) mod (X^4 + 1, 17), by hand.
    if output != ["12", "15", "2", "9"]:
        sys.exit(f"consumer printed {output}")
    print("consumer project built with find_package and gave the right product")
    example = build_consumer(
        ROOT / "examples/bfv_cpp", build.parent / "bfv_cpp", prefix, "bfv_example"
    )
    if example.splitlines()[-1] != "as expected":
        sys.exit(f"examples/bfv_cpp printed:\n{example}")
    print("examples/bfv_cpp built with find_package and gave the right sums")
    return 0


if __name__ == "__main__":
    sys.exit(main())
