# SPDX-License-Identifier: Apache-2.0
"""Any function of a real number, as a polynomial on intervals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from ... import _arguments as arguments
from ...circuits import Parity
from ...errors import ArgumentTypeError, ParameterError
from .polynomial import ErrorKind, Pieces, Polynomial, trimmed
from .remez import ROUNDING, chebyshev_grid, exchange

Real = NDArray[np.float64]
Weight = Literal["absolute", "relative"] | Callable[[Any], Any]

_MOST_DEGREE = {"chebyshev": 1023, "minimax": 255}
_SYMMETRIC = 2.0**-46  # what f(x) and f(-x) may differ by, as part of the largest value
_CHECKED = 1 << 14  # points at which an error is measured
_WINDOW = 65  # more of them where it is the largest


def intervals(field: str, value: Any) -> Pieces:
    """One interval (low, high), or disjoint ones in increasing order."""
    try:
        pieces = np.array(value, dtype=np.float64).reshape(-1, 2)
    except (TypeError, ValueError):
        raise ArgumentTypeError(
            f"{field} = {value!r}: need (low, high), or a list of such pairs"
        ) from None
    if not len(pieces) or not np.isfinite(pieces).all() or (np.diff(pieces.ravel()) <= 0).any():
        raise ParameterError(
            f"{field} = {value!r}: need low < high, finite, of several intervals in increasing "
            "order and without a common point"
        )
    return tuple((float(low), float(high)) for low, high in pieces)


def interpolated(function: Callable[[Real], Real], degree: int) -> Real:
    """Coefficients of T_k of the interpolation of a function at Chebyshev's points of [-1, 1]."""
    angles = (np.arange(degree + 1) + 0.5) * np.pi / (degree + 1)
    values = function(np.cos(angles))
    found = np.cos(np.outer(np.arange(degree + 1), angles)) @ values * (2 / (degree + 1))
    found[0] /= 2
    return np.asarray(found)


class _Target:
    """The function on t in [-1, 1], with its weight, its parity and its constant."""

    def __init__(self, function: Callable[[Any], Any], pieces: Pieces, weight: Weight) -> None:
        self.pieces = pieces
        self.low, self.high = pieces[0][0], pieces[-1][1]
        self._function, self._weight = function, weight
        self.domain = tuple((self.to_t(low), self.to_t(high)) for low, high in pieces)
        self._changes_sign = weight == "relative" and any(
            np.ptp(np.sign(self(chebyshev_grid((piece,), _CHECKED)))) for piece in self.domain
        )
        self.grid = chebyshev_grid(self.domain, _CHECKED)
        self.values = self(self.grid)
        self.weights = self.weight(self.grid)
        self.scale = float(np.max(np.abs(self.values)))
        self.constant = 0.0
        self.parity = self._symmetry()

    def to_t(self, x: float) -> float:
        return (2 * x - self.low - self.high) / (self.high - self.low)

    def to_x(self, t: Real) -> Real:
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        return np.clip(middle + half * t, self.low, self.high)

    def __call__(self, t: Real) -> Real:
        x = self.to_x(t)
        try:
            with np.errstate(all="ignore"):
                values = np.asarray(self._function(x), dtype=np.float64)
        except (TypeError, ValueError):  # a function of numbers, not of arrays
            values = np.array([self._function(float(v)) for v in x], dtype=np.float64)
        values = np.broadcast_to(values, x.shape)
        if not np.isfinite(values).all():
            where = float(x[~np.isfinite(values)][0])
            raise ParameterError(
                f"function({where:g}) is not finite: need an interval in [{self.low:g}, "
                f"{self.high:g}] where the function has values"
            )
        return values

    def weight(self, t: Real) -> Real:
        """What errors are multiplied with."""
        if self._weight == "absolute":
            return np.ones_like(t)
        with np.errstate(all="ignore"):
            given = self._weight
            found = given(self.to_x(t)) if callable(given) else 1 / np.abs(self(t))
        weights = np.broadcast_to(np.asarray(found, dtype=np.float64), t.shape)
        if not (np.isfinite(weights).all() and (weights > 0).all()) or self._changes_sign:
            raise ParameterError(
                "weight is not positive and finite everywhere on the interval (for 'relative': "
                "the function has a zero there): take 'absolute', or intervals without that point"
            )
        return weights

    def _symmetry(self) -> Parity:
        """Whether function and weight are even, or odd but for a constant."""
        small = _SYMMETRIC * self.scale
        if any((-high, -low) not in self.domain for low, high in self.domain):
            return "any"
        if np.abs(self.weights - self.weights[::-1]).max() > _SYMMETRIC * self.weights.max():
            return "any"
        if np.abs(self.values - self.values[::-1]).max() <= small:
            return "even"
        sums = (self.values + self.values[::-1]) / 2
        self.constant = float(sums[0])
        return "odd" if np.abs(sums - self.constant).max() <= small else "any"

    def coefficients(self, degree: int, method: str, enough: float = 0.0) -> Real:
        """Coefficients of the approximation of a degree that has the right parity."""
        found, degrees, half = np.zeros(degree + 1), np.arange(degree + 1), self.domain
        if self.parity != "any":
            degrees = degrees[degrees % 2 == (self.parity == "odd")]
            half = tuple((max(low, 0.0), high) for low, high in half if high > 0)
        constant = self.constant if self.parity == "odd" else 0.0
        if method == "chebyshev":
            found[degrees] = interpolated(self, degree)[degrees]
        else:
            found[degrees], _ = exchange(
                lambda t: self(t) - constant, self.weight, half, degrees.tolist(), enough
            )
        found[0] += constant
        return found

    def error(self, coefficients: Real) -> float:
        """The largest weighted error on the grid, and near where it is."""
        errors = np.abs(chebyshev.chebval(self.grid, coefficients) - self.values) * self.weights
        at = int(np.argmax(errors))
        low, high = next(piece for piece in self.domain if self.grid[at] <= piece[1])
        ends = self.grid[[max(at - 1, 0), min(at + 1, len(self.grid) - 1)]].clip(low, high)
        near = np.linspace(ends[0], ends[1], _WINDOW)
        between = np.abs(chebyshev.chebval(near, coefficients) - self(near)) * self.weight(near)
        return float(max(errors[at], np.max(between)))


def approximate(
    function: Callable[[Any], Any],
    interval: Any,
    *,
    degree: int | None = None,
    error: float | None = None,
    method: Literal["minimax", "chebyshev"] = "minimax",
    weight: Weight = "absolute",
    name: str | None = None,
) -> Polynomial:
    """A polynomial near a function, of a degree, or of the least degree that keeps an error.

    Parameters
    ----------
    function : callable
        From float64 arrays, or numbers, to real numbers.
    interval : (float, float), or a list of disjoint ones in order
        Where; several only with "minimax", as for the sign on [-1, -1/64] and [1/64, 1].
    degree : int
        1 ... 255 ("chebyshev": 1023). This or ``error`` is given.
    error : float
        The largest weighted error that is allowed.
    method : {"minimax", "chebyshev"}
        The best polynomial by Remez' exchange, or interpolation at Chebyshev's points, whose error
        is a few times larger at most [Tre19].
    weight : {"absolute", "relative"} or callable
        "relative" divides errors by ``|f|``; a callable gives positive factors at x.
    name : str, optional
        For messages; by default the function's.

    Returns
    -------
    Polynomial
        With exact zeros where the function is even, or odd but for a constant.

    Raises
    ------
    ParameterError
        The function is not finite, or no polynomial within limits keeps the error.

    Examples
    --------
    >>> p = approximate(np.tanh, (-2, 2), error=1e-3)
    >>> p.degree, p.parity, p.depth, p.error < 1e-3
    (9, 'odd', 5, True)
    """
    most = _MOST_DEGREE[arguments.choice("method", method, _MOST_DEGREE)]
    if (degree is None) == (error is None):
        raise ParameterError("degree and error: give one of them")
    if not callable(weight):
        arguments.choice("weight", weight, ("absolute", "relative"))
    if not callable(function):
        raise ArgumentTypeError(f"function is a {type(function).__name__}: need a callable")
    pieces = intervals("interval", interval)
    if len(pieces) > 1 and method != "minimax":
        raise ParameterError("several intervals need method='minimax'")
    title = str(name or getattr(function, "__name__", "function"))
    target = _Target(function, pieces, weight)
    if degree is not None:
        found = target.coefficients(arguments.integer("degree", degree, 1, most), method)
    else:
        found = _of_error(target, arguments.number("error", error, 0, math.inf, ""), method, most)
    # A zero at rounding's size is one of the function; the error is of what is left.
    kept = trimmed(found, target.scale)
    kind: ErrorKind = "weighted" if callable(weight) else weight
    reached = target.error(np.array(kept))
    return Polynomial(kept, (target.low, target.high), reached, kind, pieces, title)


def _of_error(target: _Target, wanted: float, method: str, most: int) -> Real:
    """The approximation of the least degree that keeps an error; parity leaves every second degree.

    Interpolation is cheap, and its error at most 16 times the least up to degree 1023 [Tre19]: the
    degree is between those where it keeps 16 times the error, and the error.
    """
    floor = 2 * ROUNDING * target.scale * float(np.max(target.weights))
    if wanted < floor:
        raise ParameterError(
            f"error = {wanted:.3g} is not in [{floor:.3g}, inf): float64 resolves no less here"
        )
    step = 1 if target.parity == "any" else 2
    first = 2 if target.parity == "even" else 1
    known: dict[tuple[int, str], tuple[Real, float]] = {}

    def error(index: int, way: str) -> float:
        if (index, way) not in known:
            found = target.coefficients(first + index * step, way, wanted / 16)
            known[index, way] = found, target.error(found)
        return known[index, way][1]

    def least(way: str, allowed: float, low: int = 0, high: int = 0) -> int:
        limit = (_MOST_DEGREE[way] - first) // step
        while error(high, way) > allowed and high < limit:
            low, high = high + 1, min(2 * high + 1, limit)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if error(middle, way) <= allowed else (middle + 1, high)
        return high

    limit = (most - first) // step
    low = high = 0
    if len(target.pieces) == 1:
        high = least("chebyshev", wanted)
        low = least("chebyshev", 16 * wanted, 0, high) if method == "minimax" else high
    if low <= limit:
        low = high = least(method, wanted, low, low)
        while low and method == "minimax" and error(low - 1, method) <= wanted:
            low = high = low - 1  # of a weighted error
    if high > limit or error(high, method) > wanted:
        raise ParameterError(
            f"error = {wanted:.3g} is not reached by degree {most} on [{target.low:g}, "
            f"{target.high:g}]: take a shorter interval, a larger error, or a composite function "
            "as those for sign and inverse"
        )
    return known[high, method][0]
