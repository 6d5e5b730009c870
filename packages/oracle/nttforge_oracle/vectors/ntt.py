# SPDX-License-Identifier: Apache-2.0
"""ntt.json: transforms, products and twiddle tables."""

from __future__ import annotations

from nttforge.spec.number_theory import GOLDILOCKS, is_prime
from nttforge.spec.transform import (
    RINGS,
    Ring,
    default_root,
    forward,
    forward_at,
    polynomial_product,
    reorder,
)

from ..fast import forward_fast, twiddles
from ..number_theory import ntt_primes, transform_support
from .rules import FNV_RULE, SPLITMIX_RULE, fnv1a, residues

SMALL_N = (1, 2, 4, 8, 16, 32, 64)
LARGE_N = (256, 1024, 4096)
HUGE_N = 1 << 16


def _smallest_above(bound: int, step: int) -> int:
    return next(q for q in range(bound + 1, 2 * bound, step) if is_prime(q))


def small_primes() -> list[int]:
    """Tiny primes, the largest below and the smallest above every class limit, Goldilocks."""
    tiny = [3, 5, 17, 97, 257, 7681, 65537]
    below = [ntt_primes(64, bits, 1)[0] for bits in (29, 30, 31, 32, 49, 50, 51, 52, 60, 61, 62)]
    above = [_smallest_above(1 << bits, 128) for bits in (30, 31, 32, 50, 60, 61)]
    return [*tiny, *below, *above, GOLDILOCKS]


def _largest_n(q: int, ring: Ring) -> int:
    support = transform_support(q)
    return support.max_n_negacyclic if ring == "negacyclic" else support.max_n_cyclic


def _case(a: list[int], q: int, ring: Ring, root: int) -> dict[str, object]:
    natural = forward(a, q, ring, output_order="natural", root=root)
    return {
        "n": len(a),
        "root": root,
        "input": a,
        "natural": natural,
        "bit_reversed": reorder(natural, "bit_reversed"),
    }


def _small(q: int, ring: Ring) -> dict[str, object]:
    sizes = [n for n in SMALL_N if n <= _largest_n(q, ring)]
    cases = [_case(residues(n, q, n), q, ring, default_root(n, q, ring)) for n in sizes]
    for n in sizes:
        if n in (4, 32):
            cases.append(_case([q - 1] * n, q, ring, default_root(n, q, ring)))
        if n == 16:  # not the smallest root
            cases.append(_case(residues(n, q, 99), q, ring, pow(default_root(n, q, ring), 3, q)))
    return {"q": q, "ring": ring, "cases": cases}


def _large(q: int, ring: Ring, n: int) -> dict[str, object]:
    a = residues(n, q)
    root = default_root(n, q, ring)
    natural = forward_fast(a, q, ring, "natural", root)
    points = [0, 1, n // 2, n - 1]
    if n <= LARGE_N[-1]:
        points += [2, n // 2 - 1, n - 2]
    values = forward_at(a, points, q, ring, root)
    return {
        "q": q,
        "ring": ring,
        "n": n,
        "root": root,
        "points": points,
        "values": values,
        "natural_fnv1a": fnv1a(natural),
        "bit_reversed_fnv1a": fnv1a(reorder(natural, "bit_reversed")),
    }


def _product(q: int, ring: Ring, n: int) -> dict[str, object]:
    a, b = residues(n, q, 1000), residues(n, q, 2000)
    return {
        "q": q,
        "ring": ring,
        "n": n,
        "a": a,
        "b": b,
        "product": polynomial_product(a, b, q, ring),
    }


def ntt_vectors() -> dict[str, object]:
    """Content of ntt.json."""
    large_primes = [ntt_primes(4096, bits, 1)[0] for bits in (30, 31, 32, 50, 60, 61, 62)]
    huge_primes = [ntt_primes(HUGE_N, bits, 1)[0] for bits in (50, 62)]
    sizes = [(q, n) for q in [*large_primes, GOLDILOCKS] for n in LARGE_N]
    sizes += [(q, HUGE_N) for q in huge_primes]
    product_primes = [257, *(ntt_primes(64, bits, 1)[0] for bits in (30, 50, 62)), GOLDILOCKS]
    return {
        "description": "transforms by their defining sum. small: every input and output written "
        "out, root psi (negacyclic) or omega (cyclic). large: input a[i] = splitmix64(i) mod q; "
        "X[k] at some points k (natural order) by the sum, and a digest of all outputs in each "
        "order. twiddles: table W of the product tree.",
        "rules": [SPLITMIX_RULE, FNV_RULE],
        "small": [_small(q, ring) for q in small_primes() for ring in RINGS],
        "large": [_large(q, ring, n) for q, n in sizes for ring in RINGS],
        "products": [
            _product(q, ring, n) for q in product_primes for ring in RINGS for n in (1, 2, 8, 32)
        ],
        "twiddles": [
            {"q": q, "ring": ring, "n": n, "table": twiddles(n, q, ring)}
            for q in (257, large_primes[3])
            for ring in RINGS
            for n in (2, 16, 64)
        ],
    }
