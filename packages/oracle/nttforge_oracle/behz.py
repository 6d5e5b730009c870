# SPDX-License-Identifier: Apache-2.0
"""BEHZ multiplication steps on single coefficients: [BEHZ16]; [Bad18b] section 5.3 and Alg. 3.

Each step stands here twice: ``*_definition`` says with big integers which value must come out, the
method of ``Behz`` computes it with residues. Bounds: docs/bounds/behz.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import gcd, prod

from .number_theory import ntt_primes
from .rns import (
    centred,
    decompose,
    fast_conversion_sum,
    fast_convert,
    require_base,
)

M_TILDE_BITS = 32
M_TILDE = 1 << M_TILDE_BITS
BSK_PRIME_BITS = 50


def twice_floor_bound(q: Sequence[int], t: int, n: int, terms: int) -> tuple[int, int]:
    """2 F as a fraction (numerator, 2^62): F = terms t n Q (1 + 2k / m_tilde)^2 / 2 + k.

    F bounds the magnitude of the floored sum of ``terms`` tensor products.

    Examples
    --------
    >>> numerator, denominator = twice_floor_bound([97], 2, 1, 1)
    >>> 2 * 97 + 2 < numerator / denominator < 2 * 97 + 2.001
    True
    """
    k = len(q)
    half = M_TILDE // 2  # 1 + 2k / m_tilde = (half + k) / half
    return terms * t * n * prod(q) * (half + k) ** 2 + 2 * k * half**2, half**2


def base_is_large_enough(bsk: Sequence[int], q: Sequence[int], t: int, n: int, terms: int) -> bool:
    """M (m_sk / 2 - |B| - 1) >= F, compared exactly, for B_sk = B + {m_sk}, m_sk last.

    Examples
    --------
    >>> base_is_large_enough([1009, 1013], [97, 101], 2, 4, 1)
    True
    >>> base_is_large_enough([1009, 13], [97, 101], 2, 4, 1)
    False
    """
    *b, m_sk = bsk
    numerator, denominator = twice_floor_bound(q, t, n, terms)
    return prod(b) * (m_sk - 2 * len(b) - 2) * denominator >= numerator


def auxiliary_base(
    q: Sequence[int],
    t: int,
    n: int,
    avoid: Sequence[int] = (),
    terms: int = 16,
    prime_bits: int = BSK_PRIME_BITS,
) -> list[int]:
    """B_sk = ``ntt_primes(n, prime_bits, l, exclude=q + avoid)``, l >= 2, as the bound allows.

    The primes stand in the order of that list, from the top downwards; the last one is m_sk. l is
    as small as possible. No product depends on the base (docs/bounds/behz.md).

    Examples
    --------
    >>> len(auxiliary_base(ntt_primes(1024, 50, 2)[1:], 65537, 1024))
    2
    """
    count = 2
    while True:
        bsk = ntt_primes(n, prime_bits, count, [*q, *avoid])
        if base_is_large_enough(bsk, q, t, n, terms):
            return bsk
        count += 1


def extend_definition(x: int, q: Sequence[int]) -> int:
    """The x' = x (mod Q) that S0 and S1 give: -Q/2 <= x' < Q/2 + k Q / m_tilde.

    With y = [m_tilde x]_Q + u Q the fast conversion sum, x' = (y + Q r) / m_tilde, r = [-y
    Q^-1]_{m_tilde} centred in [-m_tilde/2, m_tilde/2).

    Examples
    --------
    >>> [extend_definition(x, [7, 11]) for x in (0, 1, 38, 39, 76)]
    [0, 1, 38, -38, -1]
    """
    big_q = prod(q)
    y = fast_conversion_sum(decompose(M_TILDE * x, q), q)
    r = centred(-y * pow(big_q, -1, M_TILDE), M_TILDE)
    quotient, remainder = divmod(y + big_q * r, M_TILDE)
    assert remainder == 0
    return quotient


def floor_error(x: int, t: int, q: Sequence[int]) -> int:
    """u of S3: the fast conversion of t x modulo Q is [t x]_Q + u Q, 0 <= u <= k - 1.

    Examples
    --------
    >>> [floor_error(x, 2, [7, 11]) for x in (0, 3, 30, 34)]
    [0, 1, 0, 0]
    """
    return fast_conversion_sum(decompose(t * x, q), q) // prod(q)


def floor_definition(x: int, t: int, q: Sequence[int]) -> int:
    """floor(t x / Q) - u, the value of S3, x any integer.

    Examples
    --------
    >>> floor_definition(1000, 2, [7, 11]), 2000 // 77
    (25, 25)
    """
    return t * x // prod(q) - floor_error(x, t, q)


@dataclass(frozen=True)
class Behz:
    """Base Q, plaintext modulus t, dimension n, and the largest number of products summed up.

    Parameters
    ----------
    q : tuple of int
        Odd pairwise coprime moduli.
    t : int
        2 <= t.
    n : int
        Power of two.
    avoid : tuple of int
        Primes that B_sk must not contain.
    terms : int
        Products whose sum is floored once.
    prime_bits : int
        Of the primes of B_sk.

    Examples
    --------
    >>> behz = Behz(tuple(ntt_primes(64, 30, 2)), 257, 64)
    >>> len(behz.bsk), behz.to_q(decompose(-5, behz.bsk)) == decompose(-5, behz.q)
    (2, True)
    """

    q: tuple[int, ...]
    t: int
    n: int
    avoid: tuple[int, ...] = ()
    terms: int = 16
    prime_bits: int = BSK_PRIME_BITS
    bsk: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        require_base(self.q)
        if gcd(prod(self.q), M_TILDE) != 1:
            raise ValueError(f"q = {self.q} must be odd")
        if self.t < 2:
            raise ValueError(f"t = {self.t} must be at least 2")
        bsk = auxiliary_base(self.q, self.t, self.n, self.avoid, self.terms, self.prime_bits)
        object.__setattr__(self, "bsk", tuple(bsk))

    def extend(self, x_q: Sequence[int]) -> list[int]:
        """S0 and S1: residues modulo Q -> residues modulo B_sk of ``extend_definition``."""
        big_q = prod(self.q)
        scaled = [M_TILDE * r % q for r, q in zip(x_q, self.q, strict=True)]
        *y, y_tilde = fast_convert(scaled, self.q, [*self.bsk, M_TILDE])
        r = centred(y_tilde * pow(-big_q, -1, M_TILDE), M_TILDE)
        return [
            (y_j + big_q * r) * pow(M_TILDE, -1, m) % m for y_j, m in zip(y, self.bsk, strict=True)
        ]

    def floor(self, x_q: Sequence[int], x_bsk: Sequence[int]) -> list[int]:
        """S3: x modulo Q and B_sk -> ``floor_definition`` modulo B_sk."""
        big_q = prod(self.q)
        scaled = [self.t * r % q for r, q in zip(x_q, self.q, strict=True)]
        converted = fast_convert(scaled, self.q, self.bsk)
        return [
            (self.t * x - c) * pow(big_q, -1, m) % m
            for x, c, m in zip(x_bsk, converted, self.bsk, strict=True)
        ]

    def to_q(self, x_bsk: Sequence[int]) -> list[int]:
        """S4, Shenoy and Kumaresan: residues modulo B_sk -> residues modulo Q, exact for |x| <= F.

        The conversion from B gives x + alpha M, and the residue modulo m_sk tells alpha.
        """
        *b, m_sk = self.bsk
        big_m = prod(b)
        *converted, converted_sk = fast_convert(x_bsk[:-1], b, [*self.q, m_sk])
        alpha = centred((converted_sk - x_bsk[-1]) * pow(big_m, -1, m_sk), m_sk)
        return [(c - alpha * big_m) % q for c, q in zip(converted, self.q, strict=True)]
