# SPDX-License-Identifier: Apache-2.0
"""LUTs and flip-flops of a design, estimated: sums over its parts, with fitted coefficients.

The parts are counted (cost_parts.py); how many LUTs and flip-flops a bit of each takes was fitted
to what Yosys counts of random designs for each family, with all choices of registers
(bench/results/hardware-cost, tools/hardware_cost.py). ``INTERVALS`` says how far estimates were off
for designs that took no part in the fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cost_engines import buffer_features, engine_features
from .cost_parts import FAMILY_OF, features
from .engine import EngineDesign

if TYPE_CHECKING:
    from .design import Design

#: Families that are fitted together: Yosys maps both to the same LUTs and registers.
GROUPS = {"xilinx": ("xc7", "xcup"), "ecp5": ("ecp5",)}
#: Fitted coefficients by group, resource and feature; tools/hardware_cost.py makes them.
COEFFICIENTS: dict[str, dict[str, dict[str, float]]] = {
    "xilinx": {
        "luts": {
            "around": 1.0999,
            "barrett registers": 0.0979,
            "constant": 129.2487,
            "dgt": 3.8531,
            "directions": 4.8123,
            "left-over rows": 1.2781,
            "memories": 2.1114,
            "memory choices": 0.6732,
            "memory registers": 0.0177,
            "montgomery registers": 0.1268,
            "ports": 1.7154,
            "rows": 0.5723,
            "selects": 9.5549,
            "shifted": 0.3785,
            "solinas registers": 0.1032,
            "sums": 0.7352,
            "switches": 0.1133,
            "tiny memories": 0.3213,
            "twiddle choice": 0.505,
            "twiddle logic": 0.489,
        },
        "ffs": {
            "around": 0.5476,
            "barrett registers": 0.6523,
            "constant": 36.1991,
            "dgt": 6.1768,
            "memories": 2.1491,
            "memory choices": 0.5831,
            "memory registers": 0.6513,
            "montgomery registers": 0.8387,
            "places": 9.2085,
            "ports": 0.3799,
            "small memories": 0.6602,
            "solinas registers": 0.7683,
            "sums": 0.1491,
            "twiddle logic": 3.8826,
        },
    },
    "ecp5": {
        "luts": {
            "barrett sums": 1.0203,
            "constant": 156.5102,
            "directions": 2.4976,
            "left-over rows": 1.5943,
            "memories": 6.0127,
            "memory choices": 0.9822,
            "modular sums": 2.4976,
            "montgomery sums": 1.1203,
            "selects": 29.597,
            "solinas sums": 0.7348,
            "squares": 0.2126,
            "twiddle choice": 4.3502,
            "twiddle logic": 12.3963,
        },
        "ffs": {
            "around": 0.8428,
            "barrett registers": 1.1208,
            "memories": 4.2404,
            "memory choices": 0.1408,
            "memory registers": 1.6673,
            "montgomery registers": 1.1297,
            "places": 42.6575,
            "selects": 11.0053,
            "solinas registers": 1.1957,
            "twiddle logic": 2.6348,
        },
    },
}
#: The same of what loaded moduli and buffers at both ports take beside the transforms.
BESIDE: dict[str, dict[str, dict[str, float]]] = {
    "xilinx": {
        "luts": {
            "buffers": 1.2521,
            "counters": 0.315,
            "engines": 138.664,
            "loader": 3.8373,
            "rows of buffers": 0.6263,
            "small buffers": 0.6263,
        },
        "ffs": {
            "checked": 3.5808,
            "counters": 1.4072,
            "loaded registers": 0.3712,
            "small buffers": 1.8834,
        },
    },
    "ecp5": {
        "luts": {
            "buffers": 2.8295,
            "chosen": 9.0642,
            "counters": 5.0748,
            "loaded rows": 3.0864,
            "loader": 2.3782,
            "rows of buffers": 1.35,
            "small buffers": 1.6221,
        },
        "ffs": {
            "buffers": 2.8129,
            "checked": 0.6623,
            "counters": 2.2356,
            "loaded registers": 0.9917,
            "small buffers": 0.179,
        },
    },
}
#: Within which part of the estimate nine in ten designs left out of the fit were, by family.
INTERVALS: dict[str, dict[str, float]] = {
    "xc7": {"luts": 0.121, "ffs": 0.147},
    "xcup": {"luts": 0.144, "ffs": 0.147},
    "ecp5": {"luts": 0.138, "ffs": 0.088},
}


#: The same of designs with loaded moduli or buffers, each predicted by a fit to all others.
BESIDE_INTERVALS: dict[str, dict[str, float]] = {
    "xilinx": {"luts": 0.099, "ffs": 0.196},
    "ecp5": {"luts": 0.247, "ffs": 0.172},
}


def estimate(design: Design | EngineDesign) -> tuple[int, int] | None:
    """LUTs and flip-flops, estimated; None for a family that no tool here counts for."""
    shape = design.shape if isinstance(design, EngineDesign) else design
    family = FAMILY_OF.get(shape.parameters.pipeline.block)
    if family is None:
        return None
    (group,) = [name for name, families in GROUPS.items() if family in families]
    counted, beside = features(shape), dict[str, float]()
    times = 1
    if isinstance(design, EngineDesign):
        times, beside = design.parameters.engines, engine_features(design)
    elif shape.parameters.buffers != "none":
        beside = buffer_features(shape)
    luts, ffs = (
        sum(COEFFICIENTS[group][what].get(name, 0.0) * n * times for name, n in counted.items())
        + sum(BESIDE[group][what].get(name, 0.0) * n for name, n in beside.items())
        for what in ("luts", "ffs")
    )
    return round(luts), round(ffs)


def interval(block: str, beside: bool = False) -> dict[str, float]:
    """How far nine in ten estimates are off at most, as a part of them; empty where there are none.

    ``beside``: of designs with loaded moduli, or with buffers at both ports.

    Examples
    --------
    >>> sorted(interval("dsp48e1")), interval("dsp58")
    (['ffs', 'luts'], {})
    """
    family = FAMILY_OF.get(block, "")
    if not beside:
        return INTERVALS.get(family, {})
    return next((BESIDE_INTERVALS.get(g, {}) for g, all in GROUPS.items() if family in all), {})
