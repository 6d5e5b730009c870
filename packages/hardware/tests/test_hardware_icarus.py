# SPDX-License-Identifier: Apache-2.0
"""The second simulator: Icarus Verilog where there is one, a stand-in for it elsewhere."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from marks import needs_program

from nttforge.cli import main
from nttforge.errors import FormatError, ParameterError, UnsupportedError
from nttforge_hardware import HardwareParameters, plan_design
from nttforge_hardware.emit.files import design_files, write_design
from nttforge_hardware.plan.primes import usable_primes
from nttforge_hardware.report.page import recorded
from nttforge_hardware.tools import icarus, verilate

H = HardwareParameters
needs_icarus = needs_program("iverilog", "vvp")


def _write(folder: Path, p: HardwareParameters) -> dict[str, int]:
    design = plan_design(p)
    write_design(design_files(design), folder)
    return {d: design.latency_cycles(d) for d in p.directions}


@needs_icarus
@pytest.mark.parametrize(
    "p",
    [
        H(16, usable_primes(16, 14, 2), "both", dp=4, pp=1),
        H(16, usable_primes(16, 20, 1), dp=4, pp=4, core="barrett"),
        H(16, (2**13 - 2**9 + 1,), "inverse", dp=2, pp=1),
    ],
    ids=["montgomery", "barrett", "solinas"],
)
def test_icarus_agrees_with_the_prediction(tmp_path: Path, p: HardwareParameters) -> None:
    cycles = _write(tmp_path, p)
    runs = icarus.simulate_icarus(tmp_path)
    assert [r.passed for r in runs.values()] == [True, True], runs
    assert runs["streaming"].latency_cycles == cycles
    # A wrong word is seen, once more where directions are mixed.
    expected = tmp_path / "testbench" / "output.hex"
    lines = expected.read_text().split()
    lines[1] = f"{int(lines[1], 16) ^ 1:0{len(lines[1])}x}"
    expected.write_text("\n".join(lines) + "\n")
    seen = 2 if p.direction == "both" else 1
    assert icarus.simulate_icarus(tmp_path)["streaming"].errors == seen


@needs_icarus
def test_icarus_permutes_wide_words(tmp_path: Path) -> None:
    out = str(tmp_path)
    shape = ["--n", "256", "--dp", "8", "--bits", "32", "--permutation", "stride:16"]
    assert main(["rtl", "permute", *shape, "--out", out]) == 0
    runs = icarus.simulate_icarus(tmp_path)
    predicted = json.loads((tmp_path / "design.json").read_text())["predicted"]
    assert [run.passed for run in runs.values()] == [True, True], runs
    assert runs["streaming"].latency_cycles == predicted["latency_cycles"]


def _stand_in(folder: Path, verdict: str) -> None:
    """Programs that answer as Icarus does, for the code around them."""
    for name, body in (("iverilog", 'echo "Icarus Verilog version 0"'), ("vvp", verdict)):
        (folder / name).write_text(f"#!/bin/sh\n{body}\n")
        (folder / name).chmod(0o755)


def test_what_is_said_of_a_second_simulator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    design, path = tmp_path / "design", tmp_path / "bin"
    path.mkdir()
    cycles = _write(design, H(16, (97,), dp=4, pp=2))
    monkeypatch.setenv("PATH", str(path))
    assert icarus.wanted(design) == (False, "no iverilog on the path")
    with pytest.raises(UnsupportedError, match="needs iverilog and vvp on the path"):
        icarus.wanted(design, "always")
    with pytest.raises(ParameterError, match="icarus = 'maybe' must be one of auto"):
        icarus.wanted(design, "maybe")
    monkeypatch.setenv("PATH", f"{path}:/usr/bin:/bin")
    verdict = f"0 errors; latency: {cycles['forward']} forward, 0 inverse; interval: 8"
    lines = [f"echo 'ntt_testbench {run}: {verdict}'" for run in ("streaming", "pauses")]
    _stand_in(path, "; ".join(["echo WARNING", *lines, "echo ntt_testbench PASS"]))
    assert icarus.wanted(design) == (True, "") and icarus.wanted(design, "never")[0] is False
    runs = icarus.simulate_icarus(design)
    assert runs["streaming"].latency_cycles == cycles and runs["streaming"].messages == ""
    assert icarus.disagreements(runs, runs) == []
    other = {**runs, "pauses": replace(runs["pauses"], errors=3)}
    assert icarus.disagreements(runs, other) == ["pauses: errors 0 in Verilator, 3 in Icarus"]
    monkeypatch.setattr(icarus, "LIMIT", 1e-9)
    assert "icarus = 'always' runs it" in icarus.wanted(design)[1]
    _stand_in(path, "echo crash")
    with pytest.raises(FormatError, match=r"no verdict of ntt_testbench, streaming; .*: crash"):
        icarus.simulate_icarus(design)
    _stand_in(path, "")
    (path / "iverilog").write_text("#!/bin/sh\necho 'x.sv:1: syntax error' >&2\nexit 1\n")
    with pytest.raises(UnsupportedError, match="iverilog failed: x"):
        icarus.simulate_icarus(design)


def _without_verilator(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise UnsupportedError("simulation needs the verilator package")

    monkeypatch.setattr(verilate, "check_installed", missing)


@needs_icarus
def test_simulate_takes_icarus_where_verilator_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cycles = _write(tmp_path, H(16, (97,), dp=4, pp=2))
    _without_verilator(monkeypatch)
    assert main(["rtl", "simulate", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert "streaming: passed\npauses: passed\nsimulator: Icarus Verilog version " in out
    assert f"forward latency: {cycles['forward']} cycles" in out
    assert "second simulator: none, Icarus ran alone: simulation needs the verilator" in out
    assert "needs the verilator package; Icarus Verilog version " in err
    assert recorded(tmp_path)["simulation"]["tool"].startswith("Icarus Verilog version ")
    assert main(["rtl", "simulate", str(tmp_path), "--icarus", "never"]) == 2
    assert "needs the verilator package\n" in capsys.readouterr().err


def test_simulate_without_any_simulator_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(tmp_path, H(16, (97,), dp=4, pp=2))
    _without_verilator(monkeypatch)
    monkeypatch.setenv("PATH", "")
    assert main(["rtl", "simulate", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "needs the verilator package; or install Icarus Verilog 11 or later" in said
