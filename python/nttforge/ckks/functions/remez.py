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
_LEVELLED = 1e-2  # how much larger than the others the largest extremum may be, on the grid
_NEAR_ROUNDING = 64  # times rounding: an error that is taken although it is not level
_REFINED, _WINDOW = 3, 9  # rounds between points of the grid, and points of each
#: Errors below this part of the function are rounding, and so is their sign.
ROUNDING = 2.0**-46


def chebyshev_grid(pieces: Pieces, count: int) -> Real:
    """Increasing points of the intervals, ends included, dense at the ends."""
    angles = (1 - np.cos(np.linspace(0, np.pi, max(2, count // len(pieces))))) / 2
    return np.concatenate([low + (high - low) * angles for low, high in pieces])


def exchange(
    function: Function, weight: Function, pieces: Pieces, degrees: Sequence[int], enough: float = 0
) -> tuple[Real, float]:
    """Coefficients of T_k, k in ``degrees``, of the best approximation, and its weighted error.

    ``pieces`` are disjoint intervals in [-1, 1] in order, of numbers >= 0 if the degrees are all
    odd or all even. An approximation with an error below ``enough`` is returned before it is the
    best.

    Raises
    ------
    ParameterError
        The exchange does not end: the function has steps or float64 does not resolve its error.
    """
    n = len(degrees)
    if n > 1 and degrees[1] - degrees[0] == 2:  # polynomials of t^2, times t if they are odd
        squares = tuple((low * low, high * high) for low, high in pieces)
        grid = np.sqrt(chebyshev_grid(squares, _POINTS * (n + 1)))
    else:
        grid = chebyshev_grid(pieces, _POINTS * (n + 1))
    problem = _Problem(function, weight, np.array(degrees))
    on_grid = problem.rows(grid)
    floor = ROUNDING * float(np.max(np.abs(on_grid[1])) * np.max(on_grid[2]))
    at = np.linspace(0, len(grid) - 1, n + 1).round().astype(np.intp)
    best: tuple[float, Real] | None = None
    size = float("inf")
    for _ in range(_ROUNDS):
        coefficients, size = problem.solve(grid[at])
        error = problem.error(on_grid, coefficients)
        largest = float(np.max(np.abs(error)))
        if best is None or largest < best[0]:
            best = (largest, coefficients)
        if best[0] <= max(floor, enough):
            return best[1], best[0]
        found = _extrema(error, n + 1)
        levelled = largest - abs(size) <= _LEVELLED * abs(size) + floor
        if levelled and len(found) == n + 1:
            return problem.refined(grid, found)
        at = found if len(found) == n + 1 else _one_for_another(at, error, size)
    if best is not None and best[0] <= _NEAR_ROUNDING * floor:
        return best[1], best[0]
    if abs(size) <= floor:  # the best error is below rounding: least squares come as near to it
        fitted = problem.fitted(on_grid)
        return fitted, float(np.max(np.abs(problem.error(on_grid, fitted))))
    raise ParameterError(
        f"degree = {max(degrees)}: the exchange for the best approximation does not end, because "
        f"the function has steps or kinks, or noise above {floor:.2g}; take a lower degree, or "
        "method='chebyshev'"
    )


class _Problem:
    """What is approximated, by which T_k."""

    def __init__(self, function: Function, weight: Function, degrees: NDArray[np.intp]) -> None:
        self._function, self._weight, self._degrees = function, weight, degrees

    def rows(self, t: Real) -> tuple[Real, Real, Real]:
        """The basis, the wanted values and the weights at points."""
        basis = np.cos(np.outer(np.arccos(np.clip(t, -1, 1)), self._degrees))
        return basis, self._function(t), self._weight(t)

    @staticmethod
    def error(rows: tuple[Real, Real, Real], coefficients: Real) -> Real:
        """The weighted error at points."""
        return np.asarray((rows[0] @ coefficients - rows[1]) * rows[2])

    @staticmethod
    def fitted(rows: tuple[Real, Real, Real]) -> Real:
        """The coefficients with the least squares of the weighted error."""
        basis, wanted, weights = rows
        found = np.linalg.lstsq(basis * weights[:, None], wanted * weights, rcond=None)[0]
        return np.asarray(found, dtype=np.float64)

    def solve(self, points: Real, corrected: bool = False) -> tuple[Real, float]:
        """Coefficients whose error alternates at n + 1 points, and minus the error at the first.

        A correction takes the residual of the solution in long doubles.
        """
        basis, wanted, weights = self.rows(points)
        signs = np.where(np.arange(len(points)) % 2, -1.0, 1.0) / weights
        matrix = np.column_stack([basis, signs])
        solved = np.asarray(np.linalg.solve(matrix, wanted), dtype=np.float64)
        if corrected:
            wide = matrix.astype(np.longdouble) * solved.astype(np.longdouble)
            rest = np.asarray(wanted - wide.sum(axis=1), dtype=np.float64)
            solved = solved + np.asarray(np.linalg.solve(matrix, rest), dtype=np.float64)
        return solved[:-1], float(solved[-1])

    def refined(self, grid: Real, at: NDArray[np.intp]) -> tuple[Real, float]:
        """The approximation whose extrema may lie between points of the grid."""
        below, above = grid[np.maximum(at - 1, 0)], grid[np.minimum(at + 1, len(grid) - 1)]
        inside = grid[at]
        below = np.where(np.searchsorted(grid, inside) == 0, inside, below)
        coefficients = errors = inside
        for _ in range(_REFINED):
            coefficients, _ = self.solve(inside, corrected=True)
            windows = np.linspace(below, above, _WINDOW)
            errors = self.error(self.rows(windows.ravel()), coefficients).reshape(windows.shape)
            found = np.argmax(np.abs(errors), axis=0)
            every = np.arange(len(at))
            inside = windows[found, every]
            below = windows[np.maximum(found - 1, 0), every]
            above = windows[np.minimum(found + 1, _WINDOW - 1), every]
        return coefficients, float(np.max(np.abs(errors)))


def _one_for_another(at: NDArray[np.intp], error: Real, size: float) -> NDArray[np.intp]:
    """The largest error in place of a neighbour of its sign, where rounding hides other extrema."""
    new = int(np.argmax(np.abs(error)))
    index = int(np.searchsorted(at, new))
    signs = -np.sign(size) * np.where(np.arange(len(at)) % 2, -1.0, 1.0)
    for old in (index - 1, index):
        if 0 <= old < len(at) and signs[old] == np.sign(error[new]):
            return np.concatenate([at[:old], [new], at[old + 1 :]])
    return np.concatenate([[new], at[:-1]] if index == 0 else [at[1:], [new]])


def _extrema(error: Real, count: int) -> NDArray[np.intp]:
    """Where each run of one sign has its largest error; of too many the smallest are left out."""
    starts = np.flatnonzero(np.diff(np.sign(error), prepend=np.nan))
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
    return np.array(at, dtype=np.intp)
