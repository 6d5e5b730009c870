"""Simulation of an emitted design by its own testbench in Verilator."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import FormatError, ParameterError
from .emit import rtl_folder
from .tools import run_verilator

# Precompiled headers of a generated makefile need this on g++.
_PCH = ["-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include"]


@dataclass(frozen=True)
class SimulationResult:
    """What one run of a testbench said."""

    errors: int
    latency_cycles: dict[str, int]
    interval_cycles: int
    messages: str

    @property
    def passed(self) -> bool:
        return self.errors == 0


def read_manifest(folder: Path) -> dict[str, Any]:
    """``design.json`` of an emitted design.

    Raises
    ------
    FormatError
        If there is none, or it is of another format.
    """
    path = folder / "design.json"
    if not path.is_file():
        raise FormatError(f"{path} is missing: give a folder that nttforge rtl generate made")
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise FormatError(f"{path} is not JSON: {error}") from None
    if manifest.get("format") != 1:
        raise FormatError(f"{path} has format {manifest.get('format')!r}, this version reads 1")
    return manifest


def lint(folder: Path) -> None:
    """Verilator's lint of an emitted design, all warnings on but one.

    A parametric module leaves some ports and bits unread in some of its forms, so that one is off.

    Raises
    ------
    UnsupportedError
        With the warnings, if there are any.
    """
    top = read_manifest(folder)["top"]
    run_verilator(
        ["--lint-only", "-Wall", "-Wno-UNUSEDSIGNAL", "-y", "rtl", "--top-module", top, f"rtl/{top}.sv"], folder
    )


def simulate(folder: Path, stall: bool = False, seed: int = 1) -> SimulationResult:
    """Builds the testbench of the design in ``folder`` and runs it.

    Parameters
    ----------
    folder : Path
        An emitted design.
    stall : bool
        Pause both handshakes at pseudo-random times. Without, latency and interval are compared
        with the prediction too.
    seed : int
        Of the pauses, 1 ... 2^31 - 1.

    Raises
    ------
    FormatError
        If ``folder`` holds no design.
    UnsupportedError
        If Verilator is missing or fails.
    """
    if not 1 <= seed < 2**31:
        raise ParameterError(f"seed = {seed} must be in 1 ... {2**31 - 1}")
    folder = folder.resolve()
    parameters = read_manifest(folder)["testbench"]["parameters"]
    settings = parameters | {"STALL": int(stall), "SEED": seed}
    build = folder / "build" / ("stalls" if stall else "streaming")
    build.mkdir(parents=True, exist_ok=True)
    run_verilator(
        ["--cc", "--exe", "--build", "-j", "1", "-O3", "--x-assign", "0", *_PCH]
        + ["-Wno-fatal", "--Mdir", str(build), "--top-module", "testbench", "-y", "rtl"]
        + [f"-G{name}={value}" for name, value in settings.items()]
        + ["testbench/testbench.sv", str(rtl_folder() / "verilator_main.cpp")],
        folder,
    )
    result = subprocess.run(
        [str(build / "Vtestbench")], cwd=folder, capture_output=True, text=True, check=False
    )
    *messages, verdict = result.stdout.splitlines() or [""]
    try:
        said = json.loads(verdict)
    except json.JSONDecodeError:
        raise FormatError(f"the simulation ended without a verdict: {result.stderr}") from None
    cycles = {d: said[f"latency_{d}"] for d in ("forward", "inverse") if said[f"latency_{d}"]}
    return SimulationResult(said["errors"], cycles, said["interval"], "\n".join(messages))
