# SPDX-License-Identifier: Apache-2.0
"""Polynomials of encrypted arrays, by Paterson and Stockmeyer [PS73]."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import numpy as np

from ..circuits import Evaluation
from ..errors import ArgumentTypeError, ParameterError, SizeError
from ..integer_encoding.fixed_point import real_numbers
from .columns import scaled
from .moves import operand
from .precision import keep_coefficients
from .state import Encrypted

Array = TypeVar("Array", bound=Encrypted)

_MOST_DEGREE = 1023
_ABOVE_ANY_T = 2**58  # and its sign


def polynomial(x: Array, coefficients: Any) -> Array:
    """The sum of ``coefficients[k]`` times the k-th power, by Paterson and Stockmeyer [PS73].

    A degree d takes about 2 sqrt(d) products of ciphertexts and a depth of log2 d. The scale of the
    result is that of the highest power, and more where real coefficients need it
    (:meth:`with_precision`).
    """
    array = real_numbers(coefficients, "coefficients")
    if array.dtype.kind not in "iuf" or array.ndim != 1:
        raise ArgumentTypeError(
            f"coefficients have dtype {array.dtype} and shape {array.shape}: need a list of "
            "numbers, the constant first"
        )
    nonzero = np.nonzero(array)[0]
    degree = int(nonzero[-1]) if len(nonzero) else 0
    if not 1 <= degree <= _MOST_DEGREE:
        raise SizeError(f"coefficients have degree {degree}: need 1 ... {_MOST_DEGREE}")
    if x.layout.real:
        return _of_real_numbers(x, array[: degree + 1].tolist())
    words, unit, what = keep_coefficients(f"polynomial of degree {degree}", x, array[: degree + 1])
    low, high = _bounds(words, x.low, x.high)
    if max(-low, high) >= _ABOVE_ANY_T:
        raise ParameterError(
            f"{what}: with scale = {x.scale} a value of degree {degree} may need "
            f"{max(-low, high).bit_length()} bits as an integer, and t has 59 at most: take a "
            "smaller scale, narrower bounds or a lower degree"
        )
    if x.t is not None and not any(word % x.t for word in words[1:]):
        raise ParameterError(
            f"{what}: all coefficients but the constant are multiples of t = {x.t}, so that the "
            "result would be no encryption but a constant that everybody can read: take a larger t"
        )
    x = x._two()
    return x._new(
        lambda: _evaluated(x, words),
        low,
        high,
        what,
        scale=scaled(x._one_scale(what) ** degree, unit),
        clean=x.clean,
    )


def _of_real_numbers(x: Array, values: list[float]) -> Array:
    """Entries of scale 1; the constant is added where there are entries."""
    what = f"polynomial of degree {len(values) - 1}"
    if not np.isfinite(values).all():
        raise ParameterError(f"{what}: a coefficient is not finite")
    x = x.unscaled()._two()
    found: Any = x._new(
        lambda: _real_result(x, values),
        *_bounds([0, *values[1:]], x.low, x.high),
        what,
        clean=x.clean,
    )
    return cast("Array", found + values[0] if values[0] else found)


def _real_result(x: Encrypted, values: list[float]) -> Any:
    if any(values[1:-1]) or values[-1] != 1:
        return x.text.polynomial([0, *values[1:]], x.keys)
    return x.text.power(len(values) - 1, x.keys)


def _bounds(words: list[Any], low: Any, high: Any) -> tuple[Any, Any]:
    """Bounds on the sum over powers, each with its own range."""
    least, most = min(0, words[0]), max(0, words[0])
    for k, c in enumerate(words[1:], start=1):
        bottom, top = (low**k if k % 2 else 0), max(high**k, 0 if k % 2 else low**k)
        ends = (c * bottom, c * top, 0)
        least, most = least + min(ends), most + max(ends)
    return least, most


def _evaluated(x: Encrypted, words: list[int]) -> Any:
    """The polynomial of the text; its constant only where the array has entries."""

    def reduced(word: int) -> int:
        """The integer modulo t, signed: intermediate results may wrap around."""
        if x.t is None:
            return word
        word %= x.t
        return word - x.t if word > (x.t - 1) // 2 else word

    text, constant = Evaluation(
        x.text,
        words,
        basis="power",
        constant_levels=0,
        product=lambda a, b: x._placed((a * b).relinearize(x.keys)),
        reduced=reduced,
    ).result()
    constant = reduced(constant)
    if not constant:
        return text
    if hasattr(text, "bounded"):
        return text + constant  # what is recorded has no t yet, and may pass 64 bits
    return text + operand(x, x.layout.to_slots(np.array([[constant]], dtype=np.int64)))
