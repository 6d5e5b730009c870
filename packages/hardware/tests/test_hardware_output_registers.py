# SPDX-License-Identifier: Apache-2.0
"""Registers that become those of memories: the same words in the same cycles, or left alone."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from nttforge_hardware.tools.output_registers import fold_output_registers

CLOCK, ENABLE, CHOICE, BESIDE = 2, 3, 4, 5


def _register(source: int, out: int, **changes: Any) -> dict[str, Any]:
    wires = {"DI": [source], "Q": [out], "CLK": [CLOCK], "CE": [ENABLE], "LSR": ["0"]}
    cell = {"parameters": {"CEMUX": "CE", "CLKMUX": "CLK"}, "connections": wires | changes}
    return cell | {"type": "TRELLIS_FF", "port_directions": _directions(wires, "Q")}


def _directions(wires: dict[str, Any], *outputs: str) -> dict[str, str]:
    return {pin: "output" if pin in outputs else "input" for pin in wires}


def _netlist(width: int = 9) -> dict[str, Any]:
    """Bit 0 of a memory goes to a register, bit 1 through a LUT that may choose another word."""
    wires = {"DOB0": [10], "DOB1": [11], "DOB2": [12], "CLKB": [CLOCK], "CEB": [ENABLE]}
    wires |= {"OCEB": ["1"], "OCEA": ["0"], "CLKA": [CLOCK]}
    size = f"{width:032b}"
    parameters = {"DATA_WIDTH_A": size, "DATA_WIDTH_B": size, "CLKBMUX": "CLKB"}
    parameters |= {"REGMODE_A": "NOREG", "REGMODE_B": "NOREG"}
    memory = {"type": "DP16KD", "parameters": parameters, "connections": wires}
    pins = {"A": ["0"], "B": [CHOICE], "C": [BESIDE], "D": [11], "Z": [13]}
    lut = {"type": "LUT4", "parameters": {"INIT": "1111001111000000"}, "connections": pins}
    cells = {
        "memory": memory | {"port_directions": _directions(wires, "DOB0", "DOB1", "DOB2")},
        "lut": lut | {"port_directions": _directions(pins, "Z")},
        "first": _register(10, 20),
        "second": _register(13, 21),
    }
    ports = {"out": {"direction": "output", "bits": [20, 21]}}
    return {"modules": {"top": {"cells": cells, "ports": ports}}}


def _run(netlist: dict[str, Any], cycles: int = 200) -> list[tuple[int, int]]:
    """What the two outputs are in each cycle, with a memory that reads random words."""
    cells = netlist["modules"]["top"]["cells"]
    noise = random.Random(1)
    nets: dict[object, int] = {"0": 0, "1": 1}
    read = held = (0, 0)
    seen = []
    for cycle in range(cycles):
        nets |= {net: noise.randrange(2) for net in (CHOICE, BESIDE, ENABLE)}
        nets[ENABLE] |= cycle < 3  # what registers hold at first nobody knows
        memory = cells["memory"]
        own = memory["parameters"]["REGMODE_B"] == "OUTREG"
        for pin, bit in zip(("DOB0", "DOB1"), held if own else read, strict=True):
            nets[memory["connections"][pin][0]] = bit
        pins = cells["lut"]["connections"]
        index = sum(nets.get(pins[pin][0], 0) << i for i, pin in enumerate("ABCD"))
        nets[pins["Z"][0]] = int(cells["lut"]["parameters"]["INIT"][15 - index])
        seen.append((nets.get(20, 0), nets.get(21, 0)))
        moved = {}
        for cell in cells.values():
            wires = cell["connections"]
            if cell["type"] == "TRELLIS_FF" and nets[wires["CE"][0]]:
                moved[wires["Q"][0]] = nets[wires["DI"][0]]
        word = (noise.randrange(2), noise.randrange(2))
        if own and nets[memory["connections"]["OCEB"][0]]:
            held = read
        if nets[ENABLE]:
            read = word
        nets |= moved
    return seen[4:]


@pytest.mark.parametrize("width", [9, 36])
def test_the_same_words_in_the_same_cycles(width: int) -> None:
    before = _netlist(width)
    after = copy.deepcopy(before)
    assert fold_output_registers(after, "top") == 2
    cells = after["modules"]["top"]["cells"]
    assert cells["memory"]["parameters"]["REGMODE_B"] == "OUTREG"
    assert (cells["memory"]["parameters"]["REGMODE_A"] == "OUTREG") == (width == 36)
    assert "first" not in cells and "second" not in cells and len(cells) == 4
    said = _run(before)
    assert _run(after) == said and len(set(said)) == 4


def test_registers_that_are_always_enabled() -> None:
    netlist = _netlist(36)
    cells = netlist["modules"]["top"]["cells"]
    for name in ("first", "second"):
        cells[name]["parameters"]["CEMUX"] = "1 "  # as Yosys writes the text 1
    assert fold_output_registers(netlist, "top") == 2
    assert {cells["memory"]["connections"][f"OCE{side}"][0] for side in "AB"} == {"1"}


def test_what_has_to_stay() -> None:
    def changed(cell: str, **wires: Any) -> dict[str, Any]:
        netlist = _netlist()
        netlist["modules"]["top"]["cells"][cell]["connections"] |= wires
        return netlist

    read_twice = _netlist()
    read_twice["modules"]["top"]["ports"]["out"]["bits"].append(11)
    behind_lut = _netlist()
    behind_lut["modules"]["top"]["ports"]["out"]["bits"].append(13)
    turned = _netlist()
    turned["modules"]["top"]["cells"]["second"]["parameters"]["CEMUX"] = "INV"
    for netlist in (
        changed("first", LSR=[9]),  # it is reset
        changed("second", CE=[9]),  # two enables
        changed("first", CLK=[9]),  # two clocks
        changed("memory", CLKB=[9]),  # not the memory's clock
        read_twice,
        behind_lut,
        turned,
    ):
        before = copy.deepcopy(netlist)
        assert fold_output_registers(netlist, "top") == 0
        assert netlist == before
