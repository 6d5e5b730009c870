# SPDX-License-Identifier: Apache-2.0
"""Times of the operations of BFV, on one core, from which `nttforge.choose` predicts.

python tools/figures/measure_operations.py python/nttforge/choosing/times.json
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import nttforge
from nttforge import bfv

ROUNDS, SECONDS = 6, 0.05
#: Primes of the ciphertext modulus that are measured, by n.
PRIMES = {1024: (1,), 2048: (1,), 4096: (1, 2), 8192: (1, 2, 4), 16384: (1, 3, 6, 9)}
PRIMES[32768] = (1, 6, 12, 19)


def shortest(call: Callable[[], object]) -> float:
    """The least time of a call in microseconds."""
    best = float("inf")
    for _ in range(ROUNDS):
        begun, count = time.perf_counter(), 0
        while time.perf_counter() - begun < SECONDS or count == 0:
            before = time.thread_time()  # a busy machine does not count
            call()
            best = min(best, time.thread_time() - before)
            count += 1
    return round(best * 1e6, 1)


def measured(n: int, count: int) -> dict[str, float]:
    """Microseconds of each operation."""
    whole = bfv.Parameters.preset(n)
    q = whole.q[: min(count, len(whole.q))]
    p = bfv.Parameters.custom(n, whole.t, q, whole.special if n >= 4096 else ())
    context = bfv.Context(p, threads=1)
    has_keys = p.has_evaluation_keys
    keys = context.generate_keys(rotations=[1] if has_keys else ())
    values = np.arange(n) % 100
    a, b = keys.encrypt(values), keys.encrypt(values)
    prepared = bfv.BatchEncoder(context).encode(values).prepare()
    product = a * b
    times = {
        "add": shortest(lambda: a + b),
        "constant": shortest(lambda: a * 3),
        "plain sum": shortest(lambda: a + values),
        "plain product": shortest(lambda: a * values),
        "prepared product": shortest(lambda: a * prepared),
        "product": shortest(lambda: a * b),
    }
    if has_keys:
        times["relinearize"] = shortest(lambda: product.relinearize(keys))
        times["rotate"] = shortest(lambda: a.rotate_rows(1, keys))
    return times


def of_a_pass(name: str) -> float:
    """Seconds of a pass of a bootstrap of a named set; its keys take up to 3 GB."""
    machine = bfv.Bootstrapper.of(name, 786433, passes=1, threads=1)
    keys = machine.context.generate_keys(relinearization=False)
    x, evaluation = keys.encrypt([1, 2, 3]), machine.make_keys(keys)
    times = []
    for _ in range(3):
        before = time.thread_time()
        x.bootstrap(evaluation)
        times.append(time.thread_time() - before)
    return round(min(times), 2)


def main() -> None:
    """Writes the table."""
    rows = [
        {"n": n, "primes": k, "us": measured(n, k)} for n, counts in PRIMES.items() for k in counts
    ]
    cpu = nttforge.describe_cpu()
    table = {
        "what": "least time of each operation on one core, in microseconds",
        "cpu": cpu.brand,
        "target": nttforge.active_target(),
        "version": nttforge.__version__,
        "seconds of a pass": {name: of_a_pass(name) for name in ("exact15", "exact16")},
        "rows": rows,
    }
    Path(sys.argv[1]).write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
