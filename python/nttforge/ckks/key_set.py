# SPDX-License-Identifier: Apache-2.0
"""All keys of one owner of numbers, and encryption without handling plaintexts."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import rlwe
from .ciphertext import Ciphertext
from .encryption import Decryptor, Encryptor
from .plaintext import Plaintext

if TYPE_CHECKING:
    from ..typing import Encoding, GpuArray


class Keys(rlwe.Keys):
    """What :meth:`Context.generate_keys` makes; the secret key stays with its owner."""

    def encrypt(
        self,
        values: ArrayLike | GpuArray,
        bound: float = 1,
        slots: int | None = None,
        scale: float | None = None,
        encoding: Encoding = "slots",
    ) -> Ciphertext:
        """Encodes numbers and encrypts them by the public key.

        Parameters
        ----------
        values : array of numbers, shape (m,) or (batch, m), or one number
            As :class:`Plaintext` takes them. Real numbers, integers among them, are decrypted as
            float64, complex ones as complex128; :meth:`Decryptor.decrypt_on_device` gives an array
            on a GPU back.
        bound : number
            Every real and imaginary part is at most this in absolute value. It is public, and what
            is said of the precision of results follows from it.
        slots : int, optional
            Numbers of the message, a power of two up to n/2, which is the default. Ciphertexts of
            different numbers of slots do not mix.
        scale : float, optional
            As for :meth:`Encryptor.encrypt`.
        encoding : {"slots", "coefficients"}
            Slots are multiplied one by one and can be rotated. Coefficients, up to n real ones, are
            multiplied as polynomials modulo X^n + 1.

        Raises
        ------
        ParameterError
            A value is NaN or infinite, or beyond the bound.
        SizeError, ArgumentTypeError
            Too many values, or no numbers.
        PrecisionError
            Numbers up to the bound do not fit below the modulus.

        Examples
        --------
        >>> from nttforge import ckks
        >>> keys = ckks.Context(ckks.Parameters.preset(2**13, 36)).generate_keys()
        >>> keys.decrypt(keys.encrypt([0.5, -0.25, 1]))[:3].round(3)
        array([ 0.5 , -0.25,  1.  ])
        """
        plaintext = Plaintext(self.context, values, bound=bound, slots=slots, encoding=encoding)
        return self._encryptor.encrypt(plaintext, scale=scale)

    @overload
    def decrypt(
        self, ciphertext: Ciphertext, *, with_precision: Literal[False] = False
    ) -> NDArray[np.float64] | NDArray[np.complex128]: ...

    @overload
    def decrypt(
        self, ciphertext: Ciphertext, *, with_precision: Literal[True]
    ) -> tuple[NDArray[np.float64] | NDArray[np.complex128], float]: ...

    def decrypt(self, ciphertext: Ciphertext, *, with_precision: bool = False) -> Any:
        """All numbers, as :meth:`Decryptor.decrypt` says.

        Examples
        --------
        >>> from nttforge import ckks
        >>> keys = ckks.Context(ckks.Parameters.preset(2**13, 36)).generate_keys()
        >>> values, bits = keys.decrypt(keys.encrypt(0.5) * 3, with_precision=True)
        >>> bool(abs(values - 1.5).max() < 2**-bits), bits > 15
        (True, True)
        """
        if with_precision:
            return self._decryptor.decrypt(ciphertext, with_precision=True)
        return self._decryptor.decrypt(ciphertext)

    @cached_property
    def _encryptor(self) -> Encryptor:
        return Encryptor(self.public)

    @cached_property
    def _decryptor(self) -> Decryptor:
        return Decryptor(self.secret)
