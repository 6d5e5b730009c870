# SPDX-License-Identifier: Apache-2.0
"""Numbers with a fixed number of fractional digits as integers: value times scale, rounded."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _arguments as arguments
from ..errors import ArgumentTypeError, ParameterError

MOST_SCALE = 2**62


def scale_argument(scale: object, field: str = "scale") -> int | float:
    """A scale, checked: a finite number above 0."""
    if isinstance(scale, (bool, np.bool_)) or not isinstance(
        scale, (int, float, np.integer, np.floating)
    ):
        raise ArgumentTypeError(
            f"{field} = {scale!r}: need a number, by which values are multiplied before they are "
            f"rounded; got {type(scale).__name__}"
        )
    number = int(scale) if isinstance(scale, (int, np.integer)) else float(scale)
    if not (math.isfinite(number) and 0 < number <= MOST_SCALE):
        raise ParameterError(f"{field} = {scale!r} is not in (0, 2^62]")
    return number


def real_numbers(values: Any, field: str = "values") -> NDArray[Any]:
    """A copy of what the caller gave, as an array of booleans, integers or real numbers.

    Raises
    ------
    ArgumentTypeError
        They are no numbers, or rows of different lengths.
    ParameterError
        An integer is beyond 64 bits.
    """
    try:
        array = np.array(values)  # a copy: another thread may write to values meanwhile
    except ValueError:
        raise ArgumentTypeError(
            f"{field} has rows of different lengths: need rows of one length; pad the shorter ones"
        ) from None
    if array.dtype == object:
        for index, value in np.ndenumerate(array):
            place = f"{field}{list(index) if index else ''}"
            if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
                raise ArgumentTypeError(
                    f"{place} is a {type(value).__name__}: need real numbers in rows of one length"
                )
            if isinstance(value, int) and abs(value) >= 2**62:
                raise ParameterError(
                    f"{place} = {arguments.number_text(value)} is out of range: need numbers below "
                    "2^62 after scaling, and results below t/2; divide by a power of ten, and "
                    "multiply what is decrypted"
                )
        array = array.astype(np.float64)
    if array.dtype.kind not in "iubf":
        raise ArgumentTypeError(f"{field} has dtype {array.dtype}: need real numbers")
    return array


def rounded(values: Any, scale: int | float, field: str = "values") -> NDArray[np.int64]:
    """Numbers times ``scale``, rounded to the nearest integer, ties to even.

    Raises
    ------
    ArgumentTypeError
        They are no numbers.
    ParameterError
        A number is not finite, or too large for 64 bits after scaling.
    """
    array = real_numbers(values, field)
    if array.dtype.kind != "f" and isinstance(scale, int):
        most = int(np.abs(array.astype(object)).max()) if array.size else 0
        if most * scale < 2**62:
            return np.asarray(array.astype(np.int64) * scale)
    product = array.astype(np.float64) * scale
    wrong = ~(np.abs(product) < 2.0**62)  # NaN is among them
    if wrong.any():
        index = tuple(int(i[0]) for i in np.nonzero(wrong))
        raise ParameterError(
            f"{field}{list(index)} = {array[index]} times scale = {scale} is not below 2^62: "
            "need finite numbers; take a smaller scale"
        )
    return np.asarray(np.rint(product).astype(np.int64))
