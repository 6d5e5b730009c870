# SPDX-License-Identifier: Apache-2.0
"""What a polynomial makes of the error of its argument (docs/bounds/ckks_noise.md, Polynomials)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.polynomial import chebyshev

_ORDERS = 4  # of Taylor's series, on the intervals; the terms behind are bounded on [-1, 1]
_NODES = 16  # for each degree
#: degree^2 times the error: up to here T_k stays below 1.3 where the error leads out of [-1, 1].
MOST_STRETCH = 0.25


def stretched(k: int, error: float) -> float:
    """The largest |T_k| within a distance of [-1, 1] in the complex plane: T_k(1 + error)."""
    return math.cosh(k * math.acosh(1 + error)) * (1 + 2.0**-40)


class Growth:
    """A sum of ``coefficients[k]`` T_k on parts of [-1, 1].

    Maxima are those at 16 (d + 1) Chebyshev nodes of each part, of d the degree, over
    cos(pi/32), which no polynomial of the degree passes between the nodes [EZ64].

    >>> growth = Growth([0, 1], [(-1, 1)])
    >>> round(growth.size, 6), round(growth.of(0.125), 6)
    (1.003628, 0.125605)
    """

    def __init__(
        self, coefficients: Sequence[complex], pieces: Sequence[tuple[float, float]]
    ) -> None:
        row, degree = np.asarray(coefficients), len(coefficients) - 1
        nodes = np.cos((np.arange(_NODES * (degree + 1)) + 0.5) * np.pi / (_NODES * (degree + 1)))
        points = np.concatenate([(a + b) / 2 + (b - a) / 2 * nodes for a, b in pieces])
        k, sizes, self._most = np.arange(degree + 1.0), np.abs(row), list[float]()
        for m in range(_ORDERS + 1):
            # The sum of |c_k| T_k^(m)(1) is what rounding is relative to.
            found = np.abs(chebyshev.chebval(points, row)).max() / math.cos(math.pi / (2 * _NODES))
            self._most.append(float(found + 2.0**-40 * sizes.sum()))
            row, sizes = chebyshev.chebder(row), sizes * (k * k - m * m) / (2 * m + 1)
        self._rest = float(sizes.sum())

    @property
    def size(self) -> float:
        """No value is larger."""
        return self._most[0]

    def of(self, error: float) -> float:
        """What an argument that is off by ``error``, below 1/(4 d^2), makes the value be off by."""
        terms = [m * error**j / math.factorial(j) for j, m in enumerate(self._most)][1:]
        return sum(terms) + 1.01 * self._rest * error ** (_ORDERS + 1) / math.factorial(_ORDERS + 1)
