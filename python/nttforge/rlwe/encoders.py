# SPDX-License-Identifier: Apache-2.0
"""Integers into plaintexts and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import _arguments as arguments
from .. import _core
from ..arrays import new_array
from ..errors import ArgumentTypeError, ParameterError, SizeError
from ._require import MAX_BATCH, require
from .context import Context
from .objects import require_context
from .texts import Plaintext

if TYPE_CHECKING:
    from ..typing import Integers

__all__ = ["BatchEncoder", "CoefficientEncoder"]

Word = TypeVar("Word", np.int64, np.uint64)


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

    def encode(self, values: Integers, *, signed: bool = True) -> Plaintext:
        """A plaintext of at most n integers, or a batch of such; the rest is zero.

        Parameters
        ----------
        values : array of integers, shape (m,) or (batch, m) with m <= n and batch <= 2^20
            One row makes a single plaintext. uint64 and int64 arrays are not copied. The dtype does
            not choose the range.
        signed : bool
            True: values in [-floor(t/2), floor((t-1)/2)], a negative one stands for t + value.
            False: values in [0, t).

        Raises
        ------
        ParameterError
            A value is out of range; the message says which.
        SizeError, ArgumentTypeError
            Too many values; not an array of integers.
        """
        array = _integers(values, signed, self._context.t)
        if array.ndim not in (1, 2) or (array.ndim == 2 and not 1 <= len(array) <= MAX_BATCH):
            raise SizeError(
                f"values has shape {array.shape}: need one row of at most n integers, or 1 to "
                "2^20 such rows, which make a batch"
            )
        if array.shape[-1] > self._context.n:
            rows = "entries" if array.ndim == 1 else "entries a row"
            raise SizeError(
                f"values has {array.shape[-1]} {rows}: need at most n = {self._context.n}; "
                "use several plaintexts"
            )
        return Plaintext._wrap(self._context, self._core.encode(np.ascontiguousarray(array)))

    def decode(self, plaintext: Plaintext) -> NDArray[np.uint64]:
        """All values, in [0, t): shape (n,), of a batch (batch, n)."""
        return self._decode(plaintext, np.uint64)

    def decode_signed(self, plaintext: Plaintext) -> NDArray[np.int64]:
        """All values, in [-floor(t/2), floor((t-1)/2)]: shape (n,), of a batch (batch, n)."""
        return self._decode(plaintext, np.int64)

    def _decode(self, plaintext: Plaintext, dtype: type[Word]) -> NDArray[Word]:
        require(plaintext, Plaintext, "plaintext")
        require_context(self._context, ("plaintext", plaintext))
        out = new_array((*plaintext._batch_shape, self._context.n), np.dtype(dtype))
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
    _core_class = _core.rlwe.BatchEncoder

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
    _core_class = _core.rlwe.CoefficientEncoder


def _integers(values: Any, signed: bool, t: int) -> NDArray[Any]:
    """An array of int64 (signed) or uint64 with the same values."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise SizeError(
            "values has rows of different lengths: need one row of at most n integers, or rows of "
            "one length"
        ) from None
    if array.dtype == object:
        return _from_objects(values, array, signed, t)
    dtype = np.int64 if signed else np.uint64
    if array.size == 0 and not isinstance(values, np.ndarray):
        return np.empty(0, dtype=dtype)
    if array.dtype.kind not in "uib":
        raise ArgumentTypeError(
            f"values has dtype {array.dtype}: need integers; round and scale first, for example "
            "numpy.rint(values * scale).astype(numpy.int64)"
        )
    if array.dtype.kind == ("u" if signed else "i"):
        array = array.astype(np.uint64 if signed else np.int64, copy=False)
        other = array.view(dtype) if array.flags.c_contiguous else array.astype(dtype)
        # Where the reading differs, the sign bit is set: beyond int64, or negative.
        outside = array >= np.uint64(2**63) if signed else array < 0
        if outside.any():
            index = tuple(int(i[0]) for i in np.nonzero(outside))
            raise _out_of_range(index, int(array[index]), signed, t)
        return other
    return array.astype(dtype, copy=False)


def _from_objects(values: Any, array: NDArray[Any], signed: bool, t: int) -> NDArray[Any]:
    """Python integers that NumPy could not, or was told not to, make words of."""
    if array.ndim == 0:
        raise ArgumentTypeError(f"values is a {type(values).__name__}: need an array of integers")
    low, high = (-(2**63), 2**63) if signed else (0, 2**64)
    for index, value in np.ndenumerate(array):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise ArgumentTypeError(
                f"values{list(index)} = {value!r}: need an integer, got {type(value).__name__}"
            )
        if not low <= value < high:
            raise _out_of_range(index, int(value), signed, t)
    return array.astype(np.int64 if signed else np.uint64)


def _out_of_range(index: tuple[int, ...], value: int, signed: bool, t: int) -> ParameterError:
    """What the core says of a value it can hold."""
    low, high = (-(t // 2), (t - 1) // 2) if signed else (0, t - 1)
    other = (
        "encode unsigned values in [0, t) with signed=False"
        if signed
        else "encode values in [-t/2, t/2) with signed=True"
    )
    return ParameterError(
        f"values{list(index)} = {arguments.number_text(value)} is out of range [{low}, {high}] for "
        f"t = {t}; scale the data down, choose a larger t, or {other}"
    )
