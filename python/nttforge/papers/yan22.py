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

from ..cli.output import progress, table, whole_file

if TYPE_CHECKING:
    from ..hardware import Design

ASSUMED_MHZ = 250.0  # [Yan22] section 6.2

#: Table 4 and Table 7: name, (n, limbs, bits, dp, pp, core), (MHz, us, DSPs, BRAMs).
DESIGNS = {
    "Table 4, n = 1024": ((1024, 1, 28, 32, 10, "solinas"), (210, 1.1, 640, 80)),
    "Table 4, n = 4096": ((4096, 6, 30, 4, 2, "montgomery"), (250, 24.7, 288, 84)),
    "Table 4, n = 8192": ((8192, 4, 52, 32, 5, "solinas"), (220, 4.5, 1920, 1600)),
    "Table 4, n = 8192, any primes": (
        (8192, 4, 52, 32, 5, "montgomery"),
        (220, 4.5, 1920, 1600),
    ),
    "Table 7, n = 16384": ((16384, 21, 52, 32, 1, "montgomery"), (180, 39.6, None, None)),
}
#: Table 6: DSPs, cycles, LUTs, flip-flops.
CORES = {
    "30-bit low latency": (4, 9, 1123, 679),
    "30-bit general purpose": (12, 14, 1081, 920),
    "52-bit low latency": (6, 12, 2074, 1237),
    "52-bit general purpose": (17, 19, 1837, 1682),
}
#: Table 5: LUTs, flip-flops, BRAMs of the permutation network by dp.
NETWORKS = {16: (7013, 10415, 16), 32: (16836, 23505, 32), 64: (36496, 55212, 64)}
XCU200 = {"dsps": 6840, "ramb18": 2 * 2160}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", metavar="FOLDER", help="write results.json and plots there")
    parser.add_argument("--synthesise", action="store_true", help="also count LUTs with Yosys")
    parser.add_argument("--json", action="store_true", help="results as JSON on standard output")


def run(options: argparse.Namespace) -> int:
    results = reproduce(options.synthesise)
    if options.out is not None:
        folder = Path(options.out)
        with whole_file(folder / "results.json") as file:
            file.write(json.dumps(results, indent=1) + "\n")
        from .yan22_plots import plot

        plot(results, folder)
    print(json.dumps(results, indent=1) if options.json else report(results))
    return 0


def reproduce(synthesise: bool = False) -> dict[str, Any]:
    """Every table and figure as rows of numbers; deterministic."""
    from . import yan22_figures as figures

    parts = {
        "table_3": table_3,
        "table_4_and_7": designs,
        "table_5": lambda: networks(synthesise),
        "table_6": lambda: cores(synthesise),
        "fig_3": figures.prime_counts,
        "fig_7": figures.design_space,
        "fig_8": figures.sensitivity,
        "fig_10": figures.permutation_latency,
    }
    return {name: parts[name]() for name in progress(list(parts), "yan22", str)}


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
    from ..hardware.primes import usable_primes

    n, limbs, bits, dp, pp, core = DESIGNS[name][0]
    moduli = usable_primes(n, bits, limbs, core=core)
    return plan_design(HardwareParameters(n, moduli, dp=dp, pp=pp, core=core))


def designs() -> list[dict[str, Any]]:
    """Tables 4 and 7 at the paper's parameters."""
    rows = []
    for name, ((n, limbs, bits, dp, pp, core), (mhz, us, dsps, brams)) in DESIGNS.items():
        design = paper_design(name)
        copies = limbs // design.parameters.bp
        cycles = design.latency_cycles("forward")
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
                "floor_cycles": design.parameters.passes * design.parameters.words,
            }
        )
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


def networks(synthesise: bool) -> list[dict[str, Any]]:
    """Table 5: the permutation network alone, n = 4096, 52 bits, pp = 1."""
    from ..hardware import HardwareParameters, plan_design
    from ..hardware.emit import module_folder
    from ..hardware.primes import usable_primes
    from ..hardware.synthesis import synthesise_module
    from ..hardware.verilog import spn_parameters

    rows = []
    moduli = usable_primes(4096, 52, 1)
    for dp, (luts, ffs, brams) in NETWORKS.items():
        design = plan_design(HardwareParameters(4096, moduli, dp=dp, pp=1, core="montgomery"))
        row: dict[str, Any] = {
            "dp": dp,
            "paper_luts": luts,
            "paper_ffs": ffs,
            "paper_bram36": brams,
            "our_bram36": design.permutation_ramb18 / 2,
        }
        if synthesise:
            sources = sorted(module_folder("rtl").glob("*.sv"))
            got = synthesise_module("nttf_stage_spn", spn_parameters(design, 0), sources)
            row |= {"our_luts": got.luts, "our_ffs": got.ffs, "tool": f"{got.tool}, xcup"}
        rows.append(row)
    return rows


def cores(synthesise: bool) -> list[dict[str, Any]]:
    """Table 6; the general core in both kinds."""
    from ..hardware.cores import Pipeline, choose_cores
    from ..hardware.primes import usable_primes
    from ..hardware.synthesis import synthesise_core

    rows = []
    for name, (dsps, cycles, luts, ffs) in CORES.items():
        bits = int(name[:2])
        low = "low" in name
        for kind in ("solinas",) if low else ("montgomery", "barrett"):
            q = usable_primes(4096 if bits == 30 else 8192, bits, 1, core=kind)
            core = choose_cores(kind, q, Pipeline())[0]
            row: dict[str, Any] = {
                "core": name,
                "ours": kind,
                "q": q[0],
                "paper_dsps": dsps,
                "our_dsps": core.dsps,
                "paper_cycles": cycles,
                "our_cycles": core.latency(),
                "paper_luts": luts,
                "paper_ffs": ffs,
            }
            if synthesise:
                got = synthesise_core(core)
                row |= {"our_luts": got.luts, "our_ffs": got.ffs, "tool": f"{got.tool}, xcup"}
            rows.append(row)
    return rows


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
