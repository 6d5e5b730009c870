# SPDX-License-Identifier: Apache-2.0
"""Designs behind AXI4-Stream and AXI4-Lite ports: their own testbench, and what it finds."""

from __future__ import annotations

from pathlib import Path

import pytest
from marks import needs

from nttforge.errors import ParameterError
from nttforge_hardware import HardwareParameters, plan_design
from nttforge_hardware.emit.dataflow import dataflow_files
from nttforge_hardware.emit.files import design_files, write_design
from nttforge_hardware.emit.permutation import permutation_files
from nttforge_hardware.plan.dataflow import DataflowDesign, DataflowParameters
from nttforge_hardware.plan.devices import device_pipeline
from nttforge_hardware.plan.permutation import (
    PermutationDesign,
    PermutationParameters,
    bit_reversal,
    stride,
)
from nttforge_hardware.plan.primes import usable_primes
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
