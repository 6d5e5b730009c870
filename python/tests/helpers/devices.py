# SPDX-License-Identifier: Apache-2.0
"""The GPU devices that tests of schemes run on."""

from __future__ import annotations

from nttforge._core import cuda as core

from nttforge import cuda
from nttforge.typing import DeviceName


def gpu_devices() -> list[DeviceName]:
    """The host's run of GPU kernels and the first GPU, where this build and machine have them."""
    found: list[DeviceName] = []
    if core.host_in_this_build():
        found.append("cuda:host")
    if cuda.is_available():
        found.append("cuda")
    return found
