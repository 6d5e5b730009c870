# SPDX-License-Identifier: Apache-2.0
"""Exponential, logarithm, sigmoid, tanh, GELU, sine, cosine and softmax, on stated intervals.

Errors are absolute and at most 2^-bits unless the function says otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _arguments as arguments
from ...errors import ParameterError
from .approximation import Weight, approximate, intervals
from .function import Function, cheapest, counted
from .reciprocals import inverse

Interval = tuple[float, float]
_MOST_DOUBLINGS = 6
_MOST_CLASSES = 4096


def _wanted(bits: float) -> float:
    return float(2.0 ** -arguments.number("bits", bits, 1, 40, "bits"))


def _size(bound: float) -> float:
    return arguments.number("bound", bound, 2.0**-10, 2.0**10, "for the size of arguments")


def _smooth(
    name: str, formula: str, value: Callable[[Any], Any], interval: Interval, bits: float,
    weight: Weight = "absolute",
) -> Function:  # fmt: skip
    p = approximate(value, interval, error=_wanted(bits), weight=weight, name=name)
    kind = p.error_kind
    return Function(name, formula, (p.domain,), p.error, kind, p, f"degree {p.degree}")


def exp(interval: Interval = (-1, 1), bits: float = 16, weight: Weight = "absolute") -> Function:
    """exp(x), with an "absolute" or "relative" error.

    Examples
    --------
    >>> print(exp().describe())
    exp, exp(x) on [-1, 1]: absolute error 3.2e-06, depth 3, 4 products (degree 6)
    """
    return _smooth("exp", "exp(x)", np.exp, interval, bits, weight)


def log(interval: Interval = (0.1, 1), bits: float = 12) -> Function:
    """The natural logarithm on [low, high], 0 < low."""
    if intervals("interval", interval)[0][0] <= 0:
        raise ParameterError(f"interval = {interval!r}: need 0 < low; log(0) is not finite")
    return _smooth("log", "log(x)", np.log, interval, bits)


def sigmoid(interval: Interval = (-8, 8), bits: float = 10) -> Function:
    """1 / (1 + exp(-x)); cheaper on (-a, a), where it is odd but for a constant."""
    return _smooth(
        "sigmoid", "1 / (1 + exp(-x))", lambda x: 0.5 + 0.5 * np.tanh(x / 2), interval, bits
    )


def tanh(interval: Interval = (-4, 4), bits: float = 10) -> Function:
    """The hyperbolic tangent; cheaper on (-a, a), where it is odd."""
    return _smooth("tanh", "tanh(x)", np.tanh, interval, bits)


def gelu(bound: float = 4, bits: float = 10) -> Function:
    """x Phi(x) on [-bound, bound], Phi the normal distribution [HG16].

    x Phi(x) - x / 2 is even, so that half of the coefficients are 0.
    """
    bound = _size(bound)
    erf = np.vectorize(math.erf, otypes=[float])
    even = approximate(
        lambda x: x / 2 * erf(x / math.sqrt(2)), (-bound, bound), error=_wanted(bits), name="gelu"
    )
    return Function(
        "gelu", "x Phi(x)", (even.domain,), even.error, "absolute",
        lambda x: x * 0.5 + even(x), f"degree {even.degree}",
    )  # fmt: skip


def _periodic(name: str, turn: float, bound: float, bits: float, doublings: int | None) -> Function:
    """cos(x - turn): a polynomial for the 2^k-th part of the angle, then 2 c^2 - 1 k times."""
    bound, wanted = _size(bound), _wanted(bits)
    grid = np.linspace(-bound, bound, 1 << 15)

    def candidate(k: int) -> Function | None:
        try:
            p = approximate(
                lambda x: np.cos((x - turn) / 2**k), (-bound, bound), error=wanted / 4**k, name=name
            )
        except ParameterError:
            return None  # beyond float64, or of a degree that more doublings spare

        def circuit(x: Any) -> Any:
            y = p(x)
            for _ in range(k):
                square = y * y
                y = square + square - 1
            return y

        error = float(np.max(np.abs(circuit(grid) - np.cos(grid - turn))))
        parts = f"degree {p.degree}" + (f", {counted(k, 'double angle')}" if k else "")
        return Function(name, f"{name}(x)", (p.domain,), error, "absolute", circuit, parts)

    most = _MOST_DOUBLINGS
    tries = range(most + 1) if doublings is None else [
        arguments.integer("doublings", doublings, 0, most)
    ]  # fmt: skip
    asked = f"bound = {bound:g} with bits = {bits:g}, doublings = {doublings}"
    return cheapest(wanted, map(candidate, tries), asked)


def sin(bound: float = math.pi, bits: float = 16, doublings: int | None = 0) -> Function:
    """sin(x) on [-bound, bound].

    ``doublings`` of an angle [HK20] spare products where the bound is large, and make noise up to
    4 times larger each; None takes what has the least depth, and then the fewest products.
    """
    return _periodic("sin", math.pi / 2, bound, bits, doublings)


def cos(bound: float = math.pi, bits: float = 16, doublings: int | None = 0) -> Function:
    """cos(x) on [-bound, bound], as :func:`sin`."""
    return _periodic("cos", 0.0, bound, bits, doublings)


def softmax(classes: int, interval: Interval = (-2, 2), bits: float = 10) -> Function:
    """exp(x_i) / sum of exp(x_j) for every i, each x_i a ciphertext with values in an interval.

    The result is a tuple. The sum is inverted on an interval whose ends have the ratio
    exp(high - low): a length of 8 costs 4 levels more than one of 4, and one of 16 costs 12 more.

    Parameters
    ----------
    classes : int
        2 ... 4096 arguments.
    interval : (float, float)
        Of every argument.
    bits : float
        The absolute error of each result is at most 2^-bits, 1 ... 30.
    """
    classes = arguments.integer("classes", classes, 2, _MOST_CLASSES)
    bits = arguments.number("bits", bits, 1, 30, "bits")
    (low, high), *others = intervals("interval", interval)
    if others:
        raise ParameterError(f"interval = {interval!r}: need one interval")
    power = approximate(
        lambda x: np.exp(x - high),
        (low, high),
        error=2.0 ** -(bits + 2),
        weight="relative",
        name="exp",
    )
    # The mean of the exponentials is in [bottom, top]. All are divided by half of its length, which
    # the quotient does not see, so that moving this interval to [-1, 1] costs no level.
    bottom, top = math.exp(low - high) * (1 - power.error), 1 + power.error
    power = power.scaled(2 / (classes * (top - bottom)))
    short = math.floor(2.0**41 * bottom / (top - bottom)) / 2.0**40  # 2 + short - short is 2
    over = inverse((short, short + 2), bits=bits + 1)

    def circuit(*xs: Any) -> tuple[Any, ...]:
        powers = [power(x) for x in xs]
        total = powers[0]
        for value in powers[1:]:
            total = total + value
        factor = over.circuit(total)
        return tuple(value * factor for value in powers)

    return Function(
        "softmax", f"exp(x_i) / sum of {classes} exp(x_j)", (((low, high),),) * classes,
        2 * power.error + over.error, "absolute", circuit,
        f"exp of degree {power.degree}, inverse of {over.parts}",
    )  # fmt: skip
