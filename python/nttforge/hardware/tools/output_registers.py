# SPDX-License-Identifier: Apache-2.0
"""Registers behind memories become the memories' own: a step between Yosys and nextpnr for ECP5.

A DP16KD gives a word 4.4 ns after the clock, or soon after it from its output register, which
Yosys never uses. The step is taken where each bit that a port reads goes to one flip-flop, at once
or through one LUT, and nowhere else; all of them with the port's clock, one enable and no reset.
A LUT (it takes the word of a write in the same cycle) then stands behind the register, and its
other inputs get flip-flops. Words and cycles stay the same.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

Cell = dict[str, Any]

#: At this width a memory has one reading port, B, whose word leaves by the pins of both.
_WHOLE = 36
_CONSTANTS = ("0", "1", "x", "z")


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
    module = _Module(netlist["modules"][top])
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


@dataclass
class _Module:
    """Cells, who reads each net, and the flip-flops that were made for a net."""

    netlist: dict[str, Any]
    cells: dict[str, Cell] = field(init=False)
    readers: dict[object, list[tuple[str, str]]] = field(init=False)
    made: dict[tuple[object, ...], int] = field(default_factory=dict)
    last: int = field(init=False)

    def __post_init__(self) -> None:
        self.cells = self.netlist["cells"]
        self.readers = defaultdict(list)
        self.last = 0
        for name, cell in self.cells.items():
            for port, bits in cell["connections"].items():
                self.last = max([self.last, *(bit for bit in bits if isinstance(bit, int))])
                if cell["port_directions"][port] == "input":
                    for bit in bits:
                        self.readers[bit].append((name, port))
        for port in self.netlist["ports"].values():
            self.last = max([self.last, *(bit for bit in port["bits"] if isinstance(bit, int))])
            if port["direction"] != "input":
                for bit in port["bits"]:
                    self.readers[bit].append(("", ""))

    def only_reader(self, net: object) -> tuple[str, str, str]:
        """Name, type and pin of the only cell that reads a net; empty if there are others.

        Readers are those at first: a register that was folded since is no cell any more.
        """
        found = self.readers[net]
        if len(found) != 1 or found[0][0] not in self.cells:
            return "", "", ""
        name, pin = found[0]
        return name, self.cells[name]["type"], pin

    def registered(self, net: object, like: Cell) -> object:
        """The net behind a flip-flop on ``net`` with clock and enable of ``like``."""
        if net in _CONSTANTS:
            return net
        key = (net, *_moved_by(like))
        if key not in self.made:
            self.last += 1
            register = copy.deepcopy(like)
            register["connections"] |= {"DI": [net], "Q": [self.last]}
            self.cells[f"output_register_{self.last}"] = register
            self.made[key] = self.last
        return self.made[key]


def _fold(module: _Module, memory: Cell, sides: str) -> int:
    """Folds the registers behind a port, the clock being that of the last of ``sides``."""
    wires = memory["connections"]
    bits = []
    for pin in [f"DO{side}{i}" for side in sides for i in range(18)]:
        net = wires.get(pin, ["x"])[0]
        if net in _CONSTANTS or not module.readers[net]:
            continue
        name, kind, at = module.only_reader(net)
        lut = name if kind == "LUT4" else ""
        if lut:
            name, kind, at = module.only_reader(module.cells[lut]["connections"]["Z"][0])
        if kind != "TRELLIS_FF" or at != "DI":
            return 0
        bits.append(_Bit(pin, lut, name))
    registers = [module.cells[bit.register] for bit in bits]
    moved_by = {_moved_by(register) for register in registers}
    resets = {register["connections"].get("LSR", ["0"])[0] for register in registers}
    if len(moved_by) != 1 or resets != {"0"}:
        return 0
    edge, clock, enable = moved_by.pop()
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


def _moved_by(register: Cell) -> tuple[str, object, object]:
    """Edge, clock and enable of a flip-flop; ``"INV"`` for an enable that is turned round."""
    parameters, wires = register["parameters"], register["connections"]
    kind = parameters.get("CEMUX", "CE")
    enable = wires["CE"][0] if kind == "CE" else kind
    return parameters.get("CLKMUX", "CLK"), wires["CLK"][0], enable
