# SPDX-License-Identifier: Apache-2.0
"""Plain numbers as integers with a scale of their own, chosen from the precision asked for.

A number v becomes an integer w and a scale u, with w/u within precision times v of v. The scale is
the least power of 100 that does: decimal fractions of few digits are exact, of two scales one is a
multiple of the other, and a result's scale, which is public, tells of the numbers no more than this
coarse grid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentTypeError, ParameterError
from ..integer_encoding.fixed_point import real_numbers, rounded
from .columns import ColumnScales, Scale, scaled
from .state import Encrypted

_MOST_BITS = 62
_SCALES = [100**k for k in range(_MOST_BITS) if 100**k < 2**_MOST_BITS]
_SAMPLE = 64  # entries that rule out most scales of a large matrix


@dataclass(frozen=True)
class Kept:
    """Integers, the scale by which they are too large, and the operation in the words of errors."""

    words: NDArray[Any]  # of CKKS the numbers themselves
    scale: int
    what: str

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the largest, and 0."""
        return min(0, self.words.min().item()), max(0, self.words.max().item())


def numbers(what: str, value: Any) -> NDArray[Any]:
    """A plain operand as an array of numbers."""
    if isinstance(value, bool) or not isinstance(
        value, (int, float, np.integer, np.floating, np.ndarray, list, tuple)
    ):
        raise ArgumentTypeError(
            f"{what}: an operand is a {type(value).__name__}: need an EncryptedArray, an array or "
            "a number"
        )
    array = real_numbers(value, f"{what}: an operand")
    if array.dtype.kind not in "iuf" or array.ndim > 2 or not array.size:
        raise ArgumentTypeError(
            f"{what}: an operand has dtype {array.dtype} and shape {array.shape}: need numbers and "
            "at most two axes"
        )
    return array


def common_factors(what: str, a: Scale, b: Scale) -> tuple[int, int]:
    """The least integers by which two scales become equal.

    Raises
    ------
    ParameterError
        Their ratio is no fraction of integers up to 10^6, or they are scales of columns.
    """
    if isinstance(a, ColumnScales) or isinstance(b, ColumnScales):
        raise ParameterError(
            f"{what}: columns have the scales {a} and {b}: encrypt both with the same, or multiply "
            "by plain weights first, which gives all columns one scale"
        )
    if isinstance(a, int) and isinstance(b, int):
        return b // math.gcd(a, b), a // math.gcd(a, b)
    ratio = Fraction(b / a).limit_denominator(10**6)
    if abs(float(ratio) * a - b) > 1e-14 * b or ratio.numerator > 10**6:
        raise ParameterError(
            f"{what}: operands have scales {a} and {b}, and no integers up to 10^6 make them "
            "equal: encrypt with integers as scales"
        )
    return ratio.numerator, ratio.denominator


def keep(
    what: str,
    x: Encrypted,
    values: NDArray[Any],
    *,
    size: NDArray[Any] | None = None,
    unit: int | float = 1,
) -> Kept:
    """Numbers times ``unit`` as integers, each to the array's precision; integers exactly.

    Parameters
    ----------
    what : str
        The operation.
    x : Encrypted
        Whose precision, or stated scale, holds.
    values : array of numbers
    size : array of numbers, optional
        What the error is relative to, broadcast; by default each number itself.
    unit : int or float
        The scale that integers have already.

    Raises
    ------
    ParameterError
        A number is not finite, is too large, or no scale below 2^62 keeps it.
    """
    exact = values.dtype.kind != "f"
    if x.layout.real:
        if not np.isfinite(values).all():
            raise ParameterError(f"{what}: an operand holds a number that is not finite")
        return Kept(values if unit == 1 else values * unit, 1, what)
    if exact and isinstance(unit, int):
        return Kept(rounded(values, unit, what), 1, what)
    wanted = values.astype(np.float64) * unit
    if not np.isfinite(wanted).all():
        raise ParameterError(f"{what}: an operand holds a number that is not finite")
    whole = np.abs(wanted if size is None else np.asarray(size, dtype=np.float64) * unit)
    allowed = np.broadcast_to(x.precision * whole, wanted.shape)
    flat, error = wanted.ravel(), allowed.ravel()
    stated = None if x.factor_scale is None else x.factor_scale // _shared(x.factor_scale, unit)
    scale, last = _least(flat, error, _SCALES if stated is None else (stated,))
    if scale is None:
        raise _lost(what, x, values.ravel()[last], unit)
    text = what
    if scale > 1:
        text = (
            f"{what} (of {values.ravel()[last]:g}, kept to precision = {x.precision:g} by the "
            f"scale {scaled(scale, unit)}; with_precision asks for less)"
        )
    return Kept(rounded(wanted, scale, what), scale, text)


def _shared(stated: int, unit: int | float) -> int:
    """What integers of scale ``unit`` have of a stated scale already."""
    return math.gcd(stated, unit) if isinstance(unit, int) else 1


def _least(
    values: NDArray[np.float64], allowed: NDArray[np.float64], scales: Sequence[int]
) -> tuple[int | None, int]:
    """The first scale that keeps all values, or None, and where the one before it failed."""
    sample = slice(None, None, max(1, len(values) // _SAMPLE))
    last = 0
    for scale in scales:
        for part in (sample, slice(None)):
            product = values[part] * scale
            wrong = np.abs(np.rint(product) - product) > allowed[part] * scale
            if wrong.any():
                last = int(np.argmax(wrong)) * (part.step or 1)
                break
        else:
            return scale, last
    return None, last


def _lost(what: str, x: Encrypted, value: Any, unit: int | float) -> ParameterError:
    if x.factor_scale is None:
        return ParameterError(
            f"{what}: {value:g} cannot be kept to precision = {x.precision:g} by a scale below "
            "2^62: multiply by a larger number and divide what is decrypted, or ask for less by "
            "with_precision"
        )
    return ParameterError(
        f"{what}: {value:g} at the stated scale {x.factor_scale} is "
        f"{np.rint(value * x.factor_scale) / x.factor_scale:g}, which is not within precision = "
        f"{x.precision:g} of it: state a larger scale by with_precision, or ask for less"
    )


def keep_coefficients(
    what: str, x: Encrypted, coefficients: NDArray[Any]
) -> tuple[list[int], int, str]:
    """Coefficients of a polynomial as integers for powers of scaled numbers.

    The k-th of d + 1 becomes ``coefficients[k] * scale^(d - k) * u``, so that all terms have the
    scale ``scale^d * u``. Returned are the integers, which may pass 64 bits, u, and the operation
    in the words of errors.

    Raises
    ------
    ParameterError
        A coefficient is not finite, or no u below 2^62 keeps it to the array's precision.
    """
    if coefficients.dtype.kind == "f" and not np.isfinite(coefficients).all():
        raise ParameterError(f"{what}: a coefficient is not finite")
    scale, degree = Fraction(x._one_scale(what)), len(coefficients) - 1
    wanted = [Fraction(c) * scale ** (degree - k) for k, c in enumerate(coefficients.tolist())]
    scales = _SCALES if x.factor_scale is None else [x.factor_scale]
    if coefficients.dtype.kind != "f" and scale.denominator == 1:
        scales = [1]
    precision, last = Fraction(x.precision), 0
    for u in scales:
        for k in (last, *range(degree + 1)):
            if abs(round(wanted[k] * u) - wanted[k] * u) > precision * abs(wanted[k]) * u:
                last = k
                break
        else:
            text = what
            if u > 1:
                text = (
                    f"{what} (coefficient {coefficients[last]:g} kept to precision = "
                    f"{x.precision:g} by the scale {u}; with_precision asks for less)"
                )
            return [round(v * u) for v in wanted], u, text
    raise _lost(what, x, coefficients[last], 1)
