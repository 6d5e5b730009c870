# SPDX-License-Identifier: Apache-2.0
"""What a graph needs of a set of parameters: levels, and room for its numbers and its noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from nttforge import ParameterError, UnsupportedError, bfv, bgv, ckks
from nttforge.circuits import Evaluation
from nttforge.ckks.growth import Growth

from .execution import execute
from .graph import Graph, Operation

__all__ = [
    "Demand",
    "integer_parameters",
    "levels_taken",
    "output_size",
    "real_parameters",
    "smallest_set",
]

#: Doublings of values that a level more makes up for: each costs two bits of noise at most in the
#: product behind it, and a promised level has some 35 bits.
_DOUBLINGS = 16
#: Bits of scales that are tried, and that of sets for words of 32 bits.
_SCALES, _WORD_32 = (50, 45, 40), 40


@dataclass(frozen=True)
class Demand:
    """What a value of a graph needs.

    Parameters
    ----------
    levels : int
        Products one after the other since the input or the bootstrap.
    size : float
        log2 of what its numbers stay below; of integers, of how often values were added up.
    """

    levels: int
    size: float


class _Demands:
    """Carries out a graph on what its values need."""

    def __init__(self, integers: bool) -> None:
        self._integers = integers
        self.all: list[Demand] = []
        self.before_bootstraps: list[Demand] = []

    def made(self, levels: int, size: float) -> Demand:
        self.all.append(Demand(levels, size))
        return self.all[-1]

    def add(self, x: Demand, y: Demand) -> Demand:
        high, low = max(x.size, y.size), min(x.size, y.size)
        return self.made(max(x.levels, y.levels), high + math.log2(1 + 2.0 ** (low - high)))

    sub = add

    def negate(self, x: Demand) -> Demand:
        return x

    def multiply(self, x: Demand, y: Demand) -> Demand:
        size = max(x.size, y.size) if self._integers else x.size + y.size
        return self.made(max(x.levels, y.levels) + 1, size)

    def add_plain(self, x: Demand, value: Any, number: int) -> Demand:
        return x if self._integers else self.add(x, Demand(0, _size(value)))

    def multiply_plain(self, x: Demand, value: Any, number: int) -> Demand:
        free = isinstance(value, int)
        if self._integers and not free:
            return self.made(x.levels + 1, x.size)
        return self.made(x.levels + (not free), x.size + _size(value))

    def rotate(self, x: Demand, steps: list[int]) -> list[Demand]:
        return [x] * len(steps)

    def linear_transform(self, x: Demand, diagonals: Any, number: int) -> Demand:
        if self._integers:
            return self.made(x.levels + 1, x.size + math.log2(len(diagonals)))
        width = math.lcm(*(len(row) for row in diagonals.values()))
        sums = sum(np.resize(np.abs(row), width) for row in diagonals.values())
        return self.made(x.levels + 1, x.size + _size(sums))

    def polynomial(self, x: Demand, coefficients: Any, basis: Any) -> Demand:
        if self._integers:
            raise UnsupportedError("operation 'polynomial' is for real numbers: take CKKS")
        if basis == "chebyshev":
            size = math.log2(Growth(coefficients, [(-1, 1)]).size)
        else:
            terms = [math.log2(abs(c)) + k * x.size for k, c in enumerate(coefficients) if c]
            size = max(terms) + math.log2(len(terms))
        return self.made(x.levels + _depth(tuple(coefficients), basis), size)

    def within(self, x: Demand, value: Any, number: int) -> Demand:
        return self.made(x.levels, min(x.size, math.log2(value[0])))

    def bootstrap(self, x: Demand, number: int) -> Demand:
        self.before_bootstraps.append(x)
        return self.made(0, min(x.size, 0.0))  # compilers place them for numbers up to 1

    def in_two_parts(self, x: Demand) -> Demand:
        return x


@cache
def _depth(coefficients: tuple[float, ...], basis: Any) -> int:
    """Levels of a polynomial."""
    plan = Evaluation(
        None, coefficients, basis=basis, constant_levels=1, product=lambda a, b: a
    ).plan
    return plan.depth


def levels_taken(operation: Operation) -> int:
    """Levels of an operation on real numbers."""
    if operation.name == "polynomial":
        return _depth(*operation.value)
    if operation.name == "multiply_plain":
        return 0 if isinstance(operation.value, int) else 1
    return int(operation.name in ("multiply", "linear_transform"))


def _size(value: Any) -> float:
    return max(math.log2(float(np.max(np.abs(value))) or 2.0**-900), -900.0)


def _demands(graph: Graph, integers: bool, size: float) -> _Demands:
    found = _Demands(integers)
    execute(graph, found, [found.made(0, size) for _ in range(graph.inputs)])
    return found


def output_size(graph: Graph, bound: float) -> float:
    """log2 of what the results of a graph of real numbers stay below."""
    found = _Demands(False)
    inputs = [found.made(0, math.log2(bound)) for _ in range(graph.inputs)]
    results: list[Demand] = execute(graph, found, inputs)
    return max(result.size for result in results)


def integer_parameters(
    graph: Graph, scheme: Any, t: int, security: Any, word_bits: Any
) -> bfv.Parameters | bgv.Parameters:
    """The preset of the smallest n whose promised depth suffices."""
    found, why = _demands(graph, True, 0.0), ""
    depth = max(d.levels + math.ceil(max(0.0, d.size - d.levels) / _DOUBLINGS) for d in found.all)
    for n in (2**k for k in range(12, 16)):
        try:
            p = scheme.Parameters.preset(n, t, security, word_bits=word_bits)
        except (ParameterError, UnsupportedError) as error:
            why = str(error)
            continue
        if n // 2 >= graph.slots and p.has_batching and p.has_evaluation_keys:
            if p.promised_depth >= depth:
                made: bfv.Parameters | bgv.Parameters = p
                return made
            why = f"n = {n} has a depth of {p.promised_depth}"
        else:
            why = f"n = {n} has no {graph.slots} slots in a row modulo t = {t}"
    raise ParameterError(
        f"no recommended set has a depth of {depth} with {graph.slots} slots modulo t = {t}: {why}"
    )


def real_parameters(
    graph: Graph, bound: float, scale_bits: int | None, security: Any, word_bits: int
) -> ckks.Parameters:
    """The preset of the smallest n with the levels that products and numbers need.

    Of that n the largest scale, unless one is stated: the numbers of primes, and so the times, are
    about the same.
    """
    found = _demands(graph, False, math.log2(bound))
    return smallest_set(found.all, graph.slots, scale_bits, security, word_bits)


def smallest_set(
    demands: Sequence[Demand], slots: int, scale_bits: int | None, security: Any, word_bits: int
) -> ckks.Parameters:
    """As :func:`real_parameters`, of demands that are known."""
    for n in (2**k for k in range(13, 18)):
        if n // 2 < slots:
            continue
        p = _preset(n, scale_bits or _WORD_32, security, 32, 0) if word_bits == 32 else None
        if p is not None and p.depth >= _levels(demands, p):
            return p
        for bits in (scale_bits,) if scale_bits else _SCALES:
            if (p := _fitting(n, bits, security, demands)) is not None:
                return p
    deepest = max(demands, key=lambda d: d.levels)
    raise ParameterError(
        f"no recommended set has {slots} slots, {deepest.levels} levels and room for numbers "
        f"up to 2^{max(d.size for d in demands):.0f}: state a smaller bound or scale_bits"
    )


def _fitting(n: int, bits: int, security: Any, demands: Sequence[Demand]) -> ckks.Parameters | None:
    """The preset with as many levels as are needed, if there is one."""
    p = _preset(n, bits, security, 64, 0)
    for _ in range(2):  # the lowest primes may depend on how many there are
        if p is None or p.depth < (needed := max(1, _levels(demands, p))):
            return None
        p = _preset(n, bits, security, 64, needed)
        if p is not None and p.depth >= _levels(demands, p):
            return p
    return None


def _preset(
    n: int, scale_bits: int, security: Any, word_bits: Any, levels: int
) -> ckks.Parameters | None:
    try:
        return ckks.Parameters.preset(n, scale_bits, security, word_bits=word_bits, levels=levels)
    except (ParameterError, UnsupportedError):
        return None


def _levels(demands: Sequence[Demand], p: ckks.Parameters) -> int:
    """The depth, and more where numbers need room above the scale at its end."""
    first, last = p.levels[0]
    scale = math.log2(p.scale)
    room = math.fsum(math.log2(q) for q in p.q[first:last]) - scale - 2.2
    return max(d.levels + max(0, math.ceil((d.size - room) / scale)) for d in demands)


def bootstrap_levels(graph: Graph, bound: float, machine: ckks.Bootstrapper) -> None:
    """That a graph which bootstraps does so before its levels have gone."""
    found = _demands(graph, False, math.log2(bound))
    p = machine.context.parameters
    start, least = machine.level, machine.input_level
    worst = _levels(found.all, p)
    before = max((d.levels for d in found.before_bootstraps), default=0)
    if worst > start - 1 or before > start - least:
        raise ParameterError(
            f"the program takes {worst} levels between bootstraps, {before} of them before one: "
            f"this set has {start - 1}, and bootstraps while {least - 1} are left; have the "
            "compiler place more of them"
        )
