# SPDX-License-Identifier: Apache-2.0
"""Negacyclic products by the discrete Galois transform, [Bad18b] Alg. 1, by its definition.

Numbers x + y i with i^2 = -1 and x, y modulo the prime q are pairs (x, y). For q = 3 (mod 4) (a
Gaussian prime) they form the field of q^2 elements, for q = 1 (mod 4) the product of two copies of
Z_q.
"""

from __future__ import annotations

from collections.abc import Sequence

from nttforge.spec.number_theory import smallest_root_of_unity
from nttforge.spec.transform import log2_exact

from .number_theory import transform_support

Pair = tuple[int, int]


def multiply(a: Pair, b: Pair, q: int) -> Pair:
    """(a0 + a1 i)(b0 + b1 i).

    Examples
    --------
    >>> multiply((1, 2), (3, 4), 7)
    (2, 3)
    """
    return (a[0] * b[0] - a[1] * b[1]) % q, (a[0] * b[1] + a[1] * b[0]) % q


def power(a: Pair, exponent: int, q: int) -> Pair:
    """a^exponent, exponent >= 0.

    Examples
    --------
    >>> power((0, 1), 2, 7)
    (6, 0)
    """
    result = (1, 0)
    while exponent:
        if exponent & 1:
            result = multiply(result, a, q)
        a, exponent = multiply(a, a, q), exponent >> 1
    return result


def twist_root(n: int, q: int) -> Pair:
    """h with h^(n/2) = i and order 2n; h^4 is then the primitive n/2-th root g of the transform.

    q = 3 (mod 4): of the n/2 such elements the smallest pair. q = 1 (mod 4): with psi the smallest
    primitive 2n-th root and i -> psi^(n/2), i -> -psi^(n/2) the two maps to Z_q, the element that
    they send to psi and psi^-1.

    Raises
    ------
    ValueError
        If n is not a power of two in 2 ... ``transform_support(q).max_n_dgt``.

    Examples
    --------
    >>> twist_root(4, 7), power(twist_root(4, 7), 2, 7)
    ((2, 2), (0, 1))
    >>> power(twist_root(4, 17), 2, 17)
    (0, 1)
    """
    log2_exact(n)
    if n < 2 or n > transform_support(q).max_n_dgt:
        raise ValueError(
            f"q = {q} carries DGTs of n = 2 ... {transform_support(q).max_n_dgt}, not n = {n}"
        )
    if q % 4 == 1:
        psi = smallest_root_of_unity(2 * n, q)
        inverse_psi, half = pow(psi, -1, q), pow(2, -1, q)
        i = pow(psi, n // 2, q)
        return (psi + inverse_psi) * half % q, (psi - inverse_psi) * half * pow(i, -1, q) % q
    minus_one = (q - 1, 0)
    candidates = ((x, 1) for x in range(q))
    h = next(
        h
        for h in (power(c, (q * q - 1) // (2 * n), q) for c in candidates)
        if power(h, n, q) == minus_one
    )
    if power(h, n // 2, q) != (0, 1):
        h = power(h, 2 * n - 1, q)
    g = power(h, 4, q)
    best = h
    for _ in range(n // 2 - 1):
        h = multiply(h, g, q)
        best = min(best, h)
    return best


def forward(a: Sequence[int], q: int) -> list[Pair]:
    """A[k] = sum_j (a[j] + i a[j + n/2]) h^j g^(jk), g = h^4, k < n/2: fold, twist, transform.

    Examples
    --------
    >>> forward([1, 2, 3, 4], 7)
    [(4, 1), (5, 5)]
    """
    n = len(a)
    h = twist_root(n, q)
    powers = [(1, 0)]
    for _ in range(2 * n - 1):
        powers.append(multiply(powers[-1], h, q))
    out = []
    for k in range(n // 2):
        terms = [
            multiply((a[j], a[j + n // 2]), powers[j * (4 * k + 1) % (2 * n)], q)
            for j in range(n // 2)
        ]
        out.append((sum(t[0] for t in terms) % q, sum(t[1] for t in terms) % q))
    return out


def inverse(x: Sequence[Pair], q: int) -> list[int]:
    """Undoes ``forward``.

    Examples
    --------
    >>> inverse(forward([1, 2, 3, 4], 7), 7)
    [1, 2, 3, 4]
    """
    n = 2 * len(x)
    inverse_h = power(twist_root(n, q), 2 * n - 1, q)
    scale = pow(n // 2, -1, q)
    folded = []
    for j in range(n // 2):
        terms = [
            multiply(value, power(inverse_h, j * (4 * k + 1) % (2 * n), q), q)
            for k, value in enumerate(x)
        ]
        folded.append((sum(t[0] for t in terms) * scale % q, sum(t[1] for t in terms) * scale % q))
    return [f[0] for f in folded] + [f[1] for f in folded]


def product(a: Sequence[int], b: Sequence[int], q: int) -> list[int]:
    """a b modulo X^n + 1 and q, [Bad18b] Alg. 1.

    Examples
    --------
    >>> product([1, 2, 3, 4], [5, 6, 0, 1], 7)
    [0, 6, 2, 4]
    """
    return inverse(
        [multiply(u, v, q) for u, v in zip(forward(a, q), forward(b, q), strict=True)], q
    )
