# SPDX-License-Identifier: Apache-2.0
"""Ciphertexts of CKKS simulated on numbers of given ranges, to predict levels, keys and errors.

Bounds on errors add up the worst of every step. What is predicted here is the error that is seen:
each step adds noise drawn from the distribution that it has with the key unknown
(docs/bounds/ckks_noise.md), slot by slot, to the numbers themselves.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _arguments as arguments
from ..circuits import Evaluation, interval_map
from ..ckks import Parameters
from ..errors import ParameterError
from ..rlwe.comparisons import Incomparable
from ..rlwe.rotations import folded

Real = NDArray[np.float64]

_DEEP = 10**6  # levels that are left where a depth is asked for
_SIGMA, _SECRET = 3.2, 2 / 3  # of errors, and the variance of a ternary secret
_GENERATOR = 5  # whose powers are the roots of the slots
_ALIGNED = 2.0**6  # what numbers of other levels and scales are off by, in units of 1 / scale


@dataclass(frozen=True)
class LevelStep:
    """One operation, for a plan of bootstraps: its operands and the levels that it takes."""

    operands: tuple[int, ...]
    levels: int
    parts: int
    bootstraps: bool = False
    name: str = "an operation"

    def rule(self, rules: Bootstrapping, left: Sequence[float]) -> float:
        """Levels that are left after it."""
        if self.bootstraps:
            return rules.bootstrapped(left)
        return float(min(left, default=rules.fresh) - self.levels)


@dataclass(frozen=True)
class Bootstrapping:
    """What bootstraps of a set are to a run: the bits that they keep, and levels."""

    bits: float
    fresh: float  # levels that a fresh ciphertext has above those that arguments need
    after: float  # the same of results

    def budget(self, left: float) -> float:
        """Positive while arguments are high enough."""
        return left + 1

    def key_switch(self, operands: Sequence[float]) -> float:
        """A relinearization divides the product."""
        return operands[0] - 1

    def bootstrapped(self, operands: Sequence[float]) -> float:
        """After a bootstrap."""
        return self.after if operands[0] >= 0 else -math.inf


class Run:
    """One run of a circuit: what it needs, and the noise that a set of parameters adds."""

    def __init__(self, parameters: Parameters, bootstrapping: Bootstrapping | None = None) -> None:
        self.parameters, self.n = parameters, parameters.n
        self.bootstrapping, self.bootstraps = bootstrapping, 0
        self.slots = self.n // 2
        self.rotations: set[int] = set()
        self.relinearization = False
        self.operations: Counter[str] = Counter()
        self.depth = 0
        self.steps: list[LevelStep] = []
        self.places: list[int] = []  # steps that a plan may have bootstrapped
        self._sizes: list[tuple[int, float]] = []  # levels used, log2 of bounds on numbers
        self._random = np.random.default_rng(1)
        self._scale = parameters.scale

    def input(self, values: Real) -> Simulated:
        """A fresh encryption of slots, (batch, slots)."""
        noise = self._rounded(values.shape) + self._divided(values.shape)
        return self.made(values, noise / self._scale, 0, 2, float(np.max(np.abs(values))))

    def made(
        self,
        values: Real,
        noise: Real,
        used: int,
        parts: int,
        bound: float,
        operands: Sequence[Simulated] = (),
        bootstraps: bool = False,
    ) -> Simulated:
        """A ciphertext after so many levels, with the bound that it would state."""
        self.depth = max(self.depth, used)
        levels = used - max((x.used for x in operands), default=used)
        self.steps.append(LevelStep(tuple(x.index for x in operands), levels, parts, bootstraps))
        if not math.isfinite(bound):
            raise ParameterError("the computation has values beyond 2^1024: take narrower ranges")
        self._sizes.append((used, math.log2(bound) if bound else 0.0))
        return Simulated(self, values, noise, used, parts, bound)

    def passed(self, text: Any, keys: Any) -> Any:
        """Notes a place where a plan may have the text bootstrapped."""
        if isinstance(text, Simulated):
            self.places.append(text.index)
        return text

    @property
    def levels(self) -> int:
        """The depth, and more where numbers need room above the scale at its end."""
        first, last = self.parameters.levels[0]
        scale = math.log2(self._scale)
        room = math.fsum(math.log2(q) for q in self.parameters.q[first:last]) - scale - 2.2
        more = (math.ceil((size - room) / scale) + used for used, size in self._sizes)
        return max(self.depth, *more)

    def _complex(self, shape: tuple[int, ...], variance: float) -> NDArray[np.complex128]:
        """A polynomial of coefficients of a variance at the roots."""
        parts = self._random.normal(size=(2, *shape)) * math.sqrt(variance * self.n / 2)
        return np.asarray(parts[0] + 1j * parts[1])

    @cached_property
    def _secret(self) -> NDArray[np.complex128]:
        return self._complex((self.slots,), _SECRET)

    @cached_property
    def _ones(self) -> Real:
        """|1 + X + ... + X^(n-1)| at the root of each slot."""
        power, exponents = 1, np.empty(self.slots)
        for j in range(self.slots):
            exponents[j], power = power, power * _GENERATOR % (2 * self.n)
        return np.asarray(1 / np.abs(np.sin(np.pi * exponents / (2 * self.n))))

    def _rounded(self, shape: tuple[int, ...]) -> Real:
        return np.real(self._complex(shape, 1 / 12))

    def rescaling(self, shape: tuple[int, ...]) -> Real:
        """What a division of both parts by primes leaves, in units of the numbers."""
        found = self._complex(shape, 1 / 12) + self._complex(shape, 1 / 12) * self._secret
        return np.real(found) / self._scale

    def _divided(self, shape: tuple[int, ...]) -> Real:
        """The same of the special primes, whose quotient is off by their number."""
        count = len(self.parameters.special)
        noise = self.rescaling(shape) * self._scale * math.sqrt(max(count, 1))
        if count > 1 and count % 2:
            noise = noise + 0.5 * self._ones * np.real(1 + self._secret)
        return noise

    @cached_property
    def _digits(self) -> Real:
        """What digits of a ciphertext make of the errors of a key, slot by slot."""
        p, found = self.parameters, np.zeros(self.slots)
        special = math.fsum(math.log2(q) for q in p.special)
        step = max(1, p.digit_primes)
        for first in range(0, len(p.q), step):
            primes = p.q[first : first + step]
            ratio = 2.0 ** (math.fsum(math.log2(q) for q in primes) - special)
            count = len(primes)
            found += (ratio * (count * self._ones / 2 + math.sqrt(count * self.n / 12))) ** 2
        return np.asarray(_SIGMA * np.sqrt(self.n * found))

    def key_switch(self, shape: tuple[int, ...], *, divided: bool = True) -> Real:
        """What a rotation adds, in units of the numbers; before the division by special primes."""
        noise = self._digits * self._random.normal(size=shape) / math.sqrt(2)
        return (noise + self._divided(shape) if divided else noise) / self._scale

    def aligned(self, x: Simulated, other: Simulated) -> Real | float:
        """What one of two is off by that is brought to the other's level and scale.

        That is the one of the higher level; but a product is not rescaled for a sum.
        """
        if (x.used, x.parts) == (other.used, other.parts):
            return 0.0
        moved = min(x, other, key=lambda one: (one.parts, one.used))
        return np.asarray(moved.values) * float(
            self._random.choice((-0.4, 0.4)) * _ALIGNED / self._scale
        )

    def encoding(self, shape: tuple[int, ...]) -> Real:
        """What encoding makes numbers be off by."""
        return self._rounded(shape) / self._scale


class Simulated(Incomparable):
    """Stands for a :class:`nttforge.ckks.Ciphertext`: exact numbers, and noise beside them."""

    __slots__ = ("_run", "bound", "index", "noise", "parts", "used", "values")
    __array_ufunc__ = None
    _instead_of_comparing = "its numbers are examples; a circuit does the same for all numbers"
    real = True

    def __init__(
        self, run: Run, values: Real, noise: Real, used: int, parts: int, bound: float
    ) -> None:
        self._run, self.values, self.noise = run, values, noise
        self.used, self.parts, self.bound = used, parts, bound
        self.index = len(run.steps) - 1  # of the step that made it

    @property
    def batch(self) -> int:
        """Number of messages."""
        return len(self.values)

    @property
    def slots(self) -> int:
        """Numbers of a message."""
        return self._run.slots

    @property
    def levels_left(self) -> int:
        """More than any circuit needs."""
        return _DEEP - self.used

    @property
    def error(self) -> float:
        """The largest error of these numbers."""
        return float(np.max(np.abs(self.noise)))

    def __getitem__(self, index: int) -> Simulated:
        return self._made(self.values[index : index + 1], self.noise[index : index + 1])

    def _made(
        self, values: Real, noise: Real, bound: float | None = None, levels: int = 0, parts: int = 0
    ) -> Simulated:
        bound = self.bound if bound is None else bound
        return self._run.made(
            values, noise, self.used + levels, parts or self.parts, bound, (self,)
        )

    def _sum(self, other: Any, sign: int) -> Simulated:
        run = self._run
        if not isinstance(other, Simulated):
            plain = self._plain(other)
            values, bound = self.values + sign * plain, self.bound + float(np.max(np.abs(plain)))
            return self._made(values, self.noise + run.encoding(values.shape), bound)
        run.operations["sum"] += 1
        used, parts = max(self.used, other.used), max(self.parts, other.parts)
        values, noise = self.values + sign * other.values, self.noise + sign * other.noise
        noise = noise + run.aligned(self, other)
        return run.made(values, noise, used, parts, self.bound + other.bound, (self, other))

    def _plain(self, other: Any) -> Real:
        values = np.asarray(other, np.float64)
        if values.ndim and values.shape[-1] < self.slots:
            room = self.slots - values.shape[-1]
            values = np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, room)])
        return values

    def __add__(self, other: Any) -> Simulated:
        return self._sum(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Simulated:
        return self._sum(other, -1)

    def __rsub__(self, other: Any) -> Simulated:
        return (-self)._sum(other, 1)

    def __neg__(self) -> Simulated:
        return self._made(-self.values, -self.noise)

    def __mul__(self, other: Any) -> Simulated:
        if isinstance(other, Simulated):
            if max(self.parts, other.parts) > 2:
                raise ParameterError("multiply: an operand has 3 parts: relinearize it first")
            self._run.operations["product"] += 1
            noise = self.values * other.noise + other.values * self.noise + self.noise * other.noise
            if self is not other:
                noise = noise + self._run.aligned(self, other) * (
                    self.values if other.used < self.used else other.values
                )
            used, bound = max(self.used, other.used), self.bound * other.bound
            return self._run.made(self.values * other.values, noise, used, 3, bound, (self, other))
        factor, run = self._plain(other), self._run
        bound = self.bound * float(np.max(np.abs(factor)))
        if isinstance(other, (int, np.integer)):
            return self._made(self.values * factor, self.noise * factor, bound)
        run.operations["product with numbers"] += 1
        values = self.values * factor
        noise = self.noise * factor + run.rescaling(values.shape)
        if factor.ndim:
            noise = noise + self.values * run.encoding(values.shape)
        return self._made(values, noise, bound, 1)

    __rmul__ = __mul__

    def __truediv__(self, other: complex) -> Simulated:
        return self * (1.0 / other)

    def __pow__(self, exponent: int) -> Simulated:
        return self.square() if exponent == 2 else self.power(exponent)

    def square(self) -> Simulated:
        """``self * self``."""
        return self * self

    def power(self, exponent: int, keys: Any = None) -> Simulated:
        """As :meth:`Ciphertext.power`."""
        return self.polynomial([0.0] * exponent + [1.0]) if exponent > 1 else self

    def relinearize(self, keys: Any = None, *, rescale: bool = True) -> Simulated:
        """Three parts to two, rescaled."""
        if self.parts == 2:
            return self
        self._run.relinearization = True
        noise = self.noise + self._run.rescaling(self.noise.shape)
        return self._made(self.values, noise, None, 1, 2)

    def rescale(self) -> Simulated:
        """Nothing is waiting for it."""
        return self

    def bootstrap(self, keys: Any = None, **options: Any) -> Simulated:
        """With levels again, and off by what a bootstrap of the set is off by in its worst slot."""
        run = self._run
        if run.bootstrapping is None:
            raise ParameterError("bootstrap: no recommended set has bootstraps")
        run.bootstraps += 1
        signs = run._random.choice((-1.0, 1.0), self.noise.shape)
        noise = self.noise + signs * 2.0**-run.bootstrapping.bits
        return run.made(self.values, noise, 0, 2, self.bound, (self,), True)

    def within(self, bound: float, *, error: float | None = None) -> Simulated:
        """As :meth:`Ciphertext.within`; errors that are seen do not depend on bounds."""
        return self._made(self.values, self.noise, bound)

    def off_by(self, error: float) -> Simulated:
        """What an approximation misses comes on top of the noise."""
        return self._made(self.values, self.noise + np.copysign(error, self.noise))

    def rotate_rows(self, step: int, keys: Any = None, *, compose: bool = False) -> Simulated:
        """As :meth:`Ciphertext.rotate_rows`."""
        step, run = folded(arguments.integer("step", step, -(2**17), 2**17), self.slots), self._run
        if not step:
            return self
        run.rotations.add(step)
        run.operations["rotation"] += 1
        noise = np.roll(self.noise, -step, axis=-1) + run.key_switch(self.noise.shape)
        return self._made(np.roll(self.values, -step, axis=-1), noise)

    def inner_sum(self, span: int, keys: Any = None) -> Simulated:
        """As :meth:`Ciphertext.inner_sum`."""
        found = self
        for i in range(arguments.integer("span", span, 1, self.slots).bit_length() - 1):
            found = found + found.rotate_rows(1 << i)
        return found

    def total(self) -> Simulated:
        """The sum over the batch."""
        values, noise = self.values.sum(axis=0)[None], self.noise.sum(axis=0)[None]
        return self._made(values, noise, self.bound * self.batch)

    def mapped(
        self, maps: Sequence[dict[int, Real]], baby: Sequence[int], giant: Sequence[int]
    ) -> Simulated:
        """Linear maps by their diagonals; each makes an element of the result's batch."""
        run, rows, most = self._run, [], 0.0
        steps = {*baby, *giant} - {0}
        run.rotations |= steps
        run.operations["rotation"] += len(maps) * len(steps)
        last = {(g + b) % self.slots: g for g in giant for b in baby}
        for diagonals in maps:
            values = noise = np.zeros((1, self.slots))
            for step, factors in diagonals.items():
                moved = np.roll(self.values, -step, axis=-1)
                values = values + factors * moved
                noise = noise + factors * np.roll(self.noise, -step, axis=-1)
                # of the baby step; the giant step moves it
                switched = np.roll(run.key_switch(moved.shape, divided=False), -last[step], axis=-1)
                noise = noise + factors * switched
                noise = noise + moved * run.encoding(moved.shape)
            rows.append((values, noise + run.key_switch(noise.shape)))
            most = max(most, float(np.max(sum(np.abs(f) for f in diagonals.values()))))
            run.operations["product with numbers"] += len(diagonals)
        values, noise = (np.concatenate(part) for part in zip(*rows, strict=True))
        return self._made(values, noise, self.bound * most, 1)

    def polynomial(
        self, coefficients: Sequence[float], keys: Any = None, *, basis: Any = "power",
        interval: Any = None, domain: Any = None,
    ) -> Any:  # fmt: skip
        """As :meth:`Ciphertext.polynomial`, by the same plan."""
        x = self
        if interval is not None:
            factor, offset = interval_map(interval)
            x = x if factor == 1 else x * factor
            x = x + offset if offset else x
        last = np.flatnonzero(coefficients)
        values = [float(v) for v in coefficients[: last[-1] + 1]]
        text, constant = Evaluation(
            x, values, basis=basis, constant_levels=1, product=lambda a, b: (a * b).relinearize()
        ).result()
        return text + constant if constant else text
