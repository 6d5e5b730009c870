# SPDX-License-Identifier: Apache-2.0
"""Tables 3, 4 and 7 of [Yan22]: moduli, and the paper's designs beside ours of their parameters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...hardware import Design, HardwareParameters, plan_design
from ...hardware.plan.cost import estimate
from ...hardware.plan.devices import device_pipeline
from ...hardware.plan.primes import usable_primes
from ...hardware.plan.solinas import Solinas, solinas_operands, solinas_problem
from ...spec.number_theory import YAN22_TABLE_3, yan22_table_3
from ..hardware_tools import ToolRuns, transform_said

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


def paper_design(name: str) -> Design:
    """Our design for a row of Table 4 or 7."""
    n, limbs, bits, dp, pp, core = DESIGNS[name][0]
    moduli = usable_primes(n, bits, limbs, core=core)
    pipeline = device_pipeline(family(name), "small")
    return plan_design(HardwareParameters(n, moduli, dp=dp, pp=pp, core=core, pipeline=pipeline))


def family(name: str) -> str:
    """The device family that a row is counted for."""
    return "xc7" if DESIGNS[name][0][0] == 1024 else "xcup"


def one_limb(name: str) -> HardwareParameters:
    """A row's parameters with its first prime alone."""
    p = paper_design(name).parameters
    return replace(p, moduli=p.moduli[:1])


def designs(tools: ToolRuns | None = None) -> list[dict[str, Any]]:
    """Tables 4 and 7 at the paper's parameters; tools are given one limb."""
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
            rows[-1] |= transform_said(tools, name, one_limb(name), limbs, family(name))
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
