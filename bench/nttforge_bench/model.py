# SPDX-License-Identifier: Apache-2.0
"""Lower bounds of a transform's time from what the core was measured to do.

A butterfly is a list of vector operations. The core has a rate for each (instructions per cycle,
measured by ``ceilings_bench``). A transform cannot be faster than its busiest resource:

* issue: all operations at the rate of the cheapest one (vpaddq), an operation that the core splits
  into k (vpmullq, vpmulld, roundings on some) counted k times, by the rate of a whole one over its
  own;
* multipliers: each multiplication at its own measured rate, one after another on the same ports;
* shuffles, shifts, additions of doubles and roundings: each kind at its own rate.

The bound is the largest of these, for n/2 log2 n butterflies (the operation bound) and with the
tail added: the shuffles of the last log2(lanes) stages and the final reduction into [0, q). The
clock is that seen right after the transform: heavy instructions may lower it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from .documents import Row, select


@dataclass(frozen=True)
class Butterfly:
    """Operations of one butterfly over a vector, and of the tail for each vector of the result."""

    bits: int
    targets: tuple[str, ...]
    vector_bits: int
    word_bits: int
    operations: dict[str, int]
    tail: dict[str, int]

    @property
    def lanes(self) -> int:
        return self.vector_bits // self.word_bits

    @property
    def count(self) -> int:
        return sum(self.operations.values())


# Tail: a shuffle a vector brings the partners of each of the last log2(lanes) stages together, one
# more restores the order; [0, 4q) -> [0, q) takes two subtractions and two minima.
BUTTERFLIES = (
    # Two high or low products and one accumulated low product of 52 bits, mask; lazy sum,
    # difference.
    Butterfly(
        50, ("avx512_ifma",), 512, 64, {"vpmadd52luq": 3, "plain": 6}, {"shuffle": 4, "plain": 4}
    ),
    # Doubles: two products, two fused, the quotient rounded, a sum; sum and difference.
    Butterfly(
        50,
        ("avx512",),
        512,
        64,
        {"vfmadd231pd": 4, "vrndscalepd": 1, "vaddpd": 3},
        {"shuffle": 4, "vaddpd": 4},
    ),
    Butterfly(
        50,
        ("avx2",),
        256,
        64,
        {"vfmadd231pd": 4, "vroundpd": 1, "vaddpd": 3},
        {"shuffle": 3, "vaddpd": 4},
    ),
    # High product from three 32-bit ones without carries, two low products; lazy sum, difference.
    Butterfly(
        60,
        ("avx512", "avx512_ifma"),
        512,
        64,
        {"vpmuludq": 3, "vpmullq": 2, "vpsrlq": 3, "plain": 8},
        {"shuffle": 4, "plain": 6},
    ),
    # High product of 32-bit words from even and odd halves, two low products; lazy sum, difference.
    Butterfly(
        30,
        ("avx512", "avx512_ifma"),
        512,
        32,
        {"vpmuludq": 2, "vpmulld": 2, "vpsrlq": 1, "plain": 8},
        {"shuffle": 5, "plain": 4},
    ),
    Butterfly(
        30,
        ("avx2",),
        256,
        32,
        {"vpmuludq": 2, "vpmulld": 2, "vpsrlq": 1, "plain": 8},
        {"shuffle": 4, "plain": 4},
    ),
)
#: Operations that some cores split, and one of the same ports that none does.
_WHOLE = {
    "vpmullq": "vpmuludq",
    "vpmulld": "vpmuludq",
    "vrndscalepd": "vaddpd",
    "vroundpd": "vaddpd",
}
# Our own kernels, where they need fewer operations than the above, by the recipe's kernel, class
# and direction. Steady state: the first stage may save some, which the bound gives away.
_OWN = {
    # Sums and differences are multiply-adds too: nttforge/ntt/kernels/ifma_butterfly.hpp.
    ("ifma52", "avx512_ifma", 50, "forward"): {"vpmadd52luq": 6},
    ("ifma52", "avx512_ifma", 50, "inverse"): {"vpmadd52luq": 7},
    # IfmaShoupProduct in RoomyButterfly: eight of the product, x reduced in every second stage.
    ("shoup64", "avx512_ifma", 60, "forward"): {
        "vpmuludq": 1,
        "vpmadd52luq": 2,
        "vpmullq": 2,
        "vpsrlq": 1,
        "plain": 6,
    },
    # The same product; x is reduced in every stage.
    ("shoup64", "avx512_ifma", 60, "inverse"): {
        "vpmuludq": 1,
        "vpmadd52luq": 2,
        "vpmullq": 2,
        "vpsrlq": 1,
        "plain": 7,
    },
}
_MULTIPLICATIONS = ("vpmadd52luq", "vpmuludq", "vpmullq", "vpmulld", "vfmadd231pd")


@dataclass(frozen=True)
class Bound:
    """Cycles of one transform: the operations alone, and with the tail; what limits; clock."""

    operations: float
    with_tail: float
    limit: str
    ghz: float  #: seen right after the multiplications of the class


def _key(name: str, vector_bits: int) -> tuple[str, int]:
    shuffle = "vpermt2q" if vector_bits == 512 else "vpunpcklqdq"
    return {"plain": "vpaddq", "shuffle": shuffle}.get(name, name), vector_bits


class Model:
    """Bounds from the ceilings' rows of a merged document."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rates: dict[tuple[str, int], Row] = {
            (row["name"], row["vector_bits"]): row for row in select(rows, kind="instruction")
        }

    def butterfly(self, bits: int, target: str) -> Butterfly | None:
        """The operations of a class of primes on a target; None if no bound is stated for it."""
        matching = (b for b in BUTTERFLIES if b.bits == bits and target in b.targets)
        return next(matching, None)

    def own_butterfly(self, row: Row) -> Butterfly | None:
        """The operations of the kernel that computed one of our rows; None if not stated."""
        recipe = row.get("recipe")
        stated = self.butterfly(row["bits"], recipe["target"] if recipe else row["target"])
        if recipe is None or stated is None:
            return stated
        key = (recipe["arithmetic"][0], recipe["target"], row["bits"], row["direction"])
        return replace(stated, operations=_OWN[key]) if key in _OWN else stated

    def bound(self, bits: int, target: str, n: int) -> Bound | None:
        """Lower bound of one transform of n words; None without a butterfly or without measured
        rates."""
        return self.bound_of(self.butterfly(bits, target), n)

    def bound_of(self, butterfly: Butterfly | None, n: int) -> Bound | None:
        """The same for these operations."""
        if butterfly is None or not self._measured(butterfly):
            return None
        vectors = n / butterfly.lanes
        butterflies = vectors / 2 * math.log2(n)
        heavy = max(butterfly.operations, key=lambda name: name in _MULTIPLICATIONS)
        ghz = float(self._rates[heavy, butterfly.vector_bits]["ghz"])
        alone, limit = self._cycles(butterfly, 1.0, 0.0)
        per_pass, _ = self._cycles(butterfly, butterflies, vectors)
        return Bound(alone * butterflies, per_pass, limit, ghz)

    def _measured(self, butterfly: Butterfly) -> bool:
        names = {"plain", *butterfly.operations, *butterfly.tail}
        names |= {_WHOLE[name] for name in names if name in _WHOLE}
        return all(_key(name, butterfly.vector_bits) in self._rates for name in names)

    def _rate(self, name: str, vector_bits: int) -> float:
        return float(self._rates[_key(name, vector_bits)]["per_cycle"])

    def _cycles(
        self, butterfly: Butterfly, butterflies: float, vectors: float
    ) -> tuple[float, str]:
        bits = butterfly.vector_bits
        counts: dict[str, float] = {}
        for part, times in ((butterfly.operations, butterflies), (butterfly.tail, vectors)):
            for name, count in part.items():
                counts[name] = counts.get(name, 0.0) + count * times
        issue = sum((c * self._pieces(name, bits) for name, c in counts.items()), 0.0)
        used: dict[str, float] = {"issue": issue / self._rate("plain", bits)}
        for name, amount in counts.items():
            group = "multipliers" if name in _MULTIPLICATIONS else name
            if group != "plain":
                used[group] = used.get(group, 0.0) + amount / self._rate(name, bits)
        limit = max(used, key=lambda name: used[name])
        return used[limit], limit

    def _pieces(self, name: str, vector_bits: int) -> int:
        if name not in _WHOLE:
            return 1
        whole = self._rate(_WHOLE[name], vector_bits)
        return max(1, round(whole / self._rate(name, vector_bits)))


def annotate(document: dict[str, Any]) -> None:
    """Adds to transforms ``ns_per_butterfly``, and to ours ``cycles_per_butterfly``, and where
    there is a bound ``bound_ns``, ``bound_with_tail_ns`` and the ratios to both; ``own_bound_ns``,
    with tail, is that of the operations our kernel really has.

    Cycles are those of the clock right after the transform (``ghz`` of the row), but at least that
    after the class's multiplications: a disturbed measurement is never too high.
    """
    model = Model(document["results"])
    for row in select(document["results"], kind="transform"):
        butterflies = row["n"] / 2 * math.log2(row["n"])
        row["ns_per_butterfly"] = row["min_ns"] / butterflies
        if row["program"] != "nttforge" or "ghz" not in row:
            continue
        bound = model.bound(row["bits"], row["target"], row["n"])
        ghz = max(row["ghz"], bound.ghz) if bound else row["ghz"]
        row["cycles_per_butterfly"] = row["ns_per_butterfly"] * ghz
        if bound is not None:
            row["bound_ns"] = bound.operations / ghz
            row["bound_with_tail_ns"] = bound.with_tail / ghz
            row["bound_limit"] = bound.limit
            row["ratio_to_bound"] = row["min_ns"] / row["bound_ns"]
            row["ratio_to_bound_with_tail"] = row["min_ns"] / row["bound_with_tail_ns"]
        own = model.bound_of(model.own_butterfly(row), row["n"])
        if own is not None:
            row["own_bound_ns"] = own.with_tail / max(row["ghz"], own.ghz)
            row["ratio_to_own_bound"] = row["min_ns"] / row["own_bound_ns"]
