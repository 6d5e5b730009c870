# SPDX-License-Identifier: Apache-2.0
"""Blocks in which a thread's operations go to a caller's stream."""

from __future__ import annotations

from typing import Any

from .. import _core

__all__ = ["StreamScope"]


class StreamScope:
    """A ``with`` block in which a thread's operations go to a stream; :meth:`Context.on_stream`."""

    __slots__ = ("_device", "_scope", "_stream")

    def __init__(self, device: int, stream: Any) -> None:
        self._device = device
        self._stream = stream
        self._scope: Any = None

    def __enter__(self) -> None:
        self._scope = _core.cuda.StreamScope(self._device, self._stream.address)

    def __exit__(self, *_: object) -> None:
        self._scope = None
