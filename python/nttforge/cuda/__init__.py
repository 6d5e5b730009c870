# SPDX-License-Identifier: Apache-2.0
"""NVIDIA GPUs: what there is, memory on it, and arrays in that memory.

Transforms run there by ``nttforge.NttPlan(..., device="cuda")``, on CuPy arrays, PyTorch tensors,
anything with ``__dlpack__`` or ``__cuda_array_interface__``, and :class:`DeviceArray`; nothing is
copied. NumPy arrays are in host memory: :func:`to_device` and :func:`to_host` copy, and say so.

Devices are named ``"cuda"`` or ``"cuda:0"`` (the first GPU), ``"cuda:1"`` ..., and ``"cuda:host"``:
the same kernels, thread block by thread block on the CPU, slowly, for trying things where there is
no GPU. Only builds with ``NTTFORGE_CUDA_HOST=ON`` have it; others say how to get it.

>>> import numpy as np
>>> import nttforge
>>> plan = nttforge.NttPlan(n=8, moduli=17, device="cuda:host")
>>> x = to_device(np.arange(8, dtype=np.uint64), device="cuda:host")
>>> to_host(plan.inverse(plan.forward(x)))
array([0, 1, 2, 3, 4, 5, 6, 7], dtype=uint64)
"""

from __future__ import annotations

from dataclasses import dataclass

from .. import _arguments as arguments
from .._core import cuda as _core
from ._arrays import DeviceArray, empty, to_device
from ._explorer import (
    CudaExploration,
    CudaRecipeCandidate,
    candidate_recipes,
    explore,
    paper_recipes,
)
from ._views import to_host

__all__ = [
    "CudaExploration",
    "CudaRecipeCandidate",
    "Device",
    "DeviceArray",
    "MemoryInfo",
    "candidate_recipes",
    "describe",
    "devices",
    "empty",
    "explore",
    "is_available",
    "memory_info",
    "paper_recipes",
    "release_cached_memory",
    "set_memory_limit",
    "synchronize",
    "to_device",
    "to_host",
    "why_unavailable",
]


@dataclass(frozen=True)
class Device:
    """A GPU."""

    name: str
    """The name that ``device=`` takes: "cuda:0"."""
    card: str
    """The driver's name of the card."""
    compute_capability: int
    """90 is 9.0."""
    multiprocessors: int
    clock_khz: int
    max_threads_per_block: int
    max_cluster: int
    """Thread blocks in a cluster; 1 where there are none."""
    shared_bytes_per_block: int
    l2_bytes: int
    total_bytes: int
    memory_bytes_per_s: float
    """As the card states it."""
    driver: str


@dataclass(frozen=True)
class MemoryInfo:
    """Bytes on one device."""

    used: int
    """In arrays and plans of nttforge."""
    held: int
    """Taken from the card by nttforge: used, or kept for the next array."""
    limit: int
    """Most that nttforge may use; see :func:`set_memory_limit`."""
    free: int
    """Bytes of the card that any process may still take."""
    total: int
    """Bytes that the card has."""


def is_available() -> bool:
    """Whether a GPU can be used. Never raises.

    >>> is_available() == (why_unavailable() == "")
    True
    """
    return bool(_core.device_count())


def why_unavailable() -> str:
    """Why no GPU can be used, as one sentence; empty if one can. Never raises."""
    return str(_core.why_unavailable())


def devices() -> list[Device]:
    """The GPUs that can be used; an empty list where there are none."""
    return [describe(f"cuda:{i}") for i in range(_core.device_count())]


def describe(device: str = "cuda") -> Device:
    """One device.

    Raises
    ------
    ParameterError
        There is no such device.
    UnsupportedError
        No GPU can be used here, or this build has no GPU kernels; the message says what to do.

    Examples
    --------
    >>> describe("cuda:host").name
    'cuda:host'
    """
    facts = dict(_core.describe_device(_core.parse_device(str(device))))
    return Device(
        name=_core.device_name(facts.pop("ordinal")),
        card=facts.pop("name"),
        **facts,
    )


def memory_info(device: str = "cuda") -> MemoryInfo:
    """Memory of a device. Raises as :func:`describe`."""
    return MemoryInfo(*_core.pool_info(_core.parse_device(str(device))))


def set_memory_limit(limit: int, device: str = "cuda") -> None:
    """Most bytes that arrays and plans of nttforge may use on a device.

    Nine tenths of the card by default, though nothing is taken before it is needed. What is in use
    stays in use; a larger request is an error that says how much is used. Raises as
    :func:`describe`.
    """
    limit = arguments.integer("limit", limit, 1, 2**60, "bytes")
    _core.set_pool_limit(_core.parse_device(str(device)), limit)


def release_cached_memory(device: str = "cuda") -> None:
    """Give back to the card what is kept for the next array; waits for the device."""
    _core.trim_pool(_core.parse_device(str(device)))


def synchronize(device: str = "cuda", stream: object = None) -> None:
    """Wait until everything enqueued in a stream (by default the default stream) is done."""
    from ._streams import DEFAULT, stream_of

    ordinal = _core.parse_device(str(device))
    _core.synchronize(ordinal, (stream_of(stream) or DEFAULT).address)


def __dir__() -> list[str]:
    return sorted(__all__)
