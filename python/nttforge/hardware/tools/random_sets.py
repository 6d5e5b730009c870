# SPDX-License-Identifier: Apache-2.0
"""300 random parameter sets: generated, simulated bit-exactly, with the predicted cycles.

Set k is the same on every machine. Results are kept line by line: an interrupted run goes on where
it was, and after a change only sets for which something else is emitted are simulated again.

examples:
  python -m nttforge.hardware.tools.random_sets                           all, on all cores
  python -m nttforge.hardware.tools.random_sets --sets 40:60 --jobs 4     some
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..._parallel import run_parallel, usable_cores
from ...console.arguments import integer
from ...errors import ParameterError
from ...spec.transform import Ring
from ..emit.files import design_files
from ..plan.design import Design, plan_design
from ..plan.dgt import plan_dgt
from ..plan.parameters import HardwareParameters
from ..plan.pipeline import Pipeline
from ..plan.primes import usable_dgt_primes, usable_primes
from .programs import tool_version
from .simulate import simulate_many
from .verilate import runtime_library

COUNT = 300
SEED = 20261122
MAX_CORES = 96  # NTT cores of one design: a matter of time
TRANSFORMS = 3


def random_design(number: int) -> Design:
    """Set ``number``.

    Raises
    ------
    ParameterError
        If it is below 0.
    """
    if number < 0:
        raise ParameterError(f"set {number} must not be negative")
    source = random.Random(SEED * 1000 + number)
    while True:
        # Small sizes more often: every size class appears, and the longest runs stay few.
        log_n = min(source.randint(3, 16), source.randint(3, 16))
        dp = 2 ** source.randint(1, min(6, log_n - 1))
        pp = source.randint(1, log_n)
        limbs = source.choice((1, 1, 1, 2, 3))
        core = source.choice(("montgomery", "montgomery", "barrett", "solinas"))
        ring: Ring = source.choice(("negacyclic", "negacyclic", "cyclic"))
        bits = source.randint(max(12, log_n + 4), 61)
        direction = source.choice(("forward", "inverse", "both"))
        pipeline = Pipeline(source.randint(0, 2), source.randint(0, 3), source.randint(0, 4))
        if dp // 2 * pp * limbs > MAX_CORES:
            continue
        n = 1 << log_n
        try:
            if source.randrange(5) == 0:
                moduli = usable_dgt_primes(2 * n, bits, limbs, core)
                return plan_dgt(2 * n, moduli, direction, 2 * dp, pp, core, pipeline)
            moduli = usable_primes(n, bits, limbs, ring, core)
            return plan_design(
                HardwareParameters(
                    n, moduli, direction, ring, dp=dp, pp=pp, core=core, pipeline=pipeline
                )
            )
        except ParameterError:
            continue


def effort(number: int) -> int:
    """A guess of how long a set takes, for the order of work: compiling, then running."""
    design = random_design(number)
    p = design.parameters
    cores = p.dp // 2 * p.pp * p.bp * p.parts**2
    cycles = 2 * TRANSFORMS * design.interval_cycles * len(p.directions)
    return cores * p.bits * (400 + cycles // 50) + cycles * 10 + p.n * p.log_n * p.bp


def sample(count: int, seed: int = 1) -> list[int]:
    """``count`` of the numbers 0 ... 299 from the third that takes least time."""
    quick = sorted(range(COUNT), key=effort)[: max(count, COUNT // 3)]
    return sorted(random.Random(seed).sample(quick, count))


def check_sets(numbers: Sequence[int], folder: Path) -> list[dict[str, Any]]:
    """Simulates these sets in one program; a line for each: what it is, and whether all agreed.

    Raises
    ------
    UnsupportedError
        If Verilator or a C++ compiler is missing.
    """
    start = time.perf_counter()
    designs = {f"set_{i}": random_design(i) for i in numbers}
    results = simulate_many(designs, folder, seed=1 + numbers[0], sets=TRANSFORMS)
    lines = []
    for number, (name, design) in zip(numbers, designs.items(), strict=True):
        p, runs = design.parameters, results[name]
        predicted = {d: design.latency_cycles(d) for d in p.directions}
        streaming = runs["streaming"]
        line: dict[str, Any] = {
            "set": number,
            "ok": all(r.passed for r in runs.values())
            and streaming.latency_cycles == predicted
            and streaming.interval_cycles == design.interval_cycles,
            "transform": "dgt" if p.parts == 2 else "ntt",
            "n": p.n * p.parts,
            "bits": p.bits // p.parts,
            "limbs": p.bp,
            "direction": p.direction,
            "ring": p.ring,
            "dp": p.dp * p.parts,
            "pp": p.pp,
            "core": design.cores[0].kind,
            "pipeline": [p.pipeline.input_regs, p.pipeline.sum_regs, p.pipeline.tree_regs],
            "predicted_latency": predicted,
            "simulated_latency": streaming.latency_cycles,
            "predicted_interval": design.interval_cycles,
            "simulated_interval": streaming.interval_cycles,
        }
        if not line["ok"]:
            line["messages"] = "\n".join(r.messages for r in runs.values())[-2000:]
        lines.append(line)
    lines[0]["seconds"] = round(time.perf_counter() - start, 1)
    return lines


def emitted_digest(number: int) -> str:
    """Digest of everything that is simulated for a set, to the byte."""
    files = design_files(random_design(number), "", TRANSFORMS, 1 + number)
    total = hashlib.sha256()
    for name in sorted(files.keys() - {"README.md", "design.f"}):
        text = files[name]
        total.update(f"{name}\0{len(text)}\0{text}".encode())
    return total.hexdigest()[:16]


def _check_one(item: tuple[int, str]) -> dict[str, Any] | None:
    """The line of a set, or None where its digest is the given one."""
    number, known = item
    folder = Path(tempfile.mkdtemp(prefix="nttforge-set-"))
    try:
        digest = emitted_digest(number)
        if digest == known:
            return None
        return check_sets([number], folder)[0] | {"emitted": digest}
    except Exception as error:  # one set that fails is a result, not the end of the others
        return {"set": number, "ok": False, "messages": f"{type(error).__name__}: {error}"}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def read_results(path: Path) -> dict[int, dict[str, Any]]:
    """The last line of each set."""
    if not path.is_file():
        return {}
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {line["set"]: line for line in lines}


def run_sets(numbers: Sequence[int], jobs: int, path: Path) -> list[dict[str, Any]]:
    """Checks the sets that ``path`` does not have yet and adds a line for each.

    A set is left out if it was right with the same tool and what is emitted for it is the same.

    Parameters
    ----------
    numbers : sequence of int
    jobs : int
        Processes.
    path : Path
        JSON, a line for each set, appended as they end.

    Returns
    -------
    list of dict
        One for each number, in their order.
    """
    tool = tool_version("verilator", "Verilator")
    done = read_results(path)
    known = {n: x["emitted"] for n, x in done.items() if x["ok"] and x["tool"] == tool}
    items = [(n, known.get(n, "")) for n in sorted(numbers, key=effort, reverse=True)]
    path.parent.mkdir(parents=True, exist_ok=True)
    runtime_library()
    with path.open("a", encoding="utf-8") as file:
        for (number, _), line in run_parallel(
            _check_one, items, jobs, "sets", lambda item: f"set {item[0]}"
        ):
            if line is not None:
                done[number] = line | {"tool": tool}
                file.write(json.dumps(done[number]) + "\n")
                file.flush()
    return [done[n] for n in numbers]


def _range(text: str) -> range:
    first, _, last = text.partition(":")
    try:
        numbers = range(int(first), int(last))
    except ValueError:
        numbers = range(0)
    if not numbers or numbers[0] < 0:
        raise ParameterError(f"--sets = {text!r} must be FIRST:END, such as 0:300")
    return numbers


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m nttforge.hardware.tools.random_sets",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--sets", default=f"0:{COUNT}", help=f"FIRST:END (default 0:{COUNT})")
    parser.add_argument(
        "--jobs", type=integer, default=usable_cores(), help="processes (all cores)"
    )
    parser.add_argument(
        "--out", default="out/hardware_sets.jsonl", help="results, added to and resumed from"
    )
    options = parser.parse_args(arguments)
    try:
        lines = run_sets(_range(options.sets), options.jobs, Path(options.out))
    except ParameterError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    wrong = [line for line in lines if not line["ok"]]
    for line in wrong:
        print(f"set {line['set']}: {line}")
    print(f"{len(lines) - len(wrong)} of {len(lines)} sets bit-exact, with the predicted cycles")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
