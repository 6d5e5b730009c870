# SPDX-License-Identifier: Apache-2.0
"""Conway's Game of Life on encrypted cells, for as many generations as wanted.

    python examples/python/private_life.py [--generations 100] [--secure]

The world is a torus of one row of slots, as many rows of cells as columns or half of that. The
server rotates and adds neighbours and evaluates the rule, a polynomial modulo t, on all cells at
once; where too little budget is left for a product, it bootstraps. Every generation is compared
with NumPy's. The ring is small and not secure unless --secure is given, which takes minutes for a
generation on a CPU.
"""

from __future__ import annotations

import argparse
import math
import time
from typing import Any

import numpy as np

from nttforge import bfv

STEPS = [(di, dj) for di in (-1, 0, 1) for dj in (-1, 0, 1) if (di, dj) != (0, 0)]


def rule(t: int) -> list[int]:
    """The polynomial modulo t that is 1 at 5, 6 and 7, and 0 at the other numbers up to 17.

    Twice the neighbours, and one for a cell that lives: it will live where that is 5, 6 or 7.
    """
    points, poly = range(18), [0] * 18
    for at in (5, 6, 7):
        term, below = [1], 1
        for other in points:
            if other != at:
                term = [(a - other * b) % t for a, b in zip([0, *term], [*term, 0], strict=True)]
                below = below * (at - other) % t
        scale = pow(below, -1, t)
        poly = [(a + scale * b) % t for a, b in zip(poly, term, strict=True)]
    return poly


def next_generation(cells: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """What becomes of a world (rows, columns) whose rows end where the next begins, as in slots."""
    flat = cells.reshape(-1)
    columns = cells.shape[1]
    neighbours = sum(np.roll(flat, di * columns + dj) for di, dj in STEPS)
    return np.isin(2 * neighbours + flat, (5, 6, 7)).astype(np.int64).reshape(cells.shape)


class Server:
    """Computes generations. It has no secret."""

    def __init__(
        self, keys: bfv.EvaluationKeys, bootstrap: bfv.BootstrapKeys, t: int, columns: int
    ):
        self.keys, self.bootstrap, self.columns = keys, bootstrap, columns
        # Signed, as factors of ciphertexts are.
        self.rule = [c - t if c > t // 2 else c for c in rule(t)]
        machine = bootstrap.bootstrapper
        # What a bootstrap wants, and what the rule's coefficients take before it.
        self.least = machine.full_budget_bits + math.log2(t) + 3
        self.bootstraps = 0

    def product(self, a: bfv.Ciphertext, b: bfv.Ciphertext) -> bfv.Ciphertext:
        """Bootstraps the factors where less would be left than what comes next needs."""
        c = (a * b).relinearize(self.keys)
        if (c.predicted_noise_budget_bits or 0) < self.least:
            fresh = [self.fresh(x) for x in ([a] if a is b else [a, b])]
            c = (fresh[0] * fresh[-1]).relinearize(self.keys)
        return c

    def fresh(self, x: bfv.Ciphertext) -> bfv.Ciphertext:
        """With the budget that a bootstrap leaves, unless it has that."""
        machine = self.bootstrap.bootstrapper
        if (x.predicted_noise_budget_bits or 0) > machine.budget_bits - 1:
            return x
        self.bootstraps += 1
        return x.bootstrap(self.bootstrap)

    def generation(self, cells: bfv.Ciphertext) -> bfv.Ciphertext:
        steps = [di * self.columns + dj for di, dj in STEPS]
        neighbours = bfv.add_many(cells.rotate_many(steps, self.keys))
        u = self.fresh(neighbours + neighbours + cells)
        # Baby steps u ... u^4, giant steps u^4, u^8, u^16.
        powers = {1: u, 2: self.product(u, u)}
        powers[3] = self.product(powers[2], u)
        for k in (4, 8, 16):
            powers[k] = self.product(powers[k // 2], powers[k // 2])

        def part(first: int) -> bfv.Ciphertext:
            terms = zip(self.rule[first : first + 4], (None, u, powers[2], powers[3]), strict=False)
            constant = self.rule[first]
            scaled = [x * c for c, x in terms if x is not None and c != 0]
            return bfv.add_many(scaled) + constant

        def both(first: int, k: int, low: bfv.Ciphertext) -> bfv.Ciphertext:
            return low + self.product(part(first), powers[k])

        low, high = both(4, 4, part(0)), both(12, 4, part(8))
        return low + self.product(high, powers[8]) + self.product(part(16), powers[16])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--generations", type=int, default=100)
    parser.add_argument("--secure", action="store_true", help="n = 2^16, 128 bits")
    options = parser.parse_args()
    if options.secure:
        machine = bfv.Bootstrapper.of("exact16", 65537)
    else:
        machine = bfv.Bootstrapper.of("exact16", 257, insecure_n=2**7, threads=1)
    context = machine.context
    half = context.n // 2
    columns = 1 << ((half.bit_length() - 1) // 2)
    cells = np.random.default_rng(3).integers(0, 2, (half // columns, columns))
    keys = context.generate_keys(rotations=[di * columns + dj for di, dj in STEPS])
    server = Server(keys.evaluation, machine.make_keys(keys), context.t, columns)

    world = keys.encrypt(cells.reshape(-1))
    begun, cpu = time.perf_counter(), 0.0
    for generation in range(1, options.generations + 1):
        before = time.process_time()
        world = server.generation(world)
        cpu += time.process_time() - before
        cells = next_generation(cells)
        found = keys.decrypt(world)[:half].reshape(cells.shape)
        assert np.array_equal(found, cells), generation
    spent = time.perf_counter() - begun
    print(
        f"{options.generations} generations of {cells.shape[0]} x {columns} encrypted cells, "
        f"{server.bootstraps} bootstraps: every cell as NumPy has it"
    )
    print(machine.describe())
    print(f"server: {cpu * 1e3:.0f} ms of processor time, {spent * 1e3:.0f} ms passed")


if __name__ == "__main__":
    main()
