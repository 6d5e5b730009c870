# SPDX-License-Identifier: Apache-2.0
"""What matrices that multiply encrypted vectors have in every scheme."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from ..rlwe import Context
from .diagonals import Diagonals


class MatrixMap:
    """A matrix that is cut into diagonals, which a scheme prepares."""

    __slots__ = ("_context", "_core", "_layout", "_matrix", "_repeated")
    _context: Any  # the scheme's
    _core: Any
    _layout: Diagonals
    _matrix: NDArray[Any]
    _repeated: bool

    @property
    def context(self) -> Context:
        """The context of the vectors."""
        context: Context = self._context
        return context

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix."""
        rows, columns = self._matrix.shape
        return rows, columns

    @property
    def block(self) -> int:
        """Slots from one vector to the next."""
        return self._layout.block

    @property
    def rotations(self) -> tuple[int, ...]:
        """The steps whose keys a product needs, for ``generate_keys(rotations=...)``."""
        return tuple(self._layout.rotations(self._row))

    @property
    def memory_bytes(self) -> int:
        """Bytes of the prepared diagonals."""
        parameters = self._context.parameters
        return self._layout.memory_bytes(parameters, self._level)

    @property
    def _row(self) -> int:
        """Slots that rotations move in a circle."""
        return int(self._context.n // 2)

    @property
    def _level(self) -> int:
        """The level of the diagonals."""
        return int(self._context.parameters.top_level)

    def __repr__(self) -> str:
        rows, columns = self.shape
        steps = (self._layout.baby_steps, self._layout.giant_steps)
        baby, giant = (len(each) for each in steps)
        return (
            f"<LinearMap {rows} x {columns}, blocks of {self.block} slots"
            f"{', repeated' if self._repeated else ''}: {baby} baby steps, {giant} giant steps, "
            f"{self.memory_bytes / 2**20:.1f} MiB, of {self._context!r}>"
        )
