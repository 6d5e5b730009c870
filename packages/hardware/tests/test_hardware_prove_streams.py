# SPDX-License-Identifier: Apache-2.0
"""Tables of engines with loaded moduli, of permutations and of dataflows; wrong ones are found."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from marks import full_tests

from nttforge.cli import main
from nttforge.errors import FormatError
from nttforge_hardware.emit.dataflow import dataflow_files
from nttforge_hardware.emit.engine import engine_files
from nttforge_hardware.emit.files import write_design
from nttforge_hardware.emit.permutation import permutation_files
from nttforge_hardware.plan.dataflow import DataflowDesign, DataflowParameters
from nttforge_hardware.plan.dataflow_stages import NAMES
from nttforge_hardware.plan.engine import EngineParameters, plan_engines
from nttforge_hardware.plan.permutation import PermutationDesign, PermutationParameters
from nttforge_hardware.prove.folder import prove_folder


def _problems(folder: Path) -> list[str]:
    return [text for finding in prove_folder(folder) for text in finding.problems]


def _engines(folder: Path, parameters: EngineParameters, **more: str) -> Path:
    write_design(engine_files(plan_engines(parameters), axi=True, **more), folder)
    return folder


@pytest.mark.parametrize(
    "parameters",
    [
        EngineParameters(64, 30, 2, 2, dp=4, pp=2),
        EngineParameters(32, 20, 1, 3, "inverse", "cyclic", 8, 1, "barrett", "frame", "small"),
        EngineParameters(32, 20, 1, 3, "forward", "cyclic", 8, 1, "barrett", "room", "fast"),
        pytest.param(
            EngineParameters(128, 52, 3, 1, "forward", dp=2, pp=7, pipeline="fast"),
            marks=pytest.mark.full,
        ),
    ],
    ids=str,
)
def test_engines(tmp_path: Path, parameters: EngineParameters) -> None:
    findings = prove_folder(_engines(tmp_path, parameters, prefix="mine_"))
    p = parameters
    directions = 2 if p.direction == "both" else 1
    assert [f for f in findings if not f.proved] == []
    assert len(findings) == 4 + p.engines * p.sets * (2 + 2 * directions)
    read = [f.entries for f in findings if f.name.endswith("twiddles as read")]
    assert read == [p.n // 2 * (p.n.bit_length() - 1)] * p.engines * p.sets * directions


@pytest.mark.parametrize(
    ("name", "pattern", "new", "message"),
    [
        ("rtl/ntt_engine.sv", r"EXCHANGE\((\d+)'h\w", r"EXCHANGE(\1'h0", "butterfly|delay"),
        ("rtl/ntt_engine.sv", r"DELAY\((\d+)'h\w", r"DELAY(\1'h0", "too short|cycles|close"),
        ("rtl/ntt_engine.sv", r"TWIDDLE_BASE\((\d+)'h\w", r"TWIDDLE_BASE(\1'h0", "gives|not in"),
        ("rtl/ntt_engine.sv", r"32'd1,  // MOVING", "32'd0,  // MOVING", "moduli that move"),
        ("rtl/ntt_engine.sv", r"32'd\d+,  // TWO_ADICITY", "32'd9,  // TWO_ADICITY", "as of all"),
        ("rtl/ntt_engine.sv", r"\.SETS\(2\)\n  \) u_super", ".SETS(1)\n  ) u_super", "SETS = 1"),
        ("rtl/ntt_top.sv", r"\.ROWS\((\d+)'h\w", r".ROWS(\1'h0", "nttf_table_loader: ROWS"),
        ("driver/ntt_layout.h", r"\n  (-?\d+), ", r"\n  7, ", "entry 0 of the table is 7"),
        ("driver/ntt_layout.h", r"\.steps = \d+", ".steps = 9", "steps = 9"),
        ("design.json", r'"moduli": \[\s*\d+', '"moduli": [97', "tables are of"),
    ],
)
def test_wrong_constants_of_engines(
    tmp_path: Path, name: str, pattern: str, new: str, message: str
) -> None:
    path = _engines(tmp_path, EngineParameters(64, 30, 1, 2, dp=4, pp=2)) / name
    text = path.read_text()
    changed = re.sub(pattern, new, text, count=1)
    assert changed != text
    path.write_text(changed)
    problems = _problems(tmp_path)
    assert any(re.search(message, problem) for problem in problems), problems


def test_every_word_of_a_loaded_table_matters(tmp_path: Path) -> None:
    folder = _engines(tmp_path, EngineParameters(16, 20, 1, 2, dp=4, pp=1))
    path, source = folder / "testbench/tables.hex", random.Random(1)
    whole = path.read_text()
    lines = whole.splitlines()
    for number, line in enumerate(lines):
        wrong = int(line, 16) ^ 1 << source.randrange(20)
        path.write_text("\n".join([*lines[:number], f"{wrong:x}", *lines[number + 1 :]]))
        try:
            assert _problems(folder), number
        except FormatError as error:  # a set that is not there
            assert "no engine" in str(error)


@pytest.mark.parametrize("named", [pytest.param(True, marks=pytest.mark.full), False])
def test_permutations(tmp_path: Path, named: bool) -> None:
    out = tmp_path / "out"
    words = ["permute", "--n", "32", "--dp", "4", "--bits", "9"]
    names = ["stride:4", "bit-reversal", "transpose:16"]
    words += [word for name in names for word in ("--permutation", name)]
    if named:
        assert main(["rtl", *words, "--out", str(out)]) == 0
    else:
        shuffled = [random.Random(k).sample(range(32), 32) for k in range(3)]
        p = PermutationParameters(32, 4, 9, tuple(map(tuple, shuffled)), "small")
        write_design(permutation_files(PermutationDesign(p)), out)
    findings = prove_folder(out)
    assert all(f.proved for f in findings) and len(findings) == 5
    for path in sorted((out / "tables").iterdir()):
        whole = path.read_text()
        lines = whole.splitlines()
        # Each line of a file is read alike: some of them, outside full sweeps.
        for number, line in list(enumerate(lines))[:: 1 if full_tests() else 3]:
            for bit in range(10):  # three layers of two switches; four addresses of three bits
                if bit < 6 or path.stem.endswith("read"):
                    wrong = f"{int(line, 16) ^ 1 << bit:x}"
                    path.write_text("\n".join([*lines[:number], wrong, *lines[number + 1 :]]))
                    assert _problems(out), (path.name, number, bit)
        path.write_text(whole)
    (top,) = (out / "rtl").glob("*_top.sv")
    for old, new, message in (
        (".DELAY(", ".DELAY(1", "cycles"),
        (".LANES(4)", ".LANES(8)", "LANES"),
    ):
        text = top.read_text()
        top.write_text(text.replace(old, new))
        assert any(message in problem for problem in _problems(out))
        top.write_text(text)


@pytest.mark.parametrize("algorithm", NAMES)
@pytest.mark.parametrize(
    ("core", "pipeline"),
    [("montgomery", "small"), pytest.param("barrett", "fast", marks=pytest.mark.full)],
)
def test_dataflows(tmp_path: Path, algorithm: str, core: str, pipeline: str) -> None:
    p = DataflowParameters(32, 193, algorithm, 4, core, pipeline)  # type: ignore[arg-type]
    write_design(dataflow_files(DataflowDesign(p)), tmp_path)
    findings = prove_folder(tmp_path)
    assert [f for f in findings if not f.proved] == [] and len(findings) == 4


def test_wrong_rows_of_a_dataflow(tmp_path: Path) -> None:
    p = DataflowParameters(32, 193, "pease_nc", 4)
    write_design(dataflow_files(DataflowDesign(p)), tmp_path)
    source, address_bits, banks = random.Random(2), 3, 8
    for which in ("read", "write"):
        path = tmp_path / f"tables/dataflow_{which}.hex"
        whole = path.read_text()
        rows = [int(line, 16) for line in whole.split()]
        # Rows with twiddles or enables: nobody reads addresses and settings of the others.
        used = [k for k, row in enumerate(rows) if row >> (banks * address_bits + 21)]
        for number in source.sample(used, 12 if full_tests() else 4):
            for bit in source.sample(range(banks * address_bits + 20), 6):
                wrong = [*rows[:number], rows[number] ^ 1 << bit, *rows[number + 1 :]]
                path.write_text("".join(f"{row:x}\n" for row in wrong))
                assert _problems(tmp_path), (which, number, bit)
        path.write_text(whole)
    top = tmp_path / "rtl/dataflow_top.sv"
    text = top.read_text()
    for pattern, new, message in (
        (r"READ_START\(\d+\)", "READ_START(2)", "is not value|cycles|operands"),
        (r"\.q\(8'd\d+\)", ".q(8'd97)", "port q"),
        (r"\.constant\(12'd\d+\)", ".constant(12'd5)", "CONSTANT"),
        (r"GENTLEMAN_SANDE\(0\)", "GENTLEMAN_SANDE(1)", "is not value"),
    ):
        changed = re.sub(pattern, new, text)
        assert changed != text
        top.write_text(changed)
        assert any(re.search(message, problem) for problem in _problems(tmp_path)), pattern
    top.write_text(text.replace("In: lane", "In lane"))
    with pytest.raises(FormatError, match="no comment says in which order words go In"):
        prove_folder(tmp_path)


def test_what_is_not_compared_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _engines(tmp_path, EngineParameters(16, 20))
    assert main(["rtl", "prove", str(tmp_path)]) == 0
    assert "not compared: tables that software loads" in capsys.readouterr().out
    assert main(["rtl", "prove", str(tmp_path), "--json"]) == 0
    assert all(finding["proved"] for finding in json.loads(capsys.readouterr().out))
