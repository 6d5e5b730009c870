# SPDX-License-Identifier: Apache-2.0
"""Operations of encrypted arrays that move entries: rolls, sums over an axis, slices."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import _arguments as arguments
from ..errors import ArgumentTypeError, SizeError, UnsupportedError
from ..rlwe import Ciphertext, add_many, unstack
from ..rlwe.rotations import folded
from .columns import of_columns
from .layout import Layout
from .state import Encrypted

Array = TypeVar("Array", bound=Encrypted)


def operand(x: Array, slots: NDArray[Any]) -> Any:
    """Slots of a plaintext as ``x.text`` takes them."""
    if not hasattr(x.text, "bounded"):
        return slots[0] if len(slots) == 1 else slots
    return np.array([min(0, int(slots.min())), max(0, int(slots.max()))])


def cleaned(x: Array) -> Array:
    """The array with 0 in every slot that is no entry."""
    if x.clean:
        return x
    mask = operand(x, x.layout.entries())
    return x._new(lambda: x.text * mask, x.low, x.high, "mask", clean=True)


def shifted(x: Array, text: Any, positions: int) -> Any:
    """The text with entry i + positions at position i, cyclically in a block."""
    step = folded(positions * x.layout.stride, x.layout.n // 2)
    return text.rotate_rows(step, x.keys) if step else text


def _steps(layout: Layout, positions: list[int]) -> list[int]:
    found = {folded(p * layout.stride, layout.n // 2) for p in positions}
    return sorted(found - {0})


def _sum_positions(x: Array, text: Any) -> Any:
    """At every position the sum over all positions."""
    for i in range(x.layout.block.bit_length() - 1):
        text = text + shifted(x, text, 1 << i)
    return text


def _block_steps(layout: Layout) -> list[int]:
    return _steps(layout, [1 << i for i in range(layout.block.bit_length() - 1)])


def period_steps(layout: Layout, period: int) -> list[int]:
    """Rotations of :func:`sum_periods`."""
    return _steps(layout, _periods(layout, period))


def _periods(layout: Layout, period: int) -> list[int]:
    return [period << i for i in range((layout.block // period).bit_length() - 1)]


def sum_periods(x: Array, period: int, what: str) -> Array:
    """At every position the sum of those a period apart, which is within the array's range."""
    for positions in _periods(x.layout, period):
        x = x._new(partial(_with_moved, x, positions), x.low, x.high, what, clean=False)
    return x


def _with_moved(x: Array, positions: int) -> Any:
    text = x.text + shifted(x, x.text, positions)
    return text.within(min(max(-x.low, x.high), text.bound)) if x.layout.real else text


def _spread_steps(layout: Layout, lanes: int | None = None) -> list[int]:
    """Steps of sums over so many lanes of a row of slots, or over all of them."""
    return [1 << i for i in range(((lanes or layout.stride) - 1).bit_length())]


def roll(x: Array, shift: int) -> Array:
    """As ``numpy.roll`` along the last axis; a power of two as length costs no masks' noise."""
    length = x.layout.length
    if length is None:
        raise SizeError(f"roll: shape {x.shape} has no axis of entries to roll")
    shift = arguments.integer("shift", shift, -(2**62), 2**62) % length
    x._one_scale("roll")
    x = x._two()
    layout = x.layout
    if shift == 0:
        return x
    what = f"roll by {shift}"
    if length == layout.block:
        x._require_steps(_steps(layout, [-shift]), what)
        return x._new(lambda: shifted(x, x.text, -shift), x.low, x.high, what)
    # Two pieces, each moved, then masked: those that stay inside, and those that come round.
    x._require_steps(_steps(layout, [-shift, length - shift]), what)
    inside = operand(x, layout.mask(slice(None), slice(shift, length)))
    around = operand(x, layout.mask(slice(None), slice(0, shift)))

    def compute() -> Any:
        first = shifted(x, x.text, -shift) * inside
        return first + shifted(x, x.text, length - shift) * around

    clean = x.clean or layout.rows is None
    return x._new(compute, x.low, x.high, what, clean=clean)


def moved_behind(x: Array, begin: int) -> Array:
    """A vector with zeros behind it, moved by ``begin`` positions of them."""
    if begin == 0:
        return x
    what = f"entries moved by {begin}"
    x = x._two()
    x._require_steps(_steps(x.layout, [-begin]), what)
    return x._new(lambda: shifted(x, x.text, -begin), x.low, x.high, what)


def total(x: Array, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """As ``numpy.sum``, over one axis or all; ``keepdims`` for the last of two axes."""
    ndim = x.ndim
    if ndim == 0:
        raise SizeError("sum: the array is a number already, its shape is ()")
    if axis is None:
        if keepdims:
            raise UnsupportedError("sum: keepdims needs axis = 1 of two axes")
        while x.ndim:
            x = total(x, x.ndim - 1)
        return x
    axis = arguments.integer("axis", axis, -ndim, ndim - 1) % ndim
    if keepdims and (ndim, axis) != (2, 1):
        raise UnsupportedError("sum: keepdims needs axis = 1 of two axes")
    if x.kept and axis == ndim - 1:
        return x._changed(kept=keepdims)
    x = cleaned(x._two())
    if x.layout.length is not None and axis == ndim - 1:
        return _sum_entries(x, keepdims)
    return _sum_rows(x)


def _sum_entries(x: Array, keepdims: bool) -> Array:
    layout, what = x.layout, f"sum over {x.layout.length} entries"
    x._one_scale(what)
    x._require_steps(_block_steps(layout), what)
    count = layout.length or 1
    new = replace(layout, length=None)
    return x._new(
        lambda: _sum_positions(x, x.text),
        count * x.low,
        count * x.high,
        what,
        layout=new,
        kept=keepdims,
        clean=layout.rows is None or x.clean,
    )


def _sum_rows(x: Array) -> Array:
    layout, rows = x.layout, x.layout.rows or 1
    what = f"sum over {rows} rows"
    steps = {*_spread_steps(layout), 1 - layout.stride} - {0}
    x._require_steps(sorted(steps), what, swap_columns=layout.halves == 2)
    new = replace(layout, rows=None)
    first_lanes = _lane_mask(layout, 0, both_rows=True)

    def compute() -> Any:
        text = x.text
        if isinstance(text, Ciphertext):
            # An array of one ciphertext may stand for a batch of such arrays, which do not mix.
            text = add_many(unstack(text)) if layout.ciphertexts > 1 else text
        elif layout.real:
            text = text.total()
        else:
            for _ in range((layout.ciphertexts - 1).bit_length()):
                text = text + text
        for step in _spread_steps(layout, min(rows, layout.stride)):
            text = text + text.rotate_rows(step, x.keys)
        text = _in_both_rows(x, text)
        if layout.stride == 1:
            return text
        return _spread_lane(x, text * operand(x, first_lanes), 0, rows * max(-x.low, x.high))

    return x._new(
        compute, rows * x.low, rows * x.high, what, layout=new, clean=layout.length is not None
    )


def _in_both_rows(x: Array, text: Any) -> Any:
    """The sum of both rows of slots in each; of one row itself."""
    return text + text.swap_columns(x.keys) if x.layout.halves == 2 else text


def _lane_mask(layout: Layout, lane: int, both_rows: bool) -> NDArray[np.int64]:
    """Ones in a lane of slots of one ciphertext, at every position."""
    slot = np.arange(layout.slots)
    chosen = slot % layout.stride == lane % layout.stride
    if not both_rows:
        chosen &= slot // (layout.n // 2) == lane // layout.stride
    return np.asarray(chosen.astype(np.int64)[None])


def _at_most(x: Array, text: Any, most: float) -> Any:
    """Real numbers that are known to be no larger: bounds of sums know nothing of zeros."""
    return text.within(min(most, text.bound)) if x.layout.real and x.clean and most else text


def _spread_lane(x: Array, text: Any, lane: int, most: float) -> Any:
    """What is in one lane of each row, and 0 beside it, to all lanes of the row."""
    stride, text = x.layout.stride, _at_most(x, text, most)
    step = lane % stride - (stride - 1)
    if step:
        text = text.rotate_rows(step, x.keys)
    for step in _spread_steps(x.layout):
        text = text + text.rotate_rows(step, x.keys)
    return _at_most(x, text, most)


def select(x: Array, index: Any) -> Array:
    """``x[index]``: integers, slices with step 1, and for two axes a pair of them."""
    items = index if isinstance(index, tuple) else (index,)
    if any(item is Ellipsis or item is None for item in items):
        raise ArgumentTypeError("index: need integers and slices, neither ... nor None")
    if any(isinstance(item, (np.ndarray, list)) for item in items):
        raise UnsupportedError(
            "index: arrays are not supported, since entries would move one by one; "
            "x.where(mask) keeps the chosen entries where they are"
        )
    if len(items) > x.ndim:
        raise SizeError(f"index has {len(items)} parts, and shape {x.shape} {x.ndim} axes")
    items = (*items, *(slice(None) for _ in range(x.ndim - len(items))))
    if x.layout.rows is not None:
        x = _select_row(x, items[0])
        items = items[1:]
    if not items:
        return x
    return _select_kept(x, items[0]) if x.kept else _select_entries(x, items[0])


def _select_kept(x: Array, item: Any) -> Array:
    """An index of a summed axis of length 1, which every position holds."""
    if isinstance(item, slice):
        _slice_ends(item, 1)
        return x
    arguments.integer("index", item, -1, 0)
    return x._changed(kept=False)


def _select_row(x: Array, item: Any) -> Array:
    rows = x.layout.rows or 1
    if isinstance(item, slice):
        if item.step != 0 and item.indices(rows) == (0, rows, 1):
            return x
        raise UnsupportedError(
            f"index: rows {item.start}:{item.stop} of {rows} would move to other lanes; take "
            "single rows, or keep them apart with where(mask)"
        )
    row = arguments.integer("index", item, -rows, rows - 1) % rows
    x, layout = x._two(), x.layout
    lane, which = row % layout.lanes, row // layout.lanes
    steps = {*_spread_steps(layout), lane % layout.stride - (layout.stride - 1)} - {0}
    what = f"row {row}"
    x._require_steps(sorted(steps), what, swap_columns=layout.halves == 2)
    mask = operand(x, _lane_mask(layout, lane, both_rows=False))

    def compute() -> Any:
        text = x.text
        if not hasattr(text, "bounded") and layout.ciphertexts > 1:
            text = text[which]
        return _in_both_rows(x, _spread_lane(x, text * mask, lane, max(-x.low, x.high)))

    new = replace(layout, rows=None)
    clean = layout.length is not None and (x.clean or layout.length == layout.block)
    return x._new(compute, x.low, x.high, what, layout=new, clean=clean)


def _select_entries(x: Array, item: Any) -> Array:
    length = x.layout.length or 1
    if not isinstance(item, slice):
        entry = arguments.integer("index", item, -length, length - 1) % length
        return position_everywhere(x, entry)
    start, stop = _slice_ends(item, length)
    if (start, stop) == (0, length):
        return x
    x = x._two()
    layout, what = x.layout, f"entries {start}:{stop}"
    x._require_steps(_steps(layout, [start]), what)
    mask = operand(x, layout.mask(slice(None), slice(start, stop)))
    return x._new(
        lambda: shifted(x, x.text * mask, start),
        x.low,
        x.high,
        what,
        layout=replace(layout, length=stop - start),
        scale=of_columns(x.scale, start, stop),
        clean=x.clean or layout.rows is None,
    )


def _slice_ends(item: slice, length: int) -> tuple[int, int]:
    if item.step == 0:
        raise SizeError("index: a slice with step 0 has no end")
    start, stop, step = item.indices(length)
    if step != 1:
        raise UnsupportedError(
            f"index: a slice with step {step} moves every entry by its own distance; take step 1, "
            "or multiply by a matrix of zeros and ones with @"
        )
    if stop <= start:
        raise SizeError(f"index: the slice {start}:{stop} of {length} entries is empty")
    return start, stop


def reshape(x: Array, shape: Any) -> Array:
    """What :meth:`EncryptedArray.reshape` says."""
    given = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    wanted = arguments.integers("shape", given, -1, 2**36)
    if wanted.count(-1) == 1:
        others = int(np.prod([size for size in wanted if size != -1]))
        wanted = [x.size // max(1, others) if size == -1 else size for size in wanted]
    if -1 in wanted or np.prod(wanted) != x.size:
        raise SizeError(f"reshape: shape {tuple(given)} does not hold the {x.size} entries")
    layout, new = x.layout, tuple(wanted)
    if new == x.shape:
        return x
    if layout.rows is None and new == (1, *x.shape):
        # The other lanes hold the vector too, and are no entries any more.
        return x._changed(layout=replace(layout, rows=1), clean=False)
    if x.kept and new == x.shape[:-1]:
        return x._changed(kept=False)
    if not x.kept and layout.length is None and new == (*x.shape, 1):
        return x._changed(kept=True)
    if layout.rows == 1 and new == x.shape[1:]:
        return select(x, 0)
    raise UnsupportedError(
        f"reshape: from {x.shape} to {new} entries would move one by one: encrypt in the shape "
        "that the computation needs"
    )


def position_everywhere(x: Array, entry: int) -> Array:
    """One entry of each vector at every position: shape (rows,) or ()."""
    x = x._two()
    layout, what = x.layout, f"entry {entry}"
    x._require_steps(_block_steps(layout), what)
    mask = operand(x, layout.mask(slice(None), slice(entry, entry + 1)))
    return x._new(
        lambda: _at_most(x, _sum_positions(x, x.text * mask), max(-x.low, x.high)),
        x.low,
        x.high,
        what,
        layout=replace(layout, length=None),
        scale=of_columns(x.scale, entry, entry + 1),
        clean=x.clean or layout.rows is None,
    )
