# SPDX-License-Identifier: Apache-2.0
"""Scales of encrypted arrays: one for all entries, or one for each column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentTypeError, ParameterError, SizeError
from ..integer_encoding.fixed_point import rounded, scale_argument


@dataclass(frozen=True)
class ColumnScales:
    """A scale for each column. It is no number: what knows one scale only refuses it.

    Examples
    --------
    >>> ColumnScales((10, 1000))
    (10, 1000)
    """

    values: tuple[int | float, ...]

    def __repr__(self) -> str:
        return str(self.values)

    def row(self) -> NDArray[Any]:
        """The scales as an array of one axis."""
        return np.array(self.values)


Scale: TypeAlias = int | float | ColumnScales


def scale_of(scale: Any, length: int) -> Scale:
    """A scale, checked: a number, or a number for each column; of equal ones the number.

    Raises
    ------
    ArgumentTypeError, ParameterError, SizeError
        It is none, or there are not as many as columns.
    """
    if isinstance(scale, ColumnScales):
        scale = scale.values
    if not isinstance(scale, (Sequence, np.ndarray)) or isinstance(scale, str):
        return scale_argument(scale)
    found = tuple(scale_argument(s, f"scale[{j}]") for j, s in enumerate(scale))
    if len(found) != length:
        raise SizeError(f"scale has {len(found)} numbers: need one, or one for each of {length}")
    return _joined(found)


def scaled(scale: Scale, factor: Scale) -> Scale:
    """The product of two scales, as integers where they are."""
    counts = [len(s.values) for s in (scale, factor) if isinstance(s, ColumnScales)]
    if not counts:
        return _number(scale * factor)  # type: ignore[operator]
    left, right = (
        s.values if isinstance(s, ColumnScales) else (s,) * counts[0] for s in (scale, factor)
    )
    return _joined(tuple(_number(a * b) for a, b in zip(left, right, strict=True)))


def of_columns(scale: Scale, start: int, stop: int) -> Scale:
    """The scale of some columns.

    Examples
    --------
    >>> of_columns(ColumnScales((10, 10, 1000)), 1, 3), of_columns(ColumnScales((10, 1000)), 1, 2)
    ((10, 1000), 1000)
    """
    return _joined(scale.values[start:stop]) if isinstance(scale, ColumnScales) else scale


def _joined(values: tuple[int | float, ...]) -> Scale:
    return values[0] if len(set(values)) == 1 else ColumnScales(values)


def _number(product: int | float) -> int | float:
    return int(product) if product == int(product) else product


def rounded_entries(values: NDArray[Any], scale: Scale, field: str) -> NDArray[np.int64]:
    """Numbers times their scale as :func:`fixed_point.rounded`; columns are the last axis.

    Raises
    ------
    ArgumentTypeError
        A scale is 1 and would round real numbers to integers.
    ParameterError
        A number is not finite, or too large for 64 bits after scaling.
    """
    if not isinstance(scale, ColumnScales):
        return rounded(values, scale, field)
    columns = []
    for j, number in enumerate(scale.values):
        column = values[..., j]
        if number == 1 and (column != np.rint(column)).any():
            raise ArgumentTypeError(
                f"{field}[..., {j}] has real numbers and scale[{j}] = 1 would round them to "
                "integers: give a larger one"
            )
        columns.append(rounded(column, number, f"{field}[..., {j}]"))
    return np.stack(columns, axis=-1)


def stated_ends(bounds: Any, scale: ColumnScales) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The integers between which the values of each column are stated to be.

    Raises
    ------
    ParameterError
        ``bounds`` is no pair of numbers, or of rows of a number for each column.
    """
    try:
        low, high = bounds
        ends = [np.broadcast_to(np.asarray(e, np.float64), len(scale.values)) for e in (low, high)]
    except (TypeError, ValueError):
        raise ParameterError(
            f"bounds = {bounds!r}: need the lowest and the highest value, each a number or one for "
            f"each of {len(scale.values)} columns"
        ) from None
    return rounded_entries(ends[0], scale, "bounds"), rounded_entries(ends[1], scale, "bounds")
