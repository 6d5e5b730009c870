"""Show how a transform would be computed here, and why.

examples:
  nttforge plan --n 4096 --bits 50 --limbs 4        candidates with predicted cost, and the choice
  nttforge plan --n 65536 --q 1152921504606584833 --measure
  nttforge plan --n 1024 --q 12289 --word-bits 32 --json
"""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING, Any

from .output import duration, progress, table

if TYPE_CHECKING:
    from ..ntt import NttPlan, NttSpec


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--n", type=int, default=4096, help="transform size (default 4096)")
    parser.add_argument("--q", type=int, nargs="+", help="the primes, one per limb")
    parser.add_argument("--bits", type=int, default=50, help="without --q: their size (default 50)")
    parser.add_argument("--limbs", type=int, default=1, help="without --q: how many (default 1)")
    parser.add_argument("--ring", default="negacyclic", help="negacyclic (default) or cyclic")
    parser.add_argument("--input-order", default="natural", help="natural or bit_reversed")
    parser.add_argument("--output-order", default="bit_reversed", help="natural or bit_reversed")
    parser.add_argument("--word-bits", type=int, default=64, help="64 (default) or 32")
    parser.add_argument("--threads", type=int, default=1, help="threads (default 1)")
    parser.add_argument("--target", help="only this instruction set")
    parser.add_argument("--measure", action="store_true", help="also time every candidate")
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def run(options: argparse.Namespace) -> int:
    from ..ntt import NttPlan, candidate_recipes
    from ..number_theory import ntt_primes

    moduli = options.q or ntt_primes(options.n, options.bits, options.limbs)
    plan = NttPlan(
        options.n,
        moduli,
        options.ring,
        options.input_order,
        options.output_order,
        options.word_bits,
        threads=options.threads,
        target=options.target,
    )
    targets = [options.target] if options.target else None
    candidates = candidate_recipes(plan.spec, targets, plan.recipe["threads"])
    rows: list[dict[str, Any]] = [
        {"recipe": c.recipe, "predicted_ns": c.predicted_ns} for c in candidates
    ]
    if options.measure:
        for row in progress(rows, "measuring", lambda r: _short(r["recipe"])):
            row["measured_ns"] = _measure(plan.spec, row["recipe"])
    if options.json:
        spec = {k: getattr(plan.spec, k) for k in plan.spec.__dataclass_fields__}
        print(json.dumps({"spec": spec, "recipe": plan.recipe, "candidates": rows}, indent=2))
        return 0
    _print(plan, rows, options.measure)
    return 0


def _print(plan: NttPlan, rows: list[dict[str, Any]], measured: bool) -> None:
    s = plan.spec
    print(
        f"spec    n = {s.n}, {s.ring}, {s.input_order} -> {s.output_order}, {s.word_bits}-bit words"
    )
    for q, root in zip(s.moduli, s.roots, strict=True):
        print(f"        q = {q} ({q.bit_length()} bits), root {root}")
    print()
    header = ["", "target", "arithmetic", "radix", "threads", "predicted"]
    if measured:
        header.append("measured")
    lines = []
    for row in rows:
        r = row["recipe"]
        line = ["->" if r == plan.recipe else "", r["target"], _arithmetic(r), r["radix"]]
        line += [r["threads"], duration(row["predicted_ns"] * 1e-9)]
        lines.append(line + ([duration(row["measured_ns"] * 1e-9)] if measured else []))
    print(table(header, lines))
    print("\n-> chosen; times are for one forward transform of all limbs")


def _arithmetic(recipe: dict[str, Any]) -> str:
    return " ".join(dict.fromkeys(recipe["arithmetic"]))


def _short(recipe: dict[str, Any]) -> str:
    return f"{recipe['target']} {_arithmetic(recipe)} radix {recipe['radix']}"


def _measure(spec: NttSpec, recipe: dict[str, Any]) -> float:
    """Least time of one forward transform in nanoseconds, over about a tenth of a second."""
    import numpy as np

    from ..ntt import NttPlan

    plan = NttPlan(
        spec.n,
        spec.moduli,
        spec.ring,
        spec.input_order,
        spec.output_order,
        spec.word_bits,
        roots=spec.roots,
        recipe=recipe,
    )
    rng = np.random.default_rng(1)
    x = np.stack([rng.integers(0, q, spec.n, dtype=plan.dtype) for q in spec.moduli])
    plan.forward(x, out=x, check=False)
    repeats = max(1, 2**18 // x.size)
    best = float("inf")
    end = time.perf_counter() + 0.1
    while time.perf_counter() < end:
        start = time.perf_counter_ns()
        for _ in range(repeats):
            plan.forward(x, out=x, check=False)
        best = min(best, (time.perf_counter_ns() - start) / repeats)
    return best
