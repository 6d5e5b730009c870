# SPDX-License-Identifier: Apache-2.0
"""Operations of encrypted arrays with a second operand: sums, products, matrices, polynomials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from operator import mul
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ArgumentTypeError, ParameterError, SizeError, UnsupportedError
from ..integer_encoding.fixed_point import real_numbers
from .bounds import Told
from .columns import ColumnScales, Scale, rounded_entries, scaled
from .layout import Layout
from .matrices import apply_matrix
from .moves import cleaned, moved_behind, operand, position_everywhere, roll, select, total
from .precision import Kept, common_factors, keep, numbers
from .state import Encrypted

Array = TypeVar("Array", bound=Encrypted)
Other = TypeVar("Other", bound=Encrypted)


def _plain_layout(what: str, x: Encrypted, array: NDArray[Any]) -> tuple[Layout, Any]:
    """The layout of the result with a plain operand, and the operand with two axes."""
    layout = x.layout
    rows_only = layout.rows is not None and layout.length is None and not x.kept
    grid = array[:, None] if array.ndim == 1 and rows_only else np.atleast_2d(array)
    height, width = grid.shape
    rows, length = layout.rows, layout.length
    fits = (height == 1 or rows in (None, height)) and (width == 1 or length in (None, width))
    if not fits or (rows_only and array.ndim == 2) or width > layout.block:
        raise SizeError(
            f"{what}: shapes {x.shape} and {array.shape} do not broadcast"
            + (f" in blocks of {layout.block}" if width > layout.block else "")
        )
    if height > 1:
        rows = height
    if width > 1:
        length = width
    return replace(layout, rows=rows, length=length), grid


def _pair_layout(what: str, a: Encrypted, b: Encrypted) -> Layout:
    """The layout of the result of two encrypted arrays."""
    if a.t != b.t or a.layout.n != b.layout.n or a.layout.halves != b.layout.halves:
        raise ParameterError(
            f"{what}: operands have n = {a.layout.n}, t = {a.t} and n = {b.layout.n}, t = {b.t}"
            + (" (None: real numbers, of CKKS)" if None in (a.t, b.t) else "")
        )
    if a.layout == b.layout and a.kept == b.kept:
        return a.layout
    numbers = [x for x in (a, b) if x.layout.rows is None and x.layout.length is None]
    if not numbers and a.layout.block != b.layout.block:
        raise SizeError(
            f"{what}: operands have blocks of {a.layout.block} and {b.layout.block} positions: "
            f"encrypt both with block={max(a.layout.block, b.layout.block)}"
        )
    wide = b if numbers and numbers[0] is a else a
    rows, length = _common(a.layout.rows, b.layout.rows), _common(a.layout.length, b.layout.length)
    if rows == -1 or length == -1 or not _agree(a, b, rows, length):
        raise SizeError(f"{what}: shapes {a.shape} and {b.shape} do not broadcast")
    return replace(wide.layout, rows=rows, length=length)


def _common(a: int | None, b: int | None) -> int | None:
    if a is None or b is None:
        return b if a is None else a
    return a if a == b else -1


def _agree(a: Encrypted, b: Encrypted, rows: int | None, length: int | None) -> bool:
    """Whether NumPy would broadcast these shapes to the same."""
    kept = (1,) if a.kept or b.kept else ()
    shape = (() if rows is None else (rows,)) + (kept if length is None else (length,))
    try:
        return np.broadcast_shapes(a.shape, b.shape) == shape
    except ValueError:
        return False


def _clean_as(x: Encrypted, layout: Layout) -> bool:
    same = x.layout.rows == layout.rows and x.layout.length == layout.length
    return layout.is_full or (same and x.clean)


def add(a: Array, b: Any) -> Array:
    """``a + b``."""
    return _added(a, b, 1)


def subtract(a: Array, b: Any) -> Array:
    """``a - b``."""
    return _added(a, b, -1)


def negate(a: Array) -> Array:
    """``-a``."""
    return a._new(lambda: -a.text, -a.high, -a.low, "-")


def _added(a: Array, b: Any, sign: int) -> Array:
    what = "+" if sign > 0 else "-"
    if not isinstance(b, Encrypted):
        layout, grid = _plain_layout(what, a, numbers(what, b))
        kept = _kept_beside(what, a, grid)
        raised, words = _raised(kept.what, a, kept.scale), kept.words * sign
        low, high = replace(kept, words=words).ends
        slots = operand(a, layout.to_slots(words))
        return raised._new(
            lambda: raised.text + slots,
            raised.low + low,
            raised.high + high,
            kept.what,
            layout=layout,
            clean=_clean_as(a, layout),
        )
    a, b = _same_scale(what, a, b)
    layout = _pair_layout(what, a, b)
    low, high = (b.low, b.high) if sign > 0 else (-b.high, -b.low)
    return a._new(
        lambda: a.text + b.text if sign > 0 else a.text - b.text,
        a.low + low,
        a.high + high,
        what,
        layout=layout,
        clean=_clean_as(a, layout) and _clean_as(b, layout),
        kept=a.kept or b.kept,
        keys=a.keys if a.keys is not None else b.keys,
        told=max(a.told, b.told, Told.COMPUTED),
    )


def _kept_beside(what: str, a: Encrypted, grid: NDArray[Any]) -> Kept:
    """What is added, as integers of the array's scale or of its columns'."""
    largest = np.abs(grid).max()
    if not isinstance(a.scale, ColumnScales):
        return keep(what, a, grid, size=largest, unit=a.scale)
    row = a.scale.row()
    if grid.dtype.kind != "f" and row.dtype.kind != "f":
        entries = np.broadcast_to(grid, (len(grid), len(row)))
        return Kept(rounded_entries(entries, a.scale, what), 1, what)
    return keep(what, a, grid * row, size=largest * row)


def _same_scale(what: str, a: Array, b: Other) -> tuple[Array, Other]:
    if a.scale == b.scale:
        return a, b
    left, right = common_factors(what, a.scale, b.scale)
    text = f"{what} (at the common scale {scaled(a.scale, left)} of {a.scale} and {b.scale})"
    a, b = _raised(text, a, left), _raised(text, b, right)
    return a, b._changed(scale=a.scale)


def _raised(what: str, x: Array, factor: int) -> Array:
    """The same numbers with a scale that is ``factor`` times as large."""
    if factor == 1:
        return x
    return x._new(
        lambda: x.text * factor,
        x.low * factor,
        x.high * factor,
        what,
        scale=scaled(x.scale, factor),
    )


def multiply(a: Array, b: Any) -> Array:
    """``a * b``, entry by entry."""
    if not isinstance(b, Encrypted):
        return _multiply_plain(a, b)
    same = a.layout is b.layout and a.kept == b.kept and a.t == b.t
    layout = a.layout if same else _pair_layout("*", a, b)
    if a.keys is None and b.keys is not None:
        a = a._changed(keys=b.keys)
    left = a if a.text.parts == 2 else a._two()
    right = b if b.text.parts == 2 else b._two()
    low, high = product_bounds((a.low, a.high), (b.low, b.high))
    if isinstance(a.scale, int) and isinstance(b.scale, int):
        scale: Scale = a.scale * b.scale
    else:
        scale = scaled(a.scale, b.scale)
    clean = same and (a.clean or b.clean)
    return left._new(
        partial(mul, left.text, right.text),
        0 if a is b else low,
        high,
        "*",
        layout=layout,
        scale=scale,
        precision=min(a.precision, b.precision),
        clean=clean or _clean_as(a, layout) or _clean_as(b, layout),
        kept=a.kept or b.kept,
        told=max(a.told, b.told, Told.COMPUTED),
    )


def product_bounds(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    """Bounds on products of numbers of two ranges, 0 in each."""
    corners = (a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    return min(corners), max(corners)


def _multiply_plain(a: Array, b: Any, size: Any = None) -> Array:
    layout, grid = _plain_layout("*", a, numbers("*", b))
    scale = a.scale
    if isinstance(scale, ColumnScales) and grid.shape[1] > 1:  # all columns get one
        grid, scale = grid / scale.row(), 1
        size = None if size is None else np.abs(grid).max()
    kept = keep("*", a, grid, size=size)
    words = kept.words
    low, high = product_bounds((a.low, a.high), kept.ends)
    if words.size == 1:
        factor: Any = words.item()
    else:
        factor = operand(a, layout.to_slots(words))
    clean = _clean_as(a, layout) or words.size > 1
    if layout.real and not isinstance(factor, int):
        a = a._two()  # three parts that are rescaled lose precision
    return a._new(
        lambda: a.text * factor,
        low,
        high,
        kept.what,
        layout=layout,
        scale=scaled(scale, kept.scale),
        clean=clean,
    )


def _weighted(a: Array, weights: NDArray[Any], axis: int) -> Array:
    """The sum of products with plain weights, whose errors count beside the largest."""
    return total(_multiply_plain(a, weights, np.abs(weights).max()), axis)


def matmul(a: Array, b: Any) -> Array:
    """``a @ b``."""
    if a.ndim == 0 or a.layout.length is None:
        raise SizeError(f"@: shape {a.shape} has no axis of entries; use *")
    if not isinstance(b, Encrypted):
        array = numbers("@", b)
        if array.ndim == 0 or array.shape[0] != a.layout.length:
            raise SizeError(f"@: shapes {a.shape} and {array.shape} do not go together")
        if array.ndim == 1:
            return _weighted(a, array, -1)
        return apply_matrix(a, array.T)
    if b.ndim == 0 or b.shape[0] != a.layout.length or (b.layout.length is None and b.ndim == 1):
        raise SizeError(f"@: shapes {a.shape} and {b.shape} do not go together")
    if b.ndim == 1:
        return total(multiply(a, b), -1)
    result: Array | None = None
    for k in range(b.shape[0]):
        column = position_everywhere(a, k)
        if a.layout.rows is not None:
            column = column._changed(kept=True)
        term = multiply(column, select(b, k))
        result = term if result is None else add(result, term)
    assert result is not None
    return result._changed(kept=False)


def matmul_left(a: Any, b: Array) -> Array:
    """``a @ b`` where a is plain."""
    array = numbers("@", a)
    if b.ndim == 0 or array.ndim == 0 or array.shape[-1] != b.shape[0]:
        raise SizeError(f"@: shapes {array.shape} and {b.shape} do not go together")
    if b.ndim == 1 and b.layout.length is not None:
        return _weighted(b, array, -1) if array.ndim == 1 else apply_matrix(b, array)
    if array.ndim == 1:
        return _weighted(b, array[:, None] if b.ndim == 2 else array, 0)
    raise UnsupportedError(
        "@: a matrix on the left of encrypted rows would move entries between rows: encrypt the "
        "transpose and multiply from the right, (x.T @ W.T).T = W @ x"
    )


def convolve(a: Array, b: Any) -> Array:
    """As ``numpy.convolve`` of two vectors; the block must hold both lengths less one."""
    if a.layout.rows is not None or a.layout.length is None:
        raise SizeError(f"convolve: shape {a.shape}: need a vector")
    a._one_scale("convolve")
    other: Any = b if isinstance(b, Encrypted) else numbers("convolve", b)
    if other.ndim != 1 or (isinstance(b, Encrypted) and b.layout.length is None):
        raise SizeError(f"convolve: shape {other.shape}: need a vector")
    width, count = a.layout.length, int(other.shape[0])
    length, block = width + count - 1, a.layout.block
    if length > block:
        raise SizeError(
            f"convolve: the result has {length} entries and the blocks {block} positions: encrypt "
            f"with block={1 << (length - 1).bit_length()}"
        )
    if not isinstance(b, Encrypted):
        matrix = np.zeros((length, width), dtype=other.dtype)
        for j in range(width):
            matrix[j : j + count, j] = other
        return apply_matrix(a, matrix)
    a = _lengthened(a, length)
    result: Any = None
    for k in range(count):
        term = multiply(position_everywhere(b, k), a if k == 0 else roll(a, k))
        result = term if result is None else add(result, term)
    return cast("Array", result)


def where(x: Array, mask: ArrayLike) -> Array:
    """The values where a public mask of booleans is true, 0 elsewhere."""
    chosen = real_numbers(mask, "mask")
    if chosen.dtype != np.bool_:
        raise ArgumentTypeError(f"mask has dtype {chosen.dtype}: need booleans")
    kept = _multiply_plain(x._changed(scale=1), chosen.astype(np.int64))
    return kept._changed(scale=x.scale)


def concatenate(arrays: Sequence[Any], axis: int) -> Any:
    """Vectors, or rows, one behind the other: along the last axis of all."""
    what = "concatenate"
    pieces: list[Any] = [x if isinstance(x, Encrypted) else numbers(what, x) for x in arrays]
    first = next(x for x in pieces if isinstance(x, Encrypted))
    ndim = first.ndim
    entries = first.layout.length is not None or first.kept
    if axis not in (-1, ndim - 1) or not entries:
        raise UnsupportedError(
            f"{what}: axis = {axis} of shape {first.shape}: only entries of vectors go behind each "
            "other, along the last axis; rows would move to other lanes: encrypt them together"
        )
    if any(x.shape[:-1] != first.shape[:-1] or x.ndim != ndim for x in pieces):
        raise SizeError(f"{what}: shapes {', '.join(str(x.shape) for x in pieces)} do not agree")
    for x in pieces:
        if isinstance(x, Encrypted):
            x._one_scale(what)
    length, block = sum(x.shape[-1] for x in pieces), first.layout.block
    if length > block:
        raise SizeError(
            f"{what}: the result has {length} entries and the blocks {block} positions: encrypt "
            f"with block={1 << (length - 1).bit_length()}"
        )
    result: Any = None
    kinds = [x.dtype for x in pieces if not isinstance(x, Encrypted)]
    plain = np.zeros((*first.shape[:-1], length), np.result_type(np.int64, *kinds))
    begin = 0
    for piece in pieces:
        end = begin + piece.shape[-1]
        if not isinstance(piece, Encrypted):
            plain[..., begin:end] = piece
        else:
            moved = _behind(piece, begin, length)
            result = moved if result is None else add(result, moved)
        begin = end
    return add(result, plain) if plain.any() else result


def _behind(x: Array, begin: int, length: int) -> Array:
    """The entries from position ``begin`` on, of ``length``, with zeros around them."""
    if not x.kept:
        return moved_behind(_lengthened(x, length), begin)
    layout = replace(x.layout, length=length)  # the number is at that position already
    used = slice(None) if layout.rows is None else slice(0, layout.rows)
    mask = operand(x, layout.mask(used, slice(begin, begin + 1)))
    return x._new(lambda: x.text * mask, x.low, x.high, "concatenate", layout=layout, clean=True)


def _lengthened(x: Array, length: int) -> Array:
    """A vector with zeros behind it."""
    x = cleaned(x)
    return x._changed(layout=replace(x.layout, length=length))
