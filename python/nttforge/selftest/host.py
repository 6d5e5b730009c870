# SPDX-License-Identifier: Apache-2.0
"""The checks of ``nttforge selftest``: compiled code on this machine against the oracle."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

from .. import bfv
from ..ntt.plan import NttPlan
from ..ntt.spec import ORDERS, RINGS
from ..number_theory import ntt_primes
from ..spec import fast, transform
from ..typing import HostWords, Order, Ring, Target, WordBits

GOLDILOCKS = 2**64 - 2**32 + 1


class Failure(Exception):
    """What differs, with the input that shows it."""


@dataclass(frozen=True)
class Check:
    """One row of the table: ``run(target, rng)`` returns the number of cases or raises Failure."""

    name: str
    run: Callable[[Target, random.Random], int]


@lru_cache(maxsize=256)
def _expected(a: tuple[int, ...], q: int, ring: Ring, orders: tuple[Order, Order]) -> list[int]:
    return transform.forward(list(a), q, ring, *orders)


def _moduli(n: int) -> list[tuple[int, WordBits]]:
    """(q, word_bits) in every arithmetic class, next to the class limits."""
    return [
        (ntt_primes(n, 29)[0], 32),
        (ntt_primes(n, 31)[0], 32),
        (ntt_primes(n, 50)[0], 64),
        (ntt_primes(n, 62)[0], 64),
        (GOLDILOCKS, 64),
    ]


def _residues(rng: random.Random, n: int, q: int) -> list[int]:
    """Random residues with 0 and q - 1 among them."""
    values = [rng.randrange(q) for _ in range(n)]
    values[rng.randrange(n)] = q - 1
    values[rng.randrange(n)] = 0 if n > 1 else values[0]
    return values


def _compare(what: str, got: list[int], want: list[int]) -> None:
    for i, (g, w) in enumerate(zip(got, want, strict=True)):
        if g != w:
            raise Failure(f"{what}: position {i} is {g}, must be {w}")


def _transforms(target: Target, rng: random.Random) -> int:
    """All positions of small transforms: rings x orders x arithmetic classes."""
    cases = 0
    for n in (1, 2, 16, 64):
        for q, bits in _moduli(n):
            a = _residues(rng, n, q)
            for ring in RINGS:
                for orders in product(ORDERS, ORDERS):
                    plan = NttPlan(n, q, ring, *orders, bits, target=target)
                    what = f"forward, {plan!r}"
                    x = plan.forward(a)
                    _compare(what, x.tolist(), _expected(tuple(a), q, ring, orders))
                    _compare(f"inverse, {plan!r}", plan.inverse(x).tolist(), a)
                    cases += 2
    return cases


def _large_transforms(target: Target, rng: random.Random) -> int:
    """Sampled positions of large transforms."""
    cases = 0
    for n in (1024, 8192):
        for q, bits in _moduli(n):
            for ring in RINGS:
                plan = NttPlan(n, q, ring, output_order="natural", word_bits=bits, target=target)
                a = _residues(rng, n, q)
                x = plan.forward(a)
                points = sorted(rng.sample(range(n), 3))
                want = transform.forward_at(a, points, q, ring)
                _compare(f"positions {points} of forward, {plan!r}", x[points].tolist(), want)
                _compare(f"inverse, {plan!r}", plan.inverse(x).tolist(), a)
                cases += 2
    return cases


def _row_operations(target: Target, rng: random.Random) -> int:
    """Pointwise products and accumulation against Python integers."""
    cases = 0
    n = 256
    for q, bits in _moduli(n):
        plan = NttPlan(n, q, word_bits=bits, target=target)
        a, b, c = (_residues(rng, n, q) for _ in range(3))
        got = plan.multiply(a, b).tolist()
        _compare(f"multiply, {plan!r}", got, [x * y % q for x, y in zip(a, b, strict=True)])
        accumulator: HostWords = np.array(c, dtype=plan.dtype)
        plan.multiply_accumulate(a, b, accumulator)
        want = [(z + x * y) % q for x, y, z in zip(a, b, c, strict=True)]
        _compare(f"multiply_accumulate, {plan!r}", accumulator.tolist(), want)
        cases += 2
    return cases


def _products(target: Target, rng: random.Random) -> int:
    """Whole negacyclic products against big-integer multiplication."""
    n = 1024
    for q, bits in _moduli(n):
        plan = NttPlan(n, q, word_bits=bits, target=target)
        a, b = _residues(rng, n, q), _residues(rng, n, q)
        want = fast.negacyclic_product(a, b, q)
        _compare(f"polynomial_product, {plan!r}", plan.polynomial_product(a, b).tolist(), want)
    return len(_moduli(n))


def _encrypted(target: Target, rng: random.Random) -> int:
    """BFV on a small set: product (BEHZ), relinearization, rotation, plaintext operations."""
    parameters = bfv.Parameters.preset(4096)
    context = bfv.Context(parameters, threads=1, target=target)
    keys = context.generate_keys(rotations=[1], seed=rng.randbytes(32))
    if keys.relinearization is None or keys.rotations is None:
        raise Failure("the preset n = 4096 has no evaluation keys")
    t, n = parameters.t, parameters.n
    encoder, decryptor = bfv.BatchEncoder(context), bfv.Decryptor(keys.secret)
    x = np.array([rng.randrange(t) for _ in range(n)], dtype=np.uint64)
    y = np.array([rng.randrange(t) for _ in range(n)], dtype=np.uint64)
    encryptor = bfv.Encryptor(keys.public)
    a = encryptor.encrypt(encoder.encode(x, signed=False), seed=rng.randbytes(32))
    b = bfv.Encryptor(keys.secret).encrypt(encoder.encode(y, signed=False), seed=rng.randbytes(32))
    row = (x.astype(object) * y.astype(object)) % t
    rotated = np.concatenate([np.roll(half, -1) for half in np.split(x, 2)])
    results = {
        "encrypt": (a, x),
        "add": (a + b, (x + y) % t),
        "multiply": (a * b, row),
        "relinearize": ((a * b).relinearize(keys.relinearization), row),
        "rotate_rows": (a.rotate_rows(1, keys.rotations), rotated),
        "multiply_plain": (a * encoder.encode(y, signed=False), row),
    }
    for name, (ciphertext, want) in results.items():
        got = encoder.decode(decryptor.decrypt(ciphertext), signed=False)
        _compare(f"BFV {name}, n = {n}, t = {t}", got.tolist(), [int(v) for v in want])
    return len(results)


@lru_cache(maxsize=8)
def _seeded_result(target: Target, seed: bytes) -> bytes:
    context = bfv.Context(bfv.Parameters.preset(4096), threads=1, target=target)
    keys = context.generate_keys(rotations=[3], seed=seed)
    encoder = bfv.BatchEncoder(context)
    a = bfv.Encryptor(keys.public).encrypt(encoder.encode([1, 2, 3]), seed=seed)
    b = (a * a).relinearize(keys.relinearization) + a.rotate_rows(3, keys.rotations)
    return b.to_bytes()


def _same_bytes(target: Target, rng: random.Random) -> int:
    """One seed gives one ciphertext, byte for byte, on every target."""
    seed = rng.randbytes(32)
    if _seeded_result(target, seed) != _seeded_result("scalar", seed):
        raise Failure("ciphertext bytes differ from those of target scalar")
    return 1


CHECKS = (
    Check("small transforms", _transforms),
    Check("large transforms, sampled", _large_transforms),
    Check("pointwise operations", _row_operations),
    Check("polynomial products", _products),
    Check("encrypted arithmetic", _encrypted),
    Check("ciphertext bytes as on scalar", _same_bytes),
)
