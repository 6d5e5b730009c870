# SPDX-License-Identifier: Apache-2.0
"""Values of plaintexts in arrays on a GPU: read and written there, without a way over the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _arguments as arguments
from .. import _core
from ..cuda._arrays import INTEGERS, DeviceArray, names_of
from ..cuda._views import View, require_writable, view_of
from ..errors import ArgumentTypeError, ParameterError, SizeError

if TYPE_CHECKING:
    from .context import Context

__all__ = ["is_on_device", "place_of", "result_array", "view_for", "written"]

_CUDA_DEVICES = (2, 13)  # DLPack's memory of a device, and managed memory


def is_on_device(values: Any) -> bool:
    """Whether it is an array in the memory of a GPU, or of the host's run of its kernels."""
    if isinstance(values, (np.ndarray, list, tuple)):
        return False
    if isinstance(values, DeviceArray) or hasattr(values, "__cuda_array_interface__"):
        return True
    if not hasattr(values, "__dlpack__") or not hasattr(values, "__dlpack_device__"):
        return False
    place = arguments.through_dlpack("values", values.__dlpack_device__)
    return isinstance(place, tuple) and len(place) == 2 and place[0] in _CUDA_DEVICES


def view_for(context: Context, field: str, array: Any) -> View:
    """The array, its words ready in the view's stream; on the context's device, or an error."""
    view = view_of(field, array, kinds=INTEGERS)
    name = _core.cuda.device_name(view.device)
    if context.device == "cpu":
        raise ParameterError(
            f"{field} is on {name} and the context computes on the CPU: copy the array with "
            f"nttforge.cuda.to_host({field}), or make the context with device={name!r}"
        )
    if view.device != _core.cuda.parse_device(context.device):
        raise ParameterError(
            f"{field} is on {name} and the context on {context.device}: copy the array there, or "
            f"make a context with device={name!r}"
        )
    return view


def place_of(view: View, batch: int) -> Any:
    """Where the core finds the words, and the stream in which it works on them."""
    bits = 8 * view.dtype.itemsize
    return _core.rlwe.DeviceIntegersAt(view.address, bits, batch, view.device, view.stream.address)


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


def written(array: Any, view: View) -> None:
    """Says in which stream the array was written, if it keeps that."""
    if isinstance(array, DeviceArray):
        array._written_in(view.stream)
