# SPDX-License-Identifier: Apache-2.0
"""Encryption and decryption."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from .. import _arguments as arguments
from .. import _core
from ..arrays import new_array
from ..rlwe._require import require
from ..rlwe.encryption import DecryptorBase, EncryptorBase
from ..rlwe.objects import require_context
from .ciphertext import Ciphertext
from .plaintext import Plaintext

__all__ = ["Decryptor", "Encryptor"]


class Encryptor(EncryptorBase):
    """Encrypts with the public key, or with the secret key (less noise, half the bytes).

    Parameters
    ----------
    key : PublicKey or SecretKey
    """

    __slots__ = ()
    _core_class = _core.ckks.Encryptor

    def encrypt(
        self,
        plaintext: Plaintext,
        *,
        scale: float | None = None,
        seed: bytes | None = None,
        index: int = 0,
    ) -> Ciphertext:
        """A fresh encryption; of a batch of messages a batch of ciphertexts.

        Parameters
        ----------
        plaintext : Plaintext
        scale : float, optional
            What numbers are multiplied with, 1 ... 2^100, by default :attr:`Parameters.scale`.
            Another one costs the first sum with others a level.
        seed : bytes, optional
            32 bytes that make the result reproducible: for tests only. Never use a (seed, index)
            twice. By default the operating system's generator.
        index : int
            Goes with ``seed``; below 2^32. Element b of a batch takes the index ``index + b``.

        Raises
        ------
        PrecisionError
            Numbers up to the bound do not fit below the modulus at this scale.
        ContextError, ParameterError
            The plaintext belongs to another context, or an argument is out of range.
        """
        require(plaintext, Plaintext, "plaintext")
        require_context(self._context, ("plaintext", plaintext))
        given = None
        if scale is not None:
            given = (arguments.number("scale", scale, 1, 2.0**100, ""), 0.0)
        core = self._encrypted(plaintext._encode(0, given), seed, index)
        return Ciphertext._wrap(self._context, core)


class Decryptor(DecryptorBase):
    """Decrypts with the secret key.

    Parameters
    ----------
    key : SecretKey
    """

    __slots__ = ()
    _core_class = _core.ckks.Decryptor

    @overload
    def decrypt(
        self, ciphertext: Ciphertext, *, with_precision: Literal[False] = False
    ) -> NDArray[np.float64] | NDArray[np.complex128]: ...

    @overload
    def decrypt(
        self, ciphertext: Ciphertext, *, with_precision: Literal[True]
    ) -> tuple[NDArray[np.float64] | NDArray[np.complex128], float]: ...

    def decrypt(self, ciphertext: Ciphertext, *, with_precision: bool = False) -> Any:
        """All numbers: shape (slots,) or of coefficients (n,), of a batch with the batch in front.

        float64 where the ciphertext is :attr:`~Ciphertext.real`, else complex128. They are close to
        what was computed, not equal: each is off by at most :attr:`Ciphertext.error`.

        What is decrypted tells something of the secret key to whoever chose the computation and
        sees all digits [LM21]: give others results that were rounded well above the error.

        Parameters
        ----------
        ciphertext : Ciphertext
        with_precision : bool
            True: also the bits behind the point that can be relied on, a float: -log2 of the
            largest absolute error of any of the numbers, by the heuristic bound.

        Raises
        ------
        PrecisionError
            By that bound the error may be as large as the numbers.
        ContextError
            The ciphertext belongs to another context.
        """
        self._check(ciphertext)
        if ciphertext.encoding == "coefficients":
            real = new_array((*ciphertext._batch_shape, self._context.n), np.dtype(np.float64))
            self._core.decrypt(ciphertext._core, real)
            values: NDArray[Any] = real
        else:
            shape = (*ciphertext._batch_shape, ciphertext.slots)
            values = new_array(shape, np.dtype(np.complex128))
            self._core.decrypt(ciphertext._core, values)
            if ciphertext.real:
                values = np.real(values).copy()
        return (values, ciphertext.precision_bits) if with_precision else values
