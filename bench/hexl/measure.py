# SPDX-License-Identifier: Apache-2.0
"""Measure SEAL and OpenFHE alone, with Intel HEXL, and with nttforge/hexl_compat.hpp, in one run.

Sources are given by the caller (README.md here); everything is built below --out with each
project's own release flags and kept there. Programs check their results first. All builds take
turns, and a figure is the least of all turns. SEAL's words must be the same in every build.

    python bench/hexl/measure.py --hexl SRC --seal SRC --out FOLDER [--turns 9]
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NOTHING = """\
if(NOT TARGET HEXL::hexl)
  add_library(HEXL::hexl INTERFACE IMPORTED)
  set_target_properties(HEXL::hexl PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "{folder}")
endif()
"""
#: A variant: which header, and which instruction set HEXL or nttforge is held to.
VARIANTS = {
    "plain": ("plain", None),
    "hexl": ("hexl", None),
    "nttforge": ("nttforge", None),
    "hexl avx512": ("hexl", "avx512"),
    "nttforge avx512": ("nttforge", "avx512"),
    "nttforge avx2": ("nttforge", "avx2"),
    "nothing": ("nothing", None),
}


def run(log: pathlib.Path, *command: str | pathlib.Path) -> None:
    words = [str(part) for part in command]
    with log.open("a", encoding="utf-8") as file:
        print("$", *words, file=file, flush=True)
        done = subprocess.run(words, stdout=file, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)} failed: see {log}")


class Builds:
    """What is built below one folder, each once."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.out: pathlib.Path = options.out.resolve()
        self.out.mkdir(parents=True, exist_ok=True)

    def cmake(self, name: str, source: pathlib.Path, *flags: str, target: str = "all") -> None:
        log = self.out / f"{name}.log"
        folder = self.out / name
        release = "-DCMAKE_BUILD_TYPE=Release"
        run(log, "cmake", "-S", source, "-B", folder, "-G", "Ninja", release, *flags)
        run(log, "cmake", "--build", folder, "--target", target)

    def headers(self) -> None:
        """HEXL, nttforge, and the header that does nothing, each with a folder of its package."""
        prefix = self.out / "hexl-prefix"
        if not prefix.exists():
            off = ("-DHEXL_BENCHMARK=OFF", "-DHEXL_TESTING=OFF")
            where = f"-DCMAKE_INSTALL_PREFIX={prefix}"
            self.cmake("hexl", self.options.hexl, *off, where, target="install")
        off = ("-DNTTFORGE_PYTHON=OFF", "-DNTTFORGE_TESTS=OFF", "-DNTTFORGE_CUDA=OFF")
        where = f"-DCMAKE_INSTALL_PREFIX={self.out / 'nttforge-prefix'}"
        self.cmake("nttforge", ROOT, *off, where, target="install")
        nothing = self.out / "nothing-package"
        nothing.mkdir(exist_ok=True)
        text = NOTHING.format(folder=HERE / "nothing")
        (nothing / "HEXLConfig.cmake").write_text(text, encoding="utf-8")

    def package(self, header: str) -> pathlib.Path:
        if header == "nothing":
            return self.out / "nothing-package"
        found = sorted((self.out / f"{header}-prefix").rglob("HEXLConfig.cmake"))
        return found[0].parent

    def seal(self, header: str) -> pathlib.Path:
        """The program with SEAL built so."""
        name = f"seal-{header}"
        prefix = self.out / f"{name}-prefix"
        program = self.out / f"{name}-program/bench_program"
        off = [f"-DSEAL_USE_{part}=OFF" for part in ("MSGSL", "ZLIB", "ZSTD")]
        flags = ["-DSEAL_BUILD_DEPS=OFF", *off, f"-DCMAKE_INSTALL_PREFIX={prefix}"]
        package = [] if header == "plain" else [f"-DHEXL_DIR={self.package(header)}"]
        if header != "plain":
            flags += ["-DSEAL_USE_INTEL_HEXL=ON", *package]
        if header == "nothing":  # results are zeros
            flags.append("-DSEAL_THROW_ON_TRANSPARENT_CIPHERTEXT=OFF")
        self.cmake(name, self.options.seal, *flags, target="install")
        there = f"-DSEAL_DIR={next(prefix.rglob('SEALConfig.cmake')).parent}"
        self.cmake(f"{name}-program", HERE, "-DLIBRARY=SEAL", there, *package)
        return program

    def openfhe(self, header: str) -> pathlib.Path:
        name = f"openfhe-{header}"
        prefix = self.out / f"{name}-prefix"
        program = self.out / f"{name}-program/bench_program"
        source = self.out / "openfhe-source" / ("plain" if header == "plain" else "staged")
        if not source.exists():
            shutil.copytree(self.options.openfhe, source)
            if header != "plain":
                for part in ("CMakeLists.txt", "CMakeLists.User.txt", "OpenFHEConfig.cmake.in"):
                    shutil.copy2(self.options.openfhe_hexl / part, source / part)
                for part in ("configure", "src", "third-party"):
                    staged = self.options.openfhe_hexl / part
                    shutil.copytree(staged, source / part, dirs_exist_ok=True)
        off = [f"-DBUILD_{part}=OFF" for part in ("UNITTESTS", "EXAMPLES", "BENCHMARKS")]
        flags = [*off, "-DWITH_OPENMP=OFF", "-DGIT_SUBMOD_AUTO=OFF", "-DWITH_NATIVEOPT=ON"]
        flags += [f"-DCMAKE_INSTALL_PREFIX={prefix}"]
        package = [] if header == "plain" else [f"-DHEXL_DIR={self.package(header)}"]
        if header != "plain":
            flags += ["-DINTEL_HEXL_PREBUILT=ON", *package]
        if not prefix.exists():
            self.cmake(name, source, *flags, target="install")
        there = f"-DOpenFHE_DIR={next(prefix.rglob('OpenFHEConfig.cmake')).parent}"
        self.cmake(f"{name}-program", HERE, "-DLIBRARY=OpenFHE", there, *package)
        return program


def turn(
    program: pathlib.Path, target: str | None, log_n: int, seconds: float, *more: str
) -> dict[str, Any]:
    environment = dict(os.environ)
    environment.pop("NTTFORGE_TARGET", None)
    environment.pop("HEXL_DISABLE_AVX512IFMA", None)
    if target is not None:
        environment["NTTFORGE_TARGET"] = target
        environment["HEXL_DISABLE_AVX512IFMA"] = "1"  # HEXL has no code for AVX2
    command = [str(program), str(log_n), str(seconds), *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def measure(
    programs: dict[str, pathlib.Path], variants: list[str], options: argparse.Namespace
) -> dict[str, Any]:
    """Least times by log2(n), variant and operation."""
    found: dict[str, Any] = {}
    for log_n in options.log_n:
        least: dict[str, dict[str, float]] = {name: {} for name in variants}
        digests = {}
        for _ in range(options.turns):
            for name in variants:
                header, target = VARIANTS[name]
                more = ("unchecked",) if header == "nothing" else ()
                times = turn(programs[header], target, log_n, options.seconds, *more)
                if header != "nothing":
                    digests[name] = times.get("digest")
                times.pop("digest", None)
                times.pop("n", None)
                for operation, value in times.items():
                    before = least[name].get(operation, value)
                    least[name][operation] = min(before, value)
        if len(set(digests.values())) != 1:
            sys.exit(f"n = 2^{log_n}: the words differ: {digests}")
        found[str(log_n)] = least
        show(log_n, least)
    return found


def show(log_n: int, least: dict[str, dict[str, float]]) -> None:
    print(f"n = 2^{log_n}, microseconds: {', '.join(least)}")
    for operation in next(iter(least.values())):
        row = "  ".join(f"{least[name][operation]:>10.1f}" for name in least)
        print(f"  {operation:<24}{row}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hexl", type=pathlib.Path, required=True)
    parser.add_argument("--seal", type=pathlib.Path)
    parser.add_argument("--openfhe", type=pathlib.Path)
    parser.add_argument("--openfhe-hexl", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--log-n", type=int, nargs="+", default=[12, 13, 14, 15])
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.3, help="of each operation in a turn")
    parser.add_argument("--machine", default=platform.processor() or platform.machine())
    options = parser.parse_args()
    builds = Builds(options)
    builds.headers()
    commit = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    results: dict[str, Any] = {
        "machine": options.machine,
        "commit": commit,
        "turns": options.turns,
        "seconds": options.seconds,
        "unit": "us, least of all turns",
    }
    if options.seal is not None:
        programs = {
            header: builds.seal(header) for header in ("plain", "hexl", "nttforge", "nothing")
        }
        results["seal"] = measure(programs, list(VARIANTS), options)
    if options.openfhe is not None:
        programs = {header: builds.openfhe(header) for header in ("plain", "hexl", "nttforge")}
        results["openfhe"] = measure(programs, [v for v in VARIANTS if v != "nothing"], options)
    path = builds.out / "results.json"
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
