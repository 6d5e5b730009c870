# SPDX-License-Identifier: Apache-2.0
"""Check that instruction-set specific code stays in its own objects.

1. No object compiled with instruction-set flags defines a weak symbol: the linker keeps one copy of
   each weak (inline, template) function for the whole program, and if it kept the AVX-512 one, a
   machine without AVX-512 could end up executing it.
2. No other object of the library contains an instruction with 256- or 512-bit registers, but for
   the function that clears those a machine has, which asks the CPU first.

--self-test compiles objects that break each rule and one that keeps both, and checks the checks.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TARGETS = ("avx2", "avx512", "avx512_ifma", "neon", "wasm")
WIDE = re.compile(r"%[yz]mm\d")
ASKS_FIRST = "clear_vector_registers()"
FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")


def is_specific(path: pathlib.Path) -> bool:
    return "cpu" in path.parts and path.name.removesuffix(".cpp.o").endswith(TARGETS)


def weak_definitions(path: pathlib.Path) -> list[str]:
    listing = subprocess.run(["nm", "-C", path], check=True, capture_output=True, text=True).stdout
    # "address kind name"; an undefined weak reference has no address and is harmless.
    lines = listing.splitlines()
    return [line[19:] for line in lines if line[17:18] in "WVu" and line[:16].strip()]


def wide_functions(path: pathlib.Path) -> list[str]:
    """Functions that use a 256- or 512-bit register."""
    command = ["objdump", "-d", "-C", "--no-show-raw-insn", path]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: list[str] = []
    function = "?"
    for line in listing.splitlines():
        if match := FUNCTION.match(line):
            function = match[1]
        elif WIDE.search(line) and not function.endswith(ASKS_FIRST) and function not in found:
            found.append(function)
    return found


def problems_of(objects: list[pathlib.Path]) -> list[str]:
    problems = []
    for path in objects:
        if is_specific(path):
            problems += [f"{path.name}: weak definition {name}" for name in weak_definitions(path)]
        else:
            problems += [f"{path.name}: vector code in {name}" for name in wide_functions(path)]
    return problems


def library_objects(build: pathlib.Path) -> list[pathlib.Path]:
    return sorted(build.glob("CMakeFiles/nttforge.dir/**/*.o"))


SELF_TEST = {
    # name of the object -> source, flags, what must be said about it
    "cpu/rows/leak_avx2": (
        "inline __attribute__((noinline)) int leaked(int x) { return x + 1; }\n"
        "int caller(int x) { return leaked(x); }\n",
        ["-mavx2"],
        "weak definition leaked(int)",
    ),
    "cpu/rows/clean_avx512": (
        "namespace { inline __attribute__((noinline)) int own(int x) { return x + 1; } }\n"
        "int clean(int x) { return own(x); }\n",
        ["-mavx512f"],
        None,
    ),
    "ntt/common_leak": (
        '__attribute__((target("avx2"))) void wide(double* x) {\n'
        "  for (int i = 0; i < 64; ++i) x[i] *= 2;\n}\n",
        ["-ftree-vectorize"],
        "vector code in wide(double*)",
    ),
    "ntt/common_clean": ("void narrow(double* x) { x[0] *= 2; }\n", [], None),
}


def self_test() -> int:
    """Show that the check misses nothing and invents nothing."""
    compiler = os.environ.get("CXX", "c++")
    with tempfile.TemporaryDirectory() as folder:
        wrong = []
        for name, (source, flags, expected) in SELF_TEST.items():
            path = pathlib.Path(folder) / f"{name}.cpp.o"
            path.parent.mkdir(parents=True, exist_ok=True)
            command = [compiler, "-O2", *flags, "-x", "c++", "-c", "-", "-o", path]
            subprocess.run(command, input=source, text=True, check=True)
            found = problems_of([path])
            wanted = [] if expected is None else [f"{path.name}: {expected}"]
            if found != wanted:
                wrong.append(f"{name}: found {found}, should find {wanted}")
    print("\n".join(wrong) or f"self-test: {len(SELF_TEST)} objects judged rightly")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path, nargs="?", help="CMake build folder")
    parser.add_argument("--self-test", action="store_true", help="check the checks first")
    options = parser.parse_args()
    for tool in ("nm", "objdump"):
        if shutil.which(tool) is None:
            print(f"{tool} (binutils) not found; it comes with the compiler", file=sys.stderr)
            return 1
    if options.self_test and self_test() != 0:
        return 1
    if options.build is None:
        return 0 if options.self_test else parser.error("give the build folder, or --self-test")
    objects = library_objects(options.build)
    specific = [path for path in objects if is_specific(path)]
    if not specific:
        print(f"no instruction-set objects below {options.build}: build first", file=sys.stderr)
        return 1
    problems = problems_of(objects)
    print(
        "\n".join(problems)
        or f"no weak definitions in {len(specific)} instruction-set objects, "
        f"no vector code in {len(objects) - len(specific)} others"
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
