# SPDX-License-Identifier: Apache-2.0
"""Keys and their generator."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from .. import _arguments as arguments
from .. import _core
from ..errors import SizeError
from ._bytes import ENCODINGS, ContextObject, require, view

if TYPE_CHECKING:
    from ..typing import BytesLike, Encoding, Integers
    from .context import Context
    from .encoders import BatchEncoder, CoefficientEncoder
    from .encryption import Decryptor, Encryptor
    from .texts import Ciphertext

__all__ = ["KeyGenerator", "Keys", "PublicKey", "RelinearizationKey", "RotationKeys", "SecretKey"]


class SecretKey(ContextObject):
    """The secret. ``to_bytes`` and pickle write it in the clear: protect where that is stored."""

    __slots__ = ()
    _core_class = _core.bfv.SecretKey


class PublicKey(ContextObject):
    """Encrypts; may be given to anyone."""

    __slots__ = ()
    _core_class = _core.bfv.PublicKey


class RelinearizationKey(ContextObject):
    """Brings products back to two parts; may be given to whoever computes."""

    __slots__ = ()
    _core_class = _core.bfv.RelinearizationKey


class RotationKeys(ContextObject):
    """Rotates slots by the steps it was made for; may be given to whoever computes."""

    __slots__ = ()
    _core_class = _core.bfv.RotationKeys

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


@dataclass(frozen=True)
class Keys:
    """What :meth:`Context.generate_keys` makes; the secret key stays with its owner.

    ``encrypt``, ``decrypt`` and ``noise_budget`` save the owner of all keys from handling encoders.
    """

    secret: SecretKey
    public: PublicKey
    relinearization: RelinearizationKey | None = None
    rotations: RotationKeys | None = None

    @property
    def context(self) -> Context:
        """The context of the keys."""
        return self.secret.context

    def encrypt(
        self, values: Integers, *, encoding: Encoding = "slots", signed: bool = True
    ) -> Ciphertext:
        """Encodes integers and encrypts them by the public key.

        Parameters
        ----------
        values : array of integers, shape (m,) with m <= n
        encoding : {"slots", "coefficients"}
            Slots are multiplied one by one and can be rotated. Coefficients are multiplied as
            polynomials modulo X^n + 1.
        signed : bool
            True: values in [-floor(t/2), floor((t-1)/2)]; False: in [0, t).

        Raises
        ------
        UnsupportedError
            The encoding is "slots" and t has none: it is not a prime = 1 (mod 2n).
        ParameterError, SizeError, ArgumentTypeError
            As :meth:`BatchEncoder.encode`.
        """
        arguments.choice("encoding", encoding, ENCODINGS)
        return self._encryptor.encrypt(self._encoder(encoding).encode(values, signed=signed))

    @overload
    def decrypt(
        self, ciphertext: Ciphertext, signed: Literal[True] = True, *, check: bool = True
    ) -> NDArray[np.int64]: ...

    @overload
    def decrypt(
        self, ciphertext: Ciphertext, signed: Literal[False], *, check: bool = True
    ) -> NDArray[np.uint64]: ...

    @overload
    def decrypt(
        self, ciphertext: Ciphertext, signed: bool, *, check: bool = True
    ) -> NDArray[np.int64 | np.uint64]: ...

    def decrypt(
        self, ciphertext: Ciphertext, signed: bool = True, *, check: bool = True
    ) -> NDArray[np.int64 | np.uint64]:
        """All n integers, decoded as the ciphertext was encoded.

        Parameters
        ----------
        ciphertext : Ciphertext
        signed : bool
            True: int64 in [-floor(t/2), floor((t-1)/2)]; False: uint64 in [0, t).
        check : bool
            False: also where the noise is, or may be, exhausted; the result is then not what was
            computed.

        Raises
        ------
        NoiseError
            As :meth:`Decryptor.decrypt`.
        """
        plaintext = self._decryptor.decrypt(ciphertext, check=check)
        encoder = self._encoder(plaintext.encoding)
        return encoder.decode_signed(plaintext) if signed else encoder.decode(plaintext)

    def noise_budget(self, ciphertext: Ciphertext) -> float:
        """Bits of noise left, exactly (see :meth:`Decryptor.noise_budget_bits`)."""
        return self._decryptor.noise_budget_bits(ciphertext)

    def _encoder(self, encoding: Encoding) -> BatchEncoder | CoefficientEncoder:
        return self._batch_encoder if encoding == "slots" else self._coefficient_encoder

    @cached_property
    def _batch_encoder(self) -> BatchEncoder:
        from .encoders import BatchEncoder

        return BatchEncoder(self.context)

    @cached_property
    def _coefficient_encoder(self) -> CoefficientEncoder:
        from .encoders import CoefficientEncoder

        return CoefficientEncoder(self.context)

    @cached_property
    def _encryptor(self) -> Encryptor:
        from .encryption import Encryptor

        return Encryptor(self.public)

    @cached_property
    def _decryptor(self) -> Decryptor:
        from .encryption import Decryptor

        return Decryptor(self.secret)

    def __reduce__(self) -> tuple[Any, ...]:
        return Keys, (self.secret, self.public, self.relinearization, self.rotations)

    def __repr__(self) -> str:
        steps = list(self.rotations.steps) if self.rotations is not None else []
        relinearization = "with" if self.relinearization is not None else "without"
        return f"<Keys of {self.context!r}, {relinearization} relinearization, rotations {steps}>"


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
            self._core = _core.bfv.KeyGenerator(owner._core)
            return
        from .context import Context

        self._context = require(owner, Context, "owner")
        arguments_ = () if seed is None else (seed_array(seed),)
        self._core = _core.bfv.KeyGenerator(self._context._core, *arguments_)

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
        return self.rotation_keys(_core.bfv.inner_sum_steps(n, span), columns=span == n)

    def __reduce__(self) -> tuple[Any, ...]:
        # Makes keys for the same secret, with fresh randomness.
        return KeyGenerator, (self.secret_key(),)
