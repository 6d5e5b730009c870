# SPDX-License-Identifier: Apache-2.0
"""Test vectors meet the edges of the arithmetic in every stage, and find faults that hide there."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from marks import needs

from nttforge.spec.fast import twiddles
from nttforge_hardware.emit.edges import EdgeVectors
from nttforge_hardware.emit.files import design_files
from nttforge_hardware.emit.vectors import default_sets
from nttforge_hardware.plan.design import plan_design
from nttforge_hardware.plan.parameters import HardwareParameters
from nttforge_hardware.prove.theorems_wide import SUM_IS_Q
from nttforge_hardware.tools.simulate import simulate_files
from nttforge_oracle.dgt import multiply

Q = 1073692673  # 30 bits: random words meet nothing


def _edges(a: list[int], q: int, inverse: bool) -> list[tuple[int, int]]:
    """For each stage, sums of exactly q and products that are 1 or q - 1."""
    n, w, x, found = len(a), twiddles(len(a), q), list(a), []
    m, half = 1, len(a) // 2
    while half:
        sums = products = 0
        for i in (i for i in range(n) if not i & half):
            u, b = x[i], x[i + half]
            p = b * w[m + i // (2 * half)] % q
            x[i], x[i + half] = (u + p) % q, (u - p) % q
            sums += (x[i] + x[i + half] if inverse else u + p) == q
            products += (b if inverse else p) in (1, q - 1)
        found.append((sums, products))
        m, half = 2 * m, half // 2
    return found


@pytest.mark.parametrize("direction", ["forward", "inverse"])
def test_every_stage_meets_its_edges(direction: str) -> None:
    maker, inverse = EdgeVectors(64, Q), direction == "inverse"
    counts = [
        _edges(maker.polynomial(k, random.Random(k), direction), Q, inverse) for k in range(24)
    ]
    for stage in range(6):
        assert sum(c[stage][0] for c in counts) > 3, stage
        assert sum(c[stage][1] for c in counts) > 0, stage
    # Random words, as all vectors were before, meet none of them.
    words = random.Random(1)
    assert not any(map(any, _edges([words.randrange(Q) for _ in range(64)], Q, inverse)))
    first, sparse = counts[1], counts[4]
    assert first[-1 if inverse else 0][0] > 2 and sum(s for s, _ in sparse) > 10


def test_stages_are_undone_exactly() -> None:
    for parts, q in ((1, 257), (2, 2**31 - 1)):
        maker = EdgeVectors(16, q, parts=parts)
        source = random.Random(3)
        before = [[source.randrange(q) for _ in range(16)] for _ in range(parts)]
        x = [list(part) for part in before]
        maker._undo(x, 4, 0, 0, 16)
        m, half = 1, 8
        while half:
            for i in (i for i in range(16) if not i & half):
                w = maker._tree[m + i // (2 * half)]
                b = [part[i + half] for part in x]
                p = multiply((b[0], b[-1]), w, q) if parts == 2 else (b[0] * w[0],)
                for part, value in zip(x, p, strict=True):
                    u = part[i]
                    part[i], part[i + half] = (u + value) % q, (u - value) % q
            m, half = 2 * m, half // 2
        assert x == before


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("direction", ["forward", "inverse"])
def test_vectors_are_residues_and_the_same_every_time(direction: str, parts: int) -> None:
    q = 97 if parts == 1 else 127
    makers = [EdgeVectors(8, q, parts=parts) for _ in range(2)]
    for number in range(30):
        one, other = (m.polynomial(number, random.Random(7), direction) for m in makers)
        assert one == other and len(one) == 8 * parts and all(0 <= v < q for v in one)


@needs("verilator")
def test_a_sum_of_q_shows_in_simulation(tmp_path: Path) -> None:
    """The adder that gave q for a sum of q passed all vectors while they were random."""
    design = plan_design(HardwareParameters(32, (Q,), dp=4, pp=5, pipeline="small"))
    assert default_sets(design) >= 6
    emitted = {}
    for name, fault in (("right", False), ("wrong", True)):
        files = design_files(design, name=name, folder=f"{name}/")
        if fault:
            text = files[f"rtl/{SUM_IS_Q.file}"]
            assert SUM_IS_Q.old in text
            files[f"rtl/{SUM_IS_Q.file}"] = text.replace(SUM_IS_Q.old, SUM_IS_Q.new)
        emitted[name] = files
    for name, files in emitted.items():
        runs = simulate_files({name: files}, tmp_path / name)[name]
        assert all(r.passed == (name == "right") for r in runs.values())
