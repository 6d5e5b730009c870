# SPDX-License-Identifier: Apache-2.0
"""Tables 3, 4 and 7 of [Yan22]: moduli, and the paper's designs beside ours of their parameters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from nttforge_hardware import Design, HardwareParameters, plan_design
from nttforge_hardware.plan.cost import estimate
from nttforge_hardware.plan.devices import DEVICES, device_pipeline
from nttforge_hardware.plan.pipeline import CHOICES
from nttforge_hardware.plan.primes import usable_primes
from nttforge_hardware.plan.solinas import Solinas, solinas_operands, solinas_problem
from nttforge_hardware.plan.traffic import Traffic
from nttforge_oracle.number_theory import YAN22_TABLE_3, yan22_table_3

from ..hardware_tools import Run, ToolRuns, transform_said, transform_simulation

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
#: The device of each row, and what its memory moves ([Yan22] Table 2).
ROW_DEVICES = {1024: "xc7vx690", 4096: "xcu200", 8192: "xcu200", 16384: "xcu280"}
XCU200 = {"dsps": 6840, "ramb18": 2 * 2160}


def table_3() -> list[dict[str, Any]]:
    """Which transforms the moduli of Table 3 carry, and what reducing by them takes."""
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


def paper_design(name: str, choice: str = "balanced") -> Design:
    """Our design for a row of Table 4 or 7 with the registers of a named choice."""
    n, limbs, bits, dp, pp, core = DESIGNS[name][0]
    moduli = usable_primes(n, bits, limbs, core=core)
    pipeline = device_pipeline(family(name), choice)
    return plan_design(HardwareParameters(n, moduli, dp=dp, pp=pp, core=core, pipeline=pipeline))


def family(name: str) -> str:
    """The device family that a row is counted for."""
    return "xc7" if DESIGNS[name][0][0] == 1024 else "xcup"


def one_limb(name: str, choice: str = "balanced") -> HardwareParameters:
    """A row's parameters with its first prime alone."""
    p = paper_design(name, choice).parameters
    return replace(p, moduli=p.moduli[:1])


def designs(tools: ToolRuns | None = None) -> list[dict[str, Any]]:
    """Tables 4 and 7 at the paper's parameters; tools are given one limb.

    ``our_cycles`` are those of ``balanced`` registers; LUTs and flip-flops were counted with
    ``small`` ones, and are estimated for the same.
    """
    rows = []
    for name, (shape, (mhz, us, dsps, brams, kluts, kffs)) in DESIGNS.items():
        n, limbs, bits, dp, pp, core = shape
        design = paper_design(name)
        p, copies = design.parameters, limbs // design.parameters.bp
        cycles = {c: paper_design(name, c).latency_cycles("forward") for c in CHOICES}
        luts, ffs = estimate(paper_design(name, "small")) or (0, 0)
        row: dict[str, Any] = {
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
            "our_cycles_small": cycles["small"],
            "our_cycles": cycles["balanced"],
            "our_cycles_fast": cycles["fast"],
            "our_interval_cycles": design.interval_cycles,
            "our_us_at_paper_clock": round(cycles["balanced"] / mhz, 2),
            **_from_memory(name, design, cycles),
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
        if n == 16384:
            row |= _table_7(row)
        if tools is not None:
            row |= transform_said(tools, name, one_limb(name, "small"), limbs, family(name))
            for choice, key in (("balanced", ""), ("fast", "_fast"), ("small", "_small")):
                ran = tools.lines[simulation_name(name, choice)]
                row[f"simulated_cycles{key}"] = ran["cycles"]["forward"]
                row["simulation_passed"] = row["simulation_passed"] and ran["passed"]
        rows.append(row)
    return rows


def simulation_name(name: str, choice: str) -> str:
    """The tool run of a row with a choice of registers; ``transform_runs`` makes that of small."""
    return f"{name}: simulation" if choice == "small" else f"{name}, {choice}: simulation"


def simulations() -> list[Run]:
    """The simulations of all rows with the registers that are not counted in LUTs."""
    runs = []
    for name in DESIGNS:
        for choice in ("balanced", "fast"):
            p = one_limb(name, choice)
            effort = p.dp * p.bits * p.pp / 2
            runs.append(Run(simulation_name(name, choice), transform_simulation, (p,), effort))
    return runs


def _from_memory(name: str, design: Design, cycles: dict[str, int]) -> dict[str, Any]:
    """Latency as [Yan22] section 7.1 defines it, from memory to memory, at the paper's clock.

    Our cycles then contain the stalls of the row's memory (``plan/traffic.py``) but not how long it
    takes to answer, of which the paper says nothing.
    """
    n, limbs, bits, dp, *_ = DESIGNS[name][0]
    mhz, us = DESIGNS[name][1][:2]
    memory = DEVICES[ROW_DEVICES[n]].bandwidth_gb_s or 0.0
    word, words = limbs * dp * bits / 8, n // dp
    traffic = Traffic(word, word, words, cycles["balanced"], design.interval_cycles)
    stalls = traffic.latency_from_memory(memory * 1000 / mhz) - cycles["balanced"]
    ours = (cycles["balanced"] + stalls) / mhz
    return {
        "memory_gb_s": memory,
        "port_gb_s": round(word * mhz / 1000, 1),
        "interval_gb_s": round(traffic.interval_bytes * mhz / 1000, 1),
        "transfer_floor_us": round(2 * words * word / memory / 1000, 2),
        "stall_cycles": stalls,
        "our_cycles_from_memory_small": cycles["small"] + stalls,
        "our_cycles_from_memory": cycles["balanced"] + stalls,
        "our_cycles_from_memory_fast": cycles["fast"] + stalls,
        "our_us_from_memory": round(ours, 2),
        "us_left_for_answers": round(us - ours, 2),
    }


def _table_7(row: dict[str, Any]) -> dict[str, Any]:
    """Columns that only Table 7 has; Eq. 4 counts whole bytes."""
    n, cycles = row["n"], row["our_cycles"]
    busy = n // 2 * (n.bit_length() - 1) / (row["dp"] // 2 * row["pp"] * cycles)
    moved = 2 * row["limbs"] * n * (-(-row["bits"] // 8))
    ours = row["our_us_from_memory"] * TABLE_7["paper_gb_per_s_available"]
    return TABLE_7 | {
        "our_core_cycles_used_percent": round(100 * busy, 1),
        "equation_4_gb_per_s": round(moved / row["paper_us"] / 1000, 1),
        "our_transforms_per_bandwidth": round(GPU_US_TIMES_GB_PER_S / ours, 2),
    }


def explain_memory(rows: list[dict[str, Any]]) -> list[str]:
    """What counting from memory to memory changes, row by row where it does."""
    said = [
        "[Yan22] counts latency from memory to memory; our_cycles are from port to port, "
        "our_cycles_from_memory contain the stalls of the memory of Table 2, without the time that "
        "it takes to answer."
    ]
    for row in rows:
        if row["transfer_floor_us"] > row["paper_us"]:
            said.append(
                f"{row['design']}: to load and then store all limbs takes "
                f"{row['transfer_floor_us']} µs at {row['memory_gb_s']} GB/s, more than the "
                f"{row['paper_us']} µs that are claimed."
            )
        if row["stall_cycles"]:
            said.append(
                f"{row['design']}: each port moves {row['port_gb_s']} GB/s while a transform "
                f"streams, and the memory {row['memory_gb_s']}: {row['stall_cycles']} cycles more, "
                f"{row['our_us_from_memory']} µs instead of {row['our_us_at_paper_clock']}; "
                f"back to back {row['interval_gb_s']} GB/s are needed, "
                + (
                    "for which buffers of a transform at both ports would do (--buffers frame)."
                    if row["interval_gb_s"] <= row["memory_gb_s"]
                    else "more than there are with any buffers."
                )
            )
    return said


def explain_table_7() -> dict[str, Any]:
    """Why 7128 cycles cannot be for dp = 32, pp = 1 at n = 16384, and which readings allow it."""
    stages, words = 14, 16384 // 32
    floor = stages * words
    name = "Table 7, n = 16384"
    ours = [paper_design(name, c).latency_cycles("forward") for c in CHOICES]
    low, high = round(39.6 * 175), round(39.6 * 185)
    return {
        "claim_cycles": round(39.6 * 180),
        "floor_cycles": floor,
        "why": f"one super pipeline takes {words} cycles for each of {stages} stages: {floor}; "
        "stages of one transform cannot overlap on it",
        "rounding_is_not_enough": {"largest_cycles": round(39.65 * 180.5)},
        "clock_rounded_to_10_mhz": {
            "cycles": [low, high],
            "contains_ours": [low <= cycles <= high for cycles in ours],
        },
        "clock_needed_mhz_for_our_cycles": [round(cycles / 39.6, 1) for cycles in ours],
    }
