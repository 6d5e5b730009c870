# SPDX-License-Identifier: Apache-2.0
"""How records lie in the slots of a ciphertext.

    slot   0 ... 29   30   31 | 32 ... 61   62   63 | ...
           x_0..x_29   1    0 | next patient
    weights repeat in the same pattern: w_0..w_29, bias, 0

Multiplying slot by slot and summing 32 neighbours leaves the score of patient r in slot 32 r. The
other slots then hold sums across two patients; nobody reads them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SPAN = 32
FEATURES = 30

IntArray = NDArray[np.int64]


def records_per_ciphertext(n: int) -> int:
    """Patients in one ciphertext."""
    return n // SPAN


def pack_records(x: IntArray, n: int) -> list[IntArray]:
    """Slot vectors of all records, ``records_per_ciphertext(n)`` in each."""
    per = records_per_ciphertext(n)
    vectors: list[IntArray] = []
    for start in range(0, len(x), per):
        part = x[start : start + per]
        slots = np.zeros((per, SPAN), dtype=np.int64)
        slots[: len(part), :FEATURES] = part
        slots[: len(part), FEATURES] = 1
        vectors.append(slots.reshape(n))
    return vectors


def pack_weights(weights: IntArray, bias: int, n: int) -> IntArray:
    """The weights once for every patient."""
    pattern = np.zeros(SPAN, dtype=np.int64)
    pattern[:FEATURES] = weights
    pattern[FEATURES] = bias
    return np.tile(pattern, records_per_ciphertext(n))


def unpack(vectors: list[IntArray], count: int) -> IntArray:
    """The value of each patient: slots 0, 32, 64 ... of each vector."""
    return np.concatenate([v[::SPAN] for v in vectors])[:count]
