# SPDX-License-Identifier: Apache-2.0
"""incomplete.json: residues modulo factors of higher degree, and their products."""

from __future__ import annotations

from nttforge.spec.number_theory import GOLDILOCKS
from nttforge.spec.transform import ORDERS, RINGS, Ring, default_root, forward, polynomial_product

from .. import fips, incomplete
from ..number_theory import ntt_primes
from .rules import residues


def _case(q: int, ring: Ring, n: int, layers: int, zeta: int | None = None) -> dict[str, object]:
    root = default_root(1 << layers, q, ring) if zeta is None else zeta
    a, b = residues(n, q, 10), residues(n, q, 2000)
    values = {str(o): incomplete.forward(a, q, layers, ring, o, root) for o in ORDERS}
    x, y = (incomplete.forward(v, q, layers, ring, zeta=root) for v in (a, b))
    product = polynomial_product(a, b, q, ring)
    multiplied = incomplete.multiply(x, y, q, layers, ring, zeta=root)
    assert incomplete.inverse(multiplied, q, layers, ring, zeta=root) == product
    return {
        "q": q,
        "ring": ring,
        "n": n,
        "layers": layers,
        "zeta": root,
        "a": a,
        "b": b,
        **values,
        "multiplied": multiplied,
        "product": product,
    }


def _standards() -> list[dict[str, object]]:
    """The transforms of two standards, by their own algorithms."""
    out: list[dict[str, object]] = []
    for name, q, zeta, layers in (
        ("FIPS 203 (ML-KEM)", fips.KEM_Q, fips.KEM_ZETA, 7),
        ("FIPS 204 (ML-DSA)", fips.DSA_Q, fips.DSA_ZETA, 8),
    ):
        case = _case(q, "negacyclic", 256, layers, zeta)
        a = residues(256, q, 10)
        transformed = fips.kem_ntt(a) if layers == 7 else fips.dsa_ntt(a)
        assert case["bit_reversed"] == transformed
        if layers == 7:
            assert case["multiplied"] == fips.kem_multiply(
                transformed, fips.kem_ntt(residues(256, q, 2000))
            )
        else:
            assert transformed == forward(a, q, root=zeta)
        out.append({"name": name, **case})
    return out


def incomplete_vectors() -> dict[str, object]:
    """Content of incomplete.json."""
    primes = [17, 3329, *(ntt_primes(16, bits, 1)[0] for bits in (31, 50, 62))]
    return {
        "description": "transforms of few layers by their definition: natural, bit_reversed: a "
        "modulo the factors X^d - gamma_k, d = n / 2^layers, of X^n + 1 (gamma_k = zeta^(2k + 1)) "
        "or X^n - 1 (gamma_k = zeta^k), in these orders of k; multiplied: the base product of a "
        "and b, bit-reversed; product: of the polynomials. standards: also by the algorithms that "
        "FIPS 203 and FIPS 204 print.",
        "cases": [
            _case(q, ring, n, layers)
            for q in [*primes, GOLDILOCKS]
            for ring in RINGS
            for n, layers in ((2, 1), (8, 1), (8, 2), (32, 3))
        ],
        "standards": _standards(),
    }
