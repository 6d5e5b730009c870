# SPDX-License-Identifier: Apache-2.0
"""Build HEXL's own tests against nttforge's HEXL interface and run them on every instruction set.

HEXL's sources (version 1.2.6, https://github.com/IntelLabs/hexl) are given by the caller. Its test
files are copied to the output folder, the tests named in LEFT_OUT are cut out there, its internal
headers are replaced by tests/hexl/internals.hpp, and the rest is built with GoogleTest, which must
be installed. With --arm and GoogleTest's sources Zig's compiler builds all of it for aarch64, with
the library that make arm-test has left in build/arm/zig, and qemu runs it. The result counts the
tests there are, those passed and those left out, with reasons.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import arm_test

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEST = re.compile(r"^TEST(?:_P|_F)?\(\s*(\w+)\s*,\s*(\w+)\s*\)\s*\{", re.MULTILINE)
DEBUG = re.compile(r"^#ifdef HEXL_DEBUG\n(TEST.*?)^#endif", re.MULTILINE | re.DOTALL)
TARGETS = ("scalar", "avx2", "avx512", "avx512_ifma")
ARM_TARGETS = ("scalar", "neon")
_REGISTERS = "calls functions of HEXL on AVX-512 registers, which are no part of its interface"
_MONTGOMERY = "calls HEXL's internal products in Montgomery form, which its interface lacks"
_EXPERIMENTAL = "experimental: not in HEXL's own build unless asked for, nor here"
_DEBUG = "there in HEXL's debug build only, which checks every word; nttforge trusts words"
_WORDS = (
    "wants one of two equal residues, in [0, 2q), and HEXL's two algorithms differ in it; "
    "nttforge gives the smaller one"
)
#: Which tests are cut out, by suite and name as regular expressions of the whole name.
LEFT_OUT = (
    (r"AVX512\.\w+", _REGISTERS),
    (r"NTT\.(Load|Write)(Fwd|Inv)Interleaved\w+", _REGISTERS),
    (r"EltwiseReduceMod\.avx512_(52|64)_mod_2", _WORDS),
    (r"EltwiseMultModMont\w*\.\w+", _MONTGOMERY),
    (r"EltwiseReduceModMontInOut\.\w+", _MONTGOMERY),
)
#: HEXL's internal headers that tests include.
INTERNAL = (
    *(
        f"eltwise/eltwise-{name}-{kind}.hpp"
        for name in (
            "add-mod",
            "cmp-add",
            "cmp-sub-mod",
            "fma-mod",
            "mult-mod",
            "reduce-mod",
            "sub-mod",
        )
        for kind in ("internal", "avx512")
    ),
    "ntt/ntt-internal.hpp",
    "ntt/fwd-ntt-avx512.hpp",
    "ntt/inv-ntt-avx512.hpp",
    "ntt/ntt-avx512-util.hpp",
    "util/avx512-util.hpp",
    "util/cpu-features.hpp",
    "util/util-internal.hpp",
)


def body_end(text: str, opening: int) -> int:
    """The place after the brace that closes the one at `opening`."""
    depth = 0
    for at in range(opening, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    raise ValueError("a test has no end")


def without_left_out(text: str, left: dict[str, str]) -> str:
    """The file without the tests that LEFT_OUT names; `left` gets their reasons."""
    for block in DEBUG.finditer(text):
        left.update({".".join(name): _DEBUG for name in TEST.findall(block[1])})
    for found in reversed(list(TEST.finditer(text))):
        name = f"{found[1]}.{found[2]}"
        for pattern, reason in LEFT_OUT:
            if re.fullmatch(pattern, name):
                left[name] = reason
                text = text[: found.start()] + text[body_end(text, found.end() - 1) :]
    return text


def lay_out(hexl: pathlib.Path, folder: pathlib.Path) -> dict[str, str]:
    """Copy HEXL's test sources to `folder`; the tests left out, each with its reason."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(hexl / "test/include", folder / "include")
    left: dict[str, str] = {}
    for source in sorted((hexl / "test").glob("*.cpp")):
        whole = source.read_text(encoding="utf-8")
        text = without_left_out(whole, left)
        if TEST.search(text) or not TEST.search(whole):  # no file whose tests are all left out
            (folder / source.name).write_text(text, encoding="utf-8")
    for source in sorted((hexl / "test/experimental").rglob("*.cpp")):
        text = source.read_text(encoding="utf-8")
        left.update({".".join(name): _EXPERIMENTAL for name in TEST.findall(text)})
    # Its functions on registers are called by no test that is left.
    registers = folder / "include/test/test-util-avx512.hpp"
    registers.write_text('#pragma once\n#include "test/test-util.hpp"\n', encoding="utf-8")
    for name in INTERNAL:
        header = folder / "internal" / name
        header.parent.mkdir(parents=True, exist_ok=True)
        include = f'#pragma once\n#include "{ROOT}/tests/hexl/internals.hpp"\n'
        header.write_text(include, encoding="utf-8")
    return left


def run(*command: str | pathlib.Path) -> None:
    words = [str(part) for part in command]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(words)} failed:\n{result.stdout[-4000:]}{result.stderr[-4000:]}")


def run_on(words: list[str], target: str, report: pathlib.Path) -> dict[str, int] | None:
    """How many tests passed, failed and skipped themselves; None if the target cannot run here."""
    environment = {**os.environ, "NTTFORGE_TARGET": target}
    command = [*words, f"--gtest_output=json:{report}", "--gtest_brief=1"]
    report.unlink(missing_ok=True)
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if "cannot run" in result.stdout + result.stderr:
        return None
    if not report.exists():
        sys.exit(
            f"{words[-1]} on {target} ended with {result.returncode}:\n{result.stderr[-2000:]}"
        )
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for suite in json.loads(report.read_text(encoding="utf-8"))["testsuites"]:
        for test in suite["testsuite"]:
            skipped = test["result"] == "SKIPPED"
            state = "failed" if test.get("failures") else "skipped" if skipped else "passed"
            counts[state] += 1
            if state == "failed":
                print(f"  FAILED on {target}: {suite['name']}.{test['name']}")
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("hexl", type=pathlib.Path, help="HEXL's sources, version 1.2.6")
    parser.add_argument("build", type=pathlib.Path, help="CMake build folder of nttforge")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "out/hexl-tests")
    parser.add_argument("--targets", nargs="+", metavar="TARGET")
    parser.add_argument("--arm", type=pathlib.Path, metavar="FOLDER", help="sources of GoogleTest")
    options = parser.parse_args()
    out = options.out.resolve()
    if not (options.hexl / "test/test-ntt.cpp").exists():
        sys.exit(f"{options.hexl} has no test/test-ntt.cpp: need HEXL's sources")
    left = lay_out(options.hexl, out / "tests")
    prefix, build = out / "prefix", out / "build"
    component = ("--component", "development", "--prefix", prefix)
    library = options.build if options.arm is None else arm_test.FOLDER / "zig"
    run("cmake", "--install", library, *component)
    package = f"-DHEXL_DIR={prefix}/lib/cmake/nttforge-hexl"
    flags = [package, f"-DHEXL_TESTS={out}/tests", "-DCMAKE_BUILD_TYPE=Release"]
    words, targets = [], TARGETS
    if options.arm is not None:
        os.environ |= arm_test.zig_environment()
        words, targets = arm_test.emulator("zig"), ARM_TARGETS
        flags += [f"-DHEXL_GOOGLETEST={options.arm.resolve()}", *arm_test.zig_flags()]
    run("cmake", "-S", ROOT / "tests/hexl", "-B", build, "-G", "Ninja", *flags)
    run("cmake", "--build", build)
    words.append(str(build / "hexl_tests"))
    failed = 0
    for target in options.targets or targets:
        counts = run_on(words, target, out / f"{target}.json")
        if counts is None:
            print(f"{target}: cannot run here")
            continue
        there = sum(counts.values()) + len(left)
        failed += counts["failed"]
        print(
            f"{target}: {counts['passed']} passed of {there} there are; {counts['failed']} failed, "
            f"{counts['skipped']} skip themselves (primes above the limit of what they test), "
            f"{len(left)} left out"
        )
    for reason in dict.fromkeys(left.values()):
        names = [name for name in left if left[name] == reason]
        print(f"left out, {len(names)}: {reason}:\n  {', '.join(names)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
