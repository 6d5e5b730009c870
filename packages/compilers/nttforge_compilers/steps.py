# SPDX-License-Identifier: Apache-2.0
"""Baby and giant steps of linear maps that are known by their diagonals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nttforge.rlwe.rotations import folded

__all__ = ["Plan", "plan_of", "steps_of_diagonals"]

# Prices in rotations by a baby step: a rotation of its own, a product with a diagonal, and what
# goes before and behind a map of folded diagonals.
_GIANT_STEP, _PRODUCT, _FOLD = 2.5, 0.3, 8
#: Steps between two diagonals that are tried for folding.
_FOLDS = 24


def steps_of_diagonals(
    indices: Iterable[int], slots: int, *, every_pair: bool = False
) -> dict[int, tuple[int, int]]:
    """For each number of a diagonal a baby and a giant step, with the cheapest rotations [HS14].

    With ``every_pair`` a product is computed for every sum of two steps, whether or not there is
    a diagonal. Steps are in (-slots/2, slots/2].

    >>> steps_of_diagonals([0, 1, 2, 3, 4, 5, 6, 7], 16)
    {0: (0, 0), 1: (1, 0), 2: (2, 0), 3: (3, 0), 4: (0, 4), 5: (1, 4), 6: (2, 4), 7: (3, 4)}
    """
    return _cheapest(indices, slots, every_pair)[0]


@dataclass(frozen=True)
class Plan:
    """How the diagonals of a map of real vectors are multiplied, perhaps folded.

    A vector x and its rotation x' by ``fold`` are one complex vector x + i x', and two diagonals d
    and d' whose numbers differ by ``fold`` are (d - i d') / 2: twice the real part of the product
    is d x + d' x'. So half the diagonals do, for a rotation before the map and complex conjugates
    behind it.
    """

    #: For each number of a diagonal that is multiplied a baby and a giant step.
    pairs: dict[int, tuple[int, int]]
    fold: int = 0

    @property
    def rotations(self) -> tuple[int, ...]:
        """Steps that need keys."""
        steps = {step for pair in self.pairs.values() for step in pair} | {self.fold}
        return tuple(sorted(steps - {0}))

    def diagonals(self, rows: Mapping[int, NDArray[Any]], slots: int) -> dict[int, NDArray[Any]]:
        """What is multiplied, from the diagonals that there are."""
        if not self.fold:
            return {number: rows[number] for number in self.pairs if number in rows}
        found = dict[int, NDArray[Any]]()
        for number in self.pairs:
            first, then = rows.get(number), rows.get((number + self.fold) % slots)
            if first is not None or then is not None:
                zero = np.zeros(1)
                real, imaginary = np.broadcast_arrays(
                    *(zero if row is None else np.resize(row, slots) for row in (first, then))
                )
                found[number] = (real - 1j * imaginary) / 2
        return found


def plan_of(indices: Iterable[int], slots: int, *, folds: bool = False) -> Plan:
    """The cheapest plan for the diagonals of these numbers in [0, slots).

    Examples
    --------
    >>> plan = plan_of(range(128), 8192, folds=True)
    >>> len(plan.pairs), plan.fold, len(plan.rotations)
    (64, 1, 19)
    """
    given = sorted({int(i) for i in indices})
    pairs, least = _cheapest(given, slots, False)
    best = Plan(pairs)
    for fold in _distances(given, slots) if folds else ():
        pairs, price = _cheapest(_firsts(given, fold, slots), slots, False)
        if price + _FOLD < least:
            best, least = Plan(pairs, folded(fold, slots)), price + _FOLD
    return best


def _distances(given: list[int], slots: int) -> list[int]:
    """Those that most pairs of numbers have."""
    values = np.array(given, dtype=np.int64)
    some = values[:: max(1, len(values) // 256)]
    distances, counts = np.unique((values[None, :] - some[:, None]) % slots, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return [int(d) for d in distances[order] if d][:_FOLDS]


def _firsts(given: list[int], fold: int, slots: int) -> list[int]:
    """Numbers, each of which takes the one behind it along, such that all are there."""
    all_of, done, found = set(given), set[int](), list[int]()
    # Chains begin where nothing is before them; what is left then are circles.
    for begins in (True, False):
        for number in given:
            if begins and (number - fold) % slots in all_of:
                continue
            while number in all_of and number not in done:
                found.append(number)
                done |= {number, (number + fold) % slots}
                number = (number + 2 * fold) % slots
    return found


def _cheapest(
    indices: Iterable[int], slots: int, every_pair: bool
) -> tuple[dict[int, tuple[int, int]], float]:
    """The steps, and their price."""
    given, least = np.array(list(indices), dtype=np.int64), math.inf
    best = given, given * 0
    for log_baby in range(slots.bit_length()):
        babies = given % (1 << log_baby)
        pairs = None if every_pair else len(given)
        if (price := _price(babies, given - babies, pairs)) < least:
            best, least = (babies, given - babies), price
    for babies in _digits(given, slots):
        giants = (given - babies) % slots
        if (price := _price(babies, giants, None)) < least - 1e-9:
            best, least = (babies, giants), price
    steps = {
        int(i): (folded(int(baby), slots), folded(int(giant), slots))
        for i, baby, giant in zip(given, *best, strict=True)
    }
    return steps, least


def _price(babies: Any, giants: Any, products: int | None) -> float:
    """What the rotations and products of these steps cost; of None products, all pairs."""
    first, then = (np.unique(steps) for steps in (babies, giants))
    count = len(first) * len(then) if products is None else products
    rotated = np.count_nonzero(first) + _GIANT_STEP * np.count_nonzero(then)
    return float(rotated + _PRODUCT * count)


def _digits(given: NDArray[np.int64], slots: int) -> Iterator[NDArray[np.int64]]:
    """Baby steps made of one or two of the three digits of numbers, which have signs.

    Pixels of an image and its channels differ by numbers whose rows, columns and planes are such
    digits, each with few values.
    """
    log = slots.bit_length() - 1
    for first in range(1, log):
        low = _balanced(given, first)
        for second in range(first + 1, log + 1):
            middle = _balanced(given - low, second)
            yield from (low, middle, low + middle, given - low, given - middle)


def _balanced(values: NDArray[np.int64], log: int) -> NDArray[np.int64]:
    """Modulo 2^log, in [-2^(log - 1), 2^(log - 1))."""
    half = 1 << (log - 1)
    return (values + half) % (2 * half) - half
