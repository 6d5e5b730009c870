# SPDX-License-Identifier: Apache-2.0
"""What Orion's operations are made of: ciphertexts with the level and the scale that it counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from nttforge import ParameterError, UnsupportedError
from nttforge.rlwe.rotations import folded

from .holder import Holder
from .values import Encoded, Encrypted

__all__ = ["Operations"]


class Operations(Holder):
    """Operations on what is held; results are neither named nor kept."""

    def _new(self, value: Encrypted) -> int:
        return self._ciphertexts.add(value)

    def _set(self, handle: int, value: Encrypted) -> int:
        self._ciphertexts[handle] = value
        return handle

    def _folded(self, step: int) -> int:
        return folded(int(step), self.ring.slots)

    def _machine(self) -> Any:
        if self.ring.machine is None:
            raise UnsupportedError(
                "this scheme does not bootstrap: state boot_params in Orion's configuration, or "
                "bootstraps=True"
            )
        return self.ring.machine

    def _map(self, handle: int, function: Callable[[Any], Any]) -> Encrypted:
        x = self._ciphertexts[handle]
        return replace(x, text=function(x.text))

    def _product(self, x: Encrypted, text: Any, scale: float) -> Encrypted:
        return Encrypted(text, x.level, x.scale * scale, x.factor)

    def _settled(self, x: Encrypted) -> Any:
        return x.text.rescale() if x.text.parts == 2 else x.text

    def _fitting(self, text: Any, level: int, growth: float = 1.0) -> Any:
        """With a bound: what follows fits below the modulus, and numbers are of a usual size.

        Orion promises the first, and nothing carries errors there: only what is said of ours
        depends on the second.
        """
        most = min(self.ring.capacity(max(level, 1)) / growth, self.ring.usual)
        return text.within(most) if text.bound > most else text

    def _of_numbers(self, x: Encrypted) -> Any:
        """A ciphertext of the numbers themselves."""
        if x.factor == 1:
            return x.text
        whole = float(x.factor).is_integer()
        return x.text * (int(x.factor) if whole else x.factor)

    def _rotated(self, handle: int, amount: int) -> Encrypted:
        step = self._folded(amount)
        self.keys.add([step])
        return self._map(handle, lambda x: x.rotate_rows(step, self.keys.evaluation))

    def _rescaled(self, handle: int) -> Encrypted:
        x = self._ciphertexts[handle]
        if x.level < 1:
            raise ParameterError("Rescale: the ciphertext is at level 0; LogQ needs more primes")
        text = self._fitting(self._settled(x), 1 if x.level == 1 else x.text.level)
        return Encrypted(text, x.level - 1, x.scale / self.ring.moduli[x.level], x.factor)

    def _plus_number(self, handle: int, scalar: float) -> Encrypted:
        x = self._ciphertexts[handle]
        return replace(x, text=x.text + scalar / x.factor) if scalar else x

    def _times_integer(self, handle: int, scalar: int) -> Encrypted:
        x, factor = self._ciphertexts[handle], int(scalar)
        if not factor:
            return replace(x, text=x.text - x.text)
        if factor == 1:
            return x
        return replace(x, text=self._fitting(x.text, x.text.level, abs(factor)) * factor)

    def _times_number(self, handle: int, scalar: float) -> Encrypted:
        if float(scalar).is_integer():
            return self._times_integer(handle, int(scalar))
        x = self._ciphertexts[handle]
        text = self._fitting(self._settled(x), x.text.level, max(1.0, abs(scalar)))
        return self._product(x, text * float(scalar), self.ring.moduli[x.level])

    def _plus_plain(self, handle: int, plaintext: int, sign: int) -> Encrypted:
        x, plain = self._ciphertexts[handle], self._plaintexts[plaintext]
        other = self.encoded(plain, x.factor)
        text = self._fitting(x.text, x.text.level, 2.0)
        text = text + other if sign > 0 else text - other
        level, scale = min(x.level, plain.level), max(x.scale, plain.scale)
        return Encrypted(text, level, scale, x.factor)

    def _times_plain(self, handle: int, plaintext: int) -> Encrypted:
        x, plain = self._ciphertexts[handle], self._plaintexts[plaintext]
        text = self._fitting(self._settled(x), x.text.level - 1, max(1.0, _largest(plain)))
        product = text * self.encoded(plain, 1.0)
        return Encrypted(product, min(x.level, plain.level), x.scale * plain.scale, x.factor)

    def _plus(self, handle: int, other: int, sign: int) -> Encrypted:
        x, y = self._ciphertexts[handle], self._ciphertexts[other]
        left, right, factor = x.text, y.text, x.factor
        if x.factor != y.factor:
            left, right, factor = self._of_numbers(x), self._of_numbers(y), 1.0
        level = min(left.level, right.level)
        left, right = (self._fitting(text, level, 2.0) for text in (left, right))
        text = left + right if sign > 0 else left - right
        return Encrypted(text, min(x.level, y.level), max(x.scale, y.scale), factor)

    def _times(self, handle: int, other: int) -> Encrypted:
        x, y = self._ciphertexts[handle], self._ciphertexts[other]
        level = min(x.text.level, y.text.level) - 1
        most = min(self.ring.capacity(max(level, 1)) ** 0.5, self.ring.usual)
        left, right = (
            text.within(most) if text.bound > most else text
            for text in (self._settled(x), self._settled(y))
        )
        made = left.square() if x is y else left * right
        text = made.relinearize(self.keys.evaluation, rescale=False)
        level = min(x.level, y.level)
        return Encrypted(text, level, x.scale * y.scale, x.factor * y.factor)


def _largest(plain: Encoded) -> float:
    return float(np.max(np.abs(plain.values)))
