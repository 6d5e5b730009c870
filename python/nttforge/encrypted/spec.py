# SPDX-License-Identifier: Apache-2.0
"""What is known of an encrypted array before there is one: for choosing parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _arguments as arguments
from ..errors import ParameterError, SizeError
from ..integer_encoding.fixed_point import scale_argument
from .array import EncryptedArray
from .layout import block_for, layout_of

if TYPE_CHECKING:
    from ..integer_encoding import Keys
    from ..rlwe import PublicKey, SecretKey

__all__ = ["ArraySpec"]


@dataclass(frozen=True)
class ArraySpec:
    """Shape and range of an input of :func:`nttforge.choose` that is an :class:`EncryptedArray`.

    Parameters
    ----------
    shape : tuple of int
        (length,) or (rows, length).
    low, high : number
        No value is below or above.
    scale : number
        By which values are multiplied before they are rounded to integers.
    block : int, optional
        Positions of a vector, a power of two; by default the least that holds ``length``.

    Examples
    --------
    >>> import nttforge
    >>> spec = nttforge.ArraySpec((100,), 0, 2.5, scale=10)
    >>> spec.bounds
    (0, 25)
    >>> choice = nttforge.choose(lambda x: x * 2, {"x": spec})
    >>> keys = choice.generate_keys(nttforge.bfv.Context(choice.parameters))
    >>> spec.encrypt([2.5] * 100, keys).bounds
    (0.0, 2.5)
    """

    shape: tuple[int, ...]
    low: float
    high: float
    scale: int | float = 1
    block: int | None = None

    def __post_init__(self) -> None:
        shape = arguments.shape("shape", self.shape)
        if len(shape) not in (1, 2) or 0 in shape:
            raise SizeError(f"shape = {shape}: need (length,) or (rows, length), each at least 1")
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "scale", scale_argument(self.scale))
        low, high = float(self.low), float(self.high)
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            raise ParameterError(
                f"low = {self.low}, high = {self.high}: need the lowest and the highest value"
            )

    @property
    def bounds(self) -> tuple[int, int]:
        """The range as integers after scaling, with 0 among them."""
        low, high = (math.floor(self.low * self.scale), math.ceil(self.high * self.scale))
        return min(0, low), max(0, high)

    def encrypt(self, values: ArrayLike, keys: Keys | PublicKey | SecretKey) -> EncryptedArray:
        """:meth:`EncryptedArray.encrypt` with this shape, scale, range and block.

        Raises
        ------
        SizeError
            The values have another shape.
        ParameterError, ArgumentTypeError
            As :meth:`EncryptedArray.encrypt`; a value is outside the range.
        """
        shape = np.shape(values)
        if shape != self.shape:
            raise SizeError(
                f"values has shape {shape}: need {self.shape}, for which parameters were chosen"
            )
        return EncryptedArray.encrypt(
            values, keys, scale=self.scale, bounds=(self.low, self.high), block=self.block
        )

    def traced(self, text: Any, n: int, t: int | None = None) -> EncryptedArray:
        """An array without numbers, of something that records what is done with a ciphertext."""
        rows = None if len(self.shape) == 1 else self.shape[0]
        layout = layout_of(n, block_for(self.shape[-1], n, self.block), rows, self.shape[-1])
        low, high = self.bounds
        return EncryptedArray(text, layout, None, t, self.scale, low, high)
