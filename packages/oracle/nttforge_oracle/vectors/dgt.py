# SPDX-License-Identifier: Apache-2.0
"""dgt.json: discrete Galois transforms and products."""

from __future__ import annotations

from nttforge.spec.transform import polynomial_product

from .. import dgt
from ..number_theory import YAN22_TABLE_3, ntt_primes, transform_support
from .rules import residues


def _case(q: int, n: int) -> dict[str, object]:
    a, b = residues(n, q, 10), residues(n, q, 500)
    product = dgt.product(a, b, q)
    assert product == polynomial_product(a, b, q)
    return {
        "q": q,
        "n": n,
        "h": dgt.twist_root(n, q),
        "a": a,
        "b": b,
        "a_transformed": dgt.forward(a, q),
        "product": product,
    }


def dgt_vectors() -> dict[str, object]:
    """Content of dgt.json."""
    moduli = [7, 31, 127, *(2**i + sj * 2**j + s0 for i, sj, j, s0 in YAN22_TABLE_3)]
    moduli += [17, 2**61 - 1, ntt_primes(64, 60, 1)[0]]
    return {
        "description": "negacyclic products by the discrete Galois transform [Bad18b, Alg. 1]: h "
        "with h^(n/2) = i, a_transformed[k] = sum_j (a[j] + i a[j + n/2]) h^(j (4k + 1)), pairs "
        "(real, imaginary); product modulo X^n + 1.",
        "cases": [
            _case(q, n)
            for q in moduli
            for n in (2, 4, 16, 32)
            if n <= transform_support(q).max_n_dgt
        ],
    }
