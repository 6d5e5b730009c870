# SPDX-License-Identifier: Apache-2.0
r"""Best approximations in the maximum norm: Remez' exchange of several points, in float64.

error
  |  *       *       *         The best p of n coefficients has n + 1 points where the weighted
  | / \     / \     / \        error has the same size and alternating signs. Solve for p and
--+----\---/---\---/---\--     that size at n + 1 points, take the extrema of its error as the
  |     \ /     \ /            next points, until none is larger [Rem34]. Several intervals are
  |      *       *             one set of points, in order [LLLKN21].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import ParameterError
from .polynomial import Pieces

Real = NDArray[np.float64]
Function = Callable[[Real], Real]

_POINTS = 32  # of the grid for each extremum: the error between them is 0.1 % larger at most
_ROUNDS = 60
_LEVELLED = 1e-2  # how much larger than the least error the largest may be, on the grid
_ACCEPTED, _NEAR_ROUNDING = 1.5, 64  # times the least error, and rounding: what is taken otherwise
_NOISE = 1 / 8  # of rounding: errors below have no sign
_REFINED, _WINDOW = 3, 9  # rounds between points of the grid, and points of each
#: Errors below this part of the function are rounding, and so is their sign.
ROUNDING = 2.0**-46


def chebyshev_grid(pieces: Pieces, count: int) -> Real:
    """Increasing points of the intervals, ends included, dense at the ends."""
    angles = (1 - np.cos(np.linspace(0, np.pi, max(2, count // len(pieces))))) / 2
    return np.concatenate([np.minimum(low + (high - low) * angles, high) for low, high in pieces])


def exchange(
    function: Function, weight: Function, pieces: Pieces, degrees: Sequence[int], enough: float = 0
) -> tuple[Real, float]:
    """Coefficients of T_k, k in ``degrees``, of the best approximation, and its weighted error.

    ``pieces`` are disjoint intervals in [-1, 1] in order, of numbers >= 0 if the degrees are all
    odd or all even. An approximation with an error below ``enough`` is returned before it is the
    best. Where noise or rounding hides the best, the error is at most 3/2 of the least, and 2^-40.

    Raises
    ------
    ParameterError
        No approximation was found whose error is as near to the least.
    """
    n = len(degrees)
    power = 2 if n > 1 and degrees[1] - degrees[0] == 2 else 1  # polynomials of t^2, or t times one
    inside = tuple((low**power, high**power) for low, high in pieces)
    grid = chebyshev_grid(inside, _POINTS * (n + 1) * len(pieces))
    first = len(grid) // (2 * n + 1) if degrees[0] == 1 and not grid[0] else 0  # all are 0 at 0
    at = first + _spread(grid[first:], n + 1, len(pieces))
    problem = _Problem(function, weight, np.array(degrees, float), grid ** (1 / power))
    floor = ROUNDING * float(np.max(np.abs(problem.on_grid[1])) * np.max(problem.on_grid[2]))
    best, least = (float("inf"), np.zeros(n)), 0.0
    for _ in range(_ROUNDS):
        coefficients, level = problem.solve(*(part[at] for part in problem.on_grid))
        error = problem.error(problem.on_grid, coefficients)
        largest = float(np.max(np.abs(error)))
        best = min(best, (largest, coefficients), key=lambda found: found[0])
        if best[0] <= max(floor, enough):
            return best[1], best[0]
        least = max(least, abs(level) - ROUNDING * largest)  # at these points, so anywhere [Tre19]
        if best[0] <= (1 + _LEVELLED) * least + floor:
            break
        found = _extrema(error, n + 1, _NOISE * floor)
        at = found if len(found) == n + 1 else _one_for_another(at, error, level)
    coefficients, reached, level = problem.refined([best[1]])
    if reached > _ACCEPTED * (max(least, level) + floor):  # noise spoils least squares less
        basis, wanted, weights = problem.on_grid
        fitted = np.linalg.lstsq(basis * weights[:, None], wanted * weights, rcond=None)[0]
        coefficients, reached, level = problem.refined([best[1], np.asarray(fitted, np.float64)])
    if reached <= _ACCEPTED * max(least, level) + _NEAR_ROUNDING * floor:
        return coefficients, reached
    raise ParameterError(
        f"degree = {max(degrees)}: the exchange for the best approximation reaches an error of "
        f"{reached:.2g} where {max(least, level):.2g} may do: float64 does not resolve steps or "
        "noise, or large values between intervals; take a lower degree, or method='chebyshev'"
    )


class _Problem:
    """What is approximated on a grid, by which T_k."""

    def __init__(self, function: Function, weight: Function, degrees: Real, grid: Real) -> None:
        self._function, self._weight, self._degrees = function, weight, degrees
        self._grid, self.on_grid = grid, self.rows(grid)

    def rows(self, t: Real) -> tuple[Real, Real, Real]:
        """The basis, the wanted values and the weights at points."""
        basis = np.cos(np.outer(np.arccos(np.clip(t, -1, 1)), self._degrees))
        return basis, self._function(t), self._weight(t)

    @staticmethod
    def error(rows: tuple[Real, Real, Real], coefficients: Real) -> Real:
        """The weighted error at points."""
        return np.asarray((rows[0] @ coefficients - rows[1]) * rows[2])

    @staticmethod
    def solve(basis: Real, wanted: Real, weights: Real) -> tuple[Real, float]:
        """Coefficients whose error alternates at n + 1 points, and minus the error at the first."""
        signs = np.where(np.arange(len(wanted)) % 2, -1.0, 1.0) / weights
        solved = np.linalg.solve(np.column_stack([basis, signs]), wanted)
        return np.asarray(solved[:-1], np.float64), float(solved[-1])

    def refined(self, tried: list[Real]) -> tuple[Real, float, float]:
        """The best when extrema lie between points of the grid, its error, and a least error."""
        error, count = self.error(self.on_grid, tried[0]), len(tried[0]) + 1
        at, every, seen = _extrema(error, count, 0), np.arange(count), [self.on_grid]
        below = self._grid[at - (at % (_POINTS * count) > 0)]  # within an interval
        above = self._grid[at + ((at + 1) % (_POINTS * count) > 0)]
        between = (self._grid[at[1:]] + self._grid[at[:-1]]) / 2  # so that points stay in order
        below[1:], above[:-1] = np.maximum(below[1:], between), np.minimum(above[:-1], between)
        coefficients, levels = tried[0], [0.0] * len(tried)
        for _ in range(_REFINED if len(at) == count else 0):
            windows = np.linspace(below, above, _WINDOW)
            seen.append(self.rows(windows.ravel()))
            errors = self.error(seen[-1], coefficients).reshape(windows.shape)
            found = np.argmax(errors * np.sign(error[at]), axis=0)
            below = windows[np.maximum(found - 1, 0), every]
            above = windows[np.minimum(found + 1, _WINDOW - 1), every]
            coefficients, level = self.solve(*(part[found * count + every] for part in seen[-1]))
            tried, levels = [*tried, coefficients], [*levels, abs(level)]
        basis, wanted, weights = (np.concatenate(parts) for parts in zip(*seen, strict=True))
        reached = np.max(np.abs(np.stack(tried) @ basis.T - wanted) * weights, axis=1)
        best = int(np.argmin(reached))
        return tried[best], float(reached[best]), float(np.max(levels - ROUNDING * reached))


def _spread(grid: Real, count: int, pieces: int) -> NDArray[np.intp]:
    """Where to begin: Chebyshev's points, or Leja's, whose distances have the largest products."""
    if pieces == 1:
        return np.linspace(0, len(grid) - 1, count).round().astype(np.intp)
    products, found = np.zeros(len(grid)), list[int]()
    for _ in range(count):
        found.append(int(np.argmax(products)))
        with np.errstate(divide="ignore"):
            products += np.log(np.abs(grid - grid[found[-1]]))
    return np.sort(np.array(found, dtype=np.intp))


def _one_for_another(at: NDArray[np.intp], error: Real, size: float) -> NDArray[np.intp]:
    """The largest error in place of a neighbour of its sign, where rounding hides other extrema."""
    new = int(np.argmax(np.abs(error)))
    index = int(np.searchsorted(at, new))
    signs = np.where((np.arange(len(at)) % 2 == 1) == (size < 0), -1.0, 1.0)
    for old in (index - 1, index):
        if 0 <= old < len(at) and signs[old] == np.sign(error[new]):
            return np.concatenate([at[:old], [new], at[old + 1 :]])
    return np.concatenate([[new], at[:-1]] if index == 0 else [at[1:], [new]])


def _extrema(error: Real, count: int, noise: float) -> NDArray[np.intp]:
    """Where each run of one sign has its largest error; of too many the smallest are left out."""
    sure = np.flatnonzero(np.abs(error) > noise)  # whose runs would be points beside each other
    error = error[sure]
    starts = np.flatnonzero(np.diff(np.sign(error), prepend=0))
    at = [
        begin + int(np.argmax(np.abs(run)))
        for begin, run in zip(starts, np.split(error, starts[1:]), strict=True)
    ]
    while len(at) > count:
        sizes = np.abs(error[at])
        least = int(np.argmin(sizes))
        if len(at) == count + 1 or least in (0, len(at) - 1):  # an end, so that signs alternate
            del at[0 if sizes[0] < sizes[-1] else -1]
        else:
            neighbour = least + (1 if sizes[least + 1] < sizes[least - 1] else -1)
            for index in sorted((least, neighbour), reverse=True):
                del at[index]
    return sure[at]
