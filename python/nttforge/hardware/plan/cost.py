# SPDX-License-Identifier: Apache-2.0
"""LUTs and flip-flops of a design, estimated: sums over its parts, with fitted coefficients.

The parts are counted exactly; how many LUTs a bit of each takes was fitted to what Yosys counts for
UltraScale+ (bench/results/hardware-cost, tools/hardware_cost.py). Errors of designs left out of the
fit: half within 7 % (LUTs) and 8 % (flip-flops), nine in ten within 19 %, all within 32 % and 55 %.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .memories import BLOCK_DEPTH
from .twiddles import twiddle_depths

if TYPE_CHECKING:
    from .design import Design

#: Fitted coefficients by resource and feature; tools/hardware_cost.py makes them.
COEFFICIENTS: dict[str, dict[str, float]] = {
    "luts": {
        "constant": 141.8569,
        "directions": 7.4333,
        "memories": 2.5527,
        "montgomery work": 0.2467,
        "product latency": 0.0006,
        "solinas bits": 2.4901,
        "solinas work": 0.8374,
        "switches": 0.385,
        "tiles": 2.3757,
        "tree registers": 0.5401,
    },
    "ffs": {
        "memories": 4.1978,
        "montgomery bits": 3.1136,
        "montgomery work": 0.1545,
        "product latency": 1.0372,
        "small memories": 0.6434,
        "solinas work": 0.324,
        "tiles": 1.361,
        "twiddle logic": 3.2725,
    },
}


def features(design: Design) -> dict[str, float]:
    """Numbers of bits in the parts of a design."""
    p, core = design.parameters, design.cores[0]
    bits, cores = core.bits, p.bp * p.pp * p.dp // 2
    multiplying = cores + p.bp * sum(design.on_the_fly) * p.dp // 2
    products = multiplying * (3 if p.parts == 2 else 1)
    word, lanes = bits * p.parts, p.bp * p.dp * bits * p.parts
    places = [i for i in range(p.pp) if design.has_memory(i)]
    depths = twiddle_depths(p, design.schedules)
    logic_rows = sum(depth for depth in depths if depth < BLOCK_DEPTH)
    work = {
        "montgomery": core.steps * (core.digit_bits - min(core.two_adicity, core.digit_bits)),
        "barrett": 1,
        "solinas": int(core.module_parameters["OPERANDS"]),
    }[core.kind]
    small = p.words < BLOCK_DEPTH
    return {
        "constant": p.bp,
        f"{core.kind} bits": products * bits,
        f"{core.kind} work": products * bits * work,
        "tiles": products * core.constant_dsps / (3 if p.parts == 2 else 1) * 17,
        "tree registers": products * bits * core.pipeline.sum_regs,
        "product latency": products * bits * core.product_latency,
        "long delays": cores * word * -(-core.product_latency // 17),
        "directions": cores * word * len(p.directions),
        "switches": sum(2 * design.exchanges(i) for i in range(p.pp)) * lanes,
        "pipelines": p.pp * lanes,
        "memories": len(places) * lanes,
        "small memories": len(places) * lanes * -(-p.words // 32) * small,
        "twiddle choice": p.pp * lanes / 2 * max(0, p.log_dp - 1),
        "twiddle logic": logic_rows * lanes / 2 / 64,
    }


def estimate(design: Design) -> tuple[int, int] | None:
    """LUTs and flip-flops, estimated; None for a family that no tool here counts for."""
    if not design.parameters.pipeline.tile.counted:
        return None
    counted = features(design)
    luts, ffs = (
        sum(COEFFICIENTS[what].get(name, 0.0) * n for name, n in counted.items())
        for what in ("luts", "ffs")
    )
    return round(luts), round(ffs)
