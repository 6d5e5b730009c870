# SPDX-License-Identifier: Apache-2.0
"""Encrypted numbers sorted by a bitonic network [Bat68] of comparisons in CKKS.

N numbers of [0, 1) lie in N slots. Stage (k, j), log2 N >= k > j >= 0, compares slots i and
i + d, d = 2^j, of all i whose bit j is 0, ascending where bit k of i is 0:

    D = x - (x rotated by d),  S = x + (x rotated by d),     at i
    low = (S - t |D|) / 2,     high = (S + t |D|) / 2,       t = 1 ascending, -1 descending
    x' = low at i,  high at i + d

|D| is D times its sign, a composition of the best polynomials [LLNK22]. A bootstrap comes where the
levels end: at the end of a stage, and between polynomials where the gap is small.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nttforge
from nttforge import ckks
from nttforge.ckks.functions.composites import sign_composite

Real = NDArray[np.float64]


def stages(count: int) -> Iterator[tuple[int, int]]:
    """(k, j) of each stage, (log2 N)(log2 N + 1) / 2 of them."""
    for k in range(1, count.bit_length()):
        for j in reversed(range(k)):
            yield k, j


class Sorter:
    """The server: encrypted numbers in, the same in order out.

    Parameters
    ----------
    machine : Bootstrapper
    count : int
        N, a power of two up to the slots.
    gap : float
        What different numbers differ by at least.
    bits : float
        The sign is within 2^-bits.
    """

    def __init__(self, machine: ckks.Bootstrapper, count: int, gap: float, bits: float) -> None:
        self.machine, self.context, self._count = machine, machine.context, count
        self.polynomials = sign_composite(gap, bits, "minimax")
        self._error = gap / 4  # sorting by fewer errors than these cannot fail: stated
        self.bootstraps = 0

    @property
    def rotations(self) -> tuple[int, ...]:
        """Steps whose keys it needs."""
        steps = [1 << j for j in range(self._count.bit_length() - 1)]
        return tuple(sorted([*steps, *(-step for step in steps)]))

    def stage(self, x: Any, k: int, j: int, keys: Any, boots: Any) -> Any:
        """One stage; x comes and goes at the level of a bootstrap."""
        step, slots = 1 << j, np.arange(self.context.slots) % self._count
        half = np.where(slots >> j & 1, 0.0, 0.5)
        signed = np.where(slots >> k & 1, -half, half)
        moved = x.rotate_rows(step, keys)
        difference, total = (x - moved).within(1.0), x + moved
        sign = difference
        for i, polynomial in enumerate(self.polynomials):
            more = 2 if i + 1 == len(self.polynomials) else 0  # its product with D, and the masks
            sign = self._ready(sign, polynomial.depth + more, boots)
            row = polynomial.coefficients
            sign = sign.polynomial(row, keys, basis="chebyshev", interval=polynomial.interval)
            sign = sign.within(min(sign.bound, 1.5), error=2.0**-10)
        size = (difference * sign).relinearize(keys).within(1.0, error=self._error)
        middle, apart = total * half, size * signed
        low, high = middle - apart, middle + apart
        found = (low + high.rotate_rows(-step, keys)).rescale()
        return self._fresh(found, 1.0, self._error, boots)

    def _ready(self, x: Any, depth: int, boots: Any) -> Any:
        """With enough levels for a polynomial and the bootstrap behind it."""
        if x.level - depth >= self.machine.input_level:
            return x
        return self._fresh(x.rescale(), min(x.bound, 1.5), 2.0**-10, boots)

    def _fresh(self, x: Any, bound: float, error: float, boots: Any) -> Any:
        self.bootstraps += 1
        known = x.within(min(bound, x.bound), error=error)
        fresh = boots.bootstrap(known)
        return fresh.within(min(bound, fresh.bound), error=error)


def sort(
    machine: ckks.Bootstrapper,
    numbers: Real,
    gap: float,
    bits: float,
    told: Callable[[int, Real, float], object],
) -> dict[str, Any]:
    """Encrypts numbers, sorts them, and tells the owner what they are after each stage."""
    sorter = Sorter(machine, len(numbers), gap, bits)
    begun = time.perf_counter()
    keys = machine.context.generate_keys(relinearization=True, rotations=sorter.rotations)
    boots = machine.make_keys(keys)
    made = time.perf_counter() - begun
    plain = ckks.Plaintext(machine.context, np.resize(numbers, machine.context.slots), bound=1)
    x = ckks.Encryptor(keys.secret).encrypt(plain).mod_switch(machine.level)
    size, seconds, processors = len(x.to_bytes()), [], []
    for t, (k, j) in enumerate(stages(len(numbers))):
        begun, before = time.perf_counter(), time.process_time()
        x = sorter.stage(x, k, j, keys.evaluation, boots)
        if machine.context.device != "cpu":  # which may still compute
            nttforge.cuda.synchronize(machine.context.device)
        seconds.append(time.perf_counter() - begun)
        processors.append(time.process_time() - before)
        told(t, keys.decrypt(x)[: len(numbers)], seconds[-1])
    return {
        "degrees": [polynomial.degree for polynomial in sorter.polynomials],
        "bootstraps": sorter.bootstraps,
        "stage_seconds": [round(s, 4) for s in seconds],
        "processor_seconds": [round(s, 4) for s in processors],
        "keys_seconds": round(made, 2),
        "bytes": {"bootstrap_keys": machine.serialized_bytes, "numbers": size},
    }
