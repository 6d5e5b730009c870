# SPDX-License-Identifier: Apache-2.0
"""Measure how many cycles of a design Icarus simulates in a second.

python tools/figures/hardware_simulation.py --out bench/results/hardware-simulation/icarus.json

Each design runs its own testbench once, in one process; seconds are those of the processor that the
simulator took, without compilation. Cycles are those of the whole run, both of its halves.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

from nttforge.cli import main as nttforge
from nttforge_hardware.emit.files import made_by
from nttforge_hardware.emit.manifest import bench_tops, read_manifest
from nttforge_hardware.tools.icarus import core_cycles, icarus_version

#: Commands of ``nttforge rtl``; the first three are the benchmark, the rest fits the cost model.
DESIGNS = {
    "permutation": "permute --n 256 --dp 8 --bits 32 --permutation stride:16",
    "dataflow": "dataflow --algorithm pease_nc --n 256 --units 8",
    "transform": "generate --n 1024 --bits 30 --dp 4 --pp 5",
    "dataflow, 62 bits": "dataflow --algorithm pease_nc --n 256 --units 4 --bits 62",
    "transform, 62 bits": "generate --n 256 --bits 62 --dp 4 --pp 2",
    "transform, fast": "generate --n 256 --bits 30 --dp 4 --pp 2 --pipeline fast",
    "loaded moduli": "generate --n 256 --bits 30 --moduli runtime --dp 4 --pp 2",
}
#: A second top level, which says when the simulation ends; a cycle takes ten units.
_WATCH = 'module watch; final $display("ends at %0d", $time); endmodule\n'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, help="JSON to write")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for k, (name, command) in enumerate(DESIGNS.items()):
            folder = Path(scratch) / str(k)
            if nttforge(["rtl", *command.split(), "--out", str(folder)]):
                raise SystemExit(f"{command} failed")
            rows.append({"design": name, "command": f"nttforge rtl {command}", **_measure(folder)})
    for row in rows:
        print(row)
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        head = {"made_by": made_by(), "tool": icarus_version(), "machine": _machine()}
        options.out.write_text(json.dumps(head | {"rows": rows}, indent=1) + "\n", "utf-8")


def _measure(folder: Path) -> dict[str, float]:
    (folder / "watch.sv").write_text(_WATCH, "utf-8")
    top = bench_tops(read_manifest(folder))[""]
    build = ["iverilog", "-g2012", "-s", top, "-s", "watch", "-o", "run.vvp", "-f", "testbench.f"]
    subprocess.run([*build, "watch.sv"], cwd=folder, check=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    said = subprocess.run(["vvp", "-n", "run.vvp"], cwd=folder, capture_output=True, text=True)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if said.returncode or " PASS" not in said.stdout:
        raise SystemExit(f"{folder}: {said.stdout}")
    cycles = int(said.stdout.rsplit("ends at ", 1)[1]) // 10
    return {
        "cycles": cycles,
        "seconds": round(seconds, 2),
        "cycles_per_second": round(cycles / seconds),
        "predicted_core_cycles": core_cycles(folder),
    }


def _machine() -> str:
    model = [
        line for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line
    ]
    name = model[0].split(": ")[1] if model else "unknown"
    return f"{name}, {os.cpu_count()} threads, load {os.getloadavg()[0]:.1f}"


if __name__ == "__main__":
    if shutil.which("iverilog") is None:
        raise SystemExit("no iverilog on the path: apt install iverilog")
    main()
