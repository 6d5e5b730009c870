# SPDX-License-Identifier: Apache-2.0
"""The step from 0 to 1 as a composition of polynomials of given degrees [LLNK22]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nttforge import ParameterError
from nttforge.ckks.functions.remez import exchange

__all__ = ["step_polynomials"]


def step_polynomials(degrees: Sequence[int], log_alpha: int, log_error: int) -> list[list[float]]:
    """Chebyshev coefficients on [-1, 1] of each polynomial, the first one first.

    Every polynomial is the best odd one for the interval that the one before leaves, which noise up
    to 2^-log_error widens, and all but the last are divided by the most that they reach. Half of
    the last one and 1/2 are a step from 0 to 1, outside of (-2^-log_alpha, 2^-log_alpha).

    >>> import numpy as np
    >>> first, then = step_polynomials([7, 7], 3, 12)
    >>> cheb = np.polynomial.chebyshev.chebval
    >>> cheb(cheb([-0.5, 0.125, 1], first), then).round(2)
    array([0., 1., 1.])
    """
    if not degrees or any(d < 1 or d % 2 == 0 or d > 127 for d in degrees):
        raise ParameterError(f"degrees = {list(degrees)}: need odd ones from 1 to 127")
    if not (1 <= log_alpha <= 30 and 1 <= log_error <= 60):
        raise ParameterError(
            f"log_alpha = {log_alpha}, log_error = {log_error}: need 1 ... 30 and 1 ... 60"
        )
    off, ratio, found = 2.0**-log_error, 2.0**-log_alpha, list[list[float]]()
    for i, degree in enumerate(degrees):
        low = max(ratio - off, ratio / 2)
        values, error = exchange(_ones, _ones, ((low, 1.0),), range(1, degree + 1, 2))
        last = i == len(degrees) - 1
        row = np.zeros(degree + 1)
        row[1::2] = np.asarray(values) * (0.5 if last else 1 / (1 + error + off))
        row[0] = 0.5 if last else 0.0
        found.append(row.tolist())
        ratio = (1 - error) / (1 + error + off)
    return found


def _ones(t: Any) -> Any:
    return np.ones_like(t)
