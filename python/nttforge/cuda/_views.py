# SPDX-License-Identifier: Apache-2.0
"""Arrays of other libraries in device memory, seen without a copy."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .. import _arguments as arguments
from .._core import cuda as _core
from ..errors import ArgumentTypeError, ParameterError, SizeError
from ._arrays import (
    CUDA,
    LEGACY_DEFAULT_STREAM,
    NUMBERS,
    RESIDUES,
    DeviceArray,
    copy_to_host,
    names_of,
    new_device_array,
)
from ._interface import read_interface
from ._streams import DEFAULT, Stream, cupy_stream, current_stream, stream_of

if TYPE_CHECKING:
    from ..typing import GpuArray, HostArray, HostWords

_CUDA_MANAGED = 13  # device type of DLPack
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5}  # DLPack's of NumPy's kinds
Kinds: TypeAlias = tuple[np.dtype[Any], ...]


@dataclass
class View:
    """An array on a device as its owner states it."""

    owner: Any
    library: str  # "nttforge", "torch", "cupy" or ""
    address: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    device: int
    stream: Stream
    writable: bool = True

    def new(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        """A new array of the same library and device, ready for use in the view's stream."""
        module: Any = sys.modules.get(self.library)
        if self.library == "torch":
            kind, place = getattr(module, dtype.name), self.owner.device
            if self.stream.address == current_stream("torch", self.device).address:
                return module.empty(shape, dtype=kind, device=place)
            external = module.cuda.ExternalStream(self.stream.address, device=self.device)
            with module.cuda.stream(external):
                return module.empty(shape, dtype=kind, device=place)
        if self.library == "cupy":
            with module.cuda.Device(self.device), cupy_stream(module, self.stream):
                return module.empty(shape, dtype)
        return new_device_array(shape, dtype, self.device, self.stream)


def view_of(field: str, x: Any, stream: Any = None, kinds: Kinds = RESIDUES) -> View:
    """An array of one of the kinds on a device, its words ready in the stream. Raises if not."""
    wanted = stream_of(stream)
    if isinstance(x, DeviceArray):
        return _own(x, wanted)
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        return _torch(field, x, wanted, kinds)
    # PyTorch has no attribute of this name for tensors in host memory; CuPy arrays always do.
    interface = getattr(x, "__cuda_array_interface__", None)
    if interface is not None:
        return _interface(field, x, interface, wanted, kinds)
    if hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
        place = arguments.through_dlpack(field, x.__dlpack_device__)
        pair = isinstance(place, tuple) and len(place) == 2
        if not pair or not all(isinstance(part, int) for part in place):
            raise ArgumentTypeError(
                f"{field}.__dlpack_device__() gives {place!r}: the protocol asks for a device's "
                "type and number"
            )
        if int(place[0]) in (CUDA, _CUDA_MANAGED):
            return _dlpack(field, x, int(place[1]), wanted, kinds)
    if isinstance(x, (np.ndarray, list, tuple)) or hasattr(x, "__array_interface__"):
        what = "a NumPy array" if isinstance(x, np.ndarray) else f"a {type(x).__name__}"
        raise host_array(field, what)
    raise ArgumentTypeError(
        f"{field} is a {type(x).__name__}: need an array on a device (nttforge.cuda.DeviceArray, "
        "CuPy, PyTorch, or an object with __dlpack__ or __cuda_array_interface__)"
    )


def to_host(x: GpuArray | HostArray, stream: object = None) -> HostWords:
    """A copy in host memory of an array on a device; waits for the stream.

    Parameters
    ----------
    x : array on a device
        :class:`DeviceArray`, CuPy, PyTorch, ``__cuda_array_interface__`` or DLPack.
    stream : optional
        In which to read; by default the one that last wrote a DeviceArray, or the library's
        current one.
    """
    view = view_of("x", x, stream)
    return copy_to_host(view.device, view.address, view.shape, view.dtype, view.stream)


def host_array(field: str, what: str) -> ArgumentTypeError:
    return ArgumentTypeError(
        f"{field} is {what} in host memory and the plan runs on a GPU: copy it with "
        f"nttforge.cuda.to_device({field}), or make the plan with device='cpu'"
    )


def _own(x: DeviceArray, wanted: Stream | None) -> View:
    stream = x._ready_in(wanted)
    return View(x, "nttforge", x.address, x.shape, x.dtype, x._device, stream)


def _torch(field: str, x: Any, wanted: Stream | None, kinds: Kinds) -> View:
    if not x.is_cuda:
        raise host_array(field, f"a tensor on device {str(x.device)!r}")
    kind = next((k for k in kinds if str(x.dtype) == f"torch.{k}"), None)
    if kind is None:
        raise ArgumentTypeError(
            f"{field} has dtype {x.dtype}: need torch.{names_of(kinds)}; "
            + _torch_remedy(field, x, kinds)
        )
    if not x.is_contiguous():
        raise SizeError(
            f"{field} is not contiguous (shape {tuple(x.shape)}, strides {x.stride()}): "
            f"pass {field}.contiguous()"
        )
    device = int(x.device.index)
    current = current_stream("torch", device)
    stream = current if wanted is None else wanted
    if stream.address != current.address:
        _core.order(device, current.address, stream.address)
    return View(x, "torch", int(x.data_ptr()), tuple(x.shape), kind, device, stream)


def _torch_remedy(field: str, x: Any, kinds: Kinds) -> str:
    if kinds is NUMBERS:
        return f"pass {field}.to(torch.{'complex128' if x.is_complex() else 'float64'})"
    if not _is_integer(x):
        return "values are integers"
    signed = field if str(x.dtype) == "torch.int64" else f"{field}.to(torch.int64)"
    if kinds is not RESIDUES:
        return f"pass {signed}"
    return f"reduce modulo q, ({signed} % q).view(torch.uint64)"


def _is_integer(x: Any) -> bool:
    return not x.dtype.is_floating_point and not x.dtype.is_complex and "int" in str(x.dtype)


def _interface(field: str, x: Any, interface: Any, wanted: Stream | None, kinds: Kinds) -> View:
    stated = read_interface(field, interface, kinds)
    _require_contiguous(field, stated.shape, stated.strides, stated.dtype.itemsize)
    library = "cupy" if type(x).__module__.split(".")[0] == "cupy" else ""
    device: int | None = x.device.id if library == "cupy" else None
    if device is None:
        device = _core.device_of_pointer(stated.address)
    if device is None and 0 in stated.shape:
        raise SizeError(f"{field} has shape {stated.shape}: no element says on which device it is")
    if device is None:
        raise ParameterError(
            f"{field} is not in the memory of a GPU (address {stated.address:#x}): it was freed, "
            f"or is in host memory; nttforge.cuda.to_device({field}) copies from there"
        )
    stream = wanted if wanted is not None else current_stream(library, device)
    producer = stated.stream
    if producer is not None and _plain(producer.address) != _plain(stream.address):
        _core.order(device, producer.address, stream.address)
    return View(
        x, library, stated.address, stated.shape, stated.dtype, device, stream, stated.writable
    )


def _dlpack(field: str, x: Any, device: int, wanted: Stream | None, kinds: Kinds) -> View:
    stream = DEFAULT if wanted is None else wanted
    capsule = arguments.through_dlpack(
        field, lambda: x.__dlpack__(stream=stream.address or LEGACY_DEFAULT_STREAM)
    )
    address, shape, strides, code, bits, _, ordinal = _core.look_at_dlpack(capsule)
    kind = next((k for k in kinds if (_CODES[k.kind], 8 * k.itemsize) == (code, bits)), None)
    if kind is None:
        raise ArgumentTypeError(
            f"{field} has DLPack type (code {code}, {bits} bits): need {names_of(kinds)}"
        )
    _require_contiguous(field, shape, tuple(s * kind.itemsize for s in strides), kind.itemsize)
    return View(x, "", address, shape, kind, int(ordinal), stream)


def _plain(stream: int) -> int:
    return 0 if stream == LEGACY_DEFAULT_STREAM else int(stream)


def _require_contiguous(
    field: str, shape: tuple[int, ...], strides: tuple[int, ...] | None, item: int
) -> None:
    if strides is None or 0 in shape:
        return
    step = item
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent != 1 and stride != step:
            raise SizeError(
                f"{field} is not C-contiguous (shape {shape}, strides {strides}): "
                "pass a contiguous copy"
            )
        step *= extent


def require_device(field: str, view: View, device: int) -> None:
    """The array is on the plan's device."""
    if view.device != device:
        raise ParameterError(
            f"{field} is on {_core.device_name(view.device)} and the plan on "
            f"{_core.device_name(device)}: copy the array there, or make a plan on its device"
        )


def require_writable(field: str, view: View) -> None:
    if not view.writable:
        raise SizeError(f"{field} is read-only: need a writable array; pass a copy")
