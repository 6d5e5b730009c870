# SPDX-License-Identifier: Apache-2.0
"""Integers into plaintexts and back."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import _arguments as arguments
from .. import _core
from ..arrays import new_array
from ..errors import ArgumentTypeError, ParameterError, SizeError
from ._bytes import require, require_context
from .context import Context
from .texts import Plaintext

__all__ = ["BatchEncoder", "CoefficientEncoder"]


class _Encoder:
    __slots__ = ("_context", "_core")
    _core_class: ClassVar[Any]

    def __init__(self, context: Context) -> None:
        self._context: Context = require(context, Context, "context")
        self._core = self._core_class(context._core)

    @property
    def context(self) -> Context:
        """The context of the plaintexts."""
        return self._context

    def encode(self, values: Any) -> Plaintext:
        """A plaintext of at most n integers; the rest is zero.

        Parameters
        ----------
        values : array of integers, shape (m,) with m <= n
            Unsigned dtypes, and lists without negative values: in [0, t). Signed dtypes, and lists
            with negative values: in [-floor(t/2), floor((t-1)/2)], where a negative value stands
            for t + value. uint64 and int64 arrays are not copied.

        Raises
        ------
        ParameterError
            A value is out of range; the message says which.
        SizeError, ArgumentTypeError
            Too many values; not an array of integers.
        """
        array = _integers(values)
        if array.ndim != 1:
            raise SizeError(f"values has shape {array.shape}: need one row of at most n integers")
        if array.size > self._context.n:
            raise SizeError(
                f"values has {array.size} entries: need at most n = {self._context.n}; "
                "use several plaintexts"
            )
        return Plaintext._wrap(self._context, self._core.encode(np.ascontiguousarray(array)))

    def decode(self, plaintext: Plaintext) -> NDArray[np.uint64]:
        """All n values, in [0, t)."""
        return self._decode(plaintext, np.uint64)

    def decode_signed(self, plaintext: Plaintext) -> NDArray[np.int64]:
        """All n values, in [-floor(t/2), floor((t-1)/2)]."""
        return self._decode(plaintext, np.int64)

    def _decode(self, plaintext: Plaintext, dtype: type[np.integer[Any]]) -> NDArray[Any]:
        require(plaintext, Plaintext, "plaintext")
        require_context(self._context, ("plaintext", plaintext))
        out = new_array((self._context.n,), np.dtype(dtype))
        self._core.decode(plaintext._core, out)
        return out

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._context,)


class BatchEncoder(_Encoder):
    """n slots modulo t, as two rows of n/2 (row 0 first); arithmetic acts slot by slot.

    Parameters
    ----------
    context : Context
        With t a prime = 1 (mod 2n).

    Raises
    ------
    UnsupportedError
        t is no such prime; the message says which would do.

    Examples
    --------
    >>> from nttforge.bfv import Context, Parameters
    >>> encoder = BatchEncoder(Context(Parameters.preset(4096)))
    >>> encoder.decode_signed(encoder.encode([3, -1, 4]))[:4]
    array([ 3, -1,  4,  0])
    """

    __slots__ = ()
    _core_class = _core.bfv.BatchEncoder

    @property
    def slots(self) -> int:
        """n."""
        return self._context.n

    @property
    def row_size(self) -> int:
        """n / 2: rotations act within each row."""
        return self._context.n // 2


class CoefficientEncoder(_Encoder):
    """n coefficients modulo t; multiplication is the negacyclic product. Any t, also 2.

    Parameters
    ----------
    context : Context
    """

    __slots__ = ()
    _core_class = _core.bfv.CoefficientEncoder


def _integers(values: Any) -> NDArray[Any]:
    """An array of uint64 or int64 with the same values."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise SizeError(
            "values has rows of different lengths: need one row of at most n integers"
        ) from None
    if array.dtype == object:
        array = _from_objects(values, array)
    if array.size == 0 and not isinstance(values, np.ndarray):
        return np.empty(0, dtype=np.uint64)
    if not isinstance(values, np.ndarray) and array.dtype.kind == "i" and array.min() >= 0:
        return array.astype(np.uint64)
    if array.dtype.kind in "ub":
        return array.astype(np.uint64, copy=False)
    if array.dtype.kind == "i":
        return array.astype(np.int64, copy=False)
    raise ArgumentTypeError(
        f"values has dtype {array.dtype}: need integers; round and scale first, for example "
        "numpy.rint(values * scale).astype(numpy.int64)"
    )


def _from_objects(values: Any, array: NDArray[Any]) -> NDArray[Any]:
    """Python integers that NumPy could not, or was told not to, make words of."""
    if array.ndim == 0:
        raise ArgumentTypeError(f"values is a {type(values).__name__}: need an array of integers")
    for index, value in np.ndenumerate(array):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise ArgumentTypeError(
                f"values{list(index)} = {value!r}: need an integer, got {type(value).__name__}"
            )
        if not -(2**63) <= value < 2**63:
            text = arguments.number_text(int(value))
            raise ParameterError(
                f"values{list(index)} = {text} is beyond 64 bits: need values in [-t/2, t)"
            )
    return array.astype(np.int64) if (array < 0).any() else array.astype(np.uint64)
