# SPDX-License-Identifier: Apache-2.0
"""The slowest path of a design's cells by Yosys's ``sta``: no clock can be shorter.

Delays are what Yosys has of 7-series cells (cells_sim.v: Artix-7, by prjxray), with set-up
times. They are known for no other family. Nothing is placed, so that this is no clock:
``LEFT_OUT`` says what is not counted.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

from nttforge.errors import ParameterError, UnsupportedError

from ..emit.manifest import local_design, read_manifest
from ..plan.cores import CoreDesign
from ..plan.design import plan_design
from ..plan.parameters import HardwareParameters
from .programs import read_slang, run_yosys, tool_version
from .synthesis import Netlist
from .synthesis_parts import core_netlist

FAMILY, BLOCK = "xc7", "dsp48e1"
#: What the figure does not have.
LEFT_OUT = (
    "routing, which after placement is often half of a path or more; "
    "skew and jitter of the clock; "
    "fan-out, of the enable before all; "
    "what another speed grade or a device other than Artix-7 has; "
    "what another synthesis tool makes of the same modules"
)


def worst_path(folder: Path) -> dict[str, Any]:
    """The slowest path between registers of the design in ``folder``, whole, for 7-series.

    Parameters
    ----------
    folder : Path
        An emitted design with blocks of 7-series (``--device xc7``).

    Returns
    -------
    dict
        ``worst_ns``; ``mhz_of_cells``, its inverse; ``begins`` and ``ends``, kinds of cells;
        ``named``, the nets between that have names; ``cells``, how many of a kind are passed;
        ``left_out``; ``tool``.

    Raises
    ------
    ParameterError
        If the design is cut for another family's multiplier blocks.
    FormatError
        If ``folder`` holds no design.
    UnsupportedError
        If Yosys (pyosys) is missing or fails.
    """
    manifest = read_manifest(folder)
    block = manifest["predicted"].get("dsp_block", BLOCK)
    if block != BLOCK:
        raise ParameterError(
            f"the design in {folder} is of blocks {block}: delays are known for {BLOCK} only; "
            "generate it with --device xc7"
        )
    here = local_design(folder)
    return _worst(manifest["top"], sorted(here.glob("rtl/*.sv")), here)


def core_path(core: CoreDesign) -> dict[str, Any]:
    """The slowest path of one core behind registers, its modulus a constant, for 7-series."""
    return netlist_path(core_alone(core))


def core_alone(core: CoreDesign) -> Netlist:
    """A core for ``netlist_path``."""
    p = HardwareParameters(8, (core.q,), core=core.kind, pipeline=core.pipeline)
    return core_netlist(plan_design(p), FAMILY)


def netlist_path(netlist: Netlist) -> dict[str, Any]:
    """The slowest path of a netlist, as ``worst_path`` gives it."""
    with tempfile.TemporaryDirectory() as scratch:
        paths = []
        for name, text in netlist.sources.items():
            path = Path(scratch) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            paths += [path] if name.endswith(".sv") else []
        return _worst(netlist.top, sorted(paths), Path(scratch))


def _worst(top: str, sources: list[Path], folder: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as scratch:
        flat, report = Path(scratch) / "flat.il", Path(scratch) / "sta.txt"
        run_yosys(
            [
                read_slang(f"--top {top}", sources, Path(scratch)),
                f"synth_xilinx -family {FAMILY} -top {top} -flatten -noiopad -noclkbuf",
                # Copies of the enable are modules of their own until here, and no path ends there.
                "setattr -mod -unset keep_hierarchy *",
                "flatten",
                f"select {top}",
                f"write_rtlil -selected {flat}",
                # Synthesis takes the delays out of the cells that it has.
                "design -reset",
                "read_verilog -lib -specify +/xilinx/cells_sim.v +/xilinx/cells_xtra.v",
                f"read_rtlil {flat}",
                f"tee -q -o {report} sta",
            ],
            folder,
        )
        return parse(report.read_text(encoding="utf-8"))


def parse(report: str) -> dict[str, Any]:
    """What ``sta`` reports, without the names that synthesis made up.

    Raises
    ------
    UnsupportedError
        If there is no path in it.
    """
    found = re.search(r"Latest arrival time in '.*' is (\d+):", report)
    steps = re.findall(r"^ +(\d+) .*\((\w+)\.(\w+)(?:->(\w+))?\)$", report, re.MULTILINE)
    if found is None or not steps:
        raise UnsupportedError("Yosys's sta found no path: the design has no registers")
    order = steps[::-1]  # from the register at its beginning
    passed = [cell for _, cell, _, _ in order[1:-1]]
    path = report.split("Arrival histogram")[0]
    nets = re.findall(r"^ {10,}\\(\S+ ?\[?\d*\]?)$", path, re.MULTILINE)
    ns = int(found[1]) / 1000
    return {
        "tool": tool_version("pyosys", "Yosys"),
        "family": FAMILY,
        "worst_ns": ns,
        "mhz_of_cells": round(1000 / ns, 1),
        "begins": order[0][1],
        "ends": f"{order[-1][1]}.{order[-1][2]}",
        "named": [net.strip() for net in nets][::-1],
        "cells": {cell: passed.count(cell) for cell in dict.fromkeys(passed)},
        "left_out": LEFT_OUT,
    }
