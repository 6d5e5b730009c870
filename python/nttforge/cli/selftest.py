"""Check every target of this machine against the definitions (nttforge.spec), in a few seconds.

Exit code 1 if anything differs.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from ..selftest import CHECKS, Failure
from .output import progress, table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, help="seed of the inputs (default: random, printed)")
    parser.add_argument("--target", action="append", help="only this target (may be repeated)")


def run(options: argparse.Namespace) -> int:
    from .. import _core, available_targets

    seed = options.seed if options.seed is not None else random.SystemRandom().getrandbits(32)
    targets = options.target or available_targets()
    for name in targets:
        _core.require_target(name)
    start = time.perf_counter()
    results: dict[str, dict[str, str]] = {}
    failures = 0
    steps = [(check, target) for check in CHECKS for target in targets]
    for check, target in progress(steps, "selftest", lambda s: f"{s[0].name} on {s[1]}"):
        row = results.setdefault(check.name, {})
        try:
            row[target] = f"ok {check.run(target, random.Random(f'{seed} {check.name}'))}"
        except Failure as failure:
            failures += 1
            row[target] = "FAILED"
            print(f"{check.name} on {target}: {failure}", file=sys.stderr)
    rows = [[name, *row.values()] for name, row in results.items()]
    print(table(["check (cases)", *targets], rows))
    verdict = "every target agrees with the definitions" if not failures else f"{failures} FAILED"
    print(f"\n{verdict}; {time.perf_counter() - start:.1f} s, seed {seed}")
    return 1 if failures else 0
