# SPDX-License-Identifier: Apache-2.0
"""Matrices of numbers that multiply encrypted vectors."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _arguments as arguments
from .. import _core, rlwe
from ..circuits import Diagonals, MatrixMap
from ..errors import ParameterError, SizeError
from ..rlwe.rotations import folded
from .numbers import to_numbers
from .plaintext import Plaintext, require_scheme, slots_argument


class LinearMap(MatrixMap):
    """A matrix that multiplies encrypted vectors, prepared for many of them.

    As :class:`nttforge.bfv.LinearMap`, of all slots as one row: the map takes the vector of each
    block to the matrix times it, one level below.

    Parameters
    ----------
    matrix : array of numbers, shape (rows, columns)
        Real or complex.
    context : Context
        With a special prime.
    block, repeated
        As for :class:`nttforge.bfv.LinearMap`, of up to ``slots``.
    slots : int, optional
        Those of the ciphertexts, by default n/2.
    level : int, optional
        That of the ciphertexts, 2 ... ``parameters.top_level``, which is the default; those of
        higher levels are brought down to it.

    Raises
    ------
    SizeError
        The matrix has other than two axes, or is larger than the slots.
    ParameterError
        A value is NaN or infinite, or ``block`` is none.
    UnsupportedError
        There is too little memory for the diagonals (:attr:`memory_bytes`).

    Examples
    --------
    >>> import numpy as np
    >>> from nttforge import ckks
    >>> context = ckks.Context(ckks.Parameters.preset(2**13, 36))
    >>> turn = ckks.LinearMap([[0.6, -0.8], [0.8, 0.6]], context)  # vectors of two
    >>> keys = context.generate_keys(rotations=turn.rotations)
    >>> keys.decrypt(keys.encrypt([1, 0, 0, 1]).matmul(turn, keys))[:4].round(3)
    array([ 0.6,  0.8, -0.8,  0.6])
    """

    __slots__ = ("_of_level", "_slots")

    def __init__(
        self,
        matrix: ArrayLike,
        context: rlwe.Context,
        *,
        block: int | None = None,
        repeated: bool = False,
        slots: int | None = None,
        level: int | None = None,
    ) -> None:
        self._context = require_scheme(context)
        self._slots = slots_argument(context, slots)
        self._matrix = _matrix(matrix)
        self._repeated = bool(repeated)
        top = context.parameters.top_level
        if level is None:
            level = top
        self._of_level = arguments.integer("level", level, 2, top, "a product takes a level")
        self._layout = Diagonals.of(self._matrix.shape, self._slots, block, self._repeated)
        context._core.require_memory(self.memory_bytes, "the diagonals of a linear map")
        diagonals = self._layout.diagonals(self._matrix, self._slots)
        if not diagonals:
            raise ParameterError("matrix is 0: a product with it needs no ciphertext")
        values = np.array(list(diagonals.values()), dtype=np.complex128)
        steps = (self._layout.baby_steps, self._layout.giant_steps)
        baby, giant = ([folded(s, self._slots) for s in each] for each in steps)
        scale = context._core.scale(level)
        self._core = _core.ckks.LinearTransform(
            context._core, list(diagonals), values, level, baby, giant, scale
        )

    @property
    def slots(self) -> int:
        """Slots of the ciphertexts."""
        return self._slots

    @property
    def level(self) -> int:
        """The level of ciphertexts that it multiplies."""
        return self._level

    @property
    def _row(self) -> int:
        return self._slots

    @property
    def _level(self) -> int:
        return self._of_level

    def _single(self) -> Plaintext:
        """The one diagonal where nothing is rotated."""
        diagonal = self._layout.diagonals(self._matrix, self._slots)[0]
        return Plaintext(self._context, diagonal, slots=self._slots)

    def __reduce__(self) -> tuple[Any, ...]:
        options: Any = {"slots": self._slots, "level": self._level}
        make = partial(LinearMap, block=self.block, repeated=self._repeated, **options)
        return make, (self._matrix, self._context)


def _matrix(matrix: Any) -> NDArray[Any]:
    """A matrix of doubles, checked."""
    shape = np.shape(matrix) if not isinstance(matrix, (list, tuple)) else None
    if shape is not None and len(shape) != 2:
        raise SizeError(f"matrix has shape {shape}: need rows and columns, one at least")
    array = to_numbers("matrix", matrix, 2**17, "columns")
    if array.ndim != 2:
        raise SizeError(f"matrix has shape {array.shape}: need rows and columns, one at least")
    return array.copy()
