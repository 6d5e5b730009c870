# SPDX-License-Identifier: Apache-2.0
"""Polynomials of ciphertexts by the plan of least depth (:mod:`nttforge.circuits`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, get_args

import numpy as np

from .. import _arguments as arguments
from .. import _core
from ..circuits import Basis, Evaluation, Part, interval_map
from ..errors import ArgumentTypeError, ParameterError, SizeError
from .growth import MOST_STRETCH, Growth, stretched
from .numbers import to_numbers

_MOST_DEGREE = 2**14


class _Bounded(Evaluation):
    """Chebyshev's polynomials of numbers near [-1, 1] are near it too: products do not see it."""

    off = 0.0  #: What is meant to be in [-1, 1] may be off by this.

    def element(self, k: int) -> Any:
        found = super().element(k)
        if self._basis == "chebyshev" and found.real:
            most = math.log2(stretched(k, self.off)) if self.off else 0.0
            found._core.set_bound_log2(min(most, found._core.bound_log2))
        return found

    def _part(self, part: Part, coefficients: Sequence[Any]) -> tuple[Any, Any]:
        """A sum of several multiples by numbers that are no integers is rescaled once."""
        values = {k: v for k, v in enumerate(coefficients) if k and v}
        leaf = part.high is None or part.low is None
        if not leaf or not all(isinstance(v, float) and v % 1 for v in values.values()):
            return super()._part(part, coefficients)
        terms = [(self.element(k), c) for k, v in values.items() if (c := self._reduced(v))]
        if not terms:
            return None, coefficients[0]
        first = terms[0][0]
        compute = first.context._evaluator.weighted_sum
        core = compute([x._core for x, _ in terms], [c for _, c in terms])
        return first._wrap(first.context, core), coefficients[0]


def evaluate(
    x: Any,
    coefficients: Sequence[complex],
    keys: Any,
    basis: Basis,
    interval: tuple[float, float] | None,
    domain: Any,
) -> Any:
    """What :meth:`Ciphertext.polynomial` says."""
    arguments.choice("basis", basis, get_args(Basis))
    values = _coefficients(coefficients)
    factor, offset = _moved(basis, interval)
    pieces = _pieces(basis, domain, factor, offset)

    resolution, dropped = _resolution(x), [0.0]

    def product(a: Any, b: Any) -> Any:
        return a.square_relinearize(keys) if a is b else a.multiply_relinearize(b, keys)

    def reduced(value: Any) -> Any:
        """A coefficient that no level can tell from 0 is left out, and counts as an error."""
        if abs(value) >= resolution:
            return value
        dropped[0] += abs(value)
        return 0

    def made(t: Any) -> _Bounded:
        return _Bounded(t, values, basis=basis, constant_levels=1, product=product, reduced=reduced)

    needed = made(None).plan.depth + (factor != 1 and not isinstance(factor, int))
    x._require_levels(f"a polynomial of degree {len(values) - 1}", needed)
    t = x if factor == 1 else x * factor
    t = t + offset if offset else t
    # A copy, since its bound is stated anew.
    evaluation = made(t.to(t.context) if t is x and basis == "chebyshev" else t)
    said = _said(t, len(values) - 1) if basis == "chebyshev" else None
    if said:
        evaluation.off = max(e for e in said if e < math.inf)
        _core.ckks.forget_error(evaluation.element(1)._core)
    text, constant = evaluation.result()
    if text is None:
        raise ParameterError(
            f"coefficients are below the resolution {resolution:.2g} of a constant, but for the "
            "constant term: nothing would be left of the ciphertext"
        )
    result = text + constant if constant else text
    if result is x:
        result = x.to(x.context)
    if dropped[0]:
        # Elements are at most 1, or powers; or near 1.
        near = 1.5 if said else 1.0
        most = near if basis == "chebyshev" and x.real else max(1.0, t.bound) ** (len(values) - 1)
        _core.ckks.allow_error(result._core, *[math.log2(dropped[0] * most)] * 2)
    if said:
        growth = Growth(values, pieces)
        more = (math.log2(growth.of(e)) if e < math.inf else math.inf for e in said)
        _core.ckks.allow_error(result._core, *more)
        result._core.set_bound_log2(min(result._core.bound_log2, math.log2(growth.size)))
    return result


def _said(t: Any, degree: int) -> tuple[float, float] | None:
    """The errors of real numbers in [-1, 1], heuristic and proved; None if they are too large.

    A proved one that is too large counts as unknown.
    """
    found = t.error, t.proved_error
    most = MOST_STRETCH / degree**2
    if not t.real or not found[0] <= most:
        return None
    return found[0], found[1] if found[1] <= most else math.inf


def _pieces(basis: Basis, domain: Any, factor: float, offset: float) -> list[tuple[float, float]]:
    """The parts of [-1, 1] where numbers are."""
    if domain is None:
        return [(-1.0, 1.0)]
    ends = np.asarray(domain, dtype=np.float64).reshape(-1, 2) * factor + offset
    if basis != "chebyshev" or not (np.abs(ends) <= 1 + 2.0**-40).all() or not len(ends):
        raise ParameterError(
            f"domain = {domain!r}: need pairs (low, high) in the interval, with basis = 'chebyshev'"
        )
    return [(float(low), float(high)) for low, high in np.clip(ends, -1, 1)]


def _resolution(x: Any) -> float:
    """The least number that constants of every level below can be."""
    context = x.context._core
    scales = (
        context.factor_scale(level, context.scale(level))[0] for level in range(2, x.level + 1)
    )
    return 2 / min(scales, default=1.0)


def _coefficients(coefficients: Any) -> list[Any]:
    numbers = to_numbers("coefficients", coefficients, _MOST_DEGREE + 1, "coefficients")
    if numbers.ndim != 1:
        raise SizeError(f"coefficients has shape {numbers.shape}: need one row")
    last = np.flatnonzero(numbers)
    values: list[Any] = numbers[: last[-1] + 1 if len(last) else 0].tolist()
    if len(values) < 2:
        raise ParameterError(
            "coefficients: need one of degree 1 or more that is not 0; a constant needs no "
            "ciphertext"
        )
    return values


def _moved(basis: Basis, interval: tuple[float, float] | None) -> tuple[int | float, float]:
    if interval is None:
        return 1, 0.0
    if basis != "chebyshev":
        raise ParameterError(
            f"interval = {interval!r} goes with basis = 'chebyshev': powers are of the numbers "
            "themselves"
        )
    ends = np.asarray(interval, dtype=object)
    if ends.shape != (2,):
        raise ArgumentTypeError(f"interval = {interval!r}: need (low, high)")
    low, high = (arguments.number("interval", v, -(2.0**100), 2.0**100, "") for v in ends)
    if not (low < high and math.isfinite(high - low)):
        raise ParameterError(f"interval = {interval!r}: low must be below high")
    return interval_map((low, high))
