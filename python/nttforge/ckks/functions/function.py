# SPDX-License-Identifier: Apache-2.0
"""A function of ciphertexts as a circuit: where it holds, how near it is, what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...circuits import Basis, Evaluation, interval_map
from ...errors import ArgumentTypeError, ParameterError
from .polynomial import ErrorKind, Pieces, require_levels

__all__ = ["Function", "cheapest"]


class _Trace:
    """Stands for a ciphertext in a dry run of a circuit: counts levels, and products in all."""

    def __init__(self, depth: int = 0, products: list[int] | None = None) -> None:
        self.depth = depth
        self.products = [0] if products is None else products

    def _new(self, other: Any, more: int = 0) -> _Trace:
        return _Trace(max(self.depth, getattr(other, "depth", 0)) + more, self.products)

    def __add__(self, other: Any) -> _Trace:
        return self._new(other)

    __sub__ = __add__

    def __neg__(self) -> _Trace:
        return self

    def __mul__(self, other: Any) -> _Trace:
        self.products[0] += isinstance(other, _Trace)
        return self._new(other, not isinstance(other, int))

    def polynomial(
        self, coefficients: tuple[float, ...], basis: Basis, interval: tuple[float, float] | None
    ) -> Any:
        x = self if interval is None else self * interval_map(interval)[0]
        text, _ = Evaluation(
            x, coefficients, basis=basis, constant_levels=1, product=lambda a, b: a * b
        ).result()
        return text


@dataclass(frozen=True)
class Function:
    """Applied to ciphertexts, or to NumPy arrays, which shows what the circuit computes.

    Attributes
    ----------
    name, formula : str
        What it is called, and what it is near to.
    domain : tuple of tuples of (float, float)
        The intervals of each argument. Outside results are wrong by any amount, without a message.
    error : float
        Bound on the error of the circuit in exact arithmetic, on the domain: measured on a dense
        grid. Noise of ciphertexts comes on top (docs/functions-of-real-numbers.md).
    error_kind : {"absolute", "relative"}
        "relative": divided by the value.
    circuit : callable
        From values with ``+``, ``-``, ``*`` and ``polynomial`` to the result, or a tuple of them.
    parts : str
        Degrees and steps of the circuit.

    Examples
    --------
    >>> from nttforge.ckks import functions
    >>> logistic = functions.sigmoid((-8, 8), bits=10)
    >>> print(logistic.describe())
    sigmoid, 1 / (1 + exp(-x)) on [-8, 8]: absolute error 0.00087, depth 6, 6 products (degree 17)
    >>> round(float(logistic(0.5)), 3)
    0.622
    """

    name: str
    formula: str
    domain: tuple[Pieces, ...]
    error: float
    error_kind: ErrorKind
    circuit: Callable[..., Any]
    parts: str

    @cached_property
    def _cost(self) -> tuple[int, int]:
        arguments = [_Trace() for _ in self.domain]
        for x in arguments[1:]:
            x.products = arguments[0].products
        results = self.circuit(*arguments)
        several = results if isinstance(results, tuple) else (results,)
        return max(result.depth for result in several), arguments[0].products[0]

    @property
    def depth(self) -> int:
        """Levels that the arguments need: the circuit's, in a dry run."""
        return self._cost[0]

    @property
    def products(self) -> int:
        """Products of two ciphertexts."""
        return self._cost[1]

    def __call__(self, *arguments: Any) -> Any:
        """The function of ciphertexts or arrays.

        Raises
        ------
        ParameterError
            A ciphertext has fewer levels than ``depth``.
        """
        if len(arguments) != len(self.domain):
            raise ArgumentTypeError(
                f"{self.name} has {len(arguments)} arguments: need {len(self.domain)}"
            )
        require_levels(self.name, self.depth, *arguments)
        return self.circuit(*arguments)

    def describe(self) -> str:
        """Name, domain, error and cost in a line."""
        where = ", ".join(
            " and ".join(f"[{low:g}, {high:g}]" for low, high in pieces)
            for pieces in dict.fromkeys(self.domain)
        )
        return (
            f"{self.name}, {self.formula} on {where}: {self.error_kind} error {self.error:.2g}, "
            f"depth {self.depth}, {self.products} products ({self.parts})"
        )


def cheapest(wanted: float, candidates: Iterable[Function], asked: str) -> Function:
    """The function of least depth, and then of fewest products, of those that keep an error."""
    found = [candidate for candidate in candidates if candidate.error <= wanted]
    if not found:
        raise ParameterError(
            f"{asked}: nothing reaches this; take a smaller domain, fewer bits, or leave the choice of "
            "steps and method open"
        )
    return min(found, key=lambda function: (function.depth, function.products))
