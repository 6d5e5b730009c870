# SPDX-License-Identifier: Apache-2.0
"""What the parameter sets of schemes for integers have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, TypeVar, get_args

from .. import _arguments as arguments
from .. import rlwe
from ..typing import (
    ErrorDistribution,
    SecretDistribution,
    SecurityLevel,
    SecurityTable,
    WordBits,
)

_SECURITY: tuple[SecurityLevel, ...] = get_args(SecurityLevel)
_TABLES: tuple[SecurityTable, ...] = get_args(SecurityTable)
_WORD = 2**64 - 1

Self = TypeVar("Self", bound="Parameters")


class Parameters(rlwe.Parameters):
    """An immutable, validated set with a plaintext modulus.

    Each scheme has its own: :class:`nttforge.bfv.Parameters`, :class:`nttforge.bgv.Parameters`.
    """

    __slots__ = ()
    _builders: ClassVar[str] = "Parameters.preset(n), Parameters.custom(...)"

    @classmethod
    def preset(
        cls: type[Self],
        n: int,
        t: int = 0,
        security: SecurityLevel = "classical128",
        security_table: SecurityTable = "guidelines2024",
        word_bits: WordBits = 64,
        digit_primes: int = 0,
    ) -> Self:
        """The recommended set for a ring dimension and a security level.

        Parameters
        ----------
        n : int
            Ring dimension, a power of two, 2^10 ... 2^15.
        t : int
            Plaintext modulus; 0 picks 65537, or what leaves room for noise. A prime = 1 (mod 2n)
            gives n slots (see :func:`nttforge.ntt_primes`).
        security : {"classical128", "classical192", "classical256"}
            Bits of security against classical attacks; n = 2^10 above 128 bits is in
            ``"hes2018"`` only.
        security_table : {"guidelines2024", "hes2018"}
            Who says so: the security guidelines of 2024 (Bossuat et al., table 5.2), the
            strictest, or the Homomorphic Encryption Standard of 2018 (table 1).
        word_bits : {64, 32}
            32: primes below 2^30 and words of 32 bits, which GPUs compute with fastest, of the
            same security. Its keys are made for three digits of key switching, which cost some
            depth (``repr`` says what they save); ``digit_primes=1`` has the greatest depth.
        digit_primes : int
            Primes of a digit of key switching, and number of special primes; 0: as recommended,
            which is 1 for 64-bit words. More make keys smaller and switching faster and leave
            fewer bits for the ciphertext modulus. At most half of all primes.

        Raises
        ------
        ParameterError
            Names the argument, its value, what is allowed and a remedy.
        """
        n = arguments.integer("n", n, 1, 2**17, "presets exist for n = 2^10 ... 2^15")
        t = arguments.integer("t", t, 0, 2**60 - 1)
        arguments.choice("security", security, _SECURITY)
        arguments.choice("security_table", security_table, _TABLES)
        bits = arguments.integer("word_bits", word_bits, 32, 64, "32 or 64")
        digit = arguments.integer("digit_primes", digit_primes, 0, 2**16)
        return cls._wrap(cls._core_class.preset(n, t, security, security_table, bits, digit))

    @classmethod
    def custom(
        cls: type[Self],
        n: int,
        t: int,
        q: Iterable[int],
        special: int | Iterable[int] = 0,
        security: SecurityLevel = "classical128",
        secret: SecretDistribution = "ternary",
        error: ErrorDistribution = "sigma_3_2",
        security_table: SecurityTable = "guidelines2024",
        word_bits: WordBits = 64,
        digit_primes: int = 0,
        secret_weight: int = 0,
    ) -> Self:
        """An explicit set, validated.

        Parameters
        ----------
        n : int
            Ring dimension, a power of two, 2 ... 2^17.
        t : int
            Plaintext modulus, 2 <= t < 2^60, coprime to every q.
        q : iterable of int
            Distinct primes = 1 (mod 2n) below 2^62; the ciphertext modulus is their product.
        special : int or iterable of int
            Special prime of the evaluation keys, or up to 16 of them; 0 or none: no
            relinearization, no rotation.
        security : str
            The level to check against; a weaker set needs ``"insecure_by_request"``.
        secret : {"ternary", "binary", "sparse"}
            No table covers binary and sparse secrets.
        error : {"sigma_3_2", "sigma_8_bound_48"}
        security_table : {"guidelines2024", "hes2018"}
            The table to check against, see :meth:`preset`.
        word_bits : {64, 32}
            Of the words in a device's memory. 32 needs primes below 2^32 and halves the memory;
            results are the same.
        digit_primes : int
            Primes of a digit of key switching, 1 ... 16 and at most ``len(q)``; 0: as many as
            there are special primes, whose product should be about as large as a digit.
        secret_weight : int
            How many coefficients of a sparse secret are not 0, 1 ... n; 0 for the others.

        Raises
        ------
        ParameterError
            Names the field, its value, what is allowed and a remedy.
        """
        n = arguments.integer("n", n, 1, 2**17)
        t = arguments.integer("t", t, 0, _WORD)
        values = arguments.integers("q", q, 0, _WORD)
        more = cls._checked(
            special, security, secret, error, security_table, word_bits, digit_primes, secret_weight
        )
        return cls._wrap(cls._core_class.custom(n, t, values, *more))

    @property
    def t(self) -> int:
        """Plaintext modulus."""
        return int(self._core.t)

    @property
    def has_batching(self) -> bool:
        """Whether t is a prime = 1 (mod 2n), so that a plaintext holds n slots."""
        return bool(self._core.has_batching)

    @property
    def promised_depth(self) -> int:
        """Levels of multiplication that decrypt by the noise model."""
        return int(self._core.promised_depth)

    @property
    def proved_depth(self) -> int:
        """The same by the proved bound on the noise: right but for a probability below 2^-128."""
        return int(self._core.proved_depth)


def signed_range(t: int) -> tuple[int, int]:
    """The integers that stand for residues where signed ones are meant; for t = 2 bits."""
    return (0, 1) if t == 2 else (-(t // 2), (t - 1) // 2)
