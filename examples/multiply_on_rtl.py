# SPDX-License-Identifier: Apache-2.0
"""One encrypted multiplication of BFV, whose transforms run on a simulated Verilog design.

python examples/multiply_on_rtl.py [--n 1024] [--dp 4] [--pp 1] [--engines 1]

A client encrypts two messages. A server multiplies the ciphertexts and relinearizes the product:
every polynomial goes through NttPlan(device="rtl"), that is, through registers and DMA channels of
a design that Verilator compiled. The server's words must be those of the textbook scheme in plain
integers (nttforge.spec.fv), and the client must decrypt the product of its messages.

The parameters are far too small to be secure: they keep a simulation of every cycle short.
"""

from __future__ import annotations

import argparse
import random
import time
from math import prod

import numpy as np
from numpy.typing import NDArray

import nttforge
from nttforge.spec.fast import negacyclic_product
from nttforge.spec.fv import Ciphertext, Poly, Scheme
from nttforge.spec.number_theory import ntt_primes
from nttforge.spec.rns import centred, compose, round_divide

T = 257
LIMBS = 5  # primes of 30 bits; Q is the product of the first two


class Server:
    """Multiplies ciphertexts in exact integers, as residues modulo five primes."""

    def __init__(self, scheme: Scheme, plan: nttforge.NttPlan) -> None:
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


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--n", type=int, default=1024, help="ring dimension (default 1024)")
    parser.add_argument("--dp", type=int, default=4, help="coefficients per cycle (default 4)")
    parser.add_argument("--pp", type=int, default=1, help="stages in hardware (default 1)")
    parser.add_argument("--engines", type=int, default=1, help="that limbs share (default 1)")
    options = parser.parse_args(arguments)
    n, moduli = options.n, ntt_primes(options.n, 30, LIMBS)
    scheme = Scheme(n, tuple(moduli[:2]), T, 1 << 15)

    # The client. A fixed seed: this shows hardware, it protects nothing.
    source = random.Random(1)

    def small() -> Poly:
        return [source.randint(-1, 1) for _ in range(n)]

    def uniform() -> Poly:
        return [source.randrange(scheme.q) for _ in range(n)]

    secret = small()
    public = scheme.public_key(secret, uniform(), small())
    digits = range(scheme.digits())
    key = scheme.evaluation_key(secret, [uniform() for _ in digits], [small() for _ in digits])
    messages = [[source.randrange(T) for _ in range(n)] for _ in range(2)]
    x, y = (scheme.encrypt(public, m, small(), small(), small()) for m in messages)

    # The server.
    start = time.perf_counter()
    recipe = {"dp": options.dp, "pp": options.pp, "engines": options.engines}
    plan = nttforge.NttPlan(n, moduli, device="rtl", recipe=recipe)
    print(f"design       {plan.recipe}, compiled in {time.perf_counter() - start:.1f} s")
    start = time.perf_counter()
    server = Server(scheme, plan)
    values = [server.values(list(pair)) for pair in key]
    loaded = plan.cycles
    product = server.multiply(x, y)
    result = server.relinearize(product, values)
    print(f"simulated    in {time.perf_counter() - start:.1f} s")
    print(f"cycles       {loaded} for tables and keys, {plan.cycles - loaded} for the product")

    # The comparison.
    words = product == scheme.multiply(x, y) and result == scheme.relinearize(product, key)
    expected = negacyclic_product(messages[0], messages[1], T)
    decrypted = scheme.decrypt(secret, result) == expected
    print(f"words        {'those' if words else 'NOT those'} of the textbook scheme")
    print(f"decrypted    {'the product' if decrypted else 'NOT the product'} of the messages")
    return 0 if words and decrypted else 1


if __name__ == "__main__":
    raise SystemExit(main())
