# SPDX-License-Identifier: Apache-2.0
"""The short way of a call: arrays that are what a plan needs, as their own library says.

An array of PyTorch or CuPy on the plan's device, or a DeviceArray, of the plan's type and shape and
used in the stream where it already is, needs no question to the driver and no other stream's work.
Whatever is in doubt is left to :mod:`._views`, which asks, waits where it must, and says what is
wrong.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ._arrays import DeviceArray, new_device_array
from ._streams import Stream


class Seen(NamedTuple):
    """An array that can be used as it is."""

    address: int
    words: int
    stream: int
    shape: tuple[int, ...]


class Quick:
    """Looks at the arrays of one plan's calls."""

    def __init__(
        self, device: int, context: int, dtype: np.dtype[Any], tail: tuple[int, ...]
    ) -> None:
        self._device, self._context, self._dtype = device, context, dtype
        self._tail, self._axes = tail, len(tail)

    def look(self, x: Any, stream: Any) -> Seen | None:
        """None: in doubt."""
        kind = type(x)
        if kind is DeviceArray:
            in_place = stream is None or stream is x._stream_owner
            here = x._device == self._device and x._context == self._context
            if not here or not in_place or x._dtype is not self._dtype:
                return None
            seen = Seen(x._address, x._size, x._stream, x._shape)
        elif stream is not None or self._device < 0:
            return None
        elif (torch := _torch()) is not None and kind is torch.array:
            if (
                x.dtype is not torch.dtypes.get(self._dtype)
                or x.get_device() != self._device
                or not x.is_contiguous()
            ):
                return None
            seen = Seen(x.data_ptr(), x.numel(), torch.stream(self._device), x.shape)
        elif (cupy := _cupy()) is not None and kind is cupy.array:
            data = x.data
            if x.dtype is not self._dtype or data.device_id != self._device or not x._c_contiguous:
                return None
            seen = Seen(data.ptr, x.size, cupy.stream(self._device).ptr, x.shape)
        else:
            return None
        fits = len(seen.shape) >= self._axes and seen.shape[-self._axes :] == self._tail
        return seen if fits and seen.words else None

    def result(self, x: Any, seen: Seen, out: Any) -> tuple[Any, int] | None:
        """The array for the result of ``x``, new or ``out``, and its address. None: in doubt."""
        if out is x:
            return x, seen.address
        if out is None:
            return self._new(x, seen)
        target = self.look(out, None) if type(out) is type(x) else None
        if target is None or target.stream != seen.stream or target.shape != seen.shape:
            return None
        if self.overlap_partly(seen.address, target.address, seen.words):
            return None
        if type(out) is DeviceArray and out._stream_owner is None:
            out._stream_owner = x._stream_owner
        return out, target.address

    def _new(self, x: Any, seen: Seen) -> tuple[Any, int] | None:
        kind = type(x)
        if kind is DeviceArray:
            stream = Stream(x._stream, x._stream_owner)
            made = new_device_array(seen.shape, self._dtype, self._device, stream)
            return made, made._address
        if (torch := _torch()) is not None and kind is torch.array:
            made = torch.empty_like(x)
            return made, made.data_ptr()
        cupy = _cupy()
        if cupy is None or cupy.device() != self._device:  # it makes arrays on its current device
            return None
        made = kind(seen.shape, x.dtype)
        return made, made.data.ptr

    def overlap_partly(self, x: int, y: int, words: int) -> bool:
        """Whether two arrays at these addresses share some of their words, but not all."""
        return 0 < abs(x - y) < words * self._dtype.itemsize


class _Torch(NamedTuple):
    """What is asked of PyTorch, without its layers of Python."""

    array: type
    dtypes: dict[np.dtype[Any], Any]
    stream: Callable[[int], int]
    empty_like: Callable[[Any], Any]


class _Cupy(NamedTuple):
    array: type
    stream: Callable[[int], Any]
    device: Callable[[], int]


_torch_known: list[_Torch] = []
_cupy_known: list[_Cupy] = []


def _torch() -> _Torch | None:
    """None where the program has not imported it."""
    if not _torch_known and (module := _whole("torch", "Tensor", "cuda", "empty_like")):
        # The public current_stream() makes an object of it, which takes longer than the launch.
        raw = getattr(getattr(module, "_C", None), "_cuda_getCurrentRawStream", None)
        names = [name for name in ("uint32", "uint64") if hasattr(module, name)]
        _torch_known.append(
            _Torch(
                module.Tensor,
                {np.dtype(name): getattr(module, name) for name in names},
                raw or (lambda device: int(module.cuda.current_stream(device).cuda_stream)),
                module.empty_like,
            )
        )
    return _torch_known[0] if _torch_known else None


def _cupy() -> _Cupy | None:
    """None where the program has not imported it, or has one whose streams know no device."""
    if not _cupy_known and (module := _whole("cupy", "ndarray", "cuda")):
        current = module.cuda.get_current_stream
        try:
            current(0)
        except TypeError:
            return None
        _cupy_known.append(_Cupy(module.ndarray, current, module.cuda.runtime.getDevice))
    return _cupy_known[0] if _cupy_known else None


def _whole(name: str, *attributes: str) -> Any:
    """A module that the program imported; None while it still is being imported."""
    module = sys.modules.get(name)
    return module if all(hasattr(module, attribute) for attribute in attributes) else None
