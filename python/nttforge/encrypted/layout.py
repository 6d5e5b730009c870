# SPDX-License-Identifier: Apache-2.0
"""Where the entries of an encrypted array are among the slots of its ciphertexts.

A row of n/2 slots has ``block`` positions of ``stride`` lanes, n/2 = block * stride, and a vector
is one lane of one of the two rows, or of the one row that CKKS has:

    row 0   position 0: lanes 0 1 .. stride-1 | position 1: lanes 0 1 .. stride-1 | ...
    row 1   the same for lanes stride ... 2 stride - 1

A rotation by ``stride`` slots then moves all vectors by one position, cyclically, and no vector
meets another. An array without a first axis has the same vector in every lane, and one without a
last axis the same number at every position.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError, SizeError


def block_for(length: int, n: int, block: int | None) -> int:
    """The positions of a vector: a power of two from its length up to n/2."""
    if length > n // 2:
        raise SizeError(
            f"a vector of {length} entries does not fit a row of n/2 = {n // 2} slots: make "
            "several rows of it, an array of two axes, or take a larger n"
        )
    least = 1 << max(0, length - 1).bit_length()
    if block is None:
        return least
    if block < least or block & (block - 1):
        raise ParameterError(
            f"block = {block} is not allowed: need a power of two from {least} to n/2 = {n // 2}"
        )
    if block > n // 2:
        raise SizeError(
            f"block = {block} is more than a row of n/2 = {n // 2} slots: take n = {2 * block}, or "
            "a smaller block"
        )
    return block


@dataclass(frozen=True)
class Layout:
    """Places of an array of ``rows`` vectors (None: one, everywhere) of ``length`` entries.

    ``length`` None stands for one number at every position of its vector.
    """

    n: int
    block: int
    rows: int | None
    length: int | None
    halves: int = 2  #: rows of slots

    @property
    def real(self) -> bool:
        """Whether slots are real numbers, of CKKS, and not integers modulo t."""
        return self.halves == 1

    @property
    def slots(self) -> int:
        """Slots of a ciphertext."""
        return self.halves * (self.n // 2)

    @property
    def stride(self) -> int:
        """Lanes of a row of slots."""
        return self.n // 2 // self.block

    @property
    def lanes(self) -> int:
        """Vectors that a ciphertext holds."""
        return self.halves * self.stride

    @property
    def ciphertexts(self) -> int:
        """Ciphertexts, as a batch."""
        return 1 if self.rows is None else -(-self.rows // self.lanes)

    @property
    def is_full(self) -> bool:
        """Whether every slot is an entry."""
        positions = self.length is None or self.length == self.block
        return positions and (self.rows is None or self.rows == self.lanes * self.ciphertexts)

    def to_slots(self, values: NDArray[Any]) -> NDArray[Any]:
        """Slots, (ciphertexts, slots), of values that broadcast to (rows or 1, length or 1)."""
        rows, length = self.rows or 1, 1 if self.length is None else self.length
        whole = np.broadcast_to(values, (rows, length))
        grid = np.zeros((self.ciphertexts * self.lanes, self.block), dtype=values.dtype)
        used = slice(None) if self.rows is None else slice(0, rows)
        grid[used, : self.block if self.length is None else length] = whole
        return self._in_slots(grid)

    def from_slots(self, slots: NDArray[Any]) -> NDArray[Any]:
        """The values, (rows or 1, length or 1)."""
        cut = slots.reshape(self.ciphertexts, self.halves, self.block, self.stride)
        grid = cut.transpose(0, 1, 3, 2).reshape(-1, self.block)
        rows = 1 if self.rows is None else self.rows
        return grid[:rows, : 1 if self.length is None else self.length]

    def mask(self, rows: Any, positions: Any) -> NDArray[np.int64]:
        """Slots with ones at some vectors and positions, (ciphertexts, slots)."""
        grid = np.zeros((self.ciphertexts * self.lanes, self.block), dtype=np.int64)
        chosen = np.zeros(len(grid), dtype=bool)
        chosen[rows] = True
        columns = np.zeros(self.block, dtype=bool)
        columns[positions] = True
        grid[np.ix_(chosen, columns)] = 1
        return self._in_slots(grid)

    def entries(self) -> NDArray[np.int64]:
        """Slots with ones where entries are."""
        rows = slice(None) if self.rows is None else slice(0, self.rows)
        return self.mask(rows, slice(None) if self.length is None else slice(0, self.length))

    def _in_slots(self, grid: NDArray[Any]) -> NDArray[Any]:
        """Vectors, (lanes, block), as slots."""
        # (ciphertext, row, lane, position) to (ciphertext, row, position, lane)
        cut = grid.reshape(self.ciphertexts, self.halves, self.stride, self.block)
        return np.ascontiguousarray(cut.transpose(0, 1, 3, 2)).reshape(self.ciphertexts, -1)


@lru_cache(maxsize=1024)
def layout_of(n: int, block: int, rows: int | None, length: int | None, halves: int = 2) -> Layout:
    """The layout; equal ones are one object, so that a product sees fast that they are equal."""
    return Layout(n, block, rows, length, halves)
