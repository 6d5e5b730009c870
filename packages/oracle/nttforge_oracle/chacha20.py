# SPDX-License-Identifier: Apache-2.0
"""The ChaCha20 block function, RFC 8439 section 2.3."""

from __future__ import annotations

from collections.abc import Iterator

_CONSTANTS = tuple(
    int.from_bytes(b"expand 32-byte k"[i : i + 4], "little") for i in range(0, 16, 4)
)


def quarter_round(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    """RFC 8439 section 2.1, on 32-bit words.

    Examples
    --------
    >>> [hex(w) for w in quarter_round(0x11111111, 0x01020304, 0x9B8D6F43, 0x01234567)]
    ['0xea2a92f4', '0xcb1cf8ce', '0x4581472e', '0x5881c4bb']
    """

    def rotate(x: int, by: int) -> int:
        return ((x << by) | (x >> (32 - by))) & 0xFFFFFFFF

    a = (a + b) & 0xFFFFFFFF
    d = rotate(d ^ a, 16)
    c = (c + d) & 0xFFFFFFFF
    b = rotate(b ^ c, 12)
    a = (a + b) & 0xFFFFFFFF
    d = rotate(d ^ a, 8)
    c = (c + d) & 0xFFFFFFFF
    b = rotate(b ^ c, 7)
    return a, b, c, d


def block(key: bytes, counter: int, nonce: bytes) -> bytes:
    """64 bytes of key stream.

    Parameters
    ----------
    key : bytes
        32 bytes.
    counter : int
        Block number, 0 ... 2^32 - 1.
    nonce : bytes
        12 bytes.

    Examples
    --------
    >>> block(bytes(32), 0, bytes(12))[:8].hex()
    '76b8e0ada0f13d90'
    """
    if len(key) != 32 or len(nonce) != 12 or not 0 <= counter < 2**32:
        raise ValueError("key must have 32 bytes, nonce 12, counter must be in 0 ... 2^32 - 1")
    words = [int.from_bytes((key + nonce)[i : i + 4], "little") for i in range(0, 44, 4)]
    start = [*_CONSTANTS, *words[:8], counter, *words[8:]]
    x = list(start)
    for _ in range(10):
        for column in range(4):
            at = [column, column + 4, column + 8, column + 12]
            x[at[0]], x[at[1]], x[at[2]], x[at[3]] = quarter_round(*(x[i] for i in at))
        for diagonal in range(4):
            at = [4 * row + (diagonal + row) % 4 for row in range(4)]
            x[at[0]], x[at[1]], x[at[2]], x[at[3]] = quarter_round(*(x[i] for i in at))
    return b"".join(
        ((u + v) & 0xFFFFFFFF).to_bytes(4, "little") for u, v in zip(x, start, strict=True)
    )


def words(key: bytes, nonce: bytes, first: int = 0) -> Iterator[int]:
    """64-bit words from word ``first`` on: word i is bytes 8i ... 8i + 7, little-endian.

    Examples
    --------
    >>> from itertools import islice
    >>> list(islice(words(bytes(32), bytes(12), 7), 2)) == [
    ...     int.from_bytes(block(bytes(32), 0, bytes(12))[56:], "little"),
    ...     int.from_bytes(block(bytes(32), 1, bytes(12))[:8], "little"),
    ... ]
    True
    """
    counter, skip = divmod(first, 8)
    while True:
        data = block(key, counter, nonce)
        for i in range(skip, 8):
            yield int.from_bytes(data[8 * i : 8 * i + 8], "little")
        counter, skip = counter + 1, 0
