# SPDX-License-Identifier: Apache-2.0
"""traces.json: every step of the algorithms of the collection."""

from __future__ import annotations

from nttforge.spec.number_theory import GOLDILOCKS
from nttforge.spec.transform import ORDERS, RINGS, Order

from ..algorithms import ALGORITHMS, DIRECTIONS, trace
from ..number_theory import ntt_primes
from .rules import FNV_RULE, SPLITMIX_RULE, fnv1a, residues

#: n, primes, whether with every pair of orders
SMALL = ((1, (17,), False), (2, (17,), False), (8, (97,), True))
LARGE_N = (32, 1024)


def _cases(n: int, q: int, all_orders: bool) -> list[dict[str, object]]:
    orders: list[tuple[Order, Order]] = [("natural", "natural")]
    if all_orders:
        orders = [(i, o) for i in ORDERS for o in ORDERS]
    return [
        trace(residues(n, q, n), q, info.name, ring, *pair, direction=direction, radix=radix)
        for info in ALGORITHMS.values()
        for radix in info.radices
        for ring in RINGS
        for pair in orders
        for direction in DIRECTIONS
    ]


def _digest(whole: dict[str, object]) -> dict[str, object]:
    steps = whole["steps"]
    assert isinstance(steps, list)
    short = {k: v for k, v in whole.items() if k not in ("format", "version", "input", "steps")}
    digests = [
        {**{k: v for k, v in s.items() if k != "values"}, "fnv1a": fnv1a(s["values"])}
        for s in steps
    ]
    return {**short, "steps": digests}


def trace_vectors() -> dict[str, object]:
    """Content of traces.json."""
    primes = [ntt_primes(LARGE_N[-1], bits, 1)[0] for bits in (32, 62)] + [GOLDILOCKS]
    large = [
        _digest(whole)
        for n in LARGE_N
        for q in (primes if n == LARGE_N[0] else primes[:1])
        for whole in _cases(n, q, False)
    ]
    return {
        "description": "values after each step of each algorithm, in the form of docs/format.md. "
        "small: written out. large: input a[i] = splitmix64(i + n) mod q, a digest of each step.",
        "rules": [SPLITMIX_RULE, FNV_RULE],
        "small": [t for n, qs, every in SMALL for q in qs for t in _cases(n, q, every)],
        "large": large,
    }
