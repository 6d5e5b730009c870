# SPDX-License-Identifier: Apache-2.0
"""What NumPy's functions, and Python's protocols of sequences, do with encrypted arrays."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NoReturn, TypeVar

import numpy as np

from ..errors import ArgumentTypeError, SizeError, UnsupportedError
from ..rlwe.comparisons import Incomparable
from . import moves, products
from .state import Encrypted

Self = TypeVar("Self", bound="NumpyHabits")

_INTERNAL = {"text", "layout", "t", "low", "high", "clean", "kept"}


class NumpyHabits(Encrypted, Incomparable):
    """The part of an encrypted array that makes it look like one of NumPy."""

    _instead_of_comparing: ClassVar[str] = (
        "decrypt it, or compute encrypted zeros and ones with nttforge.encrypted.equal(x, y) and "
        "less(x, y), whose operands nttforge.encrypted.IntegerBits(bits) encrypts"
    )

    @property
    def T(self: Self) -> Self:
        """A vector or number itself; the axes of a matrix cannot be exchanged."""
        if len(self.shape) < 2:
            return self
        raise UnsupportedError(
            f"T: shape {self.shape}: entries would move between vectors one by one; encrypt the "
            "transpose as well, or write W @ x as x @ W.T, where vectors are rows"
        )

    def reshape(self: Self, *shape: Any) -> Self:
        """The same entries where they are: an axis of length 1 more or less.

        Raises
        ------
        SizeError
            The shape has another number of entries.
        UnsupportedError
            Entries would move.
        """
        return moves.reshape(self, shape)

    def __len__(self) -> int:
        if not self.shape:
            raise ArgumentTypeError("an encrypted number has no length: its shape is ()")
        return self.shape[0]

    def __iter__(self: Self) -> Iterator[Self]:
        return (moves.select(self, i) for i in range(len(self)))

    def __dir__(self) -> list[str]:
        """What users call, without the fields that operations are made of."""
        return [name for name in super().__dir__() if name not in _INTERNAL]

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise ArgumentTypeError("an encrypted array is no NumPy array: decrypt it first")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        name = ufunc.__name__
        if name in _COMPARISONS:
            self._refuse_to_compare(f"numpy.{name}")
        if method != "__call__" or options or name not in _OPERATORS:
            _refuse(name if method == "__call__" else f"{name}.{method}")
        forward, reflected = _OPERATORS[name]
        if isinstance(inputs[0], Encrypted):
            return getattr(inputs[0], forward)(*inputs[1:])
        if not reflected:
            _refuse(name)
        return getattr(inputs[1], reflected)(inputs[0])

    def __array_function__(
        self, function: Callable[..., Any], types: Any, args: Any, options: Any
    ) -> Any:
        name = function.__name__
        if name in ("array_equal", "allclose", "isclose", "array_equiv"):
            self._refuse_to_compare(f"numpy.{name}")
        ours = _FUNCTIONS.get(name)
        if ours is None or not function.__module__.startswith("numpy"):
            _refuse(name)
        try:
            inspect.signature(ours).bind(*args, **options)
        except TypeError as error:
            raise ArgumentTypeError(
                f"numpy.{name} of an encrypted array takes {inspect.signature(ours)}: {error}"
            ) from None
        return ours(*args, **options)


_COMPARISONS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}

#: Methods for an encrypted operand on the left, and for one on the right alone.
_OPERATORS = {
    "add": ("__add__", "__radd__"),
    "subtract": ("__sub__", "__rsub__"),
    "multiply": ("__mul__", "__rmul__"),
    "matmul": ("__matmul__", "__rmatmul__"),
    "negative": ("__neg__", ""),
    "power": ("__pow__", ""),
    "square": ("_squared", ""),
}


def _refuse(name: str) -> NoReturn:
    raise UnsupportedError(
        f"numpy.{name} is not computed on encrypted arrays; of NumPy there are "
        f"{', '.join(sorted({*_OPERATORS, *_FUNCTIONS}))}, and more as methods: decrypt for others"
    )


def _sum(a: Any, axis: int | None = None, *, keepdims: bool = False) -> Any:
    return a.sum(axis, keepdims=keepdims)


def _mean(a: Any, axis: int | None = None, *, keepdims: bool = False) -> Any:
    return a.mean(axis, keepdims=keepdims)


def _var(a: Any, axis: int | None = None, *, ddof: int = 0, keepdims: bool = False) -> Any:
    return a.var(axis, ddof=ddof, keepdims=keepdims)


def _dot(a: Any, b: Any) -> Any:
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return a * b
    return products.matmul(a, b) if isinstance(a, Encrypted) else products.matmul_left(a, b)


def _roll(a: Any, shift: int, axis: int | None = None) -> Any:
    if axis not in (-1, a.ndim - 1) and not (axis is None and a.ndim == 1):
        raise UnsupportedError(
            f"roll: axis = {axis} of shape {a.shape}: entries move within vectors, axis = -1"
        )
    return a.roll(shift)


def _convolve(a: Any, v: Any, mode: str = "full") -> Any:
    if mode != "full":
        raise UnsupportedError(f"convolve: mode = {mode!r}: there is 'full', and slices of it")
    return products.convolve(a, v) if isinstance(a, Encrypted) else products.convolve(v, a)


def _concatenate(arrays: Sequence[Any], axis: int = 0) -> Any:
    return products.concatenate(arrays, axis)


def _where(condition: Any, x: Any, y: Any) -> Any:
    """Entries chosen by a public condition."""
    mask = np.asarray(condition)
    chosen: Any = products.where(x, mask) if isinstance(x, Encrypted) else np.where(mask, x, 0)
    if isinstance(y, Encrypted):
        return chosen + products.where(y, ~mask)
    other = np.where(mask, 0, y)
    return chosen + other if other.any() else chosen


def _reshape(a: Any, shape: Any) -> Any:
    return a.reshape(shape)


def _transpose(a: Any, axes: None = None) -> Any:
    if axes is not None:
        raise SizeError(f"transpose: axes = {axes!r}: leave them out")
    return a.T


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "concatenate": _concatenate,
    "convolve": _convolve,
    "dot": _dot,
    "mean": _mean,
    "ndim": lambda a: len(a.shape),
    "reshape": _reshape,
    "roll": _roll,
    "shape": lambda a: a.shape,
    "size": lambda a: a.size,
    "sum": _sum,
    "transpose": _transpose,
    "var": _var,
    "where": _where,
}
