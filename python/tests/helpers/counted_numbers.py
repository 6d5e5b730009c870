# SPDX-License-Identifier: Apache-2.0
"""A stand-in for a CKKS ciphertext: numbers whose levels are counted and that get noisier."""

from __future__ import annotations

from typing import Any

import numpy as np

from nttforge.circuits import Basis, Evaluation, interval_map


class Counted:
    """complex128 values with levels left; every operation adds noise of at most ``noise``.

    As of a ciphertext, a product has three parts and is no factor until it is relinearized.
    """

    products = 0  # of two of them, since somebody set it to 0
    keys = "keys"  # what relinearize must be given

    def __init__(self, values: Any, level: int, noise: float = 0.0, seed: int = 0) -> None:
        self.values = np.asarray(values, dtype=np.complex128)
        self.levels_left = level
        self.parts = 2
        self.noise = noise
        self._random = np.random.default_rng(seed)

    def _new(self, values: Any, level: int) -> Counted:
        if level < 0:
            raise AssertionError("a level below 0 was used")
        made = Counted(values, level, self.noise)
        made._random = self._random
        if self.noise:
            made.values += self.noise * self._random.uniform(-1, 1, made.values.shape)
        return made

    def _with(self, other: Any) -> tuple[Any, int]:
        if isinstance(other, Counted):
            return other.values, min(self.levels_left, other.levels_left)
        return other, self.levels_left

    def __add__(self, other: Any) -> Counted:
        values, level = self._with(other)
        return self._new(self.values + values, level)

    def __sub__(self, other: Any) -> Counted:
        values, level = self._with(other)
        return self._new(self.values - values, level)

    def __neg__(self) -> Counted:
        return self._new(-self.values, self.levels_left)

    def __mul__(self, other: Any) -> Counted:
        values, level = self._with(other)
        found = self._new(self.values * values, level - (not isinstance(other, int)))
        if isinstance(other, Counted):
            assert self.parts == other.parts == 2
            found.parts = 3
            Counted.products += 1
        return found

    def relinearize(self, keys: str) -> Counted:
        assert self.parts == 3 and keys == self.keys
        self.parts = 2
        return self

    def off_by(self, error: float) -> Counted:
        return self

    def polynomial(
        self,
        coefficients: tuple[float, ...],
        keys: str,
        *,
        basis: Basis = "power",
        interval: tuple[float, float] | None = None,
        domain: Any = None,
    ) -> Any:
        x = self
        if interval is not None:
            factor, offset = interval_map(interval)
            x = x * factor if factor != 1 else x
            x = x + offset if offset else x
        text, constant = Evaluation(
            x, coefficients, basis=basis, constant_levels=1,
            product=lambda a, b: (a * b).relinearize(keys),
        ).result()  # fmt: skip
        return text + constant if constant else text
