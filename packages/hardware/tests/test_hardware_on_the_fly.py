# SPDX-License-Identifier: Apache-2.0
"""Twiddles on the fly: fewer block memories, more multipliers, the same words."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from marks import needs

from nttforge.errors import ParameterError
from nttforge_hardware import HardwareParameters, plan_design
from nttforge_hardware.emit.files import design_files, write_design
from nttforge_hardware.plan.design import Design
from nttforge_hardware.plan.dgt import plan_dgt
from nttforge_hardware.plan.primes import usable_primes
from nttforge_hardware.tools.simulate import lint, simulate_files
from nttforge_hardware.tools.synthesis import synthesise

SEED = 20261122
H, PRIMES = HardwareParameters, usable_primes


def _designs() -> dict[str, Design]:
    fly = {"twiddles": "on_the_fly"}
    shapes = {
        "both": H(256, PRIMES(256, 30, 1), "both", dp=2, pp=2, **fly),
        "barrett": H(256, PRIMES(256, 20, 2), dp=2, pp=3, core="barrett", **fly),
        "cyclic": H(256, (2**13 - 2**9 + 1,), "inverse", "cyclic", dp=2, pp=1, **fly),
    }
    designs = {name: plan_design(p) for name, p in shapes.items()}
    prime = (2**30 - 2**9 - 1,)
    return designs | {"dgt": plan_dgt(256, prime, "forward", 4, 1, twiddles="on_the_fly")}


def test_fewer_memories_and_more_multipliers() -> None:
    source = random.Random(SEED)
    for design in _designs().values():
        p = design.parameters
        if p.parts == 1:
            table = plan_design(replace(p, twiddles="table"))
            assert design.ramb18 < table.ramb18
            assert design.memory_bits["twiddle"] < table.memory_bits["twiddle"] / 3
            added = sum(design.on_the_fly) * p.dp // 2 * sum(c.constant_dsps for c in design.cores)
            assert design.dsps == table.dsps + added > table.dsps
        for limb, q in enumerate(p.moduli):
            a = [source.randrange(q) for _ in range(p.n * p.parts)]
            x = design.oracle(limb, a)
            if "forward" in p.directions:
                assert design.compute(limb, a) == x
            if "inverse" in p.directions:
                assert design.compute(limb, x, "inverse") == a


def test_only_where_it_saves_a_memory() -> None:
    # A few rows need no block memory: nothing to save.
    small = plan_design(H(64, PRIMES(64, 20, 1), dp=8, pp=2, twiddles="on_the_fly"))
    assert (
        small.on_the_fly == (False, False)
        and small.dsps == plan_design(replace(small.parameters, twiddles="table")).dsps
    )
    with pytest.raises(ParameterError, match="twiddles = 'recurrence' must be one of table, on_th"):
        replace(small.parameters, twiddles="recurrence")


@needs("verilator")
@pytest.mark.parametrize(
    "names", [("cyclic",), pytest.param(("both", "barrett", "dgt"), marks=pytest.mark.full)]
)
def test_bit_exact_with_predicted_cycles(names: tuple[str, ...], tmp_path: Path) -> None:
    every = _designs()
    designs = {name: every[name] for name in names}
    files = {n: design_files(d, sets=3, name=n, folder=f"{n}/") for n, d in designs.items()}
    files["wrong"] = design_files(every["cyclic"], sets=3, name="wrong", folder="wrong/")
    fine = "twiddles/wrong_limb_0_fine_super_pipeline_0.hex"
    rows = files["wrong"][fine].split()
    files["wrong"][fine] = "\n".join([rows[1], rows[0], *rows[2:]]) + "\n"
    for name, runs in simulate_files(files, tmp_path).items():
        for run, result in runs.items():
            assert result.passed == (name != "wrong"), f"{name}, {run}: {result.messages}"
        if name != "wrong":
            design = designs[name]
            wanted = {d: design.latency_cycles(d) for d in design.parameters.directions}
            assert runs["streaming"].latency_cycles == wanted
        lint(tmp_path / name)


@needs("pyosys")
@pytest.mark.full
def test_predicted_resources(tmp_path: Path) -> None:
    design = plan_design(H(512, PRIMES(512, 24, 1), dp=2, pp=1, twiddles="on_the_fly"))
    write_design(design_files(design, sets=1), tmp_path)
    counted = synthesise(tmp_path)
    assert (counted.dsps, counted.ramb18) == (design.dsps, design.ramb18)
