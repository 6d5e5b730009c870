# SPDX-License-Identifier: Apache-2.0
"""Streams of other libraries as addresses; 0 is the default stream."""

from __future__ import annotations

import sys
from typing import Any

from .._core import cuda as _core
from ..errors import ArgumentTypeError, ParameterError

_NAMES = 2  # of default streams: 0, 1 (legacy), 2 (per thread)
_ATTRIBUTES = ("cuda_stream", "ptr", "handle")  # PyTorch; CuPy; numba and cuda.core


def stream_address(stream: Any) -> int | None:
    """The address of a stream: None, an integer, or a stream object of another library."""
    if stream is None:
        return None
    if isinstance(stream, bool):
        raise ArgumentTypeError(f"stream = {stream}: need a stream or its address, not a bool")
    if isinstance(stream, int):
        # The driver reads from the address: one that leads nowhere would end the process.
        if not 0 <= stream < 2**64 or (stream > _NAMES and not _core.is_mapped(stream)):
            raise ParameterError(
                f"stream = {stream} is not the address of a stream: pass a stream object, the "
                "address of one that is alive, or 0 for the default stream"
            )
        return stream
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        return int((protocol() if callable(protocol) else protocol)[1])
    for name in _ATTRIBUTES:
        value = getattr(stream, name, None)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    raise ArgumentTypeError(
        f"stream is a {type(stream).__name__}: need a CUDA stream (of PyTorch, CuPy, or any object "
        "with __cuda_stream__), its address as an integer, or None"
    )


class _Address:
    """A stream as cuda.core's protocol wants it."""

    def __init__(self, address: int) -> None:
        self._address = address

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self._address


def cupy_stream(cupy: Any, address: int) -> Any:
    """CuPy's object for a stream."""
    if address == 0:
        return cupy.cuda.Stream.null
    if hasattr(cupy.cuda.Stream, "from_external"):
        return cupy.cuda.Stream.from_external(_Address(address))
    return cupy.cuda.ExternalStream(address)


def current_stream(library: str, device: int) -> int:
    """The stream in which a library works now; the default stream for those without such."""
    module: Any = sys.modules.get(library)
    if library == "torch" and module is not None:
        return int(module.cuda.current_stream(device).cuda_stream)
    if library == "cupy" and module is not None:
        with module.cuda.Device(device):
            return int(module.cuda.get_current_stream().ptr)
    return 0
