# SPDX-License-Identifier: Apache-2.0
"""Inverse, division and roots, with errors relative to the value.

The best polynomial of degree d for 1/x on [low, high], 0 < low, is known: with t(x) the move to
[-1, 1],

    p(x) = (1 - T_(d+1)(t(x)) / T_(d+1)(t(0))) / x,      error 1 / |T_(d+1)(t(0))|  [MH03],

about 2 exp(-2 (d + 1) sqrt(low / high)). Doubling d costs a level. So does a step of Goldschmidt's
[Gol64], which squares the error 1 - x p(x) with two products:

    y_0 = p(x),  r_0 = 1 - x y_0;      y_(k+1) = y_k (1 + r_k),  r_(k+1) = r_k^2.

For 1 / sqrt(x) a step of Newton's, y (3 - x y^2) / 2, turns an error e into about 3 e^2 / 2, for
two levels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ... import _arguments as arguments
from ...errors import ParameterError
from .approximation import approximate, interpolated, intervals
from .function import Function, cheapest, counted
from .polynomial import Pieces, Polynomial, trimmed
from .remez import chebyshev_grid

InverseMethod = Literal["goldschmidt", "polynomial"]

_MOST_DEGREE, _MOST_START = 1023, 31  # of a polynomial alone, and before steps
_MOST_STEPS = 16


def _positive(interval: tuple[float, float]) -> tuple[float, float, Any]:
    """The ends of the interval, and a dense grid of it."""
    pieces = intervals("interval", interval)
    low, high = pieces[0]
    if len(pieces) != 1 or low <= 0:
        raise ParameterError(
            f"interval = {interval!r}: need 0 < low < high; of negative numbers take the negative, "
            "of both signs inverse(..., both_signs=True)"
        )
    grid = np.concatenate([chebyshev_grid(pieces, 1 << 14), np.geomspace(low, high, 1 << 14)])
    return low, high, np.clip(grid, low, high)


def _wanted(bits: float) -> float:
    return float(2.0 ** -arguments.number("bits", bits, 1, 40, "bits"))


def _best_inverse(
    low: float, high: float, error: float, both: bool, most: int
) -> Polynomial | None:
    """The best inverse of the least degree that keeps an error, unless that is above ``most``.

    For both signs it is x q(x^2), q the best for 1/y on y = x^2.
    """
    ends = (low * low, high * high) if both else (low, high)
    length = ends[1] - ends[0]
    zero = (ends[0] + ends[1]) / length  # |t(0)|
    order = int(np.ceil(np.arccosh(max((1 + 2.0**-20) / error, 1.0)) / np.arccosh(zero)))
    order = max(order, 1 if both else 2)  # of T_(d+1); a constant is no polynomial of x
    degree = 2 * order - 1 if both else order - 1
    if degree > most:
        return None
    reached = 1 / float(np.cosh(order * np.arccosh(zero)))
    middle, half = (0.0, high) if both else ((low + high) / 2, (high - low) / 2)

    def value(t: Any) -> Any:
        x = middle + half * t
        y = x * x if both else x
        last = np.polynomial.chebyshev.chebval(2 * y / length - zero, [0] * order + [1])
        return (1 - (-1) ** order * reached * last) / np.where(x == 0, 1, x)  # p(0) = 0 if both

    found = interpolated(value, degree)
    if both:
        found[::2] = 0
    kept = trimmed(found, float(np.abs(found).max()))
    ends = (middle - half, middle + half)
    return Polynomial(kept, ends, reached, "relative", ((low, high),), "inverse")


def _goldschmidt(start: Polynomial, steps: int, x: Any, y: Any = None) -> Any:
    """1 / x, or y / x: the numerator joins before the steps, where it costs no level."""
    first = start(x)
    found = first if y is None else y * first
    rest: Any = -(x * first) + 1 if steps else None
    for k in range(steps):
        found = found + found * rest
        rest = rest * rest if k + 1 < steps else None
    return found


def _quotient(
    interval: tuple[float, float], bits: float, method: InverseMethod, both: bool,
    made: Callable[[Polynomial, int, float, Pieces, str], Function],
) -> Function:  # fmt: skip
    """The cheapest of what ``made`` makes of a start, steps, their error and domain, and a text."""
    low, high, grid = _positive(interval)
    wanted = _wanted(bits)
    arguments.choice("method", method, ("goldschmidt", "polynomial"))
    domain = ((-high, -low), (low, high)) if both else ((low, high),)

    def candidate(steps: int) -> Function | None:
        most = _MOST_START if steps else _MOST_DEGREE
        start = _best_inverse(low, high, wanted ** (1 / 2**steps), both, most)
        if start is None:
            return None
        error = float(np.max(np.abs(grid * _goldschmidt(start, steps, grid) - 1)))
        said = f", {counted(steps, 'step')} of Goldschmidt" if steps else ""
        return made(start, steps, error, domain, f"degree {start.degree}{said}")

    tries = range(1, _MOST_STEPS + 1) if method == "goldschmidt" else [0]
    asked = f"interval = ({low:g}, {high:g}) with bits = {bits:g} by {method}"
    return cheapest(wanted, map(candidate, tries), asked)


def inverse(
    interval: tuple[float, float] = (0.1, 1), bits: float = 16,
    method: InverseMethod = "goldschmidt", both_signs: bool = False,
) -> Function:  # fmt: skip
    """1 / x on [low, high], 0 < low; with ``both_signs`` on [-high, -low] as well.

    Parameters
    ----------
    interval : (float, float)
        Where. The depth grows as half of log2(high / low), for both signs as the whole.
    bits : float
        The relative error is at most 2^-bits, 1 ... 40.
    method : {"goldschmidt", "polynomial"}
        A polynomial of a low degree with as many steps of Goldschmidt's as give the least depth, or
        one polynomial. The latter needs a level less where high / low is large; the steps correct
        what noise does to the first polynomial, which for both signs is most of it.

    Examples
    --------
    >>> print(inverse((0.1, 1), bits=16).describe())
    inverse, 1 / x on [0.1, 1]: relative error 8.2e-06, depth 7, 7 products
    (degree 9, 1 step of Goldschmidt)
    """
    return _quotient(
        interval, bits, method, both_signs,
        lambda start, steps, error, domain, parts: Function(
            "inverse", "1 / x", (domain,), error, "relative",
            lambda x: _goldschmidt(start, steps, x), parts,
        ),
    )  # fmt: skip


def divide(
    interval: tuple[float, float] = (0.1, 1), bits: float = 16, bound: float = 1,
    method: InverseMethod = "goldschmidt", both_signs: bool = False,
) -> Function:  # fmt: skip
    """x / y for y as in :func:`inverse` and x in [-bound, bound]; the error is relative."""
    bound = arguments.number("bound", bound, 2.0**-40, 2.0**40, "for the size of numerators")
    return _quotient(
        interval, bits, method, both_signs,
        lambda start, steps, error, domain, parts: Function(
            "divide", "x / y", (((-bound, bound),), domain), error, "relative",
            lambda x, y: _goldschmidt(start, steps, y, x), parts,
        ),
    )  # fmt: skip


def _root(
    interval: tuple[float, float], bits: float, steps: int | None, inverted: bool
) -> Function:
    """A root by a polynomial, or by one for 1 / sqrt(x), Newton's steps and a product with x."""
    low, high, grid = _positive(interval)
    wanted = _wanted(bits)
    name, formula = ("inverse_sqrt", "1 / sqrt(x)") if inverted else ("sqrt", "sqrt(x)")
    exact = grid**-0.5 if inverted else grid**0.5

    def candidate(count: int) -> Function | None:
        error = wanted
        for _ in range(count):  # a step makes 3/2 e^2 + e^3 / 2 of e
            error = min(float(np.sqrt(error / 1.75)), 0.5)
        power = -0.5 if inverted or count else 0.5
        error *= 1 - 2.0**-10
        try:
            start = approximate(
                lambda x: x**power, (low, high), error=error, weight="relative", name=name
            )
        except ParameterError:
            return None  # with more steps the degree is lower

        def circuit(x: Any) -> Any:
            y = start(x)
            half = x * 0.5 if count else x
            for _ in range(count):
                y = y * 1.5 - (half * y) * (y * y)
            return x * y if count and not inverted else y

        reached = float(np.max(np.abs(circuit(grid) / exact - 1)))
        said = f", {counted(count, 'step')} of Newton" if count else ""
        parts, domain = f"degree {start.degree}{said}", (((low, high),),)
        return Function(name, formula, domain, reached, "relative", circuit, parts)

    tries = range(5) if steps is None else [arguments.integer("steps", steps, 0, 8)]
    asked = f"interval = ({low:g}, {high:g}) with bits = {bits:g}, steps = {steps}"
    return cheapest(wanted, map(candidate, tries), asked)


def inverse_sqrt(
    interval: tuple[float, float] = (0.1, 1), bits: float = 16, steps: int | None = None
) -> Function:
    """1 / sqrt(x) on [low, high], 0 < low, with a relative error of at most 2^-bits.

    ``steps`` of Newton's follow a polynomial; None takes what has the least depth, and then the
    fewest products.
    """
    return _root(interval, bits, steps, inverted=True)


def sqrt(
    interval: tuple[float, float] = (0.1, 1), bits: float = 16, steps: int | None = None
) -> Function:
    """The square root on [low, high], 0 < low, as :func:`inverse_sqrt`; with steps times x."""
    return _root(interval, bits, steps, inverted=False)
