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
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...console.arguments import integer
from ...console.output import can_plot, progress, require_writable, table, whole_file

if TYPE_CHECKING:
    from ..hardware_tools import ToolRuns

#: By beginning of the column.
SAID_BY = {
    "paper_": "[Yan22]",
    "our_": "this generator's prediction, exact but where it says estimated; in Tables 5 and 6 "
    "LUTs and FFs are those of the synthesis named in tool",
    "synthesised_": "the synthesis named in tool",
    "simulated_": "the simulator named in tool, with the design's own testbench",
}


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
    from ..._parallel import check_jobs, usable_cores

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
            from .plots import plot

            plot(results, folder)
    print(json.dumps(results, indent=1) if options.json else report(results))
    return 0


def _ask_tools(folder: Path | None, jobs: int) -> ToolRuns:
    """Everything that Yosys and Verilator have to say, kept in ``folder``."""
    from ..hardware_tools import ToolRuns, transform_runs
    from .parts import tool_runs
    from .tables import DESIGNS, family, one_limb

    tools = ToolRuns(folder / "tools.jsonl" if folder is not None else None)
    runs = tool_runs()
    for name in DESIGNS:
        runs += transform_runs(name, one_limb(name), family(name))
    tools.run(runs, jobs, "tools")
    return tools


def reproduce(tools: ToolRuns | None = None) -> dict[str, Any]:
    """Every table and figure as rows of numbers; deterministic."""
    from . import figures, parts, tables

    makers = {
        "table_3": tables.table_3,
        "table_4_and_7": lambda: tables.designs(tools),
        "table_5": lambda: parts.networks(tools),
        "table_6": lambda: parts.cores(tools),
        "fig_3": figures.prime_counts,
        "fig_7": figures.design_space,
        "fig_8": figures.sensitivity,
        "fig_9": figures.bandwidth,
        "fig_10": figures.permutation_latency,
    }
    rows = {name: makers[name]() for name in progress(list(makers), "yan22", str)}
    return {"said_by": SAID_BY, "figures_in_the_paper": figures.PAPER_SAYS, **rows}


def report(results: dict[str, Any]) -> str:
    """The tables as text."""
    from .tables import explain_table_7

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
