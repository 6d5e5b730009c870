# SPDX-License-Identifier: Apache-2.0
"""Incomplete transforms: residues modulo the factors of X^n + 1 (or X^n - 1) of a higher degree.

A prime without a 2n-th root of unity splits X^n + 1 not into n linear factors, but into
2^layers = n / d factors of degree d: X^n + 1 = prod_k (X^d - gamma_k), gamma_k = zeta^(2k + 1),
zeta a primitive 2^(layers + 1)-th root of unity; X^n - 1 with gamma_k = zeta^k, zeta a primitive
2^layers-th one. ML-KEM has n = 256, q = 3329, layers = 7, zeta = 17 [FIPS 203, section 4.3].
"""

from __future__ import annotations

from collections.abc import Sequence

from nttforge.spec.transform import Order, Ring, bit_reverse, default_root, log2_exact


def factor_constants(layers: int, q: int, ring: Ring, zeta: int | None = None) -> list[int]:
    """The gamma_k of all factors X^d - gamma_k, k < 2^layers.

    Examples
    --------
    >>> factor_constants(1, 5, "negacyclic"), factor_constants(1, 5, "cyclic")
    ([2, 3], [1, 4])
    """
    root = default_root(1 << layers, q, ring) if zeta is None else zeta
    odd = ring == "negacyclic"
    return [pow(root, 2 * k + 1 if odd else k, q) for k in range(1 << layers)]


def _positions(layers: int, order: Order) -> list[int]:
    """Which factor stands at each place of the values."""
    count = 1 << layers
    return [bit_reverse(i, layers) if order == "bit_reversed" else i for i in range(count)]


def forward(
    a: Sequence[int],
    q: int,
    layers: int,
    ring: Ring = "negacyclic",
    output_order: Order = "bit_reversed",
    zeta: int | None = None,
) -> list[int]:
    """``a`` modulo every factor X^d - gamma_k, d = n / 2^layers, by the definition.

    Parameters
    ----------
    a : sequence of int
        n coefficients in [0, q), n a power of two.
    layers : int
        1 ... log2 n; log2 n is the complete transform.
    output_order : {"natural", "bit_reversed"}
        Of the factors. The d coefficients of each residue stand together, lowest degree first.
    zeta : int, optional
        The root of unity; the smallest of its order by default.

    Examples
    --------
    >>> forward([1, 2, 3, 4], 5, 1)  # modulo X^2 - 2 and X^2 - 3
    [2, 0, 0, 4]
    """
    d = 1 << log2_exact(len(a)) - layers
    gammas = factor_constants(layers, q, ring, zeta)
    return [
        sum(a[d * j + c] * pow(gammas[k], j, q) for j in range(1 << layers)) % q
        for k in _positions(layers, output_order)
        for c in range(d)
    ]


def inverse(
    x: Sequence[int],
    q: int,
    layers: int,
    ring: Ring = "negacyclic",
    output_order: Order = "bit_reversed",
    zeta: int | None = None,
) -> list[int]:
    """Undoes ``forward``: the coefficients d j + c are 2^-layers sum_k x_k[c] gamma_k^-j.

    Examples
    --------
    >>> inverse([2, 0, 0, 4], 5, 1)
    [1, 2, 3, 4]
    """
    count = 1 << layers
    d = len(x) // count
    gammas = factor_constants(layers, q, ring, zeta)
    places = list(enumerate(_positions(layers, output_order)))
    scale = pow(count, -1, q)
    return [
        scale * sum(x[d * place + c] * pow(gammas[k], -j, q) for place, k in places) % q
        for j in range(count)
        for c in range(d)
    ]


def multiply(
    x: Sequence[int],
    y: Sequence[int],
    q: int,
    layers: int,
    ring: Ring = "negacyclic",
    output_order: Order = "bit_reversed",
    zeta: int | None = None,
) -> list[int]:
    """The base product: of residues modulo each X^d - gamma_k, where X^d is gamma_k.

    Examples
    --------
    >>> multiply([0, 1, 0, 1], [0, 1, 0, 1], 5, 1)  # X * X modulo X^2 - 2 and X^2 - 3
    [2, 0, 3, 0]
    """
    d = len(x) >> layers
    gammas = factor_constants(layers, q, ring, zeta)
    out = [0] * len(x)
    for place, k in enumerate(_positions(layers, output_order)):
        for i in range(d):
            for j in range(d):
                term = x[d * place + i] * y[d * place + j] * (gammas[k] if i + j >= d else 1)
                out[d * place + (i + j) % d] += term
    return [value % q for value in out]
