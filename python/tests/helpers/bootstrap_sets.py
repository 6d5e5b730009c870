# SPDX-License-Identifier: Apache-2.0
"""Small insecure chains that fit a bootstrap of any split of its layers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from nttforge import ckks, ntt_primes


def _distinct(n: int, sizes: list[int]) -> list[int]:
    found: list[int] = []
    for bits in sizes:
        more = ntt_primes(n, bits, len(sizes) + 1)
        found.append(next(q for q in more if q not in found))
    return found


def bootstrap_set(
    n: int, to_slots: int, to_coefficients: int, first: bool = False, low: int = 1
) -> ckks.Parameters:
    """A level each for so many matrices, eight for the sine, ``low`` at a scale of 2^45."""
    if first:
        sizes = [60, *[45] * (low + to_coefficients), 55]
    else:
        sizes = [60, *[45] * low, *[50] * to_coefficients]
    results = len(sizes)  # the level of results, or that of the sine's
    sizes += [60] * (8 + to_slots)
    q = _distinct(n, sizes + [61] * 6)
    q, special = q[: len(sizes)], q[len(sizes) :]
    scales = [0.0] * results
    scale = 2.0**45
    for level, prime in enumerate(q[1:], 2):
        scale = math.sqrt((2.0**60 if level == results + 1 else scale) * prime)
        if first and level == results:
            scales[-1] = scale
    if not first:
        for i in range(to_coefficients):
            scales[low + i] = 2.0 ** (45 + 5 * i / to_coefficients)
    return ckks.Parameters.custom(n, scale, q, special, "insecure_by_request", scales=scales)


def even_split(layers: int, matrices: int) -> list[int]:
    """Layers of each matrix, as even as possible, the larger ones first."""
    return [layers // matrices + (1 if i < layers % matrices else 0) for i in range(matrices)]


def splits(layers: int) -> Iterator[list[int]]:
    """Every way to cut layers into matrices."""
    if layers == 0:
        yield []
    for first in range(1, layers + 1):
        for rest in splits(layers - first):
            yield [first, *rest]
