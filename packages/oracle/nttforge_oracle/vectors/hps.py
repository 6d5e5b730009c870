# SPDX-License-Identifier: Apache-2.0
"""hps.json: products of BFV by the three HPS forms, word for word."""

from __future__ import annotations

from ..hps import HpsOverQ, HpsPlain, Residues
from ..number_theory import ntt_primes
from .rules import residues


def _case(
    n: int, t: int, q: tuple[int, ...], special: int, word_bits: int, levels: tuple[int, ...]
) -> dict[str, object]:
    bits = 30 if word_bits == 32 else 50

    def factor(seed: int) -> list[Residues]:
        return [
            [residues(n, prime, seed + 10 * part + j) for j, prime in enumerate(q)]
            for part in (0, 1)
        ]

    x, y = factor(100), factor(200)
    plain = HpsPlain(q, t, n, (special,), prime_bits=bits)
    over_q = HpsOverQ(q, t, n, (special,), prime_bits=bits)
    return {
        "n": n,
        "t": t,
        "moduli": list(q),
        "special_prime": special,
        "word_bits": word_bits,
        "x": x,
        "y": y,
        "bases": {"hps": list(plain.p), "hps_over_q": list(over_q.p)},
        "hps": plain.multiply(x, y),
        "hps_over_q": over_q.multiply(x, y),
        "hps_levelled": [
            {
                "level": level,
                "base": list(product.p),
                "product": product.multiply(x, y),
            }
            for level in levels
            for product in [HpsOverQ(q, t, n, (special,), level, bits)]
        ],
    }


def hps_vectors() -> dict[str, object]:
    """Content of hps.json."""
    small, wide = ntt_primes(64, 30, 4), ntt_primes(64, 60, 3)
    narrow = ntt_primes(64, 45, 4)
    return {
        "description": "products of two-part ciphertexts x and y, [part][limb][n] residues in "
        "coefficient form, with three parts: plain HPS, over Q, and over the first `level` primes "
        "of Q. The auxiliary primes have 50 bits for words of 64 bits and 30 for words of 32.",
        "cases": [
            _case(16, 97, tuple(narrow[:3]), narrow[3], 64, (1, 2)),
            _case(16, 65537, tuple(small[:3]), small[3], 32, (1, 2)),
            _case(8, 2**40 + 15, tuple(wide[:2]), wide[2], 64, (1,)),
        ],
    }
