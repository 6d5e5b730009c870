# SPDX-License-Identifier: Apache-2.0
"""Bytes with one bit changed, as readers of keys meet them."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np
from nttforge._core import checksum64


def damaged(data: bytes, times: int, front: int) -> Iterator[tuple[bool, bytes]]:
    """Half of all changes at the front; half, and it says which, with the checksum made anew."""
    rng = np.random.default_rng(1)
    for k in range(times):
        at = int(rng.integers(front if k % 4 < 2 else len(data)))
        changed = bytearray(data)
        changed[at] ^= 1 << int(rng.integers(8))
        if k % 2:
            changed[-8:] = struct.pack("<Q", checksum64(bytes(changed[:-8])))
        yield bool(k % 2), bytes(changed)
