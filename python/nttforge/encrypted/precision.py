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
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from .. import _arguments as arguments
from ..errors import ParameterError
from ..rlwe.fixed_point import MOST_SCALE, rounded

if TYPE_CHECKING:
    from .array import EncryptedArray

__all__ = [
    "PRECISION",
    "Kept",
    "Precise",
    "common_factors",
    "keep",
    "keep_coefficients",
    "scaled",
]

#: Relative error of plain numbers unless :meth:`EncryptedArray.with_precision` says another.
PRECISION = 1e-4

_MOST_BITS = 62
_SCALES = [100**k for k in range(_MOST_BITS) if 100**k < 2**_MOST_BITS]
_SAMPLE = 64  # entries that rule out most scales of a large matrix


@dataclass(frozen=True)
class Kept:
    """Integers, the scale by which they are too large, and the operation in the words of errors."""

    words: NDArray[np.int64]
    scale: int
    what: str


class Precise:
    """The part of an encrypted array that says how exactly plain numbers are kept."""

    def with_precision(self, precision: float, scale: int | None = None) -> EncryptedArray:
        """The same array that keeps plain real numbers to another precision.

        What is computed from it inherits that; bytes do not hold it: say it in the function that
        computes, where :func:`nttforge.choose` sees it too.

        Parameters
        ----------
        precision : float
            The relative error that rounding may give a number, in (0, 0.5]; 0.0001 unless stated.
            Numbers become integers with the least power of 100 as scale that keeps each of them so,
            which multiplies the range of the result. Weights of a sum (``@``, ``convolve``) are
            kept to it beside the largest of the sum, and what is added beside its largest entry.
            Integers are exact.
        scale : int, optional
            That scale, stated, up to 2^62: where even the power of 100 shall not depend on the
            numbers, since the scale of a result is public.

        Raises
        ------
        ParameterError
            Here for arguments out of range, and later where a number cannot be kept.

        Examples
        --------
        >>> from nttforge import EncryptedArray, bfv
        >>> keys = bfv.Context(bfv.Parameters.preset(8192)).generate_keys()
        >>> x = EncryptedArray.encrypt([0.5, 1], keys, scale=2)
        >>> (x * 0.3333).scale, (x.with_precision(0.01) * 0.3333).scale
        (20000, 200)
        """
        precision = arguments.number("precision", precision, 0, 0.5, "of plain numbers")
        if precision == 0:
            raise ParameterError("precision = 0 is not in (0, 0.5]: integers are always exact")
        if scale is not None:
            scale = arguments.integer("scale", scale, 1, MOST_SCALE)
        return replace(cast("EncryptedArray", self), precision=precision, factor_scale=scale)


def scaled(scale: int | float, factor: int | float) -> int | float:
    """The product of two scales, as an integer where it is one."""
    product = scale * factor
    return int(product) if product == int(product) else product


def common_factors(what: str, a: int | float, b: int | float) -> tuple[int, int]:
    """The least integers by which two scales become equal.

    Raises
    ------
    ParameterError
        Their ratio is no fraction of integers up to 10^6.
    """
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
    x: EncryptedArray,
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
    x : EncryptedArray
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


def _lost(what: str, x: EncryptedArray, value: Any, unit: int | float) -> ParameterError:
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
    what: str, x: EncryptedArray, coefficients: NDArray[Any]
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
    scale, degree = Fraction(x.scale), len(coefficients) - 1
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
