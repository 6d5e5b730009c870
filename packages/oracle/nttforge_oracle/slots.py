# SPDX-License-Identifier: Apache-2.0
"""Automorphisms of Z[X] / (X^n + 1) and the packing of n integers modulo t in one plaintext.

Slots stand in two rows of n/2. With psi the smallest primitive 2n-th root of unity modulo the
prime t, slot i of row 0 is the value at psi^(3^i), slot i of row 1 the value at psi^(-3^i).
"""

from __future__ import annotations

from collections.abc import Sequence

from nttforge.spec.number_theory import smallest_root_of_unity
from nttforge.spec.transform import log2_exact

GENERATOR = 3


def automorphism(a: Sequence[int], element: int, q: int | None = None) -> list[int]:
    """The polynomial a(X^element) modulo X^n + 1.

    Parameters
    ----------
    a : sequence of int
        n coefficients, n a power of two.
    element : int
        Odd, in [1, 2n).
    q : int, optional
        Modulus of the result; None keeps signs.

    Examples
    --------
    >>> automorphism([1, 2, 3, 4], 3), automorphism([1, 2, 3, 4], 7, 17)
    ([1, 4, -3, 2], [1, 13, 14, 15])
    """
    n = len(a)
    log2_exact(n)
    if element % 2 == 0 or not 0 < element < 2 * n:
        raise ValueError(f"element = {element} must be odd in [1, {2 * n})")
    out = [0] * n
    for j, value in enumerate(a):
        exponent = j * element % (2 * n)
        out[exponent % n] = value if exponent < n else -value
    return out if q is None else [v % q for v in out]


def rotation_element(step: int, n: int) -> int:
    """3^step mod 2n: rotates both rows to the left by ``step`` (any sign), n >= 2.

    Examples
    --------
    >>> [rotation_element(step, 8) for step in (0, 1, 2, -1)]
    [1, 3, 9, 11]
    """
    return pow(GENERATOR, step % (n // 2), 2 * n)


def column_swap_element(n: int) -> int:
    """2n - 1: swaps the two rows.

    Examples
    --------
    >>> column_swap_element(8)
    15
    """
    return 2 * n - 1


def slot_exponents(n: int) -> list[int]:
    """Exponent of psi of every slot, row 0 first.

    Examples
    --------
    >>> slot_exponents(8)
    [1, 3, 9, 11, 15, 13, 7, 5]
    """
    row = [rotation_element(i, n) for i in range(n // 2)]
    return row + [2 * n - e for e in row]


def encode(values: Sequence[int], t: int) -> list[int]:
    """The polynomial modulo t with these n slot values (any integers, taken modulo t).

    Raises
    ------
    ValueError
        If t is not a prime with t = 1 (mod 2n).

    Examples
    --------
    >>> encode([5, 5, 5, 5], 17), decode(encode([1, 2, 3, 4], 17), 17)
    ([5, 0, 0, 0], [1, 2, 3, 4])
    """
    n = len(values)
    psi = smallest_root_of_unity(2 * n, t)
    inverse_points = [pow(psi, -e, t) for e in slot_exponents(n)]
    scale = pow(n, -1, t)
    # The transform over all odd powers of psi, inverted by its definition.
    return [
        scale * sum(v * pow(x, j, t) for v, x in zip(values, inverse_points, strict=True)) % t
        for j in range(n)
    ]


def decode(m: Sequence[int], t: int) -> list[int]:
    """Slot values in [0, t) of a polynomial: its values at psi^e, e in ``slot_exponents``.

    Examples
    --------
    >>> decode([0, 1, 0, 0], 17)
    [2, 8, 9, 15]
    """
    n = len(m)
    psi = smallest_root_of_unity(2 * n, t)
    return [sum(c * pow(psi, e * j, t) for j, c in enumerate(m)) % t for e in slot_exponents(n)]


def rotate_rows(values: Sequence[int], step: int) -> list[int]:
    """What the automorphism 3^step does to the slots: new slot i = old slot i + step in its row.

    Examples
    --------
    >>> rotate_rows([1, 2, 3, 4, 5, 6, 7, 8], 1)
    [2, 3, 4, 1, 6, 7, 8, 5]
    """
    half = len(values) // 2
    return [values[row + (i + step) % half] for row in (0, half) for i in range(half)]


def swap_columns(values: Sequence[int]) -> list[int]:
    """What the automorphism 2n - 1 does to the slots.

    Examples
    --------
    >>> swap_columns([1, 2, 3, 4])
    [3, 4, 1, 2]
    """
    half = len(values) // 2
    return [*values[half:], *values[:half]]
