# SPDX-License-Identifier: Apache-2.0
"""RNS-BFV as the library computes it from its seeds, word for word.

``seeded_keys.py`` says which stream every random polynomial is taken from; here are the BEHZ
product instead of the rounded one, and encryption modulo Q P divided by P.
"""

from __future__ import annotations

from dataclasses import dataclass

from nttforge.spec.fast import negacyclic_product

from .behz import extend_definition, floor_definition
from .fv import Ciphertext, Poly, Scheme, add_polynomials, reduce_polynomial
from .hybrid import divide_by_special
from .seeded_keys import SeededKeys
from .slots import automorphism


@dataclass(frozen=True)
class SeededBfv(SeededKeys[Scheme]):
    """Word for word what ``fv.Scheme`` means.

    Examples
    --------
    >>> bfv = SeededBfv(Scheme(4, (12289, 40961), 5), (65537,))
    >>> secret = bfv.secret(bytes(32))
    >>> x = bfv.encrypt(bfv.public_key(bytes(32), secret), [1, 2, 3, 4], bytes(32), 0)
    >>> bfv.scheme.decrypt(secret, x)
    [1, 2, 3, 4]
    """

    def encrypt(self, public: Ciphertext, m: Poly, seed: bytes, index: int) -> Ciphertext:
        """((p0, p1) u + (e0, e1)) divided by P, plus round(Q m / t)."""
        modulus, q = self.scheme.q * self.p, self.scheme.q
        u, *errors = self.masks(seed, index)
        parts = []
        for key, e in zip(public, errors, strict=True):
            masked = add_polynomials(negacyclic_product(key, u), e)
            parts.append([divide_by_special(c % modulus, self.special) % q for c in masked])
        return self._with_message(parts, m)

    def encrypt_symmetric(self, secret: Poly, m: Poly, seed: bytes, index: int) -> Ciphertext:
        """(e - a s + round(Q m / t), a) modulo Q."""
        a, e = self.symmetric_masks(seed, index)
        masked = [-c for c in negacyclic_product(a, secret)]
        return self._with_message([add_polynomials(masked, e), a], m)

    def _with_message(self, zero: Ciphertext, m: Poly) -> Ciphertext:
        c0 = add_polynomials(zero[0], self.scheme.scale_plain(m))
        return [reduce_polynomial(part, self.scheme.q) for part in (c0, zero[1])]

    def dot_product(self, x: list[Ciphertext], y: list[Ciphertext]) -> Ciphertext:
        """Three parts of sum_i x_i y_i by BEHZ: one floor of the sum of the tensor products."""
        scheme, moduli = self.scheme, self.scheme.moduli
        tensor = [[0] * scheme.n for _ in range(3)]
        for pair in zip(x, y, strict=True):
            (a0, a1), (b0, b1) = (
                [[extend_definition(c, moduli) for c in part] for part in z] for z in pair
            )
            products = (
                negacyclic_product(a0, b0),
                add_polynomials(negacyclic_product(a0, b1), negacyclic_product(a1, b0)),
                negacyclic_product(a1, b1),
            )
            tensor = [add_polynomials(t, p) for t, p in zip(tensor, products, strict=True)]
        return [[floor_definition(c, scheme.t, moduli) % scheme.q for c in part] for part in tensor]

    def multiply(self, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """Three parts of one product."""
        return self.dot_product([x], [y])

    def relinearize(self, x: Ciphertext, key: list[Ciphertext]) -> Ciphertext:
        """Three parts to two."""
        return self.scheme.add(x[:2], self._switch(x[2], key))

    def apply_galois(self, x: Ciphertext, element: int, key: list[Ciphertext]) -> Ciphertext:
        """X -> X^element on both parts, the second one switched back to s."""
        c0, c1 = (automorphism(part, element, self.scheme.q) for part in x)
        zero = [0] * self.scheme.n
        return self.scheme.add([c0, zero], self._switch(c1, key))

    def _switch(self, c: Poly, key: list[Ciphertext]) -> Ciphertext:
        return self.scheme.switch(c, self.special, key, self.digit_primes)
