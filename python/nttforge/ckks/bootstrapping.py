# SPDX-License-Identifier: Apache-2.0
"""Levels won back: ciphertexts of the lowest level become ones of a higher level."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from .. import _arguments as arguments
from .. import _core, rlwe
from ..errors import ParameterError
from ..rlwe._require import require
from ..rlwe.objects import require_context
from .ciphertext import Ciphertext
from .context import Context
from .parameters import Parameters

__all__ = ["BootstrapKeys", "Bootstrapper"]


class BootstrapKeys:
    """What whoever bootstraps needs: :meth:`Bootstrapper.make_keys`. None of it is secret."""

    __slots__ = ("_bootstrapper", "_core")

    def __init__(self, bootstrapper: Bootstrapper, core: Any) -> None:
        self._bootstrapper, self._core = bootstrapper, core

    @property
    def bootstrapper(self) -> Bootstrapper:
        """What they are for."""
        return self._bootstrapper

    def bootstrap(self, x: Ciphertext) -> Ciphertext:
        """The same numbers at :attr:`Bootstrapper.level`, whatever the level of ``x`` is.

        Raises
        ------
        PrecisionError
            Numbers may be larger than the bootstrapper is for, or nothing of them is left.
        ParameterError, ContextError
            Three parts, coefficients, another number of slots, or another context.
        """
        context = self._bootstrapper.context
        require(x, Ciphertext, "x")
        require_context(context, ("x", x))
        core = self._bootstrapper._core.bootstrap(context._evaluator, x._core, self._core)
        return Ciphertext._wrap(context, core)


class Bootstrapper:
    """How ciphertexts of a context are bootstrapped [CHKKS18].

    The phase of a ciphertext at the lowest level, modulo one prime q_0, is lifted to the whole
    modulus, where it is off by multiples of q_0; its coefficients are moved to slots, the sine
    removes the multiples, and they are moved back. Meanwhile an ephemeral sparse secret keeps the
    multiples few [BTH22]. Errors are said by the result (:attr:`Ciphertext.error`).

    Parameters
    ----------
    context : Context
        Its lowest level has one prime.
    slots : int, optional
        Of the messages, 2 ... n/2, which is the default.
    to_slots, to_coefficients : iterable of int, optional
        Layers of the transform in each matrix, in order; they add up to log2(slots), and each
        matrix takes a level.
    degree : int
        Of the cosine's polynomial, even, 4 ... 254.
    double_angles : int
        Doublings of its angle, 0 ... 8, each of which takes a level.
    ratio_bits : int
        Bits that numbers are at most left below q_0, 6 ... 30: fewer make the sine's error larger
        and all others smaller.
    bound : number
        Numbers up to this have all of these bits; larger ones up to 2^(ratio_bits - 5) times this
        are bootstrapped with less precision.

    Raises
    ------
    ParameterError
        An argument is out of range, or the set has too few levels.
    UnsupportedError
        The lowest level has several primes.

    Examples
    --------
    A small set without security; :meth:`of` makes secure ones.

    >>> from nttforge import ckks, ntt_primes
    >>> n, high = 128, 10
    >>> q = [*ntt_primes(n, 55, 1), *ntt_primes(n, 45, 4), *ntt_primes(n, 58, high)]
    >>> parameters = ckks.Parameters.custom(
    ...     n, 2.0**58, q, ntt_primes(n, 60, 3), "insecure_by_request",
    ...     scales=[0, 0, 2.0**45, 2.0**47, 0])
    >>> bootstrapper = ckks.Bootstrapper(ckks.Context(parameters), slots=4, to_slots=[1, 1],
    ...                                  to_coefficients=[1, 1])
    >>> keys = bootstrapper.context.generate_keys()
    >>> evaluation = bootstrapper.make_keys(keys)
    >>> x = keys.encrypt([0.5, -0.25, 0.125, 1], slots=4).mod_switch(1)
    >>> y = evaluation.bootstrap(x)
    >>> x.levels_left, y.levels_left, keys.decrypt(y).round(3)
    (0, 2, array([ 0.5  , -0.25 ,  0.125,  1.   ]))
    """

    __slots__ = ("_context", "_core")

    def __init__(
        self,
        context: Context,
        *,
        slots: int | None = None,
        to_slots: Iterable[int] = (),
        to_coefficients: Iterable[int] = (),
        degree: int = 30,
        double_angles: int = 3,
        ratio_bits: int = 10,
        bound: float = 1,
    ) -> None:
        require(context, Context, "context")
        count = 0 if slots is None else arguments.integer("slots", slots, 2, context.slots)
        self._context = context
        self._core = _core.ckks.Bootstrapper(
            context._core,
            count,
            arguments.integers("to_slots", to_slots, 1, 17),
            arguments.integers("to_coefficients", to_coefficients, 1, 17),
            arguments.integer("degree", degree, 4, 254, "even"),
            arguments.integer("double_angles", double_angles, 0, 8),
            arguments.integer("ratio_bits", ratio_bits, 6, 30),
            arguments.number("bound", bound, 2.0**-100, 2.0**100, ""),
        )

    @classmethod
    def of(cls, name: str, **device: Any) -> Bootstrapper:
        """That of a set by name, with a context of its own.

        The secret of messages is 128-bit secure by the 2024 guidelines. The ephemeral one, of
        weight 32, is under one key alone, modulo 121 bits (96 at n = 2^15): no table covers that.

        Parameters
        ----------
        name : {"boot16_40", "boot16_45", "boot15_31"}
            log2 of n and of the scale. Keys take some 11 GB at n = 2^16.
        **device
            ``device``, ``threads`` and ``target`` of :class:`Context`.

        Raises
        ------
        ParameterError
            Lists the names.
        """
        core, options = _core.ckks.bootstrap_preset(str(name))
        return cls(Context(Parameters._wrap(core), **device), **options)

    @property
    def context(self) -> Context:
        """The context of the ciphertexts."""
        return self._context

    @property
    def level(self) -> int:
        """The level of results: one more than their :attr:`Ciphertext.levels_left`."""
        return int(self._core.level)

    @property
    def rotations(self) -> tuple[int, ...]:
        """The steps that it rotates by; :meth:`make_keys` makes their keys."""
        return tuple(self._core.rotations)

    @property
    def keys_bytes(self) -> int:
        """Bytes of the keys in the device's memory."""
        sizes = self._context.parameters.memory_sizes()
        return sizes["relinearization_key"] * 2 + sizes["rotation_key"] * (len(self.rotations) + 1)

    def make_keys(self, keys: rlwe.Keys | rlwe.SecretKey) -> BootstrapKeys:
        """Keys for ciphertexts of this secret; the ephemeral secret is forgotten.

        Raises
        ------
        ContextError
            The secret belongs to another context.
        UnsupportedError
            They take more memory than there is.
        """
        secret = (
            keys.secret if isinstance(keys, rlwe.Keys) else require(keys, rlwe.SecretKey, "keys")
        )
        require_context(self._context, ("keys", secret))
        self._context._core.require_memory(self.keys_bytes, "the keys of a bootstrap")
        return BootstrapKeys(self, self._core.make_keys(secret._core))

    def __reduce__(self) -> tuple[Any, ...]:
        raise ParameterError("a bootstrapper is not pickled: make it where it is used")

    def __repr__(self) -> str:
        return (
            f"<Bootstrapper to level {self.level}, {len(self.rotations)} rotations, keys of "
            f"{self.keys_bytes / 2**20:.0f} MiB, scale "
            f"2^{math.log2(self._context.scale(self.level)):.1f}, of {self._context!r}>"
        )
