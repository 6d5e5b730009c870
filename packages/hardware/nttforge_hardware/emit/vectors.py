# SPDX-License-Identifier: Apache-2.0
"""Test vectors of a design, from the oracle, and the parameters of its testbench."""

from __future__ import annotations

import random

from ..plan.design import Design
from .edges import EdgeVectors


def default_sets(design: Design) -> int:
    """Enough transforms for all kinds of vectors, with words that enter and leave at one time."""
    return max(6, max(s.latency for s in design.schedules.values()) // design.interval_cycles + 3)


def vector_files(design: Design, sets: int, seed: int) -> dict[str, str]:
    """Words in and out for the testbench, all forward transforms first; values from the oracle."""
    p, source = design.parameters, random.Random(seed)
    given: list[list[list[list[int]]]] = []
    expected: list[list[list[list[int]]]] = []
    makers = [EdgeVectors(p.n, q, p.ring, p.parts) for q in p.moduli]
    for direction in p.directions:
        for number in range(sets):
            ins, outs = [], []
            for limb, maker in enumerate(makers):
                a = maker.polynomial(number, source, direction)
                x = design.oracle(limb, a)
                pair = (a, x) if direction == "forward" else (x, a)
                ins.append(design.port_words(pair[0], direction, "in"))
                outs.append(design.port_words(pair[1], direction, "out"))
            given.append(ins)
            expected.append(outs)
    return {
        "testbench/input.hex": words_text(given, p.bits // p.parts),
        "testbench/output.hex": words_text(expected, p.bits // p.parts),
    }


def words_text(transforms: list[list[list[list[int]]]], bits: int) -> str:
    """Text for $readmemh: a line for each word, from [transform][limb][slot][lane]."""
    lines = []
    for limbs in transforms:
        digits = -(-len(limbs) * len(limbs[0][0]) * bits // 4)
        for slot in range(len(limbs[0])):
            values = [v for limb in limbs for v in limb[slot]]
            word = sum(v << (i * bits) for i, v in enumerate(values))
            lines.append(f"{word:0{digits}x}\n")
    return "".join(lines)


def rows_text(rows: list[int], bits: int) -> str:
    """Text for $readmemh: a line for each word of so many bits."""
    return "".join(f"{row:0{-(-bits // 4)}x}\n" for row in rows)
