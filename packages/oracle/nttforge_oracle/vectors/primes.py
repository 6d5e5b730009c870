# SPDX-License-Identifier: Apache-2.0
"""primes.json: primality, factors, roots, prime searches, what a modulus carries."""

from __future__ import annotations

from dataclasses import asdict

from nttforge.spec.number_theory import GOLDILOCKS, is_prime, smallest_root_of_unity

from ..number_theory import (
    YAN22_TABLE_3,
    generalised_mersenne_primes,
    ntt_primes,
    prime_factors,
    smallest_primitive_root,
    transform_support,
)
from .rules import splitmix64

# Carmichael numbers, strong pseudoprimes to the first bases, squares and products of large primes,
# 64-bit limits.
HARD_VALUES = (
    561, 41041, 825265, 321197185, 2047, 1373653, 25326001, 3215031751, 2152302898747,
    3474749660383, 341550071728321, 3825123056546413051, 4294967291**2, 4294967291 * 4294967279,
    2147483647**2, 2**32 + 1, 2**61 - 1, 2**62 - 57, 2**63 - 25, 2**64 - 59, 2**64 - 1, 2**64 - 3,
    GOLDILOCKS, GOLDILOCKS - 2,
)  # fmt: skip

SEARCHES = (
    (1, 2, 1, ()), (1, 8, 5, ()), (64, 20, 4, ()), (1024, 27, 1, ()), (2048, 30, 3, ()), (4096, 36,
    3, ()), (4096, 50, 4, ()), (8192, 50, 3, (1125899904679937,)), (32768, 60, 3, ()), (65536, 31,
    2, ()), (1 << 20, 62, 2, ()), (1 << 24, 61, 1, ()), (1 << 28, 62, 1, ()),
)  # fmt: skip


def prime_vectors() -> dict[str, object]:
    """Content of primes.json."""
    tested = [*range(40), *HARD_VALUES, *(splitmix64(i) | 1 for i in range(100))]
    factored = [*range(1, 30), *HARD_VALUES, *(splitmix64(i) >> (i % 40) for i in range(20))]
    bases = [3, 5, 7, 17, 41, 97, 257, 65537, 2**30 - 2**18 + 1, *ntt_primes(64, 62, 2), GOLDILOCKS]
    carried = [2**i + sj * 2**j + s0 for i, sj, j, s0 in YAN22_TABLE_3]
    carried += [2, 3, 5, 17, 91, 65537, 2**61 - 1, *ntt_primes(4096, 60, 1), GOLDILOCKS]
    orders = [(1 << k, q) for q in bases for k in (0, 1, 2, 4, 7, 12) if (q - 1) % (1 << k) == 0]
    return {
        "description": "is_prime: [value, 1 if prime else 0]. prime_factors: [value, distinct "
        "factors]. smallest_primitive_root: [q, root]. smallest_root_of_unity: [order, q, root]. "
        "ntt_primes: the count largest primes = 1 (mod 2n) of exactly that many bits. "
        "generalised_mersenne: [value, form] by bits. transform_support: largest n of "
        "each kind; the first eight moduli are those of [Yan22] Table 3.",
        "is_prime": [[v, int(is_prime(v))] for v in tested],
        "prime_factors": [[v, prime_factors(v)] for v in factored],
        "smallest_primitive_root": [[q, smallest_primitive_root(q)] for q in [2, *bases]],
        "smallest_root_of_unity": [
            [order, q, smallest_root_of_unity(order, q)] for order, q in orders
        ],
        "ntt_primes": [
            {
                "n": n,
                "bits": bits,
                "exclude": list(exclude),
                "primes": ntt_primes(n, bits, count, exclude),
            }
            for n, bits, count, exclude in SEARCHES
        ],
        "generalised_mersenne": [
            {
                "bits": bits,
                "primes": [[p.value, p.text()] for p in generalised_mersenne_primes(bits)],
            }
            for bits in range(2, 63)
        ],
        "transform_support": [asdict(transform_support(q)) for q in carried],
    }
