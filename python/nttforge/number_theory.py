# SPDX-License-Identifier: Apache-2.0
"""Primes, roots of unity, and which transform a modulus supports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from . import _core
from ._arguments import integer, integers, transform_size

__all__ = [
    "GeneralisedMersennePrime",
    "TransformSupport",
    "generalised_mersenne_primes",
    "is_prime",
    "ntt_primes",
    "prime_factors",
    "smallest_primitive_root",
    "smallest_root_of_unity",
    "transform_support",
]

_WORD = 2**64 - 1


@dataclass(frozen=True)
class GeneralisedMersennePrime:
    """A prime ``2**i + sign_j * 2**j + sign_0`` [Yan22, section 5.2.2]."""

    value: int
    i: int
    j: int
    sign_j: int
    sign_0: int

    def __str__(self) -> str:
        signs = {1: "+", -1: "-"}
        return f"2^{self.i} {signs[self.sign_j]} 2^{self.j} {signs[self.sign_0]} 1"


@dataclass(frozen=True)
class TransformSupport:
    """Which transforms a modulus carries; each ``max_n`` is a power of two, 0 for none."""

    q: int
    prime: bool
    max_n_negacyclic: int
    max_n_cyclic: int
    max_n_dgt: int
    explanation: str


def is_prime(value: int) -> bool:
    """Whether ``value`` is prime; deterministic for every 64-bit integer.

    Parameters
    ----------
    value : int
        In [0, 2^64).

    Raises
    ------
    ParameterError
        The value is out of range.

    Examples
    --------
    >>> is_prime(2**61 - 1), is_prime(2**61 + 1)
    (True, False)
    """
    return bool(_core.is_prime(integer("value", value, 0, _WORD)))


def prime_factors(value: int) -> list[int]:
    """Distinct prime factors in increasing order.

    Parameters
    ----------
    value : int
        In [1, 2^64).

    Examples
    --------
    >>> prime_factors(2**32 - 1)
    [3, 5, 17, 257, 65537]
    """
    return list(_core.prime_factors(integer("value", value, 1, _WORD)))


def ntt_primes(n: int, bits: int, count: int = 1, exclude: Iterable[int] = ()) -> list[int]:
    """The ``count`` largest primes of exactly ``bits`` bits with q = 1 (mod 2n), largest first.

    Such a prime carries negacyclic and cyclic transforms of size n.

    Parameters
    ----------
    n : int
        A power of two, 1 ... 2^28.
    bits : int
        Size of the primes, 2 ... 62.
    count : int
        How many, at most 2^16.
    exclude : iterable of int
        Primes to leave out.

    Raises
    ------
    ParameterError
        There are fewer; the message says how many there are, and which n and bits have enough.

    Examples
    --------
    >>> ntt_primes(4096, 30, 2)
    [1073692673, 1073668097]
    """
    n = transform_size(n)
    bits = integer("bits", bits, 2, _core.MAX_MODULUS_BITS)
    count = integer("count", count, 0, 2**16)
    return list(_core.ntt_primes(n, bits, count, integers("exclude", exclude, 0, _WORD)))


def generalised_mersenne_primes(bits: int) -> list[GeneralisedMersennePrime]:
    """All primes 2^i ± 2^j ± 1 of exactly ``bits`` bits, largest first [Yan22, section 5.2.2].

    Parameters
    ----------
    bits : int
        2 ... 62.

    Examples
    --------
    >>> [str(p) for p in generalised_mersenne_primes(5)][:2]
    ['2^5 - 2^1 + 1', '2^5 - 2^1 - 1']
    """
    bits = integer("bits", bits, 2, _core.MAX_MODULUS_BITS)
    return [
        GeneralisedMersennePrime(p.value, p.i, p.j, p.sign_j, p.sign_0)
        for p in _core.generalised_mersenne_primes(bits)
    ]


def smallest_primitive_root(q: int) -> int:
    """Smallest generator of the multiplicative group modulo the prime q.

    >>> smallest_primitive_root(17)
    3
    """
    return int(_core.smallest_primitive_root(integer("q", q, 2, _WORD)))


def smallest_root_of_unity(order: int, q: int) -> int:
    """Smallest x of multiplicative order exactly ``order`` modulo the prime q.

    Parameters
    ----------
    order : int
        Power of two.
    q : int
        Prime below 2^62 with q = 1 (mod order), or 2^64 - 2^32 + 1.

    Raises
    ------
    ParameterError
        q is not prime or has no such root.

    Examples
    --------
    >>> smallest_root_of_unity(16, 17)
    3
    """
    return int(
        _core.smallest_root_of_unity(integer("order", order, 1, _WORD), integer("q", q, 2, _WORD))
    )


def transform_support(q: int) -> TransformSupport:
    """Which power-of-two transforms a modulus carries, and up to which n.

    Parameters
    ----------
    q : int
        In [2, 2^64).

    Examples
    --------
    >>> transform_support(2**52 - 2**12 + 1).max_n_negacyclic
    2048
    """
    s = _core.transform_support(integer("q", q, 2, _WORD))
    return TransformSupport(
        s.q, s.prime, s.max_n_negacyclic, s.max_n_cyclic, s.max_n_dgt, s.explain()
    )
