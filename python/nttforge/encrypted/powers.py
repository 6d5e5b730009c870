# SPDX-License-Identifier: Apache-2.0
"""Polynomials of encrypted arrays, by Paterson and Stockmeyer [PS73]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentTypeError, ParameterError, SizeError
from ..rlwe import Ciphertext
from ..rlwe.fixed_point import real_numbers
from .moves import operand
from .precision import keep_coefficients, scaled

if TYPE_CHECKING:
    from .array import EncryptedArray

__all__ = ["polynomial"]

_MOST_DEGREE = 1023
_ABOVE_ANY_T = 2**58  # and its sign


def polynomial(x: EncryptedArray, coefficients: Any) -> EncryptedArray:
    """What :meth:`EncryptedArray.polynomial` says."""
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
        lambda: _Evaluation(x, degree).of(words),
        low,
        high,
        what,
        scale=scaled(x.scale**degree, unit),
        clean=x.clean,
    )


def _bounds(words: list[int], low: int, high: int) -> tuple[int, int]:
    """Bounds on the sum over powers, each with its own range."""
    least, most = min(0, words[0]), max(0, words[0])
    for k, c in enumerate(words[1:], start=1):
        bottom, top = (low**k if k % 2 else 0), max(high**k, 0 if k % 2 else low**k)
        ends = (c * bottom, c * top, 0)
        least, most = least + min(ends), most + max(ends)
    return least, most


class _Evaluation:
    """Powers of one text, each computed once."""

    def __init__(self, x: EncryptedArray, degree: int) -> None:
        self._x = x
        self._powers = {1: x.text}
        self._baby = 1 << ((degree + 1).bit_length() // 2)

    def power(self, k: int) -> Any:
        """The k-th power, of depth log2 k."""
        if k not in self._powers:
            half = 1 << ((k - 1).bit_length() - 1)
            product = self.power(half) * self.power(k - half)
            self._powers[k] = product.relinearize(self._x.keys)
        return self._powers[k]

    def of(self, words: list[int]) -> Any:
        """The polynomial; its constant only where the array has entries."""
        text, constant = self._split(words)
        constant = self._reduced(constant)
        if not constant:
            return text
        if not isinstance(text, Ciphertext):
            return text + constant  # what is recorded has no t yet, and may pass 64 bits
        slots = self._x.layout.to_slots(np.array([[constant]], dtype=np.int64))
        return text + operand(self._x, slots)

    def _reduced(self, word: int) -> int:
        """The integer modulo t, signed: intermediate results may wrap around."""
        t = self._x.t
        if t is None:
            return word
        word %= t
        return word - t if word > (t - 1) // 2 else word

    def _split(self, words: list[int]) -> tuple[Any, int]:
        """A text, or None, and a constant beside it."""
        if len(words) <= self._baby:
            text = None
            for k, word in enumerate(words[1:], start=1):
                word = self._reduced(word)
                if word:
                    term = self.power(k) if word == 1 else self.power(k) * word
                    text = term if text is None else text + term
            return text, words[0]
        at = self._baby
        while 2 * at < len(words):
            at *= 2
        low, constant = self._split(words[:at])
        high, leading = self._split(words[at:])
        term = None
        if high is not None:
            leading = self._reduced(leading)
            factor = high + leading if leading else high
            term = (factor * self.power(at)).relinearize(self._x.keys)
        elif self._reduced(leading):
            term = self.power(at) * self._reduced(leading)
        if low is None or term is None:
            return (term if low is None else low), constant
        return low + term, constant
