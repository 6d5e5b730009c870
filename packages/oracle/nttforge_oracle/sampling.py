# SPDX-License-Identifier: Apache-2.0
"""Samples as functions of (seed, domain, index, limb, position), from ChaCha20 streams.

Lane ``limb * 256 + round`` of a stream is the ChaCha20 key stream with key = seed, block counter
from 0 and nonce = (domain, index, lane) as little-endian 32-bit words. Sample i takes word i of
lane (limb, 0); if that is rejected, word i of lane (limb, 1), and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from . import chacha20
from .gaussian import ErrorDistribution, gaussian_table

#: Values of ``Domain`` in nttforge/random/stream.hpp.
DOMAINS = {
    "secret_key": 1,
    "public_key_a": 2,
    "public_key_error": 3,
    "key_switch_a": 4,
    "key_switch_error": 5,
    "encrypt_u": 6,
    "encrypt_error_0": 7,
    "encrypt_error_1": 8,
    "encrypt_a": 9,
    "derive_seed": 10,
    "user": 100,
}


@dataclass(frozen=True)
class Stream:
    """Names one stream. ``seed`` has 32 bytes, ``domain`` and ``index`` 32 bits."""

    seed: bytes
    domain: int = DOMAINS["user"]
    index: int = 0

    def words(self, lane: int, first: int = 0) -> Iterator[int]:
        """64-bit words of one lane from word ``first`` on.

        Examples
        --------
        >>> hex(next(Stream(bytes(32), 0, 0).words(0)))
        '0x903df1a0ade0b876'
        """
        nonce = b"".join(v.to_bytes(4, "little") for v in (self.domain, self.index, lane))
        return chacha20.words(self.seed, nonce, first)


def _accepted(
    stream: Stream, limb: int, count: int, below: int, value: Callable[[int], int]
) -> list[int]:
    """``value`` of the first word below ``below`` of each position."""
    if not 0 <= limb < 2**24:
        raise ValueError(f"limb = {limb} must be in 0 ... 2^24 - 1")
    out: list[int] = []
    first_round = islice(stream.words(limb << 8), count)
    for i, word in enumerate(first_round):
        rejection_round = 0
        while word >= below:
            rejection_round += 1
            if rejection_round == 256:
                raise ArithmeticError("256 rejections in a row")
            word = next(stream.words(limb << 8 | rejection_round, i))
        out.append(value(word))
    return out


def uniform(stream: Stream, limb: int, q: int, count: int) -> list[int]:
    """Uniform in [0, q): accept w if w < q floor(2^64 / q), then w mod q. 2 <= q < 2^62.

    Examples
    --------
    >>> uniform(Stream(bytes(32), 0, 0), 0, 97, 1) == [0x903DF1A0ADE0B876 % 97]
    True
    """
    if not 2 <= q < 2**62:
        raise ValueError(f"q = {q} must be in [2, 2^62)")
    return _accepted(stream, limb, count, q * (2**64 // q), lambda w: w % q)


def ternary(stream: Stream, count: int) -> list[int]:
    """Uniform on {-1, 0, 1}: accept w if w < 3 floor(2^64 / 3), then w mod 3 - 1.

    Examples
    --------
    >>> set(ternary(Stream(bytes(32)), 64))
    {0, 1, -1}
    """
    return _accepted(stream, 0, count, 3 * (2**64 // 3), lambda w: w % 3 - 1)


def binary(stream: Stream, count: int) -> list[int]:
    """Uniform on {0, 1}: the lowest bit of the word.

    Examples
    --------
    >>> binary(Stream(bytes(32), 0, 0), 1)
    [0]
    """
    return [w & 1 for w in islice(stream.words(0), count)]


def sparse(stream: Stream, weight: int, count: int) -> list[int]:
    """Uniform among the vectors of {-1, 0, 1} with ``weight`` entries that are not 0.

    Word w_i becomes the key floor(w_i / 4) with the value 0 or, for i < weight, 1 or -1 as bit 1
    of w_i is 0 or 1. The result has the values by increasing keys. Where two keys are equal, the
    words of the next round are taken. Sampling by sorting, as in NTRU [Che20, 1.10.5].

    Examples
    --------
    >>> sparse(Stream(bytes(32)), 3, 8)
    [0, 1, 0, 0, -1, 1, 0, 0]
    """
    if not 0 <= weight <= count <= 2**24:
        raise ValueError(f"weight = {weight} must be in 0 ... {count}, the count at most 2^24")
    for rejection_round in range(256):
        words = list(islice(stream.words(rejection_round), count))
        values = [(1 - (w & 2)) if i < weight else 0 for i, w in enumerate(words)]
        keys = [w >> 2 for w in words]
        if len(set(keys)) == count:
            return [value for _, value in sorted(zip(keys, values, strict=True))]
    raise ArithmeticError("256 rejections in a row")


def error_of_word(word: int, table: list[int]) -> int:
    """Magnitude: how many table entries are <= word >> 1; sign: bit 0, 1 for negative.

    Examples
    --------
    >>> [error_of_word(w, [10, 20]) for w in (0, 19, 20, 21, 39, 40, 41, 2**64 - 1)]
    [0, 0, 1, -1, -1, 2, -2, -2]
    """
    magnitude = sum(entry <= word >> 1 for entry in table)
    return -magnitude if word & 1 else magnitude


def error(stream: Stream, distribution: ErrorDistribution, count: int) -> list[int]:
    """Centred discrete Gaussian from its cumulative table, one word a sample.

    Examples
    --------
    >>> from .gaussian import SIGMA_3_2
    >>> len(error(Stream(bytes(32)), SIGMA_3_2, 10))
    10
    """
    table = gaussian_table(distribution)
    return [error_of_word(w, table) for w in islice(stream.words(0), count)]
