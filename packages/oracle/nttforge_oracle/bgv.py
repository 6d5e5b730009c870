# SPDX-License-Identifier: Apache-2.0
"""The textbook BGV scheme with levels, [BGV12], in big integers.

The message sits at the bottom: c(s) = kappa m + t e modulo Q_l, Q_l the product of the first l
primes of the chain (the level), kappa the correction factor, a unit modulo t that dividing by
primes leaves behind. Everything that is divided is first moved to a multiple of the divisor by a
multiple of t, so that the message stays (``divide``). Everything random is an argument.
Polynomials are lists of n integers; modulo Q_l they are in [0, Q_l).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import gcd, inf, log2, prod

from nttforge.spec.fast import negacyclic_product

from .fv import Poly, add_polynomials, largest_coefficient, reduce_polynomial
from .hybrid import digits_of, divide_by_special, switch_gadget
from .rns import centred

SwitchKey = list[list[Poly]]  # pairs, one for each digit of the whole chain


@dataclass(frozen=True)
class Ciphertext:
    """Parts modulo Q_level (two, or three after a product) and the correction factor."""

    parts: list[Poly]
    level: int
    factor: int = 1


def divide(x: int, d: int, t: int) -> int:
    """(x - delta) / d, delta = x (mod d), delta = 0 (mod t) and -t d / 2 <= delta < t d / 2.

    d times the result is x modulo t, and the result is within t / 2 of x / d.

    Examples
    --------
    >>> [divide(x, 5, 3) for x in range(8)]
    [0, -1, 1, 0, 2, 1, 0, 2]
    """
    delta = t * centred(x * pow(t, -1, d), d)
    return (x - delta) // d


def balance(a: int, b: int, t: int) -> tuple[int, int]:
    """Small (f, g) with f a = g b (mod t), units modulo t, for units a and b.

    Of the pairs (r, v) with r = v b / a (mod t) that Euclid's algorithm meets, starting from (b / a
    mod t, 1), the first with the least abs(r) + abs(v) among those that are units.

    Examples
    --------
    >>> balance(1, 1, 97), balance(3, 40, 97), balance(2, 1, 65537)
    ((1, 1), (2, 5), (1, 2))
    """
    ratio = b * pow(a, -1, t) % t
    best = (ratio, 1)
    before, now = (t, 0), (ratio, 1)
    while now[0]:
        f, g = now
        if gcd(f, t) == gcd(g, t) == 1 and abs(f) + abs(g) < abs(best[0]) + abs(best[1]):
            best = now
        quotient = before[0] // now[0]
        before, now = now, (before[0] - quotient * now[0], before[1] - quotient * now[1])
    return best


@dataclass(frozen=True)
class Scheme:
    """Dimension n, the chain of primes q_0, q_1, ..., plaintext modulus t coprime to all of them.

    Examples
    --------
    >>> scheme = Scheme(4, (12289, 40961), 17)
    >>> secret, a, e, zero = [1, 0, -1, 1], [7, 8, 9, 10], [1, -1, 0, 2], [0, 0, 0, 0]
    >>> public = scheme.public_key(secret, a, e)
    >>> x = scheme.encrypt(public, [1, 2, 3, 4], [0, 1, 1, 0], [1, 0, 0, 0], zero)
    >>> scheme.decrypt(secret, x)
    [1, 2, 3, 4]
    >>> product = scheme.switch_modulus(scheme.multiply(x, x))  # (1 + 2X + 3X^2 + 4X^3)^2
    >>> product.level, product.factor, scheme.decrypt(secret, product)
    (1, 15, [10, 14, 11, 3])
    """

    n: int
    moduli: tuple[int, ...]
    t: int

    def modulus(self, level: int) -> int:
        """Q_level."""
        return prod(self.moduli[:level])

    @property
    def top(self) -> int:
        """The level of fresh ciphertexts."""
        return len(self.moduli)

    def public_key(
        self, secret: Poly, a: Poly, error: Poly, modulus: int | None = None
    ) -> list[Poly]:
        """(-(a s + t e), a) modulo Q, or another modulus."""
        q = self.modulus(self.top) if modulus is None else modulus
        masked = add_polynomials(negacyclic_product(a, secret), [self.t * c for c in error])
        return [reduce_polynomial([-c for c in masked], q), reduce_polynomial(a, q)]

    def encrypt(self, public: list[Poly], m: Poly, u: Poly, e0: Poly, e1: Poly) -> Ciphertext:
        """(p0 u + t e0 + m, p1 u + t e1) modulo Q, m in [0, t) read as centred."""
        zero = [
            add_polynomials(negacyclic_product(key, u), [self.t * c for c in e])
            for key, e in zip(public, (e0, e1), strict=True)
        ]
        return self.with_message(zero, m)

    def encrypt_with_special_primes(
        self, public: list[Poly], special: Sequence[int], m: Poly, u: Poly, e0: Poly, e1: Poly
    ) -> Ciphertext:
        """The same with a public key modulo Q P, the mask divided by P before m is added."""
        modulus = self.modulus(self.top) * prod(special)
        zero = []
        for key, e in zip(public, (e0, e1), strict=True):
            masked = add_polynomials(negacyclic_product(key, u), [self.t * c for c in e])
            zero.append([divide_by_special(c % modulus, special, self.t) for c in masked])
        return self.with_message(zero, m)

    def encrypt_symmetric(self, secret: Poly, m: Poly, a: Poly, error: Poly) -> Ciphertext:
        """(-a s + t e + m, a) modulo Q, m in [0, t) read as centred."""
        b, a = self.public_key(secret, a, [-c for c in error])
        return self.with_message([b, a], m)

    def with_message(self, zero: list[Poly], m: Poly) -> Ciphertext:
        """A top-level encryption of zero plus m."""
        q = self.modulus(self.top)
        c0 = add_polynomials(zero[0], self.lift(m))
        return Ciphertext([reduce_polynomial(c0, q), reduce_polynomial(zero[1], q)], self.top)

    def lift(self, m: Poly) -> Poly:
        """Centred representatives."""
        return [centred(c, self.t) for c in m]

    def phase(self, secret: Poly, x: Ciphertext) -> Poly:
        """c0 + c1 s + c2 s^2 ... modulo Q_level, centred: factor m + t e."""
        total, power = [0] * self.n, [1] + [0] * (self.n - 1)
        for part in x.parts:
            total = add_polynomials(total, negacyclic_product(part, power))
            power = negacyclic_product(power, secret)
        return [centred(c, self.modulus(x.level)) for c in total]

    def decrypt(self, secret: Poly, x: Ciphertext) -> Poly:
        """phase / factor modulo t."""
        inverse = pow(x.factor, -1, self.t)
        return [c * inverse % self.t for c in self.phase(secret, x)]

    def noise(self, secret: Poly, x: Ciphertext) -> int:
        """Largest coefficient of the phase; must stay below Q_level / 2."""
        return largest_coefficient(self.phase(secret, x), self.modulus(x.level))

    def noise_budget_bits(self, secret: Poly, x: Ciphertext) -> float:
        """log2(Q_level / (2 noise))."""
        noise = self.noise(secret, x)
        return log2(self.modulus(x.level)) - log2(2 * noise) if noise else inf

    def scale(self, x: Ciphertext, f: int) -> Ciphertext:
        """f x: the same message under the factor f times as large. f is a unit modulo t."""
        q = self.modulus(x.level)
        parts = [[f * c % q for c in part] for part in x.parts]
        return Ciphertext(parts, x.level, x.factor * f % self.t)

    def switch_modulus(self, x: Ciphertext) -> Ciphertext:
        """One level down: divided by the last prime q, the factor too."""
        q, modulus = self.moduli[x.level - 1], self.modulus(x.level - 1)
        parts = [[divide(c, q, self.t) % modulus for c in part] for part in x.parts]
        return Ciphertext(parts, x.level - 1, x.factor * pow(q, -1, self.t) % self.t)

    def to_level(self, x: Ciphertext, level: int) -> Ciphertext:
        """Down to a level."""
        while x.level > level:
            x = self.switch_modulus(x)
        return x

    def add(self, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """The lower of both levels; unequal factors are balanced first."""
        level = min(x.level, y.level)
        x, y = self.to_level(x, level), self.to_level(y, level)
        if x.factor != y.factor:
            f, g = balance(x.factor, y.factor, self.t)
            x, y = self.scale(x, f), self.scale(y, g)
        q = self.modulus(level)
        parts = [
            reduce_polynomial(add_polynomials(a, b), q)
            for a, b in zip(x.parts, y.parts, strict=True)
        ]
        return Ciphertext(parts, level, x.factor)

    def add_plain(self, x: Ciphertext, m: Poly) -> Ciphertext:
        """Adds factor m, centred, to part 0."""
        scaled = self.lift([x.factor * c for c in m])
        c0 = reduce_polynomial(add_polynomials(x.parts[0], scaled), self.modulus(x.level))
        return replace(x, parts=[c0, *x.parts[1:]])

    def multiply_plain(self, x: Ciphertext, m: Poly) -> Ciphertext:
        """Every part times m, m in [0, t) read as centred."""
        q = self.modulus(x.level)
        return replace(x, parts=[negacyclic_product(part, self.lift(m), q) for part in x.parts])

    def multiply(self, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """Three parts at the lower of both levels: the tensor product; the factors multiply."""
        level = min(x.level, y.level)
        x, y = self.to_level(x, level), self.to_level(y, level)
        (x0, x1), (y0, y1) = x.parts, y.parts
        tensor = [
            negacyclic_product(x0, y0),
            add_polynomials(negacyclic_product(x0, y1), negacyclic_product(x1, y0)),
            negacyclic_product(x1, y1),
        ]
        q = self.modulus(level)
        parts = [reduce_polynomial(part, q) for part in tensor]
        return Ciphertext(parts, level, x.factor * y.factor % self.t)

    # Key switching by RNS digits with special primes, P their product (hybrid.py); one key serves
    # every level.

    def switch_key(
        self,
        secret: Poly,
        other: Poly,
        p: int,
        a: Sequence[Poly],
        errors: Sequence[Poly],
        primes: int = 1,
    ) -> SwitchKey:
        """(P g_i s' - (a_i s + t e_i), a_i) modulo Q P for every digit i, s' the ``other`` secret.

        g_i is 1 modulo the primes of the digit and 0 modulo every other prime of the chain.
        """
        modulus = self.modulus(self.top) * p
        key = []
        for g, a_i, e_i in zip(switch_gadget(self.moduli, p, primes), a, errors, strict=True):
            b, a_i = self.public_key(secret, a_i, e_i, modulus)
            body = [g * s + c for s, c in zip(other, b, strict=True)]
            key.append([reduce_polynomial(body, modulus), a_i])
        return key

    def switch(
        self, c: Poly, level: int, special: Sequence[int], key: SwitchKey, primes: int = 1
    ) -> list[Poly]:
        """sum_i digit_i key_i divided by P, over the digits of the level: d0 + d1 s = c s' + t e.

        The last digit may have fewer primes than at the top; the first rows of the keys serve it.
        """
        modulus = self.modulus(level)
        whole = modulus * prod(special)
        out = [[0] * self.n, [0] * self.n]
        for digit, pair in zip(digits_of(c, self.moduli[:level], primes), key, strict=False):
            for part in (0, 1):
                out[part] = add_polynomials(out[part], negacyclic_product(digit, pair[part]))
        return [
            [divide_by_special(x % whole, special, self.t) % modulus for x in part] for part in out
        ]
