# SPDX-License-Identifier: Apache-2.0
"""A polynomial on an interval, with what is known of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike, NDArray

from ...circuits import PolynomialPlan, interval_map, parity_of, polynomial_plan
from ...errors import ParameterError

Pieces = tuple[tuple[float, float], ...]
ErrorKind = Literal["absolute", "relative", "weighted"]

_ZERO = 2.0**-50  # a coefficient below this part of the largest is rounding


def trimmed(coefficients: ArrayLike, scale: float) -> tuple[float, ...]:
    """Coefficients with exact zeros instead of rounding, the last not 0."""
    values = np.asarray(coefficients, dtype=np.float64)
    values = np.where(np.abs(values) <= _ZERO * scale, 0.0, values)
    last = np.flatnonzero(values)
    return tuple(float(v) for v in values[: last[-1] + 1 if len(last) else 1])


def require_levels(name: str, depth: int, *arguments: Any) -> None:
    """Refuse ciphertexts that have fewer levels than a function needs."""
    for x in arguments:
        left = getattr(x, "levels_left", depth)
        if left < depth:
            raise ParameterError(
                f"{name} needs {depth} levels, {left} left: bootstrap before it, take a set with "
                f"{depth - left} levels more, or a function of less precision or a smaller domain"
            )


@dataclass(frozen=True)
class Polynomial:
    """The sum of ``coefficients[k]`` T_k(t), where t in [-1, 1] is x moved from ``interval``.

    Attributes
    ----------
    coefficients : tuple of float
        In Chebyshev's basis, the constant first, the last not 0.
    interval : (float, float)
        Where t is in [-1, 1]; outside it a polynomial grows without bounds.
    error : float
        Largest error on the domain, as it was measured on a dense grid.
    error_kind : {"absolute", "relative", "weighted"}
        What the error is multiplied with: 1, ``1/|f|``, or the weight that was given.
    domain : tuple of (float, float)
        The intervals where ``error`` holds.
    name : str
        For messages.

    Examples
    --------
    >>> square = Polynomial((0.5, 0.0, 0.5), (-2.0, 2.0))    # x^2 / 4
    >>> square.evaluate([0.0, 1.0, 2.0]).tolist(), square.degree, square.parity
    ([0.0, 0.25, 1.0], 2, 'even')
    """

    coefficients: tuple[float, ...]
    interval: tuple[float, float]
    error: float = 0.0
    error_kind: ErrorKind = "absolute"
    domain: Pieces = field(default=())
    name: str = "polynomial"

    def __post_init__(self) -> None:
        if len(self.coefficients) < 2 or not self.coefficients[-1]:
            raise ParameterError(
                f"coefficients of {self.name} have degree {len(self.coefficients) - 1}: need 1 or "
                "more, the last not 0; a constant needs no ciphertext"
            )
        if not self.domain:
            object.__setattr__(self, "domain", (self.interval,))

    @property
    def degree(self) -> int:
        """Degree."""
        return len(self.coefficients) - 1

    @property
    def parity(self) -> str:
        """Which coefficients are not 0, the constant aside: "even", "odd" or "any"."""
        return parity_of(self.coefficients)

    @cached_property
    def plan(self) -> PolynomialPlan:
        """How a ciphertext is evaluated, after it was moved to [-1, 1]."""
        return polynomial_plan(self.degree, parity_of(self.coefficients))

    @property
    def depth(self) -> int:
        """Levels that a ciphertext needs: a factor of the interval that is no integer costs one."""
        return self.plan.depth + (not isinstance(interval_map(self.interval)[0], int))

    def evaluate(self, x: ArrayLike) -> NDArray[Any]:
        """The values at ``x``, any shape, by Clenshaw's recurrence in float64 or complex128."""
        factor, offset = interval_map(self.interval)
        moved = factor * np.asarray(x) + offset
        return np.asarray(chebyshev.chebval(moved, np.array(self.coefficients)))

    def __call__(self, x: Any, keys: Any = None) -> Any:
        """The values: of a ciphertext by its ``polynomial``, of arrays by :meth:`evaluate`.

        Raises
        ------
        ParameterError
            The ciphertext has fewer levels than ``depth``.
        """
        if not hasattr(x, "polynomial"):
            return self.evaluate(x)
        require_levels(self.name, self.depth, x)
        where: dict[str, Any] = {"interval": self.interval, "domain": self.domain}
        return x.polynomial(self.coefficients, keys, basis="chebyshev", **where)

    def scaled(self, factor: float, constant: float = 0.0) -> Polynomial:
        """The polynomial times a factor, plus a constant; an absolute error is multiplied too."""
        first, *others = (factor * value for value in self.coefficients)
        error = self.error * (abs(factor) if self.error_kind == "absolute" else 1)
        return replace(self, coefficients=(first + constant, *others), error=error)

    def describe(self) -> str:
        """Degree, depth, error and domain in a line."""
        where = " and ".join(f"[{low:g}, {high:g}]" for low, high in self.domain)
        return (
            f"{self.name}: degree {self.degree}, depth {self.depth}, {self.plan.products} "
            f"products, {self.error_kind} error {self.error:.2g} on {where}"
        )
