# SPDX-License-Identifier: Apache-2.0
"""Matrices of integers that multiply encrypted vectors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..circuits import Diagonals, MatrixMap
from ..errors import ArgumentTypeError, ParameterError, SizeError
from ..rlwe._require import require
from ..rlwe.rotations import folded
from .context import Context
from .encoders import BatchEncoder
from .plaintexts import Plaintext

if TYPE_CHECKING:
    from ..typing import Integers


def matrix_bounds(matrix: NDArray[Any], low: Any, high: Any) -> tuple[Any, Any]:
    """Bounds on a matrix times a vector with entries in [low, high]; 0 behind it."""
    objects = matrix.astype(object)
    positive, negative = np.maximum(objects, 0).sum(axis=1), np.minimum(objects, 0).sum(axis=1)
    most = max(p * high + m * low for p, m in zip(positive, negative, strict=True))
    least = min(p * low + m * high for p, m in zip(positive, negative, strict=True))
    return min(0, least), max(0, most)


class LinearMap(MatrixMap):
    """A matrix of integers that multiplies encrypted vectors, prepared for many of them.

    Each row of n/2 slots is cut into blocks, and every block holds a vector: the map takes each of
    them to the matrix times it. It costs as many products with plaintexts as the matrix has
    diagonals (``rows + columns - 1``, or ``block`` where rotations of blocks are cyclic) and one
    level of noise, and rotates by baby steps, which share one decomposition, and giant steps
    [HS14], [HS18].

    Parameters
    ----------
    matrix : array of integers, shape (rows, columns)
        In [-floor(t/2), floor((t-1)/2)].
    context : Context
        With slots, and a special prime.
    block : int, optional
        Slots of a vector, a power of two up to n/2; by default the least that holds rows and
        columns. Slots behind a vector may hold anything; behind the result they are 0.
    repeated : bool
        Every block holds the same vector, followed by zeros. Half of the diagonals then suffice.
        Results are repeated likewise.

    Raises
    ------
    SizeError
        The matrix is larger than a row of slots.
    ParameterError
        A value is out of range, or ``block`` is none.
    UnsupportedError
        t has no slots, or there is too little memory for the diagonals (:attr:`memory_bytes`).

    Examples
    --------
    >>> import numpy as np
    >>> from nttforge import bfv
    >>> context = bfv.Context(bfv.Parameters.preset(8192))
    >>> double = bfv.LinearMap([[0, 2], [2, 0]], context)  # vectors of two
    >>> double.rotations
    (-2, 1)
    >>> keys = context.generate_keys(rotations=double.rotations)
    >>> keys.decrypt(keys.encrypt([1, 2, 3, 4]).matmul(double, keys))[:4]
    array([4, 2, 8, 6])
    """

    __slots__ = ()

    def __init__(
        self,
        matrix: Integers,
        context: Context,
        *,
        block: int | None = None,
        repeated: bool = False,
    ) -> None:
        self._context: Context = require(context, Context, "context")
        self._matrix = matrix_of(matrix)
        self._repeated = bool(repeated)
        n = context.n
        self._layout = Diagonals.of(self._matrix.shape, n // 2, block, self._repeated)
        context._core.require_memory(self.memory_bytes, "the diagonals of a linear map")
        prepared = _core.rlwe.prepare_factors(self._factors()._core)
        steps = (self._layout.baby_steps, self._layout.giant_steps)
        baby, giant = ([folded(s, n // 2) for s in each] for each in steps)
        self._core = _core.rlwe.LinearMap(baby, giant, prepared)

    def _factors(self) -> Plaintext:
        """The diagonals, a batch: a single plaintext where nothing is rotated."""
        factors = self._layout.factors(self._matrix, self._context.n)
        return BatchEncoder(self._context).encode(factors)

    def __reduce__(self) -> tuple[Any, ...]:
        make = partial(LinearMap, block=self.block, repeated=self._repeated)
        return make, (self._matrix, self._context)


def matrix_of(matrix: Any) -> NDArray[np.int64]:
    """A matrix of 64-bit integers, checked."""
    try:
        array = np.asarray(matrix)
    except ValueError:
        raise SizeError("matrix has rows of different lengths") from None
    if array.dtype.kind not in "iub":
        raise ArgumentTypeError(
            f"matrix has dtype {array.dtype}: need integers; round and scale first, for example "
            "numpy.rint(matrix * scale).astype(numpy.int64)"
        )
    if array.ndim != 2 or 0 in array.shape:
        raise SizeError(f"matrix has shape {array.shape}: need rows and columns, one at least")
    if array.dtype.kind == "u" and array.size and int(array.max()) >= 2**63:
        raise ParameterError(f"matrix has the value {array.max()}: need less than 2^63")
    return array.astype(np.int64)
