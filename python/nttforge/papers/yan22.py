# SPDX-License-Identifier: Apache-2.0
"""NTTGen [Yan22]: Tables 3-7 and Figs. 3, 7-10, the paper's statement beside ours.

Cycles, DSPs and block memories are the generator's own prediction, which simulation and synthesis
confirm in the tests; LUTs and flip-flops are counted by Yosys where --synthesise asks for them. No
clock is ours: microseconds are our cycles at the paper's clock or at the assumed one, and say so.

examples:
  nttforge paper yan22
  nttforge paper yan22 --synthesise --out out/yan22     also JSON and plots (minutes)
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..cli.arguments import integer
from ..cli.output import can_plot, progress, require_writable, table, whole_file
from ..hardware.cost import estimate

if TYPE_CHECKING:
    from ..hardware import Design, HardwareParameters
    from .hardware_tools import ToolRuns

ASSUMED_MHZ = 250.0  # [Yan22] section 6.2

#: Table 4 and Table 7: name, (n, limbs, bits, dp, pp, core), (MHz, us, DSPs, BRAMs, kLUTs, kFFs).
#: The paper's device is an XCU200, an XCU280 in Table 7, and a Virtex-7 at n = 1024.
DESIGNS = {
    "Table 4, n = 1024": ((1024, 1, 28, 32, 10, "solinas"), (210, 1.1, 640, 80, 206, 159)),
    "Table 4, n = 4096": ((4096, 6, 30, 4, 2, "montgomery"), (250, 24.7, 288, 84, 54.1, 56.2)),
    "Table 4, n = 8192": ((8192, 4, 52, 32, 5, "solinas"), (220, 4.5, 1920, 1600, 1107, 1002)),
    "Table 4, n = 8192, any primes": (
        (8192, 4, 52, 32, 5, "montgomery"),
        (220, 4.5, 1920, 1600, 1107, 1002),
    ),
    "Table 7, n = 16384": (
        (16384, 21, 52, 32, 1, "montgomery"),
        (180, 39.6, None, None, None, None),
    ),
}
#: Table 7, the rest: external GB/s, how busy the cores are (the paper's compute efficiency), and
#: transforms per unit of bandwidth beside those of the GPU (44.1 us, 653 GB/s).
TABLE_7 = {
    "paper_gb_per_s_available": 460,
    "paper_compute_efficiency_percent": 67.3,
    "paper_transforms_per_bandwidth": 1.58,
}
GPU_US_TIMES_GB_PER_S = 44.1 * 653
#: By beginning of the column.
SAID_BY = {
    "paper_": "[Yan22]",
    "our_": "this generator's prediction, exact but where it says estimated; in Tables 5 and 6 "
    "LUTs and FFs are those of the synthesis named in tool",
    "synthesised_": "the synthesis named in tool",
    "simulated_": "the simulator named in tool, with the design's own testbench",
}
XCU200 = {"dsps": 6840, "ramb18": 2 * 2160}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", metavar="FOLDER", help="write results.json and plots there")
    parser.add_argument(
        "--synthesise",
        action="store_true",
        help="also count LUTs with Yosys and simulate the designs of Tables 4 and 7",
    )
    parser.add_argument("--jobs", type=integer, help="processes for that (default: all cores)")
    parser.add_argument("--json", action="store_true", help="results as JSON on standard output")


def run(options: argparse.Namespace) -> int:
    from ..hardware.parallel import check_jobs, usable_cores

    jobs = check_jobs(usable_cores() if options.jobs is None else options.jobs, "--jobs")
    folder = Path(options.out) if options.out is not None else None
    if folder is not None:
        require_writable(folder)
    tools = _ask_tools(folder, jobs) if options.synthesise else None
    results = reproduce(tools)
    if folder is not None:
        with whole_file(folder / "results.json") as file:
            file.write(json.dumps(results, indent=1) + "\n")
        if can_plot():
            from .yan22_plots import plot

            plot(results, folder)
    print(json.dumps(results, indent=1) if options.json else report(results))
    return 0


def _ask_tools(folder: Path | None, jobs: int) -> ToolRuns:
    """Everything that Yosys and Verilator have to say, kept in ``folder``."""
    from . import yan22_parts
    from .hardware_tools import ToolRuns, transform_runs

    tools = ToolRuns(folder / "tools.jsonl" if folder is not None else None)
    runs = yan22_parts.tool_runs()
    for name in DESIGNS:
        runs += transform_runs(name, _one_limb(name), _family(name))
    tools.run(runs, jobs, "tools")
    return tools


def reproduce(tools: ToolRuns | None = None) -> dict[str, Any]:
    """Every table and figure as rows of numbers; deterministic."""
    from . import yan22_figures as figures
    from . import yan22_parts

    parts = {
        "table_3": table_3,
        "table_4_and_7": lambda: designs(tools),
        "table_5": lambda: yan22_parts.networks(tools),
        "table_6": lambda: yan22_parts.cores(tools),
        "fig_3": figures.prime_counts,
        "fig_7": figures.design_space,
        "fig_8": figures.sensitivity,
        "fig_9": figures.bandwidth,
        "fig_10": figures.permutation_latency,
    }
    rows = {name: parts[name]() for name in progress(list(parts), "yan22", str)}
    return {"said_by": SAID_BY, "figures_in_the_paper": figures.PAPER_SAYS, **rows}


def table_3() -> list[dict[str, Any]]:
    """Which transforms the moduli of Table 3 carry, and what reducing by them takes."""
    from ..hardware.solinas import Solinas, solinas_operands, solinas_problem
    from ..spec.number_theory import YAN22_TABLE_3, yan22_table_3

    depths = (2, 3, 3, 3, 3, 2, 3, 4)
    rows = []
    for form, support, depth in zip(YAN22_TABLE_3, yan22_table_3(), depths, strict=True):
        i, sign_j, j, sign_0 = form
        solinas = Solinas(i, j, sign_j, sign_0)
        operands = len(solinas_operands(solinas))
        rows.append(
            {
                "modulus": f"2^{i} {'+' if sign_j > 0 else '-'} 2^{j} "
                f"{'+' if sign_0 > 0 else '-'} 1",
                "paper_depth": depth,
                "our_depth": (operands - 1).bit_length(),
                "operands": operands,
                "core_takes_it": solinas_problem(solinas) is None,
                "max_n_ntt": support.max_n_negacyclic if support.max_n_negacyclic > 1 else 0,
                "max_n_dgt": support.max_n_dgt,
            }
        )
    return rows


def paper_design(name: str) -> Design:
    """Our design for a row of Table 4 or 7."""
    from ..hardware import HardwareParameters, plan_design
    from ..hardware.devices import device_pipeline
    from ..hardware.primes import usable_primes

    n, limbs, bits, dp, pp, core = DESIGNS[name][0]
    moduli = usable_primes(n, bits, limbs, core=core)
    pipeline = device_pipeline(_family(name))
    return plan_design(HardwareParameters(n, moduli, dp=dp, pp=pp, core=core, pipeline=pipeline))


def _family(name: str) -> str:
    return "xc7" if DESIGNS[name][0][0] == 1024 else "xcup"


def _one_limb(name: str) -> HardwareParameters:
    p = paper_design(name).parameters
    return replace(p, moduli=p.moduli[:1])


def designs(tools: ToolRuns | None = None) -> list[dict[str, Any]]:
    """Tables 4 and 7 at the paper's parameters; tools are given one limb."""
    from .hardware_tools import transform_said

    rows = []
    for name, (shape, (mhz, us, dsps, brams, kluts, kffs)) in DESIGNS.items():
        n, limbs, bits, dp, pp, core = shape
        design = paper_design(name)
        p, copies = design.parameters, limbs // design.parameters.bp
        cycles = design.latency_cycles("forward")
        luts, ffs = estimate(design)
        rows.append(
            {
                "design": name,
                "n": n,
                "limbs": limbs,
                "bits": bits,
                "dp": dp,
                "pp": pp,
                "core": core,
                "primes_of_this_kind_used": design.parameters.bp,
                "paper_us": us,
                "paper_mhz": mhz,
                "paper_cycles": round(us * mhz),
                "our_cycles": cycles,
                "our_interval_cycles": design.interval_cycles,
                "our_us_at_paper_clock": round(cycles / mhz, 2),
                "paper_dsps": dsps,
                "our_dsps": design.dsps * copies,
                "paper_bram36": brams,
                "our_bram36": design.ramb18 * copies / 2,
                "floor_cycles": p.passes * p.words,
                "paper_luts": kluts and round(kluts * 1000),
                "paper_ffs": kffs and round(kffs * 1000),
                "our_luts_estimated": luts * copies,
                "our_ffs_estimated": ffs * copies,
            }
        )
        if n == 16384:
            busy = p.n // 2 * p.log_n / (p.dp // 2 * p.pp * cycles)
            moved = 2 * limbs * n * (-(-bits // 8))
            ours = cycles / mhz * TABLE_7["paper_gb_per_s_available"]
            rows[-1] |= TABLE_7 | {
                "our_core_cycles_used_percent": round(100 * busy, 1),
                "our_gb_per_s_needed": round(moved / us / 1000, 1),
                "our_transforms_per_bandwidth": round(GPU_US_TIMES_GB_PER_S / ours, 2),
            }
        if tools is not None:
            rows[-1] |= transform_said(tools, name, _one_limb(name), limbs, _family(name))
    return rows


def explain_table_7() -> dict[str, Any]:
    """Why 7128 cycles cannot be for dp = 32, pp = 1 at n = 16384, and which readings allow it."""
    stages, words = 14, 16384 // 32
    floor = stages * words
    return {
        "claim_cycles": round(39.6 * 180),
        "floor_cycles": floor,
        "why": f"one super pipeline takes {words} cycles for each of {stages} stages: {floor}; "
        "stages of one transform cannot overlap on it",
        "rounding_is_not_enough": {"largest_cycles": round(39.65 * 180.5)},
        "clock_rounded_to_10_mhz": {
            "cycles": [round(39.6 * 175), round(39.6 * 185)],
            "contains_ours": round(39.6 * 175) <= floor + 16 <= round(39.6 * 185),
        },
        "clock_needed_mhz_for_our_cycles": round((floor + 16) / 39.6, 1),
    }


def report(results: dict[str, Any]) -> str:
    """The tables as text."""
    parts = []
    for key in ("table_3", "table_4_and_7", "table_5", "table_6"):
        rows = results[key]
        header = [k for k in rows[0] if k not in ("tool", "q", "n", "bits")]
        parts.append(
            f"{key.replace('_', ' ')}\n" + table(header, [[r[k] for k in header] for r in rows])
        )
    why = explain_table_7()
    parts.append(
        f"Table 7: {why['claim_cycles']} cycles are claimed, {why['why']}. Rounded figures reach "
        f"{why['rounding_is_not_enough']['largest_cycles']}; a clock rounded to 10 MHz explains "
        f"{why['clock_rounded_to_10_mhz']['cycles'][0]} ... "
        f"{why['clock_rounded_to_10_mhz']['cycles'][1]}."
    )
    counts = {(r["bits"], r["operands"]): r["primes"] for r in results["fig_3"]}
    header = ["bits", *(f"{k} operands" for k in range(4, 10))]
    rows = [
        [bits, *(counts.get((bits, k), 0) for k in range(4, 10))]
        for bits in sorted({b for b, _ in counts})
    ]
    parts.append("fig 3: primes 2^i +- 2^j +- 1\n" + table(header, rows))
    parts.append("Figs. 7-10 are in the JSON (--json) and the plots (--out).")
    return "\n\n".join(parts)
