# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments shared by the package: what is wrong, what is allowed, what to do."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import (
    ArgumentTypeError,
    NttforgeError,
    ParameterError,
    SizeError,
    UnsupportedError,
)

_DLPACK_CPU = 1
_MAX_AXES = 32  # of NumPy 1


def integer(field: str, value: object, low: int, high: int, remedy: str = "") -> int:
    """``value`` as an int in [low, high], or an error that says what is allowed."""
    if isinstance(value, bool):
        raise ArgumentTypeError(f"{field} = {value}: need an integer, not a bool")
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ArgumentTypeError(
            f"{field} = {value!r}: need an integer, got {type(value).__name__}"
        ) from None
    if not low <= number <= high:
        tail = f"; {remedy}" if remedy else ""
        raise ParameterError(
            f"{field} = {number_text(number)} is not in [{low}, {_bound(high)}]{tail}"
        )
    return number


def transform_size(value: object) -> int:
    """n of a transform; whether a device can do it is said when its plan is made."""
    n = integer("n", value, -(2**63), 2**63)
    if not 1 <= n <= _core.MAX_TRANSFORM_SIZE or n & (n - 1):
        other = (
            "; nttforge.convolve takes rows of any length" if 1 < n < 2**24 and n & (n - 1) else ""
        )
        raise ParameterError(f"n = {n} is not supported: need {_core.TRANSFORM_SIZES}{other}")
    return n


def insecure_log_n(value: int | None, low: int) -> int:
    """log2 of ``insecure_n``, 2^low or more; 0 where a set keeps its own dimension."""
    if value is None:
        return 0
    n = integer("insecure_n", value, 2**low, 2**16, "a power of two")
    if n & (n - 1):
        raise ParameterError(f"insecure_n = {n} must be a power of two")
    return n.bit_length() - 1


def number_text(number: int) -> str:
    """The integer in decimal, unless that is longer than Python would print."""
    bits = number.bit_length()
    return str(number) if bits <= 256 else f"an integer of {bits} bits"


def _bound(high: int) -> str:
    for bits in (31, 32, 60, 62, 63, 64):
        if high == 2**bits - 1:
            return f"2^{bits} - 1"
    return str(high)


def integers(field: str, values: object, low: int, high: int, remedy: str = "") -> list[int]:
    """Every element of an iterable of integers, checked."""
    scalar = isinstance(values, (str, bytes)) or getattr(values, "shape", None) == ()
    if scalar or not isinstance(values, Iterable):
        raise ArgumentTypeError(f"{field} = {values!r}: need integers, got {type(values).__name__}")
    return [integer(f"{field}[{i}]", v, low, high, remedy) for i, v in enumerate(values)]


def one_or_more(field: str, value: Any, several: bool, need: str = "one per modulus") -> list[int]:
    """64-bit words: a list of them where ``moduli`` is one, else a single integer."""
    alone = isinstance(value, (int, np.integer))
    if several and alone:
        raise ArgumentTypeError(f"{field} = {number_text(int(value))}: need {need}, in a list")
    if (
        not several
        and isinstance(value, (list, tuple, np.ndarray))
        and getattr(value, "ndim", True)
    ):
        raise ArgumentTypeError(
            f"{field} is a {type(value).__name__}: moduli is one integer, so need one integer"
        )
    words = 2**64 - 1
    return integers(field, value, 0, words) if several else [integer(field, value, 0, words)]


def seconds(field: str, value: object) -> float:
    """Time for a measurement."""
    result = _double(field, value, "seconds")
    if not 0 < result <= 3600:
        raise ParameterError(f"{field} = {result:g} is not in (0, 3600] seconds")
    return result


def number(field: str, value: object, low: float, high: float, what: str) -> float:
    """A real number in an interval."""
    result = _double(field, value, "a number")
    if not low <= result <= high:
        raise ParameterError(f"{field} = {result:g} is not in [{low:g}, {high:g}] {what}")
    return result


def _double(field: str, value: object, need: str) -> float:
    if isinstance(value, (bool, str)) or not isinstance(value, SupportsFloat):
        raise ArgumentTypeError(f"{field} = {value!r}: need {need}, got {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:  # an integer beyond them
        return math.inf


def shape(field: str, value: object) -> tuple[int, ...]:
    """Lengths of an array's axes: an integer, or several."""
    if isinstance(value, (int, np.integer)):
        return (integer(field, value, 0, 2**48),)
    lengths = integers(field, value, 0, 2**48)
    if len(lengths) > _MAX_AXES:
        raise ParameterError(f"{field} has {len(lengths)} axes: need {_MAX_AXES} at most")
    return tuple(lengths)


def names(field: str, values: object) -> list[str]:
    """Every element of an iterable of names; one name alone is none."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise ArgumentTypeError(f"{field} = {values!r}: need a list of names")
    return [str(v) for v in values]


def choice(field: str, value: object, allowed: Iterable[str]) -> str:
    """``value`` if it is one of the allowed names."""
    known = list(allowed)
    if value not in known:
        raise ParameterError(f"{field} = {value!r} is not one of {', '.join(map(repr, known))}")
    return str(value)


def array(field: str, value: Any) -> NDArray[Any]:
    """An ndarray over the same memory: NumPy, DLPack on the CPU, or the buffer protocol."""
    x = _as_ndarray(field, value)
    _require_axes(field, x)
    return x


def _require_axes(field: str, x: NDArray[Any]) -> None:
    if x.ndim > _MAX_AXES:
        raise SizeError(f"{field} has {x.ndim} axes: need {_MAX_AXES} at most")


def _as_ndarray(field: str, value: Any) -> NDArray[Any]:
    if isinstance(value, np.ndarray):
        if isinstance(value, np.ma.MaskedArray):
            raise ArgumentTypeError(
                f"{field} is a masked array, and residues have no masks: pass {field}.data"
            )
        return value
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        device = through_dlpack(field, lambda: int(value.__dlpack_device__()[0]))
        if device != _DLPACK_CPU:
            raise UnsupportedError(
                f"{field} is in the memory of DLPack device type {device}: this build works on "
                "arrays in CPU memory; copy it there first"
            )
        x: NDArray[Any] = through_dlpack(field, lambda: np.from_dlpack(value))
        return x
    if hasattr(value, "__array_interface__") or isinstance(value, memoryview):
        try:
            return np.asarray(value)
        except (TypeError, ValueError, KeyError) as error:
            raise ArgumentTypeError(
                f"{field} is a {type(value).__name__} whose __array_interface__ NumPy refuses: "
                f"{error}"
            ) from None
    raise ArgumentTypeError(
        f"{field} is a {type(value).__name__}: need an array (numpy.ndarray, or an object with "
        "__dlpack__ or __array_interface__)"
    )


def through_dlpack(field: str, call: Callable[[], Any]) -> Any:
    """Return what ``call`` returns; what another library's DLPack refuses is an error of ours."""
    try:
        return call()
    except NttforgeError:
        raise
    except (BufferError, RuntimeError, ValueError) as error:
        raise UnsupportedError(f"{field} cannot be shared through DLPack: {error}") from error


def words(
    field: str,
    value: Any,
    dtype: np.dtype[Any],
    moduli_of: Callable[[tuple[int, ...]], NDArray[np.uint64]],
) -> NDArray[Any]:
    """Input residues as an array of ``dtype``.

    An array of exactly ``dtype`` is used over the same memory, unchecked. Lists of integers, and
    arrays of signed or Python integers, are checked to be in (-q, q) and copied; x < 0 is q + x.
    ``moduli_of(shape)`` refuses wrong shapes and gives moduli that broadcast to right ones.
    """
    listed = isinstance(value, (list, tuple))
    x = np.array(value, dtype=object) if listed else array(field, value)
    _require_axes(field, x)
    if x.dtype == object:
        x = _python_integers(field, x)
    elif x.dtype.kind != "i":
        _require_residue_dtype(field, x, dtype)
        require_layout(field, x)
        moduli_of(x.shape)
        return x
    moduli = moduli_of(x.shape)
    unsigned = x if x.dtype == object else x.astype(np.int64).view(np.uint64)
    negative = x < 0
    limits = moduli.astype(unsigned.dtype)
    # Arithmetic of words modulo 2^64: -x is the magnitude of x < 0, also of -2^63.
    outside = np.where(negative, -unsigned, unsigned) >= limits
    if outside.any():
        raise not_reduced(field, x, tuple(int(i[0]) for i in np.nonzero(outside)), moduli)
    return np.ascontiguousarray(np.where(negative, unsigned + limits, unsigned).astype(dtype))


def not_reduced(
    field: str, x: NDArray[Any], index: tuple[int, ...], moduli: NDArray[np.uint64]
) -> ParameterError:
    """What is wrong with a residue outside its range, and how to reduce its array."""
    q = int(np.broadcast_to(moduli, x.shape)[index])
    low = "[0" if x.dtype.kind == "u" else "(-q"
    if x.dtype == object:
        remedy = f"reduce every integer modulo q, v % {q}"
    elif moduli.ndim == 0:
        remedy = f"pass {field} % {q}"
    else:
        remedy = f"reduce the limb, {field}[..., {index[-2]}, :] %= {q}"
    return ParameterError(
        f"{field}[{', '.join(map(str, index))}] = {number_text(int(x[index]))} is not in "
        f"{low}, q) with q = {q}: {remedy}"
    )


def output(field: str, value: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """A writable array of exactly this dtype and shape."""
    x = array(field, value)
    if x.dtype != dtype:
        raise ArgumentTypeError(
            f"{field} has dtype {_dtype_text(x)}: need {dtype.name}; make an array with "
            f"nttforge.empty({shape}, numpy.{dtype.name})"
        )
    if x.shape != shape:
        raise SizeError(f"{field} has shape {x.shape}: need {shape}, the shape of the input")
    require_layout(field, x)
    if not x.flags.writeable:
        raise SizeError(f"{field} is read-only: need a writable array; pass a copy")
    return x


def _require_residue_dtype(field: str, x: NDArray[Any], dtype: np.dtype[Any]) -> None:
    """Inputs that are not signed: what is refused comes with a conversion that keeps residues."""
    if x.dtype == dtype:
        return
    if x.dtype.kind == "f":
        remedy = (
            f"residues are integers; numpy.rint({field}).astype(numpy.int64) is right for whole "
            "values of less than 2^53"
        )
    elif x.dtype.kind not in "ub":
        remedy = "residues are integers"
    elif x.dtype.itemsize <= dtype.itemsize:
        remedy = f"convert with {field}.astype(numpy.{dtype.name})"
    else:
        remedy = (
            f"reduce modulo q, then convert, ({field} % q).astype(numpy.{dtype.name}), "
            "with q one integer, or numpy.array(q, numpy.uint64)[:, None] for several"
        )
    raise ArgumentTypeError(f"{field} has dtype {_dtype_text(x)}: need {dtype.name}; {remedy}")


def _dtype_text(x: NDArray[Any]) -> str:
    return str(x.dtype) if x.dtype.isnative else x.dtype.str


def require_layout(field: str, x: NDArray[Any]) -> None:
    if not x.flags.c_contiguous:
        raise SizeError(
            f"{field} is not C-contiguous (shape {x.shape}, strides {x.strides}): "
            f"pass numpy.ascontiguousarray({field})"
        )
    if not x.flags.aligned:
        raise SizeError(
            f"{field} is not aligned to {x.dtype.itemsize} bytes: pass a copy ({field}.copy())"
        )


def require_shape(field: str, shape: tuple[int, ...], tail: tuple[int, ...]) -> None:
    """A shape that ends with a plan's (limbs, n), or (n,)."""
    if shape[-len(tail) :] != tail:
        text = ", ".join(map(str, tail))
        hint = "limbs, n" if len(tail) == 2 else "n"
        raise SizeError(f"{field} has shape {shape}: need (..., {text}) = (..., {hint})")


def require_equal_shapes(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    if a != b:
        raise SizeError(f"a has shape {a} and b has shape {b}: need equal shapes")


def require_disjoint(field: str, x: NDArray[Any], other: str, y: NDArray[Any]) -> None:
    """Contiguous arrays must not share memory."""
    if np.may_share_memory(x, y):
        raise SizeError(f"{field} and {other} overlap: pass an array of its own")


def require_same_or_disjoint(field: str, x: NDArray[Any], other: str, y: NDArray[Any]) -> None:
    """Contiguous arrays may be the same memory or apart, not shifted against each other."""
    if x is y or not np.may_share_memory(x, y):
        return
    if x.__array_interface__["data"][0] != y.__array_interface__["data"][0]:
        raise SizeError(
            f"{field} and {other} overlap partly: pass the same array or arrays that do not overlap"
        )


def _python_integers(field: str, x: NDArray[Any]) -> NDArray[Any]:
    """An array of objects whose elements are integers, as Python's."""
    result = np.empty(x.shape, dtype=object)
    for index, v in np.ndenumerate(x):
        if isinstance(v, bool) or not isinstance(v, (int, np.integer)):
            raise ArgumentTypeError(
                f"{field}{list(index)} = {v!r}: need an integer, got {type(v).__name__}"
            )
        result[index] = int(v)
    return result
