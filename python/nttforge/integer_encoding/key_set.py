# SPDX-License-Identifier: Apache-2.0
"""All keys of one owner of integers, and encryption without handling encoders."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _arguments as arguments
from .. import rlwe
from ..errors import ParameterError
from ..rlwe._require import ENCODINGS
from .ciphertext import Ciphertext
from .context import Context
from .encoders import BatchEncoder, CoefficientEncoder
from .encryption import Decryptor, Encryptor
from .fixed_point import rounded, scale_argument

if TYPE_CHECKING:
    from ..typing import Encoding, Integers


class Keys(rlwe.Keys):
    """What :meth:`Context.generate_keys` makes; the secret key stays with its owner.

    ``encrypt``, ``decrypt`` and ``noise_budget_bits`` save the owner of all keys from handling
    encoders.
    """

    @property
    def context(self) -> Context:
        """The context of the keys."""
        return cast("Context", self.secret.context)

    @overload
    def encrypt(
        self,
        values: Integers,
        *,
        encoding: Encoding = "slots",
        signed: bool = True,
        scale: None = None,
    ) -> Ciphertext: ...

    @overload
    def encrypt(
        self,
        values: ArrayLike,
        *,
        encoding: Encoding = "slots",
        signed: bool = True,
        scale: float,
    ) -> Ciphertext: ...

    def encrypt(
        self,
        values: Integers | ArrayLike,
        *,
        encoding: Encoding = "slots",
        signed: bool = True,
        scale: float | None = None,
    ) -> Ciphertext:
        """Encodes integers, or numbers of fixed point, and encrypts them by the public key.

        Parameters
        ----------
        values : array of integers, shape (m,) or (batch, m) with m <= n
            Several rows make a batch of ciphertexts.
        encoding : {"slots", "coefficients"}
            Slots are multiplied one by one and can be rotated. Coefficients are multiplied as
            polynomials modulo X^n + 1.
        signed : bool
            True: values in [-floor(t/2), floor((t-1)/2)], for t = 2 in [0, 1]; False: in [0, t).
        scale : number, optional
            Values are real numbers; encrypted is each times ``scale``, rounded to an integer. A sum
            has the scale of its terms, a product the product of both scales; give it to
            :meth:`decrypt`. :class:`nttforge.EncryptedArray` keeps track of scales.

        Raises
        ------
        UnsupportedError
            The encoding is "slots" and t has none: it is not a prime = 1 (mod 2n).
        ParameterError, SizeError, ArgumentTypeError
            As :meth:`BatchEncoder.encode`.
        """
        arguments.choice("encoding", encoding, ENCODINGS)
        if scale is not None:
            if not signed:
                raise ParameterError("signed = False goes without a scale: leave one of them out")
            values = rounded(values, scale_argument(scale))
        integers = cast("Integers", values)
        return self._encryptor.encrypt(self._encoder(encoding).encode(integers, signed=signed))

    @overload
    def decrypt(
        self,
        ciphertext: Ciphertext,
        *,
        signed: Literal[True] = True,
        check: bool = True,
        scale: None = None,
    ) -> NDArray[np.int64]: ...

    @overload
    def decrypt(
        self,
        ciphertext: Ciphertext,
        *,
        signed: Literal[False],
        check: bool = True,
        scale: None = None,
    ) -> NDArray[np.uint64]: ...

    @overload
    def decrypt(
        self, ciphertext: Ciphertext, *, signed: bool, check: bool = True, scale: None = None
    ) -> NDArray[np.int64 | np.uint64]: ...

    @overload
    def decrypt(
        self,
        ciphertext: Ciphertext,
        *,
        signed: Literal[True] = True,
        check: bool = True,
        scale: float,
    ) -> NDArray[np.float64]: ...

    def decrypt(
        self,
        ciphertext: Ciphertext,
        *,
        signed: bool = True,
        check: bool = True,
        scale: float | None = None,
    ) -> NDArray[np.int64 | np.uint64] | NDArray[np.float64]:
        """All integers, decoded as the ciphertext was encoded: shape (n,), of a batch (batch, n).

        Parameters
        ----------
        ciphertext : Ciphertext
        signed : bool
            True: int64 in [-floor(t/2), floor((t-1)/2)], for t = 2 in [0, 1]; False: uint64 in
            [0, t).
        check : bool
            False: also where the noise is, or may be, exhausted; the result is then not what was
            computed.
        scale : number, optional
            The result is float64: each integer divided by ``scale``.

        Raises
        ------
        NoiseError
            As :meth:`Decryptor.decrypt`.

        Examples
        --------
        >>> from nttforge import bfv
        >>> keys = bfv.Context(bfv.Parameters.preset(4096)).generate_keys()
        >>> prices = keys.encrypt([1.25, -3.5], scale=100)
        >>> keys.decrypt(prices * 3, scale=100)[:2]
        array([  3.75, -10.5 ])
        """
        if scale is not None:
            scale = scale_argument(scale)
            if not signed:
                raise ParameterError("signed = False goes without a scale: leave one of them out")
        plaintext = self._decryptor.decrypt(ciphertext, check=check)
        values = self._encoder(plaintext.encoding).decode(plaintext, signed=signed)
        return values if scale is None else values / scale

    def noise_budget_bits(self, ciphertext: Ciphertext) -> float:
        """Bits of noise left, exactly (see :meth:`Decryptor.noise_budget_bits`)."""
        return self._decryptor.noise_budget_bits(ciphertext)

    def _encoder(self, encoding: Encoding) -> BatchEncoder | CoefficientEncoder:
        return self._batch_encoder if encoding == "slots" else self._coefficient_encoder

    @cached_property
    def _batch_encoder(self) -> BatchEncoder:
        return BatchEncoder(self.context)

    @cached_property
    def _coefficient_encoder(self) -> CoefficientEncoder:
        return CoefficientEncoder(self.context)

    @cached_property
    def _encryptor(self) -> Encryptor:
        return Encryptor(self.public)

    @cached_property
    def _decryptor(self) -> Decryptor:
        return Decryptor(self.secret)
