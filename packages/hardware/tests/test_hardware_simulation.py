# SPDX-License-Identifier: Apache-2.0
"""Emitted Verilog in Verilator against the oracle and the predicted cycles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from marks import needs

from nttforge.errors import FormatError
from nttforge_hardware import HardwareParameters, Pipeline, plan_design
from nttforge_hardware.emit.files import design_files, write_design
from nttforge_hardware.emit.manifest import read_manifest
from nttforge_hardware.emit.product import product_files
from nttforge_hardware.plan.cores import choose_cores
from nttforge_hardware.plan.devices import device_pipeline
from nttforge_hardware.plan.product import plan_product
from nttforge_hardware.tools.core_check import check_cores
from nttforge_hardware.tools.simulate import lint, simulate_files, simulate_many
from nttforge_oracle.number_theory import ntt_primes

needs_verilator = needs("verilator")


@needs_verilator
def test_cores_word_for_word_and_cycle_for_cycle(tmp_path: Path) -> None:
    cores = {}
    for bits, n in ((12, 64), (30, 4096), (52, 8192), (60, 16384), (30, 16)):
        q = ntt_primes(n, bits, 1)[0]
        for kind in ("montgomery", "barrett"):
            cores[f"{kind}_{bits}_{n}"] = (choose_cores(kind, (q,), Pipeline())[0], "forward")
    for j, i in ((18, 30), (20, 52), (16, 28)):
        core = choose_cores("solinas", (2**i - 2**j + 1,), Pipeline(2, 3, 1))[0]
        cores[f"solinas_{i}"] = (core, "inverse")
    small = Pipeline(block="dsp48e1")
    for kind, bits in (("montgomery", 52), ("barrett", 30)):
        core = choose_cores(kind, (ntt_primes(4096, bits, 1)[0],), small)[0]
        cores[f"{kind}_{bits}_dsp48e1"] = (core, "forward")
    q = ntt_primes(4096, 30, 1)[0]
    cores["both"] = (choose_cores("montgomery", (q,), Pipeline(0, 2, 0))[0], "both")
    assert check_cores(cores, tmp_path) == dict.fromkeys(cores, 0)


def _designs() -> dict[str, HardwareParameters]:
    h, p = HardwareParameters, ntt_primes
    return {
        "two_limbs": h(32, tuple(p(32, 30, 2)), "both", dp=2, pp=2, core="barrett"),
        "unrolled": h(64, (2**30 - 2**18 + 1, 2**28 - 2**16 + 1), "both", dp=8, pp=6),
        "one_stage": h(64, tuple(p(64, 52, 1)), "inverse", "cyclic", dp=8, pp=1),
        "short": h(8, tuple(p(8, 20, 1)), dp=4, pp=3),
        "wide": h(64, tuple(p(64, 60, 1)), "inverse", dp=16, pp=4),
        "long": h(256, tuple(p(256, 30, 1)), dp=4, pp=3),
    }


@needs_verilator
@pytest.mark.parametrize(
    "names",
    [
        ("two_limbs", "one_stage"),
        pytest.param(("unrolled", "short", "wide", "long"), marks=pytest.mark.full),
    ],
)
def test_designs_bit_exact_with_predicted_cycles(names: tuple[str, ...], tmp_path: Path) -> None:
    designs = {name: plan_design(p) for name, p in _designs().items() if name in names}
    paused: list[bool] = []
    for name, runs in simulate_many(designs, tmp_path).items():
        for run, result in runs.items():
            assert result.passed, f"{name}, {run}: {result.messages}"
        design, streaming = designs[name], runs["streaming"]
        expected = {d: design.latency_cycles(d) for d in design.parameters.directions}
        assert streaming.latency_cycles == expected
        assert streaming.interval_cycles == design.interval_cycles
        times = (expected, streaming.interval_cycles)
        paused.append((runs["pauses"].latency_cycles, runs["pauses"].interval_cycles) != times)
    assert any(paused)  # a design that takes long between its transforms may hide all of them


@needs_verilator
@pytest.mark.full
def test_designs_for_ecp5(tmp_path: Path) -> None:
    """Every register there is, the enable too, and multiplier blocks by their model."""
    h, p, e = HardwareParameters, ntt_primes, device_pipeline("ecp5")
    shapes = {
        "both": h(32, tuple(p(32, 30, 2)), "both", dp=4, pp=2, pipeline=e),
        "short": h(8, tuple(p(8, 20, 1)), "inverse", dp=4, pp=3, core="barrett", pipeline=e),
        "one": h(32, (2**30 - 2**18 + 1,), dp=4, pp=1, pipeline=replace(e, memory_regs=1)),
    }
    designs = {name: plan_design(s) for name, s in shapes.items()}
    files = {n: design_files(d, name=n, folder=f"{n}/") for n, d in designs.items()}
    files["product"] = product_files(
        plan_product(h(16, tuple(p(16, 14, 1)), dp=2, pp=4, pipeline=e)),
        name="product",
        folder="product/",
    )
    for name, runs in simulate_files(files, tmp_path).items():
        for run, result in runs.items():
            assert result.passed, f"{name}, {run}: {result.messages}"
        lint(tmp_path / name)
        assert "MULT18X18D" in (tmp_path / name / "rtl" / "nttf_tile_ecp5.sv").read_text()


@needs_verilator
@pytest.mark.full
def test_emitted_design_is_lint_clean(tmp_path: Path) -> None:
    for name, p in _designs().items():
        write_design(design_files(plan_design(p), name=name), tmp_path / name)
        lint(tmp_path / name)


def test_folders_without_a_design(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="is missing: give a folder"):
        read_manifest(tmp_path)
    (tmp_path / "design.json").write_text("{")
    with pytest.raises(FormatError, match="is not JSON"):
        read_manifest(tmp_path)
    (tmp_path / "design.json").write_text('{"format": 1}')
    with pytest.raises(FormatError, match="has format 1, this version reads 2: generate"):
        read_manifest(tmp_path)
