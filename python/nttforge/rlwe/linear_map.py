# SPDX-License-Identifier: Apache-2.0
"""Matrices that multiply encrypted vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _arguments as arguments
from .. import _core
from ..errors import ArgumentTypeError, ParameterError, SizeError
from ._require import require
from .context import Context
from .encoders import BatchEncoder

if TYPE_CHECKING:
    from ..typing import Integers
    from .evaluation_keys import KeyHolder
    from .parameters import Parameters
    from .plaintexts import Plaintext
    from .texts import Ciphertext

__all__ = ["Layout", "LinearMap", "sum_steps"]

# Prices in rotations by a baby step: a rotation of its own, and a product with a diagonal.
_GIANT_STEP, _PRODUCT = 2.5, 0.3


@dataclass(frozen=True)
class Layout:
    """How a matrix is cut into diagonals, for rows of ``row`` slots.

    Diagonal d multiplies slot i + d into slot i. ``baby_steps`` and ``giant_steps`` are such that
    every diagonal is the sum of one of each.
    """

    block: int
    cyclic: bool
    baby_steps: tuple[int, ...]
    giant_steps: tuple[int, ...]

    @classmethod
    def of(cls, shape: tuple[int, int], row: int, block: int | None, repeated: bool) -> Layout:
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
        best: tuple[float, list[int], list[int]] | None = None
        for log_baby in range(row.bit_length()):
            baby = 1 << log_baby
            babies = sorted({d % baby for d in diagonals})
            giants = sorted({d - d % baby for d in diagonals})
            price = len(babies) + _GIANT_STEP * len(giants) + _PRODUCT * len(babies) * len(giants)
            if best is None or price < best[0]:
                best = (price, babies, giants)
        assert best is not None
        return cls(block, cyclic, tuple(best[1]), tuple(best[2]))

    def memory_bytes(self, parameters: Parameters) -> int:
        """Bytes of the prepared diagonals, one for each sum of two steps."""
        words = parameters.n * (len(parameters.q) + len(parameters.special_primes)) * parameters.word_bits // 8
        return len(self.baby_steps) * len(self.giant_steps) * words

    def rotations(self, row: int) -> list[int]:
        """The steps other than 0, in (-row/2, row/2], increasing."""
        steps = {folded(step, row) for step in (*self.baby_steps, *self.giant_steps)}
        return sorted(steps - {0})

    def factors(self, matrix: NDArray[np.int64], n: int) -> NDArray[np.int64]:
        """Slots of every factor, (giant steps times baby steps, n), giant step by giant step."""
        rows, columns = matrix.shape
        square = np.zeros((self.block, self.block), dtype=np.int64)
        square[:rows, :columns] = matrix
        slot = np.arange(self.block)
        out = np.empty((len(self.giant_steps), len(self.baby_steps), n), dtype=np.int64)
        for g, giant in enumerate(self.giant_steps):
            for j, baby in enumerate(self.baby_steps):
                column = slot + giant + baby
                diagonal = square[slot, column % self.block]
                if not self.cyclic:
                    diagonal = np.where((column >= 0) & (column < self.block), diagonal, 0)
                out[g, j] = np.tile(np.roll(diagonal, giant), n // self.block)
        return out.reshape(-1, n)

    def lane_factors(self, matrices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Slots of every factor of one matrix for each lane, (lanes, block, block), as `factors`.

        Slots are in the order of two rows, positions of a vector, lanes of a row; rotations are
        cyclic.
        """
        lanes, block, _ = matrices.shape
        slot = np.arange(block)
        out = [
            np.roll(matrices[:, slot, (slot + giant + baby) % block], giant, axis=1)
            for giant in self.giant_steps
            for baby in self.baby_steps
        ]
        cut = np.array(out).reshape(len(out), 2, lanes // 2, block)
        return np.ascontiguousarray(cut.transpose(0, 1, 3, 2)).reshape(len(out), lanes * block)


def matrix_bounds(matrix: NDArray[np.int64], low: int, high: int) -> tuple[int, int]:
    """Bounds on a matrix times a vector with entries in [low, high]; 0 behind it."""
    objects = matrix.astype(object)
    positive, negative = np.maximum(objects, 0).sum(axis=1), np.minimum(objects, 0).sum(axis=1)
    most = max(int(p) * high + int(m) * low for p, m in zip(positive, negative, strict=True))
    least = min(int(p) * low + int(m) * high for p, m in zip(positive, negative, strict=True))
    return min(0, least), max(0, most)


def folded(step: int, row: int) -> int:
    """A rotation of a row in (-row/2, row/2]."""
    step %= row
    return step - row if step > row // 2 else step


class LinearMap:
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
    >>> keys.decrypt(double.apply(keys.encrypt([1, 2, 3, 4]), keys.rotations))[:4]
    array([4, 2, 8, 6])
    """

    __slots__ = ("_context", "_core", "_layout", "_matrix", "_repeated")

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
        self._layout = Layout.of(self._matrix.shape, n // 2, block, self._repeated)
        context._core.require_memory(self.memory_bytes, "the diagonals of a linear map")
        prepared = _core.rlwe.prepare_factors(self._factors()._core)
        baby, giant = ([folded(s, n // 2) for s in steps] for steps in self._steps)
        self._core = _core.rlwe.LinearMap(baby, giant, prepared)

    def _factors(self) -> Plaintext:
        """The diagonals, a batch: a single plaintext where nothing is rotated."""
        factors = self._layout.factors(self._matrix, self._context.n)
        return BatchEncoder(self._context).encode(factors)

    @property
    def _steps(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return self._layout.baby_steps, self._layout.giant_steps

    @property
    def context(self) -> Context:
        """The context of the vectors."""
        return self._context

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
        """The steps whose keys :meth:`apply` needs, for ``generate_keys(rotations=...)``."""
        return tuple(self._layout.rotations(self._context.n // 2))

    @property
    def memory_bytes(self) -> int:
        """Bytes of the prepared diagonals."""
        return self._layout.memory_bytes(self._context.parameters)

    def apply(self, vectors: Ciphertext, keys: KeyHolder | None) -> Ciphertext:
        """The matrix times the vector of each block, of each ciphertext of a batch.

        Parameters
        ----------
        vectors : Ciphertext
            Slots, two parts, of :attr:`context` or one like it.
        keys : RotationKeys, EvaluationKeys or Keys
            With keys for :attr:`rotations`.

        Raises
        ------
        MissingKeyError
            Names all keys that are missing, before anything is computed.
        ParameterError, ContextError
            The operand has three parts or coefficients, or belongs to other parameters.
        """
        return self._context._evaluator().apply(self, vectors, keys)

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_pickle, (self._matrix, self._context, self.block, self._repeated)

    def __repr__(self) -> str:
        rows, columns = self.shape
        baby, giant = (len(steps) for steps in self._steps)
        return (
            f"<LinearMap {rows} x {columns}, blocks of {self.block} slots"
            f"{', repeated' if self._repeated else ''}: {baby} baby steps, {giant} giant steps, "
            f"{self.memory_bytes / 2**20:.1f} MiB, of {self._context!r}>"
        )


def _from_pickle(
    matrix: NDArray[np.int64], context: Context, block: int, repeated: bool
) -> LinearMap:
    return LinearMap(matrix, context, block=block, repeated=repeated)


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


def sum_steps(shape: Sequence[int], axis: int) -> list[int]:
    """The steps whose keys :meth:`Evaluator.sum_axis` needs.

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
