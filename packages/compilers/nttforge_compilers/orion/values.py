# SPDX-License-Identifier: Apache-2.0
"""What the numbers stand for that Orion holds: plaintexts, ciphertexts, matrices, polynomials."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from nttforge import ParameterError

from ..steps import Plan

__all__ = ["Encoded", "Encrypted", "Handles", "Transform"]

T = TypeVar("T")
Real = NDArray[np.float64]


class Handles(Generic[T]):
    """Numbers for objects: the least that is free.

    >>> handles = Handles("ciphertext")
    >>> handles.add("a"), handles.add("b")
    (0, 1)
    >>> handles.remove(0)
    >>> handles.add("c"), handles.live()
    (0, [0, 1])
    """

    def __init__(self, what: str) -> None:
        self._what, self._held, self._free = what, dict[int, T](), list[int]()

    def add(self, value: T) -> int:
        """The number of a new object."""
        number = heapq.heappop(self._free) if self._free else len(self._held)
        self._held[number] = value
        return number

    def __getitem__(self, number: int) -> T:
        if number not in self._held:
            raise ParameterError(
                f"{self._what} {number} does not exist: {len(self._held)} are there; it was "
                "deleted, or belongs to another scheme"
            )
        return self._held[number]

    def __setitem__(self, number: int, value: T) -> None:
        self[number]
        self._held[number] = value

    def remove(self, number: int) -> None:
        """Forgets one; nothing happens if it is gone."""
        if number in self._held:
            del self._held[number]
            heapq.heappush(self._free, number)

    def live(self) -> list[int]:
        """All numbers in use."""
        return sorted(self._held)


@dataclass(frozen=True, eq=False)
class Encoded:
    """Numbers in the clear, with the level and the scale that Orion counts."""

    values: Real
    level: int
    scale: float
    #: What they are encoded as, by what they are divided by.
    made: dict[float, Any] = field(default_factory=dict)

    def scaled(self, scale: float) -> Encoded:
        """The same polynomial, taken as one of another scale: other numbers."""
        return Encoded(self.values * (self.scale / scale), self.level, scale)


@dataclass(frozen=True, eq=False)
class Encrypted:
    """A ciphertext of numbers divided by ``factor``, with Orion's level and scale.

    Scales of nttforge are those of its levels. What Orion states stands beside them: a ciphertext
    whose scale is set anew holds other numbers, and the factor between is kept in the clear.
    """

    text: Any
    level: int
    scale: float
    factor: float = 1.0

    def scaled(self, scale: float) -> Encrypted:
        """The same polynomial, taken as one of another scale: other numbers."""
        return replace(self, scale=scale, factor=self.factor * (self.scale / scale))


@dataclass(eq=False)
class Transform:
    """A matrix by its diagonals, some of which may be in a file."""

    level: int
    rows: dict[int, Real | None]
    plan: Plan
    prepared: dict[Any, Any] = field(default_factory=dict)
    _known: tuple[dict[int, Real], float] | None = field(default=None, init=False)

    def put(self, index: int, row: Real | None) -> None:
        """A diagonal; None if it is in a file from now on."""
        self.rows[index], self._known = row, None

    def complete(self) -> tuple[dict[int, Real], float]:
        """The diagonals that are not 0, and by how much images may be larger, at least 1.

        Both are found once for many evaluations. Raises a ParameterError where a diagonal is in a
        file.
        """
        if self._known is None:
            absent = [index for index, row in self.rows.items() if row is None]
            if absent:
                raise ParameterError(
                    f"diagonals {absent[:8]} of the linear transform are not there: load them with "
                    "LoadPlaintextDiagonal"
                )
            rows = {i: row for i, row in self.rows.items() if row is not None and row.any()}
            largest = np.max(sum(np.abs(row) for row in rows.values())) if rows else 0.0
            self._known = rows, max(1.0, float(largest))
        return self._known
