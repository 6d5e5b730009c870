# SPDX-License-Identifier: Apache-2.0
"""Test vectors of a key-switching pipeline: polynomials, keys, and results by the oracle."""

from __future__ import annotations

import random

from nttforge_oracle.fast import forward_fast
from nttforge_oracle.key_switch import digit_values, switch_values

from ..plan.keyswitch import PARTS, KeySwitchDesign
from .edges import EdgeVectors
from .vectors import words_text

Key = list[list[list[list[int]]]]  # [digit][part][limb][n]


def switch_vectors(
    design: KeySwitchDesign, operations: int, keys: int, seed: int
) -> dict[str, str]:
    """Words for the testbench: operation k takes polynomial k and key k modulo ``keys``.

    The polynomials meet edges in the inverse transforms. Key 0 is made backwards, so that in the
    first operation the coefficients that are divided meet the edges of its rounding.
    """
    p, source = design.parameters, random.Random(seed)
    shape = design.engines
    makers = [EdgeVectors(p.n, q) for q in p.moduli]
    polynomials = [
        [
            forward_fast(maker.polynomial(2 if k == 0 else k, source, "inverse"), q)
            for maker, q in zip(makers, p.moduli, strict=True)
        ]
        for k in range(operations)
    ]
    made = [_random_key(design, source) for _ in range(keys)]
    _meet_edges(design, polynomials[0], made[0], source)
    given = [
        [shape.port_words(limb, "inverse", "in") for limb in polynomial]
        for polynomial in polynomials
    ]
    expected = []
    for k, polynomial in enumerate(polynomials):
        key = made[k % keys]
        parts = switch_values(polynomial, p.moduli, p.special, key, p.digit_primes)
        expected += [[shape.port_words(limb, "inverse", "out") for limb in part] for part in parts]
    digits = -(-design.key_bits // 4)
    words = [word for key in made for word in design.key_words(key)]
    return {
        "testbench/input.hex": words_text(given, p.bits),
        "testbench/output.hex": words_text(expected, p.bits),
        "testbench/keys.hex": "".join(f"{word:0{digits}x}\n" for word in words),
    }


def _random_key(design: KeySwitchDesign, source: random.Random) -> Key:
    p = design.parameters

    def limb(q: int) -> list[int]:
        edges = (0, 1, q - 1)
        return [
            source.choice(edges) if source.randrange(8) == 0 else source.randrange(q)
            for _ in range(p.n)
        ]

    return [[[limb(q) for q in p.everything] for _ in range(PARTS)] for _ in range(p.digits)]


def _meet_edges(
    design: KeySwitchDesign, polynomial: list[list[int]], key: Key, source: random.Random
) -> None:
    """Changes the last digit's key so that the sums' coefficients are edges.

    Modulo a special prime these are 0, 1, both sides of its half and p - 1; modulo the others 0, 1,
    q - 1 and a random word. Values where the last digit is 0 stay as they are.
    """
    p = design.parameters
    digits = digit_values(polynomial, p.moduli, p.special, p.digit_primes)
    for part in range(PARTS):
        for limb, q in enumerate(p.everything):
            special = limb >= p.limbs
            edges = (0, 1, q // 2, q // 2 + 1, q - 1) if special else (0, 1, q - 1)
            wanted = [source.choice((*edges, source.randrange(q))) for _ in range(p.n)]
            for at, value in enumerate(forward_fast(wanted, q)):
                last = digits[-1][limb][at]
                if last:
                    others = sum(
                        digit[limb][at] * pair[part][limb][at]
                        for digit, pair in zip(digits[:-1], key[:-1], strict=True)
                    )
                    key[-1][part][limb][at] = (value - others) * pow(last, -1, q) % q
