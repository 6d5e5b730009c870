# SPDX-License-Identifier: Apache-2.0
"""Measure an installed package through its Python interface: a program of its own.

PYTHON -I package_cells.py --kind transform|bfv --log-n N --json FILE [--commit TEXT] [--flags TEXT]

``nttforge bench cpu --against OTHER_PYTHON`` runs it with the interpreters of both packages. So it
imports nothing of this package but what the README shows, which every version has, and names no
module beside it. Results are checked before anything is timed; times are thread CPU time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal

Row = dict[str, Any]
POINTS = 1 << 15
RUN_NS = 200_000  # long against the clock's grain, short against a scheduler's slice


def measure(call: Callable[[], object], runs: int) -> Row:
    """The least and the median time of a call, of ``runs`` runs of about RUN_NS."""

    def run(calls: int) -> int:
        begin = time.thread_time_ns()
        for _ in range(calls):
            call()
        return time.thread_time_ns() - begin

    calls = 1
    while run(calls) < RUN_NS:
        calls *= 2
    samples = sorted(run(calls) / calls for _ in range(runs))
    return {"min_ns": samples[0], "median_ns": samples[len(samples) // 2], "runs": runs}


def transforms(n: int, runs: int) -> list[Row]:
    """Transforms in place, by the recipe that the package chooses; of as many rows at once as make
    the call itself small beside them.
    """
    import numpy as np

    import nttforge

    rows = []
    shape = (max(1, POINTS // n), n)
    for bits in (30, 50, 60):
        words: Literal[32, 64] = 32 if bits == 30 else 64
        q = int(nttforge.ntt_primes(n=n, bits=bits, count=1)[0])
        plan = nttforge.NttPlan(n, q, word_bits=words, threads=1)
        x = np.random.default_rng(n).integers(0, q, size=shape, dtype=f"uint{words}")
        y = plan.forward(x)
        if not (plan.inverse(y) == x).all():
            raise SystemExit(f"wrong result for n = {n}, q = {q}: nothing is timed")
        keys = {"kind": "package_transform", "bits": bits, "word_bits": words, "n": n}
        for direction, call in (("forward", plan.forward), ("inverse", plan.inverse)):
            rows.append(keys | {"direction": direction} | measure(partial(call, y, out=y), runs))
    return rows


def bfv(n: int, runs: int) -> list[Row]:
    """BFV operations as a program calls them."""
    from nttforge import bfv

    context = bfv.Context(bfv.Parameters.preset(n=n, t=65537))
    keys = context.generate_keys(relinearization=True, rotations=[1])
    a, b = keys.encrypt([1, 2, 3]), keys.encrypt([10, 20, 30])
    product = a * b
    shown = [int(v) for v in keys.decrypt(product.relinearize(keys.relinearization))[:3]]
    if shown != [10, 40, 90]:
        raise SystemExit(f"wrong product for n = {n}: {shown}: nothing is timed")
    operations: dict[str, Callable[[], object]] = {
        "encrypt": lambda: keys.encrypt([1, 2, 3]),
        "decrypt": lambda: keys.decrypt(a),
        "add": lambda: a + b,
        "multiply": lambda: a * b,
        "relinearize": lambda: product.relinearize(keys.relinearization),
    }
    keys_of_row = {"kind": "package_bfv", "n": n}
    return [
        keys_of_row | {"operation": name} | measure(call, runs) for name, call in operations.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", choices=("transform", "bfv"), required=True)
    parser.add_argument("--log-n", type=int, required=True)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--flags", default="unknown")
    options = parser.parse_args()
    os.environ["NTTFORGE_THREADS"] = "1"
    measured = transforms if options.kind == "transform" else bfv
    rows = measured(1 << options.log_n, options.runs)
    for row in rows:
        what = row.get("operation") or f"{row['bits']}-bit {row['direction']}"
        print(
            f"  {what:20} {row['min_ns'] / 1e3:12.3f} us min {row['median_ns'] / 1e3:12.3f} median"
        )
    document = {
        "schema": "nttforge-bench-1",
        "program": "nttforge",
        "version": options.commit,
        "build": options.flags,
        "compiler": "unknown",
        "cpu": platform.processor() or platform.machine(),
        "results": rows,
    }
    options.json.write_text(json.dumps(document), encoding="utf-8")


if __name__ == "__main__":
    main()
