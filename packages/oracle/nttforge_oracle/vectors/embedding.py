# SPDX-License-Identifier: Apache-2.0
"""embedding.json: roots of unity as double-doubles, messages encoded and decoded by CKKS.

Doubles are the 64-bit integers of their bits; coefficients are decimal strings.
"""

from __future__ import annotations

import struct
from fractions import Fraction

from .. import double_double as dd
from ..double_double import Pair
from ..embedding import decode, encode
from .rules import residues


def _bits(*numbers: float) -> list[int]:
    return [int.from_bytes(struct.pack("<d", x), "little") for x in numbers]


def _root(exponent: int, order: int) -> list[int]:
    re, im = dd.root_of_unity(exponent, order)
    return _bits(*re, *im)


def _message(slots: int, seed: int) -> list[complex]:
    """Parts in [-1, 1), of all 53 bits."""
    words = residues(2 * slots, 2**53, seed)
    parts = [(word - 2**52) / 2**52 for word in words]
    return [complex(*pair) for pair in zip(parts[::2], parts[1::2], strict=True)]


def _case(n: int, message: list[complex], scale: Pair) -> dict[str, object]:
    coefficients = encode(message, n, scale)
    decoded = decode(coefficients, len(message), scale)
    return {
        "n": n,
        "scale": _bits(*scale),
        "message": [_bits(x.real, x.imag) for x in message],
        "coefficients": [str(c) for c in coefficients],
        "decoded": [_bits(x.real, x.imag) for x in decoded],
    }


def embedding_vectors() -> dict[str, object]:
    """Content of embedding.json."""
    exponents = sorted(residues(40, 2**18, 91))
    scales = [
        Pair(1.0),
        Pair(2.0**40),
        Pair(2.0**52 - 1),
        Pair(2.0**52),
        dd.nearest(Fraction(2**182, 2**92 - 17)),
    ]
    shapes = [(2, 1), (16, 1), (32, 4), (64, 32)]
    cases = [
        _case(n, _message(slots, 7 * k + 3), scale)
        for k, scale in enumerate(scales)
        for n, slots in shapes
    ]
    cases.append(_case(8, [-(2.0**62)] * 4, Pair(1.0)))
    cases.append(_case(8, [1e-300, 5e-324, 0.5, 1.5], Pair(1.0)))
    return {
        "description": "CKKS: roots of unity as double-doubles, [re hi, re lo, im hi, im lo]; "
        "messages of few slots, their scale [hi, lo], coefficients in a ring of n and what these "
        "decode to. Doubles are the integers of their 64 bits.",
        "roots_of_order_64": [_root(e, 64) for e in range(64)],
        "roots_of_order_2^18": [[e, *_root(e, 2**18)] for e in exponents],
        "encodings": cases,
    }
