# SPDX-License-Identifier: Apache-2.0
"""300 random parameter sets: generated, simulated bit-exactly, with the predicted cycles.

Set k is the same on every machine: a transform, a DGT, or engines with loaded moduli, with an
option of each row of ``OPTIONS``. Every second set also runs in Icarus. Results are kept line by
line: an interrupted run goes on where it was, and after a change only sets for which something else
is emitted are simulated again.

examples:
  python -m nttforge_hardware.tools.random_sets                           all, on all cores
  python -m nttforge_hardware.tools.random_sets --sets 40:60 --jobs 4     some
  python -m nttforge_hardware.tools.random_sets --icarus --jobs 1         150, in Icarus alone
"""

from __future__ import annotations

import itertools
import json
import os
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from nttforge.errors import ParameterError
from nttforge.spec.transform import Ring

from ..emit.engine import engine_files
from ..emit.files import design_files, write_design
from ..plan.design import Design, plan_design
from ..plan.dgt import plan_dgt
from ..plan.engine import EngineDesign, EngineParameters, plan_engines
from ..plan.parameters import HardwareParameters
from ..plan.pipeline import Pipeline
from ..plan.primes import usable_dgt_primes, usable_primes
from . import set_runs
from .icarus import disagreements, icarus_version, simulate_icarus
from .simulate import SimulationResult, lint, simulate, simulate_files

COUNT = 300
SEED = 20261123
MAX_CORES = 12  # NTT cores of one design: a matter of time
MANY_CORES = 64  # of every tenth set
ICARUS_CORE_CYCLES = 6_000  # NTT cores times cycles of a run, for the sets that Icarus runs too
TRANSFORMS = 3


@dataclass(frozen=True)
class Option:
    """What a set has one value of, by name of an argument: of the plan, or else of the emission."""

    name: str
    values: tuple[Any, ...]
    kinds: tuple[str, ...] = ("ntt", "dgt", "engines")
    plan: bool = True

    def draw(self, number: int) -> Any:
        """The value of a set, from a stream of its own: a new row changes no other option."""
        return random.Random(f"{SEED}:{number}:{self.name}").choice(self.values)


KINDS = ("ntt", "ntt", "dgt", "engines", "engines")
OPTIONS = (
    Option("pipeline", ("small", "balanced", "fast", "own")),
    Option("block", ("dsp48e2", "dsp48e2", "dsp48e1")),
    Option("twiddles", ("table", "table", "on_the_fly"), ("ntt", "dgt")),
    Option("buffers", ("none", "none", "word", "frame"), ("ntt",)),
    Option("engines", (1, 2, 2, 3), ("engines",)),
    Option("sets", (1, 2, 3), ("engines",)),
    Option("start", ("word", "frame"), ("engines",)),
    Option("axi", (False, True), plan=False),
    Option("tdata", ("packed", "bytes", "power-of-two"), ("ntt", "dgt"), plan=False),
    Option("prefix", ("", "", "mine_"), plan=False),
)


@dataclass(frozen=True)
class RandomSet:
    """A set: its design and the options with which it was drawn."""

    number: int
    kind: str
    options: dict[str, Any]
    design: Design | EngineDesign

    @property
    def shape(self) -> Design:
        return self.design.shape if isinstance(self.design, EngineDesign) else self.design

    @property
    def cores(self) -> int:
        p = self.shape.parameters
        engines: int = self.options.get("engines", p.bp)
        return p.dp // 2 * p.pp * engines

    @property
    def core_cycles(self) -> int:
        """NTT cores times cycles of all transforms of a run."""
        p, interval = self.shape.parameters, self.design.interval_cycles
        transforms = TRANSFORMS * len(p.directions)
        if isinstance(self.design, EngineDesign):
            transforms = 2 * self.options["engines"] * self.options["sets"] + 2
        return self.cores * (2 * transforms * interval + 200)

    @property
    def in_icarus(self) -> bool:
        return self.number % 2 == 0

    def files(self, name: str = "ntt", folder: str = "") -> dict[str, str]:
        """Everything that is emitted."""
        emission = {o.name for o in OPTIONS if not o.plan}
        chosen = {name: value for name, value in self.options.items() if name in emission}
        if isinstance(self.design, EngineDesign):
            return engine_files(self.design, "", None, 1 + self.number, name, folder, **chosen)
        return design_files(self.design, "", TRANSFORMS, 1 + self.number, name, folder, **chosen)


def _of(kind: str, values: dict[str, Any]) -> dict[str, Any]:
    has = {o.name for o in OPTIONS if kind in o.kinds}
    return {name: value for name, value in values.items() if name in has}


def random_set(number: int) -> RandomSet:
    """Set ``number``.

    Raises
    ------
    ParameterError
        If it is below 0.
    """
    if number < 0:
        raise ParameterError(f"set {number} must not be negative")
    options = {o.name: o.draw(number) for o in OPTIONS}
    kind = random.Random(f"{SEED}:{number}:kind").choice(KINDS)
    source = random.Random(f"{SEED}:{number}:shape")
    many = number % 10 == 9
    top = 7 if number % 2 == 0 else 16 if many else 12
    # Small sizes more often: every size class appears, and the longest runs stay few.
    log_n = source.randint(3, top)
    log_n = log_n if many else min(log_n, source.randint(3, top))
    for attempt in itertools.count(1):
        if attempt % 100 == 0:  # this size asks for too many cycles, whatever the rest
            log_n = max(3, log_n - 1)
        try:
            found = _random_shape(number, kind, log_n, options, source)
        except ParameterError:
            continue
        most = MANY_CORES if many else MAX_CORES
        if found.cores * found.shape.parameters.parts**2 > most:
            continue
        if not found.in_icarus or found.core_cycles <= ICARUS_CORE_CYCLES:
            return found
    raise AssertionError("not reached")


def _random_shape(
    number: int, kind: str, log_n: int, options: dict[str, Any], source: random.Random
) -> RandomSet:
    n, dp = 1 << log_n, 2 ** source.randint(1, min(6, log_n - 1))
    pp, limbs = source.randint(1, log_n), source.choice((1, 1, 1, 2, 3))
    ring: Ring = source.choice(("negacyclic", "negacyclic", "cyclic"))
    bits = source.randint(max(12, log_n + 4), 61)
    direction = source.choice(("forward", "inverse", "both"))
    core = source.choice(("montgomery", "montgomery", "barrett", "solinas"))
    own = (source.randint(0, 2), source.randint(0, 3), source.randint(0, 4))
    more = {"add_regs": source.randint(0, 1), "reduction_regs": source.randint(0, 2),
            "memory_regs": source.randint(0, 4), "enable_regs": source.randint(0, 1)}  # fmt: skip
    apart = random.Random(f"{SEED}:{number}:registers")  # changes nothing that is drawn above
    more |= {"product_regs": apart.randint(0, 1), "carry_bits": apart.choice((0, 8, 24, 60))}
    chosen = {k: v for k, v in options.items() if any(o.name == k and o.plan for o in OPTIONS)}
    chosen = _of(kind, chosen)
    name, block = chosen.pop("pipeline"), chosen.pop("block")
    pipeline = Pipeline(*own, block, **more) if name == "own" else Pipeline.named(name, block)
    shape = {"direction": direction, "dp": dp, "pp": pp, "core": core, "pipeline": pipeline}
    design: Design | EngineDesign
    if kind == "engines":
        usable_primes(n, bits, chosen["engines"] * chosen["sets"], ring)  # that many exist
        design = plan_engines(EngineParameters(n, bits, ring=ring, **chosen, **shape))
    elif kind == "dgt":
        moduli = usable_dgt_primes(2 * n, bits, limbs, core)
        design = plan_dgt(2 * n, moduli, **{**shape, **chosen, "dp": 2 * dp})
    else:
        moduli = usable_primes(n, bits, limbs, ring, core)
        design = plan_design(HardwareParameters(n, moduli, ring=ring, **shape, **chosen))
    return RandomSet(number, kind, _of(kind, options), design)


def effort(number: int) -> int:
    """A guess of how long a set takes, for the order of work: compiling, then running."""
    found = random_set(number)
    p = found.shape.parameters
    cores = found.cores * p.parts**2
    cycles = 2 * TRANSFORMS * found.design.interval_cycles * len(p.directions)
    work = cores * p.bits * (400 + cycles // 50) + cycles * 10 + p.n * p.log_n * p.bp
    return work * (1 + bool(found.options.get("axi")))


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
    sets = {f"set_{i}": random_set(i) for i in numbers}
    emitted = {name: s.files(name, f"{name}/") for name, s in sets.items()}
    results = simulate_files(emitted, folder, 1 + numbers[0])
    return [
        _line(s, json.loads(emitted[name]["design.json"])["predicted"], results[name])
        for name, s in sets.items()
    ]


def check_set(number: int, folder: Path, files: dict[str, str]) -> dict[str, Any]:
    """Lints and simulates one set, with its AXI ports too; every second one in Icarus as well.

    Raises
    ------
    UnsupportedError
        If a simulator or a C++ compiler is missing.
    """
    start, found = time.perf_counter(), random_set(number)
    write_design(files, folder)
    lint(folder)
    runs = simulate(folder, 1 + number)
    line = _line(found, json.loads(files["design.json"])["predicted"], runs)
    if found.in_icarus:
        again = simulate_icarus(folder, 1 + number)
        differ = disagreements(runs, again)
        line["icarus"] = differ if differ else icarus_version()
        line["ok"] = line["ok"] and not differ
    return line | {"seconds": round(time.perf_counter() - start, 1)}


def check_set_icarus(number: int, folder: Path, files: dict[str, str]) -> dict[str, Any]:
    """Simulates one set in Icarus alone.

    The line has the seconds of the clock, and of the processor those of Icarus.

    Raises
    ------
    UnsupportedError
        If Icarus is missing.
    """
    start, found = time.perf_counter(), random_set(number)
    write_design(files, folder)
    before = _children_s()
    runs = simulate_icarus(folder, 1 + number)
    line = _line(found, json.loads(files["design.json"])["predicted"], runs)
    seconds = round(time.perf_counter() - start, 1)
    return line | {"seconds": seconds, "processor_seconds": round(_children_s() - before, 1)}


def _children_s() -> float:
    """Seconds of the processor that programs took which this process began."""
    times = os.times()
    return times.children_user + times.children_system


def _line(
    found: RandomSet, predicted: dict[str, Any], runs: dict[str, SimulationResult]
) -> dict[str, Any]:
    p, streaming = found.shape.parameters, runs["streaming"]
    pipeline = p.pipeline
    line: dict[str, Any] = {
        "set": found.number,
        "ok": all(r.passed for r in runs.values())
        and streaming.latency_cycles == predicted["latency_cycles"]
        and streaming.interval_cycles == predicted["interval_cycles"],
        "transform": found.kind,
        "n": p.n * p.parts,
        "bits": p.bits // p.parts,
        "limbs": p.bp,
        "direction": p.direction,
        "ring": p.ring,
        "dp": p.dp * p.parts,
        "pp": p.pp,
        "core": found.shape.cores[0].kind,
        **found.options,
        "registers": pipeline.registers,
        "runs": sorted(runs),
        "predicted_latency": predicted["latency_cycles"],
        "simulated_latency": streaming.latency_cycles,
        "predicted_interval": predicted["interval_cycles"],
        "simulated_interval": streaming.interval_cycles,
    }
    if not line["ok"]:
        line["messages"] = "\n".join(r.messages for r in runs.values())[-2000:]
    return line


def _emit(number: int) -> dict[str, str]:
    return random_set(number).files()


def run_sets(numbers: Sequence[int], jobs: int, path: Path) -> list[dict[str, Any]]:
    """Checks the sets that ``path`` does not have yet: see ``set_runs.run_sets``."""
    check = partial(set_runs.check_one, _emit, check_set)
    return set_runs.run_sets(numbers, jobs, path, check, effort)


def run_sets_icarus(numbers: Sequence[int], jobs: int, path: Path) -> list[dict[str, Any]]:
    """The same for those of these sets that Icarus runs too, in Icarus alone."""
    check = partial(set_runs.check_one, _emit, check_set_icarus)
    chosen = [number for number in numbers if random_set(number).in_icarus]
    return set_runs.run_sets(chosen, jobs, path, check, effort, icarus=True)


def main(arguments: Sequence[str] | None = None) -> int:
    return set_runs.command(
        arguments, "random_sets", __doc__ or "", COUNT, run_sets, run_sets_icarus
    )


if __name__ == "__main__":
    sys.exit(main())
