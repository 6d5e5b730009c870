# SPDX-License-Identifier: Apache-2.0
"""Deterministic inputs and short digests that every language can compute."""

from __future__ import annotations

from collections.abc import Sequence

_MASK = 2**64 - 1

SPLITMIX_RULE = (
    "splitmix64(i): z = i + 0x9e3779b97f4a7c15; z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9; "
    "z = (z ^ (z >> 27)) * 0x94d049bb133111eb; z ^ (z >> 31), modulo 2^64"
)
FNV_RULE = (
    "fnv1a(words): h = 0xcbf29ce484222325; for each 64-bit word w: "
    "h = ((h ^ w) * 0x100000001b3) modulo 2^64"
)


def splitmix64(i: int) -> int:
    """64 bits from the number i.

    Examples
    --------
    >>> hex(splitmix64(0))
    '0xe220a8397b1dcdaf'
    """
    z = (i + 0x9E3779B97F4A7C15) & _MASK
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _MASK
    return z ^ (z >> 31)


def residues(n: int, q: int, first: int = 0) -> list[int]:
    """splitmix64(first + i) mod q, i = 0 ... n - 1.

    Examples
    --------
    >>> residues(3, 97)
    [49, 27, 93]
    """
    return [splitmix64(first + i) % q for i in range(n)]


def below(bound: int, i: int) -> int:
    """A number in [0, bound), any size, from the number i.

    Examples
    --------
    >>> 0 <= below(10**50, 1) < 10**50
    True
    """
    words = bound.bit_length() // 64 + 2
    return sum(splitmix64(64 * i + j) << (64 * j) for j in range(words)) % bound


def fnv1a(words: Sequence[int]) -> int:
    """Digest of 64-bit words.

    Examples
    --------
    >>> fnv1a([]) == 0xCBF29CE484222325, fnv1a([1]) != fnv1a([2])
    (True, True)
    """
    h = 0xCBF29CE484222325
    for w in words:
        h = (h ^ w) * 0x100000001B3 & _MASK
    return h
