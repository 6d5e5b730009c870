# SPDX-License-Identifier: Apache-2.0
"""Operations of graphs on ciphertexts: of integers by BGV and BFV, of real numbers by CKKS."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nttforge import MissingKeyError, UnsupportedError, _core, ckks
from nttforge.integer_encoding import BatchEncoder
from nttforge.rlwe.evaluation_keys import rotation_keys

from .steps import Plan, plan_of, steps_of_diagonals

__all__ = ["Boots", "Integers", "Numbers", "arithmetic"]


@dataclass(frozen=True)
class Boots:
    """What bootstraps: keys, what numbers stay within, and the level after some operations."""

    keys: Any = None
    bound: float = 1.0
    levels: Mapping[int, int] = field(default_factory=dict)


class _Encrypted:
    """What all schemes do alike.

    ``period`` is that of all vectors, ``slots`` those of ciphertexts; ``prepared`` keeps what is
    encoded once for many runs, by the number of its operation.
    """

    def __init__(
        self,
        context: Any,
        period: int,
        slots: int,
        keys: Any,
        prepared: dict[Any, Any],
        bootstraps: Boots,
    ) -> None:
        self._context, self._period, self._slots, self._keys = context, period, slots, keys
        self._prepared, self._bootstraps = prepared, bootstraps

    def add(self, x: Any, y: Any) -> Any:
        """A sum."""
        return x + y

    def sub(self, x: Any, y: Any) -> Any:
        """A difference."""
        return x - y

    def negate(self, x: Any) -> Any:
        """With the other sign."""
        return -x

    def multiply(self, x: Any, y: Any) -> Any:
        """A product, in three parts."""
        return x.square() if x is y else x * y

    def rotate(self, x: Any, steps: list[int]) -> list[Any]:
        """Several rotations of one ciphertext, of which digits are computed once."""
        found: list[Any] = x.rotate_many(steps, self._keys)
        return found

    def in_two_parts(self, x: Any) -> Any:
        """Relinearized."""
        return x if x.parts == 2 else x.relinearize(self._keys)

    def _kept(self, key: Any, make: Any) -> Any:
        if key not in self._prepared:
            self._prepared[key] = make()
        return self._prepared[key]


class Integers(_Encrypted):
    """Integers modulo t, by BGV or BFV; both rows of slots hold the same."""

    def _signed(self, value: Any) -> Any:
        t = self._context.t
        return (np.asarray(value, dtype=object) + t // 2) % t - t // 2

    def _encoded(self, value: Any) -> Any:
        row = self._signed(value).astype(np.int64)
        return BatchEncoder(self._context).encode(np.resize(row, self._context.n))

    def add_plain(self, x: Any, value: Any, number: int) -> Any:
        """A sum with integers in the clear."""
        if isinstance(value, int):
            return x + int(self._signed(value))
        return x + self._kept(number, lambda: self._encoded(value))

    def multiply_plain(self, x: Any, value: Any, number: int) -> Any:
        """A product with integers in the clear."""
        if isinstance(value, int):
            return x * int(self._signed(value))
        return x * self._kept(number, lambda: self._encoded(value).prepare())

    def linear_transform(self, x: Any, diagonals: Any, number: int) -> Any:
        """One fused map of all diagonals."""
        if set(diagonals) == {0}:
            return self.multiply_plain(x, diagonals[0], number)
        made = self._kept(number, lambda: self._map(diagonals))
        core = self._context._evaluator.apply(made, x._core, rotation_keys(self._keys)._core)
        return x._wrap(self._context, core)

    def _map(self, diagonals: dict[int, NDArray[Any]]) -> Any:
        n, parameters = self._context.n, self._context.parameters
        steps = steps_of_diagonals(diagonals, self._period, every_pair=True)
        babies, giants = (sorted({pair[k] for pair in steps.values()}) for k in (0, 1))
        numbers = {pair: number for number, pair in steps.items()}
        self._context._core.require_memory(
            len(babies) * len(giants) * n * (len(parameters.q) + len(parameters.special)) * 8,
            "the diagonals of a linear transform",
        )
        factors = np.zeros((len(giants) * len(babies), n), dtype=np.int64)
        for i, pair in enumerate((baby, giant) for giant in giants for baby in babies):
            if pair in numbers:
                row = self._signed(diagonals[numbers[pair]]).astype(np.int64)
                factors[i] = np.resize(np.roll(np.resize(row, self._period), pair[1]), n)
        prepared = _core.rlwe.prepare_factors(BatchEncoder(self._context).encode(factors)._core)
        return _core.rlwe.LinearMap(babies, giants, prepared)

    def polynomial(self, x: Any, coefficients: Any, basis: str) -> Any:
        """Refused: it is for real numbers."""
        raise UnsupportedError("operation 'polynomial' is for real numbers: take CKKS")

    def within(self, x: Any, value: Any, number: int) -> Any:
        """Refused: it is for real numbers."""
        raise UnsupportedError("operation 'within' is for real numbers: take CKKS")

    def bootstrap(self, x: Any, number: int) -> Any:
        """Refused: it is for real numbers."""
        raise UnsupportedError("operation 'bootstrap' is for real numbers: take CKKS")


class Numbers(_Encrypted):
    """Real numbers, by CKKS; levels look after themselves."""

    def _plaintext(self, value: Any, number: int) -> Any:
        row = np.resize(np.asarray(value, dtype=np.float64), self._slots)
        return self._kept(number, lambda: ckks.Plaintext(self._context, row, slots=self._slots))

    def add_plain(self, x: Any, value: Any, number: int) -> Any:
        """A sum with numbers in the clear."""
        if isinstance(value, (int, float)):
            return x + value
        return x + self._plaintext(value, number)

    def multiply_plain(self, x: Any, value: Any, number: int) -> Any:
        """A product with numbers in the clear."""
        if isinstance(value, (int, float)):
            return x * value if value else x - x
        return x * self._plaintext(value, number)

    def linear_transform(self, x: Any, diagonals: Any, number: int) -> Any:
        """One fused map of all diagonals."""
        if set(diagonals) == {0}:
            return self.multiply_plain(x, diagonals[0], number)
        return self.planned_transform(x, diagonals, plan_of(diagonals, self._period), number)

    def planned_transform(
        self, x: Any, diagonals: Mapping[int, NDArray[Any]], plan: Plan, number: int
    ) -> Any:
        """The same, by a plan that was made before: its rotations need keys."""
        x = x.rescale()
        x._require_levels("a linear transform", 1)
        made = self.prepare(diagonals, plan, number, x.level)
        evaluator, keys = self._context._evaluator, rotation_keys(self._keys)._core
        if plan.fold:
            x = x + x.rotate_rows(plan.fold, self._keys).multiply_by_i()
        core = evaluator.apply_map(made, x._core, keys)
        if plan.fold:
            core = evaluator.twice_real(core, keys)
        return x._wrap(self._context, core)

    def prepare(
        self, diagonals: Mapping[int, NDArray[Any]], plan: Plan, number: int, level: int
    ) -> Any:
        """A linear transform encoded for a level, once."""
        return self._kept((number, level), lambda: self._map(diagonals, plan, level))

    def _map(self, rows: Mapping[int, NDArray[Any]], plan: Plan, level: int) -> Any:
        context, slots = self._context, self._slots
        diagonals = plan.diagonals(rows, self._period)
        first, last = context.parameters.levels[level - 1]
        words = context.n * (last - first + len(context.parameters.special)) * 8
        context._core.require_memory(len(diagonals) * words, "the diagonals of a linear transform")
        steps = {number: plan.pairs[number] for number in diagonals}
        babies, giants = (sorted({pair[k] for pair in steps.values()}) for k in (0, 1))
        return _core.ckks.LinearTransform(
            context._core,
            [sum(steps[number]) % slots for number in diagonals],
            np.array([np.resize(row, slots) for row in diagonals.values()], dtype=np.complex128),
            level,
            babies,
            giants,
            context._core.scale(level),
        )

    def polynomial(self, x: Any, coefficients: Any, basis: str) -> Any:
        """The library's own, of the least depth."""
        return x.polynomial(coefficients, self._keys, basis=basis)

    def within(self, x: Any, value: Any, number: int) -> Any:
        """What is stated of the numbers."""
        bound, error = value
        return x.within(min(bound, x.bound), error=error)

    def bootstrap(self, x: Any, number: int) -> Any:
        """Levels won back, as many as are needed where that is known."""
        keys, bound = self._bootstraps.keys, self._bootstraps.bound
        if keys is None:
            raise MissingKeyError(
                "bootstrap_keys is None, and the program bootstraps: make them with "
                "program.bootstrapper(...).make_keys(keys)"
            )
        x = x.rescale()
        level = self._bootstraps.levels.get(number)
        return keys.bootstrap(x.within(bound) if x.bound > bound else x, level=level)


def arithmetic(context: Any, *arguments: Any) -> Integers | Numbers:
    """What carries out operations in a context; arguments are those of the classes."""
    made = Numbers if isinstance(context, ckks.Context) else Integers
    return made(context, *arguments)
