# SPDX-License-Identifier: Apache-2.0
"""What an attack on each preset costs a classical and a quantum computer, for SECURITY.md.

  python tools/figures/security_estimate.py           prints the table
  python tools/figures/security_estimate.py --write   writes it into SECURITY.md

The estimate of Alkim, Ducas, Poeppelmann, Schwabe (ePrint 2015/1092, section 6.3): the least block
size b for which BKZ finds the secret by an embedding of Bai and Galbraith's form, and core-SVP:
2^(0.292 b) operations of the best classical sieve, 2^(0.265 b) of the quantum one (Laarhoven). It
leaves out what both computers have in common, the cost of a sieve's operation and memory, and is
smaller than the estimate behind the guidelines' table.
"""

from __future__ import annotations

import functools
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "SECURITY.md"
MARKS = ("<!-- table of estimates -->\n", "<!-- end of the table -->")
CLASSICAL, QUANTUM = 0.292, 0.265
#: Standard deviations: of a ternary secret, and of the errors.
SECRET, ERROR = math.sqrt(2 / 3), 3.19


def log2_delta(b: float) -> float:
    """log2 of the root Hermite factor of BKZ with block size ``b`` (Chen's formula)."""
    return math.log2((math.pi * b) ** (1 / b) * b / (2 * math.pi * math.e)) / (2 * (b - 1))


def succeeds(b: int, n: int, log2_q: float, secret: float, error: float) -> bool:
    """Whether blocks of size ``b`` find the secret, with the best number of samples up to 2 n."""
    delta, scale = log2_delta(b), n * math.log2(error / secret)
    # The right side below is greatest where d^2 delta = (n + 1) log2 q - scale.
    best = math.sqrt(max(1.0, ((n + 1) * log2_q - scale) / delta))
    d = min(max(best, n + 2, b + 1), 3 * n + 1)
    right = (2 * b - d) * delta + ((d - n - 1) * log2_q + scale) / d
    return math.log2(error * math.sqrt(b)) <= right


@functools.cache
def block_size(n: int, log2_q: float, secret: float = SECRET, error: float = ERROR) -> int:
    """The least block size that finds the secret of ring LWE in dimension ``n``."""
    low, high = 50, 64 * n
    while low < high:
        middle = (low + high) // 2
        if succeeds(middle, n, log2_q, secret, error):
            high = middle
        else:
            low = middle + 1
    return low


def rows() -> list[tuple[int, int, int]]:
    """n, bits of the whole modulus, block size: of each n the preset with the largest modulus."""
    from nttforge import bfv

    found = []
    for n in (1 << k for k in range(10, 16)):
        bits = max(bfv.Parameters.preset(n, word_bits=w).modulus_bits for w in (64, 32))
        found.append((n, bits, block_size(n, bits)))
    return found


def table() -> str:
    """The table as it stands on the page."""
    lines = [
        "| n | bits of the whole modulus, at most | block size | classical | quantum |",
        "|" + "---|" * 5,
    ]
    for n, bits, b in rows():
        lines.append(f"| {n} | {bits} | {b} | 2^{CLASSICAL * b:.0f} | 2^{QUANTUM * b:.0f} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    if sys.argv[1:] != ["--write"]:
        print(table(), end="")
        return 0
    before, rest = PAGE.read_text().split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    PAGE.write_text(before + MARKS[0] + table() + MARKS[1] + after)
    return 0


if __name__ == "__main__":
    sys.exit(main())
