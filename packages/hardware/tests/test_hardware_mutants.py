# SPDX-License-Identifier: Apache-2.0
"""Faults in a folder that `rtl prove FOLDER` or its testbench finds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from marks import needs

from nttforge_hardware import HardwareParameters, plan_design
from nttforge_hardware.emit.engine import engine_files
from nttforge_hardware.emit.files import design_files, write_design
from nttforge_hardware.emit.keyswitch import keyswitch_files
from nttforge_hardware.emit.verilog import wrong_word
from nttforge_hardware.plan.engine import EngineParameters, plan_engines
from nttforge_hardware.plan.keyswitch import KeySwitchParameters, plan_keyswitch
from nttforge_hardware.plan.primes import usable_primes
from nttforge_hardware.prove.folder import prove_folder
from nttforge_hardware.tools.simulate import simulate, simulate_files


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


def test_a_wrong_word_has_one_residue_that_is_its_modulus() -> None:
    assert wrong_word((5, 7), 2, 4) == "16'h7644"


def _weakened(files: dict[str, str]) -> dict[str, str]:
    """The design with a range check that lets the modulus itself pass."""
    changed = {
        name: re.sub(r">= (MODULUS|q);", r"> \1;", text) if "_check.sv" in name else text
        for name, text in files.items()
    }
    assert changed != files
    return changed


@needs("verilator")
@pytest.mark.parametrize(
    "names", [("stream", "engines"), pytest.param(("switch",), marks=pytest.mark.full)]
)
def test_a_check_that_lets_a_modulus_pass_is_found(names: tuple[str, ...], tmp_path: Path) -> None:
    h, primes = HardwareParameters, usable_primes(64, 20, 3)
    engines = plan_engines(EngineParameters(n=16, bits=14, engines=1, sets=2, dp=4))
    switch = plan_keyswitch(KeySwitchParameters(64, primes[:2], primes[2:], dp=2))
    made = {
        "stream": design_files(
            plan_design(h(16, primes[:2], dp=4)),
            name="stream", folder="stream/", prefix="a_",
        ),
        "engines": engine_files(engines, name="engines", folder="engines/", prefix="b_"),
        "switch": keyswitch_files(switch, name="switch", folder="switch/", prefix="c_"),
    }  # fmt: skip
    said = simulate_files({name: _weakened(made[name]) for name in names}, tmp_path)
    found = {name: (runs["streaming"].errors, runs["pauses"].errors) for name, runs in said.items()}
    assert found == dict.fromkeys(names, (0, 1)), said


@needs("verilator")
@pytest.mark.full
def test_behind_axi_too(tmp_path: Path) -> None:
    files = design_files(plan_design(HardwareParameters(16, (97,), dp=4)), axi=True)
    write_design(_weakened(files), tmp_path)
    assert simulate(tmp_path)["axi streaming"].errors
