# SPDX-License-Identifier: Apache-2.0
"""Second operands of encrypted arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentTypeError
from ..integer_encoding.fixed_point import real_numbers

__all__ = ["numbers"]


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
