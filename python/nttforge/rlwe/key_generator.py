# SPDX-License-Identifier: Apache-2.0
"""The generator of keys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, get_args

import numpy as np
from numpy.typing import NDArray

from .. import _arguments as arguments
from .. import _core
from .._secrecy import hold_secret
from ..errors import ParameterError, SizeError
from ..typing import SecretDistribution
from ._require import require, view
from .context import Context
from .keys import (
    KeySwitchKey,
    PublicKey,
    RelinearizationKey,
    RotationKeys,
    SecretKey,
    offload_argument,
)
from .objects import require_context

if TYPE_CHECKING:
    from typing import Any

    from ..typing import BytesLike


def seed_array(seed: BytesLike) -> NDArray[np.uint8]:
    """A seed of 32 bytes, checked."""
    data = view(seed)
    if data.size != 32:
        raise SizeError(f"seed has {data.size} bytes: need 32; for tests only")
    return data


class KeyGenerator:
    """Makes keys for one secret; the same key each time it is asked.

    Parameters
    ----------
    owner : Context or SecretKey
        A context draws a new secret; a secret key makes more keys for itself.
    seed : bytes, optional
        32 bytes from which everything follows: for tests only.
    secret : str, optional
        Distribution of a new secret, if it is not that of the parameters: ``"sparse"``, for an
        ephemeral secret. No table of security covers it.
    secret_weight : int
        How many coefficients of a sparse secret are not 0, at most half of what the parameters'
        own have.

    Raises
    ------
    ParameterError
        The secret may be longer than those of the parameters.
    """

    __slots__ = ("_context", "_core")

    def __init__(
        self,
        owner: Context | SecretKey,
        seed: bytes | None = None,
        *,
        secret: SecretDistribution | None = None,
        secret_weight: int = 0,
    ) -> None:
        if isinstance(owner, SecretKey):
            if seed is not None:
                raise SizeError("seed is given for an existing secret key: leave it out")
            if secret is not None:
                raise ParameterError("secret is given for an existing secret key: leave it out")
            self._context = owner.context
            self._core = _core.rlwe.KeyGenerator(owner._core)
            return
        self._context = require(owner, Context, "owner")
        arguments_ = () if seed is None else (seed_array(seed),)
        hold_secret("a key generator")
        weight = arguments.integer("secret_weight", secret_weight, 0, 2**17)
        if secret is not None:
            arguments.choice("secret", secret, get_args(SecretDistribution))
        self._core = _core.rlwe.KeyGenerator(self._context._core, secret, weight, *arguments_)

    @property
    def context(self) -> Context:
        """The context of the keys."""
        return self._context

    def secret_key(self) -> SecretKey:
        """The secret key."""
        return SecretKey._wrap(self._context, self._core.secret_key())

    def public_key(self) -> PublicKey:
        """The public key."""
        return PublicKey._wrap(self._context, self._core.public_key())

    def relinearization_key(self) -> RelinearizationKey:
        """The key for products. Raises UnsupportedError without special prime."""
        return RelinearizationKey._wrap(self._context, self._core.relinearization_key())

    def rotation_keys(
        self, steps: Iterable[int], swap_columns: bool = False, *, offload: int | None = None
    ) -> RotationKeys:
        """Keys for exactly these row steps, in (-n/2, n/2).

        Parameters
        ----------
        steps : iterable of int
        swap_columns : bool
            Also the key that swaps the two rows.
        offload : int, optional
            Moves each key to host memory as soon as it is made, as :meth:`RotationKeys.offload`
            with so many cached.

        Raises
        ------
        ParameterError
            A step is out of range.
        UnsupportedError
            The parameters have no special prime, or the keys take more memory than there is.
        """
        values = arguments.integers("steps", steps, -(2**62), 2**62)
        kept = offload_argument(offload)
        core = self._core.rotation_keys(values, bool(swap_columns), kept)
        return RotationKeys._wrap(self._context, core)

    def inner_sum_keys(self, span: int) -> RotationKeys:
        """Keys for :meth:`Ciphertext.inner_sum` over ``span`` slots, a power of two up to n."""
        n = self._context.n
        span = arguments.integer("span", span, 1, n, "a power of two up to n")
        return self.rotation_keys(_core.rlwe.inner_sum_steps(n, span), swap_columns=span == n)

    def galois_keys(self, elements: Iterable[int], *, offload: int | None = None) -> RotationKeys:
        """Keys for automorphisms X -> X^element (:meth:`Ciphertext.apply_galois`).

        Parameters
        ----------
        elements : iterable of int
            Odd, in (1, 2n).
        offload : int, optional
            As for :meth:`rotation_keys`.
        """
        values = arguments.integers("elements", elements, 1, 2 * self._context.n - 1)
        core = self._core.galois_keys(values, offload_argument(offload))
        return RotationKeys._wrap(self._context, core)

    def expansion_keys(self, count: int) -> RotationKeys:
        """Keys for :meth:`Ciphertext.expand` into ``count`` ciphertexts: about log2(count)."""
        n = self._context.n
        count = arguments.integer("count", count, 1, n)
        return self.galois_keys(_core.rlwe.expansion_elements(n, count))

    def key_switch_key(
        self,
        source: SecretKey,
        target: SecretKey,
        index: int,
        level: int = 0,
        special: int = 0,
    ) -> KeySwitchKey:
        """A key that switches ciphertexts of a level and below from one secret to another.

        For sparse-secret encapsulation, for instance: a key to a sparse secret must be at the
        lowest level, since that secret is as safe as the primes of the key and its weight let it
        be.

        Parameters
        ----------
        source, target : SecretKey
        index : int
            Each pair of secrets has its own, below 2^22: two keys of one index would tell the
            difference of their secrets.
        level : int
            The highest level of ciphertexts that it is for; 0: the highest of all.
        special : int
            Special primes that it has, the first ones; 0: all. Fewer make its modulus smaller, for
            a sparse secret, and its noise larger; such a key is for one level.

        Raises
        ------
        ParameterError
            The index has made a key for other secrets, or the level is out of range.
        ContextError
            A secret belongs to other parameters.
        UnsupportedError
            The parameters have no special prime.

        Examples
        --------
        >>> from nttforge import bfv
        >>> context = bfv.Context(bfv.Parameters.preset(4096))
        >>> keys = context.generate_keys()
        >>> sparse = bfv.KeyGenerator(context, secret="sparse", secret_weight=64).secret_key()
        >>> key = bfv.KeyGenerator(context).key_switch_key(keys.secret, sparse, index=0)
        >>> inside = keys.encrypt([1, 2]).switch_secret(key)
        >>> bfv.BatchEncoder(context).decode(bfv.Decryptor(sparse).decrypt(inside))[:2]
        array([1, 2])
        """
        require(source, SecretKey, "source")
        require(target, SecretKey, "target")
        require_context(self._context, ("source", source), ("target", target))
        index = arguments.integer("index", index, 0, 2**22 - 1)
        level = arguments.integer("level", level, 0, self._context.parameters.top_level)
        special = arguments.integer("special", special, 0, len(self._context.parameters.special))
        core = self._core.key_switch_key(source._core, target._core, index, level, special)
        return KeySwitchKey._wrap(self._context, core)

    def __reduce__(self) -> tuple[Any, ...]:
        # Makes keys for the same secret, with fresh randomness.
        return KeyGenerator, (self.secret_key(),)
