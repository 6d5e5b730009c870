# SPDX-License-Identifier: Apache-2.0
"""The GPU devices that tests of schemes run on, and stand-ins for arrays of other libraries."""

from __future__ import annotations

from typing import Any

import numpy as np
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


class Stated:
    """An array of any dtype over a DeviceArray's memory, as other libraries state theirs."""

    def __init__(self, values: np.ndarray, device: str) -> None:
        self.kept = cuda.to_device(values.view(f"u{min(8, values.itemsize)}"), device)
        self.__cuda_array_interface__ = {
            "shape": values.shape,
            "typestr": values.dtype.str,
            "data": (self.kept.address, False),
            "strides": None,
            "version": 3,
        }


class KnowsTheHost:
    """For nttforge.cuda._views._core: no driver knows the memory of the host's run."""

    def __getattr__(self, name: str) -> Any:
        return getattr(core, name)

    def device_of_pointer(self, address: int) -> int:
        return core.parse_device("cuda:host")
