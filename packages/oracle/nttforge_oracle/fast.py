# SPDX-License-Identifier: Apache-2.0
"""Transforms by butterflies, for sizes beyond the definition; tested against it."""

from __future__ import annotations

from collections.abc import Sequence

from nttforge.spec.transform import (
    Order,
    Ring,
    bit_reverse,
    default_root,
    log2_exact,
    powers,
    reorder,
)


def twiddles(n: int, q: int, ring: Ring = "negacyclic", root: int | None = None) -> list[int]:
    """Twiddle factors W[0 ... n-1] of the product tree; W[0] = 1 is not used.

    Node j of the level with m nodes stands for the ring modulo X^(n/m) - c; its children are modulo
    X^(n/2m) -+ W[m + j], W[m + j]^2 = c:
    negacyclic: W[m + j] = psi^bitrev_{log n}(m + j); cyclic: W[m + j] = omega^(bitrev_{log m}(j) n
    / (2m)).

    Examples
    --------
    >>> twiddles(4, 17)
    [1, 4, 2, 8]
    >>> twiddles(4, 17, "cyclic")
    [1, 1, 1, 4]
    """
    bits = log2_exact(n)
    root = default_root(n, q, ring) if root is None else root
    if ring == "negacyclic":
        return reorder(powers(root, n, q), "bit_reversed")
    roots, table = powers(root, n, q), [1] * n
    for level in range(bits):
        m = 1 << level
        for j in range(m):
            table[m + j] = roots[bit_reverse(j, level) * n // (2 * m)]
    return table


def forward_fast(
    a: Sequence[int],
    q: int,
    ring: Ring = "negacyclic",
    output_order: Order = "bit_reversed",
    root: int | None = None,
) -> list[int]:
    """The values of ``transform.forward`` by Cooley-Tukey butterflies down the product tree.

    Examples
    --------
    >>> forward_fast([1, 2, 3, 4], 17)
    [15, 11, 13, 16]
    """
    n = len(a)
    w = twiddles(n, q, ring, root)
    x = list(a)
    m, half = 1, n // 2
    while half:
        for j in range(m):
            for i in range(2 * j * half, (2 * j + 1) * half):
                u, v = x[i], x[i + half] * w[m + j]
                x[i], x[i + half] = (u + v) % q, (u - v) % q
        m, half = 2 * m, half // 2
    return reorder(x, "bit_reversed") if output_order == "natural" else x


def inverse_fast(
    x: Sequence[int],
    q: int,
    ring: Ring = "negacyclic",
    output_order: Order = "bit_reversed",
    root: int | None = None,
) -> list[int]:
    """The values of ``transform.inverse``: the steps of ``forward_fast`` back.

    Examples
    --------
    >>> inverse_fast([15, 11, 13, 16], 17)
    [1, 2, 3, 4]
    """
    n = len(x)
    root = default_root(n, q, ring) if root is None else root
    w = twiddles(n, q, ring, pow(root, -1, q))
    a = reorder(x, "bit_reversed") if output_order == "natural" else list(x)
    m, half = n // 2, 1
    while m:
        for j in range(m):
            for i in range(2 * j * half, (2 * j + 1) * half):
                u, v = a[i], a[i + half]
                a[i], a[i + half] = (u + v) % q, (u - v) * w[m + j] % q
        m, half = m // 2, 2 * half
    scale = pow(n, -1, q)
    return [c * scale % q for c in a]
