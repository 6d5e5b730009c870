# SPDX-License-Identifier: Apache-2.0
"""How a matrix that multiplies vectors in slots is cut into diagonals, for every scheme.

        columns of the matrix            the sum over d of diagonal d times the vector rotated by d:
    row 0   a b c d                       d = 0: a f k p,  d = 1: b g l m,  ...
    row 1   e f g h                       With d = giant + baby, rotations by baby steps share one
    row 2   i j k l                       decomposition, and one rotation by each giant step follows
    row 3   m n o p                       the sum of its products [HS14], [HS18].

Costs are as many products with plaintexts as there are diagonals, and as many rotations as there
are steps. A matrix of few rows is repeated below itself. Then as many diagonals as it has rows hold
every entry once, and the sum of all positions a number of rows apart is the result [JVC18].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _arguments as arguments
from ..errors import ParameterError, SizeError
from ..rlwe import Parameters
from ..rlwe.rotations import folded

# Prices in rotations by a baby step: a rotation of its own, and a product with a diagonal.
_GIANT_STEP, _PRODUCT = 2.5, 0.3
#: Below this part of its price a way is taken that leaves copies behind the result.
_MUCH_CHEAPER = 0.6


def _cheapest(diagonals: range, row: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Baby and giant steps for diagonals of rows of ``row`` slots."""
    best: tuple[float, tuple[int, ...], tuple[int, ...]] | None = None
    for log_baby in range(row.bit_length()):
        baby = 1 << log_baby
        babies = tuple(sorted({d % baby for d in diagonals}))
        giants = tuple(sorted({d - d % baby for d in diagonals}))
        price = len(babies) + _GIANT_STEP * len(giants) + _PRODUCT * len(babies) * len(giants)
        if best is None or price < best[0]:
            best = (price, babies, giants)
    assert best is not None
    return best[1:]


@dataclass(frozen=True)
class Diagonals:
    """How a matrix is cut into diagonals, for rows of ``row`` slots.

    Diagonal d multiplies slot i + d into slot i. ``baby_steps`` and ``giant_steps`` are such that
    every diagonal is the sum of one of each.
    """

    block: int
    cyclic: bool
    baby_steps: tuple[int, ...]
    giant_steps: tuple[int, ...]

    @classmethod
    def of(cls, shape: tuple[int, int], row: int, block: int | None, repeated: bool) -> Diagonals:
        """The layout of a matrix of a shape, with the fewest and cheapest rotations."""
        rows, columns = shape
        least = 1 << (max(rows, columns) - 1).bit_length()
        if least > row:
            raise SizeError(
                f"matrix has shape {shape}: need at most n/2 = {row} rows and columns; take a "
                "larger n, or several matrices"
            )
        if block is None:
            block = least
        block = arguments.integer("block", block, 1, row, "a power of two up to n/2")
        if block & (block - 1) or block < least:
            raise ParameterError(
                f"block = {block} is not allowed: a power of two, at least {least} for a matrix of "
                f"shape {shape}, and at most n/2 = {row}"
            )
        cyclic = repeated or block == row
        diagonals = range(block) if cyclic else range(1 - rows, columns)
        return cls(block, cyclic, *_cheapest(diagonals, row))

    @classmethod
    def of_repeated(cls, shape: tuple[int, int], block: int) -> Diagonals | None:
        """For a matrix of few rows, repeated below itself; None if that is not much cheaper.

        For rotations that are cyclic in a block, which is ``block // period`` times as long as the
        least power of two from the number of rows: so many positions are added up.
        """
        period = 1 << (shape[0] - 1).bit_length()
        whole = cls.of(shape, block, block, True)
        short = cls(block, True, *_cheapest(range(period), block))
        sums = (block // period).bit_length() - 1
        return short if short.price + _GIANT_STEP * sums < _MUCH_CHEAPER * whole.price else None

    @property
    def price(self) -> float:
        """In rotations by a baby step."""
        babies, giants = len(self.baby_steps), len(self.giant_steps)
        return babies + _GIANT_STEP * giants + _PRODUCT * babies * giants

    def memory_bytes(self, parameters: Parameters, level: int) -> int:
        """Bytes of the diagonals, prepared for a level, one for each sum of two steps."""
        first, last = parameters.levels[level - 1]
        primes = last - first + len(parameters.special)
        words = parameters.n * primes * parameters.word_bits // 8
        return len(self.baby_steps) * len(self.giant_steps) * words

    def rotations(self, row: int) -> list[int]:
        """The steps other than 0, in (-row/2, row/2], increasing."""
        steps = {folded(step, row) for step in (*self.baby_steps, *self.giant_steps)}
        return sorted(steps - {0})

    def factors(self, matrix: NDArray[Any], n: int) -> NDArray[Any]:
        """Slots of every factor, (giant steps times baby steps, n), giant step by giant step."""
        square, slot = self._square(matrix), np.arange(self.block)
        out = np.empty((len(self.giant_steps), len(self.baby_steps), n), matrix.dtype)
        for g, giant in enumerate(self.giant_steps):
            for j, baby in enumerate(self.baby_steps):
                diagonal = self._diagonal(square, slot + giant + baby)
                out[g, j] = np.tile(np.roll(diagonal, giant), n // self.block)
        return out.reshape(-1, n)

    def diagonals(self, matrix: NDArray[Any], slots: int) -> dict[int, NDArray[Any]]:
        """The diagonals themselves, not rotated, by their number modulo the slots."""
        square, slot, found = self._square(matrix), np.arange(self.block), {}
        for d in sorted({giant + baby for giant in self.giant_steps for baby in self.baby_steps}):
            diagonal = self._diagonal(square, slot + d)
            if diagonal.any():
                found[d % slots] = np.tile(diagonal, slots // self.block)
        return found

    def _square(self, matrix: NDArray[Any]) -> NDArray[Any]:
        """The matrix of a block, with zeros around it."""
        rows, columns = matrix.shape
        square = np.zeros((self.block, self.block), dtype=matrix.dtype)
        square[:rows, :columns] = matrix
        return square

    def _diagonal(self, square: NDArray[Any], column: NDArray[np.intp]) -> NDArray[Any]:
        """What stands in these columns, row by row; 0 outside, unless columns are cyclic."""
        inside = self.cyclic | ((column >= 0) & (column < self.block))
        entries: NDArray[Any] = square[np.arange(self.block), column % self.block]
        return np.where(inside, entries, 0)

    def lane_factors(self, matrices: NDArray[Any], halves: int = 2) -> NDArray[Any]:
        """Slots of every factor of one matrix for each lane, (lanes, block, block), as `factors`.

        Slots are in the order of rows of slots, positions of a vector, lanes of a row; rotations
        are cyclic.
        """
        lanes, block, _ = matrices.shape
        slot = np.arange(block)
        out = [
            np.roll(matrices[:, slot, (slot + giant + baby) % block], giant, axis=1)
            for giant in self.giant_steps
            for baby in self.baby_steps
        ]
        cut = np.array(out).reshape(len(out), halves, lanes // halves, block)
        return np.ascontiguousarray(cut.transpose(0, 1, 3, 2)).reshape(len(out), lanes * block)
