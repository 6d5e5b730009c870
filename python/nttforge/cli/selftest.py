# SPDX-License-Identifier: Apache-2.0
"""Check every target of this machine against the definitions (nttforge.spec), in a few seconds.

With --device cuda: every GPU recipe against the CPU engine. Exit code 1 if anything differs.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from typing import TYPE_CHECKING

from ..console import arguments
from ..console.output import progress, table
from ..selftest.host import CHECKS, Check, Failure
from . import transform_arguments

if TYPE_CHECKING:
    from ..typing import Target


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seed", type=arguments.integer, help="seed of the inputs (default: random, printed)"
    )
    transform_arguments.add_target(
        parser, action="append", help="only this target (may be repeated)"
    )
    parser.add_argument("--device", help="a GPU instead: cuda, cuda:1 ... (or cuda:host)")


def run(options: argparse.Namespace) -> int:
    from .. import _core, available_targets

    if options.device is not None:
        return _run_on_gpu(options)
    seed = options.seed if options.seed is not None else random.SystemRandom().getrandbits(32)
    names: list[Target] = options.target or available_targets()
    targets = list(dict.fromkeys(names))
    for name in targets:
        _core.require_target(name)
    start = time.perf_counter()
    results: dict[str, dict[str, str]] = {}
    failures = 0
    steps: list[tuple[Check, Target]] = [(c, target) for c in CHECKS for target in targets]
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


def _run_on_gpu(options: argparse.Namespace) -> int:
    from .. import cuda
    from ..errors import ParameterError
    from ..selftest.gpu import CHECKS as GPU_CHECKS

    if options.target:
        raise ParameterError("--target goes with the CPU: leave it out with --device")
    card = cuda.describe(options.device)
    seed = options.seed if options.seed is not None else random.SystemRandom().getrandbits(32)
    start = time.perf_counter()
    rows, failures = [], 0
    for name, check in progress(GPU_CHECKS, "selftest", lambda step: step[0]):
        try:
            rows.append([name, f"ok {check(card.name, random.Random(f'{seed} {name}'))}"])
        except Failure as failure:
            failures += 1
            rows.append([name, "FAILED"])
            print(f"{name}: {failure}", file=sys.stderr)
    print(table(["check (cases)", card.name], rows))
    verdict = f"{card.card} agrees with the CPU engine" if not failures else f"{failures} FAILED"
    print(f"\n{verdict}; {time.perf_counter() - start:.1f} s, seed {seed}")
    return 1 if failures else 0
