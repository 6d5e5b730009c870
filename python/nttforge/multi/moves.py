# SPDX-License-Identifier: Apache-2.0
"""What moves between devices beside what they compute, and when a device has computed."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from functools import partial
from typing import Protocol

from .._core import cuda as _core
from ..cuda._streams import Scope


class Mark(Protocol):
    """A point in the work of a device."""

    def wait(self) -> None:
        """Returns when the device has come to it."""


class _Passed:
    def wait(self) -> None:
        """The CPU has computed when calls return."""


def mark(device: str) -> Mark:
    """What this thread gave to the device so far."""
    if device == "cpu":
        return _Passed()
    found: Mark = _core.StreamMark(_core.parse_device(device))
    return found


def apart(devices: Iterable[str | None]) -> ExitStack:
    """A block in which this thread's copies wait for nothing that the devices compute.

    It begins when what they read is complete, and ends when they are.
    """
    scopes = ExitStack()
    for device in devices:
        if device is not None and device != "cpu":
            scopes.enter_context(Scope(partial(_core.ApartScope, _core.parse_device(device))))
    return scopes
