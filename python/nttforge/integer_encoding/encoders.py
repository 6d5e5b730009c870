# SPDX-License-Identifier: Apache-2.0
"""Integers into plaintexts and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from .. import _arguments as arguments
from .. import _core
from ..arrays import new_array
from ..errors import ArgumentTypeError, ParameterError, SizeError
from ..rlwe._require import MAX_BATCH, require
from ..rlwe.device_arrays import is_on_device, place_of, view_for, written
from ..rlwe.objects import require_context
from .context import Context
from .device_arrays import result_array
from .parameters import signed_range
from .plaintexts import Plaintext

if TYPE_CHECKING:
    from ..typing import GpuArray, Integers

Array = TypeVar("Array", bound="NDArray[Any] | GpuArray")


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

    def encode(
        self, values: Integers | GpuArray, *, signed: bool = True, check: bool = True
    ) -> Plaintext:
        """A plaintext of at most n integers, or a batch of such; the rest is zero.

        Parameters
        ----------
        values : array of integers, shape (m,) or (batch, m) with m <= n and batch <= 2^20
            One row makes a single plaintext. uint64 and int64 arrays are not copied. The dtype does
            not choose the range. For a context on a GPU also an array there (CuPy, PyTorch,
            :class:`nttforge.cuda.DeviceArray`, DLPack, ``__cuda_array_interface__``) of 64- or
            32-bit integers, which is read where it is, in its library's current stream.
        signed : bool
            True: values in [-floor(t/2), floor((t-1)/2)], a negative one stands for t + value; for
            t = 2 in [0, 1].
            False: values in [0, t).
        check : bool
            False, of an array on a GPU: nothing waits, and every integer is taken modulo t. With
            True the call waits until the range was looked at. Arrays in host memory are always
            checked.

        Raises
        ------
        ParameterError
            A value is out of range; the message says which. The array is on another device.
        SizeError, ArgumentTypeError
            Too many values; not an array of integers.
        """
        if is_on_device(values):
            view = view_for(self._context, "values", values)
            self._require_rows(view.shape)
            batch, width = view.shape if len(view.shape) == 2 else (1, *view.shape)
            core = self._core.encode_on_device(
                place_of(view, batch), width, view.dtype.kind == "i", bool(signed), bool(check)
            )
            return Plaintext._wrap(self._context, core)
        array = _integers(values, signed, self._context.t)
        self._require_rows(array.shape)
        return Plaintext._wrap(self._context, self._core.encode(np.ascontiguousarray(array)))

    def _require_rows(self, shape: tuple[int, ...]) -> None:
        if len(shape) not in (1, 2) or (len(shape) == 2 and not 1 <= shape[0] <= MAX_BATCH):
            raise SizeError(
                f"values has shape {shape}: need one row of at most n integers, or 1 to 2^20 such "
                "rows, which make a batch"
            )
        if shape[-1] > self._context.n:
            rows = "entries" if len(shape) == 1 else "entries a row"
            raise SizeError(
                f"values has {shape[-1]} {rows}: need at most n = {self._context.n}; "
                "use several plaintexts"
            )

    @overload
    def decode(
        self, plaintext: Plaintext, *, signed: Literal[True] = True
    ) -> NDArray[np.int64]: ...

    @overload
    def decode(self, plaintext: Plaintext, *, signed: Literal[False]) -> NDArray[np.uint64]: ...

    @overload
    def decode(
        self, plaintext: Plaintext, *, signed: bool
    ) -> NDArray[np.int64] | NDArray[np.uint64]: ...

    @overload
    def decode(
        self, plaintext: Plaintext, *, signed: bool = True, out: Array, like: None = None
    ) -> Array: ...

    @overload
    def decode(
        self, plaintext: Plaintext, *, signed: bool = True, out: None = None, like: Array
    ) -> Array: ...

    def decode(
        self, plaintext: Plaintext, *, signed: bool = True, out: Any = None, like: Any = None
    ) -> Any:
        """All values: shape (n,), of a batch (batch, n).

        Parameters
        ----------
        plaintext : Plaintext
        signed : bool
            True: int64 in [-floor(t/2), floor((t-1)/2)], for t = 2 in [0, 1]; False: uint64 in
            [0, t).
        out : array, optional
            To write to, of this shape: NumPy int64 or uint64; or, for a context on a GPU, an array
            there of these, or of 32 bits where t <= 2^32. Then nothing waits: the array is written
            in its library's current stream.
        like : array on the context's GPU, optional
            The result is a new array of its library instead, of 64 bits, as for ``out``.

        Returns
        -------
        array
            NumPy's, ``out``, or an array like ``like``.

        Raises
        ------
        ParameterError, SizeError, ArgumentTypeError
            The array is on another device, or has another shape or dtype.
        """
        require(plaintext, Plaintext, "plaintext")
        require_context(self._context, ("plaintext", plaintext))
        shape = (*plaintext._batch_shape, self._context.n)
        if out is not None and like is not None:
            raise ParameterError("out and like are both given: leave one out")
        if like is not None or is_on_device(out):
            array, view = result_array(self._context, shape, signed, out, like)
            place = place_of(view, plaintext.batch)
            self._core.decode_on_device(plaintext._core, place, signed)
            written(array, view)
            return array
        dtype = np.dtype(np.int64 if signed else np.uint64)
        result = new_array(shape, dtype) if out is None else _host_out(out, shape, dtype)
        self._core.decode(plaintext._core, result)
        return result

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
    >>> encoder.decode(encoder.encode([3, -1, 4]))[:4]
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


def _host_out(out: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """A NumPy array to decode to, checked."""
    if not isinstance(out, np.ndarray) or out.dtype != dtype:
        what = f"has dtype {out.dtype}" if isinstance(out, np.ndarray) else "is no such array"
        raise ArgumentTypeError(f"out {what}: need a NumPy array of {dtype}, or one on a GPU")
    if out.shape != shape or not out.flags.c_contiguous or not out.flags.writeable:
        raise SizeError(
            f"out has shape {out.shape}, strides {out.strides}, "
            f"{'writable' if out.flags.writeable else 'read-only'}: need a contiguous, writable "
            f"array of shape {shape}"
        )
    return out


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
    low, high = signed_range(t) if signed else (0, t - 1)
    other = (
        "encode unsigned values in [0, t) (signed=False)"
        if signed
        else "encode signed values in [-t/2, t/2) (signed=True)"
    )
    return ParameterError(
        f"values{list(index)} = {arguments.number_text(value)} is out of range [{low}, {high}] for "
        f"t = {t}; scale the data down, choose a larger t, or {other}"
    )
