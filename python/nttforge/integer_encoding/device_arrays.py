# SPDX-License-Identifier: Apache-2.0
"""Arrays on a GPU that integers are decoded to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..cuda._arrays import INTEGERS, names_of
from ..cuda._views import View, require_writable
from ..errors import ArgumentTypeError, SizeError
from ..rlwe.device_arrays import view_for

if TYPE_CHECKING:
    from .context import Context


def result_array(
    context: Context, shape: tuple[int, ...], signed: bool, out: Any, like: Any
) -> tuple[Any, View]:
    """The array to decode to, ``out`` checked or a new one of the library of ``like``; its view."""
    if out is None:
        model = view_for(context, "like", like)
        if signed and model.library not in ("torch", "cupy"):
            raise ArgumentTypeError(
                "like stands for a DeviceArray, which holds unsigned words: use signed=False, or "
                "give an array of CuPy or PyTorch"
            )
        out = model.new(shape, np.dtype(np.int64 if signed else np.uint64))
    view = view_for(context, "out", out)
    require_writable("out", view)
    kinds = tuple(
        kind
        for kind in INTEGERS
        if kind.kind == ("i" if signed else "u") and (kind.itemsize == 8 or context.t <= 2**32)
    )
    if view.dtype not in kinds:
        raise ArgumentTypeError(
            f"out has dtype {view.dtype}: need {names_of(kinds)} for "
            f"{'signed' if signed else 'unsigned'} values modulo t = {context.t}"
        )
    if view.shape != shape:
        raise SizeError(f"out has shape {view.shape}: need {shape}")
    return out, view
