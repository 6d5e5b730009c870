# SPDX-License-Identifier: Apache-2.0
"""Factors, generators, searches for primes, and which transform a modulus carries."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd, isqrt

from nttforge.spec.number_theory import is_prime

#: The eight moduli of [Yan22] Table 3 as (i, sign_j, j, sign_0).
YAN22_TABLE_3 = (
    (30, -1, 9, -1),
    (30, -1, 16, -1),
    (30, -1, 18, -1),
    (30, -1, 18, +1),
    (52, -1, 12, +1),
    (52, -1, 19, -1),
    (52, -1, 20, +1),
    (52, -1, 47, -1),
)


def prime_factors(value: int) -> list[int]:
    """Distinct prime factors in increasing order: trial division, then Pollard's rho.

    Examples
    --------
    >>> prime_factors(2**64 - 2**32)
    [2, 3, 5, 17, 257, 65537]
    >>> prime_factors(1)
    []
    """
    if value < 1:
        raise ValueError(f"value = {value} must be at least 1")
    found = set()
    for p in range(2, min(1000, isqrt(value) + 1)):
        while value % p == 0:
            found.add(p)
            value //= p
    pending = [value] if value > 1 else []
    while pending:
        v = pending.pop()
        if is_prime(v):
            found.add(v)
        else:
            d = _pollard_rho(v)
            pending += [d, v // d]
    return sorted(found)


def _pollard_rho(composite: int) -> int:
    root = isqrt(composite)
    if root * root == composite:
        return root
    for constant in range(1, 100):
        slow = fast = 2
        divisor = 1
        while divisor == 1:
            slow = (slow * slow + constant) % composite
            fast = (fast * fast + constant) % composite
            fast = (fast * fast + constant) % composite
            divisor = gcd(slow - fast, composite)
        if divisor != composite:
            return divisor
    raise ArithmeticError(f"no factor of {composite} found")


def two_adic_valuation(value: int) -> int:
    """Exponent of 2 in ``value`` >= 1.

    Examples
    --------
    >>> two_adic_valuation(2**64 - 2**32)
    32
    """
    if value < 1:
        raise ValueError(f"value = {value} must be at least 1")
    return (value & -value).bit_length() - 1


def smallest_primitive_root(q: int) -> int:
    """Smallest generator of the multiplicative group modulo the prime ``q``.

    Examples
    --------
    >>> smallest_primitive_root(2**64 - 2**32 + 1), smallest_primitive_root(2)
    (7, 1)
    >>> smallest_primitive_root(41)
    6
    """
    if not is_prime(q):
        raise ValueError(f"q = {q} is not prime")
    cofactors = [(q - 1) // p for p in prime_factors(q - 1)]
    return next(g for g in range(1, q) if all(pow(g, c, q) != 1 for c in cofactors))


def ntt_primes(
    n: int, bits: int, count: int, exclude: tuple[int, ...] | list[int] = ()
) -> list[int]:
    """The ``count`` largest primes q = 1 (mod 2n) of exactly ``bits`` bits, largest first.

    Parameters
    ----------
    n : int
        Power of two, 1 ... 2^28.
    bits : int
        2 ... 62.
    count : int
    exclude : sequence of int
        Primes to leave out.

    Raises
    ------
    ValueError
        If there are fewer, saying how many there are.

    Examples
    --------
    >>> ntt_primes(4096, 30, 2)
    [1073692673, 1073668097]
    >>> ntt_primes(8, 6, 1)
    Traceback (most recent call last):
    ...
    ValueError: 0 primes of 6 bits with q = 1 (mod 16), 1 wanted
    """
    if n < 1 or n & (n - 1) or n > 2**28:
        raise ValueError(f"n = {n} must be a power of two in 1 ... 2^28")
    if not 2 <= bits <= 62:
        raise ValueError(f"bits = {bits} must be in 2 ... 62")
    found: list[int] = []
    q = ((1 << bits) - 2) // (2 * n) * (2 * n) + 1
    while len(found) < count and q >= 1 << (bits - 1):
        if q not in exclude and is_prime(q):
            found.append(q)
        q -= 2 * n
    if len(found) < count:
        raise ValueError(
            f"{len(found)} primes of {bits} bits with q = 1 (mod {2 * n}), {count} wanted"
        )
    return found


@dataclass(frozen=True)
class GeneralisedMersennePrime:
    """The prime 2^i + sign_j 2^j + sign_0."""

    value: int
    i: int
    j: int
    sign_j: int
    sign_0: int

    def text(self) -> str:
        """Examples
        --------
        >>> GeneralisedMersennePrime(1073479681, 30, 18, -1, 1).text()
        '2^30 - 2^18 + 1'
        """
        signs = {1: "+", -1: "-"}
        return f"2^{self.i} {signs[self.sign_j]} 2^{self.j} {signs[self.sign_0]} 1"


def generalised_mersenne_primes(bits: int) -> list[GeneralisedMersennePrime]:
    """All primes 2^i +- 2^j +- 1, 1 <= j < i, of exactly ``bits`` bits, largest first.

    Source: [Yan22] section 5.2.2. A value with several such forms is listed once, in the form with
    the largest i up to ``bits``, then the smallest j.

    Examples
    --------
    >>> [p.text() for p in generalised_mersenne_primes(5)]
    ['2^5 - 2^1 + 1', '2^5 - 2^1 - 1', '2^5 - 2^3 - 1', '2^4 + 2^1 + 1', '2^5 - 2^4 + 1']
    """
    if not 2 <= bits <= 62:
        raise ValueError(f"bits = {bits} must be in 2 ... 62")
    forms: dict[int, GeneralisedMersennePrime] = {}
    for i in range(bits, 1, -1):
        for j in range(1, i):
            for sign_j in (1, -1):
                for sign_0 in (1, -1):
                    value = 2**i + sign_j * 2**j + sign_0
                    if value.bit_length() == bits and value not in forms and is_prime(value):
                        forms[value] = GeneralisedMersennePrime(value, i, j, sign_j, sign_0)
    return sorted(forms.values(), key=lambda p: -p.value)


@dataclass(frozen=True)
class TransformSupport:
    """Largest power of two n of each kind of transform modulo q; 0 means none."""

    q: int
    prime: bool
    max_n_negacyclic: int
    max_n_cyclic: int
    max_n_dgt: int


def transform_support(q: int) -> TransformSupport:
    """Which transforms ``q`` carries, and up to which n.

    Negacyclic needs 2n | q - 1, cyclic n | q - 1. The DGT needs an element h of Z_q[i] with
    h^(n/2) = i, of order 2n: for q = 3 (mod 4) this is a field of q^2 elements and 2n | q^2 - 1 is
    enough; for q = 1 (mod 4) it is a product of two copies of Z_q and 2n | q - 1 is necessary
    ([Bad18b] Alg. 1).

    Examples
    --------
    >>> transform_support(2**30 - 2**9 - 1)
    TransformSupport(q=1073741311, prime=True, max_n_negacyclic=1, max_n_cyclic=2, max_n_dgt=512)
    >>> transform_support(2**52 - 2**12 + 1).max_n_negacyclic
    2048
    """
    if not is_prime(q):
        return TransformSupport(q, False, 0, 0, 0)
    cyclic = 1 << two_adic_valuation(q - 1)
    dgt = 1 << two_adic_valuation(q * q - 1) if q % 4 == 3 else cyclic
    return TransformSupport(q, True, cyclic // 2, cyclic, dgt // 2)


def yan22_table_3() -> list[TransformSupport]:
    """What the eight moduli of [Yan22] Table 3 carry.

    The five forms with "- 1" have q - 1 = 2 (mod 4), so no power-of-two NTT beyond n = 2 exists
    for them.

    Examples
    --------
    >>> for s in yan22_table_3():
    ...     print(s.q, s.max_n_negacyclic, s.max_n_cyclic, s.max_n_dgt)
    1073741311 1 2 512
    1073676287 1 2 65536
    1073479679 1 2 262144
    1073479681 131072 262144 131072
    4503599627366401 2048 4096 2048
    4503599626846207 1 2 524288
    4503599626321921 524288 1048576 524288
    4362862139015167 1 2 140737488355328
    """
    return [transform_support(2**i + sj * 2**j + s0) for i, sj, j, s0 in YAN22_TABLE_3]
