# SPDX-License-Identifier: Apache-2.0
"""Check every target of this machine against the definitions (nttforge.spec), in a few seconds.

With --device cuda: every GPU recipe, and the keys, encryptions and random circuits of every preset
of BFV and BGV, against the CPU, word for word. --device all: the CPU, every GPU, and the host's run
of the GPU's kernels if this build has it. Exit code 1 if anything differs.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from typing import TYPE_CHECKING, TypeVar, cast

from ..console import arguments
from ..console.output import progress, table
from ..errors import ParameterError
from ..selftest.host import CHECKS, Check, Failure
from . import transform_arguments

if TYPE_CHECKING:
    from ..typing import DeviceName, Target

T = TypeVar("T")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seed", type=arguments.integer, help="seed of the inputs (default: random, printed)"
    )
    transform_arguments.add_target(
        parser, action="append", help="only this target (may be repeated)"
    )
    parser.add_argument("--device", help="a GPU instead: cuda, cuda:1 ... (or cuda:host); or all")
    parser.add_argument("--only", metavar="TEXT", help="only checks with this text in their name")
    parser.add_argument(
        "--circuits",
        type=arguments.integer,
        default=3,
        help="random encrypted circuits for each parameter set on a GPU (default %(default)s)",
    )


def run(options: argparse.Namespace) -> int:
    from .. import _core, available_targets

    if not 0 <= options.circuits <= 10**6:
        raise ParameterError(f"--circuits = {options.circuits} is not in [0, 1000000]")
    if options.device == "all":
        return _run_everywhere(options)
    if options.device not in (None, "cpu"):
        return _run_on_gpu(options, options.device)
    seed = options.seed if options.seed is not None else random.SystemRandom().getrandbits(32)
    names: list[Target] = options.target or available_targets()
    targets = list(dict.fromkeys(names))
    for name in targets:
        _core.require_target(name)
    chosen = _named(options.only, [(check.name, check) for check in CHECKS])
    start = time.perf_counter()
    results: dict[str, dict[str, str]] = {}
    failures = 0
    steps: list[tuple[Check, Target]] = [(c, target) for _, c in chosen for target in targets]
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


def _named(text: str | None, checks: list[tuple[str, T]]) -> list[tuple[str, T]]:
    found = [check for check in checks if text is None or text in check[0]]
    if not found:
        raise ParameterError(
            f"--only = {text!r}: no check is named so; there are {'; '.join(n for n, _ in checks)}"
        )
    return found


def _run_everywhere(options: argparse.Namespace) -> int:
    from .. import cuda
    from .._core import cuda as core

    if options.target or options.only:
        raise ParameterError(
            "--target and --only choose checks of one device: leave them out with --device all"
        )
    names: list[str] = ["cpu", *(card.name for card in cuda.devices())]
    if core.host_in_this_build():
        names.append("cuda:host")
    worst = 0
    for name in names:
        print(f"{'' if name == 'cpu' else chr(10)}device {name}", flush=True)
        one = argparse.Namespace(**{**vars(options), "device": name})
        worst = max(worst, run(one))
    if len(names) == 1:
        print(f"\nno other device: {cuda.why_unavailable()}")
    return worst


def _run_on_gpu(options: argparse.Namespace, device: str) -> int:
    from .. import cuda
    from ..selftest.gpu import checks

    if options.target:
        raise ParameterError("--target goes with the CPU: leave it out with --device")
    card = cuda.describe(device)
    name_of_device = cast("DeviceName", card.name)
    seed = options.seed if options.seed is not None else random.SystemRandom().getrandbits(32)
    chosen = _named(options.only, checks(name_of_device, options.circuits))
    start = time.perf_counter()
    rows, failures = [], 0
    for name, check in progress(chosen, "selftest", lambda step: step[0]):
        try:
            rows.append([name, f"ok {check(name_of_device, random.Random(f'{seed} {name}'))}"])
        except Failure as failure:
            failures += 1
            rows.append([name, "FAILED"])
            print(f"{name}: {failure}", file=sys.stderr)
    print(table(["check (cases)", card.name], rows))
    verdict = f"{card.card} agrees with the CPU engine" if not failures else f"{failures} FAILED"
    print(f"\n{verdict}; {time.perf_counter() - start:.1f} s, seed {seed}")
    return 1 if failures else 0
