# SPDX-License-Identifier: Apache-2.0
"""The number theoretic transform by its defining sum, and polynomial products by theirs.

Everything here is O(n^2); fast.py has the negacyclic product as one of big integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from .number_theory import smallest_root_of_unity

Ring: TypeAlias = Literal["negacyclic", "cyclic"]
Order: TypeAlias = Literal["natural", "bit_reversed"]
RINGS: tuple[Ring, ...] = get_args(Ring)
ORDERS: tuple[Order, ...] = get_args(Order)


def log2_exact(n: int) -> int:
    """log2 of a power of two.

    Examples
    --------
    >>> log2_exact(8)
    3
    """
    if n < 1 or n & (n - 1):
        raise ValueError(f"n = {n} must be a power of two")
    return n.bit_length() - 1


def bit_reverse(value: int, bits: int) -> int:
    """The ``bits`` lowest bits of ``value`` in reverse.

    Examples
    --------
    >>> [bit_reverse(k, 3) for k in range(8)]
    [0, 4, 2, 6, 1, 5, 3, 7]
    """
    return int(format(value, f"0{bits}b")[::-1], 2) if bits else 0


def reorder(values: Sequence[int], order: Order) -> list[int]:
    """Between natural order and ``order`` (the bit reversal undoes itself).

    Examples
    --------
    >>> reorder([10, 11, 12, 13], "bit_reversed")
    [10, 12, 11, 13]
    """
    if order not in ORDERS:
        raise ValueError(f"order = {order!r} must be one of {ORDERS}")
    bits = log2_exact(len(values))
    if order == "natural":
        return list(values)
    return [values[bit_reverse(k, bits)] for k in range(len(values))]


def default_root(n: int, q: int, ring: Ring) -> int:
    """Smallest primitive root: psi of order 2n (negacyclic) or omega of order n (cyclic).

    Examples
    --------
    >>> default_root(4, 17, "negacyclic"), default_root(4, 17, "cyclic")
    (2, 4)
    """
    if ring not in RINGS:
        raise ValueError(f"ring = {ring!r} must be one of {RINGS}")
    return smallest_root_of_unity(2 * n if ring == "negacyclic" else n, q)


def _exponent(j: int, k: int, ring: Ring) -> int:
    return j * (2 * k + 1) if ring == "negacyclic" else j * k


def _sum(values: Sequence[int], exponents: Sequence[int], table: list[int], q: int) -> int:
    period = len(table)
    return sum(v * table[e % period] for v, e in zip(values, exponents, strict=True)) % q


def powers(root: int, count: int, q: int) -> list[int]:
    """root^0 ... root^(count - 1).

    Examples
    --------
    >>> powers(2, 5, 7)
    [1, 2, 4, 1, 2]
    """
    out = [1]
    for _ in range(count - 1):
        out.append(out[-1] * root % q)
    return out


def _period(n: int, ring: Ring) -> int:
    return 2 * n if ring == "negacyclic" else n


def forward_at(
    a: Sequence[int],
    points: Sequence[int],
    q: int,
    ring: Ring = "negacyclic",
    root: int | None = None,
) -> list[int]:
    """X[k] for the k in ``points`` only, by the sum; ``a`` in natural order.

    Examples
    --------
    >>> forward_at([1, 2, 3, 4], [3, 0], 17)
    [16, 15]
    """
    n = len(a)
    root = default_root(n, q, ring) if root is None else root
    table = powers(root, _period(n, ring), q)
    return [_sum(a, [_exponent(j, k, ring) for j in range(n)], table, q) for k in points]


def forward(
    a: Sequence[int],
    q: int,
    ring: Ring = "negacyclic",
    input_order: Order = "natural",
    output_order: Order = "bit_reversed",
    root: int | None = None,
) -> list[int]:
    """Forward transform by its definition.

    negacyclic: X[k] = sum_j a[j] psi^(j (2k+1)) mod q, psi a primitive 2n-th root of unity;
    cyclic: X[k] = sum_j a[j] omega^(j k) mod q, omega a primitive n-th root.

    Parameters
    ----------
    a : sequence of int
        n residues in [0, q), n a power of two, in ``input_order``.
    q : int
        Prime.
    ring : {"negacyclic", "cyclic"}
    input_order, output_order : {"natural", "bit_reversed"}
        In bit-reversed order, element k stands at position bit_reverse(k, log2 n).
    root : int, optional
        psi or omega; the smallest one by default.

    Returns
    -------
    list of int
        n residues in [0, q) in ``output_order``.

    Examples
    --------
    >>> forward([1, 2, 3, 4], 17, output_order="natural")
    [15, 13, 11, 16]
    >>> forward([1, 2, 3, 4], 17)
    [15, 11, 13, 16]
    >>> forward([1, 2, 3, 4], 17, "cyclic", output_order="natural")
    [10, 7, 15, 6]
    """
    natural = reorder(a, input_order)
    return reorder(forward_at(natural, range(len(a)), q, ring, root), output_order)


def inverse(
    x: Sequence[int],
    q: int,
    ring: Ring = "negacyclic",
    input_order: Order = "natural",
    output_order: Order = "bit_reversed",
    root: int | None = None,
) -> list[int]:
    """Undoes ``forward`` with the same arguments.

    a[j] = n^-1 sum_k X[k] psi^(-j (2k+1)), or omega^(-j k).

    As in a plan, ``output_order`` is the order of the transformed values (here the input) and
    ``input_order`` that of the coefficients (here the result).

    Examples
    --------
    >>> inverse(forward([1, 2, 3, 4], 17), 17)
    [1, 2, 3, 4]
    """
    n = len(x)
    natural = reorder(x, output_order)
    root = default_root(n, q, ring) if root is None else root
    table = powers(pow(root, -1, q), _period(n, ring), q)
    scale = pow(n, -1, q)
    a = [
        scale * _sum(natural, [_exponent(j, k, ring) for k in range(n)], table, q) % q
        for j in range(n)
    ]
    return reorder(a, input_order)


def polynomial_product(
    a: Sequence[int], b: Sequence[int], q: int | None, ring: Ring = "negacyclic"
) -> list[int]:
    """Product modulo X^n + 1 (negacyclic) or X^n - 1 (cyclic) by the schoolbook sum.

    ``q`` None keeps the integers as they are; coefficients may then have any sign and size.

    Examples
    --------
    >>> polynomial_product([1, 2], [3, 4], None), polynomial_product([1, 2], [3, 4], 7, "cyclic")
    ([-5, 10], [4, 3])
    """
    if len(a) != len(b):
        raise ValueError(f"a and b must have one length, not {len(a)} and {len(b)}")
    if ring not in RINGS:
        raise ValueError(f"ring = {ring!r} must be one of {RINGS}")
    n = len(a)
    wrap = -1 if ring == "negacyclic" else 1
    out = [0] * n
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[(i + j) % n] += x * y if i + j < n else wrap * x * y
    return out if q is None else [c % q for c in out]
