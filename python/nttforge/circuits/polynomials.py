# SPDX-License-Identifier: Apache-2.0
"""Polynomials of ciphertexts of any scheme, evaluated as their plan says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from .polynomial_plans import Parity, Part, PolynomialPlan, monomial_plan, polynomial_plan

Basis = Literal["power", "chebyshev"]


def parity_of(coefficients: Sequence[float]) -> Parity:
    """Which coefficients are not 0, the constant aside.

    >>> parity_of([0.5, 1, 0, 3]), parity_of([0, 0, 1]), parity_of([0, 1, 1])
    ('odd', 'even', 'any')
    """
    if not any(coefficients[2::2]):
        return "odd" if len(coefficients) % 2 == 0 else "any"
    return "any" if any(coefficients[1::2]) or len(coefficients) % 2 == 0 else "even"


def split_coefficients(
    coefficients: Sequence[Any], at: int, basis: Basis
) -> tuple[list[Any], list[Any]]:
    """low and high with p = low + T_at high (power: x^at), for a degree of at most 3 at.

    T_at T_j = (T_(at+j) + T_|at-j|) / 2, so that high has twice the coefficients of p.

    >>> split_coefficients([0, 0, 0, 1], 2, "chebyshev")   # T_3 = 2 T_2 T_1 - T_1
    ([0, -1], [0, 2])
    """
    low, high = list(coefficients[:at]), list(coefficients[at:])
    low += [0] * (len(high) - 2 * at)
    if basis == "chebyshev":
        for j, value in enumerate(high[1:], start=1):
            low[abs(at - j)] -= value
            high[j] = 2 * value
    return low, high


def interval_map(interval: tuple[float, float]) -> tuple[int | float, float]:
    """factor and offset with factor x + offset in [-1, 1] for x in the interval.

    An integer factor costs no level, as always: those of [-1, 1], [0, 1] and [-1/2, 1/2] do not.

    >>> interval_map((0, 1)), interval_map((-4, 4))
    ((2, -1.0), (0.25, 0.0))
    """
    low, high = interval
    factor = 2 / (high - low)
    return (int(factor) if factor.is_integer() else factor), -(low + high) / (high - low)


class Evaluation:
    """A polynomial of one ciphertext, with every element of the basis made once, when it is used.

    Parameters
    ----------
    x : Ciphertext, or what records or computes its operations
    coefficients : sequence of int, float or complex
        The constant first, the last not 0.
    basis : {"power", "chebyshev"}
        Chebyshev's polynomials of x, which is then in [-1, 1].
    constant_levels : {0, 1}
        Whether a product with a constant costs a level.
    product : callable
        The product of two ciphertexts, relinearized.
    reduced : callable, optional
        What multiplies or is added in place of a coefficient; a 0 is left out.
    """

    def __init__(
        self,
        x: Any,
        coefficients: Sequence[Any],
        *,
        basis: Basis,
        constant_levels: int,
        product: Callable[[Any, Any], Any],
        reduced: Callable[[Any], Any] = lambda value: value,
    ) -> None:
        self._made = {1: x}
        self._basis: Basis = basis
        self._product, self._reduced = product, reduced
        self._coefficients = coefficients
        degree = len(coefficients) - 1
        self.plan: PolynomialPlan = polynomial_plan(
            degree, parity_of(coefficients), constant_levels
        )
        if not any(coefficients[1:-1]):
            one = monomial_plan(degree, constant_levels)
            self.plan = one if one.depth <= self.plan.depth else self.plan
        self._how = {e.k: e for e in self.plan.elements}

    def element(self, k: int) -> Any:
        """T_k or the k-th power."""
        if k not in self._made:
            how = self._how[k]
            both = self._product(self.element(how.a), self.element(how.b))
            if self._basis == "chebyshev":
                less = 1 if how.a == how.b else self.element(how.a - how.b)
                both = both + both - less
            self._made[k] = both
        return self._made[k]

    def result(self) -> tuple[Any, Any]:
        """The polynomial without a constant, which stands beside it; None where nothing is left."""
        return self._part(self.plan.root, self._coefficients)

    def _part(self, part: Part, coefficients: Sequence[Any]) -> tuple[Any, Any]:
        if part.high is None or part.low is None:
            text = None
            for k, value in enumerate(coefficients[1:], start=1):
                text = _sum(text, self._term(k, value))
            return text, coefficients[0]
        low, high = split_coefficients(coefficients, part.at, self._basis)
        text, constant = self._part(part.low, low)
        factor, leading = self._part(part.high, high)
        if factor is None:
            return _sum(text, self._term(part.at, leading)), constant
        leading = self._reduced(leading)
        factor = factor + leading if leading else factor
        return _sum(text, self._product(factor, self.element(part.at))), constant

    def _term(self, k: int, value: Any) -> Any:
        value = self._reduced(value)
        if not value:
            return None
        if isinstance(value, (float, np.floating)) and float(value).is_integer():
            value = int(value)  # costs no level
        return self.element(k) if value == 1 else self.element(k) * value


def _sum(x: Any, y: Any) -> Any:
    return y if x is None else x if y is None else x + y
