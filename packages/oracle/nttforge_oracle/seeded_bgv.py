# SPDX-License-Identifier: Apache-2.0
"""RNS-BGV as the library computes it from its seeds, word for word.

``seeded_keys.py`` says which stream every random polynomial is taken from, ``bgv.Scheme`` what is
done with it: every operation of BGV is exact, so there is nothing else to say.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .bgv import Ciphertext, Scheme, SwitchKey
from .fv import Poly, add_polynomials, reduce_polynomial
from .seeded_keys import SeededKeys
from .slots import automorphism


@dataclass(frozen=True)
class SeededBgv(SeededKeys[Scheme]):
    """Word for word what ``bgv.Scheme`` means.

    Examples
    --------
    >>> bgv = SeededBgv(Scheme(4, (12289, 40961), 5), (65537,))
    >>> secret = bgv.secret(bytes(32))
    >>> x = bgv.encrypt(bgv.public_key(bytes(32), secret), [1, 2, 3, 4], bytes(32), 0)
    >>> bgv.scheme.decrypt(secret, x)
    [1, 2, 3, 4]
    """

    def encrypt(self, public: list[Poly], m: Poly, seed: bytes, index: int) -> Ciphertext:
        """Encrypt with the public key modulo Q P, or modulo Q without special primes."""
        masks = self.masks(seed, index)
        if not self.special:
            return self.scheme.encrypt(public, m, *masks)
        return self.scheme.encrypt_with_special_primes(public, self.special, m, *masks)

    def encrypt_symmetric(self, secret: Poly, m: Poly, seed: bytes, index: int) -> Ciphertext:
        """Encrypt with the secret key."""
        return self.scheme.encrypt_symmetric(secret, m, *self.symmetric_masks(seed, index))

    def relinearize(self, x: Ciphertext, key: SwitchKey) -> Ciphertext:
        """Three parts to two, at any level."""
        return self._add_switched(x.parts[:2], x.parts[2], x, key)

    def apply_galois(self, x: Ciphertext, element: int, key: SwitchKey) -> Ciphertext:
        """X -> X^element on both parts, the second one switched back to s."""
        q = self.scheme.modulus(x.level)
        c0, c1 = (automorphism(part, element, q) for part in x.parts)
        return self._add_switched([c0, [0] * self.scheme.n], c1, x, key)

    def _add_switched(
        self, parts: list[Poly], c: Poly, x: Ciphertext, key: SwitchKey
    ) -> Ciphertext:
        switched = self.scheme.switch(c, x.level, self.special, key, self.digit_primes)
        q = self.scheme.modulus(x.level)
        sums = (add_polynomials(a, b) for a, b in zip(parts, switched, strict=True))
        return replace(x, parts=[reduce_polynomial(part, q) for part in sums])
