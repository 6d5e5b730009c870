# SPDX-License-Identifier: Apache-2.0
"""Encrypted counters under ten thousand encrypted operations.

    python examples/python/private_counter.py [--operations 10000] [--secure]

Every slot is a counter modulo t. An operation adds an encrypted number to each counter and sets
those back to 0 that an encrypted bit says, so that the server knows neither the counts nor what
happens to them. Each takes a product; where too little budget is left for the next one, the server
bootstraps. Counters are compared with NumPy's all along. The ring is small and not secure unless
--secure is given, which takes half a minute for an operation on a CPU.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from nttforge import bfv


class Server:
    """Keeps the counters. It has no secret."""

    def __init__(
        self, counters: bfv.Ciphertext, keys: bfv.EvaluationKeys, bootstrap: bfv.BootstrapKeys
    ):
        self.counters, self.keys, self.bootstrap = counters, keys, bootstrap
        self.least = bootstrap.bootstrapper.full_budget_bits
        self.bootstraps = 0

    def operate(self, added: bfv.Ciphertext, kept: bfv.Ciphertext) -> None:
        """Adds to every counter and keeps those where the bit is 1; others become 0."""
        sums = self.counters + added
        product = (sums * kept).relinearize(self.keys)
        if (product.predicted_noise_budget_bits or 0) < self.least:
            self.bootstraps += 1
            product = (sums.bootstrap(self.bootstrap) * kept).relinearize(self.keys)
        self.counters = product


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--operations", type=int, default=10000)
    parser.add_argument("--secure", action="store_true", help="n = 2^16, 128 bits")
    options = parser.parse_args()
    if options.secure:
        machine = bfv.Bootstrapper.of("exact16", 786433)
    else:
        machine = bfv.Bootstrapper.of("exact16", 257, insecure_n=2**7, threads=1)
    n, t = machine.context.n, machine.context.t
    keys = machine.context.generate_keys()
    counts = np.zeros(n, np.int64)
    server = Server(keys.encrypt(counts), keys.evaluation, machine.make_keys(keys))

    random, cpu = np.random.default_rng(7), 0.0
    least = machine.budget_bits
    for number in range(1, options.operations + 1):
        added, kept = random.integers(0, 10, n), random.integers(0, 8, n) > 0
        request = keys.encrypt(added), keys.encrypt(kept.astype(np.int64))
        before = time.process_time()
        server.operate(*request)
        cpu += time.process_time() - before
        counts = (counts + added) * kept % t
        if number % 100 == 0 or number == options.operations:
            assert np.array_equal(keys.decrypt(server.counters) % t, counts), number
            least = min(least, keys.noise_budget_bits(server.counters))
    print(
        f"{options.operations} operations on {n} encrypted counters, {server.bootstraps} "
        f"bootstraps: every count as NumPy has it, {least:.1f} bits of budget or more"
    )
    print(machine.describe())
    print(f"server: {cpu:.1f} s of processor time")


if __name__ == "__main__":
    main()
