# SPDX-License-Identifier: Apache-2.0
"""Numbers in the clear that ciphertexts are computed with."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _arguments as arguments
from .. import _core, rlwe
from ..errors import ParameterError
from ..rlwe._require import ENCODINGS
from ..rlwe.device_arrays import is_on_device
from ..rlwe.summaries import Summarised
from .device_numbers import DeviceNumbers
from .numbers import magnitude, to_numbers

if TYPE_CHECKING:
    from ..typing import Encoding, GpuArray

_Scale = tuple[float, float]


def require_scheme(context: object) -> rlwe.Context:
    """``context`` if it is one of CKKS."""
    from ..rlwe._require import require

    found: rlwe.Context = require(context, rlwe.Context, "context")
    if found._core_module is not _core.ckks:
        raise ParameterError(f"context is {found!r}: need one of CKKS")
    return found


def slots_argument(context: rlwe.Context, slots: int | None) -> int:
    """Slots of a message."""
    most = context.n // 2
    if slots is None:
        return most
    slots = arguments.integer("slots", slots, 1, most, "a power of two up to n/2")
    if slots & (slots - 1):
        raise ParameterError(f"slots = {slots} is not allowed: a power of two up to n/2 = {most}")
    return slots


class Plaintext(Summarised):
    """Numbers that are encoded once for many sums and products, or that are encrypted.

    Encodings differ with the level and the scale of the ciphertext that they meet; each is made
    when it is first needed, and kept.

    Parameters
    ----------
    context : Context
    values : array of numbers, shape (m,) or (batch, m), or one number
        Real or complex, m <= slots; the other slots are 0. One number fills all slots. Several rows
        make a batch. For a context on a GPU also an array there (CuPy, PyTorch, DLPack,
        ``__cuda_array_interface__``), which is encoded there; of other libraries than those two it
        must stay as it is, in float64 or complex128.
    bound : number, optional
        Every real and imaginary part is at most this in absolute value: what is said of the
        precision of results follows from it. By default the largest part of ``values``, which
        results then tell; say one where values are secret.
    slots : int, optional
        Numbers of the message, a power of two up to n/2, which is the default. Shorter messages
        repeat in the slots of the ring, are faster to encode and go with their like only.
    encoding : {"slots", "coefficients"}
        Coefficients, up to n real ones, are multiplied as polynomials modulo X^n + 1.

    Raises
    ------
    ParameterError
        A value is NaN or infinite, or beyond the bound.
    SizeError, ArgumentTypeError
        Too many values, or no numbers.

    Examples
    --------
    >>> from nttforge import ckks
    >>> context = ckks.Context(ckks.Parameters.preset(2**13, 36))
    >>> keys = context.generate_keys()
    >>> weights = ckks.Plaintext(context, [0.5, 0.25])
    >>> keys.decrypt(keys.encrypt([0.5, 1]) * weights)[:2].round(3)
    array([0.25, 0.25])
    """

    __slots__ = ("_bound", "_context", "_encoded", "_encoding", "_slots", "_values")

    def __init__(
        self,
        context: rlwe.Context,
        values: ArrayLike | GpuArray,
        *,
        bound: float | None = None,
        slots: int | None = None,
        encoding: Encoding = "slots",
    ) -> None:
        self._context = require_scheme(context)
        arguments.choice("encoding", encoding, ENCODINGS)
        self._encoding: Encoding = encoding
        if encoding == "slots":
            self._slots = slots_argument(context, slots)
            given: Any
            if context.device != "cpu" and is_on_device(values):
                given = DeviceNumbers(context, values, self._slots)
            else:
                given = to_numbers("values", values, self._slots, "slots")
                given = np.full(self._slots, given) if given.ndim == 0 else given.copy()
        else:
            if slots is not None:
                raise ParameterError(
                    f"slots = {slots} goes with encoding = 'slots': leave one of them out"
                )
            self._slots = context.n // 2
            given = np.atleast_1d(to_numbers("values", values, context.n, "coefficients")).copy()
            if given.dtype.kind == "c":
                raise ParameterError(
                    "values are complex, and coefficients are real: pass values.real"
                )
        self._values: Any = given
        largest = given.magnitude(bound) if isinstance(given, DeviceNumbers) else magnitude(given)
        if bound is None:
            self._bound = largest or 1.0
        else:
            self._bound = arguments.number("bound", bound, 2.0**-900, 2.0**900, "")
            if largest > self._bound:
                raise ParameterError(
                    f"values reach {largest:g} and bound = {self._bound:g}: state a bound that "
                    "holds for all; it is public, and the precision that is promised depends on it"
                )
        self._encoded: dict[tuple[int, _Scale], Any] = {}

    @property
    def context(self) -> rlwe.Context:
        """The context that it is encoded for."""
        return self._context

    @property
    def encoding(self) -> Encoding:
        """What the numbers are: "slots" or "coefficients"."""
        return self._encoding

    @property
    def batch(self) -> int:
        """Number of messages: 1 goes with every element of a batch of ciphertexts."""
        return self._values.shape[0] if self._values.ndim == 2 else 1

    @property
    def slots(self) -> int:
        """Numbers of the message that the slots of the ring repeat."""
        return self._slots

    @property
    def bound(self) -> float:
        """What every real and imaginary part stays within."""
        return self._bound

    @property
    def real(self) -> bool:
        """Whether all numbers are real."""
        return bool(self._values.dtype.kind != "c")

    def to(self, context: rlwe.Context) -> Plaintext:
        """The same numbers for another context."""
        make, (_, values) = self.__reduce__()
        result: Plaintext = make(context, values)
        return result

    def _at(self, level: int, scale: _Scale) -> Any:
        """Encoded at a level and a scale, in values."""
        key = (level, scale)
        if key not in self._encoded:
            self._encoded[key] = self._encode(level, scale).to_values()
        return self._encoded[key]

    def _encode(self, level: int, scale: _Scale | None) -> Any:
        core, make = self._context._core, _core.ckks.Plaintext
        if self._encoding == "coefficients":
            return make(core, self._values, level, scale, self._bound)
        if isinstance(self._values, DeviceNumbers):
            return self._values.encode(self._slots, level, scale, self._bound)
        numbers = self._values.astype(np.complex128, copy=False)
        return make(core, numbers, self._slots, level, scale, self._bound, self.real)

    def _facts(self) -> dict[str, Any]:
        return {
            "encoding": self._encoding,
            "batch": self.batch,
            "slots": self._slots,
            "bound": f"{self._bound:g}",
            "of": self._context,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        slots = self._slots if self._encoding == "slots" else None
        make = partial(Plaintext, bound=self._bound, slots=slots, encoding=self._encoding)
        values = self._values.array if isinstance(self._values, DeviceNumbers) else self._values
        return make, (self._context, values)
