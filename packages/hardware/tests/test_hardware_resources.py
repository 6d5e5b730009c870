# SPDX-License-Identifier: Apache-2.0
"""Memories, devices, paths of cells and what reports draw of them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from nttforge.cli import main
from nttforge.errors import ParameterError, UnsupportedError
from nttforge_hardware import HardwareParameters, plan_design
from nttforge_hardware.emit.files import design_files
from nttforge_hardware.emit.modules import module_folder
from nttforge_hardware.plan.cost import estimate, interval
from nttforge_hardware.plan.devices import DEVICES, device_pipeline
from nttforge_hardware.plan.memories import block_memories, ultra_memories
from nttforge_hardware.plan.pipeline import BLOCKS
from nttforge_hardware.report.figures import resource_chart
from nttforge_hardware.tools.paths import core_path, parse
from nttforge_hardware.tools.simulate import simulate_files
from nttforge_hardware.tools.synthesis import synthesise_module
from nttforge_oracle.number_theory import ntt_primes

Capture = pytest.CaptureFixture[str]
BASE = HardwareParameters(4096, tuple(ntt_primes(4096, 30, 1)), core="montgomery", dp=4, pp=2)


@pytest.mark.parametrize(
    ("width", "depth", "written", "xcup"),
    # The paper's design had 18 predicted where 17 are: a twiddle memory of 1365 x 60 bits takes 5.
    [(60, 1365, False, 5), (60, 1365, True, 6), (34, 32766, False, 62), (30, 1024, True, 2)],
)
def test_block_memories(width: int, depth: int, written: bool, xcup: int) -> None:
    assert block_memories(width, depth, written=written) == xcup


@pytest.mark.full
def test_memories_are_those_of_synthesis() -> None:
    """One size; the committed designs say the rest."""
    width, depth, xcup = 60, 1365, 6
    sources = sorted(module_folder("rtl").glob("nttf_memory.sv"))
    got = synthesise_module("nttf_memory", {"WIDTH": width, "DEPTH": depth}, sources)
    assert got.ramb18 == xcup
    ultra = {"WIDTH": width, "DEPTH": depth, "ULTRA": 1}
    got = synthesise_module("nttf_memory", ultra, sources, options="-flatten -uram")
    assert (got.uram, got.ramb18) == (ultra_memories(width, depth), 0)


@pytest.mark.full
def test_permutations_in_ultra_ram(tmp_path: Path) -> None:
    plain, ultra = plan_design(BASE), plan_design(replace(BASE, memories="ultra"))
    assert ultra.uram == 4 and ultra.ramb18 == plain.ramb18 - plain.permutation_ramb18
    assert ultra.latency_cycles("forward") == plain.latency_cycles("forward")
    small = replace(BASE, dp=8)  # 512 words stay in block memories
    assert plan_design(replace(small, memories="ultra")).uram == 0
    files = design_files(ultra, sets=1)
    assert '"ultra"' in files["rtl/nttf_memory.sv"]
    run = simulate_files({"ultra": files}, tmp_path)["ultra"]["streaming"]
    assert run.passed and run.latency_cycles["forward"] == ultra.latency_cycles("forward")


def test_devices() -> None:
    for name, device in DEVICES.items():
        assert device.source and device.block in BLOCKS
        design = plan_design(replace(BASE, pipeline=device_pipeline(name)))
        assert (estimate(design) is None) == (device.family in ("versal", "agilex")), name
        assert bool(interval(device.block)) == (estimate(design) is not None)
    # A 30-bit product takes two blocks of Versal, and one of Agilex only up to 27 bits.
    agilex = plan_design(replace(BASE, pipeline=device_pipeline("agf014")))
    assert agilex.cores[0].dsps < plan_design(BASE).cores[0].dsps
    with pytest.raises(ParameterError, match=r"pipeline.block = 'dsp48e1' must be one of dsp48e2"):
        replace(BASE, pipeline=device_pipeline("xc7"), memories="ultra")


def test_command_lines(tmp_path: Path, capsys: Capture) -> None:
    generate = ["rtl", "generate", "--n", "256", "--bits", "20", "--dp", "2", "--pp", "1"]
    out = str(tmp_path / "versal")
    assert main([*generate, "--device", "xcvc1902", "--memories", "ultra", "--out", out]) == 0
    assert "--device xcvc1902 --memories ultra" in (tmp_path / "versal/design.json").read_text()
    with pytest.MonkeyPatch.context() as patch:  # it is said before Yosys has run
        patch.setattr("nttforge_hardware.tools.synthesis.synthesise", None)
        assert main(["rtl", "synthesise", out]) == 2
    assert "no tool here counts for their family" in capsys.readouterr().err
    assert main([*generate, "--device", "xcau25p", "--memories", "ultra", "--out", out]) == 2
    assert "xcau25p has no UltraRAM" in capsys.readouterr().err
    assert main(["rtl", "paths", out]) == 2
    assert "delays are known for dsp48e1 only" in capsys.readouterr().err


@pytest.mark.full
def test_worst_path_of_fast_cores() -> None:
    """One of 30 bits; the others are in bench/results/yan22."""
    p = HardwareParameters(
        8, (ntt_primes(8192, 30, 1)[0],), pipeline=device_pipeline("xc7", "fast")
    )
    path = core_path(plan_design(p).cores[0])
    assert 1 < path["worst_ns"] <= 3.3 and path["ends"].split(".")[0] in ("FDRE", "DSP48E1")
    assert path["mhz_of_cells"] == round(1000 / path["worst_ns"], 1)
    assert "routing" in path["left_out"]


def test_reports_without_a_path() -> None:
    with pytest.raises(UnsupportedError, match="found no path"):
        parse("Latest arrival time in 'x' is 0:\n")


def test_bars_are_shares_of_the_device_from_zero() -> None:
    drawn = resource_chart(
        {"predicted": {"dsps": 24, "ffs": 2995, "luts": 100}},
        {"dsps": 3600, "ffs": 866_000, "luts": 433_000},
        "xc7vx690",
    )
    widths = [float(w) for w in re.findall(r"width: ([\d.]+)%", drawn)]
    shares = [24 / 3600, 100 / 433_000, 2995 / 866_000]
    for width, share in zip(widths, shares, strict=True):
        assert width == pytest.approx(widths[0] * share / shares[0], abs=0.01)
    assert "0.67 % (24 of 3,600)" in drawn and "xc7vx690" in drawn
