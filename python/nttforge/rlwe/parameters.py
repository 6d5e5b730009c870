# SPDX-License-Identifier: Apache-2.0
"""What the parameter sets of all schemes have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, TypeVar, cast, get_args

from .. import _arguments as arguments
from ..errors import ParameterError, UnsupportedError
from ..typing import (
    BytesLike,
    ErrorDistribution,
    SecretDistribution,
    SecurityLevel,
    SecurityTable,
)
from ._require import MAX_BATCH, steady

_SECURITY: tuple[SecurityLevel, ...] = get_args(SecurityLevel)
_SECRETS: tuple[SecretDistribution, ...] = get_args(SecretDistribution)
_TABLES: tuple[SecurityTable, ...] = get_args(SecurityTable)
_WORD = 2**64 - 1
_FRAME_BYTES = 40  # header and checksum of an object, which a part of another one has not

Self = TypeVar("Self", bound="Parameters")


class Parameters:
    """An immutable, validated set: ring, moduli, distributions and the security that they give.

    Each scheme has its own: :class:`nttforge.bfv.Parameters`, :class:`nttforge.bgv.Parameters`,
    :class:`nttforge.ckks.Parameters`.
    """

    __slots__ = ("_core",)
    _core: Any
    _core_class: ClassVar[Any]
    _builders: ClassVar[str]

    def __init__(self) -> None:
        raise TypeError(f"use {self._builders}")

    @classmethod
    def _wrap(cls: type[Self], core: Any) -> Self:
        self = object.__new__(cls)
        object.__setattr__(self, "_core", core)
        return self

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Parameters is immutable: cannot set {name}; build a new set")

    @property
    def n(self) -> int:
        """Ring dimension."""
        return int(self._core.n)

    @property
    def q(self) -> tuple[int, ...]:
        """Primes of the ciphertext modulus; where there are levels, the lowest first."""
        return tuple(self._core.q)

    @property
    def top_level(self) -> int:
        """The level of fresh ciphertexts; the number of primes where a level has one more each."""
        return int(self._core.top_level)

    @property
    def levels(self) -> tuple[tuple[int, int], ...]:
        """The primes of level 1, 2, ...: ``q[first:last]`` for each (first, last)."""
        stored = tuple(self._core.levels)
        return stored or tuple((0, level) for level in range(1, len(self.q) + 1))

    @property
    def word_bits(self) -> int:
        """Bits of a word in a device's memory."""
        return int(self._core.word_bits)

    @property
    def special(self) -> tuple[int, ...]:
        """Special primes of the evaluation keys; none: no relinearization, no rotation."""
        return tuple(self._core.special_primes)

    @property
    def digit_primes(self) -> int:
        """Primes of a digit of key switching; the last digit may have fewer."""
        return int(self._core.digit_primes)

    @property
    def secret(self) -> SecretDistribution:
        """Distribution of the secret key."""
        return cast("SecretDistribution", self._core.secret)

    @property
    def secret_weight(self) -> int:
        """How many coefficients of a sparse secret are not 0; 0 for other distributions."""
        return int(self._core.secret_weight)

    @property
    def error(self) -> ErrorDistribution:
        """Distribution of the error."""
        return cast("ErrorDistribution", self._core.error)

    @property
    def security(self) -> SecurityLevel:
        """The level this set claims and was checked against."""
        return cast("SecurityLevel", self._core.security)

    @property
    def security_table(self) -> SecurityTable:
        """The table it was checked against: ``"guidelines2024"`` or ``"hes2018"``."""
        return cast("SecurityTable", self._core.security_table)

    @property
    def q_bits(self) -> int:
        """Bits of the ciphertext modulus."""
        return int(self._core.q_bits)

    @property
    def modulus_bits(self) -> int:
        """Bits of the whole modulus, special primes included: what security depends on."""
        return int(self._core.modulus_bits)

    @property
    def has_evaluation_keys(self) -> bool:
        """Whether relinearization and rotation are possible: there is a special prime."""
        return bool(self._core.has_evaluation_keys)

    @classmethod
    def _checked(
        cls,
        special: int | Iterable[int],
        security: str,
        secret: str,
        error: str,
        security_table: str,
        word_bits: int,
        digit_primes: int,
        secret_weight: int,
    ) -> tuple[list[int], str, str, int, bool, str, int, int]:
        """What follows q in every scheme's ``custom`` of the compiled module."""
        if isinstance(special, Iterable) and not isinstance(special, (str, bytes)):
            primes = arguments.integers("special", special, 1, _WORD)
        else:
            primes = [p for p in (arguments.integer("special", special, 0, _WORD),) if p]
        arguments.choice("security", security, _SECURITY)
        arguments.choice("secret", secret, _SECRETS)
        arguments.choice("error", error, ("sigma_3_2", "sigma_8_bound_48"))
        arguments.choice("security_table", security_table, _TABLES)
        bits = arguments.integer("word_bits", word_bits, 32, 64, "32 or 64")
        digit = arguments.integer("digit_primes", digit_primes, 0, 2**16)
        weight = arguments.integer("secret_weight", secret_weight, 0, 2**17)
        wide = error == "sigma_8_bound_48"
        return primes, security, secret, weight, wide, security_table, bits, digit

    def security_verdict(self, security_table: SecurityTable | None = None) -> tuple[int, str]:
        """Classical bits by a table (0: not covered), and why in a sentence that names it.

        Parameters
        ----------
        security_table : {None, "guidelines2024", "hes2018"}
            None: the set's own.
        """
        if security_table is None:
            security_table = self.security_table
        arguments.choice("security_table", security_table, _TABLES)
        bits, reason = self._core.security_verdict(security_table)
        return int(bits), str(reason)

    @property
    def security_source(self) -> str:
        """The table's name and date for people."""
        return str(self._core.security_table_title)

    def serialized_sizes(self, batch: int = 1, *, level: int | None = None) -> dict[str, int]:
        """Exact bytes of each kind of object as written by ``to_bytes``, before making any.

        ``RotationKeys`` take ``rotation_keys_frame`` and ``rotation_key`` for each step. ``batch``,
        1 ... 2^20, is that of plaintexts and ciphertexts; ``level`` that of ciphertexts which are
        not seeded and of evaluation keys, None the highest.
        """
        batch = arguments.integer("batch", batch, 1, MAX_BATCH)
        return dict(self._core.serialized_sizes(batch, self._level(level)))

    def memory_sizes(self, batch: int = 1, *, level: int | None = None) -> dict[str, int]:
        """Bytes of each kind of object in memory, before making any; arguments as above."""
        batch = arguments.integer("batch", batch, 1, MAX_BATCH)
        return dict(self._core.memory_sizes(batch, self._level(level)))

    def _level(self, level: int | None) -> int:
        return 0 if level is None else arguments.integer("level", level, 1, self.top_level)

    def evaluation_keys_bytes(
        self, rotations: int, relinearization: bool = True, *, level: int | None = None
    ) -> int:
        """Exact bytes of :class:`EvaluationKeys` with so many rotation keys, before making any.

        Parameters
        ----------
        rotations : int
            Rotation keys, the column swap among them; 0: none.
        relinearization : bool
            Whether the relinearization key is among them.
        level : int, optional
            That of the keys (:meth:`EvaluationKeys.at_level`); None: the highest.

        Raises
        ------
        ParameterError
            The number is out of range, or there are no keys at all.
        UnsupportedError
            The parameters have no special prime.
        """
        rotations = arguments.integer("rotations", rotations, 0, self.n, "Galois elements")
        if not self.has_evaluation_keys:
            raise UnsupportedError(
                f"{self!r} has no special prime, and so no evaluation keys: presets from n = 4096 "
                "have one"
            )
        if not rotations and not relinearization:
            raise ParameterError("rotations = 0, relinearization = False: there are no keys")
        sizes = self.serialized_sizes(level=level)
        total = sizes["evaluation_keys_frame"]
        if relinearization:
            total += sizes["relinearization_key"] - _FRAME_BYTES
        if rotations:
            total += sizes["rotation_keys_frame"] - _FRAME_BYTES
        return total + rotations * sizes["rotation_key"]

    def to_bytes(self) -> bytes:
        """In the versioned, little-endian format of the library."""
        return bytes(self._core.to_bytes())

    def __bytes__(self) -> bytes:
        return self.to_bytes()

    @classmethod
    def from_bytes(
        cls: type[Self],
        data: BytesLike,
        *,
        security_table: SecurityTable = "guidelines2024",
        allow_insecure: bool = False,
    ) -> Self:
        """Reads what :meth:`to_bytes` wrote; validates everything.

        Whoever sends parameters chooses them; whoever reads them says what is secure.

        Parameters
        ----------
        data : bytes-like
        security_table : {"guidelines2024", "hes2018"}
            The table by which the set must reach the level that it claims: the strictest, or the
            older one, see :meth:`preset`.
        allow_insecure : bool
            Take any set, also one that claims no security level.

        Raises
        ------
        FormatError
            The bytes are truncated, altered, of another kind or version, or no valid set.
        ParameterError
            The set is ``"insecure_by_request"``, or does not reach its level by this table.
        """
        arguments.choice("security_table", security_table, _TABLES)
        with steady(data) as given:
            core = cls._core_class.from_bytes(given, bool(allow_insecure), security_table)
            return cls._wrap(core)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Parameters) or type(self) is not type(other):
            return False
        return bool(self._core.equals(other._core))

    def __hash__(self) -> int:
        claim = (self.secret, self.secret_weight, self.error, self.security, self.security_table)
        return hash((self.n, self.q, self.special, claim))

    def __repr__(self) -> str:
        return f"<Parameters: {self._core.describe()}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_pickle, (type(self), self.to_bytes())


def _from_pickle(cls: type[Self], data: bytes) -> Self:
    return cls.from_bytes(data, allow_insecure=True)
