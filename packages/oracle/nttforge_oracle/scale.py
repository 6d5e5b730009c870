# SPDX-License-Identifier: Apache-2.0
"""Between residues modulo Q and values modulo t: [Bad18b] Alg. 2, and the way back.

Bounds: docs/bounds/decrypt.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, isqrt, prod

from nttforge.spec.number_theory import is_prime

from .rns import centred, decompose, fast_convert, require_base, round_divide


def redundant_modulus(q: Sequence[int], t: int) -> int:
    """gamma: the largest prime below 2^50 (below 2^61 if t >= 2^49) that divides neither Q nor t.

    Examples
    --------
    >>> redundant_modulus([97], 2) == 2**50 - 27, redundant_modulus([97], 2**49) == 2**61 - 1
    (True, True)
    """
    gamma = (1 << (61 if t >= 1 << 49 else 50)) - 1
    while not is_prime(gamma) or gcd(gamma, prod(q) * t) != 1:
        gamma -= 2
    return gamma


def decrypt_definition(x: int, t: int, q: Sequence[int]) -> int:
    """round(t x / Q) mod t.

    Examples
    --------
    >>> [decrypt_definition(x, 3, [97]) for x in (0, 16, 17, 33, 80, 81)]
    [0, 0, 1, 1, 2, 0]
    """
    return round_divide(t * x, prod(q)) % t


def exhausted_definition(x: int, t: int, q: Sequence[int]) -> bool:
    """Less than half a bit of budget is left: |v| >= Q / 2^1.5, v = t x - Q round(t x / Q).

    Examples
    --------
    >>> [exhausted_definition(x, 3, [97]) for x in (0, 11, 12, 20, 21, 32)]
    [False, False, True, True, False, False]
    """
    return 8 * centred(t * x, prod(q)) ** 2 >= prod(q) ** 2


def encrypt_definition(m: int, t: int, q: Sequence[int]) -> list[int]:
    """floor((Q m + floor(t/2)) / t) modulo each q_i: Q m / t to the nearest integer.

    Examples
    --------
    >>> [encrypt_definition(m, 3, [97]) for m in range(3)]
    [[0], [32], [65]]
    """
    return decompose((prod(q) * m + t // 2) // t, q)


@dataclass(frozen=True)
class DecryptScale:
    """Base Q, plaintext modulus t and the redundant modulus gamma.

    Parameters
    ----------
    q : tuple of int
        Pairwise coprime moduli.
    t : int
        2 <= t < 2^60, coprime to Q, t < Q.

    Examples
    --------
    >>> scale = DecryptScale((97, 101), 3)
    >>> [scale.decrypt(scale.encrypt(m)) for m in range(3)]
    [0, 1, 2]
    """

    q: tuple[int, ...]
    t: int
    gamma: int = field(init=False)

    def __post_init__(self) -> None:
        require_base(self.q)
        if not 2 <= self.t < min(2**60, prod(self.q)):
            raise ValueError(f"t = {self.t} must be in [2, 2^60) and below Q = {prod(self.q)}")
        if gcd(self.t, prod(self.q)) != 1:
            raise ValueError(f"t = {self.t} and Q share the factor {gcd(self.t, prod(self.q))}")
        object.__setattr__(self, "gamma", redundant_modulus(self.q, self.t))

    def decrypt(self, x: Sequence[int]) -> int:
        """[Bad18b] Alg. 2; equals ``decrypt_definition`` for every x inside ``exact_interval``."""
        s_t, s_gamma = self._minus_s_over_q(x)
        return (s_t - centred(s_gamma, self.gamma)) * pow(self.gamma, -1, self.t) % self.t

    def exhausted(self, x: Sequence[int]) -> bool:
        """|d| >= floor(gamma / 2^1.5), d = floor(gamma v / Q) - u with 0 <= u < k.

        Equals ``exhausted_definition`` but where |v| is closer than Q k / gamma to the limit.
        """
        return abs(centred(self._minus_s_over_q(x)[1], self.gamma)) >= isqrt(self.gamma**2 // 8)

    def _minus_s_over_q(self, x: Sequence[int]) -> tuple[int, int]:
        """-[gamma t x]_Q / Q modulo t and modulo gamma, by the fast conversion."""
        scaled = [self.gamma * self.t * r % q for r, q in zip(x, self.q, strict=True)]
        moduli = (self.t, self.gamma)
        s = fast_convert(scaled, self.q, moduli)
        s_t, s_gamma = (v * pow(-prod(self.q), -1, m) % m for v, m in zip(s, moduli, strict=True))
        return s_t, s_gamma

    def exact_interval(self) -> tuple[Fraction, Fraction]:
        """(low, high): decryption is exact if v = t x - Q round(t x / Q) is in [low, high).

        low = -Q (1/2 - (2k - 1) / (2 gamma)), high = Q / 2.
        """
        half_q = Fraction(prod(self.q), 2)
        return -half_q * (1 - Fraction(2 * len(self.q) - 1, self.gamma)), half_q

    def encrypt(self, m: int) -> list[int]:
        """floor(Q/t) m + floor(((Q mod t) m + floor(t/2)) / t), equal to ``encrypt_definition``."""
        delta, rest = divmod(prod(self.q), self.t)
        correction = (rest * m + self.t // 2) // self.t
        return [((delta % q) * m + correction) % q for q in self.q]


def store_rounded(x: Sequence[int], q: Sequence[int], bits: int) -> int:
    """Residues of x modulo Q -> h near 2^bits x / Q, modulo 2^bits: a coefficient in few bits.

    The nearest integer, but for what is within 2^-45 of a tie.

    Examples
    --------
    >>> [store_rounded([x], [97], 3) for x in (0, 6, 7, 12, 18, 19, 90, 91, 96)]
    [0, 0, 1, 1, 1, 2, 7, 0, 0]
    """
    return DecryptScale(tuple(q), 1 << bits).decrypt(x)


def restore_rounded(h: int, q: Sequence[int], bits: int) -> list[int]:
    """round(Q h / 2^bits) modulo each q_i, within Q / 2^(bits + 1) and 1 of what was stored.

    Examples
    --------
    >>> [restore_rounded(h, [97], 3) for h in range(8)]
    [[0], [12], [24], [36], [49], [61], [73], [85]]
    """
    return encrypt_definition(h, 1 << bits, q)
