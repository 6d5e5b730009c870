# SPDX-License-Identifier: Apache-2.0
"""Designs behind AXI ports: their own testbenches, and what they find."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from marks import needs, needs_program

from nttforge.errors import ParameterError
from nttforge_hardware import HardwareParameters, plan_design
from nttforge_hardware.emit.dataflow import dataflow_files
from nttforge_hardware.emit.engine import engine_files
from nttforge_hardware.emit.files import design_files, write_design
from nttforge_hardware.emit.modules import module_folder
from nttforge_hardware.emit.permutation import permutation_files
from nttforge_hardware.plan.dataflow import DataflowDesign, DataflowParameters
from nttforge_hardware.plan.devices import device_pipeline
from nttforge_hardware.plan.engine import EngineParameters, plan_engines
from nttforge_hardware.plan.permutation import (
    PermutationDesign,
    PermutationParameters,
    bit_reversal,
    stride,
)
from nttforge_hardware.plan.primes import usable_primes
from nttforge_hardware.tools.icarus import simulate_icarus
from nttforge_hardware.tools.simulate import lint, simulate

H = HardwareParameters


@needs("verilator")
@pytest.mark.parametrize(
    "name",
    [
        "both",
        *(
            pytest.param(n, marks=pytest.mark.full)
            for n in ("registered", "dataflow", "permutation")
        ),
    ],
)
def test_registers_flushes_and_streams(name: str, tmp_path: Path) -> None:
    write_design(_designs()[name], tmp_path)
    lint(tmp_path)
    runs = simulate(tmp_path)
    assert list(runs) == ["streaming", "pauses", "axi streaming", "axi pauses"]
    for run, result in runs.items():
        assert result.passed, f"{name}, {run}: {result.messages}"


def _designs() -> dict[str, dict[str, str]]:
    shapes = {
        "both": H(16, usable_primes(16, 13, 2), "both", dp=2, pp=1),
        "registered": H(
            8, usable_primes(8, 20, 1), "inverse", dp=2, pp=1, pipeline=device_pipeline("ecp5")
        ),
    }
    designs = {k: design_files(plan_design(p), sets=3, axi=True) for k, p in shapes.items()}
    dataflow = DataflowDesign(DataflowParameters(16, 97, "stockham", 2, pipeline="small"))
    designs["dataflow"] = dataflow_files(dataflow, axi=True)
    sources = (bit_reversal(16), stride(16, 2), stride(16, 8))
    chosen = PermutationDesign(PermutationParameters(16, 4, 9, sources, "small"))
    designs["permutation"] = permutation_files(chosen, axi=True)
    return designs


@pytest.mark.full
@needs("verilator")
def test_a_flush_that_does_not_reach_the_design(tmp_path: Path) -> None:
    write_design(_designs()["both"], tmp_path)
    top = tmp_path / "rtl" / "ntt_axi.sv"
    good = top.read_text()
    wrong = good.replace(".flush(flush), .s_valid", ".flush(1'b0), .s_valid")
    assert wrong != good
    top.write_text(wrong)
    runs = simulate(tmp_path)
    assert runs["pauses"].passed and not runs["axi streaming"].passed


def test_too_many_choices_for_the_register() -> None:
    sources = tuple(stride(4, s) for s in (1, 2)) * 65
    design = PermutationDesign(PermutationParameters(4, 2, 8, sources))
    with pytest.raises(ParameterError, match="at most 128 permutations"):
        permutation_files(design, axi=True)


#: Designs and bursts: beats of 16, 8 and 32 bytes, tables of an odd number of words, two engines.
BURSTS = {
    "four lanes": (EngineParameters(64, 30, 1, 2, dp=4, pp=1), 16),
    "two lanes": (EngineParameters(16, 20, 1, 1, "inverse", dp=2, pp=2), 2),
    "wide residues": (EngineParameters(32, 40, 2, 1, dp=4, pp=5, start="frame"), 128),
}


def _burst_files(name: str) -> dict[str, str]:
    parameters, burst = BURSTS[name]
    return engine_files(plan_engines(parameters), burst=burst)


@needs("verilator")
@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.full) for n in BURSTS])
def test_bursts_descriptors_and_errors(name: str, tmp_path: Path) -> None:
    write_design(_burst_files(name), tmp_path)
    lint(tmp_path)
    runs = simulate(tmp_path)
    assert list(runs)[2:] == ["burst streaming", "burst pauses"]
    for run, result in runs.items():
        assert result.passed, f"{run}: {result.messages}"


@needs_program("iverilog", "vvp")
def test_bursts_in_icarus(tmp_path: Path) -> None:
    write_design(_burst_files("four lanes"), tmp_path)
    runs = simulate_icarus(tmp_path, 5)
    for run, result in runs.items():
        assert result.passed, f"{run}: {result.messages}"
    # The memory answers after 60 cycles, and nobody waits for it.
    design = plan_engines(BURSTS["four lanes"][0])
    assert runs["burst streaming"].interval_cycles == design.interval_cycles


#: A mistake in a module, which the testbench must find.
FAULTS = {
    "a burst across a page": (
        "nttf_burst_reader",
        "(AT_BITS+1)'(BURST) - (AT_BITS+1)'(address[LOW+:AT_BITS])",
        "(AT_BITS+1)'(BURST)",
    ),
    "a beat too few": ("nttf_burst_writer", "8'(length - 1'b1)", "8'(length)"),
    "an address that moves while it waits": (
        "nttf_burst_writer",
        "if (starts) begin\n      awaddr",
        "if (starts || awvalid) begin\n      awaddr",
    ),
    "beats that a full buffer loses": ("nttf_burst_reader", "count != 3'd4)", "1'b1)"),
    "done before the memory has answered": (
        "nttf_burst_writer",
        "answered && final_burst)",
        "starts && LEFT_BITS'(length) == left)",
    ),
    "an engine that does not exist": ("nttf_burst", "32'(word[23:16]) >= ENGINES ||", ""),
    "a frame over the end of memory": ("nttf_burst", "|| destination[31:LOW] > FRAME_HIGH", ""),
    "an answer that is not looked at": ("nttf_burst_writer", "answered && bresp[1]", "1'b0"),
    "a queue that outlives a flush": ("nttf_burst_registers", "reset || clear", "reset"),
    "a flush that does not wait": ("nttf_burst_registers", "halt && idle && !clear", "halt"),
    "data that change in a flush": ("nttf_burst_writer", "!wvalid || wready", "1'b1"),
    "an interrupt that stays": (
        "nttf_burst_registers",
        "&& !(writes && whole && write_at == 5'd14 && written[0])",
        "",
    ),
}


@needs_program("iverilog", "vvp")
@pytest.mark.full
@pytest.mark.parametrize("fault", FAULTS)
def test_the_testbench_of_bursts_finds(fault: str, tmp_path: Path) -> None:
    module, old, new = FAULTS[fault]
    files = _burst_files("four lanes")
    (name,) = [n for n in files if n.endswith(f"/{module}.sv")]
    assert old in files[name]
    write_design(files | {name: files[name].replace(old, new, 1)}, tmp_path)
    try:
        runs = simulate_icarus(tmp_path, 5)
    except Exception as error:  # no verdict: the run stands still, which the testbench tells too
        assert "no end after" in str(error)
        return
    assert runs["streaming"].passed
    assert not (runs["burst streaming"].passed and runs["burst pauses"].passed)


@pytest.mark.parametrize(
    ("dp", "burst", "message"),
    [
        (4, 48, "burst = 48 must be a power of two in 2 ... 256: 256 beats of 16 bytes"),
        (4, 1, "burst = 1 must be a power of two in 2 ... 256"),
        (16, 128, "burst = 128 must be a power of two in 2 ... 64: 64 beats of 64 bytes"),
        (64, 2, "burst with dp = 64: a beat of 2048 bits is wider than AXI4 has (1024)"),
    ],
)
def test_bursts_that_are_refused(dp: int, burst: int, message: str) -> None:
    design = plan_engines(EngineParameters(256, 30, dp=dp, pp=1))
    with pytest.raises(ParameterError, match=re.escape(message)):
        engine_files(design, burst=burst)


def test_streams_and_other_designs_have_the_same_text() -> None:
    """What is emitted without bursts is the same with them."""
    design = plan_engines(BURSTS["four lanes"][0])
    plain, bursts = engine_files(design, axi=True), engine_files(design, axi=True, burst=16)
    kept = [n for n in plain if n.startswith("rtl/") or n.endswith((".hex", "ntt_check.sv"))]
    assert len(kept) > 20 and all(plain[n] == bursts[n] for n in kept)
    assert not [n for n in plain if "burst" in n]


def test_the_driver_has_the_registers_of_the_module() -> None:
    registers = (module_folder("rtl") / "burst" / "nttf_burst_registers.sv").read_text()
    driver = (module_folder("host") / "nttf_burst.h").read_text()
    used = {int(found, 16) for found in re.findall(r"context, 0x([0-9a-f]+)", driver)}
    known = {4 * int(found) for found in re.findall(r"5'd(\d+): value", registers)}
    behind = registers.split("case (write_at)", 1)[1]
    written = {4 * int(n) for n in re.findall(r"5'd(\d+)", behind)}
    assert used and used <= known | written
