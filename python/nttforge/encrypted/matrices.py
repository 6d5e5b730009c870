# SPDX-License-Identifier: Apache-2.0
"""Plain matrices times the vectors of an encrypted array, by diagonals of whole lanes."""

from __future__ import annotations

import hashlib
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..circuits import Diagonals
from ..errors import ParameterError, SizeError
from ..integer_encoding import BatchEncoder, Plaintext
from ..integer_encoding.linear_map import matrix_bounds
from ..rlwe import Ciphertext, Context, stack
from ..rlwe.evaluation_keys import rotation_keys
from ..rlwe.rotations import folded
from .columns import ColumnScales, Scale, scaled
from .layout import Layout
from .moves import period_steps, sum_periods
from .precision import keep
from .schemes import real_map
from .state import Encrypted

Array = TypeVar("Array", bound=Encrypted)

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


def apply_matrix(x: Array, matrix: NDArray[Any]) -> Array:
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
    scale = x.scale
    if isinstance(scale, ColumnScales):
        matrix, scale = matrix / scale.row(), 1
    kept = keep(f"@ of a {what}", x, matrix, size=np.abs(matrix).max(axis=1, keepdims=True))
    words = kept.words
    repeated = Diagonals.of_repeated((rows, columns), layout.block)
    plan = repeated or Diagonals.of((rows, columns), layout.block, layout.block, True)
    period = 1 << (rows - 1).bit_length() if repeated else layout.block

    def factors(_: int) -> NDArray[Any]:
        below = np.zeros((period, columns), words.dtype)
        below[:rows] = words
        diagonals = plan.factors(np.tile(below, (layout.block // period, 1)), layout.block)
        return np.tile(np.repeat(diagonals, layout.stride, axis=1), (1, layout.halves))

    result = apply_diagonals(
        x,
        what,
        plan,
        words,
        factors,
        replace(layout, length=rows),
        bounds=matrix_bounds(words, x.low, x.high),
        scale=scaled(scale, kept.scale),
        said=kept.what,
        further=period_steps(layout, period),
    )
    return sum_periods(result, period, kept.what) if repeated else result


def apply_diagonals(
    x: Array,
    what: str,
    plan: Diagonals,
    words: NDArray[Any],
    factors: Callable[[int], NDArray[Any]],
    layout: Layout,
    *,
    bounds: tuple[float, float],
    scale: Scale,
    maps: int = 1,
    said: str = "",
    further: Sequence[int] = (),
) -> Array:
    """Maps of the positions of every lane: ``factors(i)`` are the slots of map i's diagonals.

    ``said`` is the operation in the words of errors, if not ``what``; its keys for ``further``
    steps are missed before it begins.
    Of several maps, which ``words`` tell apart, each makes a ciphertext of the result from the only
    one of ``x``.
    """
    x = x._two()
    half, stride = x.layout.n // 2, x.layout.stride
    baby, giant = (
        [folded(step * stride, half) for step in steps]
        for steps in (plan.baby_steps, plan.giant_steps)
    )
    steps = sorted({*baby, *giant} - {0})
    x._require_steps(sorted({*steps, *further}), what)

    def compute() -> Any:
        if hasattr(x.text, "bounded"):
            largest = int(np.abs(words).max())
            return [x.text.mapped(what, plan, steps, bounds, largest) for _ in range(maps)][-1]
        digest = hashlib.blake2b(words.tobytes()).digest()
        if not isinstance(x.text, Ciphertext):
            return x.text.mapped([diagonals(i) for i in range(maps)], baby, giant)
        keys = rotation_keys(x.keys) if steps else None
        found = [mapped(x.text, (what, digest, i), i, keys) for i in range(maps)]
        return found[0] if maps == 1 else stack(found)

    def diagonals(which: int) -> dict[int, NDArray[Any]]:
        """Diagonals of real numbers, by number: not rotated, and without those that are 0."""
        rows = factors(which).reshape(len(giant), len(baby), half)
        found = {
            (g + b) % half: np.roll(rows[i, j], -g)
            for i, g in enumerate(giant)
            for j, b in enumerate(baby)
            if rows[i, j].any()
        }
        if not found:
            raise ParameterError(f"{what}: all entries are 0; a product with 0 needs no ciphertext")
        return found

    def mapped(text: Any, name: Hashable, which: int, keys: Any) -> Any:
        context, real = text.context, x.layout.real

        def encoded() -> Plaintext:
            return BatchEncoder(context).encode(factors(which))

        def prepared() -> Any:
            if real:
                return real_map(text, diagonals(which), baby, giant)
            return _core.rlwe.LinearMap(baby, giant, _core.rlwe.prepare_factors(encoded()._core))

        if not steps:
            return text * (factors(which)[0] if real else encoded())
        if real:
            text = text.rescale()
        size = plan.memory_bytes(context.parameters, text.level)
        core = _diagonals.get(context, (name, x.layout.block, text.level), size, prepared)
        if real:
            found = context._evaluator.apply_map(core, text._core, keys._core)
        else:
            found = context._evaluator.apply(core, text._core, keys._core)
        return text._wrap(context, found)

    clean = x.clean or x.layout.rows is None
    return x._new(compute, *bounds, said or what, layout=layout, scale=scale, clean=clean)
