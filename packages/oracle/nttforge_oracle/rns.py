# SPDX-License-Identifier: Apache-2.0
"""Residue number systems: Chinese remainders, Garner, base conversion, division by a modulus.

A base is a sequence of pairwise coprime moduli q_0 ... q_{k-1}, Q their product; residues are
lists in [0, q_i).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod


def require_base(moduli: Sequence[int]) -> None:
    """Raises ValueError unless the moduli are pairwise coprime, each in [2, 2^62).

    Examples
    --------
    >>> require_base([6, 10])
    Traceback (most recent call last):
    ...
    ValueError: moduli 6 and 10 share the factor 2
    """
    if not moduli:
        raise ValueError("a base needs at least one modulus")
    for i, q in enumerate(moduli):
        if not 2 <= q < 2**62:
            raise ValueError(f"modulus {q} must be in [2, 2^62)")
        for other in moduli[:i]:
            if gcd(q, other) != 1:
                raise ValueError(f"moduli {other} and {q} share the factor {gcd(q, other)}")


def centred(x: int, m: int) -> int:
    """The representative of x mod m in [-m/2, m/2).

    Examples
    --------
    >>> [centred(x, 5) for x in range(5)], [centred(x, 4) for x in range(4)]
    ([0, 1, 2, -2, -1], [0, 1, -2, -1])
    """
    r = x % m
    return r if 2 * r < m else r - m


def round_divide(x: int, d: int) -> int:
    """x / d to the nearest integer, halves upwards, d > 0.

    Examples
    --------
    >>> [round_divide(x, 4) for x in (-6, -5, 5, 6)]
    [-1, -1, 1, 2]
    """
    return (2 * x + d) // (2 * d)


def decompose(x: int, moduli: Sequence[int]) -> list[int]:
    """Residues of x, of any sign and size.

    Examples
    --------
    >>> decompose(-1, [3, 5])
    [2, 4]
    """
    return [x % q for q in moduli]


def punctured(moduli: Sequence[int]) -> list[int]:
    """Q / q_i.

    Examples
    --------
    >>> punctured([3, 5, 7])
    [35, 21, 15]
    """
    q = prod(moduli)
    return [q // m for m in moduli]


def inverse_punctured(moduli: Sequence[int]) -> list[int]:
    """(Q / q_i)^-1 mod q_i.

    Examples
    --------
    >>> inverse_punctured([3, 5, 7])
    [2, 1, 1]
    """
    return [pow(p, -1, q) for p, q in zip(punctured(moduli), moduli, strict=True)]


def compose(residues: Sequence[int], moduli: Sequence[int]) -> int:
    """The x in [0, Q) with these residues, equation (1) of [Bad18b].

    Examples
    --------
    >>> compose([2, 3, 2], [3, 5, 7])
    23
    """
    return fast_conversion_sum(residues, moduli) % prod(moduli)


def compose_garner(residues: Sequence[int], moduli: Sequence[int]) -> int:
    """The same by mixed radix digits, [Bad18b] Alg. 4.

    Examples
    --------
    >>> compose_garner([2, 3, 2], [3, 5, 7])
    23
    """
    x, radix = 0, 1
    for r, q in zip(residues, moduli, strict=True):
        digit = (r - x) * pow(radix, -1, q) % q
        x += digit * radix
        radix *= q
    return x


def fast_conversion_sum(residues: Sequence[int], moduli: Sequence[int]) -> int:
    """The integer sum_i [x_i (Q/q_i)^-1]_{q_i} (Q/q_i) = x + u Q, x in [0, Q), 0 <= u <= k - 1.

    Examples
    --------
    >>> fast_conversion_sum([2, 3, 2], [3, 5, 7]) == 23 + 105
    True
    """
    return sum(
        r * inverse % q * p
        for r, q, p, inverse in zip(
            residues, moduli, punctured(moduli), inverse_punctured(moduli), strict=True
        )
    )


def fast_convert(
    residues: Sequence[int], moduli: Sequence[int], targets: Sequence[int]
) -> list[int]:
    """Fast base conversion, [Bad18b] (3): x + u Q modulo other moduli, 0 <= u <= k - 1.

    Computed with word-size residues only: sum_i [x_i (Q/q_i)^-1]_{q_i} ((Q/q_i) mod m) mod m.

    Examples
    --------
    >>> fast_convert([2, 3, 2], [3, 5, 7], [11])  # 128 mod 11, not 23 mod 11
    [7]
    """
    digits = [
        r * i % q for r, i, q in zip(residues, inverse_punctured(moduli), moduli, strict=True)
    ]
    return [
        sum(d * (p % m) for d, p in zip(digits, punctured(moduli), strict=True)) % m
        for m in targets
    ]


def mod_down_definition(x: int, moduli: Sequence[int]) -> list[int]:
    """floor((x + floor(p/2)) / p), p the last modulus, modulo the others; p odd: round(x / p).

    Examples
    --------
    >>> mod_down_definition(52, [11, 13, 5])
    [10, 10]
    """
    p = moduli[-1]
    return decompose((x + p // 2) // p, moduli[:-1])


def mod_down(residues: Sequence[int], moduli: Sequence[int]) -> list[int]:
    """The same from residues: (x_j - [x]_p) p^-1 mod q_j.

    [x]_p = ((x + floor(p/2)) mod p) - floor(p/2).

    Parameters
    ----------
    residues : sequence of int
        Of x modulo q_0 ... q_{k-1}, p.
    moduli : sequence of int
        q_0 ... q_{k-1}, p.

    Returns
    -------
    list of int
        k residues, exactly those of ``mod_down_definition`` for every x with these residues.

    Examples
    --------
    >>> mod_down(decompose(52, [11, 13, 5]), [11, 13, 5])
    [10, 10]
    """
    p = moduli[-1]
    half = p // 2
    shifted = (residues[-1] + half) % p
    return [
        (r - shifted + half) * pow(p, -1, q) % q
        for r, q in zip(residues[:-1], moduli[:-1], strict=True)
    ]


def lift_plain(m: int, t: int, moduli: Sequence[int]) -> list[int]:
    """Residues of a plaintext value m in [0, t), read as centred in [-t/2, t/2).

    Examples
    --------
    >>> lift_plain(4, 5, [11, 13])
    [10, 12]
    """
    return decompose(centred(m, t), moduli)
