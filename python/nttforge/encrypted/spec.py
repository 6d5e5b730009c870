# SPDX-License-Identifier: Apache-2.0
"""What is known of an encrypted array before there is one: for choosing parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from .. import _arguments as arguments
from ..errors import ParameterError, SizeError
from .array import EncryptedArray
from .columns import ColumnScales, Scale, scale_of, stated_ends
from .layout import Layout, block_for, layout_of
from .schemes import halves_of

if TYPE_CHECKING:
    from ..rlwe import Keys, PublicKey, SecretKey


@dataclass(frozen=True)
class ArraySpec:
    """Shape and range of an input of :func:`nttforge.choose` that is an :class:`EncryptedArray`.

    Parameters
    ----------
    shape : tuple of int
        (length,) or (rows, length).
    low, high : number
        No value is below or above; with scales of columns also a number for each column.
    scale : number or sequence of numbers
        By which values are multiplied before they are rounded to integers, in all columns or in
        each, as :meth:`EncryptedArray.encrypt`. CKKS does not use it.
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

    Ages and incomes, of which both become integers up to 10,000:

    >>> people = nttforge.ArraySpec((50, 2), 0, (100, 1_000_000), scale=(100, 0.01))
    >>> people.bounds
    (0, 10000)
    """

    shape: tuple[int, ...]
    low: float | Sequence[float]
    high: float | Sequence[float]
    scale: Scale | Sequence[float] = 1
    block: int | None = None

    def __post_init__(self) -> None:
        shape = arguments.shape("shape", self.shape)
        if len(shape) not in (1, 2) or 0 in shape:
            raise SizeError(f"shape = {shape}: need (length,) or (rows, length), each at least 1")
        object.__setattr__(self, "shape", shape)
        if not isinstance(self.scale, ColumnScales):
            object.__setattr__(self, "scale", scale_of(self.scale, shape[-1]))
        ends = np.array(self.low, np.float64), np.array(self.high, np.float64)
        each = (shape[-1],) if isinstance(self.scale, ColumnScales) else ()
        sizes = all(end.shape in ((), each) for end in ends)
        if not (sizes and np.isfinite(ends[0]).all() and (ends[0] <= ends[1]).all()):
            raise ParameterError(
                f"low = {self.low}, high = {self.high}: need the lowest and the highest value"
                + (", each a number or one for each column" if each else "")
            )

    @property
    def bounds(self) -> tuple[int, int]:
        """The range as integers after scaling, with 0 among them."""
        if isinstance(self.scale, ColumnScales):
            least, most = stated_ends((self.low, self.high), self.scale)
            return min(0, int(least.min())), max(0, int(most.max()))
        low, high, scale = (cast("float", x) for x in (self.low, self.high, self.scale))
        return min(0, math.floor(low * scale)), max(0, math.ceil(high * scale))

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
        if halves_of(keys.context) == 2:
            bounds: tuple[Any, Any] = (self.low, self.high)
            return EncryptedArray.encrypt(
                values, keys, scale=self.scale, bounds=bounds, block=self.block
            )
        return EncryptedArray.encrypt(values, keys, bounds=self.real_bounds, block=self.block)

    @property
    def real_bounds(self) -> tuple[float, float]:
        """The range of the values themselves, with 0 among them: of CKKS."""
        return min(0.0, float(np.min(self.low))), max(0.0, float(np.max(self.high)))

    def layout(self, n: int, halves: int = 2) -> Layout:
        """Where the entries are."""
        rows = None if len(self.shape) == 1 else self.shape[0]
        block = block_for(self.shape[-1], n, self.block)
        return layout_of(n, block, rows, self.shape[-1], halves)

    def traced(self, text: Any, n: int, t: int | None = None) -> EncryptedArray:
        """An array without numbers, of something that records what is done with a ciphertext."""
        low, high = self.bounds
        scale = cast("Scale", self.scale)
        return EncryptedArray(text, self.layout(n), None, t, scale, low, high)
