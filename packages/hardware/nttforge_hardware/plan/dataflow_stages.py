# SPDX-License-Identifier: Apache-2.0
"""Stages of the seven dataflows of [Din24], and how memories would be hit by them."""

from __future__ import annotations

from dataclasses import dataclass

from nttforge.spec.transform import bit_reverse
from nttforge_oracle.algorithms import butterflies

NAMES = ("dit", "dif", "flat", "pease", "pease_nc", "six_step", "stockham")
OUT_OF_PLACE = ("pease", "pease_nc", "stockham")


@dataclass(frozen=True)
class Operation:
    """Two elements in, two out, a power of omega; ``bypass``: x = a and y = a w from the first.

    Positions are (array, index); a leg that is not written is None.
    """

    read: tuple[tuple[int, int], tuple[int, int]]
    write: tuple[tuple[int, int] | None, tuple[int, int] | None]
    exponent: int
    bypass: bool = False


def dataflow_stages(n: int, algorithm: str) -> list[list[Operation]]:
    """Operations of each stage in the order of the inner loop."""
    if algorithm == "six_step":
        return _six_step(n)
    log, swap, copies = n.bit_length() - 1, algorithm in OUT_OF_PLACE, algorithm == "pease"
    stages = []
    for s in range(1, log + 1):
        here = (s - 1) % 2 if swap and not copies else 0
        to = 1 - here if swap else 0
        stages.append(
            [
                Operation(
                    ((here, b.read[0]), (here, b.read[1])),
                    ((to, b.write[0]), (to, b.write[1])),
                    b.exponent,
                )
                for b in butterflies(algorithm, n, s)
            ]
        )
        if copies and s < log:  # y back to x, one element a unit
            stages.append([Operation(((1, i), (1, i)), ((0, i), None), 0, True) for i in range(n)])
    return stages


def _six_step(n: int) -> list[list[Operation]]:
    """Transposes are a change of view: rows of n1 points are columns of memory, and so on.

    Both row transforms are DIF stages in place, so bits end up reversed within their field; the
    view of the whole array after the last transpose is its bit reversal.
    """
    log = n.bit_length() - 1
    low, high = log - log // 2, log // 2  # n2 = 2^low columns, n1 = 2^high rows

    def rows(first: int, count: int) -> list[list[Operation]]:
        out = []
        for bit in range(first + count - 1, first - 1, -1):
            half = 1 << bit
            stage = []
            for r in range(n // 2):
                i = (r >> bit << (bit + 1)) | (r & (half - 1))
                k = (i >> first) & ((1 << (bit - first)) - 1)
                step = n >> (bit - first + 1)
                stage.append(Operation(((0, i), (0, i + half)), ((0, i), (0, i + half)), k * step))
            out.append(stage)
        return out

    twiddle = []
    for i in range(n):
        k, c = bit_reverse(i >> low, high), i & ((1 << low) - 1)
        twiddle.append(Operation(((0, i), (0, i)), (None, (0, i)), k * c % n, True))
    return [*rows(low, high), twiddle, *rows(0, low)]


def partition_accesses(
    n: int, algorithm: str, units: int, banks: int, scheme: str
) -> tuple[int, int]:
    """Most reads and most writes that one of ``banks`` memories gets in a cycle.

    [Din24] section III.A. ``scheme``: ``block`` (contiguous blocks), ``interleave`` (index modulo
    banks) or ``parity`` (that of this generator; banks = 2 units).
    """
    low = units.bit_length() - 1

    def bank(index: int) -> int:
        if scheme == "block":
            return index * banks // n
        if scheme == "interleave":
            return index % banks
        return index % (1 << low) | ((index >> low).bit_count() & 1) << low

    worst = [0, 0]
    for stage in dataflow_stages(n, algorithm):
        for i in range(0, len(stage), units):
            row = stage[i : i + units]
            reads: list[tuple[int, int] | None] = [p for o in row for p in o.read]
            writes = [p for o in row for p in o.write]
            for which, places in enumerate((reads, writes)):
                used = {p for p in places if p is not None}
                counts: dict[int, int] = {}
                for _, index in used:
                    counts[bank(index)] = counts.get(bank(index), 0) + 1
                worst[which] = max(worst[which], *counts.values())
    return worst[0], worst[1]
