# SPDX-License-Identifier: Apache-2.0
"""Ranges of what is encrypted, what bytes tell of them, and the keys that an array carries."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from ..integer_encoding.fixed_point import rounded
from ..rlwe import EvaluationKeys, Keys
from .columns import ColumnScales, Scale, stated_ends

_STEP_BITS = 16  # as bounds on noise (docs/bounds/noise.md)


class Told(IntEnum):
    """What bytes may tell of an array's range; a result has the largest of its operands."""

    STATED = 0  #: all of it: somebody stated it
    COMPUTED = 1  #: in coarse steps, without sign: plain operands may be secret
    NOTHING = 2  #: it follows from the values that were encrypted


def full_range(t: int) -> tuple[int, int]:
    """The signed integers modulo t."""
    return -(t // 2), (t - 1) // 2


def told_range(low: int, high: int, told: Told, t: int) -> tuple[int, int]:
    """The range that bytes tell, which holds the array's own.

    Examples
    --------
    >>> told_range(-3, 70000, Told.STATED, 2**40)
    (-3, 70000)
    >>> told_range(0, 255, Told.COMPUTED, 2**40), told_range(0, 70000, Told.COMPUTED, 2**40)
    ((-65535, 65535), (-4294967295, 4294967295))
    >>> told_range(0, 3, Told.NOTHING, 65537)
    (-32768, 32768)
    """
    if told == Told.STATED:
        return low, high
    least, most = full_range(t)
    if told == Told.COMPUTED:
        steps = max(1, -(-max(-low, high).bit_length() // _STEP_BITS))
        limit = (1 << _STEP_BITS * steps) - 1
        least, most = max(least, -limit), min(most, limit)
    return least, most


def evaluation_of(keys: Any) -> Any:
    """The evaluation keys of what may hold a secret; None without any."""
    if not isinstance(keys, Keys):
        return keys if isinstance(keys, EvaluationKeys) else None
    if keys.relinearization is None and keys.rotations is None:
        return None
    return keys.evaluation


def bounds_of(words: NDArray[np.int64], scale: Scale, bounds: Any | None) -> tuple[int, int]:
    """The range of integers, with 0 in it, as it is stated or found; columns are the last axis."""
    low, high = min(0, int(words.min())), max(0, int(words.max()))
    if bounds is None:
        most = (1 << max(-low, high).bit_length()) - 1
        return -most if low < 0 else 0, most
    if isinstance(scale, ColumnScales):
        return _range_of_columns(words, scale, bounds)
    given = rounded(bounds, scale, "bounds")
    if given.shape != (2,) or given[0] > low or given[1] < high:
        raise ParameterError(
            f"bounds = {bounds!r} do not hold all values and 0, which lie in "
            f"[{low / scale:g}, {high / scale:g}]"
        )
    return int(given[0]), int(given[1])


def real_bounds(values: NDArray[np.float64], bounds: Any | None) -> tuple[float, float]:
    """The range of real numbers, with 0 in it, as it is stated; else by the next power of two."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    if not np.isfinite(values).all():
        raise ParameterError(
            "values has NaN or infinity: every number must be finite, and below 2^900"
        )
    if bounds is None:
        most = 2.0 ** max(0, math.ceil(math.log2(max(-low, high, 1.0))))
        return -most if low < 0 else 0.0, most
    given = np.asarray(bounds, np.float64)
    if given.shape != (2,) or not (
        given[0] <= low and given[1] >= high and np.isfinite(given).all()
    ):
        raise ParameterError(
            f"bounds = {bounds!r} do not hold all values and 0, which lie in [{low:g}, {high:g}]"
        )
    return float(given[0]), float(given[1])


def _range_of_columns(
    words: NDArray[np.int64], scale: ColumnScales, bounds: Any
) -> tuple[int, int]:
    least, most = stated_ends(bounds, scale)
    for j, number in enumerate(scale.values):
        column = words[..., j]
        if column.min() < least[j] or column.max() > most[j]:
            raise ParameterError(
                f"bounds = {bounds!r} do not hold all values of column {j}, which lie in "
                f"[{column.min() / number:g}, {column.max() / number:g}]"
            )
    return min(0, int(least.min())), max(0, int(most.max()))


def stated_range(low: int, high: int, scale: Scale, bounds: Any) -> tuple[int, int]:
    """The range that somebody states of an array, which must hold the integers that are known."""
    if not isinstance(scale, ColumnScales):
        return bounds_of(np.array([low, high], np.int64), scale, bounds)
    least, most = stated_ends(bounds, scale)
    if least.min() > low or most.max() < high:
        raise ParameterError(
            f"bounds = {bounds!r} do not hold all values and 0, which as integers lie in "
            f"[{low}, {high}]"
        )
    return min(0, int(least.min())), max(0, int(most.max()))


def require_range(low: int, high: int, t: int, what: str) -> None:
    if low < -(t // 2) or high > (t - 1) // 2:
        least, most = full_range(t)
        raise ParameterError(
            f"{what}: integers in [{low}, {high}] may pass the signed range [{least}, {most}] of "
            f"t = {t}: take a larger t, a smaller scale, or say narrower bounds when encrypting"
        )
