# SPDX-License-Identifier: Apache-2.0
"""Copies of registers that enable many others: a step between Yosys and nextpnr for ECP5.

One net to the clock enables of a whole core is what nextpnr routes worst: a few of its arms take
detours of 5 ns. Every copy gets the enables of a part; a part is what stands together in the
hierarchy, by the names of the cells. What a register says, and when, stays the same.
"""

from __future__ import annotations

import copy
from typing import Any

from .flat_netlist import FlatNetlist

#: The most enables that one register drives.
MOST = 256
_PINS = ("CE", "CE0", "CE1", "CE2", "CE3", "CEA", "CEB", "OCEA", "OCEB")


def copy_enables(netlist: dict[str, Any], top: str, most: int = MOST) -> int:
    """Copies each flip-flop that drives more than ``most`` clock enables.

    Parameters
    ----------
    netlist : dict
        What Yosys's ``write_json`` wrote for ECP5, flat; changed in place.
    top : str
        Its module.
    most : int

    Returns
    -------
    int
        How many flip-flops there are more.
    """
    module = FlatNetlist(netlist["modules"][top])
    copies = 0
    for name, register in list(module.cells.items()):
        if register["type"] != "TRELLIS_FF":
            continue
        driven = sorted(
            reader for reader in module.readers[register["connections"]["Q"][0]]
            if reader[1] in _PINS
        )  # fmt: skip
        parts = -(-len(driven) // most)
        for part in range(1, parts):
            module.last += 1
            another = copy.deepcopy(register)
            another["connections"]["Q"] = [module.last]
            module.cells[f"{name}_copy_{part}"] = another
            for cell, pin in driven[
                part * len(driven) // parts : (part + 1) * len(driven) // parts
            ]:
                module.cells[cell]["connections"][pin] = [module.last]
            copies += 1
    return copies
