# SPDX-License-Identifier: Apache-2.0
"""Streams of other libraries: their addresses, and the objects that keep them alive."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from .._core import cuda as _core
from ..errors import ArgumentTypeError, ParameterError

_NAMES = 2  # of default streams: 0, 1 (legacy), 2 (per thread)
_ATTRIBUTES = ("cuda_stream", "ptr", "handle")  # PyTorch; CuPy; numba and cuda.core


class Stream(NamedTuple):
    """A stream as calls and arrays carry it."""

    address: int
    """0 is the default stream."""
    owner: Any = None
    """The caller's object, which keeps the stream alive; None for the default stream and for an
    address, whose caller keeps it alive."""


DEFAULT = Stream(0)


def stream_of(stream: Any) -> Stream | None:
    """What the caller gave: None, an integer, or a stream object of another library."""
    if stream is None or type(stream) is Stream:
        return stream
    if isinstance(stream, bool):
        raise ArgumentTypeError(f"stream = {stream}: need a stream or its address, not a bool")
    if isinstance(stream, int):
        return Stream(_checked(stream))
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        stated: object = protocol() if callable(protocol) else protocol
        if not isinstance(stated, tuple) or len(stated) != 2 or not isinstance(stated[1], int):
            raise ArgumentTypeError(
                f"stream.__cuda_stream__ gives {stated!r}: the protocol asks for (0, address)"
            )
        return Stream(_checked(stated[1]), stream)
    for name in _ATTRIBUTES:
        value = getattr(stream, name, None)
        if isinstance(value, int) and not isinstance(value, bool):
            return Stream(_checked(value), stream)
    raise ArgumentTypeError(
        f"stream is a {type(stream).__name__}: need a CUDA stream (of PyTorch, CuPy, or any object "
        "with __cuda_stream__), its address as an integer, or None"
    )


def _checked(address: int) -> int:
    # The driver reads from the address: one that leads nowhere would end the process.
    if not 0 <= address < 2**64 or (address > _NAMES and not _core.is_mapped(address)):
        raise ParameterError(
            f"stream = {address} is not the address of a stream: pass a stream object, the "
            "address of one that is alive, or 0 for the default stream"
        )
    return address


class Scope(AbstractContextManager[None]):
    """A ``with`` block in which this thread's operations go where an object of the core says."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._scope: Any = None

    def __enter__(self) -> None:
        self._scope = self._make()

    def __exit__(self, *_: object) -> None:
        self._scope = None


class _Address:
    """A stream as cuda.core's protocol wants it."""

    def __init__(self, address: int) -> None:
        self._address = address

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self._address


def cupy_stream(cupy: Any, stream: Stream) -> Any:
    """CuPy's object for a stream."""
    if stream.address == 0:
        return cupy.cuda.Stream.null
    if isinstance(stream.owner, cupy.cuda.Stream):
        return stream.owner
    if hasattr(cupy.cuda.Stream, "from_external"):
        return cupy.cuda.Stream.from_external(_Address(stream.address))
    return cupy.cuda.ExternalStream(stream.address)


def current_stream(library: str, device: int) -> Stream:
    """The stream in which a library works now; the default stream for those without such."""
    module: Any = sys.modules.get(library)
    if library == "torch" and module is not None:
        current = module.cuda.current_stream(device)
        return Stream(int(current.cuda_stream), current)
    if library == "cupy" and module is not None:
        with module.cuda.Device(device):
            current = module.cuda.get_current_stream()
            return Stream(int(current.ptr), current)
    return DEFAULT
