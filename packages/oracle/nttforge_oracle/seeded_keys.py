# SPDX-License-Identifier: Apache-2.0
"""What the schemes take from their seeds, word for word: secrets, keys, masks.

Where ``fv.Scheme`` and ``bgv.Scheme`` say what a result means, this says which residues come out:
which stream every random polynomial is taken from. All values are those of big integers in
coefficient form; ``limbs`` and ``transformed_limbs`` give the words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import prod
from typing import Generic, Protocol, TypeVar

from nttforge.spec.fast import negacyclic_product

from .fast import forward_fast, inverse_fast
from .fv import Poly
from .gaussian import SIGMA_3_2, ErrorDistribution
from .hybrid import digit_groups
from .rns import compose, decompose
from .sampling import DOMAINS, Stream, error, uniform
from .secrets import TERNARY, Secret
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


class KeyScheme(Protocol):
    """What keys need of a textbook scheme."""

    @property
    def n(self) -> int: ...

    @property
    def moduli(self) -> tuple[int, ...]: ...

    @property
    def t(self) -> int: ...

    def public_key(self, secret: Poly, a: Poly, error: Poly) -> list[Poly]:
        """(b, a) with b + a s = -error, or -t error."""
        ...

    def switch_key(
        self,
        secret: Poly,
        other: Poly,
        p: int,
        a: list[Poly],
        errors: list[Poly],
        primes: int = 1,
    ) -> list[list[Poly]]:
        """Pairs that switch from the ``other`` secret."""
        ...


AnyScheme = TypeVar("AnyScheme", bound=KeyScheme)


@dataclass(frozen=True)
class SeededKeys(Generic[AnyScheme]):
    """A parameter set: ``scheme`` (n, moduli of Q, t), special primes, distributions.

    Key switching takes digits of ``digit_primes`` primes.
    """

    scheme: AnyScheme
    special: tuple[int, ...]
    secret_distribution: Secret = TERNARY
    error: ErrorDistribution = SIGMA_3_2
    digit_primes: int = 1

    @property
    def p(self) -> int:
        """P, the product of the special primes; 0: there are none."""
        return prod(self.special) if self.special else 0

    @property
    def key_scheme(self) -> AnyScheme:
        """The scheme modulo Q P."""
        return replace(self.scheme, moduli=(*self.scheme.moduli, *self.special))  # type: ignore[type-var]

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
        stream = Stream(seed, DOMAINS["secret_key"], 0)
        return self.secret_distribution.sample(stream, self.scheme.n)

    def public_key(self, seed: bytes, secret: Poly) -> list[Poly]:
        """(b, a) modulo Q P.

        The transform of a is stream (derive_seed(seed, 2), public_key_a, 0), e is stream (seed,
        public_key_error, 0).
        """
        scheme = self.key_scheme
        a = self._uniform(derive_seed(seed, 2), "public_key_a", 0, scheme.moduli, True)
        return scheme.public_key(secret, a, self._error(seed, "public_key_error", 0))

    def switch_key(self, seed: bytes, secret: Poly, other: Poly, purpose: int) -> list[list[Poly]]:
        """Pair i: the transform of a_i is stream (derive_seed(seed, purpose), key_switch_a, j).

        e_i is stream (seed, key_switch_error, j), j = purpose * 256 + i. purpose is 0 for s^2, the
        Galois element for an automorphism.
        """
        public_seed, moduli = derive_seed(seed, purpose), self.key_scheme.moduli
        groups = digit_groups(self.scheme.moduli, self.digit_primes)
        streams = [purpose << 8 | i for i in range(len(groups))]
        a = [self._uniform(public_seed, "key_switch_a", j, moduli, True) for j in streams]
        errors = [self._error(seed, "key_switch_error", j) for j in streams]
        return self.scheme.switch_key(secret, other, self.p, a, errors, self.digit_primes)

    def relinearization_key(self, seed: bytes, secret: Poly) -> list[list[Poly]]:
        """Switches from s^2."""
        square = negacyclic_product(secret, secret)
        return self.switch_key(seed, secret, square, RELINEARIZATION)

    def galois_key(self, seed: bytes, secret: Poly, element: int) -> list[list[Poly]]:
        """Switches from s(X^element)."""
        return self.switch_key(seed, secret, automorphism(secret, element), element)

    def masks(self, seed: bytes, index: int) -> tuple[Poly, Poly, Poly]:
        """u, e0, e1 of an encryption with the public key.

        Streams (seed, encrypt_u / encrypt_error_0 / encrypt_error_1, index).
        """
        mask = Stream(seed, DOMAINS["encrypt_u"], index)
        errors = (self._error(seed, f"encrypt_error_{i}", index) for i in (0, 1))
        u = self.secret_distribution.mask.sample(mask, self.scheme.n)
        return u, *errors  # type: ignore[return-value]

    def symmetric_masks(self, seed: bytes, index: int) -> tuple[Poly, Poly]:
        """a, e of an encryption with the secret key.

        a is stream (derive_seed(seed, index), encrypt_a, 0), e is stream (seed, encrypt_error_0,
        index).
        """
        moduli = self.scheme.moduli
        a = self._uniform(derive_seed(seed, index), "encrypt_a", 0, moduli, False)
        return a, self._error(seed, "encrypt_error_0", index)
