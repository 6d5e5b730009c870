# SPDX-License-Identifier: Apache-2.0
"""Check that every source of the library compiles for macOS and Windows: ``make cross-check``.

CMake says for each system which sources it has and with what options. Zig's clang, a wheel with the
headers of all systems, checks them like a build, warnings being errors, but writes no code: that
takes a tenth of the time. So are the C header and the projects of tests/consumer. With --changed,
as in make test, only sources of the system itself are, and those that changed. ``make cross``
(cross.py) builds and links.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import programs
from platforms import record
from quick import changed_files
from test_consumer import INCLUDE, listed_headers

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "cross"
#: Zig links a C++ library of its own. Apple's compiler takes the system's, and refuses what that
#: of the oldest macOS lacks: so does the check.
_ANNOTATED = "_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS"
LIBCXX_OF_THE_SYSTEM = {f"{_ANNOTATED}=0": f"{_ANNOTATED}=1"}
#: What Windows' own pyconfig.h says of types; the guard keeps the one of this machine out.
WINDOWS_PYCONFIG = """#define Py_PYCONFIG_H
#include <limits.h>
#define MS_WINDOWS
#define MS_WIN64
#define NT_THREADS
#define HAVE_DECLSPEC_DLL 1
#define HAVE_PY_SSIZE_T 1
typedef long long Py_ssize_t;
#define PY_SSIZE_T_MAX LLONG_MAX
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_TIME_T 8
#define SIZEOF_WCHAR_T 2
#define ALIGNOF_MAX_ALIGN_T 8
"""
#: Sources of a system, whatever changed.
OF_A_SYSTEM = re.compile(r"nttforge/base/system/|.*_(macos|posix|windows)\.cpp")
#: So many sources take longer than the headers that most of them include.
MANY = 6
SENTENCE = "This nttforge header needs C++20"


@dataclass(frozen=True)
class Target:
    """A system: its row in platforms.py, and its names for CMake and for Zig."""

    platform: str
    system: str
    processor: str
    zig: str


TARGETS = {
    "aarch64-macos": Target("macos-aarch64", "Darwin", "aarch64", "aarch64-macos.11.0"),
    "x86_64-macos": Target("macos-x86_64", "Darwin", "x86_64", "x86_64-macos.11.0"),
    "x86_64-windows-gnu": Target("windows-x86_64", "Windows", "x86_64", "x86_64-windows-gnu"),
}


class CrossError(Exception):
    """A sentence on what does not compile."""


@dataclass
class Compiler:
    """Zig's clang for one system, called without Zig's own driver, which knows no -fsyntax-only."""

    zig: str
    target: Target
    words: dict[str, list[str]] = field(default_factory=dict)

    def flags(self, language: str) -> list[str]:
        """What Zig tells clang of a system's headers, for ``c`` or ``c++``."""
        if language not in self.words:
            driver = "cc" if language == "c" else language
            asked = [self.zig, driver, "-target", self.target.zig, "-O1", "-###", "-c"]
            with tempfile.TemporaryDirectory() as folder:
                said = subprocess.run(
                    [*asked, "-x", language, os.devnull], cwd=folder, capture_output=True, text=True
                ).stderr
            (line,) = [line for line in said.splitlines() if '"-cc1"' in line]
            words = shlex.split(line)
            pairs = list(itertools.pairwise(words))
            triple = next(value for name, value in pairs if name == "-triple")
            kept = [pair for pair in pairs if pair[0] in ("-isystem", "-D")]
            headers = [word for pair in kept for word in pair]
            if self.target.system == "Darwin":
                headers = [LIBCXX_OF_THE_SYSTEM.get(word, word) for word in headers]
            self.words[language] = [f"--target={triple}", "-nostdinc", *headers]
        return self.words[language]

    def command(self, language: str) -> list[str]:
        return [self.zig, "clang", *self.flags(language)]


@dataclass(frozen=True)
class Unit:
    """A source, what language it is in, and the options by which its meaning is decided."""

    source: str
    language: str
    options: tuple[str, ...]

    @property
    def machine(self) -> tuple[str, ...]:
        """Options that a precompiled header must share."""
        return tuple(word for word in self.options if word.startswith("-m"))


def zig_program() -> str:
    """The compiler of the wheel in this environment."""
    asked = "import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), 'zig'))"
    python = os.environ.get("PYTHON") or sys.executable
    missing = f"there is no Zig compiler: run '{python} -m pip install -r requirements-zig.txt'"
    try:
        return programs.output(CrossError, [python, "-c", asked], ROOT)
    except CrossError:
        raise CrossError(missing) from None


def units(compiler: Compiler, folder: pathlib.Path) -> list[Unit]:
    """The library's sources on this system, as CMake configures them."""
    folder.mkdir(parents=True, exist_ok=True)
    scripts = {"c++": compiler.command("c++"), "ar": [compiler.zig, "ar"]}
    for name, words in scripts.items():
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        script.chmod(0o755)
    named = {
        "CMAKE_SYSTEM_NAME": compiler.target.system,
        "CMAKE_SYSTEM_PROCESSOR": compiler.target.processor,
        "CMAKE_CXX_COMPILER": str(folder / "c++"),
        "CMAKE_CXX_COMPILER_LAUNCHER": "",
        "CMAKE_AR": str(folder / "ar"),
        "CMAKE_TRY_COMPILE_TARGET_TYPE": "STATIC_LIBRARY",  # nothing is linked
        "CMAKE_BUILD_TYPE": "Release",
    }
    words = ["cmake", "-S", ROOT, "-B", folder / "cmake", "-G", "Ninja"]
    words += ["-DNTTFORGE_WERROR=ON", "-DNTTFORGE_CUDA=OFF", "-DNTTFORGE_PRECOMPILE=OFF"]
    words += [f"-D{name}={value}" for name, value in named.items()]
    programs.output(CrossError, words, ROOT, log=folder / "cmake.log")
    rows = json.loads((folder / "cmake" / "compile_commands.json").read_text("utf-8"))
    return [unit_of(row) for row in rows]


def unit_of(row: dict[str, str]) -> Unit:
    """A row of CMake's, without outputs and without what concerns code alone."""
    words = shlex.split(row["command"])[1:]
    options = []
    skip = False
    for word in words:
        if skip or word in ("-o", "-MF", "-MT"):
            skip = not skip
        elif word not in ("-c", "-MD", row["file"]) and not re.match("-(O|mtune=)", word):
            options.append(word)
    return Unit(row["file"], "c++", tuple(options))


def interface_units(warnings: Sequence[str]) -> list[Unit]:
    """The C header in the standards that include it, and the projects that use the library."""
    consumers = ROOT / "tests" / "consumer"
    rows = [
        *((ROOT / "nttforge/nttforge.h", "c", standard) for standard in ("c99", "c11")),
        *((ROOT / "nttforge/nttforge.h", "c++", standard) for standard in ("c++11", "c++17")),
        (consumers / "c/main.c", "c", "c99"),
        (consumers / "cxx17/main.cpp", "c++", "c++17"),
        (consumers / "main.cpp", "c++", "c++20"),
    ]
    return [
        Unit(str(path), language, (f"-I{ROOT}", f"-std={standard}", "-pedantic", *warnings))
        for path, language, standard in rows
    ]


def binding_units(options: Sequence[str], target: Target, folder: pathlib.Path) -> list[Unit]:
    """The Python module's sources, with this Python's headers.

    These are the same on every system but for pyconfig.h. That of Linux serves macOS, whose types
    have the same sizes; Windows gets one that says what its own says of types.
    """
    import nanobind

    found = [*options, "-isystem", sysconfig.get_path("include"), "-isystem"]
    found += [nanobind.include_dir(), "-DNB_DOMAIN=nttforge", "-include", "cstdio"]
    found += [f'-DNTTFORGE_{name}=""' for name in ("VERSION", "COMPILER", "BUILD_TYPE")]
    if target.system == "Windows":
        config = folder / "pyconfig.h"
        config.write_text(WINDOWS_PYCONFIG)
        found += ["-include", str(config)]
    sources = sorted((ROOT / "python" / "bindings").glob("*.cpp"))
    return [Unit(str(path), "c++", tuple(found)) for path in sources]


def shared_headers(machine: Sequence[str]) -> str:
    """What most sources include: standard headers (cmake/targets.cmake), then the interface.

    Kernels of an instruction set, which ``machine`` names, include little of the library.
    """
    text = (ROOT / "cmake" / "targets.cmake").read_text("utf-8")
    (names,) = re.findall(r"target_precompile_headers\(([^)]*)\)", text)
    found = re.findall(r"<\w+>", names)
    if any(word.startswith("-mavx") for word in machine):
        found.append("<immintrin.h>")
    elif not machine:
        interface = (name for name in sorted(listed_headers()[0]) if not name.startswith("cuda/"))
        found += [f'"nttforge/{name}"' for name in interface]
    return "".join(f"#include {name}\n" for name in found)


class Checker:
    """Runs clang over units of one system; those of the same options share parsed headers."""

    def __init__(self, compiler: Compiler, folder: pathlib.Path) -> None:
        self._compiler = compiler
        self._folder = folder
        self._headers: dict[tuple[str, ...], pathlib.Path] = {}

    def prepare(self, found: Sequence[Unit], pool: ThreadPoolExecutor) -> None:
        """Parse shared headers once for each set of machine options that many sources have."""
        sizes = Counter(unit.machine for unit in found)
        first = {unit.machine: unit for unit in reversed(found) if sizes[unit.machine] >= MANY}
        names = {machine: self._folder / f"headers-{i}" for i, machine in enumerate(first)}
        for done in pool.map(lambda m: self._parse(first[m], names[m]), first):
            if done:
                raise CrossError(done)
        self._headers = {machine: path.with_suffix(".pch") for machine, path in names.items()}

    def _parse(self, unit: Unit, path: pathlib.Path) -> str:
        path.with_suffix(".hpp").write_text(shared_headers(unit.machine))
        words = [*self._compiler.command("c++"), *unit.options, "-x", "c++-header"]
        words += [str(path.with_suffix(".hpp")), "-Xclang", "-emit-pch"]
        words += ["-fpch-instantiate-templates"]
        return said([*words, "-o", str(path.with_suffix(".pch"))])

    def problem(self, unit: Unit) -> str:
        """What clang says of a source; "" if nothing."""
        words = [*self._compiler.command(unit.language), *unit.options]
        if unit.machine in self._headers and "-std=c++20" in unit.options:
            words += ["-include-pch", str(self._headers[unit.machine])]
        return said([*words, "-fsyntax-only", "-x", unit.language, unit.source])


def said(words: Sequence[str]) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr


def older_standard(compiler: Compiler) -> str:
    """A problem unless plan.hpp as C++17 says first that it needs C++20."""
    words = [*compiler.command("c++"), f"-I{ROOT}", "-std=c++17", "-fsyntax-only", "-x", "c++"]
    text = said([*words, str(ROOT / "nttforge/ntt/plan.hpp")])
    errors = [line for line in text.splitlines() if "error:" in line]
    return "" if errors and SENTENCE in errors[0] else f"plan.hpp as C++17 says {errors[:1]}"


def self_test(compiler: Compiler, checker: Checker, options: tuple[str, ...]) -> None:
    """A call that this system lacks must be found, and a warning too."""
    foreign = "windows.h" if compiler.target.system == "Darwin" else "sys/mman.h"
    cases = [f"#include <{foreign}>\n", "int f(int x) { int x2; return x; }\n"]
    if compiler.target.system == "Darwin":
        cases.append("#include <charconv>\nauto f(char* p) { return std::to_chars(p, p, 1.5); }\n")
    with tempfile.TemporaryDirectory() as name:
        for text in cases:
            source = pathlib.Path(name) / "bad.cpp"
            source.write_text(text)
            if not checker.problem(Unit(str(source), "c++", options)):
                raise CrossError(f"{compiler.target.zig}: the check let pass: {text}")


def of_interest(unit: Unit, changed: Collection[str]) -> bool:
    """Whether a source is a system's own, has changed, or includes a header that has."""
    path = pathlib.Path(unit.source)
    name = path.relative_to(ROOT).as_posix()
    if OF_A_SYSTEM.match(name) or name in changed:
        return True
    included = INCLUDE.findall(path.read_text("utf-8"))
    return any(f"nttforge/{header}" in changed for header in included)


def check(
    name: str,
    zig: str,
    pool: ThreadPoolExecutor,
    bindings: bool,
    changed: Collection[str] | None = None,
) -> int:
    """Number of files that compile for a target; CrossError with what does not.

    With ``changed`` those files of the library, and the system's own, instead of all.
    """
    compiler = Compiler(zig, TARGETS[name])
    folder = WORK / "check" / name
    library = units(compiler, folder)
    if len(library) < 150:
        raise CrossError(f"{name}: CMake knows {len(library)} sources only: something is wrong")
    plain = next(unit.options for unit in library if not unit.machine)
    if changed is not None:
        library = [unit for unit in library if of_interest(unit, changed)]
    checker = Checker(compiler, folder)
    checker.prepare(library, pool)
    warnings = [word for word in plain if word.startswith("-W") and word != "-Wshadow"]
    found = sorted(library, key=lambda unit: -len(unit.machine)) + interface_units(warnings)
    if bindings:
        found = binding_units(plain, compiler.target, folder) + found
    problems = [text for text in pool.map(checker.problem, found) if text]
    if text := older_standard(compiler):
        problems.append(text)
    if problems:
        raise CrossError(f"{name}: {len(problems)} files do not compile:\n" + "\n".join(problems))
    self_test(compiler, checker, plain)
    return len(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--targets", nargs="+", choices=TARGETS, default=list(TARGETS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--bindings", action="store_true", help="the Python module's sources too")
    parser.add_argument("--changed", action="store_true", help="what changed, and the system's own")
    parser.add_argument("--record", action="store_true", help="keep what was seen, for a table")
    arguments = parser.parse_args()
    begun = time.monotonic()
    counts: dict[str, int] = {}
    changed = set(changed_files()) if arguments.changed else None
    try:
        zig = zig_program()
        shutil.rmtree(WORK / "check", ignore_errors=True)
        with ThreadPoolExecutor(arguments.jobs) as pool:
            for name in arguments.targets:
                counts[name] = check(name, zig, pool, arguments.bindings, changed)
                figures = {"target": TARGETS[name].zig, "files": counts[name]}
                if arguments.record:
                    command = "make cross-check"
                    record(TARGETS[name].platform, "", "compiles", command, **figures)
    except CrossError as error:
        print(f"cross-check: {error}", file=sys.stderr)
        return 1
    told = ", ".join(f"{count} files for {name}" for name, count in counts.items())
    print(f"cross-check: {told}, without a warning, in {time.monotonic() - begun:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
