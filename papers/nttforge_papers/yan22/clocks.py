# SPDX-License-Identifier: Apache-2.0
"""The paper's clocks beside the slowest path of our cores' cells."""

from __future__ import annotations

from typing import Any

from nttforge_hardware.plan.cores import CoreDesign, choose_cores
from nttforge_hardware.plan.pipeline import Pipeline
from nttforge_hardware.plan.primes import usable_primes
from nttforge_hardware.tools.paths import BLOCK, LEFT_OUT, core_alone

from ..hardware_tools import Run, SlowestPath, ToolRuns

#: Width and kind of a core, and the clock in MHz of a design of [Yan22] Tables 4 and 7 with such.
CORES = (
    (28, "solinas", 210),
    (30, "solinas", None),
    (30, "montgomery", 250),
    (30, "barrett", 250),
    (52, "solinas", 220),
    (52, "montgomery", 180),
    (52, "barrett", 180),
    (60, "solinas", None),
    (60, "montgomery", None),
    (60, "barrett", None),
)
#: ``balanced`` adds registers around cores and none in them.
CHOICES = {"small": "small, balanced", "fast": "fast"}


def clock_runs() -> list[Run]:
    """The tool runs that ``clocks`` needs."""
    return [
        Run(_name(bits, kind, choice), _work, (bits, kind, choice), 10 * bits)
        for bits, kind, _ in CORES
        for choice in CHOICES
    ]


def clocks(tools: ToolRuns) -> list[dict[str, Any]]:
    """Rows by core and choice of registers, on 7-series.

    ``our_worst_path_ns`` is the slowest path of cells by Yosys's sta, and the megahertz are its
    inverse: an upper limit of a clock and no clock, as ``left_out`` says. The paper's is placed.
    """
    rows = []
    for bits, kind, mhz in CORES:
        for choice, said in CHOICES.items():
            path = tools.lines[_name(bits, kind, choice)]["path"]
            rows.append(
                {
                    "core": f"{bits}-bit {kind}",
                    "registers": said,
                    "our_cycles": _core(bits, kind, choice).latency(),
                    "paper_mhz": mhz,
                    "our_worst_path_ns": path["worst_ns"],
                    "our_mhz_of_cells_alone": path["mhz_of_cells"],
                    "begins": path["begins"],
                    "ends": path["ends"],
                    "tool": f"{path['tool']}, sta, {path['family']}",
                    "left_out": LEFT_OUT,
                }
            )
    return rows


def _name(bits: int, kind: str, choice: str) -> str:
    return f"Clocks, {bits}-bit {kind}, {choice}"


def _core(bits: int, kind: str, choice: str) -> CoreDesign:
    q = usable_primes(8192, bits, 1, core=kind)
    return choose_cores(kind, q, Pipeline.named(choice, BLOCK))[0]


def _work(bits: int, kind: str, choice: str) -> SlowestPath:
    return SlowestPath(core_alone(_core(bits, kind, choice)))
