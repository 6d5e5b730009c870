# SPDX-License-Identifier: Apache-2.0
"""Shipped testbenches send words that are just too large: a check that lets them pass is found."""

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
from nttforge_hardware.tools.simulate import simulate, simulate_files


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
