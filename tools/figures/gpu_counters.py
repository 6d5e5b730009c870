# SPDX-License-Identifier: Apache-2.0
"""The profiler's counters of the fast transforms on this GPU, as JSON.

For an idle card with ncu on PATH and gpu_bench built there (`make gpu-bench`):
python3 tools/figures/gpu_counters.py build/gpu/gpu_bench --out bench/results/<run>/counters.json
Cells as bits:log2 n:limbs. Every kernel of the recipes that fit a cell, forward and then inverse.
"""

from __future__ import annotations

import argparse
import csv
import json
import pathlib
import subprocess
import sys

CELLS = ("30:15:45", "30:16:45", "60:14:21")
METRICS = {
    "time_ns": "gpu__time_duration.sum",
    "active_cycles": "sm__cycles_active.avg",
    "registers": "launch__registers_per_thread",
    "blocks": "launch__grid_size",
    "threads": "launch__block_size",
    "waves": "launch__waves_per_multiprocessor",
    "occupancy_percent": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "issue_slots_percent": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "warp_instructions": "smsp__inst_executed.sum",
    "alu_percent": "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_active",
    "fma_heavy_percent": "sm__pipe_fmaheavy_cycles_active.avg.pct_of_peak_sustained_active",
    "lsu_percent": "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active",
    "shared_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "shared_bank_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "l1_hit_percent": "l1tex__t_sector_hit_rate.pct",
    "l2_bytes": "lts__t_bytes.sum",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_written_bytes": "dram__bytes_write.sum",
}
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
STALLS = (
    "long_scoreboard",
    "short_scoreboard",
    "barrier",
    "mio_throttle",
    "lg_throttle",
    "math_pipe_throttle",
    "dispatch_stall",
    "wait",
    "not_selected",
    "drain",
)
NCU = (
    "ncu --csv --page raw --cache-control none --clock-control none --kernel-name regex:run_kernel"
)


def profile(bench: pathlib.Path, bits: int, log_n: int, limbs: int) -> list[dict]:
    """Counters of each recipe that fits one cell."""
    metrics = [*METRICS.values(), *(STALL.format(name) for name in STALLS)]
    cell = f"--kind check --bits {bits} --limbs {limbs} --min-log-n {log_n} --max-log-n {log_n}"
    command = [*NCU.split(), "--metrics", ",".join(metrics), str(bench), *cell.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    lines = done.stdout.splitlines()
    table = [line for line in lines if line.startswith('"')]
    kernels = list(csv.DictReader(table))[1:]  # the first row has the units
    recipes = []
    for line in lines:
        count, word, recipe = [*line.split(" ", 2), "", ""][:3]
        if word != "launches":
            continue
        own, kernels = kernels[: int(count)], kernels[int(count) :]
        half = len(own) // 2
        recipes.append(
            {
                "cell": {"bits": bits, "log_n": log_n, "limbs": limbs},
                "recipe": json.loads(recipe),
                "forward": [counters(kernel) for kernel in own[:half]],
                "inverse": [counters(kernel) for kernel in own[half:]],
            }
        )
    return recipes


def counters(kernel: dict[str, str]) -> dict:
    """One kernel's figures under our names."""

    def number(name: str) -> float:
        return float(kernel[name].replace(",", ""))

    found: dict = {ours: number(name) for ours, name in METRICS.items()}
    found["stalled_warps_per_issue"] = {name: number(STALL.format(name)) for name in STALLS}
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench", type=pathlib.Path, help="the program gpu_bench")
    parser.add_argument("--cell", action="append", help="bits:log2 n:limbs; again for several")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("counters.json"))
    options = parser.parse_args()
    found = []
    for cell in options.cell or CELLS:
        found += profile(options.bench, *map(int, cell.split(":")))
    document = {"command": f"{NCU} ... gpu_bench --kind check", "recipes": found}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(f"{len(found)} recipes in {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
