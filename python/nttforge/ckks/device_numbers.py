# SPDX-License-Identifier: Apache-2.0
"""Real and complex numbers in arrays on a GPU, encoded and decoded there."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from .. import _core, rlwe
from ..cuda._arrays import NUMBERS
from ..cuda._views import require_writable
from ..errors import ParameterError, SizeError
from ..rlwe._require import MAX_BATCH
from ..rlwe.device_arrays import place_of, view_for


class DeviceNumbers:
    """What a plaintext keeps of numbers on its context's device: an array of their library."""

    __slots__ = ("_context", "array", "dtype", "ndim", "shape")

    def __init__(self, context: rlwe.Context, values: Any, most: int) -> None:
        self._context = context
        self.array = _of_doubles(values)
        view = view_for(context, "values", self.array, NUMBERS)
        self.shape, self.dtype, self.ndim = view.shape, view.dtype, len(view.shape)
        rows = self.shape if self.ndim == 2 else (1, *self.shape)
        if len(rows) != 2 or not (1 <= rows[0] <= MAX_BATCH and 1 <= rows[1] <= most):
            raise SizeError(
                f"values has shape {self.shape}: need 1 to {most} slots, or up to 2^20 such rows"
            )

    def magnitude(self, bound: float | None) -> float:
        """The largest part, in absolute value; 0 where encoding holds them to a bound."""
        if bound is not None:
            return 0
        largest = _core.ckks.largest_on_device(self._context._core, *self._place())
        if largest is None:
            raise ParameterError("values: NaN and infinity cannot be encrypted")
        return float(largest)

    def encode(self, *options: Any) -> Any:
        """The core's plaintext."""
        at, length, real = self._place()
        make: Any = _core.ckks.Plaintext
        return make(self._context._core, at, length, *options, real)

    def _place(self) -> tuple[Any, int, bool]:
        batch = 1 if self.ndim == 1 else self.shape[0]
        view = view_for(self._context, "values", self.array, NUMBERS)
        return place_of(view, batch), self.shape[-1], self.dtype.kind != "c"


def _of_doubles(values: Any) -> Any:
    """A copy by the array's library, in doubles, where it has one that is known; else itself."""
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(values, torch.Tensor):
        kind = torch.complex128 if values.is_complex() else torch.float64
        return values.to(kind, copy=True).contiguous()
    if type(values).__module__.split(".")[0] == "cupy":
        return values.astype(np.complex128 if values.dtype.kind == "c" else np.float64, order="C")
    return values


def place_for(context: rlwe.Context, shape: tuple[int, ...], out: Any) -> Any:
    """Where the core writes complex numbers of a shape: into ``out``, checked."""
    view = view_for(context, "out", out, (NUMBERS[1],))
    require_writable("out", view)
    if view.shape != shape:
        raise SizeError(f"out has shape {view.shape}: need {shape}")
    return place_of(view, 1)
