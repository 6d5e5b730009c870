# SPDX-License-Identifier: Apache-2.0
"""A computation on encrypted slots as data: what every door makes, and every scheme carries out.

An operation has operands, which are numbers of earlier operations, and a value in the clear. All
vectors repeat with a period of ``slots``, so that rotations move them in a circle of that length
in a ring of any size.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nttforge import ParameterError, SizeError, UnsupportedError

__all__ = ["Graph", "Operation"]

#: Operands of each operation.
OPERANDS = {
    "input": 0,
    "add": 2,
    "sub": 2,
    "multiply": 2,
    "negate": 1,
    "add_plain": 1,
    "multiply_plain": 1,
    "rotate": 1,
    "linear_transform": 1,
    "polynomial": 1,
    "within": 1,
    "bootstrap": 1,
}
MOST_SLOTS, MOST_DEGREE, MOST_OPERATIONS = 2**16, 2**10, 2**20


@dataclass(frozen=True, eq=False)
class Operation:
    """One step.

    Parameters
    ----------
    name : str
        One of :data:`OPERANDS`.
    operands : tuple of int
        Numbers of operations before it.
    value : object
        Of ``add_plain`` and ``multiply_plain`` a number or a vector, of ``rotate`` a step, of
        ``linear_transform`` diagonals by number, of ``polynomial`` coefficients and a basis, of
        ``within`` a bound and an error or None, of ``input`` and ``bootstrap`` the levels that
        follow, if they are known.
    note : str
        What it is, for whoever follows a run.
    """

    name: str
    operands: tuple[int, ...] = ()
    value: Any = None
    note: str = ""


class Graph:
    """Operations in the order in which they are computed; each method returns its number.

    Parameters
    ----------
    slots : int
        The period of all vectors, a power of two up to 2^16.
    integers : bool
        Whether numbers are integers.

    Examples
    --------
    >>> graph = Graph(4)
    >>> x = graph.input()
    >>> graph.outputs = [graph.add("add", x, graph.rotate(x, 1))]
    >>> graph.rotations
    (1,)
    """

    def __init__(self, slots: int, *, integers: bool = False) -> None:
        if not 1 <= slots <= MOST_SLOTS or slots & (slots - 1):
            raise SizeError(f"slots = {slots}: need a power of two up to {MOST_SLOTS}")
        self.slots = slots
        self.operations: list[Operation] = []
        self.outputs: list[int] = []
        self._dtype: Any = np.int64 if integers else np.float64

    @property
    def inputs(self) -> int:
        """How many ciphertexts it takes."""
        return sum(operation.name == "input" for operation in self.operations)

    @property
    def bootstraps(self) -> int:
        """How often it bootstraps."""
        return sum(operation.name == "bootstrap" for operation in self.operations)

    @property
    def rotations(self) -> tuple[int, ...]:
        """Steps of its rotations, without those inside of linear transforms."""
        return tuple(sorted({o.value for o in self.operations if o.name == "rotate"}))

    def input(self) -> int:
        """The next ciphertext that is given."""
        return self._append("input", ())

    def add(self, name: str, *operands: int) -> int:
        """An operation on ciphertexts alone: add, sub, multiply, negate or bootstrap."""
        return self._append(name, operands)

    def add_plain(self, x: int, value: ArrayLike) -> int:
        """A number, or a vector whose length divides the slots, is added."""
        value = self._numbers("value", value)
        return x if isinstance(value, (int, float)) and not value else self._plain(x, "add", value)

    def multiply_plain(self, x: int, value: ArrayLike) -> int:
        """A number, or a vector whose length divides the slots, is multiplied with."""
        value = self._numbers("value", value)
        if isinstance(value, (int, float)) and value == 1:
            return x
        return self._plain(x, "multiply", value)

    def rotate(self, x: int, step: int) -> int:
        """Slot i becomes slot i + step."""
        step = self.folded(step)
        return self._append("rotate", (x,), step) if step else x

    def linear_transform(self, x: int, diagonals: Mapping[int, ArrayLike]) -> int:
        """The sum of diagonals times x rotated by their numbers."""
        found: dict[int, NDArray[Any]] = {}
        for index, values in diagonals.items():
            row = np.atleast_1d(np.asarray(self._numbers(f"diagonal {index}", values)))
            step = index % self.slots
            if row.any() and step in found:
                period = max(len(row), len(found[step]))
                found[step] = np.resize(row, period) + np.resize(found[step], period)
            elif row.any():
                found[step] = row
        if not found:
            return self.multiply_plain(x, 0)
        return self._append("linear_transform", (x,), found)

    def polynomial(self, x: int, coefficients: Sequence[float], basis: str = "power") -> int:
        """A polynomial of every slot; with Chebyshev's basis slots are in [-1, 1]."""
        row = np.asarray(coefficients, dtype=np.float64)
        if row.ndim != 1 or not 1 <= len(row) <= MOST_DEGREE + 1 or not np.isfinite(row).all():
            raise ParameterError(
                f"coefficients: {row.size} of them, need 1 to {MOST_DEGREE + 1} finite numbers"
            )
        row = np.trim_zeros(row, "b")
        if len(row) < 2:
            zero = self.multiply_plain(x, 0)
            return self.add_plain(zero, float(row[0])) if len(row) else zero
        return self._append("polynomial", (x,), (tuple(row.tolist()), basis))

    def within(self, x: int, bound: float, error: float | None = None) -> int:
        """The same numbers, stated to be at most ``bound``, and off by ``error`` at most.

        It is believed, as by :meth:`nttforge.ckks.Ciphertext.within`.
        """
        if not 2.0**-900 <= bound <= 2.0**900 or not (error is None or 0 < error <= bound):
            raise ParameterError(
                f"bound = {bound:g}, error = {error}: need a bound in [2^-900, 2^900] and an error "
                "in (0, bound]"
            )
        return self._append("within", (x,), (float(bound), error))

    def noted(self, x: int, note: str) -> int:
        """The same operation, with what it is."""
        self.operations[x] = replace(self.operations[x], note=note)
        return x

    def copied(self, operation: Operation, operands: Iterable[int]) -> int:
        """An operation of another graph of as many slots, on operands of this one."""
        number = self._append(operation.name, operands, operation.value)
        return self.noted(number, operation.note)

    def folded(self, step: int) -> int:
        """A step in (-slots/2, slots/2]."""
        step %= self.slots
        return step - self.slots if step > self.slots // 2 else step

    def last_uses(self) -> list[int]:
        """For each operation the number of the last one that uses it."""
        last = list(range(len(self.operations)))
        for i, operation in enumerate(self.operations):
            for operand in operation.operands:
                last[operand] = i
        for output in self.outputs:
            last[output] = len(self.operations)
        return last

    def of_two_parts(self) -> set[int]:
        """Operations whose results something but a sum uses."""
        sums = ("add", "sub", "negate", "add_plain")
        return {
            k for operation in self.operations if operation.name not in sums
            for k in operation.operands
        } | set(self.outputs)  # fmt: skip

    def rotations_of(self) -> dict[int, list[int]]:
        """The rotations of each operation's result."""
        found: dict[int, list[int]] = {}
        for i, operation in enumerate(self.operations):
            if operation.name == "rotate":
                found.setdefault(operation.operands[0], []).append(i)
        return found

    def _plain(self, x: int, name: str, value: Any) -> int:
        return self._append(f"{name}_plain", (x,), value)

    def _append(self, name: str, operands: Iterable[int], value: Any = None) -> int:
        if name not in OPERANDS:
            raise UnsupportedError(f"operation {name!r} is none of {', '.join(OPERANDS)}")
        given = tuple(operands)
        if len(given) != OPERANDS[name] or not all(0 <= k < len(self.operations) for k in given):
            raise ParameterError(
                f"operation {name!r} has operands {given}: need {OPERANDS[name]} of the "
                f"{len(self.operations)} operations before it"
            )
        if len(self.operations) >= MOST_OPERATIONS:
            raise SizeError(f"a graph has at most {MOST_OPERATIONS} operations")
        self.operations.append(Operation(name, given, value))
        return len(self.operations) - 1

    def _numbers(self, field: str, values: ArrayLike) -> Any:
        """A number where all are the same, else a vector that repeats in the slots."""
        row = np.asarray(values)
        if row.dtype.kind not in "biuf" or (self._dtype is np.int64 and row.dtype.kind == "f"):
            raise ParameterError(f"{field} has dtype {row.dtype}: need {np.dtype(self._dtype)}")
        row = np.atleast_1d(row.astype(self._dtype, copy=False)).ravel()
        if not len(row) or self.slots % len(row):
            raise SizeError(
                f"{field} has {len(row)} numbers: need a divisor of the {self.slots} slots"
            )
        if not np.isfinite(row).all():
            raise ParameterError(f"{field} has NaN or infinity: need finite numbers")
        if (row == row[0]).all():
            number = row[0].item()
            return int(number) if float(number).is_integer() else number
        return row
