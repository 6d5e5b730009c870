# SPDX-License-Identifier: Apache-2.0
"""RNS-BFV as the library computes it from its seeds, word for word.

Where ``fv.Scheme`` says what a result means, this says which residues come out: which stream every
random polynomial is taken from, the BEHZ product instead of the rounded one, encryption modulo Q p
divided by p. All values are still those of big integers in coefficient form; ``limbs`` and
``transformed_limbs`` give the words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from .behz import extend_definition, floor_definition
from .fast import forward_fast, inverse_fast, negacyclic_product
from .fv import Ciphertext, Poly, Scheme, add_polynomials, reduce_polynomial
from .gaussian import SIGMA_3_2, ErrorDistribution
from .rns import compose, decompose
from .sampling import DOMAINS, Stream, binary, error, ternary, uniform
from .slots import automorphism

RELINEARIZATION = 0  # purpose of the key that switches from s^2; Galois keys have their element


def limbs(a: Poly, moduli: Sequence[int]) -> list[Poly]:
    """Residues [limb][n].

    Examples
    --------
    >>> limbs([1, -1], [3, 5])
    [[1, 2], [1, 4]]
    """
    return [list(limb) for limb in zip(*(decompose(c, moduli) for c in a), strict=True)]


def transformed_limbs(a: Poly, moduli: Sequence[int]) -> list[Poly]:
    """Residues [limb][n], negacyclic transform of each, bit-reversed order.

    Examples
    --------
    >>> transformed_limbs([1, 1, 0, 0], [17])
    [[3, 16, 9, 10]]
    """
    return [forward_fast(limb, q) for limb, q in zip(limbs(a, moduli), moduli, strict=True)]


def derive_seed(seed: bytes, index: int) -> bytes:
    """Words 0 ... 3 of the stream (seed, derive_seed, index), little-endian.

    Examples
    --------
    >>> len(derive_seed(bytes(32), 1)), derive_seed(bytes(32), 1) != derive_seed(bytes(32), 2)
    (32, True)
    """
    words = islice(Stream(seed, DOMAINS["derive_seed"], index).words(0), 4)
    return b"".join(w.to_bytes(8, "little") for w in words)


@dataclass(frozen=True)
class SeededBfv:
    """A parameter set: ``scheme`` (n, moduli of Q, t), special prime ``p``, distributions.

    Examples
    --------
    >>> bfv = SeededBfv(Scheme(4, (12289, 40961), 5), 65537)
    >>> secret = bfv.secret(bytes(32))
    >>> x = bfv.encrypt(bfv.public_key(bytes(32), secret), [1, 2, 3, 4], bytes(32), 0)
    >>> bfv.scheme.decrypt(secret, x)
    [1, 2, 3, 4]
    """

    scheme: Scheme
    p: int
    binary_secret: bool = False
    error: ErrorDistribution = SIGMA_3_2

    @property
    def key_scheme(self) -> Scheme:
        """The scheme modulo Q p."""
        return Scheme(self.scheme.n, (*self.scheme.moduli, self.p), self.scheme.t)

    def _small(self, seed: bytes, domain: str, index: int) -> Poly:
        draw = binary if self.binary_secret else ternary
        return draw(Stream(seed, DOMAINS[domain], index), self.scheme.n)

    def _error(self, seed: bytes, domain: str, index: int) -> Poly:
        return error(Stream(seed, DOMAINS[domain], index), self.error, self.scheme.n)

    def _uniform(
        self, seed: bytes, domain: str, index: int, moduli: Sequence[int], transformed: bool
    ) -> Poly:
        """Coefficients of a uniform polynomial; keys sample its transform, ciphertexts it."""
        stream, residues = Stream(seed, DOMAINS[domain], index), []
        for limb, q in enumerate(moduli):
            words = uniform(stream, limb, q, self.scheme.n)
            residues.append(inverse_fast(words, q) if transformed else words)
        return [compose(column, moduli) for column in zip(*residues, strict=True)]

    def secret(self, seed: bytes) -> Poly:
        """Stream (seed, secret_key, 0)."""
        return self._small(seed, "secret_key", 0)

    def public_key(self, seed: bytes, secret: Poly) -> Ciphertext:
        """(-(a s + e), a) modulo Q p.

        The transform of a is stream (derive_seed(seed, 2), public_key_a, 0), e is stream (seed,
        public_key_error, 0).
        """
        scheme = self.key_scheme
        a = self._uniform(derive_seed(seed, 2), "public_key_a", 0, scheme.moduli, True)
        return scheme.public_key(secret, a, self._error(seed, "public_key_error", 0))

    def switch_key(self, seed: bytes, secret: Poly, other: Poly, purpose: int) -> list[Ciphertext]:
        """Pair i: the transform of a_i is stream (derive_seed(seed, purpose), key_switch_a, j).

        e_i is stream (seed, key_switch_error, j), j = purpose * 256 + i. purpose is 0 for s^2, the
        Galois element for an automorphism.
        """
        public_seed, moduli = derive_seed(seed, purpose), self.key_scheme.moduli
        streams = [purpose << 8 | i for i in range(len(self.scheme.moduli))]
        a = [self._uniform(public_seed, "key_switch_a", j, moduli, True) for j in streams]
        errors = [self._error(seed, "key_switch_error", j) for j in streams]
        return self.scheme.switch_key(secret, other, self.p, a, errors)

    def relinearization_key(self, seed: bytes, secret: Poly) -> list[Ciphertext]:
        """Switches from s^2."""
        square = negacyclic_product(secret, secret)
        return self.switch_key(seed, secret, square, RELINEARIZATION)

    def galois_key(self, seed: bytes, secret: Poly, element: int) -> list[Ciphertext]:
        """Switches from s(X^element)."""
        return self.switch_key(seed, secret, automorphism(secret, element), element)

    def encrypt(self, public: Ciphertext, m: Poly, seed: bytes, index: int) -> Ciphertext:
        """((p0, p1) u + (e0, e1)) / p rounded, plus round(Q m / t).

        Streams (seed, encrypt_u / encrypt_error_0 / encrypt_error_1, index).
        """
        modulus, p = self.key_scheme.q, self.p
        u = self._small(seed, "encrypt_u", index)
        parts = []
        for i, key in enumerate(public):
            e = self._error(seed, f"encrypt_error_{i}", index)
            masked = add_polynomials(negacyclic_product(key, u), e)
            parts.append([(c % modulus + p // 2) // p % self.scheme.q for c in masked])
        return self._with_message(parts, m)

    def encrypt_symmetric(self, secret: Poly, m: Poly, seed: bytes, index: int) -> Ciphertext:
        """(e - a s + round(Q m / t), a) modulo Q.

        a is stream (derive_seed(seed, index), encrypt_a, 0), e is stream (seed, encrypt_error_0,
        index).
        """
        scheme = self.scheme
        public_seed = derive_seed(seed, index)
        a = self._uniform(public_seed, "encrypt_a", 0, scheme.moduli, False)
        masked = [-c for c in negacyclic_product(a, secret)]
        e = self._error(seed, "encrypt_error_0", index)
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
        return self.scheme.add(x[:2], self.scheme.switch(x[2], self.p, key))

    def apply_galois(self, x: Ciphertext, element: int, key: list[Ciphertext]) -> Ciphertext:
        """X -> X^element on both parts, the second one switched back to s."""
        c0, c1 = (automorphism(part, element, self.scheme.q) for part in x)
        zero = [0] * self.scheme.n
        return self.scheme.add([c0, zero], self.scheme.switch(c1, self.p, key))
