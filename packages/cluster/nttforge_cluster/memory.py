# SPDX-License-Identifier: Apache-2.0
"""How much a worker needs, and how many ciphertexts it computes on at once."""

from __future__ import annotations

from dataclasses import dataclass

from nttforge import _core, cuda
from nttforge._system import usable_cpus
from nttforge.rlwe import Parameters

#: Ciphertexts that one takes while it is computed on: products have three parts in a longer base,
#: and key switching has a row for each digit. Measured by bench/results/cluster and checked there.
WORKING_COPIES = 14
#: More at once gains nothing on a core, and a second of work is lost with a worker at most.
MOST_AT_ONCE = {"cpu": 4, "cuda": 64}
_SHARE = 0.5  # of what is free, so that a neighbour's estimate may be wrong too


@dataclass(frozen=True)
class MemoryPlan:
    """What one thread of a worker needs on its device.

    Parameters
    ----------
    keys : int
        Bytes of evaluation keys.
    ciphertext : int
        Bytes of one ciphertext.
    at_once : int
        Ciphertexts of a batch.
    """

    keys: int
    ciphertext: int
    at_once: int

    @property
    def batch(self) -> int:
        """Bytes of one batch while it is computed on."""
        return self.at_once * self.ciphertext * WORKING_COPIES

    @property
    def total(self) -> int:
        """Keys, the batch that is computed on, and one that is read or written."""
        return self.keys + 2 * self.batch


def memory_plan(
    parameters: Parameters, rotations: int, relinearization: bool, device: str, limit: int = 0
) -> MemoryPlan:
    """The largest batches that fit beside the keys.

    Parameters
    ----------
    parameters : Parameters
    rotations : int
        Rotation keys, the column swap among them.
    relinearization : bool
    device : str
    limit : int
        Bytes that a worker may take; 0: a fair share of what is free on the device.
    """
    sizes = parameters.memory_sizes()
    keys = rotations * sizes["rotation_key"]
    keys += sizes["relinearization_key"] if relinearization else 0
    single = sizes["ciphertext"]
    room = (limit or _free(device)) - keys
    most = MOST_AT_ONCE["cpu" if device == "cpu" else "cuda"]
    return MemoryPlan(keys, single, max(1, min(most, room // (2 * single * WORKING_COPIES))))


def _free(device: str) -> int:
    if device == "cpu":
        return int(_core.available_memory_bytes() * _SHARE / len(usable_cpus()))
    return int(cuda.memory_info(device).free * _SHARE)
