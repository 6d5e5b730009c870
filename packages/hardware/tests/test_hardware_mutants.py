# SPDX-License-Identifier: Apache-2.0
"""Twelve faults in a folder: `rtl prove FOLDER` finds ten of them, its testbench the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from marks import needs

from nttforge_hardware import HardwareParameters, plan_design
from nttforge_hardware.emit.files import design_files, write_design
from nttforge_hardware.plan.primes import usable_primes
from nttforge_hardware.prove.folder import prove_folder
from nttforge_hardware.tools.simulate import simulate_files


def _files(name: str = "ntt", folder: str = "", prefix: str = "") -> dict[str, str]:
    p = HardwareParameters(16, usable_primes(16, 20, 1), dp=4, pp=2)
    return design_files(plan_design(p), sets=3, name=name, folder=folder, prefix=prefix)


_FILES = _files()
_PROVED = (
    ("inverted select", "nttf_modular_add.sv", "less[DATA_BITS+1] ?", "!less[DATA_BITS+1] ?"),
    ("lost carry", "nttf_sum.sv", "a + b + BITS'(carry)", "a + b"),
    ("broken pointer", "nttf_fifo.sv", "+ 1'b1", "+ 1'b0"),
    ("modulus let pass", "nttf_frame_check.sv", ">= MODULUS", "> MODULUS"),
    ("wrong lane", "nttf_lane_switches.sv", "l^(LANES>>e)", "l^(LANES>>e)^1"),
    ("write enable ignored", "nttf_memory.sv", "if (write) words", "words"),
    ("missing register", "nttf_delay.sv", "FRONT == 0", "FRONT <= 1"),
    ("wrong digit", "nttf_core_pkg.sv", "TILE_B          = 8", "TILE_B          = 7"),
    ("fewer cycles", "ntt_limb_0.sv", "// PRODUCT_LATENCY", ""),
    ("another modulus", "ntt_limb_0.sv", "localparam logic [19:0] Q = 20'd", "~Q"),
)


def _changed(name: str, old: str, new: str) -> str:
    text = _FILES[f"rtl/{name}"]
    if name == "ntt_limb_0.sv":  # a number one less
        lines = text.splitlines(keepends=True)
        at = next(i for i, line in enumerate(lines) if old in line)
        digits = "'d" + lines[at].split("'d")[1].split(";")[0].split(",")[0]
        lines[at] = lines[at].replace(digits, f"'d{int(digits[2:]) - 1}")
        return "".join(lines)
    assert old in text, old
    return text.replace(old, new, 1)


@pytest.mark.parametrize(("what", "name", "old", "new"), _PROVED, ids=[row[0] for row in _PROVED])
def test_a_proof_finds_it(tmp_path: Path, what: str, name: str, old: str, new: str) -> None:
    write_design(_FILES | {f"rtl/{name}": _changed(name, old, new)}, tmp_path)
    assert not all(finding.proved for finding in prove_folder(tmp_path)), what


def test_without_a_fault_nothing_is_found(tmp_path: Path) -> None:
    write_design(_FILES, tmp_path)
    assert all(finding.proved for finding in prove_folder(tmp_path))


@needs("verilator")
def test_a_testbench_finds_what_no_proof_looks_at(tmp_path: Path) -> None:
    faults = {
        "crossed": (".entry_data(entry_data[0+:", ".entry_data({80{1'b1}} ^ entry_data[0+:"),
        "stuck": (".in_last(s_last)", ".in_last(1'b0)"),
    }
    designs = {}
    for k, (name, (old, new)) in enumerate(faults.items()):
        files = _files(name, f"{name}/", f"{'ab'[k]}_")
        top = f"rtl/{'ab'[k]}_{name}_top.sv"
        assert old in files[top], old
        designs[name] = files | {top: files[top].replace(old, new, 1)}
    for name, runs in simulate_files(designs, tmp_path).items():
        assert not all(run.passed for run in runs.values()), name
