# SPDX-License-Identifier: Apache-2.0
"""Simulate whole key-switching pipelines in Verilator and keep what came out.

python tools/figures/hardware_keyswitch.py 4096 4 1 52 8 1 --operations 2 --out FOLDER

The numbers are n, primes of Q, special primes, bits, dp and pp. Each run is a line of
bench/results/hardware-keyswitch/runs.jsonl. n = 4096 takes minutes, most of them for compiling.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from pathlib import Path

from nttforge_hardware.emit.files import made_by, write_design
from nttforge_hardware.emit.keyswitch import keyswitch_files
from nttforge_hardware.plan.keyswitch import KeySwitchParameters, plan_keyswitch
from nttforge_hardware.plan.keyswitch_timing import KeyMemory, key_rate, operation_times
from nttforge_hardware.tools.programs import tool_version
from nttforge_hardware.tools.simulate import lint, simulate

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench" / "results" / "hardware-keyswitch" / "runs.jsonl"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("n", "limbs", "special", "bits", "dp", "pp"):
        parser.add_argument(name, type=int)
    parser.add_argument("--operations", type=int, default=2)
    parser.add_argument("--memory", default="channels=2,width=512,mhz=300")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    shape = (options.n, options.limbs, options.special, options.bits)
    design = plan_keyswitch(KeySwitchParameters.of_size(*shape, dp=options.dp, pp=options.pp))
    memory = KeyMemory.parse(options.memory)
    rate = key_rate(design, memory, 250)
    files = keyswitch_files(design, "", options.operations, memory=memory)
    write_design(files, options.out)
    lint(options.out)
    start = time.perf_counter()
    said = simulate(options.out)
    manifest = json.loads(files["design.json"])
    row = {
        "n": options.n,
        "primes": [options.limbs, options.special],
        "bits": options.bits,
        "dp": options.dp,
        "pp": options.pp,
        "operations": options.operations,
        "made_by": made_by(),
        "commit": _output("git", "rev-parse", "--short", "HEAD"),
        "tool": tool_version("verilator", "Verilator"),
        "lint": "silent",
        "errors": {run: result.errors for run, result in said.items()},
        "latency_cycles": said["streaming"].latency_cycles["forward"],
        "interval_cycles": said["streaming"].interval_cycles,
        "predicted": manifest["predicted"],
        # Compared with the simulation, operation by operation: first word in, last word out.
        "cycles": [[t.first_in, t.last_out] for t in operation_times(design, options.operations)],
        "cycles_from_memory": [
            [t.first_in, t.last_out] for t in operation_times(design, options.operations, rate)
        ],
        "seconds": round(time.perf_counter() - start),
    }
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    print(json.dumps(row, indent=1))


def _output(*command: str) -> str:
    return subprocess.run(
        command, cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()


if __name__ == "__main__":
    main()
