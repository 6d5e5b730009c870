# SPDX-License-Identifier: Apache-2.0
"""A quick form of what transform.py defines, tested against it; for sizes beyond the definition."""

from __future__ import annotations

from collections.abc import Sequence


def negacyclic_product(a: Sequence[int], b: Sequence[int], q: int | None = None) -> list[int]:
    """Product modulo X^n + 1 as one product of big integers (Kronecker substitution).

    Coefficients may have any sign and size.

    Examples
    --------
    >>> negacyclic_product([1, -2], [3, 4])
    [11, -2]
    """
    n = len(a)
    largest_a, largest_b = max(1, *map(abs, a)), max(1, *map(abs, b))
    # Every coefficient of the plain product is below 2^(8 width - 1) in magnitude.
    width = (n * largest_a * largest_b).bit_length() // 8 + 1
    half = 1 << (8 * width - 1)

    def pack(values: Sequence[int]) -> int:
        positive = b"".join(max(v, 0).to_bytes(width, "little") for v in values)
        negative = b"".join(max(-v, 0).to_bytes(width, "little") for v in values)
        return int.from_bytes(positive, "little") - int.from_bytes(negative, "little")

    # Adding `half` in every place makes all digits of the product non-negative.
    offset = int.from_bytes(half.to_bytes(width, "little") * (2 * n), "little")
    digits = (pack(a) * pack(b) + offset).to_bytes(2 * n * width + 1, "little")
    plain = [
        int.from_bytes(digits[k * width : (k + 1) * width], "little") - half for k in range(2 * n)
    ]
    out = [plain[k] - plain[k + n] for k in range(n)]
    return out if q is None else [c % q for c in out]
