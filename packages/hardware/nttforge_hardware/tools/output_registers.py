# SPDX-License-Identifier: Apache-2.0
"""Registers behind memories become the memories' own: a step between Yosys and nextpnr for ECP5.

A DP16KD gives a word 4.4 ns after the clock, or soon after it from its output register, which
Yosys never uses. The step is taken where each bit that a port reads goes to one flip-flop, at once
or through one LUT, and nowhere else; all of them with the port's clock, one enable and no reset.
A LUT (it takes the word of a write in the same cycle) then stands behind the register, and its
other inputs get flip-flops. Words and cycles stay the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .flat_netlist import CONSTANTS, Cell, FlatNetlist, moved_by

#: At this width a memory has one reading port, B, whose word leaves by the pins of both.
_WHOLE = 36


def fold_output_registers(netlist: dict[str, Any], top: str) -> int:
    """Moves registers behind block memories into them.

    Parameters
    ----------
    netlist : dict
        What Yosys's ``write_json`` wrote for ECP5, flat; changed in place.
    top : str
        Its module.

    Returns
    -------
    int
        How many bits of memories have their own register now.
    """
    module = FlatNetlist(netlist["modules"][top])
    folded = 0
    for memory in [cell for cell in module.cells.values() if cell["type"] == "DP16KD"]:
        widths = [int(memory["parameters"][f"DATA_WIDTH_{side}"], 2) for side in "AB"]
        for sides in ("AB",) if _WHOLE in widths else ("A", "B"):
            folded += _fold(module, memory, sides)
    return folded


@dataclass(frozen=True)
class _Bit:
    """A bit that a memory reads: its pin, the LUT behind it, if any, and the flip-flop."""

    pin: str
    lut: str
    register: str


def _fold(module: FlatNetlist, memory: Cell, sides: str) -> int:
    """Folds the registers behind a port, the clock being that of the last of ``sides``."""
    wires = memory["connections"]
    bits = []
    for pin in [f"DO{side}{i}" for side in sides for i in range(18)]:
        net = wires.get(pin, ["x"])[0]
        if net in CONSTANTS or not module.readers[net]:
            continue
        name, kind, at = module.only_reader(net)
        lut = name if kind == "LUT4" else ""
        if lut:
            name, kind, at = module.only_reader(module.cells[lut]["connections"]["Z"][0])
        if kind != "TRELLIS_FF" or at != "DI":
            return 0
        bits.append(_Bit(pin, lut, name))
    registers = [module.cells[bit.register] for bit in bits]
    moved = {moved_by(register) for register in registers}
    resets = {register["connections"].get("LSR", ["0"])[0] for register in registers}
    if len(moved) != 1 or resets != {"0"}:
        return 0
    edge, clock, enable = moved.pop()
    own_edge = memory["parameters"].get(f"CLK{sides[-1]}MUX", "")
    if (edge, clock) != ("CLK", wires[f"CLK{sides[-1]}"][0]) or own_edge == "INV":
        return 0
    if enable == "INV":
        return 0
    for side in sides:
        memory["parameters"][f"REGMODE_{side}"] = "OUTREG"
        wires[f"OCE{side}"] = [enable]
    for bit, register in zip(bits, registers, strict=True):
        out = register["connections"]["Q"]
        if bit.lut:
            lut = module.cells[bit.lut]["connections"]
            read = wires[bit.pin][0]
            for pin in "ABCD":
                if lut[pin][0] != read:
                    lut[pin] = [module.registered(lut[pin][0], register)]
            lut["Z"] = out
        else:
            wires[bit.pin] = out
        del module.cells[bit.register]
    return len(bits)
