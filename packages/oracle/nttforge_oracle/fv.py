# SPDX-License-Identifier: Apache-2.0
"""The textbook FV scheme, [FV12] and [Bad18b] section 5.2, in big integers.

Deviations: a plaintext enters as round(Q m / t) instead of floor(Q / t) m, which spares noise of
up to t; besides the relinearization in base w there is key switching by RNS digits with special
primes. Everything random is an argument. Polynomials are lists of n integers; modulo Q they are in
[0, Q).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, log2, prod

from nttforge.spec.fast import negacyclic_product

from .hybrid import digits_of, divide_by_special, switch_gadget
from .rns import centred, round_divide

Poly = list[int]
Ciphertext = list[Poly]  # two parts, three after a product


def add_polynomials(*polynomials: Sequence[int]) -> Poly:
    """Sum, coefficient by coefficient.

    Examples
    --------
    >>> add_polynomials([1, 2], [3, 4], [5, 6])
    [9, 12]
    """
    return [sum(c) for c in zip(*polynomials, strict=True)]


def reduce_polynomial(a: Sequence[int], q: int) -> Poly:
    """Coefficients in [0, q).

    Examples
    --------
    >>> reduce_polynomial([-1, 5], 5)
    [4, 0]
    """
    return [c % q for c in a]


def largest_coefficient(a: Sequence[int], q: int) -> int:
    """Largest magnitude of the centred coefficients.

    Examples
    --------
    >>> largest_coefficient([1, 96, 90], 97)
    7
    """
    return max(abs(centred(c, q)) for c in a)


@dataclass(frozen=True)
class Scheme:
    """Dimension n, coprime moduli with product Q, plaintext modulus t, relinearization base w.

    Examples
    --------
    >>> scheme = Scheme(4, (12289, 40961), 17)
    >>> secret, a, e, zero = [1, 0, -1, 1], [7, 8, 9, 10], [1, -1, 0, 2], [0, 0, 0, 0]
    >>> public = scheme.public_key(secret, a, e)
    >>> x = scheme.encrypt(public, [1, 2, 3, 4], [0, 1, 1, 0], [1, 0, 0, 0], zero)
    >>> scheme.decrypt(secret, x)
    [1, 2, 3, 4]
    >>> scheme.decrypt(secret, scheme.multiply(x, x))  # (1 + 2X + 3X^2 + 4X^3)^2
    [10, 14, 11, 3]
    >>> lower, y = scheme.switch_modulus(x)
    >>> lower.q, lower.decrypt(secret, y)
    (12289, [1, 2, 3, 4])
    """

    n: int
    moduli: tuple[int, ...]
    t: int
    w: int = 1 << 16

    @property
    def q(self) -> int:
        """Q."""
        return prod(self.moduli)

    def public_key(self, secret: Poly, a: Poly, error: Poly) -> Ciphertext:
        """(-(a s + e), a) modulo Q."""
        b = [-c for c in add_polynomials(negacyclic_product(a, secret), error)]
        return [reduce_polynomial(b, self.q), reduce_polynomial(a, self.q)]

    def scale_plain(self, m: Poly) -> Poly:
        """round(Q m / t), m in [0, t)."""
        return [(self.q * c + self.t // 2) // self.t for c in m]

    def encrypt(self, public: Ciphertext, m: Poly, u: Poly, e0: Poly, e1: Poly) -> Ciphertext:
        """(p0 u + e0 + round(Q m / t), p1 u + e1) modulo Q, m in [0, t)."""
        c0 = add_polynomials(negacyclic_product(public[0], u), e0, self.scale_plain(m))
        c1 = add_polynomials(negacyclic_product(public[1], u), e1)
        return [reduce_polynomial(c0, self.q), reduce_polynomial(c1, self.q)]

    def encrypt_symmetric(self, secret: Poly, m: Poly, a: Poly, error: Poly) -> Ciphertext:
        """(-(a s + e) + round(Q m / t), a) modulo Q."""
        b, a = self.public_key(secret, a, error)
        return [reduce_polynomial(add_polynomials(b, self.scale_plain(m)), self.q), a]

    def phase(self, secret: Poly, ciphertext: Ciphertext) -> Poly:
        """c0 + c1 s + c2 s^2 ... modulo Q."""
        total, power = [0] * self.n, [1] + [0] * (self.n - 1)
        for part in ciphertext:
            total = add_polynomials(total, negacyclic_product(part, power))
            power = negacyclic_product(power, secret)
        return reduce_polynomial(total, self.q)

    def decrypt(self, secret: Poly, ciphertext: Ciphertext) -> Poly:
        """round(t phase / Q) modulo t."""
        return [round_divide(self.t * c, self.q) % self.t for c in self.phase(secret, ciphertext)]

    def noise(self, secret: Poly, ciphertext: Ciphertext) -> int:
        """Largest coefficient of [t phase]_Q: Q times the invariant noise; must stay below Q/2."""
        return largest_coefficient([self.t * c for c in self.phase(secret, ciphertext)], self.q)

    def noise_budget_bits(self, secret: Poly, ciphertext: Ciphertext) -> float:
        """log2(Q / (2 noise))."""
        noise = self.noise(secret, ciphertext)
        return log2(self.q) - log2(2 * noise) if noise else inf

    def add(self, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """Part by part."""
        return [reduce_polynomial(add_polynomials(a, b), self.q) for a, b in zip(x, y, strict=True)]

    def multiply_plain(self, x: Ciphertext, m: Poly) -> Ciphertext:
        """Every part times m, m in [0, t) read as centred."""
        lifted = [centred(c, self.t) for c in m]
        return [negacyclic_product(part, lifted, self.q) for part in x]

    def multiply(self, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """Three parts: round(t/Q tensor product of the centred parts), in exact integers."""
        (x0, x1), (y0, y1) = ([[centred(c, self.q) for c in part] for part in z] for z in (x, y))
        tensor = [
            negacyclic_product(x0, y0),
            add_polynomials(negacyclic_product(x0, y1), negacyclic_product(x1, y0)),
            negacyclic_product(x1, y1),
        ]
        return [[round_divide(self.t * c, self.q) % self.q for c in part] for part in tensor]

    def switch_modulus(self, x: Ciphertext) -> tuple[Scheme, Ciphertext]:
        """One level down, and its scheme: divided by the last modulus and rounded."""
        lower = replace(self, moduli=self.moduli[:-1])
        last = self.moduli[-1]
        return lower, [[round_divide(c, last) % lower.q for c in part] for part in x]

    def digits(self) -> int:
        """l + 1, l = floor(log_w Q): digits in base w of a number below Q."""
        count = 1
        while self.w**count < self.q:
            count += 1
        return count

    def evaluation_key(self, secret: Poly, a: list[Poly], errors: list[Poly]) -> list[Ciphertext]:
        """(w^i s^2 - (a_i s + e_i), a_i) for every digit i."""
        square = negacyclic_product(secret, secret)
        pairs = [self.public_key(secret, a_i, e_i) for a_i, e_i in zip(a, errors, strict=True)]
        return [
            [
                reduce_polynomial(
                    [b + self.w**i * s for b, s in zip(pair[0], square, strict=True)], self.q
                ),
                pair[1],
            ]
            for i, pair in enumerate(pairs)
        ]

    def relinearize(self, x: Ciphertext, key: list[Ciphertext]) -> Ciphertext:
        """Three parts to two: c2 in base w against the evaluation key."""
        c0, c1, c2 = x
        out = [list(c0), list(c1)]
        for i, pair in enumerate(key):
            digit = [c // self.w**i % self.w for c in c2]
            for part in (0, 1):
                out[part] = add_polynomials(out[part], negacyclic_product(digit, pair[part]))
        return [reduce_polynomial(part, self.q) for part in out]

    # Key switching by RNS digits with special primes, P their product (hybrid.py).

    def switch_key(
        self, secret: Poly, other: Poly, p: int, a: list[Poly], errors: list[Poly], primes: int = 1
    ) -> list[Ciphertext]:
        """(P g_i s' - (a_i s + e_i), a_i) modulo Q P for every digit i, s' the ``other`` secret."""
        modulus = self.q * p
        key = []
        for g, a_i, e_i in zip(switch_gadget(self.moduli, p, primes), a, errors, strict=True):
            masked = add_polynomials(negacyclic_product(a_i, secret), e_i)
            body = [g * s - c for s, c in zip(other, masked, strict=True)]
            key.append([reduce_polynomial(body, modulus), reduce_polynomial(a_i, modulus)])
        return key

    def switch(
        self, c: Poly, special: Sequence[int], key: list[Ciphertext], primes: int = 1
    ) -> Ciphertext:
        """sum_i digit_i key_i divided by P: d0 + d1 s is near c s' modulo Q."""
        modulus, out = self.q * prod(special), [[0] * self.n, [0] * self.n]
        for digit, pair in zip(digits_of(c, self.moduli, primes), key, strict=True):
            for part in (0, 1):
                out[part] = add_polynomials(out[part], negacyclic_product(digit, pair[part]))
        return [[divide_by_special(x % modulus, special) % self.q for x in part] for part in out]
