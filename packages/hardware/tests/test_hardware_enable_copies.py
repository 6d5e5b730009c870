# SPDX-License-Identifier: Apache-2.0
"""Copies of registers that enable many others: who drives what afterwards."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import pytest

from nttforge_hardware.tools.enable_copies import copy_enables


def _netlist(loads: int) -> dict[str, Any]:
    """A flip-flop (net 3) that enables ``loads`` others, the last one a multiplier, and a LUT."""

    def cell(kind: str, **wires: list[object]) -> dict[str, Any]:
        ways = {pin: "output" if pin in ("Q", "Z") else "input" for pin in wires}
        return {"type": kind, "parameters": {}, "connections": wires, "port_directions": ways}

    cells = {"enable": cell("TRELLIS_FF", DI=[4], CLK=[2], Q=[3])}
    for i in range(loads - 1):
        cells[f"u_{i:03}"] = cell("TRELLIS_FF", DI=[5], CLK=[2], CE=[3], Q=[100 + i])
    cells["u_tile"] = cell("MULT18X18D", CE0=[3], CLK0=[2])
    cells["lut"] = cell("LUT4", A=[3], Z=[6])
    return {"modules": {"top": {"cells": cells, "ports": {}}}}


@pytest.mark.parametrize(("loads", "parts"), [(4, 1), (5, 2), (9, 3)])
def test_parts_of_few_enables(loads: int, parts: int) -> None:
    netlist = _netlist(loads)
    assert copy_enables(netlist, "top", most=4) == parts - 1
    cells = netlist["modules"]["top"]["cells"]
    drivers = {c["connections"]["Q"][0]: c for name, c in cells.items() if "enable" in name}
    assert len(drivers) == parts
    # All copies read what the register reads, and other readers stay with the register.
    assert all(
        c["connections"] | {"Q": 0} == {"DI": [4], "CLK": [2], "Q": 0} for c in drivers.values()
    )
    assert cells["lut"]["connections"]["A"] == [3]
    enabled = [
        (name, net[0])
        for name, cell in sorted(cells.items())
        for pin, net in cell["connections"].items()
        if pin in ("CE", "CE0")
    ]
    counts = Counter(net for _, net in enabled)
    assert counts.keys() == drivers.keys() and sum(counts.values()) == loads
    assert max(counts.values()) <= 4
    # Neighbours by name stay together.
    nets = [net for _, net in enabled]
    assert sum(a != b for a, b in itertools.pairwise(nets)) == parts - 1


def test_what_drives_no_enables_is_left_alone() -> None:
    netlist = _netlist(9)
    cells = netlist["modules"]["top"]["cells"]
    for cell in cells.values():
        wires = cell["connections"]
        for pin in {"CE", "CE0"} & wires.keys():
            wires["DI"] = wires.pop(pin)
        cell["port_directions"]["DI"] = "input"
    before = len(cells)
    assert copy_enables(netlist, "top", most=4) == 0 and len(cells) == before
