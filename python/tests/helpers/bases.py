# SPDX-License-Identifier: Apache-2.0
"""RNS bases and integers that the tests of residue arithmetic share."""

import random
from math import prod

from nttforge_oracle.number_theory import ntt_primes

BASES = [
    (97,),
    (3, 5, 7),
    tuple(ntt_primes(64, 30, 3)),
    tuple(ntt_primes(1024, bits, 1)[0] for bits in (62, 30, 50, 61, 20)),
    tuple(ntt_primes(8192, 60, 9)),
]


def some(bound, count=40):
    """Both ends of [0, bound), its middle, and ``count`` integers between, always the same ones."""
    source = random.Random(bound)
    edges = [0, 1, bound - 1, bound // 2, bound // 2 + 1]
    return [*edges, *(source.randrange(bound) for _ in range(count))]


def some_of(base, count=40):
    """As :func:`some`, below the product of a base."""
    return some(prod(base), count)
