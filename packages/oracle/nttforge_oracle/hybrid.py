# SPDX-License-Identifier: Apache-2.0
"""Key switching with several special primes: digits, gadgets, and the division that ends it.

P is the product of the special primes. A digit has several primes in a row of the chain; keys hold
P s' in the rows of their digit's primes, so that sum_i digit_i key_i is near P c s' modulo Q P.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod

from .rns import centred, fast_conversion_sum, round_divide
from .step import fixed_point


def digit_groups(moduli: Sequence[int], primes: int) -> list[tuple[int, ...]]:
    """The primes of each digit: ``primes`` in a row, in the last digit what is left.

    Examples
    --------
    >>> digit_groups([3, 5, 7], 2)
    [(3, 5), (7,)]
    """
    return [tuple(moduli[i : i + primes]) for i in range(0, len(moduli), primes)]


def digits_of(c: Sequence[int], moduli: Sequence[int], primes: int) -> list[list[int]]:
    """[c]_{D_i} + u D_i for every digit i, D_i the product of its primes: fast base conversion.

    u = 0 for digits of one prime, and 0 <= u < primes otherwise.

    Examples
    --------
    >>> digits_of([52], [3, 5, 7], 2)  # 52 = 7 (mod 15), here as 22
    [[22], [3]]
    """
    return [
        [fast_conversion_sum([x % q for q in group], group) for x in c]
        for group in digit_groups(moduli, primes)
    ]


def switch_gadget(moduli: Sequence[int], p: int, primes: int) -> list[int]:
    """P g_i modulo Q P for every digit i: P modulo its primes, 0 modulo every other prime.

    Examples
    --------
    >>> [[g % q for q in (3, 5, 7, 11)] for g in switch_gadget([3, 5, 7], 11, 2)]
    [[2, 1, 0, 0], [0, 0, 4, 0]]
    """
    q = prod(moduli)
    if gcd(p, q) != 1:
        raise ValueError(f"p = {p} must be coprime to Q")
    products = [prod(group) for group in digit_groups(moduli, primes)]
    return [p * (q // d) * pow(q // d, -1, d) for d in products]


def round_by_special(x: int, special: Sequence[int]) -> int:
    """x / P rounded, as CKKS divides: by several primes with fractions of a fixed point.

    These are the words of ``steps.mod_down_nearest``.

    Examples
    --------
    >>> [round_by_special(x, [5, 7]) for x in (0, 17, 18, 34)]
    [0, 0, 1, 1]
    """
    if len(special) == 1:
        return round_divide(x, special[0])
    product = prod(special)
    bits, fractions = fixed_point(special)
    digits = [x * pow(product // p, -1, p) % p for p in special]
    rest = sum(y * (product // p) for y, p in zip(digits, special, strict=True))
    counted = sum(y * f for y, f in zip(digits, fractions, strict=True))
    return (x - rest) // product + ((counted + (1 << (bits - 1))) >> bits)


def divide_by_special(x: int, special: Sequence[int], t: int = 1) -> int:
    """(x - t r) / P, r = x t^-1 (mod P), so that P times the result is x modulo t.

    One special prime: r is centred; for t = 1 halves are rounded upwards. Several, a of them: r is
    taken by fast base conversion, in [0, a P), and t floor(a / 2) is added, which is within
    t (a + 1) / 2 of x / P.

    Examples
    --------
    >>> [divide_by_special(x, [5]) for x in (2, 3, 7, 8)]
    [0, 1, 1, 2]
    >>> [divide_by_special(x, [5, 7]) for x in (0, 1, 34, 35)]
    [1, 0, 1, 2]
    """
    if len(special) == 1:
        (p,) = special
        return round_divide(x, p) if t == 1 else (x - t * centred(x * pow(t, -1, p), p)) // p
    r = fast_conversion_sum([x * pow(t, -1, p) % p for p in special], special)
    return (x - t * r) // prod(special) + t * (len(special) // 2)
