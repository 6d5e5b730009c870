# SPDX-License-Identifier: Apache-2.0
"""The demonstration's multiplication on hardware: NttPlan(device="rtl"), cycle by cycle.

A client encrypts records of patients in one ciphertext and the model's weights in another. A server
multiplies the ciphertexts and relinearizes the product: every transform runs on a simulated Verilog
design, behind registers and DMA channels. Its words must be those of the textbook scheme in plain
integers (nttforge_oracle.fv), and the client must decrypt the scores.

    coefficient  64 r + 0 ... 29   64 r + 30   others     weights:  30 - i
                 x_0 ... x_29      1           0                    w_i, the bias at 0

So coefficient 64 r + 30 of the product is the score of patient r. The parameters are far too small
to be secure: they keep the simulation of every cycle short.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nttforge import NttPlan
from nttforge.errors import ParameterError
from nttforge.spec.fast import negacyclic_product
from nttforge_oracle.fv import Ciphertext, Poly, Scheme
from nttforge_oracle.number_theory import ntt_primes
from nttforge_oracle.rns import centred, compose, round_divide

from . import model as models

T = 65537
LIMBS = 5  # primes of 30 bits; Q is the product of the first two
STRIDE = 64  # coefficients of a record and of what its product with the weights needs
RECIPE = {"dp": 4, "pp": 1, "engines": 1}
SIZES = (64, 128, 256, 512, 1024, 2048, 4096)

_Report = Callable[[str, float, int], None]  # step, seconds, cycles of the design


class Server:
    """Multiplies ciphertexts in exact integers, as residues modulo five primes."""

    def __init__(self, scheme: Scheme, plan: NttPlan) -> None:
        self.scheme, self.plan = scheme, plan
        self.moduli = plan.spec.moduli

    def values(self, polynomials: list[Poly]) -> NDArray[np.uint64]:
        """Transforms of polynomials with integer coefficients, shape (polynomials, limbs, n)."""
        rows = [[[c % q for c in a] for q in self.moduli] for a in polynomials]
        return self.plan.forward(np.array(rows, dtype=np.uint64))

    def integers(self, values: NDArray[np.uint64]) -> list[Poly]:
        """The polynomials of these values, coefficients read as centred."""
        whole = prod(self.moduli)
        rows = self.plan.inverse(values)
        return [
            [centred(compose([int(c) for c in limbs], self.moduli), whole) for limbs in a.T]
            for a in rows
        ]

    def multiply(self, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """Three parts: round(t / Q tensor product)."""
        q, t, plan = self.scheme.q, self.scheme.t, self.plan
        parts = [[centred(c, q) for c in part] for part in (*x, *y)]
        x0, x1, y0, y1 = self.values(parts)
        middle = plan.multiply(x0, y1)
        plan.multiply_accumulate(x1, y0, middle)
        tensor = np.stack([plan.multiply(x0, y0), middle, plan.multiply(x1, y1)])
        return [[round_divide(t * c, q) % q for c in part] for part in self.integers(tensor)]

    def relinearize(self, x: Ciphertext, key: list[NDArray[np.uint64]]) -> Ciphertext:
        """Two parts; ``key`` holds the values of both parts of each digit's key."""
        w, q = self.scheme.w, self.scheme.q
        digits = self.values([[c // w**i % w for c in x[2]] for i in range(len(key))])
        total = np.zeros_like(key[0])
        for digit, pair in zip(digits, key, strict=True):
            for part in (0, 1):
                self.plan.multiply_accumulate(digit, pair[part], total[part])
        sums = self.integers(total)
        return [[(a + b) % q for a, b in zip(x[i], sums[i], strict=True)] for i in (0, 1)]


@dataclass(frozen=True)
class Exchange:
    """Messages, what the client makes of them, and the server that multiplies.

    ``equal_words``: how many of the words of the result, and of the product before it is
    relinearized, are those of the textbook scheme.
    """

    recipe: dict[str, Any]
    words: int
    equal_words: int
    decrypted: Poly
    expected: Poly
    cycles: int


def multiply(
    messages: tuple[Poly, Poly],
    t: int,
    source: random.Random,
    recipe: dict[str, Any],
    report: _Report = lambda step, seconds, cycles: None,
) -> Exchange:
    """Encrypts two messages modulo ``t``, multiplies them on hardware, compares and decrypts.

    Parameters
    ----------
    messages : tuple of two lists of int
        n coefficients each, in [0, t).
    t : int
    source : random.Random
        Keys and encryptions.
    recipe : dict
        Of the design, as ``NttPlan(device="rtl")`` takes it.
    report : function
        Called with the name of each step that ended, its seconds and the design's cycles in it.

    Raises
    ------
    UnsupportedError
        If Verilator or a C++ compiler is missing.
    """
    n = len(messages[0])
    moduli = ntt_primes(n, 30, LIMBS)
    scheme = Scheme(n, tuple(moduli[:2]), t, 1 << 15)
    clock, seen = time.perf_counter(), 0
    plan = NttPlan(n, moduli, device="rtl", recipe=recipe)

    def step(name: str) -> None:
        nonlocal clock, seen
        now, cycles = time.perf_counter(), plan.cycles
        report(name, now - clock, cycles - seen)
        clock, seen = now, cycles

    step("compiling the design")

    def small() -> Poly:
        return [source.randint(-1, 1) for _ in range(n)]

    def uniform() -> Poly:
        return [source.randrange(scheme.q) for _ in range(n)]

    secret = small()
    public = scheme.public_key(secret, uniform(), small())
    digits = range(scheme.digits())
    key = scheme.evaluation_key(secret, [uniform() for _ in digits], [small() for _ in digits])
    x, y = (scheme.encrypt(public, m, small(), small(), small()) for m in messages)
    step("keys and encryption")
    server = Server(scheme, plan)
    values = [server.values(list(pair)) for pair in key]
    step("tables and keys to hardware")
    product = server.multiply(x, y)
    step("product")
    result = server.relinearize(product, values)
    step("relinearization")
    wanted = [*scheme.multiply(x, y), *scheme.relinearize(product, key)]
    found = [*product, *result]
    equal = [a == b for p, q in zip(found, wanted, strict=True) for a, b in zip(p, q, strict=True)]
    decrypted = scheme.decrypt(secret, result)
    step("comparison and decryption")
    expected = negacyclic_product(messages[0], messages[1], t)
    return Exchange(dict(plan.recipe), len(equal), sum(equal), decrypted, expected, plan.cycles)


@dataclass(frozen=True)
class Scores:
    """What came of ``scores``: decrypted and plaintext ones, by patient, and the multiplication."""

    decrypted: list[int]
    plain: list[int]
    exchange: Exchange

    @property
    def passed(self) -> bool:
        e = self.exchange
        return (
            self.decrypted == self.plain and e.words == e.equal_words and e.decrypted == e.expected
        )


def scores(
    n: int = 1024,
    records: int | None = None,
    seed: str | None = None,
    report: _Report = lambda step, seconds, cycles: None,
) -> Scores:
    """Scores of the first patients, computed on their ciphertext by simulated hardware.

    Parameters
    ----------
    n : int
        Ring dimension, one of ``SIZES``.
    records : int, optional
        At most n / 64, the default.
    seed : str, optional
        Keys and encryptions from this text; else from the operating system.
    report
        As that of ``multiply``.

    Raises
    ------
    ParameterError
        If n or records are out of range.
    """
    if n not in SIZES:
        raise ParameterError(f"n = {n} with device = 'rtl' must be one of {SIZES}")
    room = n // STRIDE
    count = room if records is None else records
    if not 1 <= count <= room:
        raise ParameterError(
            f"records = {count} with device = 'rtl' must be in 1 ... {room}, as n = {n} holds"
        )
    model = models.train(models.load_patients())
    x = model.quantise(models.load_patients(count).features)
    plain = [int(s) for s in model.scores(x)]
    if 2 * model.score_bound >= T:
        raise ParameterError(f"scores of up to {model.score_bound} do not fit modulo t = {T}")
    features = x.shape[1]
    data, weights = [0] * n, [0] * n
    for r in range(count):
        for i in range(features):
            data[STRIDE * r + i] = int(x[r, i]) % T
        data[STRIDE * r + features] = 1
    for i in range(features):
        weights[features - i] = int(model.weights[i]) % T
    weights[0] = model.bias % T
    source = random.SystemRandom() if seed is None else random.Random(seed)
    exchange = multiply((data, weights), T, source, RECIPE, report)
    found = [centred(exchange.decrypted[STRIDE * r + features], T) for r in range(count)]
    return Scores(found, plain, exchange)
