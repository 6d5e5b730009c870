# SPDX-License-Identifier: Apache-2.0
"""Steps of rotations."""

from __future__ import annotations

from collections.abc import Sequence

from .. import _arguments as arguments
from ..errors import SizeError


def folded(step: int, row: int) -> int:
    """A rotation of a row in (-row/2, row/2]."""
    step %= row
    return step - row if step > row // 2 else step


def sum_steps(shape: Sequence[int], axis: int) -> list[int]:
    """The steps whose keys :meth:`Ciphertext.sum_axis` needs.

    Parameters
    ----------
    shape : (int, int)
        Rows and columns of a matrix in slots, row by row; powers of two.
    axis : {0, 1}
        0: over rows; 1: over columns.

    Raises
    ------
    ParameterError, SizeError
        The shape or the axis is none of these.
    """
    sizes = arguments.integers("shape", shape, 1, 2**16)
    if len(sizes) != 2 or any(size & (size - 1) for size in sizes):
        raise SizeError(
            f"shape = {tuple(sizes)}: need rows and columns, powers of two; pad with zeros"
        )
    axis = arguments.integer("axis", axis, 0, 1)
    stride = sizes[1] if axis == 0 else 1
    return [stride << i for i in range(sizes[axis].bit_length() - 1)]
