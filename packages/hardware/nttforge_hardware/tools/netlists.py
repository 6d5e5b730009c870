# SPDX-License-Identifier: Apache-2.0
"""Netlists after synthesis, run through the design's own testbench in its own folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from nttforge import _processes
from nttforge.errors import ParameterError, UnsupportedError

from ..emit.manifest import local_design, read_manifest
from .cell_models import MEMORIES, memory_cells, yosys_cells
from .icarus import icarus_version
from .place import write_netlist
from .programs import read_slang, run_yosys
from .simulate import SimulationResult, check_seed, read_verdicts
from .synthesis import netlist_ecp5

#: Families of which Yosys has models, and the folder in a design's.
FAMILIES, FOLDER = ("xc7", "ecp5"), "netlist"
ECP5_BLOCK = "mult18x18d"


def commands_xc7(top: str) -> list[str]:
    """The commands that make the flat netlist of a design for 7-series, from what was read.

    Yosys 0.70 takes an adder whose sum is cut to a few bits for the pre-adder of a DSP48E1, which
    keeps the carry: such adders are hidden from it while it maps multipliers.
    """
    synth = f"synth_xilinx -family xc7 -top {top} -flatten -noiopad -noclkbuf -run"
    return [
        f"{synth} begin:map_dsp",
        "chtype -set $__narrow_add t:$add r:Y_WIDTH<=25 %i",
        f"{synth} map_dsp:coarse",
        "chtype -set $add t:$__narrow_add",
        f"{synth} coarse:",
        "setattr -mod -unset keep_hierarchy *",
        "flatten",
        "delete t:$scopeinfo",
    ]


def write_netlist_folder(folder: Path, family: str) -> dict[str, int]:
    """Synthesises the design in ``folder`` and writes ``netlist/``: netlist, cells, list of files.

    For ECP5 the netlist is what is placed, with the memories' own output registers. Any simulator
    runs it: ``iverilog -g2012 -s ntt_testbench -f netlist/ntt_xc7.f``.

    Returns
    -------
    dict
        Cells by kind.

    Raises
    ------
    FormatError
        If ``folder`` holds no design.
    ParameterError
        If there is no such family, or the design is cut for blocks of the other one.
    UnsupportedError
        If Yosys is missing or fails, or a cell has no model.
    """
    if family not in FAMILIES:
        raise ParameterError(f"netlist = {family!r} must be one of {', '.join(FAMILIES)}")
    manifest = read_manifest(folder)
    block = manifest["predicted"].get("dsp_block", "")
    if block and (block == ECP5_BLOCK) != (family == "ecp5"):
        raise ParameterError(
            f"netlist = {family!r}: the design in {folder} is of blocks {block}; "
            f"generate it with --device {family}"
        )
    top, folder = manifest["top"], local_design(folder.resolve())
    name = top.removesuffix("_top")
    out = folder / FOLDER
    out.mkdir(exist_ok=True)
    written = out / f"{name}_{family}.json"
    if family == "ecp5":
        write_netlist(netlist_ecp5(folder, top, out), top, written, folder)
    else:
        read = read_slang(f"--top {top}", sorted(folder.glob("rtl/*.sv")), out)
        run_yosys([read, *commands_xc7(top), f"write_json {written}"], folder)
    cells: dict[str, int] = {}
    for cell in json.loads(written.read_text(encoding="utf-8"))["modules"][top]["cells"].values():
        cells[cell["type"]] = cells.get(cell["type"], 0) + 1
    run_yosys(
        [f"read_json {written}", f"write_verilog -noattr {out / f'{name}_{family}.v'}"], folder
    )
    models = {path.stem: path for path in sorted(folder.glob("models/*.sv"))}
    given = [kind for kind in cells if kind not in MEMORIES and kind not in models]
    text = yosys_cells(family, given) + memory_cells(cells)
    (out / f"cells_{family}.sv").write_text(text, encoding="utf-8")
    files = [f"{FOLDER}/cells_{family}.sv", f"{FOLDER}/{name}_{family}.v"]
    files += [f"models/{kind}.sv" for kind in cells if kind in models]
    files += [f"testbench/{name}_check.sv", f"testbench/{name}_testbench.sv"]
    listed = ["+incdir+testbench", *files]
    (out / f"{name}_{family}.f").write_text("\n".join(listed) + "\n", encoding="utf-8")
    return cells


def simulate_netlist(folder: Path, family: str, seed: int = 1) -> dict[str, Any]:
    """Writes the netlist of the design in ``folder`` and runs its testbench on it, in Icarus.

    Returns
    -------
    dict
        ``runs``, as ``simulate`` has them, ``cells`` by kind and ``files``, what lists the sources.

    Raises
    ------
    UnsupportedError
        If Yosys or Icarus is missing or fails.
    """
    check_seed(seed)
    if icarus_version() is None:
        raise UnsupportedError(
            "a netlist is simulated by Icarus Verilog 11 or later: apt install iverilog"
        )
    cells = write_netlist_folder(folder, family)
    name = read_manifest(folder)["top"].removesuffix("_top")
    folder, bench = local_design(folder.resolve()), f"{name}_testbench"
    listed, program = f"{FOLDER}/{name}_{family}.f", f"{FOLDER}/{name}_{family}.vvp"
    built = _processes.run(
        ["iverilog", "-g2012", "-s", bench, "-o", program, "-f", listed], cwd=folder
    )
    if built.returncode:
        errors = [line for line in built.stderr.splitlines() if "warning" not in line]
        raise UnsupportedError("iverilog failed: " + "\n".join(errors[-10:]))
    ran = _processes.run(["vvp", "-n", program, f"+seed={seed}"], cwd=folder)
    runs: dict[str, SimulationResult] = read_verdicts(ran.stdout + ran.stderr, [bench])[bench]
    return {"runs": runs, "cells": cells, "files": listed}
