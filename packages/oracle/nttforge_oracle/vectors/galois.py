# SPDX-License-Identifier: Apache-2.0
"""galois.json: slots of packed plaintexts and automorphisms."""

from __future__ import annotations

from nttforge.spec.number_theory import GOLDILOCKS, smallest_root_of_unity

from ..number_theory import ntt_primes
from ..slots import (
    automorphism,
    column_swap_element,
    decode,
    encode,
    rotation_element,
    slot_exponents,
)
from .rules import residues


def _slots_case(t: int, n: int) -> dict[str, object]:
    values = residues(n, t, 30)
    plain = encode(values, t)
    steps = sorted({0, 1, -1, 2, n // 2 - 1, n // 4})
    return {
        "t": t,
        "n": n,
        "psi": smallest_root_of_unity(2 * n, t),
        "exponents": slot_exponents(n),
        "slots": values,
        "polynomial": plain,
        "rotations": [
            {
                "step": step,
                "element": rotation_element(step, n),
                "slots": decode(automorphism(plain, rotation_element(step, n), t), t),
            }
            for step in steps
        ],
        "column_swap": decode(automorphism(plain, column_swap_element(n), t), t),
    }


def _automorphism_case(q: int, n: int) -> dict[str, object]:
    a = residues(n, q, 70)
    elements = {1, 2 * n - 1}
    if n > 1:
        elements |= {3, n + 1, rotation_element(5, n)}
    return {
        "q": q,
        "n": n,
        "a": a,
        "results": [{"element": e, "out": automorphism(a, e, q)} for e in sorted(elements)],
    }


def galois_vectors() -> dict[str, object]:
    """Content of galois.json."""
    return {
        "description": "slots: n integers modulo t packed in one polynomial, row 0 first; slot i "
        "of row 0 (row 1) is the value at psi^(3^i) (psi^(-3^i)), the exponents modulo 2n are "
        "written out; rotations are to the left by step. automorphisms: X -> X^element modulo X^n "
        "+ 1 and q.",
        "slots": [
            _slots_case(t, n)
            for t, n in ((5, 2), (17, 4), (17, 8), (257, 32), (65537, 64), (786433, 16))
        ],
        "automorphisms": [
            _automorphism_case(q, n)
            for q in (17, ntt_primes(64, 50, 1)[0], GOLDILOCKS)
            for n in (1, 2, 4, 32)
        ],
    }
