# SPDX-License-Identifier: Apache-2.0
"""Resources as Yosys counts them for Xilinx devices, of a core, a module or a whole design."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nttforge.errors import ParameterError

from ..emit.core_parameter import core_literal
from ..emit.files import write_design
from ..emit.manifest import local_design, read_manifest
from ..emit.modules import MODELS, module_folder, reached
from ..plan.cores import CoreDesign
from .programs import read_slang, run_yosys, tool_version

#: Yosys family -> its DSP block.
FAMILIES = {"xcup": "DSP48E2", "xc7": "DSP48E1", "ecp5": "MULT18X18D"}
#: Finds registers that never change, and bits of memories that are only written with a constant:
#: in a design of one direction, the direction that passes through its port buffer.
_CONSTANTS = ("opt_dff -sat", "opt", "opt_mem", "opt", "wreduce", "opt_clean")

_MEMORY_LUTS = {
    "RAM32X1S": 1,
    "RAM32X1D": 2,
    "RAM64X1S": 1,
    "RAM64X1D": 2,
    "RAM128X1D": 4,
    "RAM32M": 4,
    "RAM64M": 4,
    "RAM32M16": 8,
    "RAM64M8": 8,
    "CCU2C": 2,
    "TRELLIS_DPR16X4": 6,
}


@dataclass(frozen=True)
class Resources:
    """Cells after synthesis. LUTs and FFs are Yosys's estimates; no clock comes from synthesis."""

    tool: str
    family: str
    cells: dict[str, int]

    def _count(self, *prefixes: str) -> int:
        return sum(n for cell, n in self.cells.items() if cell.startswith(prefixes))

    @property
    def luts(self) -> int:
        """Logic LUTs, inverters, and LUTs used as carry chain, memory or shift registers."""
        logic = self._count("LUT", "INV", "SRL", "CFGLUT")
        return logic + sum(self.cells.get(cell, 0) * n for cell, n in _MEMORY_LUTS.items())

    @property
    def ffs(self) -> int:
        return self._count("FD", "TRELLIS_FF")

    @property
    def dsps(self) -> int:
        return self._count("DSP48", "MULT18X18D")

    @property
    def ramb18(self) -> int:
        """Block memories in units of 18 kbit: a RAMB36 is two."""
        return self._count("RAMB18", "DP16KD", "PDPW16KD") + 2 * self._count("RAMB36")

    @property
    def uram(self) -> int:
        """UltraRAM blocks of 288 kbit."""
        return self._count("URAM288")

    def as_dict(self) -> dict[str, Any]:
        return {
            "tool": self.tool,
            "family": self.family,
            "luts": self.luts,
            "ffs": self.ffs,
            "dsps": self.dsps,
            "ramb18": self.ramb18,
            "uram": self.uram,
            "cells": self.cells,
        }


def synthesise(folder: Path, family: str = "xcup") -> Resources:
    """Synthesises the design in ``folder``, an emitted one, without placing it.

    Parameters
    ----------
    folder : Path
    family : {"xcup", "xc7"}

    Raises
    ------
    FormatError
        If ``folder`` holds no design.
    UnsupportedError
        If Yosys (pyosys) is missing or fails.
    """
    top, folder = read_manifest(folder)["top"], local_design(folder)
    if family == "ecp5":
        return _synthesise_ecp5(top, folder)
    ultra = "uram" in read_manifest(folder)["predicted"]
    options = "-flatten -uram" if ultra else "-flatten"
    return synthesise_module(top, {}, sorted(folder.glob("rtl/*.sv")), family, folder, options)


def _synthesise_ecp5(top: str, folder: Path) -> Resources:
    with tempfile.TemporaryDirectory() as scratch:
        counted = Path(scratch) / "stat.json"
        commands = netlist_ecp5(folder, top, Path(scratch))
        run_yosys([*commands, f"tee -q -o {counted} stat -json"], folder)
        cells = json.loads(counted.read_text("utf-8"))["design"]["num_cells_by_type"]
    return Resources(tool_version("pyosys", "Yosys"), "ecp5", cells)


def netlist_ecp5(folder: Path, top: str, scratch: Path) -> list[str]:
    """The commands that make the flat netlist of a design for ECP5, with copies of registers."""
    models = sorted((folder / MODELS).glob("*.sv"))
    return commands_ecp5(sorted(folder.glob("rtl/*.sv")), models, top, scratch)


def commands_ecp5(sources: list[Path], models: list[Path], top: str, scratch: Path) -> list[str]:
    """The same for any sources; of the blocks in ``models`` only the ports are read."""
    boxes = " ".join(f"--blackboxed-module {path.stem}" for path in models)
    # Without the hierarchy, synthesis would merge copies of one register. Placed is the flat one.
    return [
        read_slang(f"--keep-hierarchy {boxes} --top {top}", [*sources, *models], scratch),
        f"synth_ecp5 -top {top} -run begin:map_ram",
        *_CONSTANTS,
        f"synth_ecp5 -top {top} -run map_ram:",
        "setattr -mod -unset keep_hierarchy *",
        "flatten",
        "delete t:$scopeinfo",
    ]


def synthesise_module(
    top: str,
    parameters: Mapping[str, object],
    sources: list[Path],
    family: str = "xcup",
    folder: Path | None = None,
    options: str = "-flatten",
    black_box: str = "",
) -> Resources:
    """Synthesises one module with these parameters; memory images are found from ``folder``.

    ``options`` are those of synth_xilinx; modules of the name ``black_box`` stay as they are.
    """
    if family not in FAMILIES:
        raise ParameterError(f"device = {family!r} must be one of {', '.join(FAMILIES)}")
    values = " ".join(f"-G {name}={value}" for name, value in parameters.items())
    values += f" --blackboxed-module {black_box}" if black_box else ""
    with tempfile.TemporaryDirectory() as scratch:
        counted = Path(scratch) / "stat.json"
        commands = [read_slang(f"--top {top} {values}", sources, Path(scratch))]
        if black_box:
            # What has parameters would have to be there.
            (text,) = [p.read_text("utf-8") for p in sources if p.stem == black_box]
            names = re.findall(r"\b(?:parameter|localparam|genvar)\b[^=;,)]*?(\w+)\s*[=,)]", text)
            unset = " ".join(f"-unset {name}" for name in dict.fromkeys(names))
            commands.append(f"setparam {unset} */t:{black_box}")
        commands += [
            f"synth_xilinx -family {family} -top {top} {options} -noiopad -noclkbuf",
            f"tee -q -o {counted} stat -json",
        ]
        run_yosys(commands, folder)
        cells = json.loads(counted.read_text("utf-8"))["design"]["num_cells_by_type"]
    return Resources(tool_version("pyosys", "Yosys"), family, cells)


@dataclass(frozen=True)
class Netlist:
    """A module to be synthesised, with everything that is read for it.

    Parameters
    ----------
    top : str
    sources : dict
        Texts by file name; those that end in .sv are read, others are there for $readmemh.
    parameters : dict
        Of ``top``.
    black_box : str
        A module that stays as it is and is not counted.
    beside : dict
        Cells that are counted elsewhere too and are taken from those found.
    """

    top: str
    sources: dict[str, str]
    parameters: Mapping[str, object] = field(default_factory=dict)
    black_box: str = ""
    family: str = "xcup"
    beside: dict[str, int] = field(default_factory=dict)

    def reached(self) -> dict[str, str]:
        """The sources of ``top`` and of every module and image below it."""
        return {name: self.sources[name] for name in reached([self.top], self.sources)}

    def cells(self) -> dict[str, int]:
        """Counted cells; raises UnsupportedError if Yosys is missing or fails."""
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            write_design(self.sources, folder)
            paths = sorted(folder / name for name in self.sources if name.endswith(".sv"))
            how = (self.family, folder, "-flatten", self.black_box)
            counted = synthesise_module(self.top, self.parameters, paths, *how).cells
        return counted | {cell: counted.get(cell, 0) - n for cell, n in self.beside.items()}


def disagreements(counted: Mapping[str, Any], predicted: Mapping[str, int]) -> list[str]:
    """What synthesis counts otherwise than it was predicted: DSPs and memories must be equal."""
    return [
        f"{name} = {counted[name]}, predicted {wanted}"
        for name, wanted in predicted.items()
        if counted[name] != wanted
    ]


def count_core_dsps(core: CoreDesign, family: str = "xcup") -> int:
    """DSP blocks of a butterfly whose modulus is an input.

    Parameters
    ----------
    core : CoreDesign
    family : {"xcup", "xc7"}

    Raises
    ------
    UnsupportedError
        If Yosys (pyosys) is missing.
    """
    return synthesise_core(core, family, "-flatten -run begin:map_memory").dsps


def synthesise_core(core: CoreDesign, family: str = "xcup", options: str = "-flatten") -> Resources:
    """A butterfly alone, as in [Yan22] Table 6: no twiddle memory."""
    settings = {"CORE": core_literal(core.module_parameters)}
    sources = sorted(module_folder("rtl").glob("*.sv"))
    return synthesise_module("nttf_butterfly", settings, sources, family, options=options)
