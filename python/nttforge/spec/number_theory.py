# SPDX-License-Identifier: Apache-2.0
"""Primes, and the roots of unity of transforms."""

from __future__ import annotations

# Miller-Rabin with these bases is a proof below the bound: J. Sorenson and J. Webster, "Strong
# pseudoprimes to twelve prime bases", Math. Comp. 86 (2017).
_BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
_PROOF_BOUND = 318665857834031151167461

GOLDILOCKS = 2**64 - 2**32 + 1


def is_prime(value: int) -> bool:
    """Whether ``value`` is prime; a proof for every value below 3.18e23.

    Parameters
    ----------
    value : int
        Any integer below 318665857834031151167461.

    Raises
    ------
    ValueError
        If ``value`` is too large for the proof.

    Examples
    --------
    >>> [v for v in range(20) if is_prime(v)]
    [2, 3, 5, 7, 11, 13, 17, 19]
    >>> is_prime(GOLDILOCKS), is_prime(3215031751)
    (True, False)
    """
    if value >= _PROOF_BOUND:
        raise ValueError(f"value = {value} is too large: primality is proved below {_PROOF_BOUND}")
    if value < 2:
        return False
    for p in _BASES:
        if value % p == 0:
            return value == p
    odd, twos = value - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(_is_strong_probable_prime(value, base, odd, twos) for base in _BASES)


def _is_strong_probable_prime(value: int, base: int, odd: int, twos: int) -> bool:
    x = pow(base, odd, value)
    if x in (1, value - 1):
        return True
    for _ in range(twos - 1):
        x = x * x % value
        if x == value - 1:
            return True
    return False


def smallest_root_of_unity(order: int, q: int) -> int:
    """Smallest x in [1, q) of multiplicative order exactly ``order`` modulo the prime ``q``.

    Parameters
    ----------
    order : int
        A power of two dividing q - 1.
    q : int
        A prime.

    Raises
    ------
    ValueError
        If ``order`` is no power of two, ``q`` not prime, or ``order`` does not divide q - 1.

    Examples
    --------
    >>> smallest_root_of_unity(8, 17), smallest_root_of_unity(1, 17), smallest_root_of_unity(2, 17)
    (2, 1, 16)
    """
    if order < 1 or order & (order - 1):
        raise ValueError(f"order = {order} must be a power of two")
    if not is_prime(q):
        raise ValueError(f"q = {q} is not prime")
    if (q - 1) % order:
        raise ValueError(
            f"q = {q} has no root of order {order}: need q = 1 (mod {order}), not {q % order}"
        )
    if order == 1:
        return 1
    root = next(
        x
        for x in (pow(z, (q - 1) // order, q) for z in range(2, q))
        if pow(x, order // 2, q) == q - 1
    )
    # The primitive roots are the odd powers of any one of them.
    square = root * root % q
    smallest, power = root, root
    for _ in range(order // 2 - 1):
        power = power * square % q
        smallest = min(smallest, power)
    return smallest
