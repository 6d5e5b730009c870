# SPDX-License-Identifier: Apache-2.0
"""What the vectors of all schemes share: seeds, and polynomials as words or as their digest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..fv import Poly
from ..seeded_keys import SeededKeys, limbs, transformed_limbs
from ..slots import column_swap_element, rotation_element
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


def _special(seeded: SeededKeys[Any]) -> dict[str, object]:
    """The special prime; where there are several, all of them and the primes of a digit."""
    if len(seeded.special) < 2:
        return {"p": seeded.p}
    return {"special_primes": list(seeded.special), "digit_primes": seeded.digit_primes}


@dataclass
class Keys:
    """The keys of a set from ``KEY_SEED``, those that rotate by 1 and -1 and swap rows included.

    ``rows`` is what a case of the vectors says first: the set, and its keys as words or digests.
    """

    seeded: SeededKeys[Any]
    written_out: bool
    secret: Poly = field(init=False)
    public: list[Poly] = field(init=False)
    relinearization: list[list[Poly]] = field(init=False)
    galois: dict[int, list[list[Poly]]] = field(init=False)  # by increasing element
    rows: dict[str, object] = field(init=False)

    def __post_init__(self) -> None:
        seeded, scheme, full = self.seeded, self.seeded.scheme, self.seeded.key_scheme.moduli
        n = scheme.n
        self.secret = seeded.secret(KEY_SEED)
        self.public = seeded.public_key(KEY_SEED, self.secret)
        self.relinearization = seeded.relinearization_key(KEY_SEED, self.secret)
        elements = {rotation_element(1, n), rotation_element(-1, n), column_swap_element(n)}
        self.galois = {g: seeded.galois_key(KEY_SEED, self.secret, g) for g in sorted(elements)}
        self.rows = {
            "n": n,
            "t": scheme.t,
            "q": list(scheme.moduli),
            **_special(seeded),
            "secret_distribution": seeded.secret_distribution.kind,
            "secret_weight": seeded.secret_distribution.weight,
            "error": seeded.error.name,
            "secret": self.secret,
            **words_or_digest("public_key", transformed(self.public, full), self.written_out),
            "relinearization_key_fnv1a": key_digest(self.relinearization, full),
            "galois_keys": [
                {"element": g, "fnv1a": key_digest(key, full)} for g, key in self.galois.items()
            ],
        }
