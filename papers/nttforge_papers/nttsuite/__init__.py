# SPDX-License-Identifier: Apache-2.0
"""NTTSuite [Din24]: Table I and Fig. 2, the seven algorithms on CPUs, GPUs and as hardware.

As in the paper, vectors are made on the CPU; the GPU's kernels (the same code on the CPU where
there is no GPU) and simulated hardware must give their words before anything is timed. Then the
algorithms and the engine are timed on one core, and on the GPU if there is one; else the kept
results of a GPU are shown, and their place. The paper's conclusions are judged from both.

examples:
  nttforge paper nttsuite                          everything that this machine can
  nttforge paper nttsuite --quick                  less of the checks, fewer rounds, no GPU
  nttforge paper nttsuite --out out/nttsuite       also results.json and the plots
  nttforge paper nttsuite --hardware               Table I: cycles and DSPs of our dataflows
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from nttforge.console.arguments import integer as whole_number
from nttforge.console.output import require_writable, table, whole_file
from nttforge.errors import ParameterError, UnsupportedError
from nttforge_bench.console import can_plot

from . import cpu as cpu
from . import gpu as gpu
from . import harness as harness
from .hardware import SIZES

ROUNDS, QUICK_ROUNDS = 40, 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--out", metavar="FOLDER", type=Path, help="write results.json and the plots there")
    add("--quick", action="store_true", help="check 1024 points, simulate nothing, no GPU's times")
    add("--hardware", action="store_true", help="Table I instead: the dataflows as hardware")
    tools = "with --hardware: also Yosys, to 4096 points, and Verilator"
    add("--synthesise", action="store_true", help=tools)
    add("--jobs", type=whole_number, help="processes for --hardware (default: all cores)")
    add("--bits", type=whole_number, default=60, help="size of the prime (default 60)")
    add("--rounds", type=whole_number, help=f"CPU's timings of each (default {ROUNDS})")
    add("--results", type=Path, help="kept GPU results (default: this clone's newest)")
    add("--programs", type=Path, help="folder of our GPU benchmark programs")
    add("--json", action="store_true", help="results as JSON on standard output")


def run(options: argparse.Namespace) -> int:
    _check(options)
    if options.hardware:
        return _run_hardware(options)
    results: dict[str, Any] = {"validated": _validate(options)}
    rounds = options.rounds or (QUICK_ROUNDS if options.quick else ROUNDS)
    results |= cpu.measure(options.bits, rounds)
    on_gpu, why = _gpu_results(options)
    results["gpu_results"] = on_gpu.source if on_gpu is not None else why
    results["gpu_statements"] = gpu.judged(on_gpu) if on_gpu is not None else []
    if options.out is not None:
        _write(options.out, results, on_gpu)
    if options.json:
        print(json.dumps(results, indent=1))
        return 0
    print(harness.report(results["validated"]), cpu.report(results), sep="\n\n", end="\n\n")
    print(why if on_gpu is None else gpu.report(on_gpu, _kept_hardware()))
    return 0


def _check(options: argparse.Namespace) -> None:
    """Everything that can be wrong is said before the work."""
    from nttforge._arguments import integer
    from nttforge_hardware._parallel import check_jobs

    integer("--bits", options.bits, 20, 62)
    if options.rounds is not None:
        integer("--rounds", options.rounds, 1, 10_000)
    if options.jobs is not None:
        check_jobs(options.jobs, "--jobs")
    if options.synthesise and not options.hardware:
        raise ParameterError("--synthesise goes with --hardware")
    if options.results is not None:
        gpu.kept(options.results)
    if options.programs is not None and not options.programs.is_dir():
        raise ParameterError(f"--programs {options.programs} must be a folder of programs")
    if options.out is not None:
        require_writable(options.out)


def _validate(options: argparse.Namespace) -> list[dict[str, Any]]:
    from nttforge import ntt_primes

    q = ntt_primes(max(SIZES), options.bits, 1)[0]
    sizes = SIZES[:1] if options.quick else SIZES
    return harness.validate(sizes, q, not options.quick)


def _gpu_results(options: argparse.Namespace) -> tuple[gpu.Measured | None, str]:
    """Measured on this machine's GPU if there is one, else kept; or why there are none."""
    why = ""
    try:
        if options.results is None and not options.quick and harness.gpu_device() == "cuda":
            folder = (options.out or Path("out/nttsuite")) / "raw"
            found = gpu.measure(folder, options.programs)
            return gpu.Measured(found, "measured on this machine now", True), ""
    except UnsupportedError as error:
        why = f"the GPU here was not measured: {error}; "
    try:
        found_kept = gpu.kept(options.results)
    except UnsupportedError as error:
        return None, f"{why}{error}"
    return gpu.Measured(found_kept.results, why + found_kept.source, False), ""


def _kept_hardware() -> dict[str, Any]:
    """Table I's hardware, which is the same on every machine; nothing outside a clone."""
    from nttforge_bench import programs

    root = programs.clone_root(Path.cwd())
    path = root / "bench/results/nttsuite-hardware/hardware.json" if root is not None else None
    if path is None or not path.exists():
        return {}
    return dict(json.loads(path.read_text(encoding="utf-8")))


def _write(folder: Path, results: dict[str, Any], on_gpu: gpu.Measured | None) -> None:
    from . import gpu_plots

    with whole_file(folder / "results.json") as file:
        file.write(json.dumps(results, indent=1) + "\n")
    cpu.plot(results, folder / "fig2_cpu.png")
    if on_gpu is not None:
        gpu_plots.plot(on_gpu.results, folder / "nttsuite.png")
    if on_gpu is not None and on_gpu.here:
        with whole_file(folder / "nttsuite.json") as file:
            file.write(json.dumps(on_gpu.results, indent=1) + "\n")


def _run_hardware(options: argparse.Namespace) -> int:
    from nttforge_hardware._parallel import usable_cores

    from . import hardware as hardware

    jobs = usable_cores() if options.jobs is None else options.jobs
    folder = options.out
    tools = None
    if options.synthesise:
        from ..hardware_tools import ToolRuns

        tools = ToolRuns(folder / "tools.jsonl" if folder is not None else None)
        tools.run(hardware.tool_runs(), jobs, "tools")
    results = hardware.reproduce(tools, jobs)
    if folder is not None:
        with whole_file(folder / "hardware.json") as file:
            file.write(json.dumps(results, indent=1) + "\n")
        if can_plot():
            hardware.plot(results, folder / "table_1_hardware.png")
    if options.json:
        print(json.dumps(results, indent=1))
        return 0
    for part in ("table_1", "partitions"):
        rows = results[part]
        header = [k for k in rows[0] if k != "tool"]
        print(table(header, [[r.get(k, "-") for k in header] for r in rows]) + "\n")
    return 0
