# SPDX-License-Identifier: Apache-2.0
"""Encrypted tables larger than one machine: partitions in shared storage, computed on by Dask.

The usual flow: the owner of a table makes an :class:`EncryptedDataset` by
:meth:`EncryptedDataset.encrypt`; whoever computes opens it and calls ``map``, ``linear_map`` and
then ``persist`` or ``reduce``, with the workers of :func:`local_workers` or :func:`connected`, or
without any in this process; the owner decrypts the result. A process that has a secret key never
speaks to Dask: workers are reached by a process of their own. docs/cluster.md is the guide.
"""

from __future__ import annotations

from .computation import Computation
from .dataset import EncryptedDataset
from .manifest import Manifest, Part
from .memory import MemoryPlan, memory_plan
from .scheduler import Certificates
from .session import Workers, connected, local_workers
from .storage import Store

__all__ = [
    "Certificates",
    "Computation",
    "EncryptedDataset",
    "Manifest",
    "MemoryPlan",
    "Part",
    "Store",
    "Workers",
    "connected",
    "local_workers",
    "memory_plan",
]


def __dir__() -> list[str]:
    return sorted(__all__)
