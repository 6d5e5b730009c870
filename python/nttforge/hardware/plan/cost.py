# SPDX-License-Identifier: Apache-2.0
"""LUTs and flip-flops of a design, estimated: sums over its parts, with fitted coefficients.

The parts are counted (cost_parts.py); how many LUTs and flip-flops a bit of each takes was fitted
to what Yosys counts of random designs for each family, with all choices of registers
(bench/results/hardware-cost, tools/hardware_cost.py). ``INTERVALS`` says how far estimates were off
for designs that took no part in the fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cost_parts import FAMILY_OF, features

if TYPE_CHECKING:
    from .design import Design

#: Families that are fitted together: Yosys maps both to the same LUTs and registers.
GROUPS = {"xilinx": ("xc7", "xcup"), "ecp5": ("ecp5",)}
#: Fitted coefficients by group, resource and feature; tools/hardware_cost.py makes them.
COEFFICIENTS: dict[str, dict[str, dict[str, float]]] = {
    "xilinx": {
        "luts": {
            "around": 1.2652,
            "barrett registers": 0.0781,
            "constant": 134.0899,
            "dgt": 4.1658,
            "directions": 4.6127,
            "left-over rows": 1.3904,
            "memories": 2.0402,
            "memory choices": 0.8033,
            "memory registers": 0.0594,
            "montgomery registers": 0.1012,
            "ports": 1.4913,
            "rows": 0.5201,
            "selects": 9.2706,
            "shifted": 0.2301,
            "solinas registers": 0.0493,
            "sums": 0.7712,
            "switches": 0.0966,
            "tiny memories": 0.3329,
            "twiddle choice": 0.6661,
            "twiddle logic": 1.2453,
        },
        "ffs": {
            "around": 0.2372,
            "barrett registers": 0.6804,
            "constant": 8.462,
            "dgt": 5.9611,
            "memories": 2.2232,
            "memory choices": 0.4126,
            "memory registers": 0.5886,
            "montgomery registers": 0.8814,
            "places": 23.4339,
            "ports": 0.4444,
            "selects": 1.1841,
            "small memories": 0.7909,
            "solinas registers": 0.8234,
            "sums": 0.1499,
            "tiny memories": 0.0096,
            "twiddle logic": 2.7866,
        },
    },
    "ecp5": {
        "luts": {
            "barrett sums": 1.296,
            "constant": 46.5151,
            "directions": 2.2283,
            "left-over rows": 2.394,
            "memories": 9.2905,
            "memory choices": 0.9245,
            "modular sums": 2.2283,
            "montgomery sums": 1.3964,
            "selects": 27.5683,
            "solinas sums": 1.0209,
            "twiddle choice": 3.6054,
            "twiddle logic": 21.1233,
        },
        "ffs": {
            "around": 0.9689,
            "barrett registers": 1.0494,
            "memories": 3.6643,
            "memory choices": 0.1463,
            "memory registers": 1.3275,
            "montgomery registers": 1.1337,
            "places": 86.5638,
            "selects": 6.4555,
            "solinas registers": 1.2147,
            "twiddle logic": 1.3554,
        },
    },
}
#: Within which part of the estimate nine in ten designs left out of the fit were, by family.
INTERVALS: dict[str, dict[str, float]] = {
    "xc7": {"luts": 0.095, "ffs": 0.134},
    "xcup": {"luts": 0.125, "ffs": 0.153},
    "ecp5": {"luts": 0.203, "ffs": 0.074},
}


def estimate(design: Design) -> tuple[int, int] | None:
    """LUTs and flip-flops, estimated; None for a family that no tool here counts for."""
    family = FAMILY_OF.get(design.parameters.pipeline.block)
    if family is None:
        return None
    (group,) = [name for name, families in GROUPS.items() if family in families]
    counted = features(design)
    luts, ffs = (
        sum(COEFFICIENTS[group][what].get(name, 0.0) * n for name, n in counted.items())
        for what in ("luts", "ffs")
    )
    return round(luts), round(ffs)


def interval(block: str) -> dict[str, float]:
    """How far nine in ten estimates are off at most, as a part of them; empty where there are none.

    Examples
    --------
    >>> sorted(interval("dsp48e1")), interval("dsp58")
    (['ffs', 'luts'], {})
    """
    return INTERVALS.get(FAMILY_OF.get(block, ""), {})
