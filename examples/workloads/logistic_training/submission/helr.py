# SPDX-License-Identifier: Apache-2.0
"""Logistic regression trained on encrypted records, with encrypted weights [HHCP19].

Records are rows z = y x, y = 1 or -1, and Nesterov's accelerated gradient is

    w' = v + (rate / records) * sum of sigmoid(-z v) z,        v' = (1 - eta) w' + eta w

A ciphertext has a block of F features of all records of a batch: feature j of record i is in slot
i F + j. Weights repeat with the records; those of all blocks share one ciphertext, block b in the
records i = b modulo R, so that one bootstrap serves them all:

    w     | block 0 | block 1 | ... block R - 1 | block 0 | ...        R F slots a period
    z_b   | record 0, features of block b | record 1, features of block b | ...

An iteration takes nine levels: the momentum (1), masks that take the blocks of v apart (1),
products with z (1), a sum over the features of a block by one linear map (1), the sigmoid's
polynomial of degree 7, times the rate (3), its products with z (1), masks that put blocks together
again (1). Then w' is bootstrapped. Masks are encoded once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nttforge
from nttforge import ckks
from nttforge.ckks import functions

Real = NDArray[np.float64]
LIMIT = 8.0  # |z v| stays below; the run in the clear checks it
LEVELS, RATE = 9, 0.2
SIGMOID = functions.approximate(lambda t: 0.5 - 0.5 * np.tanh(4 * t), (-1, 1), degree=7)


@dataclass(frozen=True)
class Shape:
    """How records and weights lie in slots."""

    slots: int
    features: int
    block: int

    @property
    def records(self) -> int:
        """In a batch."""
        return self.slots // self.block

    @property
    def blocks(self) -> int:
        return -(-self.features // self.block)

    @property
    def rows(self) -> int:
        return 1 << (self.blocks - 1).bit_length()

    def batches(self, z: Real) -> list[Real]:
        """Records in batches of (blocks, slots), the last filled up with zeros."""
        count = -(-len(z) // self.records)
        padded = np.zeros((count * self.records, self.blocks * self.block))
        padded[: len(z), : self.features] = z
        parts = padded.reshape(count, self.records, self.blocks, self.block)
        return list(parts.transpose(0, 2, 1, 3).reshape(count, self.blocks, self.slots))

    def weights(self, slots: Real) -> Real:
        """The weights of a packed vector."""
        return np.asarray(slots[: self.rows * self.block][: self.features])

    def masks(self) -> Real:
        """A row for each block: 1 where its weights lie."""
        row = np.arange(self.slots) // self.block % self.rows
        return np.asarray(row == np.arange(self.blocks)[:, None], np.float64)

    @property
    def rotations(self) -> tuple[int, ...]:
        return tuple(self.block << k for k in range(self.records.bit_length() - 1))


def schedule(iterations: int) -> Iterator[tuple[float, float]]:
    """Rates and momenta."""
    before = 0.01
    for _ in range(iterations):
        after = (1 + math.sqrt(1 + 4 * before * before)) / 2
        yield RATE, (1 - before) / after
        before = after


def in_the_clear(batches: list[Real], shape: Shape, steps: int, sigmoid: Any = None) -> list[Real]:
    """Weights after each iteration, by the polynomial or by another function of -z v / LIMIT.

    Raises
    ------
    ValueError
        A product leaves the interval of the polynomial; of another function none is asked.
    """
    evaluate = sigmoid or SIGMOID.evaluate
    w = old = np.zeros(shape.blocks * shape.block)
    found = []
    for t, (rate, eta) in enumerate(schedule(steps)):
        parts = batches[t % len(batches)].reshape(shape.blocks, shape.records, shape.block)
        z = parts.transpose(1, 0, 2).reshape(shape.records, -1)
        v = (1 - eta) * w + eta * old
        if sigmoid is None and np.abs(z @ v).max() > LIMIT:
            raise ValueError(f"iteration {t}: |z v| = {np.abs(z @ v).max():.2f} above {LIMIT}")
        count = np.count_nonzero(z.any(axis=1))
        w, old = v + rate / count * (evaluate(z @ v / LIMIT) @ z), w
        found.append(w[: shape.features])
    return found


class Trainer:
    """The server: encrypted records in, encrypted weights out; it holds no key that decrypts.

    Parameters
    ----------
    machine : Bootstrapper
    shape : Shape
    bound, error : float
        What weights stay within, and are off by at most: stated, since training corrects errors.
    """

    def __init__(
        self, machine: ckks.Bootstrapper, shape: Shape, bound: float, error: float
    ) -> None:
        self.machine, self.context, self.shape = machine, machine.context, shape
        self._bound, self._error = bound, error
        self._level = machine.input_level + LEVELS
        if self._level > machine.level:
            raise ValueError(f"an iteration takes {LEVELS} levels: this set has too few")
        ones = np.full((shape.block, shape.block), 1 / LIMIT)
        level = self._level - 3
        self._sums = ckks.LinearMap(ones, self.context, block=shape.block, level=level)
        masks = shape.masks()
        self._masks = ckks.Plaintext(self.context, masks if len(masks) > 1 else masks[0])

    @property
    def rotations(self) -> tuple[int, ...]:
        """Steps whose keys it needs."""
        return tuple(sorted({*self.shape.rotations, *self._sums.rotations}))

    def iterate(
        self, w: Any, old: Any, z: Any, step: tuple[float, float], count: int, keys: Any, boots: Any
    ) -> Any:
        """The next weights, ready for another iteration."""
        (rate, eta), shape = step, self.shape
        ahead = w * (1 - eta) + old * eta
        v = ahead * self._masks
        for k in range(shape.rows.bit_length() - 1):
            v = v + v.rotate_rows(shape.block << k, keys)
        v = v.within(min(self._bound, v.bound), error=self._error)
        total = _sum(v * z).relinearize(keys)
        t = total.matmul(self._sums, keys)
        row = [c * rate / count for c in SIGMOID.coefficients]
        g = t.within(min(1.0, t.bound)).polynomial(row, keys, basis="chebyshev")
        p = (g * z).relinearize(keys)
        for k in range(shape.rows.bit_length() - 1):
            p = p + p.rotate_rows(shape.block << k, keys)
        q = _sum(p * self._masks)
        for step_ in shape.rotations[shape.rows.bit_length() - 1 :]:
            q = q + q.rotate_rows(step_, keys)
        following = ahead + q
        known = following.within(min(self._bound, following.bound), error=self._error)
        fresh = boots.bootstrap(known.rescale(), level=self._level)
        return fresh.within(min(self._bound, fresh.bound), error=self._error)


def _sum(batch: Any) -> Any:
    first, *rest = ckks.unstack(batch)
    for text in rest:
        first = first + text
    return first


def train(
    machine: ckks.Bootstrapper,
    shape: Shape,
    batches: list[Real],
    steps: int,
    bound: float,
    error: float,
    told: Callable[[int, Real, float], object],
) -> dict[str, Any]:
    """Encrypts batches, trains, and tells the owner weights and seconds after each iteration."""
    trainer = Trainer(machine, shape, bound, error)
    begun = time.perf_counter()
    keys = machine.context.generate_keys(relinearization=True, rotations=trainer.rotations)
    boots = machine.make_keys(keys)
    made = time.perf_counter() - begun
    encryptor, level = ckks.Encryptor(keys.secret), trainer._level

    def sealed(rows: Real, limit: float) -> Any:
        given = rows if rows.ndim == 1 or len(rows) > 1 else rows[0]
        plain = ckks.Plaintext(machine.context, given, bound=limit)
        return encryptor.encrypt(plain).mod_switch(level)

    records = [sealed(rows, 1.0) for rows in batches]
    counts = [
        int(np.count_nonzero(rows.reshape(shape.blocks, shape.records, -1).any(axis=(0, 2))))
        for rows in batches
    ]
    w = old = sealed(np.zeros(shape.slots), bound)
    seconds, processors = [], []
    for t, step in enumerate(schedule(steps)):
        begun, before, k = time.perf_counter(), time.process_time(), t % len(batches)
        w, old = trainer.iterate(w, old, records[k], step, counts[k], keys.evaluation, boots), w
        if machine.context.device != "cpu":  # which may still compute
            nttforge.cuda.synchronize(machine.context.device)
        seconds.append(time.perf_counter() - begun)
        processors.append(time.process_time() - before)
        told(t, shape.weights(keys.decrypt(w)), seconds[-1])
    sizes = {
        "bootstrap_keys": machine.serialized_bytes,
        "evaluation_keys": len(keys.evaluation.to_bytes()),
        "batch": len(records[0].to_bytes()),
        "weights": len(w.to_bytes()),
    }
    return {"seconds": seconds, "processors": processors, "keys_seconds": made, "bytes": sizes}
