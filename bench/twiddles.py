# SPDX-License-Identifier: Apache-2.0
"""Twiddles from tables against twiddles made on the fly [Kim20, VII], on one core of this machine.

"one": one row again and again, its table as warm as it can be. "many": a round through enough
limbs, each with its own row and table, that the tables exceed the caches. The engine's own kernels
read tables only; what on-the-fly twiddles could save them is at most the difference of the two.
Each figure is a minimum of processor time over rounds ("many": the mean of each limb's minimum).

    python bench/twiddles.py --out bench/results/<machine>/twiddles.json
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

import nttforge

ENTRY_BYTES = 16  # value and quotient


def recipes(n: int, q: int, base: int) -> dict[str, tuple[dict, int]]:
    """Name -> recipe, bytes of table that one forward transform reads."""
    found = {}
    recipe = nttforge.NttPlan(n, q, algorithm="radix_r", radix=2).recipe
    found["radix_r 2, table"] = recipe, ENTRY_BYTES * n
    for stages in (1, 2, 3):
        policy = {"twiddles": "on_the_fly", "base": base, "stages": stages}
        small = ENTRY_BYTES * ((n >> stages) + base + n // base)
        found[f"radix_r 2, last {stages}"] = {**recipe, **policy}, small
    found["engine, table"] = nttforge.NttPlan(n, q).recipe, ENTRY_BYTES * n
    return found


def best_us(plans: list, rows: list, rounds: int) -> float:
    """Mean over the rows of the least processor time of each."""
    best = [float("inf")] * len(plans)
    for _ in range(rounds):
        for i, (plan, row) in enumerate(zip(plans, rows, strict=True)):
            start = time.thread_time_ns()
            plan.forward(row, out=row, check=False)
            best[i] = min(best[i], time.thread_time_ns() - start)
    return round(sum(best) / len(best) / 1000, 2)


def measure(log_n: int, options: argparse.Namespace) -> list[dict]:
    n = 2**log_n
    limbs = max(2, options.table_mib * 2**20 // (ENTRY_BYTES * n))
    primes = nttforge.ntt_primes(n, options.bits, min(limbs, 16))
    rng = np.random.default_rng(1)
    moduli = [primes[i % len(primes)] for i in range(limbs)]
    rows = [rng.integers(0, q, n, dtype=np.uint64) for q in moduli]
    expected = nttforge.NttPlan(n, moduli[0]).forward(rows[0])
    out = []
    for name, (recipe, table_bytes) in recipes(n, primes[0], options.base).items():
        plans = [nttforge.NttPlan(n, q, recipe=recipe) for q in moduli]
        if not np.array_equal(plans[0].forward(rows[0]), expected):
            sys.exit(f"{name} is wrong at n = {n}: not timed")
        x = [row.copy() for row in rows]
        one = best_us(plans[:1], x[:1], 2 * options.rounds)
        many = best_us(plans, x, options.rounds)
        result = {
            "n": n,
            "variant": name,
            "table_bytes": table_bytes,
            "limbs": limbs,
            "one_us": one,
            "many_us": many,
        }
        out.append(result)
        print(
            f"2^{log_n}  {name:20} {table_bytes >> 10:6} KiB  one {result['one_us']:10.2f} us"
            f"  many {result['many_us']:10.2f} us",
            flush=True,
        )
    return out


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--log-n", type=int, nargs="+", default=[14, 16, 17, 18, 20, 22])
    parser.add_argument("--bits", type=int, default=60, help="size of the primes")
    parser.add_argument("--base", type=int, default=1024, help="base of the on-the-fly exponent")
    parser.add_argument("--table-mib", type=int, default=64, help="tables of all limbs together")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--out", type=Path, help="file for the results")
    options = parser.parse_args()
    rows = [row for log_n in options.log_n for row in measure(log_n, options)]
    if options.out is not None:
        facts = {"cpu": nttforge.describe_cpu().brand, "target": nttforge.active_target()}
        facts |= {"bits": options.bits, "base": options.base, "rounds": options.rounds}
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps({**facts, "rows": rows}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
