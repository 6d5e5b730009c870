# SPDX-License-Identifier: Apache-2.0
"""Halves that SEAL stores as a seed: its two generators and its uniform sampling.

BLAKE2Xb is of its authors' paper "BLAKE2X" (2016): a root hash, and for each 64 bytes of output a
hash of that, with its number in the parameter block. All of these are computed side by side.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["BLAKE2XB", "SEED_BYTES", "SHAKE256", "sample_uniform"]

BLAKE2XB, SHAKE256, SEED_BYTES = 1, 2, 64
_BUFFER = 4096  # bytes that a generator makes at a time
_Words = NDArray[np.uint64]

# BLAKE2b, RFC 7693.
_IV = np.array(
    [
        0x6A09E667F3BCC908,
        0xBB67AE8584CAA73B,
        0x3C6EF372FE94F82B,
        0xA54FF53A5F1D36F1,
        0x510E527FADE682D1,
        0x9B05688C2B3E6C1F,
        0x1F83D9ABFB41BD6B,
        0x5BE0CD19137E2179,
    ],
    np.uint64,
)
_SIGMA = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    (14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
    (11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4),
    (7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8),
    (9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13),
    (2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9),
    (12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11),
    (13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10),
    (6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5),
    (10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0),
)
_COLUMNS = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15))
_DIAGONALS = ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))


def _xor_right(x: _Words, y: _Words, bits: int) -> _Words:
    x = np.bitwise_xor(x, y)
    return (x >> np.uint64(bits)) | (x << np.uint64(64 - bits))


def _leaves(roots: _Words) -> _Words:
    """Hashes of roots [count][8] as the leaves 0 ... 63 of a buffer each: [count][64][8]."""
    count, leaves = len(roots), _BUFFER // 64
    leaf = np.arange(leaves, dtype=np.uint64) | np.uint64(_BUFFER << 32)
    m = [np.broadcast_to(roots[:, i, None], (count, leaves)) for i in range(8)]
    m += [np.zeros((count, leaves), np.uint64)] * 8
    start = [np.full((count, leaves), word) for word in _IV]
    start[0] ^= np.uint64(64 | 64 << 32)  # bytes of a hash, no key, bytes below a leaf
    start[1] ^= leaf
    start[2] ^= np.uint64(64 << 8)  # bytes of inner hashes
    v = [x.copy() for x in start] + [np.full((count, leaves), word) for word in _IV]
    v[12] ^= np.uint64(64)  # bytes hashed
    v[14] = ~v[14]  # the last block
    for turn in range(12):
        s = _SIGMA[turn % 10]
        for i, (a, b, c, d) in enumerate(_COLUMNS + _DIAGONALS):
            v[a] = v[a] + v[b] + m[s[2 * i]]
            v[d] = _xor_right(v[d], v[a], 32)
            v[c] = v[c] + v[d]
            v[b] = _xor_right(v[b], v[c], 24)
            v[a] = v[a] + v[b] + m[s[2 * i + 1]]
            v[d] = _xor_right(v[d], v[a], 16)
            v[c] = v[c] + v[d]
            v[b] = _xor_right(v[b], v[c], 63)
    return np.stack(
        [np.bitwise_xor(start[i], np.bitwise_xor(v[i], v[i + 8])) for i in range(8)], axis=-1
    )


def _blake2xb(seed: bytes, first: int, count: int) -> _Words:
    roots = b"".join(
        hashlib.blake2b(
            counter.to_bytes(8, "little"), key=seed, digest_size=64, node_offset=_BUFFER << 32
        ).digest()
        for counter in range(first, first + count)
    )
    return _leaves(np.frombuffer(roots, "<u8").reshape(-1, 8)).reshape(-1)


def _shake256(seed: bytes, first: int, count: int) -> _Words:
    data = b"".join(
        hashlib.shake_256(seed + counter.to_bytes(8, "little")).digest(_BUFFER)
        for counter in range(first, first + count)
    )
    return np.frombuffer(data, "<u8").astype(np.uint64, copy=False)


def _one_by_one(make: Callable[[bytes, int, int], _Words], seed: bytes, at: int) -> Iterator[int]:
    """The generator's words from one on."""
    buffer, place = divmod(at, _BUFFER // 8)
    while True:
        yield from map(int, make(seed, buffer, 1)[place:])
        buffer, place = buffer + 1, 0


def sample_uniform(kind: int, seed: bytes, n: int, moduli: Sequence[int]) -> _Words:
    """The polynomial [limbs][n] that SEAL samples from a seed.

    It draws all words first, then replaces in their order those that would favour small residues.
    """
    make = _blake2xb if kind == BLAKE2XB else _shake256
    words = n * len(moduli)
    drawn = make(seed, 0, -(-8 * words // _BUFFER))[:words].reshape(len(moduli), n).copy()
    more = _one_by_one(make, seed, words)
    for row, q in zip(drawn, moduli, strict=True):
        limit = 2**64 - 2 - (2**64 - 1) % q
        for i in np.flatnonzero(row >= np.uint64(limit)):
            word = limit
            while word >= limit:
                word = next(more)
            row[i] = word
        row %= np.uint64(q)
    return drawn
