# SPDX-License-Identifier: Apache-2.0
"""Arrays on a GPU as a context reads and writes them: there, without a way over the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _arguments as arguments
from .. import _core
from ..cuda._arrays import INTEGERS, DeviceArray
from ..cuda._views import Kinds, View, view_of
from ..errors import ParameterError

if TYPE_CHECKING:
    from .context import Context

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


def view_for(context: Context, field: str, array: Any, kinds: Kinds = INTEGERS) -> View:
    """The array, its words ready in the view's stream; on the context's device, or an error."""
    view = view_of(field, array, kinds=kinds)
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
    bits = min(64, 8 * view.dtype.itemsize)  # a complex number is two words
    return _core.rlwe.DeviceWordsAt(view.address, bits, batch, view.device, view.stream.address)


def written(array: Any, view: View) -> None:
    """Says in which stream the array was written, if it keeps that."""
    if isinstance(array, DeviceArray):
        array._written_in(view.stream)
