# SPDX-License-Identifier: Apache-2.0
"""Polynomials of an object of SEAL, in full or with a seed in place of the second one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nttforge.errors import FormatError

from ._seeds import BLAKE2XB, SEED_BYTES, SHAKE256, sample_uniform
from ._source import Source

__all__ = ["read_polynomials"]


def read_polynomials(
    source: Source, parts: int, n: int, moduli: Sequence[int]
) -> tuple[NDArray[np.uint64], bool]:
    """Words [parts][limbs][n], and whether there was a seed."""
    half = n * len(moduli)
    words = source.words("data", (parts * half, half) if parts == 2 else (parts * half,))
    if len(words) == parts * half:
        return words.reshape(parts, len(moduli), n), False
    source.nested("seed")
    kind = source.number("seed.type", 1)
    if kind not in (BLAKE2XB, SHAKE256):
        raise FormatError(
            f"{source.what}.seed.type = {kind}: SEAL 4 has 1 (Blake2xb) and 2 (SHAKE256); save the "
            "object without a seed (create_public_key(key), not create_public_key())"
        )
    seed = source.bytes(SEED_BYTES, "seed")
    return np.stack([words.reshape(len(moduli), n), sample_uniform(kind, seed, n, moduli)]), True
