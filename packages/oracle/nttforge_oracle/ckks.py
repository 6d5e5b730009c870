# SPDX-License-Identifier: Apache-2.0
"""The textbook CKKS scheme [CKKS17] with one exact scale for each level, in big integers.

The message is the phase: c(s) = scale m + e modulo Q_l, Q_l the product of the first l primes (the
level). Fresh ciphertexts of a level have its scale; the scale below is scale^2 divided by the
prime that goes, so that products come back to it when they are rescaled [KPP22]. An operand of a
higher level is brought down by one product with an integer. Everything random is an argument.
Polynomials are lists of n integers; modulo Q_l they are in [0, Q_l).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod

from nttforge.spec.fast import negacyclic_product

from .double_double import Pair, nearest
from .embedding import GENERATOR, decode, encode
from .fv import Poly, add_polynomials, reduce_polynomial
from .hybrid import digits_of, round_by_special, switch_gadget
from .rns import centred, round_divide
from .slots import automorphism

SwitchKey = list[list[Poly]]  # pairs, one for each digit of the whole chain


def exact(scale: Pair) -> Fraction:
    """The number that a scale is."""
    return Fraction(scale.hi) + Fraction(scale.lo)


@dataclass(frozen=True)
class Ciphertext:
    """Parts modulo Q_level, two or three of them, and what the message is multiplied with."""

    parts: list[Poly]
    level: int
    scale: Pair


@dataclass(frozen=True)
class Scheme:
    """Dimension n, the chain of primes q_0, q_1, ..., the scale of the highest level.

    Examples
    --------
    >>> scheme = Scheme(4, (1073741857, 1048609, 1048681), Pair(2.0**20))
    >>> secret, a, e, zero = [1, 0, -1, 1], [7, 8, 9, 10], [1, -1, 0, 2], [0, 0, 0, 0]
    >>> public = scheme.public_key(secret, a, e)
    >>> x = scheme.encrypt(public, [1.5 + 2j, -3], [0, 1, 1, 0], [1, 0, 0, 0], zero)
    >>> [complex(round(z.real, 3), round(z.imag, 3)) for z in scheme.decrypt(secret, x)]
    [(1.5+2j), (-3-0j)]
    >>> square = scheme.rescale(scheme.multiply(x, x))
    >>> square.level, square.scale == scheme.scale_of(square.level)
    (2, True)
    >>> [complex(round(z.real, 2), round(z.imag, 2)) for z in scheme.decrypt(secret, square)]
    [(-1.75+6j), (9+0j)]
    """

    n: int
    moduli: tuple[int, ...]
    scale: Pair

    def modulus(self, level: int) -> int:
        """Q_level."""
        return prod(self.moduli[:level])

    @property
    def top(self) -> int:
        """The level of fresh ciphertexts."""
        return len(self.moduli)

    def scale_of(self, level: int) -> Pair:
        """The scale of a level: that of the one above, squared, divided by the prime that goes."""
        scale = self.scale
        for q in reversed(self.moduli[level:]):
            scale = nearest(exact(scale) ** 2 / q)
        return scale

    def public_key(
        self, secret: Poly, a: Poly, error: Poly, modulus: int | None = None
    ) -> list[Poly]:
        """(-(a s + e), a) modulo Q, or another modulus."""
        q = self.modulus(self.top) if modulus is None else modulus
        masked = add_polynomials(negacyclic_product(a, secret), error)
        return [reduce_polynomial([-c for c in masked], q), reduce_polynomial(a, q)]

    def encrypt(
        self, public: list[Poly], values: Sequence[complex], u: Poly, e0: Poly, e1: Poly
    ) -> Ciphertext:
        """(p0 u + e0 + m, p1 u + e1) modulo Q, m the encoded values."""
        q = self.modulus(self.top)
        message = encode(values, self.n, self.scale)
        p0, p1 = (negacyclic_product(key, u) for key in public)
        parts = [add_polynomials(p0, e0, message), add_polynomials(p1, e1)]
        return Ciphertext([reduce_polynomial(part, q) for part in parts], self.top, self.scale)

    def encrypt_symmetric(
        self, secret: Poly, values: Sequence[complex], a: Poly, error: Poly
    ) -> Ciphertext:
        """(-a s + e + m, a) modulo Q."""
        q = self.modulus(self.top)
        b, a = self.public_key(secret, a, [-c for c in error])
        c0 = add_polynomials(b, encode(values, self.n, self.scale))
        return Ciphertext([reduce_polynomial(c0, q), a], self.top, self.scale)

    def phase(self, secret: Poly, x: Ciphertext) -> Poly:
        """c0 + c1 s + c2 s^2 ... modulo Q_level, centred: scale m + e."""
        total, power = [0] * self.n, [1] + [0] * (self.n - 1)
        for part in x.parts:
            total = add_polynomials(total, negacyclic_product(part, power))
            power = negacyclic_product(power, secret)
        return [centred(c, self.modulus(x.level)) for c in total]

    def decrypt(self, secret: Poly, x: Ciphertext, slots: int | None = None) -> list[complex]:
        """The n/2 slots, or the first of a message that repeats."""
        return decode(self.phase(secret, x), slots or self.n // 2, x.scale)

    def drop(self, x: Ciphertext, level: int) -> Ciphertext:
        """Without primes: the same phase, while it is below Q_level / 2, and the same scale."""
        parts = [reduce_polynomial(part, self.modulus(level)) for part in x.parts]
        return replace(x, parts=parts, level=level)

    def rescale(self, x: Ciphertext) -> Ciphertext:
        """Divided by the last prime, to the nearest integer; so is the scale.

        A scale that is within 2^-100 of the lower level's becomes that one.
        """
        q, level = self.moduli[x.level - 1], x.level - 1
        modulus = self.modulus(level)
        parts = [[round_divide(c, q) % modulus for c in part] for part in x.parts]
        scale = nearest(exact(x.scale) / q)
        of_level = self.scale_of(level)
        if abs(exact(scale) / exact(of_level) - 1) < Fraction(1, 2**100):
            scale = of_level
        return Ciphertext(parts, level, scale)

    def to_level(self, x: Ciphertext, level: int) -> Ciphertext:
        """Down to a level and its scale: dropped to one above, times an integer, rescaled."""
        if x.level == level:
            return x
        x = self.drop(x, level + 1)
        wanted = exact(self.scale_of(level)) * self.moduli[level]
        factor = round(wanted / exact(x.scale))
        scaled = [[factor * c % self.modulus(level + 1) for c in part] for part in x.parts]
        x = self.rescale(replace(x, parts=scaled))
        return replace(x, scale=self.scale_of(level))

    def aligned(self, x: Ciphertext, y: Ciphertext) -> tuple[Ciphertext, Ciphertext]:
        """Both at the lower of both levels."""
        level = min(x.level, y.level)
        return self.to_level(x, level), self.to_level(y, level)

    def add(self, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """The sum at the lower of both levels."""
        x, y = self.aligned(x, y)
        q = self.modulus(x.level)
        parts = zip(x.parts, y.parts, strict=True)
        return replace(x, parts=[reduce_polynomial(add_polynomials(*pair), q) for pair in parts])

    def add_plain(self, x: Ciphertext, values: Sequence[complex]) -> Ciphertext:
        """Encoded at the scale of the ciphertext."""
        message = encode(values, self.n, x.scale)
        c0 = reduce_polynomial(add_polynomials(x.parts[0], message), self.modulus(x.level))
        return replace(x, parts=[c0, *x.parts[1:]])

    def multiply_plain(self, x: Ciphertext, values: Sequence[complex]) -> Ciphertext:
        """Encoded at the scale of the level; the scales multiply."""
        scale, q = self.scale_of(x.level), self.modulus(x.level)
        message = encode(values, self.n, scale)
        parts = [negacyclic_product(part, message, q) for part in x.parts]
        return Ciphertext(parts, x.level, nearest(exact(x.scale) * exact(scale)))

    def multiply_integer(self, x: Ciphertext, factor: int) -> Ciphertext:
        """At the same level and scale."""
        q = self.modulus(x.level)
        return replace(x, parts=[[factor * c % q for c in part] for part in x.parts])

    def multiply_by_i(self, x: Ciphertext) -> Ciphertext:
        """Times X^(n/2), exactly."""
        half, q = self.n // 2, self.modulus(x.level)
        turned = [[-c % q for c in part[half:]] + part[:half] for part in x.parts]
        return replace(x, parts=turned)

    def multiply(self, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """Three parts at the lower of both levels: the tensor product; the scales multiply."""
        x, y = self.aligned(x, y)
        (x0, x1), (y0, y1) = x.parts, y.parts
        tensor = [
            negacyclic_product(x0, y0),
            add_polynomials(negacyclic_product(x0, y1), negacyclic_product(x1, y0)),
            negacyclic_product(x1, y1),
        ]
        q = self.modulus(x.level)
        parts = [reduce_polynomial(part, q) for part in tensor]
        return Ciphertext(parts, x.level, nearest(exact(x.scale) * exact(y.scale)))

    def switch_key(
        self,
        secret: Poly,
        other: Poly,
        p: int,
        a: Sequence[Poly],
        errors: Sequence[Poly],
        primes: int = 1,
    ) -> SwitchKey:
        """(P g_i s' - (a_i s + e_i), a_i) modulo Q P for every digit i, s' the ``other`` secret."""
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
        """sum_i digit_i key_i divided by P, over the digits of the level: d0 + d1 s = c s' + e."""
        modulus = self.modulus(level)
        whole = modulus * prod(special)
        out = [[0] * self.n, [0] * self.n]
        for digit, pair in zip(digits_of(c, self.moduli[:level], primes), key, strict=False):
            for part in (0, 1):
                out[part] = add_polynomials(out[part], negacyclic_product(digit, pair[part]))
        return [[round_by_special(x % whole, special) % modulus for x in part] for part in out]

    def relinearize(
        self, x: Ciphertext, special: Sequence[int], key: SwitchKey, primes: int = 1
    ) -> Ciphertext:
        """Three parts -> two, by a key from s^2."""
        q = self.modulus(x.level)
        switched = self.switch(x.parts[2], x.level, special, key, primes)
        pairs = zip(x.parts[:2], switched, strict=True)
        return replace(x, parts=[reduce_polynomial(add_polynomials(*pair), q) for pair in pairs])

    def apply_automorphism(
        self, x: Ciphertext, element: int, special: Sequence[int], key: SwitchKey, primes: int = 1
    ) -> Ciphertext:
        """X -> X^element, by a key from the secret's image: 5^k rotates by k, 2n - 1 conjugates."""
        q = self.modulus(x.level)
        c0, c1 = (automorphism(part, element, q) for part in x.parts)
        d0, d1 = self.switch(c1, x.level, special, key, primes)
        return replace(x, parts=[reduce_polynomial(add_polynomials(c0, d0), q), d1])

    def rotation_element(self, step: int) -> int:
        """The automorphism that moves slot i + step to slot i."""
        return pow(GENERATOR, step % (self.n // 2), 2 * self.n)
