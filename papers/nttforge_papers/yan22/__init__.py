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

from nttforge.console.arguments import integer
from nttforge.console.output import progress, require_writable, table, whole_file
from nttforge_bench.console import can_plot

if TYPE_CHECKING:
    from ..hardware_tools import ToolRuns

#: By beginning of the column.
SAID_BY = {
    "paper_": "[Yan22]",
    "our_": "this generator's prediction, exact but where it says estimated, with balanced "
    "registers unless the name says small or fast; in Tables 5 and 6 LUTs and FFs are those of the "
    "synthesis named in tool",
    "our_cycles": "from port to port; our_cycles_from_memory with the stalls of a memory of "
    "memory_gb_s at the paper's clock",
    "our_general_": "a network for any permutation, the 11 of the stages being chosen at run time",
    "synthesised_": "the synthesis named in tool, with small registers",
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
    from nttforge_hardware._parallel import check_jobs, usable_cores

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
    from . import like_for_like
    from .clocks import clock_runs
    from .parts import tool_runs
    from .tables import DESIGNS, family, one_limb, simulations

    tools = ToolRuns(folder / "tools.jsonl" if folder is not None else None)
    runs = tool_runs() + simulations() + clock_runs() + like_for_like.runs()
    for name in DESIGNS:
        runs += transform_runs(name, one_limb(name, "small"), family(name))
    tools.run(runs, jobs, "tools")
    return tools


def reproduce(tools: ToolRuns | None = None) -> dict[str, Any]:
    """Every table and figure as rows of numbers; deterministic."""
    from . import clocks, figures, like_for_like, parts, tables

    makers = {
        "table_3": tables.table_3,
        "table_4_and_7": lambda: tables.designs(tools),
        "like_for_like": lambda: like_for_like.rows(tools),
        "table_5": lambda: parts.networks(tools),
        "table_6": lambda: parts.cores(tools),
        "fig_3": figures.prime_counts,
        "fig_7": figures.design_space,
        "fig_8": figures.sensitivity,
        "fig_9": figures.bandwidth,
        "fig_10": figures.permutation_latency,
    }
    rows = {name: makers[name]() for name in progress(list(makers), "yan22", str)}
    if tools is not None:
        rows["clocks"] = clocks.clocks(tools)
    return {"said_by": SAID_BY, "figures_in_the_paper": figures.PAPER_SAYS, **rows}


_FIVE = (
    "dp",
    "paper_luts",
    "our_luts",
    "our_general_luts",
    "paper_ffs",
    "our_ffs",
    "our_general_ffs",
    "paper_bram36",
    "our_bram36",
    "our_general_bram36",
)
#: What the text shows: title, key in the results, columns (empty: all).
_TABLES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("table 3", "table_3", ()),
    (
        "tables 4 and 7: cycles",
        "table_4_and_7",
        (
            "design",
            "paper_us",
            "paper_cycles",
            "our_cycles_small",
            "our_cycles",
            "our_cycles_fast",
            "our_interval_cycles",
            "our_us_at_paper_clock",
            "stall_cycles",
            "our_cycles_from_memory",
            "our_us_from_memory",
            "us_left_for_answers",
        ),
    ),
    (
        "tables 4 and 7: resources",
        "table_4_and_7",
        (
            "design",
            "paper_dsps",
            "our_dsps",
            "paper_bram36",
            "our_bram36",
            "paper_luts",
            "synthesised_luts",
            "our_luts_estimated",
            "paper_ffs",
            "synthesised_ffs",
            "our_ffs_estimated",
        ),
    ),
    (
        "table 4 like for like: registers for the paper's clock, as many cores",
        "like_for_like",
        ("design", "paper_cycles", "dp", "pp", "registers", "our_cycles", "our_cores", "our_dsps"),
    ),
    ("table 5: our exchange network, and a general one", "table_5", _FIVE),
    ("table 6", "table_6", ()),
)


def report(results: dict[str, Any]) -> str:
    """The tables as text."""
    from .tables import explain_memory, explain_table_7

    parts = []
    for title, key, columns in _TABLES:
        rows = results[key]
        header = [k for k in rows[0] if k not in ("tool", "q", "n", "bits")]
        header = [k for k in columns if k in rows[0]] if columns else header
        parts.append(f"{title}\n" + table(header, [[r[k] for k in header] for r in rows]))
    parts.append("\n".join(explain_memory(results["table_4_and_7"])))
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
    if "clocks" in results:
        rows = results["clocks"]
        header = [k for k in rows[0] if k not in ("tool", "left_out")]
        parts.append(
            "clocks: slowest path of a core's cells by Yosys's sta on 7-series, beside the paper's "
            "placed clock\n"
            + table(header, [[r[k] or "-" for k in header] for r in rows])
            + f"\nLeft out: {rows[0]['left_out']}."
        )
    parts.append("Figs. 7-10 are in the JSON (--json) and the plots (--out).")
    return "\n\n".join(parts)
