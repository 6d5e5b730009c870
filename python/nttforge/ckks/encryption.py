# SPDX-License-Identifier: Apache-2.0
"""Encryption and decryption."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from .. import _arguments as arguments
from .. import _core, rlwe
from ..arrays import new_array
from ..errors import ParameterError
from ..rlwe._require import require
from ..rlwe.encryption import DecryptorBase, EncryptorBase
from ..rlwe.objects import require_context
from .ciphertext import Ciphertext
from .device_numbers import place_for
from .plaintext import Plaintext

if TYPE_CHECKING:
    from ..typing import NoiseBound


class Encryptor(EncryptorBase[rlwe.Context]):
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
        seed, index
            As for :meth:`nttforge.bfv.Encryptor.encrypt`: for tests only.

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


class Decryptor(DecryptorBase[rlwe.Context]):
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
        sees all digits [LM21]: give others those of :meth:`decrypt_shared`.

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
        values = self._decrypted(ciphertext, None)
        return (values, ciphertext.precision_bits) if with_precision else values

    def decrypt_on_device(self, ciphertext: Ciphertext, out: Any) -> Any:
        """All numbers of slots, written to an array on the context's GPU and nowhere else.

        Parameters
        ----------
        ciphertext : Ciphertext
        out : array on the device (CuPy, PyTorch, DLPack, ``__cuda_array_interface__``)
            complex128 of the shape that :meth:`decrypt` gives; of a ciphertext that is real the
            imaginary parts are 0. It is returned.

        Raises
        ------
        PrecisionError, ContextError, ParameterError, SizeError, ArgumentTypeError
            As :meth:`decrypt`; it has coefficients; the array is elsewhere, or does not fit.
        """
        self._check(ciphertext)
        if ciphertext.encoding == "coefficients":
            raise ParameterError("ciphertext has coefficients: decrypt gives them, on the host")
        shape = (*ciphertext._batch_shape, ciphertext.slots)
        self._core.decrypt_on_device(ciphertext._core, place_for(self._context, shape, out))
        return out

    def decrypt_shared(
        self,
        ciphertext: Ciphertext,
        *,
        security_bits: int = 64,
        bound: NoiseBound = "proved",
        proved_error: float | None = None,
        with_precision: bool = False,
    ) -> Any:
        """The numbers, for others to see, who may have chosen the computation (IND-CPA-D).

        Flooding noise from a fresh seed of the operating system hides the error
        (docs/bounds/ckks_noise.md): answers depend on it with a statistical distance of at most
        2^-security_bits, and N answers on N times that. It costs security_bits + 1.5 log2 n + 2
        bits of precision below those of the bound: take a scale that has them.

        Parameters
        ----------
        ciphertext : Ciphertext
        security_bits : int
            20 ... 128.
        bound : {"proved", "heuristic"}
            Which bound on the error is believed, see :meth:`nttforge.bfv.Decryptor.decrypt_shared`.
        proved_error : float, optional
            What you know the error to stay within, in place of what the ciphertext says: from your
            own run of the computation, ``f(x).proved_error``; never from who sends the ciphertext.
        with_precision : bool
            As for :meth:`decrypt`, flooding included.

        Raises
        ------
        PrecisionError
            The bound says nothing, or flooding leaves no bit of the numbers.
        ParameterError
            An argument is out of range, or ``proved_error`` goes with another bound.
        ContextError
            The ciphertext belongs to another context.

        Examples
        --------
        >>> from nttforge import ckks
        >>> context = ckks.Context(ckks.Parameters.preset(2**14, 45))
        >>> keys = context.generate_keys()
        >>> x = keys.encrypt([0.5, -0.25], slots=2, scale=2.0**100)
        >>> ckks.Decryptor(keys.secret).decrypt_shared(x).round(2)
        array([ 0.5 , -0.25])
        """
        self._check(ciphertext)
        bits = arguments.integer("security_bits", security_bits, 20, 128)
        arguments.choice("bound", bound, ("proved", "heuristic"))
        if proved_error is not None:
            proved_error = arguments.number("proved_error", proved_error, 2.0**-900, 2.0**900, "")
            if bound != "proved":
                raise ParameterError(
                    f"bound = {bound!r} and proved_error are both given: leave one of them out"
                )
        shared = (bits, bound == "proved", proved_error)
        values = self._decrypted(ciphertext, shared)
        if not with_precision:
            return values
        return values, -float(_core.ckks.shared_error_log2(ciphertext._core, shared))

    def _decrypted(
        self, ciphertext: Ciphertext, shared: tuple[int, bool, float | None] | None
    ) -> NDArray[Any]:
        self._check(ciphertext)
        if ciphertext.encoding == "coefficients":
            real = new_array((*ciphertext._batch_shape, self._context.n), np.dtype(np.float64))
            self._core.decrypt(ciphertext._core, real, shared)
            return real
        shape = (*ciphertext._batch_shape, ciphertext.slots)
        values = new_array(shape, np.dtype(np.complex128))
        self._core.decrypt(ciphertext._core, values, shared)
        return np.real(values).copy() if ciphertext.real else values
