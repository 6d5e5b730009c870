# SPDX-License-Identifier: Apache-2.0
"""The checks of ``nttforge selftest --device``: GPU recipes and encryption against the CPU."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cuda import candidate_recipes, memory_info, to_device
from ..errors import UnsupportedError
from ..ntt.plan import NttPlan
from ..ntt.spec import ORDERS, RINGS
from ..number_theory import ntt_primes
from ..typing import DeviceName, WordBits
from .encryption import compare, parameter_sets
from .host import Failure

#: Bits of the primes, of the words.
_CLASSES: tuple[tuple[int, WordBits], ...] = ((30, 32), (50, 64), (60, 64))


def _residues(rng: random.Random, plan: NttPlan, batch: int) -> NDArray[Any]:
    generator = np.random.default_rng(rng.getrandbits(64))
    shape = (batch, plan.n)
    rows = [generator.integers(0, q, size=shape, dtype=np.uint64) for q in plan.spec.moduli]
    x = np.ascontiguousarray(np.stack(rows, axis=1).astype(plan.dtype))
    x[0, :, 0] = [q - 1 for q in plan.spec.moduli]
    return x


def _compare(plan: NttPlan, what: str, got: NDArray[Any], want: NDArray[Any]) -> None:
    if got.shape == want.shape and (got == want).all():
        return
    at = tuple(int(i) for i in np.argwhere(got != want)[0])
    raise Failure(
        f"{what}, {plan!r}, recipe {plan.recipe}: word {at} is {got[at]}, must be {want[at]}"
    )


def _recipes(device: str, rng: random.Random) -> int:
    """Forward and inverse of every recipe, small and large n."""
    cases = 0
    most = 11 if device.startswith("cuda:host") else 17
    for log_n in range(1, most + 1):
        n = 2**log_n
        for bits, word_bits in _CLASSES:
            cpu = NttPlan(n, ntt_primes(n, bits, 2 if n >= 64 else 1), word_bits=word_bits)
            try:
                candidates = candidate_recipes(cpu.spec, device)
            except UnsupportedError:
                continue
            x = _residues(rng, cpu, 1)
            want = cpu.forward(x)
            for candidate in candidates:
                plan = NttPlan(
                    n,
                    cpu.spec.moduli,
                    word_bits=word_bits,
                    device=device,
                    recipe=candidate.recipe,
                )
                y = to_device(x, device)
                _compare(plan, "forward", plan.forward(y, out=y).to_host(), want)
                _compare(plan, "inverse", plan.inverse(y, out=y).to_host(), x)
                cases += 2
    return cases


def _orders_and_products(device: str, rng: random.Random) -> int:
    """Rings, orders, pointwise and polynomial products."""
    cases = 0
    n = 256
    for bits, word_bits in _CLASSES:
        for ring in RINGS:
            for orders in product(ORDERS, ORDERS):
                moduli = ntt_primes(n, bits, 3)
                cpu = NttPlan(n, moduli, ring, *orders, word_bits)
                plan = NttPlan(n, moduli, ring, *orders, word_bits, device=device)
                a, b = _residues(rng, cpu, 2), _residues(rng, cpu, 2)
                x, y = to_device(a, device), to_device(b, device)
                results = {
                    "forward": (plan.forward(x), cpu.forward(a)),
                    "multiply": (plan.multiply(x, y), cpu.multiply(a, b)),
                    "polynomial_product": (
                        plan.polynomial_product(x, y),
                        cpu.polynomial_product(a, b),
                    ),
                    "multiply_accumulate": (
                        plan.multiply_accumulate(x, y, y),
                        cpu.multiply_accumulate(a, b, b.copy()),
                    ),
                }
                for name, (got, want) in results.items():
                    _compare(plan, name, got.to_host(), want)
                cases += len(results)
    return cases


def _memory(device: str, rng: random.Random) -> int:
    """Words come back from all over a larger array, and all memory is given back."""
    before = memory_info(device).used
    x = np.frombuffer(rng.randbytes(1 << 24), dtype=np.uint64)
    y = to_device(x, device)
    if not (y.to_host() == x).all():
        raise Failure("16 MiB do not come back as they were")
    del y
    if memory_info(device).used != before:
        raise Failure("memory was not given back")
    return 1


#: The largest ring dimension of encryption: the host's run of the kernels is slow.
_MOST_N_OF_HOST = 4096


def checks(
    device: DeviceName, circuits: int
) -> list[tuple[str, Callable[[DeviceName, random.Random], int]]]:
    """Names of the checks, and what runs them: it returns the number of cases or raises Failure."""
    most = _MOST_N_OF_HOST if device.startswith("cuda:host") else 2**17
    transforms = "2^11" if device.startswith("cuda:host") else "2^17"
    return [
        (f"every recipe, n = 2 ... {transforms}", _recipes),
        ("orders, rings, products", _orders_and_products),
        ("memory", _memory),
        *((s.name, partial(compare, s, circuits)) for s in parameter_sets(most)),
    ]
