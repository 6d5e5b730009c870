# SPDX-License-Identifier: Apache-2.0
"""Numbers in the cells of a CSV table: one rule for every command and for the cluster.

A cell is an integer or a decimal number in ASCII, without separators, from -2^63 to below 2^63.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_CHARACTERS = 400


class CellError(ValueError):
    """A cell is no number; ``row`` is its index in the column."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


def number_of(cell: str) -> int | float | None:
    """The number of a cell, or None.

    >>> number_of(" 12"), number_of("1e3"), number_of("1_000"), number_of("nan"), number_of("")
    (12, 1000.0, None, None, None)
    """
    if "_" in cell or not cell.isascii() or len(cell) > _MOST_CHARACTERS:
        return None
    value: int | float
    try:
        value = int(cell)
    except ValueError:
        try:
            value = float(cell)
        except ValueError:
            return None
    return value if -(2**63) <= value < 2**63 else None  # not of infinity and NaN


def column_of(cells: Sequence[str]) -> NDArray[Any]:
    """The numbers of a column: int64, or float64 where a cell is no integer.

    Raises
    ------
    CellError
        The first cell that is no number.
    """
    import numpy as np

    values = []
    for row, cell in enumerate(cells):
        value = number_of(cell)
        if value is None:
            raise CellError(row)
        values.append(value)
    real = any(isinstance(value, float) for value in values)
    return np.array(values, dtype=np.float64 if real else np.int64)
