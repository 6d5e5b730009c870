# SPDX-License-Identifier: Apache-2.0
"""Compositions of odd polynomials that are near the sign on [-1, -eps] and [eps, 1].

     1 |      ________        p_1 lifts [eps, 1] to [1 - tau, 1 + tau], divided by 1 + tau; p_2 is
       |    /                 the best for what that leaves, and so on. A level less of a range of
       |   /                  2^-k costs about k / 2 levels, where one polynomial would need a
    ---+--/---- eps           degree of 2^k.

"minimax": every p_i is the best odd polynomial for the interval that p_(i-1) leaves [LLNK22]: no
other polynomials of these degrees do better. Degrees up to 31 are tried. "fg": compositions of the
fixed polynomials f_n and g_n [CKK20], whose coefficients are exact.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import Literal

import numpy as np
from numpy.polynomial.chebyshev import poly2cheb

from ...circuits import polynomial_plan
from ...errors import ParameterError
from .polynomial import Polynomial
from .remez import Real, exchange

Method = Literal["minimax", "fg"]

#: Values between stages may leave their interval by this much, by noise.
_MARGIN = 2.0**-16
_MOST_DEPTH = 40
_MOST_DEGREE = 31
#: g_n of [CKK20]: coefficients of x, x^3, ..., in units of 2^-10.
_G = (
    (2126, -1359),
    (3334, -6108, 3796),
    (4589, -16577, 25614, -12860),
    (5850, -34974, 97015, -113492, 46623),
)


def _ones(t: Real) -> Real:
    return np.ones_like(t)


@cache
def _degrees() -> tuple[tuple[int, int, int], ...]:
    """Odd degrees with depth and products, without those for which a higher one costs no more."""
    rows: list[tuple[int, int, int]] = []
    for degree in range(_MOST_DEGREE, 1, -2):
        plan = polynomial_plan(degree, "odd")
        if all(plan.depth < depth or plan.products < products for _, depth, products in rows):
            rows.append((degree, plan.depth, plan.products))
    return tuple(rows)


@lru_cache(maxsize=1 << 14)
def _best(degree: int, ratio: float) -> tuple[tuple[float, ...], float]:
    """Odd coefficients and error of the best approximation to 1 on [ratio, 1]."""
    found, error = exchange(_ones, _ones, ((ratio, 1.0),), range(1, degree + 1, 2))
    return tuple(float(v) for v in found), error


def _left(error: float) -> float:
    """The ratio of the ends of what a polynomial of an error leaves."""
    return (1 - error - min(_MARGIN, (1 - error) / 32)) / (1 + error + _MARGIN)


@lru_cache(maxsize=256)
def _minimax_degrees(eps: float, bits: float) -> tuple[int, ...]:
    """Degrees of the least depth, of these with the fewest products: dynamic programming [LLNK22].

    A smaller error of a stage gives a smaller error of all that follow, so that of the ways to a
    depth only those matter that no other beats in products and error.
    """
    wanted = 2.0**-bits
    ways: list[list[tuple[int, float, tuple[int, ...]]]] = [[(0, 0.0, ())]]
    for depth in range(1, _MOST_DEPTH + 1):
        there: list[tuple[int, float, tuple[int, ...]]] = []
        for degree, levels, products in _degrees():
            for before, error, degrees in ways[depth - levels] if levels <= depth else ():
                ratio = _left(error) if degrees else eps
                there.append((before + products, _best(degree, ratio)[1], (*degrees, degree)))
        done = [way for way in there if way[1] <= wanted]
        if done:
            return min(done)[2]
        kept: list[tuple[int, float, tuple[int, ...]]] = []
        for way in sorted(there):
            if not kept or way[1] < kept[-1][1]:
                kept.append(way)
        ways.append(kept)
    raise ParameterError(
        f"eps = {eps:.3g} with bits = {bits:g} needs a depth above {_MOST_DEPTH}: take a larger eps"
    )


def _odd(values: tuple[float, ...], factor: float, low: float, name: str) -> Polynomial:
    """Odd coefficients, for arguments of at least ``low`` and at most 1, or the negative."""
    coefficients = np.zeros(2 * len(values))
    coefficients[1::2] = np.array(values) * factor
    domain = (-1.0, -low), (low, 1.0)
    return Polynomial(tuple(coefficients.tolist()), (-1.0, 1.0), domain=domain, name=name)


def _minimax(eps: float, bits: float) -> list[Polynomial]:
    stages: list[Polynomial] = []
    ratio = eps
    degrees = _minimax_degrees(eps, bits)
    for i, degree in enumerate(degrees):
        values, error = _best(degree, ratio)
        factor = 1.0 if i == len(degrees) - 1 else 1 / (1 + error + _MARGIN)
        stages.append(_odd(values, factor, ratio, f"sign, stage {i + 1}"))
        ratio = _left(error)
    return stages


def _f(n: int) -> tuple[float, ...]:
    """Powers x, x^3, ... of f_n, the integral of c (1 - x^2)^n with f_n(1) = 1."""
    powers = [(-1) ** k * math.comb(n, k) / (2 * k + 1) for k in range(n + 1)]
    return tuple(v / sum(powers) for v in powers)


def _fg(eps: float, bits: float) -> list[Polynomial]:
    """g_n until [eps, 1] is above 0.7, then f_n; the n of least depth, then of fewest products."""
    best: tuple[tuple[int, int], list[Polynomial]] | None = None
    for n in range(1, len(_G) + 1):
        values, stages = np.geomspace(eps, 1, 4097), []
        while float(np.max(np.abs(values - 1))) > 2.0**-bits:
            lifting = float(np.min(values)) < 0.7
            odd = [v / 1024 for v in _G[n - 1]] if lifting else _f(n)
            powers = np.zeros(2 * len(odd))
            powers[1::2] = odd
            name = f"sign, {'g' if lifting else 'f'}_{n}"
            low = (1 - 2.0**-8) * float(np.min(values))
            stages.append(_odd(tuple(poly2cheb(powers)[1::2]), 1.0, low, name))
            values = stages[-1].evaluate(values)
        cost = (sum(p.depth for p in stages), sum(p.plan.products for p in stages))
        if best is None or cost < best[0]:
            best = (cost, stages)
    assert best is not None
    return best[1]


@lru_cache(maxsize=256)
def sign_composite(eps: float, bits: float, method: Method) -> tuple[Polynomial, ...]:
    """Stages, the first first, whose composition is within 2^-bits of 1 on [eps, 1].

    Every stage takes [-1, 1] and gives [-1, 1], the last one [-1 - 2^-bits, 1 + 2^-bits].
    """
    return tuple(_minimax(eps, bits) if method == "minimax" else _fg(eps, bits))
