# SPDX-License-Identifier: Apache-2.0
"""LUTs and flip-flops of a design, estimated: sums over its parts, with fitted coefficients.

The parts are counted (cost_parts.py); how many LUTs and flip-flops a bit of each takes was fitted
to what Yosys counts of random designs for each family, with all choices of registers
(bench/results/hardware-cost, tools/figures/hardware_cost.py). ``INTERVALS`` says how far estimates
were off for designs that took no part in the fit.
"""

from __future__ import annotations

from collections.abc import Mapping

from .cost_engines import buffer_features, engine_features
from .cost_parts import FAMILY_OF, features
from .design import Design
from .engine import EngineDesign

AnyDesign = Design | EngineDesign

#: Families that are fitted together: Yosys maps both to the same LUTs and registers.
GROUPS = {"xilinx": ("xc7", "xcup"), "ecp5": ("ecp5",)}
#: Fitted coefficients by group, resource and feature; tools/figures/hardware_cost.py makes them.
COEFFICIENTS: dict[str, dict[str, dict[str, float]]] = {
    "xilinx": {
        "luts": {
            "around": 1.1058,
            "barrett registers": 0.0969,
            "constant": 126.9726,
            "dgt": 3.8473,
            "directions": 4.7746,
            "left-over rows": 1.2952,
            "memories": 2.1686,
            "memory choices": 0.6586,
            "memory registers": 0.0203,
            "montgomery registers": 0.1231,
            "ports": 1.7075,
            "rows": 0.5909,
            "selects": 9.6823,
            "shifted": 0.39,
            "solinas registers": 0.1014,
            "sums": 0.7339,
            "switches": 0.1033,
            "tiny memories": 0.3176,
            "twiddle choice": 0.5212,
            "twiddle logic": 0.5205,
        },
        "ffs": {
            "around": 0.5475,
            "barrett registers": 0.652,
            "constant": 36.2982,
            "dgt": 6.1873,
            "memories": 2.1571,
            "memory choices": 0.5807,
            "memory registers": 0.6527,
            "montgomery registers": 0.8376,
            "places": 9.0258,
            "ports": 0.376,
            "small memories": 0.6599,
            "solinas registers": 0.768,
            "sums": 0.1486,
            "twiddle logic": 3.8952,
        },
    },
    "ecp5": {
        "luts": {
            "barrett sums": 1.1112,
            "constant": 49.9309,
            "dgt": 5.7977,
            "directions": 3.104,
            "left-over rows": 0.3312,
            "memories": 5.4356,
            "memory choices": 0.8959,
            "modular sums": 2.9063,
            "montgomery sums": 1.0532,
            "ports": 1.0626,
            "rows": 0.7213,
            "selects": 31.2095,
            "solinas sums": 0.8861,
            "squares": 0.1562,
            "switches": 0.4204,
            "twiddle choice": 1.5404,
            "twiddle logic": 12.0805,
        },
        "ffs": {
            "around": 0.8553,
            "barrett registers": 1.1305,
            "dgt": 2.7524,
            "memories": 3.9267,
            "memory choices": 0.0985,
            "memory registers": 1.5899,
            "montgomery registers": 1.1755,
            "places": 68.7813,
            "selects": 10.7843,
            "solinas registers": 1.2296,
            "twiddle logic": 0.9868,
        },
    },
}
#: The same of what loaded moduli and buffers at both ports take beside the transforms.
BESIDE: dict[str, dict[str, dict[str, float]]] = {
    "xilinx": {
        "luts": {
            "buffers": 1.2365,
            "counters": 0.329,
            "engines": 138.8668,
            "loader": 3.8369,
            "rows of buffers": 0.6226,
            "small buffers": 0.6226,
        },
        "ffs": {
            "checked": 3.5795,
            "counters": 1.4086,
            "loaded registers": 0.3712,
            "small buffers": 1.8834,
        },
    },
    "ecp5": {
        "luts": {
            "buffers": 3.9594,
            "chosen": 9.516,
            "counters": 4.0479,
            "loaded rows": 2.4206,
            "loaded tables": 0.7726,
            "loader": 2.3839,
            "rows of buffers": 1.5781,
            "small buffers": 1.8991,
        },
        "ffs": {
            "buffers": 2.7617,
            "checked": 1.3591,
            "counters": 2.1057,
            "loaded registers": 0.9622,
            "small buffers": 0.1357,
        },
    },
}
#: Within which part of the estimate nine in ten designs left out of the fit were, by family. For
#: ECP5, where few are left out, the same of all designs in turn if that is more.
INTERVALS: dict[str, dict[str, float]] = {
    "xc7": {"luts": 0.121, "ffs": 0.147},
    "xcup": {"luts": 0.144, "ffs": 0.147},
    "ecp5": {"luts": 0.185, "ffs": 0.106},
}


#: The same of designs with loaded moduli or buffers, each predicted by a fit to all others.
BESIDE_INTERVALS: dict[str, dict[str, float]] = {
    "xilinx": {"luts": 0.099, "ffs": 0.196},
    "ecp5": {"luts": 0.215, "ffs": 0.177},
}


def parts_of(design: AnyDesign) -> tuple[dict[str, float], dict[str, float]]:
    """What is counted of a design: bits of transforms and products, and of what stands beside."""
    if isinstance(design, EngineDesign):
        engines = design.parameters.engines
        counted = {name: engines * bits for name, bits in features(design.shape).items()}
        return counted, engine_features(design)
    buffered = design.parameters.buffers != "none"
    return features(design), buffer_features(design) if buffered else {}


def weighed(
    coefficients: Mapping[str, Mapping[str, float]], counted: Mapping[str, float]
) -> list[float]:
    """LUTs and flip-flops of what was counted."""
    return [
        sum(coefficients[what].get(name, 0.0) * bits for name, bits in counted.items())
        for what in ("luts", "ffs")
    ]


def group_of(block: str) -> str:
    """The group of a multiplier block's family; empty for a family that no tool here counts for."""
    family = FAMILY_OF.get(block, "")
    return next((name for name, families in GROUPS.items() if family in families), "")


def estimate(design: AnyDesign) -> tuple[int, int] | None:
    """LUTs and flip-flops, estimated; None for a family that no tool here counts for."""
    shape = design.shape if isinstance(design, EngineDesign) else design
    group = group_of(shape.parameters.pipeline.block)
    if not group:
        return None
    counted, beside = parts_of(design)
    found = zip(weighed(COEFFICIENTS[group], counted), weighed(BESIDE[group], beside), strict=True)
    luts, ffs = (round(transforms + more) for transforms, more in found)
    return luts, ffs


def interval(block: str, beside: bool = False) -> dict[str, float]:
    """How far nine in ten estimates are off at most, as a part of them; empty where there are none.

    ``beside``: of designs with loaded moduli, or with buffers at both ports.

    Examples
    --------
    >>> sorted(interval("dsp48e1")), interval("dsp58")
    (['ffs', 'luts'], {})
    """
    if beside:
        return BESIDE_INTERVALS.get(group_of(block), {})
    return INTERVALS.get(FAMILY_OF.get(block, ""), {})
