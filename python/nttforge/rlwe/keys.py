# SPDX-License-Identifier: Apache-2.0
"""Keys and their generator."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .. import _arguments as arguments
from .. import _core
from ..errors import SizeError
from ._require import require, view
from .context import Context
from .objects import ContextObject

if TYPE_CHECKING:
    from typing import Any

    from ..typing import BytesLike

__all__ = ["KeyGenerator", "PublicKey", "RelinearizationKey", "RotationKeys", "SecretKey"]


class SecretKey(ContextObject):
    """The secret. ``to_bytes`` and pickle write it in the clear: protect where that is stored."""

    __slots__ = ()
    _core_class = _core.rlwe.SecretKey


class PublicKey(ContextObject):
    """Encrypts; may be given to anyone."""

    __slots__ = ()
    _core_class = _core.rlwe.PublicKey


class RelinearizationKey(ContextObject):
    """Brings products back to two parts; may be given to whoever computes."""

    __slots__ = ()
    _core_class = _core.rlwe.RelinearizationKey


class RotationKeys(ContextObject):
    """Rotates slots by the steps it was made for; may be given to whoever computes."""

    __slots__ = ()
    _core_class = _core.rlwe.RotationKeys

    @property
    def steps(self) -> tuple[int, ...]:
        """Row steps there are keys for, increasing, in (-n/4, n/4]."""
        return tuple(self._core.steps)

    @property
    def has_column_swap(self) -> bool:
        """Whether the key that swaps the two rows is there."""
        return bool(self._core.has_column_swap)

    @property
    def elements(self) -> tuple[int, ...]:
        """Galois elements there are keys for."""
        return tuple(self._core.elements)


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
    """

    __slots__ = ("_context", "_core")

    def __init__(self, owner: Context | SecretKey, seed: bytes | None = None) -> None:
        if isinstance(owner, SecretKey):
            if seed is not None:
                raise SizeError("seed is given for an existing secret key: leave it out")
            self._context = owner.context
            self._core = _core.rlwe.KeyGenerator(owner._core)
            return
        self._context = require(owner, Context, "owner")
        arguments_ = () if seed is None else (seed_array(seed),)
        self._core = _core.rlwe.KeyGenerator(self._context._core, *arguments_)

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

    def rotation_keys(self, steps: Iterable[int], columns: bool = False) -> RotationKeys:
        """Keys for exactly these row steps, in (-n/2, n/2), and the column swap if asked.

        Raises
        ------
        ParameterError
            A step is out of range.
        UnsupportedError
            The parameters have no special prime, or the keys take more memory than there is.
        """
        values = arguments.integers("steps", steps, -(2**62), 2**62)
        return RotationKeys._wrap(self._context, self._core.rotation_keys(values, bool(columns)))

    def inner_sum_keys(self, span: int) -> RotationKeys:
        """Keys for :meth:`Evaluator.inner_sum` over ``span`` slots, a power of two up to n."""
        n = self._context.n
        span = arguments.integer("span", span, 1, n, "a power of two up to n")
        return self.rotation_keys(_core.rlwe.inner_sum_steps(n, span), columns=span == n)

    def __reduce__(self) -> tuple[Any, ...]:
        # Makes keys for the same secret, with fresh randomness.
        return KeyGenerator, (self.secret_key(),)
