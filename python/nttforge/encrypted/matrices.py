# SPDX-License-Identifier: Apache-2.0
"""Plain matrices times the vectors of an encrypted array, by diagonals of whole lanes."""

from __future__ import annotations

import hashlib
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import SizeError
from ..rlwe import BatchEncoder, Ciphertext, Context
from ..rlwe.evaluation_keys import rotation_keys
from ..rlwe.linear_map import Layout as Diagonals
from ..rlwe.linear_map import folded, matrix_bounds
from .precision import keep, scaled

if TYPE_CHECKING:
    from .array import EncryptedArray

__all__ = ["apply_matrix"]

#: Matrices of a context whose diagonals are kept, and bytes of each of them, at most: a model is
#: applied to many arrays, and its diagonals take longer to encode than to be used.
_KEPT, _KEPT_BYTES = 16, 1 << 26


class _Diagonals:
    """The prepared diagonals that contexts used last."""

    def __init__(self) -> None:
        self._of: weakref.WeakKeyDictionary[Context, OrderedDict[Hashable, Any]] = (
            weakref.WeakKeyDictionary()
        )
        self._lock = Lock()

    def get(self, context: Context, key: Hashable, size: int, make: Callable[[], Any]) -> Any:
        """What was made for the key, or is made now; kept if it has at most ``_KEPT_BYTES``."""
        with self._lock:
            known = self._of.setdefault(context, OrderedDict())
            if key in known:
                known.move_to_end(key)
                return known[key]
        made = make()
        if size <= _KEPT_BYTES:
            with self._lock:
                known[key] = made
                while len(known) > _KEPT:
                    known.popitem(last=False)
        return made


_diagonals = _Diagonals()


def apply_matrix(x: EncryptedArray, matrix: NDArray[Any]) -> EncryptedArray:
    """Every vector v of the array becomes ``matrix @ v``.

    Entries are kept to the array's precision beside the largest of their row.
    """
    rows, columns = matrix.shape
    layout, what = x.layout, f"matrix {rows} x {columns}"
    if rows > layout.block:
        raise SizeError(
            f"@: the result has {rows} entries and the blocks {layout.block} positions: encrypt "
            f"with block={1 << (rows - 1).bit_length()}"
        )
    kept = keep(f"@ of a {what}", x, matrix, size=np.abs(matrix).max(axis=1, keepdims=True))
    words = kept.words
    x = x._two()
    plan = Diagonals.of((rows, columns), layout.block, layout.block, True)
    half, stride = layout.n // 2, layout.stride
    baby, giant = (
        [folded(step * stride, half) for step in steps]
        for steps in (plan.baby_steps, plan.giant_steps)
    )
    steps = sorted({*baby, *giant} - {0})
    x._require_steps(steps, what)
    low, high = matrix_bounds(words, x.low, x.high)

    def compute() -> Any:
        if not isinstance(x.text, Ciphertext):
            return x.text.mapped(what, plan, steps, (low, high), int(np.abs(words).max()))
        context = x.context

        def encoded() -> Any:
            factors = np.tile(np.repeat(plan.factors(words, layout.block), stride, axis=1), (1, 2))
            return BatchEncoder(context).encode(factors)

        def prepared() -> Any:
            return _core.rlwe.LinearMap(baby, giant, _core.rlwe.PreparedPlaintext(encoded()._core))

        if not steps:
            return x.text * encoded()
        digest = hashlib.blake2b(words.tobytes()).digest()
        size = plan.memory_bytes(context.parameters)
        key = digest, words.shape, layout.block
        core = _diagonals.get(context, key, size, prepared)
        keys = rotation_keys(x.keys)
        evaluator = context._evaluator()
        return evaluator._wrap(evaluator._core.apply(core, x.text._core, keys._core))

    return x._new(
        compute,
        low,
        high,
        kept.what,
        layout=replace(layout, length=rows),
        scale=scaled(x.scale, kept.scale),
        clean=x.clean or layout.rows is None,
    )
