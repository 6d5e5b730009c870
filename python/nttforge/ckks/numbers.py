# SPDX-License-Identifier: Apache-2.0
"""Real and complex numbers of users as arrays of doubles, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentTypeError, ParameterError, SizeError, UnsupportedError
from ..rlwe._require import MAX_BATCH


def is_number(value: object) -> bool:
    """Whether a value is a single real or complex number, of Python or NumPy."""
    return isinstance(value, (int, float, complex, np.number)) and not isinstance(value, bool)


def to_numbers(field: str, values: Any, most: int, what: str) -> NDArray[Any]:
    """A contiguous array (m,) or (batch, m) of float64 or complex128, finite, m <= most.

    A single number has the shape (). What ``most`` counts is said in ``what``.
    """
    array = _as_array(field, values)
    dtype = np.complex128 if array.dtype.kind == "c" else np.float64
    with np.errstate(over="ignore"):  # of longdouble: becomes infinity, which is refused
        numbers = np.ascontiguousarray(array, dtype=dtype).reshape(array.shape)
    if array.ndim > 2 or (array.ndim == 2 and not 1 <= array.shape[0] <= MAX_BATCH):
        raise SizeError(
            f"{field} has shape {array.shape}: need one row of at most {most} {what}, or 1 to 2^20 "
            "such rows, which make a batch"
        )
    if array.ndim and not 1 <= array.shape[-1] <= most:
        rows = "entries" if array.ndim == 1 else "entries a row"
        raise SizeError(
            f"{field} has {array.shape[-1]} {rows}: need 1 to {most} {what}; use a batch of "
            "several rows, or a larger n"
        )
    if not np.isfinite(numbers).all():
        index = [int(i[0]) for i in np.nonzero(~np.isfinite(numbers))]
        where = f"{field}[{', '.join(map(str, index))}]" if index else field
        raise ParameterError(
            f"{where} = {numbers[tuple(index)]}: NaN and infinity cannot be encrypted; every "
            "number must be finite"
        )
    return numbers


def magnitude(numbers: NDArray[Any]) -> float:
    """The largest real or imaginary part, in absolute value; 0 of only zeros."""
    return float(max(np.abs(np.real(numbers)).max(), np.abs(np.imag(numbers)).max()))


def _as_array(field: str, values: Any) -> NDArray[Any]:
    if isinstance(values, np.ma.MaskedArray):
        raise ArgumentTypeError(f"{field} is a masked array: pass {field}.filled(0)")
    if hasattr(values, "__cuda_array_interface__"):
        raise UnsupportedError(
            f"{field} lies in the memory of a GPU: copy it to the host first ({field}.get() of "
            f"CuPy, {field}.cpu() of PyTorch)"
        )
    try:
        array = np.asarray(values)
    except ValueError:
        raise SizeError(
            f"{field} has rows of different lengths: need one row of numbers, or rows of one length"
        ) from None
    except (TypeError, RuntimeError) as error:
        raise ArgumentTypeError(f"{field} is no array of numbers: {error}") from None
    if array.dtype.kind in "biufc":
        return array
    if array.dtype == object and all(map(is_number, array.flat)):  # integers beyond 64 bits
        return np.array([_double(field, v) for v in array.flat]).reshape(array.shape)
    raise ArgumentTypeError(
        f"{field} has dtype {array.dtype}: need real or complex numbers (float32, float64, "
        "complex64, complex128, or integers)"
    )


def _double(field: str, value: Any) -> complex | float:
    if isinstance(value, (complex, np.complexfloating)):
        return complex(value)
    try:
        return float(value)
    except OverflowError:
        what = f"{field} has an integer of {value.bit_length()} bits: doubles end at 2^1024"
        raise ParameterError(what) from None
