# SPDX-License-Identifier: Apache-2.0
"""Plaintexts, and those that are ready to be multiplied with."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from .. import _core, rlwe
from ..arrays import new_array
from ..rlwe.batches import BatchObject
from ..rlwe.objects import ContextObject

if TYPE_CHECKING:
    from ..typing import BytesLike, Encoding


class Plaintext(BatchObject):
    """A polynomial modulo t, or a batch, and what it encodes; by an encoder or a decryptor."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]
    _core_class = _core.rlwe.Plaintext

    @property
    def encoding(self) -> Encoding:
        """What its integers are: "slots" or "coefficients"."""
        return cast("Encoding", self._core.encoding)

    @property
    def coefficients(self) -> NDArray[np.uint64]:
        """The coefficients in [0, t), shape (n,), of a batch (batch, n); a copy."""
        out = new_array((*self._batch_shape, self._context.n), np.dtype(np.uint64))
        self._core.coefficients(out)
        return out

    def prepare(self) -> PreparedPlaintext:
        """The same, transformed once for many multiplications."""
        prepared = PreparedPlaintext._wrap(self._context, _core.rlwe.PreparedPlaintext(self._core))
        object.__setattr__(prepared, "_plaintext", self)
        return prepared

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Plaintext):
            return NotImplemented
        return self._context.fingerprint == other._context.fingerprint and bool(
            self._core.equals(other._core)
        )


class PreparedPlaintext(ContextObject):
    """A plaintext transformed once, for many multiplications; made by :meth:`Plaintext.prepare`."""

    __slots__ = ("_plaintext",)
    _plaintext: Plaintext

    @property
    def encoding(self) -> Encoding:
        """What its integers are: "slots" or "coefficients"."""
        return self._plaintext.encoding

    @property
    def batch(self) -> int:
        """Number of plaintexts: 1 multiplies every element of a batch of ciphertexts."""
        return self._plaintext.batch

    @property
    def plaintext(self) -> Plaintext:
        """What it was made from."""
        return self._plaintext

    def to_bytes(self) -> bytes:
        """The bytes of the plaintext it was made from; read them with ``Plaintext.from_bytes``."""
        return self._plaintext.to_bytes()

    @classmethod
    def from_bytes(cls, context: rlwe.Context, data: BytesLike) -> PreparedPlaintext:
        """Reads a plaintext and prepares it."""
        return Plaintext.from_bytes(context, data).prepare()
