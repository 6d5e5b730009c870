# SPDX-License-Identifier: Apache-2.0
"""What the vectors of all schemes share: seeds, and polynomials as words or as their digest."""

from __future__ import annotations

from ..fv import Poly
from ..seeded_keys import limbs, transformed_limbs
from .rules import fnv1a

KEY_SEED = bytes(range(32))
ENCRYPTION_SEED = bytes(range(64, 96))


def coefficients(parts: list[Poly], moduli: tuple[int, ...]) -> list[list[Poly]]:
    """Words [part][limb][n] in coefficient form."""
    return [limbs(part, moduli) for part in parts]


def transformed(parts: list[Poly], moduli: tuple[int, ...]) -> list[list[Poly]]:
    """Words [part][limb][n], transformed, bit-reversed order."""
    return [transformed_limbs(part, moduli) for part in parts]


def digest(parts: list[list[Poly]]) -> int:
    """fnv1a of all words in order."""
    return fnv1a([w for part in parts for limb in part for w in limb])


def words_or_digest(name: str, parts: list[list[Poly]], written_out: bool) -> dict[str, object]:
    """The words themselves, or for large n their digest."""
    return {name: parts} if written_out else {f"{name}_fnv1a": digest(parts)}


def key_digest(key: list[list[Poly]], moduli: tuple[int, ...]) -> int:
    """Digest of a key's words [digit][part][limb][n], transformed."""
    return digest([part for pair in key for part in transformed(pair, moduli)])
