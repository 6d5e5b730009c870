# SPDX-License-Identifier: Apache-2.0
"""Parameter sets of CKKS."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeVar, get_args

from .. import _arguments as arguments
from .. import _core, rlwe
from ..errors import ArgumentTypeError
from ..typing import (
    ErrorDistribution,
    SecretDistribution,
    SecurityLevel,
    SecurityTable,
    WordBits,
)

_SECURITY: tuple[SecurityLevel, ...] = get_args(SecurityLevel)
_TABLES: tuple[SecurityTable, ...] = get_args(SecurityTable)

Self = TypeVar("Self", bound="Parameters")


class Parameters(rlwe.Parameters):
    """An immutable, validated set; made by :meth:`preset` or :meth:`custom`.

    A message is n/2 real or complex numbers, each times a scale. Fresh ciphertexts have the
    highest level, :attr:`top_level`; a product with anything but an integer takes one, and at level
    1 none is left.

    Examples
    --------
    >>> p = Parameters.preset(2**14)
    >>> p.n, p.slots, p.depth, round(math.log2(p.scale))
    (16384, 8192, 7, 40)
    >>> p == Parameters.from_bytes(p.to_bytes())
    True
    """

    __slots__ = ()
    _core_class = _core.ckks.Parameters
    _builders = "Parameters.preset(n), Parameters.custom(...)"

    @classmethod
    def preset(
        cls: type[Self],
        n: int,
        scale_bits: int = 40,
        security: SecurityLevel = "classical128",
        security_table: SecurityTable = "guidelines2024",
        word_bits: WordBits = 64,
        levels: int = 0,
    ) -> Self:
        """The recommended set for a ring dimension: as many levels as its security leaves room for.

        Parameters
        ----------
        n : int
            Ring dimension, a power of two, 2^12 ... 2^17.
        scale_bits : int
            log2 of the scale, 30 ... 55. Errors are about 2^(15 - scale_bits) at n = 2^14
            (:meth:`explain`); each bit more makes fewer levels.
        security : {"classical128", "classical192", "classical256"}
            Bits of security against classical attacks.
        security_table : {"guidelines2024", "hes2018"}
            Who says so, see :meth:`nttforge.bfv.Parameters.preset`.
        word_bits : {64, 32}
            32: primes of 25 and 30 bits, several a level, for words of 32 bits, which GPUs compute
            with fastest; n = 2^14 ... 2^16, scale_bits = 40, 128 bits of security.
        levels : int
            Products one after the other; 0: as many as there is room for. Fewer make ciphertexts
            and keys smaller. Only with 64-bit words.

        Raises
        ------
        ParameterError
            Names the argument, its value, what is allowed and a remedy.
        """
        n = arguments.integer("n", n, 1, 2**17, "presets exist for n = 2^12 ... 2^17")
        scale_bits = arguments.integer("scale_bits", scale_bits, 30, 55, "40 is a good start")
        arguments.choice("security", security, _SECURITY)
        arguments.choice("security_table", security_table, _TABLES)
        bits = arguments.integer("word_bits", word_bits, 32, 64, "32 or 64")
        levels = arguments.integer("levels", levels, 0, 2**10)
        core = cls._core_class.preset(n, scale_bits, security, security_table, bits, levels)
        return cls._wrap(core)

    @classmethod
    def custom(
        cls: type[Self],
        n: int,
        scale: float,
        q: Iterable[int],
        special: int | Iterable[int] = 0,
        security: SecurityLevel = "classical128",
        secret: SecretDistribution = "ternary",
        error: ErrorDistribution = "sigma_3_2",
        security_table: SecurityTable = "guidelines2024",
        word_bits: WordBits = 64,
        digit_primes: int = 0,
        secret_weight: int = 0,
        levels: Iterable[tuple[int, int]] = (),
        scales: Iterable[float] = (),
    ) -> Self:
        """An explicit set, validated.

        Parameters
        ----------
        n : int
            Ring dimension, a power of two, 2 ... 2^17.
        scale : float
            What numbers are multiplied with at the highest level, 2^4 ... 2^100. The scale of each
            level below is that of the level above, squared, divided by the primes that leave.
        q : iterable of int
            Distinct primes = 1 (mod 2n) below 2^62, those of the lowest level first: a few bits
            larger than the scale, the others about as large as it.
        levels : iterable of (int, int)
            The primes of level 1, 2, ...: ``q[first:last]``. By default level l has the first l.
        scales : iterable of float
            Those of level 1, 2, ..., where products are not the way down to it; 0, or none, where
            the scale follows from the level above.
        special, security, secret, error, security_table, word_bits, digit_primes, secret_weight
            As for :meth:`nttforge.bfv.Parameters.custom`.

        Raises
        ------
        ParameterError
            Names the field, its value, what is allowed and a remedy.
        """
        n = arguments.integer("n", n, 1, 2**17)
        factor = arguments.number("scale", scale, 2.0**4, 2.0**100, "")
        values = arguments.integers("q", q, 0, 2**64 - 1)
        more = cls._checked(
            special, security, secret, error, security_table, word_bits, digit_primes, secret_weight
        )
        windows = []
        for i, window in enumerate(levels):
            pair = arguments.integers(f"levels[{i}]", window, 0, 2**16)
            if len(pair) != 2:
                raise ArgumentTypeError(f"levels[{i}] = {window!r}: need (first, last) of q")
            windows.append((pair[0], pair[1]))
        stated = [
            arguments.number(f"scales[{i}]", value, 0, 2.0**100, "")
            for i, value in enumerate(scales)
        ]
        return cls._wrap(cls._core_class.custom(n, factor, values, *more, windows, stated))

    @property
    def slots(self) -> int:
        """Numbers of a message, n/2 at most."""
        return self.n // 2

    @property
    def scale(self) -> float:
        """What numbers are multiplied with at the highest level."""
        return float(self._core.scale)

    @property
    def scales(self) -> tuple[float, ...]:
        """Scales of level 1, 2, ... that were stated; 0 where they follow from the level above."""
        return tuple(self._core.scales)

    @property
    def depth(self) -> int:
        """Products one after the other, but for those with integers, which are free."""
        return self.top_level - 1

    @property
    def bootstraps(self) -> bool:
        """Whether it is for a :class:`Bootstrapper`, with scales that lead down from a sine."""
        return any(self.scales)

    def predicted_error(self, products: int = 0) -> float:
        """The error to expect of numbers of at most 1, after so many squarings one after the other.

        It is the heuristic bound that :attr:`Ciphertext.error` of such a ciphertext tells, of one
        that was encrypted by the public key. Real errors are some 2^4 smaller.

        Parameters
        ----------
        products : int
            0 ... :attr:`depth`.
        """
        products = arguments.integer("products", products, 0, self.depth, "the depth of this set")
        bits = float(self._core.predicted_errors()[products])
        return 2.0**bits if bits < 1024 else math.inf

    def explain(self) -> str:
        """What this set computes, in sentences: numbers, levels, errors, sizes, security.

        Examples
        --------
        >>> print(Parameters.preset(2**14).explain().splitlines()[1])
        Depth 7: so many products one after the other; products with integers are free.
        """
        errors = [round(-bits, 1) for bits in self._core.predicted_errors()]
        sizes = self.serialized_sizes()
        keys = "none, without special primes: nothing is rotated or relinearized"
        if self.has_evaluation_keys:
            keys = f"relinearization {sizes['relinearization_key']}, each rotation "
            keys += f"{sizes['rotation_key']}"
        bits, why = self.security_verdict()
        last = max(k for k, held in enumerate(errors) if k <= 1 or held >= 1)
        lines = [
            f"{self.slots} slots of real or complex numbers, times 2^{math.log2(self.scale):.1f}; "
            f"or {self.n} coefficients.",
            f"Depth {self.depth}: so many products one after the other; products with integers "
            "are free.",
            f"Bits behind the point that hold, of numbers of at most 1: {errors[0]} of fresh ones, "
            f"{errors[1]} after a product, {errors[last]} after {last} squarings; each squaring "
            "doubles errors.",
            f"Bytes: ciphertext {sizes['ciphertext']}, at level 1 "
            f"{self.serialized_sizes(level=1)['ciphertext']}; evaluation keys: {keys}.",
            "It bootstraps (Bootstrapper)."
            if self.bootstraps
            else "It does not bootstrap: where levels end, results are decrypted, or a set for it "
            "is taken (Bootstrapper.of).",
            f"Security: {bits} bits; {why}.",
        ]
        return "\n".join(lines)
