# SPDX-License-Identifier: Apache-2.0
"""Graphs carried out: on numbers in the clear here, on ciphertexts in :mod:`.encrypted`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nttforge import SizeError

from .graph import Graph, Operation

__all__ = ["Arithmetic", "Plain", "execute"]


class Arithmetic(Protocol):
    """What carries out operations; ``number`` is that of the operation, for what it prepares."""

    def add(self, x: Any, y: Any) -> Any: ...
    def sub(self, x: Any, y: Any) -> Any: ...
    def negate(self, x: Any) -> Any: ...
    def multiply(self, x: Any, y: Any) -> Any: ...
    def add_plain(self, x: Any, value: Any, number: int) -> Any: ...
    def multiply_plain(self, x: Any, value: Any, number: int) -> Any: ...
    def rotate(self, x: Any, steps: list[int]) -> list[Any]: ...
    def linear_transform(self, x: Any, diagonals: Any, number: int) -> Any: ...
    def polynomial(self, x: Any, coefficients: Any, basis: str) -> Any: ...
    def within(self, x: Any, value: Any, number: int) -> Any: ...
    def bootstrap(self, x: Any, number: int) -> Any: ...
    def in_two_parts(self, x: Any) -> Any: ...


def execute(
    graph: Graph,
    arithmetic: Arithmetic,
    inputs: Sequence[Any],
    told: Callable[[Operation], object] | None = None,
) -> list[Any]:
    """The outputs of a graph; ``told`` is called after each operation.

    Products stay in three parts as long as they are only added. Rotations of one vector are
    computed together, and what nothing needs any more is forgotten.
    """
    if len(inputs) != graph.inputs:
        raise SizeError(f"{len(inputs)} inputs are given: need {graph.inputs}")
    given, values = iter(inputs), dict[int, Any]()
    last, of_two_parts, rotations = graph.last_uses(), graph.of_two_parts(), graph.rotations_of()
    for i, operation in enumerate(graph.operations):
        operands = [values[k] for k in operation.operands]
        if operation.name == "input":
            values[i] = next(given)
        elif operation.name == "rotate":
            if i not in values:
                together = rotations[operation.operands[0]]
                steps = [graph.operations[k].value for k in together]
                values.update(zip(together, arithmetic.rotate(operands[0], steps), strict=True))
        elif operation.name in ("add_plain", "multiply_plain", "linear_transform", "within"):
            compute = getattr(arithmetic, operation.name)
            values[i] = compute(operands[0], operation.value, i)
        elif operation.name == "polynomial":
            values[i] = arithmetic.polynomial(operands[0], *operation.value)
        elif operation.name == "bootstrap":
            values[i] = arithmetic.bootstrap(operands[0], i)
        else:
            values[i] = getattr(arithmetic, operation.name)(*operands)
        if i in of_two_parts:
            values[i] = arithmetic.in_two_parts(values[i])
        for k in {*operation.operands, i}:
            if last[k] <= i:
                values.pop(k, None)
        if told is not None:
            told(operation)
    return [values[k] for k in graph.outputs]


class Plain:
    """Vectors of numbers in the clear: of doubles, or of integers modulo t.

    Parameters
    ----------
    slots : int
    t : int
        0 for doubles.
    """

    def __init__(self, slots: int, t: int = 0) -> None:
        self._slots, self._t = slots, t

    def vector(self, values: Any) -> NDArray[Any]:
        """Numbers as they repeat in the slots."""
        row = np.atleast_1d(np.asarray(values, dtype=object if self._t else np.float64))
        return self._reduced(np.resize(row, self._slots))

    def _reduced(self, x: NDArray[Any]) -> NDArray[Any]:
        """Integers as those of [-floor(t/2), floor((t-1)/2)]."""
        if not self._t:
            return x
        return (x + self._t // 2) % self._t - self._t // 2

    def add(self, x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
        """A sum."""
        return self._reduced(x + y)

    def sub(self, x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
        """A difference."""
        return self._reduced(x - y)

    def negate(self, x: NDArray[Any]) -> NDArray[Any]:
        """With the other sign."""
        return self._reduced(-x)

    def multiply(self, x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
        """A product."""
        return self._reduced(x * y)

    def add_plain(self, x: NDArray[Any], value: Any, number: int) -> NDArray[Any]:
        """A sum with numbers in the clear."""
        return self.add(x, self.vector(value))

    def multiply_plain(self, x: NDArray[Any], value: Any, number: int) -> NDArray[Any]:
        """A product with numbers in the clear."""
        return self.multiply(x, self.vector(value))

    def rotate(self, x: NDArray[Any], steps: list[int]) -> list[NDArray[Any]]:
        """Several rotations of one vector."""
        return [np.roll(x, -step) for step in steps]

    def linear_transform(self, x: NDArray[Any], diagonals: Any, number: int) -> NDArray[Any]:
        """A sum of rotations times diagonals."""
        total = self.vector(0)
        for step, values in diagonals.items():
            total = self.add(total, np.roll(x, -step) * self.vector(values))
        return total

    def polynomial(self, x: NDArray[Any], coefficients: Any, basis: str) -> NDArray[Any]:
        """A polynomial of each number."""
        evaluate = (
            np.polynomial.chebyshev.chebval
            if basis == "chebyshev"
            else np.polynomial.polynomial.polyval
        )
        return np.asarray(evaluate(x, coefficients))

    def within(self, x: NDArray[Any], value: Any, number: int) -> NDArray[Any]:
        """The same numbers."""
        return x

    def bootstrap(self, x: NDArray[Any], number: int) -> NDArray[Any]:
        """The same numbers."""
        return x

    def in_two_parts(self, x: NDArray[Any]) -> NDArray[Any]:
        """The same numbers."""
        return x
