# SPDX-License-Identifier: Apache-2.0
"""Buffers of a transform at both ports: words, cycles, memories, refusals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from marks import needs

from nttforge.cli import main
from nttforge.errors import ParameterError
from nttforge_hardware import HardwareParameters, Pipeline, plan_design
from nttforge_hardware.emit.files import design_files, write_design
from nttforge_hardware.plan.explorer import predict
from nttforge_hardware.plan.product import plan_product
from nttforge_hardware.tools.simulate import lint, simulate_many
from nttforge_oracle.number_theory import ntt_primes

H = HardwareParameters


@needs("verilator")
@pytest.mark.parametrize(
    "names",
    [
        ("word",),
        pytest.param(("frame", "whole", "unrolled", "short", "ecp5"), marks=pytest.mark.full),
    ],
)
def test_transforms_follow_without_gaps(names: tuple[str, ...], tmp_path: Path) -> None:
    two, one = tuple(ntt_primes(32, 30, 2)), tuple(ntt_primes(64, 20, 1))
    ecp5 = Pipeline.named("fast", "mult18x18d")
    wanted = {
        "word": H(32, two, "both", dp=4, pp=2, buffers="word"),
        "frame": H(64, one, "both", dp=4, pp=1, pipeline="small", buffers="frame"),
        "unrolled": H(64, one, dp=8, pp=6, pipeline="small", buffers="word"),
        "whole": H(64, one, "inverse", dp=8, pp=6, buffers="frame"),
        "short": H(16, one, dp=8, pp=1, core="barrett", buffers="frame"),
        "ecp5": H(32, two[:1], "inverse", dp=4, pp=1, pipeline=ecp5, buffers="word"),
    }
    designs = {name: plan_design(p) for name, p in wanted.items() if name in names}
    for name, runs in simulate_many(designs, tmp_path).items():
        for run, result in runs.items():
            assert result.errors == 0, (name, run, result.messages)
        design = designs[name]
        predicted = {d: design.latency_cycles(d) for d in design.parameters.directions}
        assert runs["streaming"].latency_cycles == predicted
        assert runs["streaming"].interval_cycles == design.interval_cycles
    write_design(design_files(designs[names[0]], axi=True), tmp_path / "alone")
    lint(tmp_path / "alone")


def test_predictions() -> None:
    p = H(4096, tuple(ntt_primes(4096, 30, 1)), dp=4, pp=2, pipeline=Pipeline(block="dsp48e1"))
    plain, word, frame = (plan_design(replace(p, buffers=b)) for b in ("none", "word", "frame"))
    assert plain.latency_cycles("forward") == 6170
    assert word.latency_cycles("forward") == 6176
    assert frame.latency_cycles("forward") == 6170 + 1024 + 3
    assert {d.interval_cycles for d in (plain, word, frame)} == {6144}
    assert word.ramb18 == plain.ramb18 + 14 and word.block_memories == plain.block_memories + 2
    assert word.memory_bits["buffers"] == 1024 * 241


def test_a_slow_memory_stalls_no_buffered_design() -> None:
    # [Yan22] Table 7: 21 limbs of 52 bits at 180 MHz from 460 GB/s.
    moduli = tuple(ntt_primes(16384, 52, 21))
    p = H(16384, moduli, dp=32, pp=1)
    assert predict(p, 180, 460).interval_stall_cycles > 700
    assert predict(replace(p, buffers="frame"), 180, 460).interval_stall_cycles == 0


def test_refusals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    p = H(16, (97,), dp=4, pp=1)
    with pytest.raises(ParameterError, match="buffers = 'all' must be one of none, word, frame"):
        replace(p, buffers="all")
    with pytest.raises(ParameterError, match="a product pipeline has none"):
        plan_product(replace(p, buffers="word"))
    loaded = ["--moduli", "runtime", "--buffers", "word", "--dp", "4", "--pp", "1"]
    assert main(["rtl", "generate", "--n", "64", *loaded, "--out", str(tmp_path / "no")]) == 2
    assert "engines have them, see --start" in capsys.readouterr().err
    out = str(tmp_path / "made")
    shape = ["--n", "64", "--dp", "4", "--pp", "1", "--buffers", "frame"]
    assert main(["rtl", "generate", *shape, "--out", out]) == 0
    assert "--buffers frame" in (tmp_path / "made" / "design.json").read_text()
