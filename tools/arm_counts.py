# SPDX-License-Identifier: Apache-2.0
"""Instructions of a butterfly on aarch64, counted in the inner loops of compiled kernels.

  python tools/arm_counts.py build/arm/zig/CMakeFiles/.../transform_neon.cpp.o

An inner loop is a branch backwards with none inside. Its butterflies follow from the instructions
that each butterfly has one of: `umulh` for 64-bit primes, `umull2` for four 32-bit ones, and for
two in doubles `frintn`, which reductions have too, so that loops with reductions count too many.
Needs aarch64-linux-gnu-objdump.
"""

from __future__ import annotations

import argparse
import collections
import pathlib
import re
import subprocess
from collections.abc import Iterator

FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$")
TARGET = re.compile(r"\b([0-9a-f]+) <")
JUMPS = ("b", "cbz", "cbnz", "tbz", "tbnz")
#: What tells a kernel: its instruction, and butterflies for each of it.
KERNELS = (("umulh", "64-bit primes", 1), ("umull2", "32-bit primes", 4), ("frintn", "doubles", 2))
PASS = re.compile(r"(forward|inverse)_(?:pass|passes|tail|codelets|columns)")
SHORTEST = 20

Instructions = list[tuple[int, str, str]]


def functions(path: pathlib.Path) -> Iterator[tuple[str, Instructions]]:
    words = ["aarch64-linux-gnu-objdump", "-d", "-C", "--no-show-raw-insn", str(path)]
    listing = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
    name, found = "", Instructions()
    for line in listing.splitlines():
        if match := FUNCTION.match(line):
            yield name, found
            name, found = match[1], Instructions()
        elif match := INSTRUCTION.match(line):
            found.append((int(match[1], 16), match[2], match[3]))
    yield name, found


def inner_loops(code: Instructions) -> Iterator[Instructions]:
    places = {address: i for i, (address, _, _) in enumerate(code)}
    loops = []
    for i, (_, operation, operands) in enumerate(code):
        if operation.split(".")[0] in JUMPS and (match := TARGET.search(operands)):
            first = places.get(int(match[1], 16), len(code))
            if first <= i:
                loops.append((first, i))
    for first, last in loops:
        if not any(first <= a and b <= last and (a, b) != (first, last) for a, b in loops):
            yield code[first : last + 1]


def described(name: str, loop: Instructions) -> str | None:
    counts = collections.Counter(operation for _, operation, _ in loop)
    for instruction, kernel, each in KERNELS:
        if counts[instruction] >= 2 and len(loop) >= SHORTEST and not counts["bl"]:
            butterflies = counts[instruction] * each
            stack = sum("[sp" in operands for _, _, operands in loop)
            way = PASS.search(name)
            return (
                f"{kernel:14} {way[0] if way else 'other':18} {len(loop) / butterflies:6.2f} = "
                f"{len(loop)} / {butterflies}, {stack} through the stack"
            )
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("objects", type=pathlib.Path, nargs="+")
    for path in parser.parse_args().objects:
        lines = {
            described(name, loop) for name, code in functions(path) for loop in inner_loops(code)
        }
        print(path.name)
        print("\n".join(sorted(filter(None, lines))))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
