# SPDX-License-Identifier: Apache-2.0
"""A flat netlist for ECP5 as Yosys's ``write_json`` has it, between synthesis and placement."""

from __future__ import annotations

import copy
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

Cell = dict[str, Any]

CONSTANTS = ("0", "1", "x", "z")


@dataclass
class FlatNetlist:
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
        if net in CONSTANTS:
            return net
        key = (net, *moved_by(like))
        if key not in self.made:
            self.last += 1
            register = copy.deepcopy(like)
            register["connections"] |= {"DI": [net], "Q": [self.last]}
            self.cells[f"output_register_{self.last}"] = register
            self.made[key] = self.last
        return self.made[key]


def moved_by(register: Cell) -> tuple[str, object, object]:
    """Edge, clock and enable of a flip-flop; ``"INV"`` for an enable that is turned round."""
    parameters, wires = register["parameters"], register["connections"]
    kind = parameters.get("CEMUX", "CE").strip()  # the text 1 is "1 " in Yosys's JSON
    enable = wires["CE"][0] if kind == "CE" else kind
    return parameters.get("CLKMUX", "CLK"), wires["CLK"][0], enable
