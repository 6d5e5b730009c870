# SPDX-License-Identifier: Apache-2.0
"""Noise of recorded operations: the noise model of the library, operation by operation.

Each rule gives what the ciphertext of that operation carries, or more: of an array only its length
is used, since its coefficients depend on t and n, which are still to be chosen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core, bgv

if TYPE_CHECKING:
    from ..circuits import Diagonals
    from ..integer_encoding import Parameters

_STEPS = 1024  # of a bit: bounds of ciphertexts are rounded up to these
_NONE = -1e6  # log2 of the bounds of a ciphertext without noise
_SHRUNK = 0.25  # bits that a shrunk ciphertext keeps at least beside those that are asked for


class Noise(NamedTuple):
    """log2 of bounds as ciphertexts carry them, and what else their operations depend on."""

    coefficient: float  # of the largest coefficient
    canonical: float  # of the size at the roots
    degree: float  # the power of the secret in it
    parts: int = 2
    level: int = 0  # of BGV; 0 is the highest, for BFV
    factor: int = 1  # what messages of BGV are multiplied with, modulo t

    @property
    def bounds(self) -> tuple[float, float, float]:
        """As the library's model takes them."""
        return self[:3]


class NoiseRules:
    """The noise model of one parameter set; of BFV, whose ciphertexts stay at one level."""

    _scheme: Any = _core.bfv
    _top = 0

    def __init__(self, parameters: Parameters, plan: Any = None) -> None:
        self._plan, self._t = plan, parameters.t  # of bootstraps, if there are any
        self._budget_scale = self._t
        self._model: Any = self._scheme.NoiseModel(parameters._core)
        self._primes = parameters.q
        self._row = parameters.n // 2
        self._any_plaintext = float(parameters.n) * (parameters.t // 2)

    def budget(self, noise: Noise) -> float:
        """Bits left; decryption needs more than 0."""
        return float(self._model.limit_log2(noise.level)) - noise.coefficient

    def fresh(self, _: Sequence[Noise]) -> Noise:
        """By the public key."""
        return _up(self._model.fresh_public(), level=self._top)

    def same(self, operands: Sequence[Noise]) -> Noise:
        """What changes no noise."""
        return operands[0]

    def add(self, operands: Sequence[Noise]) -> Noise:
        """A sum or difference of two ciphertexts."""
        a, b = self._terms(*operands)
        return _up(self._model.add(a.bounds, b.bounds), max(a.parts, b.parts), a.level, a.factor)

    def add_plain(self, operands: Sequence[Noise]) -> Noise:
        """A plaintext is added or subtracted."""
        return _up(self._model.add_plain(operands[0].bounds), *operands[0][3:])

    def multiply(self, operands: Sequence[Noise]) -> Noise:
        """A product of two ciphertexts."""
        a, b = self._factors(*operands)
        factor = a.factor * b.factor % self._t
        return _up(self._model.multiply(a.bounds, b.bounds, 1), 3, a.level, factor)

    def bootstrapped(self, operands: Sequence[Noise]) -> Noise:
        """After a bootstrap; nothing is left of what has too little for one."""
        budget = self.budget(operands[0])
        if self._plan is None or budget < self._plan.least_budget_bits:
            return Noise(math.inf, math.inf, 1, 2, self._top)
        bounds = self._plan.noise_after(budget, self._budget_scale)
        return _up(bounds, level=self._top, factor=self._lifted(operands[0]))

    def key_switch(self, operands: Sequence[Noise]) -> Noise:
        """A relinearization or rotation."""
        _, level, factor = operands[0][3:]
        return _up(self._model.key_switch(operands[0].bounds, level), 2, level, factor)

    @staticmethod
    def shrunk(budget: float) -> Callable[[NoiseRules, Sequence[Noise]], Noise]:
        """What is left of a ciphertext that was shrunk to so many bits of budget."""

        def rule(self: NoiseRules, operands: Sequence[Noise]) -> Noise:
            noise = self._shrunk(operands[0], budget)
            more = self.budget(noise) - budget
            if more < 0:  # a set that leaves less is not enough: no budget is left of it
                more = max(0.0, self.budget(noise)) + 1
            coefficient, canonical, degree = noise.bounds
            return _up((coefficient + more, canonical + more, degree), *noise[3:])

        return rule

    @staticmethod
    def multiply_plain(norm: float | None) -> Callable[[NoiseRules, Sequence[Noise]], Noise]:
        """A product with a constant of this absolute value, or with any plaintext."""

        def rule(self: NoiseRules, operands: Sequence[Noise]) -> Noise:
            factor = self._any_plaintext if norm is None else norm
            return _up(self._model.multiply_plain(operands[0].bounds, factor), *operands[0][3:])

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
            layout, model, (a,) = layout_of(self._row), self._model, operands
            count = len(layout.baby_steps)
            moved = model.key_switch(a.bounds, a.level)
            sums = _up(model.multiply_plain(moved, count * self._any_plaintext), *a[3:])
            # The sums of giant steps are added one by one, each rotated.
            rotated, total = self.key_switch((sums,)), None
            for _ in layout.giant_steps:
                total = rotated if total is None else self.add((total, rotated))
            return rotated if total is None else total

        return rule

    def _terms(self, a: Noise, b: Noise) -> tuple[Noise, Noise]:
        """Operands of a sum, of one level and factor."""
        return a, b

    def _factors(self, a: Noise, b: Noise) -> tuple[Noise, Noise]:
        """Operands of a product, at its level."""
        return a, b

    def _lifted(self, noise: Noise) -> int:
        """The factor of a ciphertext that is read at the highest level."""
        return noise.factor

    def _shrunk(self, noise: Noise, budget: float) -> Noise:
        """At the level to which it is shrunk."""
        return noise


class _LevelRules(NoiseRules):
    """The same of BGV: products go down as far as that leaves more budget, sums balance factors."""

    _scheme = _core.bgv

    def __init__(self, parameters: Parameters, plan: Any = None) -> None:
        super().__init__(parameters, plan)
        self._budget_scale = 1
        self._top = len(self._primes)

    def _at(self, noise: Noise, level: int) -> Noise:
        """The noise of what is brought down to a level."""
        if noise.level == level:
            return noise
        bounds: tuple[float, float, float] = self._model.to_level(
            noise.bounds, noise.level, level, noise.parts
        )
        gone = math.prod(self._primes[level : noise.level])
        factor = noise.factor * pow(gone, -1, self._t) % self._t
        return Noise(*bounds, noise.parts, level, factor)

    def _terms(self, a: Noise, b: Noise) -> tuple[Noise, Noise]:
        level = min(a.level, b.level)
        a, b = self._at(a, level), self._at(b, level)
        if a.factor == b.factor:
            return a, b
        f, g = _core.bgv.balance(a.factor, b.factor, self._t)
        return self._times(a, f), self._times(b, g)

    def _times(self, noise: Noise, f: int) -> Noise:
        bounds = self._model.scale(noise.bounds, f)
        return _up(bounds, noise.parts, noise.level, noise.factor * f % self._t)

    def _factors(self, a: Noise, b: Noise) -> tuple[Noise, Noise]:
        level = self._model.product_level(a.bounds, a.level, b.bounds, b.level)
        return self._at(a, level), self._at(b, level)

    def _lifted(self, noise: Noise) -> int:
        return noise.factor * math.prod(self._primes[noise.level :]) % self._t

    def _shrunk(self, noise: Noise, budget: float) -> Noise:
        # Roundings alone say how far: the noise of a ciphertext depends on plaintexts.
        none = Noise(_NONE, _NONE, 0, noise.parts, noise.level)
        while none.level > 1:
            none = self._at(none, none.level - 1)
            if self.budget(none) < budget + _SHRUNK:
                break
            noise = self._at(noise, none.level)
        return noise


def noise_rules(parameters: Parameters, plan: Any = None) -> NoiseRules:
    """The rules of a parameter set of BFV or BGV."""
    of_scheme = _LevelRules if isinstance(parameters, bgv.Parameters) else NoiseRules
    return of_scheme(parameters, plan)


def _up(
    bounds: tuple[float, float, float], parts: int = 2, level: int = 0, factor: int = 1
) -> Noise:
    coefficient, canonical, degree = bounds
    steps = math.ceil(coefficient * _STEPS), math.ceil(canonical * _STEPS)
    return Noise(steps[0] / _STEPS, steps[1] / _STEPS, degree, parts, level, factor)
