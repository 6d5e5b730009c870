# SPDX-License-Identifier: Apache-2.0
"""Build the library and programs for macOS and Windows on this machine: ``make cross``.

Each system's library is built as a release, with warnings as errors, and installed; the projects
of tests/consumer and some test programs are linked to it. Zig's linker refuses a symbol that the
system's libraries do not have, and the programs may load nothing but libraries of the system. The
programs for Windows are run where Wine is installed (Debian: wine64). What was seen stands in
``bench/results/platforms/``.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import pathlib
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence

import programs
from binary_imports import least_macos, libraries
from cross_check import ROOT, TARGETS, WORK, CrossError, zig_program
from platforms import record
from test_consumer import PRODUCT

#: Folders of the library whose tests use nothing but the C++ library.
TESTED = ("arith", "c", "random", "rns")
LEAST_MACOS = "11.0"
LIBRARIES = {
    "Darwin": ("/usr/lib/libSystem.B.dylib",),
    "Windows": ("kernel32.dll", "advapi32.dll", "bcrypt.dll", "ntdll.dll", "api-ms-win-*.dll"),
}
WINE = ("wine64", "wine", "/usr/lib/wine/wine64")


def told(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", flush=True)


def built(name: str, jobs: str) -> pathlib.Path:
    """The folder into which the library for a target is installed."""
    folder = WORK / name
    log = folder / "library.log"
    words = ["cmake", "-S", ROOT, "-B", folder / "library", "-G", "Ninja"]
    words += [f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'cmake' / 'zig.cmake'}"]
    words += [f"-DNTTFORGE_ZIG_TARGET={TARGETS[name].zig}", "-DCMAKE_BUILD_TYPE=Release"]
    words += ["-DNTTFORGE_WERROR=ON", "-DNTTFORGE_CUDA=OFF", "-DNTTFORGE_PRECOMPILE=OFF"]
    python = {"PYTHON": os.environ.get("PYTHON") or sys.executable}
    programs.output(CrossError, words, ROOT, log=log, **python)
    build = ["cmake", "--build", folder / "library", "-j", jobs, "--", "-k", "0"]
    programs.output(CrossError, build, ROOT, log=log)
    prefix = folder / "prefix"
    shutil.rmtree(prefix, ignore_errors=True)
    install = ["cmake", "--install", folder / "library", "--component", "development"]
    programs.output(CrossError, [*install, "--prefix", prefix], ROOT, log=log)
    return prefix


def linked_words(prefix: pathlib.Path) -> list[str]:
    """What nttforge.pc tells compilers."""
    (folder,) = {path.parent for path in prefix.rglob("nttforge.pc")}
    words = ["pkg-config", "--cflags", "--libs", "nttforge"]
    return programs.output(CrossError, words, ROOT, PKG_CONFIG_PATH=str(folder)).split()


def linked(name: str, zig: str, prefix: pathlib.Path) -> dict[str, pathlib.Path]:
    """Programs of a target by name: the consumers, and tests of some folders."""
    words = linked_words(prefix)
    consumers = ROOT / "tests" / "consumer"
    out = prefix.parent / "programs"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    made = (out / "vectors").resolve()
    command = [sys.executable, "-m", "nttforge_oracle", "made-vectors", "--out", str(made)]
    path = os.pathsep.join(str(ROOT / place) for place in ("python", "packages/oracle"))
    variables = os.environ | {"PYTHONPATH": path}
    subprocess.run(command, env=variables, check=True, stdout=subprocess.DEVNULL)
    places = (("VECTORS", ROOT / "tests" / "vectors"), ("MADE_VECTORS", made))
    vectors = [f'-DNTTFORGE_{name}="{folder}"' for name, folder in places]
    rows: dict[str, tuple[str, list[str | pathlib.Path]]] = {
        "c": ("cc", ["-std=c99", consumers / "c/main.c"]),
        "cxx17": ("c++", ["-std=c++17", consumers / "cxx17/main.cpp"]),
        "cxx20": ("c++", ["-std=c++20", consumers / "main.cpp"]),
    }
    for folder in TESTED:
        sources = [ROOT / f"nttforge/base/testing_{part}.cpp" for part in ("main", "vectors")]
        sources += sorted((ROOT / "nttforge" / folder).rglob("*_test.cpp"))
        sources = [path for path in sources if "cxx17" not in path.name]
        rows[f"{folder}_test"] = ("c++", ["-std=c++20", f"-I{ROOT}", *vectors, *sources])
    for program, (driver, arguments) in rows.items():
        told(f"{name}: {program}")
        options = f"-target {TARGETS[name].zig} -O1 -g0 -Wall -Wextra -Werror".split()
        binary = out / f"{program}.exe"
        log = out / f"{program}.log"
        everything = [zig, driver, *options, *arguments, *words, "-o", binary]
        programs.output(CrossError, everything, ROOT, log=log)
        checked(name, binary)
    return {program: out / f"{program}.exe" for program in rows}


def checked(name: str, binary: pathlib.Path) -> None:
    """Refuse a program that loads more than the system's libraries, or is for a newer macOS."""
    allowed = LIBRARIES[TARGETS[name].system]
    loaded = [library.lower() for library in libraries(binary)]
    known = [pattern.lower() for pattern in allowed]
    others = [each for each in loaded if not any(fnmatch.fnmatch(each, known) for known in known)]
    if others or not loaded:
        raise CrossError(f"{binary.name} for {name} loads {others}, and may load {allowed} only")
    if TARGETS[name].system == "Darwin" and least_macos(binary) != LEAST_MACOS:
        raise CrossError(f"{binary.name} needs macOS {least_macos(binary)}, not {LEAST_MACOS}")


def ran(wine: str, found: dict[str, pathlib.Path]) -> int:
    """Runs the programs for Windows; returns the number of tests that passed."""
    passed = 0
    variables = {"WINEDEBUG": "-all", "WINEPREFIX": str(WORK / "wine")}
    for program, binary in found.items():
        log = binary.with_suffix(".wine.log")
        text = programs.output(CrossError, [wine, binary], ROOT, log=log, **variables)
        if program.endswith("_test"):
            told(f"Wine: {program}: {text.splitlines()[-1]}")
            passed += int(text.splitlines()[-1].split()[0])
        elif PRODUCT.strip() not in map(
            str.strip, text.splitlines()
        ):  # Wine's own lines come first
            raise CrossError(f"{program} under Wine printed {text}")
    return passed


def cross(names: Sequence[str], jobs: str) -> None:
    zig = zig_program()
    wine = next(filter(None, map(shutil.which, WINE)), None)
    for name in names:
        told(f"{name}: the library")
        prefix = built(name, jobs)
        found = linked(name, zig, prefix)
        target = TARGETS[name]
        figures = {"target": target.zig, "programs": len(found)}
        record(target.platform, "", "compiles", "make cross", **figures)
        if target.system != "Windows":
            continue
        if wine is None:
            told("Wine is not installed: the programs for Windows were not run")
            continue
        passed = ran(wine, found)
        told(f"{name}: {passed} tests of {', '.join(TESTED)} passed under Wine")
        figures |= {"tests": passed}
        record(target.platform, "", "runs under emulation", "make cross", **figures)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--targets", nargs="+", choices=TARGETS, default=list(TARGETS))
    parser.add_argument("--jobs", default=str(os.cpu_count() or 2))
    arguments = parser.parse_args()
    begun = time.monotonic()
    try:
        cross(arguments.targets, arguments.jobs)
    except CrossError as error:
        print(f"cross: {error}", file=sys.stderr)
        return 1
    minutes = (time.monotonic() - begun) / 60
    told(f"built and linked for {', '.join(arguments.targets)} in {minutes:.1f} minutes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
