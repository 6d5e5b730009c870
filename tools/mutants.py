# SPDX-License-Identifier: Apache-2.0
"""Show that tests find faults: ``make mutants``, a part of ``make full``.

python tools/mutants.py BUILD [PART OF A FILE'S NAME ...]

A mutant is a source with one text replaced, and a test of ``make test`` that passes without it and
must fail with it. Sources stay as they are: of C++ one unit is compiled from a changed copy and
linked before the library into a test program of its own; Python and Verilog are changed in a copy
of the installed package.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 60  # seconds for a compiler, or for a test


@dataclass(frozen=True)
class Mutant:
    """A replaced text, and the test that must die.

    ``test`` begins with a folder of C++ tests and goes on with a part of a test's name, or is a
    file or a test of the repository. ``unit`` is the source to compile where ``file`` is a
    header; sources that CMake writes are named from the build folder.
    """

    file: str
    text: str
    instead: str
    test: str
    unit: str = ""


MUTANTS = (
    Mutant(
        "nttforge/arith/primes.cpp",
        "for (int i = 1; i < twos; ++i)",
        "for (int i = 2; i < twos; ++i)",
        "arith primes",
    ),
    Mutant(
        "nttforge/random/chacha20.cpp",
        "input.nonce[1] = name.index",
        "input.nonce[1] = 0",
        "random chacha20: streams",
    ),
    Mutant(
        "nttforge/ntt/plan.cpp",
        "(first == 0 ? limb.multiply",
        "(first != 0 ? limb.multiply",
        "ntt convolution theorem",
    ),
    Mutant(
        "nttforge/cpu/rows/row_ops_kernels.hpp",
        "return L::reduce_once(L::reduce_once(r, q2), q);",
        "return L::reduce_once(r, q);",
        "cpu row ops",
        "nttforge/cpu/rows/row_ops_scalar.cpp",
    ),
    Mutant(
        "nttforge/cuda/arith/shoup64.hpp",
        "limb.constants[1] = Base::kHalf * limb.q;",
        "limb.constants[1] = limb.q;",
        "cuda every row of 64-bit words",
        "nttforge/cuda/table/rows.cpp",
    ),
    Mutant(
        "nttforge/rlwe/galois.cpp",
        "element = 1, power = generator;",
        "element = 1, power = generator + 2;",
        "rlwe Galois",
    ),
    Mutant(
        "nttforge/base/text/bits.cpp",
        "row[i] >> (64 - shift)",
        "row[i] >> (63 - shift)",
        "bfv frozen bytes",
    ),
    Mutant(
        "nttforge/bgv/correction.cpp",
        "modulus.mul(b % t, inverse_unit(a, t))",
        "modulus.mul(a % t, inverse_unit(b, t))",
        "bgv levels",
    ),
    Mutant(
        "python/nttforge/encrypted/bounds.py",
        "return -(t // 2), (t - 1) // 2",
        "return 1 - (t // 2), (t - 1) // 2",
        "python/tests/encrypted/test_encrypted_array_errors.py",
    ),
    Mutant(
        "hardware/rtl/nttf_modular_add.sv",
        "less[DATA_BITS+1] ?",
        "less[DATA_BITS] ?",
        "packages/hardware/tests/test_hardware_vectors.py",
    ),
)


class MutantError(Exception):
    """A sentence on a mutant that says nothing of the tests."""


def changed(mutant: Mutant) -> str:
    text = (ROOT / mutant.file).read_text("utf-8")
    if text.count(mutant.text) != 1:
        raise MutantError(
            f"{mutant.file} has {text.count(mutant.text)} times {mutant.text!r}, not once: "
            "give the mutant a text that stands there (tools/mutants.py)"
        )
    return text.replace(mutant.text, mutant.instead)


def done(words: list[str], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **variables}
    options: dict[str, Any] = {"cwd": folder, "env": environment, "stdin": subprocess.DEVNULL}
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, **options)
    except subprocess.TimeoutExpired:  # a search without an end is noticed too
        return subprocess.CompletedProcess(words, 1, "", f"not within {PATIENCE} s")


def compiled(mutant: Mutant, build: Path, tree: Path) -> Path:
    """The test program with the changed unit in place of the library's."""
    unit = mutant.unit or mutant.file
    places = [ROOT / unit, build / unit]
    rows = json.loads((build / "compile_commands.json").read_text("utf-8"))
    found = [row for row in rows if Path(row["file"]) in places and "nttforge.dir" in row["output"]]
    if len(found) != 1:
        raise MutantError(f"{unit} is compiled {len(found)} times for the library, not once")
    source = str(tree / unit) if unit == mutant.file else found[0]["file"]
    words = shlex.split(found[0]["command"])
    words[words.index("-c") + 1] = source
    words[words.index("-o") + 1] = str(tree / "unit.o")
    first = next(i for i, word in enumerate(words) if word.startswith("-"))
    words.insert(first, f"-I{tree}")
    compiling = done(words, build)
    if compiling.returncode != 0:
        raise MutantError(f"the mutant of {mutant.file} does not compile:\n{compiling.stderr}")
    name = f"nttforge_{mutant.test.split()[0]}_test"
    commands = done(["ninja", "-t", "commands", name], build).stdout.splitlines()
    link = commands[-1].replace(f" -o {name} ", f" {tree / 'unit.o'} -o {tree / name} ")
    linking = done(["sh", "-c", link], build)
    if linking.returncode != 0 or not (tree / name).is_file():
        raise MutantError(f"the mutant of {mutant.file} does not link:\n{linking.stderr}")
    return tree / name


def died(mutant: Mutant, build: Path, tree: Path) -> bool:
    """Whether the test fails with the mutant; MutantError if it does without."""
    shutil.rmtree(tree, ignore_errors=True)
    package = Path(sysconfig.get_paths()["purelib"]) / "nttforge"
    python = mutant.test.endswith(".py") or ".py::" in mutant.test
    variables: dict[str, str] = {}
    if python:
        command = [sys.executable, "-m", "pytest", "-q", "-x", mutant.test]
        changed_command = command
        variables["PYTHONPATH"] = str(tree)
        generator = package.with_name("nttforge_hardware")
        for copied in (package, generator):
            shutil.copytree(copied, tree / copied.name)
        at = tree / mutant.file.removeprefix("python/")
        if mutant.file.startswith("hardware/"):
            at = tree / generator.name / mutant.file.removeprefix("hardware/")
    else:
        folder, _, part = mutant.test.partition(" ")
        command = [str(build / f"nttforge_{folder}_test"), part]
        at = tree / mutant.file
        at.parent.mkdir(parents=True)
    if python and not at.is_file():
        raise MutantError(f"the installed package has no {at.relative_to(tree)}")
    at.write_text(changed(mutant), "utf-8")
    if not python:
        changed_command = [str(compiled(mutant, build, tree)), part]
    before = done(command, ROOT)
    if before.returncode != 0:
        raise MutantError(f"{mutant.test} fails without a mutant:\n{before.stdout[-2000:]}")
    after = done(changed_command, ROOT, **variables)
    if python and after.returncode not in (0, 1):
        raise MutantError(f"{mutant.test} ended with {after.returncode}:\n{after.stdout[-2000:]}")
    return after.returncode != 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, help="CMake build folder with the tests")
    parser.add_argument("parts", nargs="*", help="of files' names; default: every mutant")
    options = parser.parse_args()
    build = options.build.resolve()
    wanted = [m for m in MUTANTS if not options.parts or any(p in m.file for p in options.parts)]
    failed = 0
    for mutant in wanted:
        try:
            dead = died(mutant, build, build.parent / "mutants")
        except MutantError as error:
            print(f"mutants: {error}", flush=True)
            failed += 1
            continue
        failed += not dead
        state = "dies" if dead else "LIVES"
        print(f"{mutant.file}: {mutant.instead!r} {state} by {mutant.test}", flush=True)
    print(f"mutants: {len(wanted) - failed} of {len(wanted)} die")
    return 1 if failed or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
