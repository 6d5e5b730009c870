# SPDX-License-Identifier: Apache-2.0
"""Random key-switching pipelines: generated, simulated bit-exactly, with the predicted cycles.

Pipeline k is the same on every machine. Its testbench runs two operations with keys always there,
with keys at a memory's rate, and with pauses; every second pipeline also runs in Icarus. Results
are kept as those of random_sets.

example:
  python -m nttforge_hardware.tools.random_switches --jobs 2
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from nttforge.errors import ParameterError

from ..emit.files import write_design
from ..emit.keyswitch import keyswitch_files
from ..plan.keyswitch import KeySwitchDesign, KeySwitchParameters, plan_keyswitch
from ..plan.keyswitch_timing import KeyMemory, key_rate, operation_times
from ..plan.pipeline import Pipeline
from . import set_runs
from .icarus import disagreements, icarus_version, simulate_icarus
from .simulate import lint, simulate

COUNT = 12
SEED = 20261124
OPERATIONS = 2
_BLOCKS = ("dsp48e2", "dsp48e1")
ICARUS_PRODUCT_CYCLES = 80_000  # products times cycles, for the pipelines that Icarus runs too
MAX_PRODUCTS = 110  # modular products of one pipeline: a matter of time


@dataclass(frozen=True)
class RandomSwitch:
    """A pipeline, its memory of keys, and whether it has AXI ports."""

    number: int
    design: KeySwitchDesign
    memory: KeyMemory
    axi: bool

    @property
    def in_icarus(self) -> bool:
        return self.number % 2 == 0

    def files(self) -> dict[str, str]:
        """Everything that is emitted."""
        how = (OPERATIONS, 1 + self.number)
        return keyswitch_files(self.design, "", *how, axi=self.axi, memory=self.memory)


def _products(p: KeySwitchParameters) -> int:
    """Modular products of a pipeline, those of its engines' butterflies among them."""
    everything, special = len(p.everything), len(p.special)
    around = 2 * everything + p.limbs
    if p.digit_primes > 1:
        around += p.limbs + p.digit_primes * everything
    if special > 1:
        around += special + special * p.limbs
    return everything * p.pp * p.dp // 2 + p.dp * around


def _product_cycles(found: RandomSwitch) -> int:
    """Products times cycles of a run, with keys at the memory's rate."""
    rate = key_rate(found.design, found.memory, 250)
    last = operation_times(found.design, OPERATIONS, rate)[-1].last_out
    return _products(found.design.parameters) * last


def random_switch(number: int) -> RandomSwitch:
    """Pipeline ``number``.

    Raises
    ------
    ParameterError
        If it is below 0.
    """
    if number < 0:
        raise ParameterError(f"set {number} must not be negative")
    source = random.Random(f"{SEED}:{number}")
    while True:
        several = number % 4 == 1  # primes of a digit
        n, special = 1 << source.randint(6, 8), source.choice((2, 2, 3) if several else (1, 1, 2))
        limbs, bits = source.randint(1, 5), source.randint(14, 60)
        name, block = source.choice(("small", "balanced", "fast")), source.choice(_BLOCKS)
        how = {
            "digit_primes": min(special, limbs) if several else 1,
            "dp": 1 << source.randint(1, 3),
            "pp": source.randint(1, 4),
            "core": source.choice(("montgomery", "montgomery", "barrett")),
            "key_words": 1 << source.randint(2, 6),
            "pipeline": Pipeline.named(name, block),
        }
        memory = KeyMemory(
            width=1 << source.randint(6, 9),
            mhz=source.choice((60, 150, 300)),
            burst=source.choice((8, 16)),
            outstanding=source.choice((1, 4)),
        )
        axi = source.choice((False, True))
        try:
            p = KeySwitchParameters.of_size(n, limbs, special, bits, **how)
        except ParameterError:
            continue
        if _products(p) > MAX_PRODUCTS:
            continue
        found = RandomSwitch(number, plan_keyswitch(p), memory, axi)
        if not found.in_icarus or _product_cycles(found) <= ICARUS_PRODUCT_CYCLES:
            return found


def effort(number: int) -> int:
    """A guess of how long a pipeline takes."""
    p = random_switch(number).design.parameters
    return _products(p) * p.bits


def check_switch(number: int, folder: Path, files: dict[str, str]) -> dict[str, Any]:
    """Lints and simulates one pipeline; a line that says what it is and whether all agreed.

    Raises
    ------
    UnsupportedError
        If a simulator or a C++ compiler is missing.
    """
    start, found = time.perf_counter(), random_switch(number)
    p = found.design.parameters
    write_design(files, folder)
    lint(folder)
    runs = simulate(folder, 1 + number)
    streaming = runs["streaming"]
    predicted = json.loads(files["design.json"])["predicted"]
    line: dict[str, Any] = {
        "set": number,
        "ok": all(r.passed for r in runs.values())
        and streaming.latency_cycles == predicted["latency_cycles"]
        and streaming.interval_cycles == predicted["interval_cycles"],
        "n": p.n,
        "bits": p.bits,
        "primes": [p.limbs, len(p.special)],
        "digit_primes": p.digit_primes,
        "dp": p.dp,
        "pp": p.pp,
        "core": found.design.cores[0].kind,
        "pipeline": p.pipeline.name,
        "block": p.pipeline.block,
        "key_words": p.key_words,
        "axi": found.axi,
        "memory": predicted["memory"],
        "runs": sorted(runs),
        "predicted_latency": predicted["latency_cycles"],
        "simulated_latency": streaming.latency_cycles,
        "predicted_interval": predicted["interval_cycles"],
        "simulated_interval": streaming.interval_cycles,
    }
    if found.in_icarus:
        differ = disagreements(runs, simulate_icarus(folder, 1 + number))
        line["icarus"] = differ if differ else icarus_version()
        line["ok"] = line["ok"] and not differ
    if not line["ok"]:
        line["messages"] = "\n".join(r.messages for r in runs.values())[-2000:]
    return line | {"seconds": round(time.perf_counter() - start, 1)}


def _emit(number: int) -> dict[str, str]:
    return random_switch(number).files()


def run_switches(numbers: Sequence[int], jobs: int, path: Path) -> list[dict[str, Any]]:
    """Checks the pipelines that ``path`` does not have yet: see ``set_runs.run_sets``."""
    check = partial(set_runs.check_one, _emit, check_switch)
    return set_runs.run_sets(numbers, jobs, path, check, effort)


def main(arguments: Sequence[str] | None = None) -> int:
    return set_runs.command(arguments, "random_switches", __doc__ or "", COUNT, run_switches)


if __name__ == "__main__":
    sys.exit(main())
