# SPDX-License-Identifier: Apache-2.0
"""What Yosys and Verilator say of the papers' designs: every run on its own, kept as it ends.

A table's designs are hundreds of seconds each. So a large one is synthesised in parts that run
side by side, and each result is a line of a file: an interrupted command goes on where it was, and
after a change only what reads something else is run again.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nttforge_hardware._parallel import run_parallel
from nttforge_hardware.emit.files import design_files, write_design
from nttforge_hardware.plan.design import plan_design
from nttforge_hardware.plan.parameters import HardwareParameters
from nttforge_hardware.tools.paths import netlist_path
from nttforge_hardware.tools.programs import tool_version
from nttforge_hardware.tools.simulate import simulate
from nttforge_hardware.tools.synthesis import Netlist, Resources
from nttforge_hardware.tools.synthesis_parts import design_parts, part_counts, sum_parts
from nttforge_hardware.tools.verilate import runtime_library


@dataclass(frozen=True)
class Simulation:
    """A design to be run by its own testbench; ``files`` as emitted."""

    files: dict[str, str]

    def run(self) -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as scratch:
            write_design(self.files, Path(scratch))
            runs = simulate(Path(scratch))
        cycles = runs["streaming"].latency_cycles
        return {"cycles": cycles, "passed": all(run.passed for run in runs.values())}


@dataclass(frozen=True)
class SlowestPath:
    """A netlist whose slowest path of cells is wanted."""

    netlist: Netlist

    def run(self) -> dict[str, Any]:
        return {"path": netlist_path(self.netlist)}


@dataclass(frozen=True)
class Run:
    """A run of a tool: ``make(*arguments)``, in another process, gives what the tool reads."""

    name: str
    make: Callable[..., Work]
    arguments: tuple[Any, ...]
    effort: float

    @property
    def simulates(self) -> bool:
        return self.name.endswith("simulation")

    @property
    def tool(self) -> str:
        package, name = ("verilator", "Verilator") if self.simulates else ("pyosys", "Yosys")
        return tool_version(package, name)


Work = Netlist | Simulation | SlowestPath


def digest(work: Work) -> str:
    """Digest of what the tool reads: no comments, and only those modules that a netlist has."""
    if isinstance(work, SlowestPath):
        work = work.netlist
    if isinstance(work, Simulation):
        texts: dict[str, str] = work.files
        rest: list[object] = []
    else:
        texts = work.reached()
        rest = [work.top, work.parameters, work.black_box, work.family, work.beside]
    code = {
        name: re.sub(r"\s*//.*", "", text) if name.endswith(".sv") else text
        for name, text in texts.items()
        if name.endswith((".sv", ".hex"))
    }
    return hashlib.sha256(json.dumps([sorted(code.items()), rest]).encode()).hexdigest()[:16]


def _attempt(item: tuple[Run, str]) -> dict[str, Any] | None:
    """A line, or None where what is read is what was read for the known one."""
    run, known = item
    work = run.make(*run.arguments)
    read = digest(work)
    if read == known:
        return None
    start = time.perf_counter()
    said = {"cells": work.cells()} if isinstance(work, Netlist) else work.run()
    seconds = round(time.perf_counter() - start, 1)
    return {"run": run.name, "read": read, "tool": run.tool, "seconds": seconds, **said}


class ToolRuns:
    """Results of runs by name, in a file of lines where ``path`` is given."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.lines: dict[str, dict[str, Any]] = {}
        if path is not None and path.is_file():
            for text in path.read_text(encoding="utf-8").splitlines():
                line = json.loads(text)
                self.lines[line["run"]] = line

    def run(self, runs: Iterable[Run], jobs: int, title: str) -> None:
        """Does what is not known yet, the longest first."""
        order = sorted(runs, key=lambda r: -r.effort)
        items = [(r, self._read_before(r)) for r in order]
        if any(r.simulates for r in order):
            runtime_library()  # once, not in every process
        for (run, _), line in run_parallel(_attempt, items, jobs, title, lambda item: item[0].name):
            if line is None:
                continue
            self.lines[run.name] = line
            if self.path is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")

    def _read_before(self, run: Run) -> str:
        line = self.lines.get(run.name, {})
        return line["read"] if line.get("tool") == run.tool else ""

    def counted(self, names: Sequence[tuple[str, int]], family: str = "xcup") -> Resources:
        """The sum of runs, each so many times."""
        cells = sum_parts([(self.lines[name]["cells"], times) for name, times in names])
        return Resources(self.lines[names[0][0]]["tool"], family, dict(cells))


def transform_runs(name: str, p: HardwareParameters, family: str = "xcup") -> list[Run]:
    """The runs of a design: one for each of its parts, and its simulation."""
    word = p.dp * p.bits
    runs = [
        Run(f"{name}: {part}", transform_part, (p, part, family), word)
        for part in part_counts(plan_design(p))
    ]
    simulation = Run(f"{name}: simulation", transform_simulation, (p,), word * p.pp / 2)
    return [*runs, simulation]


def transform_part(p: HardwareParameters, part: str, family: str) -> Netlist:
    design = plan_design(p)
    return design_parts(design, design_files(design, sets=1), family)[part]


def transform_simulation(p: HardwareParameters) -> Simulation:
    return Simulation(design_files(plan_design(p), sets=3))


def transform_said(
    tools: ToolRuns, name: str, p: HardwareParameters, copies: int, family: str = "xcup"
) -> dict[str, Any]:
    """The columns of a design; counted cells are multiplied by ``copies``, its equal limbs."""
    counts = part_counts(plan_design(p))
    got = tools.counted([(f"{name}: {part}", n) for part, n in counts.items()], family)
    note = "in parts" + (f", one limb of {copies}" if copies > 1 else "")
    return _columns(got, copies, tools.lines[f"{name}: simulation"], note)


def whole_said(tools: ToolRuns, name: str) -> dict[str, Any]:
    """The columns of a design that was synthesised as a whole, as far as it was."""
    ran = tools.lines[f"{name}: simulation"]
    if f"{name}: synthesis" not in tools.lines:
        return _simulated(ran) | {"tool": ran["tool"]}
    return _columns(tools.counted([(f"{name}: synthesis", 1)]), 1, ran, "whole")


def _columns(got: Resources, copies: int, ran: dict[str, Any], note: str) -> dict[str, Any]:
    return {
        "synthesised_luts": got.luts * copies,
        "synthesised_ffs": got.ffs * copies,
        "synthesised_dsps": got.dsps * copies,
        "synthesised_bram36": got.ramb18 * copies / 2,
        **_simulated(ran),
        "tool": f"{got.tool}, {got.family}, {note}; {ran['tool']}",
    }


def _simulated(ran: dict[str, Any]) -> dict[str, Any]:
    return {"simulated_cycles": ran["cycles"]["forward"], "simulation_passed": ran["passed"]}


#: Keys that only the tools fill in.
TOOL_KEYS = (
    "synthesised_luts",
    "synthesised_ffs",
    "synthesised_dsps",
    "synthesised_bram36",
    "simulated_cycles",
    "simulated_cycles_small",
    "simulated_cycles_fast",
    "simulation_passed",
    "our_luts",
    "our_ffs",
    "our_general_luts",
    "our_general_ffs",
    "synthesised_general_bram36",
    "tool",
)
