"""What Yosys and Verilator say of the designs in the papers' tables; minutes for each."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from ..hardware.design import Design
from ..hardware.emit import design_files, write_design
from ..hardware.simulate import simulate
from ..hardware.synthesis import synthesise, synthesise_apart
from ..hardware.tools import tool_version


def measure(design: Any, files: dict[str, str], copies: int = 1) -> dict[str, Any]:
    """Synthesises a design for UltraScale+, and simulates it.

    Parameters
    ----------
    design : Design or DataflowDesign
    files : dict
        The same, emitted.
    copies : int
        Counted cells are multiplied by it: a design of one limb stands for one of several.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write_design(files, folder)
        runs = simulate(folder)
        apart = isinstance(design, Design)
        got = synthesise_apart(design, files) if apart else synthesise(folder)
    streaming = runs["streaming"]
    return {
        "synthesised_luts": got.luts * copies,
        "synthesised_ffs": got.ffs * copies,
        "synthesised_dsps": got.dsps * copies,
        "synthesised_bram36": got.ramb18 * copies / 2,
        "simulated_cycles": streaming.latency_cycles["forward"],
        "simulation_passed": all(run.passed for run in runs.values()),
        "tool": f"{got.tool}, xcup; {tool_version('verilator', 'Verilator')}"
        + (f"; one limb of {copies}" if copies > 1 else ""),
    }


def measure_design(item: tuple[Design, int]) -> dict[str, Any]:
    """``measure`` of a design that stands for so many."""
    design, copies = item
    return measure(design, design_files(design, sets=3), copies)


#: Keys that only the tools fill in.
TOOL_KEYS = (
    "synthesised_luts",
    "synthesised_ffs",
    "synthesised_dsps",
    "synthesised_bram36",
    "simulated_cycles",
    "simulation_passed",
    "our_luts",
    "our_ffs",
    "tool",
)
