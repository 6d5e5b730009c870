# SPDX-License-Identifier: Apache-2.0
"""Noise of recorded operations: the noise model of the library, operation by operation.

Each rule gives what the ciphertext of that operation carries, or more: of an array only its length
is used, since its coefficients depend on t and n, which are still to be chosen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from .. import _core

if TYPE_CHECKING:
    from ..bfv import Parameters
    from ..circuits import Diagonals

__all__ = ["Noise", "NoiseRules"]

#: log2 of bounds as ciphertexts carry them: of the largest coefficient, of the size at the roots,
#: and the power of the secret in it.
Noise: TypeAlias = tuple[float, float, float]

_STEPS = 1024  # of a bit: bounds of ciphertexts are rounded up to these


class NoiseRules:
    """The noise model of one parameter set."""

    def __init__(self, parameters: Parameters, plan: Any = None) -> None:
        self._plan, self._t = plan, parameters.t  # of bootstraps, if there are any
        self._model: Any = _core.bfv.NoiseModel(parameters._core)
        self._level = len(parameters.q)
        self._row = parameters.n // 2
        self._any_plaintext = float(parameters.n) * (parameters.t // 2)

    def budget(self, noise: Noise) -> float:
        """Bits left; decryption needs more than 0."""
        return float(self._model.limit_log2(self._level)) - noise[0]

    def fresh(self, _: Sequence[Noise]) -> Noise:
        """By the public key."""
        return _up(self._model.fresh_public())

    def same(self, operands: Sequence[Noise]) -> Noise:
        """What changes no noise."""
        return operands[0]

    def add(self, operands: Sequence[Noise]) -> Noise:
        """A sum or difference of two ciphertexts."""
        return _up(self._model.add(*operands))

    def add_plain(self, operands: Sequence[Noise]) -> Noise:
        """A plaintext is added or subtracted."""
        return _up(self._model.add_plain(operands[0]))

    def multiply(self, operands: Sequence[Noise]) -> Noise:
        """A product of two ciphertexts."""
        return _up(self._model.multiply(*operands, 1))

    def bootstrapped(self, operands: Sequence[Noise]) -> Noise:
        """After a bootstrap; nothing is left of what has too little for one."""
        budget = self.budget(operands[0])
        if self._plan is None or budget < self._plan.least_budget_bits:
            return math.inf, math.inf, 1
        return _up(self._plan.noise_after(budget, self._t))

    def key_switch(self, operands: Sequence[Noise]) -> Noise:
        """A relinearization or rotation."""
        return _up(self._model.key_switch(operands[0], self._level))

    @staticmethod
    def shrunk(budget: float) -> Callable[[NoiseRules, Sequence[Noise]], Noise]:
        """What is left of a ciphertext that was shrunk to so many bits of budget."""

        def rule(self: NoiseRules, operands: Sequence[Noise]) -> Noise:
            coefficient, canonical, degree = operands[0]
            more = self.budget(operands[0]) - budget
            if more < 0:  # a set that leaves less is not enough: no budget is left of it
                more = max(0.0, self.budget(operands[0])) + 1
            return _up((coefficient + more, canonical + more, degree))

        return rule

    @staticmethod
    def multiply_plain(norm: float | None) -> Callable[[NoiseRules, Sequence[Noise]], Noise]:
        """A product with a constant of this absolute value, or with any plaintext."""

        def rule(self: NoiseRules, operands: Sequence[Noise]) -> Noise:
            factor = self._any_plaintext if norm is None else norm
            return _up(self._model.multiply_plain(operands[0], factor))

        return rule

    @staticmethod
    def rotated_sums(count: int) -> Callable[[NoiseRules, Sequence[Noise]], Noise]:
        """log2 of ``count`` times the sum with a rotation."""

        def rule(self: NoiseRules, operands: Sequence[Noise]) -> Noise:
            noise = operands[0]
            for _ in range(count.bit_length() - 1):
                noise = self.add((noise, self.key_switch((noise,))))
            return noise

        return rule

    @staticmethod
    def linear_map(
        layout_of: Callable[[int], Diagonals],
    ) -> Callable[[NoiseRules, Sequence[Noise]], Noise]:
        """Baby steps, products with diagonals, giant steps; layout_of takes slots of a row."""

        def rule(self: NoiseRules, operands: Sequence[Noise]) -> Noise:
            layout, model = layout_of(self._row), self._model
            count = len(layout.baby_steps)
            moved = model.key_switch(operands[0], self._level)
            sums = _up(model.multiply_plain(moved, count * self._any_plaintext))
            # The sums of giant steps are added one by one, each rotated.
            rotated, total = self.key_switch((sums,)), None
            for _ in layout.giant_steps:
                total = rotated if total is None else self.add((total, rotated))
            return rotated if total is None else total

        return rule


def _up(noise: Noise) -> Noise:
    coefficient, canonical, degree = noise
    return math.ceil(coefficient * _STEPS) / _STEPS, math.ceil(canonical * _STEPS) / _STEPS, degree
