# SPDX-License-Identifier: Apache-2.0
"""The seven dataflows: values, stages and cycles; Table I of [Din24]."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from marks import needs

from nttforge.cli import main
from nttforge.errors import ParameterError
from nttforge.spec.transform import bit_reverse
from nttforge_hardware.emit.dataflow import dataflow_files, expected
from nttforge_hardware.emit.files import write_design
from nttforge_hardware.plan.dataflow import DataflowDesign, DataflowParameters
from nttforge_hardware.plan.dataflow_stages import NAMES, partition_accesses
from nttforge_hardware.report.page import write_report
from nttforge_hardware.tools.simulate import lint, read_manifest, simulate_files
from nttforge_oracle.algorithms import trace
from nttforge_oracle.number_theory import ntt_primes
from nttforge_papers.hardware_tools import TOOL_KEYS
from nttforge_papers.nttsuite import hardware as nttsuite_hardware

SEED = 20261122
COMMITTED = Path(__file__).parents[3] / "bench" / "results" / "nttsuite-hardware"


def _design(algorithm: str, n: int = 32, units: int = 4, stages: int | None = None):
    q = ntt_primes(n, 14, 1)[0]
    return DataflowDesign(DataflowParameters(n, q, algorithm, units, stages=stages))


@pytest.mark.parametrize("algorithm", NAMES)
def test_values_by_the_engines_own_steps(algorithm: str) -> None:
    source = random.Random(SEED)
    for n, units in ((8, 1), (8, 2), (16, 2), (64, 1), (64, 4), (64, 16), (128, 8)):
        design = _design(algorithm, n, units)
        a = [source.randrange(design.parameters.q) for _ in range(n)]
        assert design.compute(a) == expected(design, a)
        dataflow_files(design)  # no two elements of a row share a memory


@pytest.mark.parametrize("algorithm", [a for a in NAMES if a != "six_step"])
def test_every_stage_is_that_of_the_software(algorithm: str) -> None:
    source = random.Random(SEED)
    last = 10 if algorithm == "pease" else 6
    for stages in range(1, last, 2 if algorithm == "pease" else 1):
        design = _design(algorithm, 32, 4, stages)
        a = [source.randrange(design.parameters.q) for _ in range(32)]
        assert design.compute(a) == expected(design, a)


def test_steps_of_six_step_are_those_of_the_software() -> None:
    """Transposes move nothing here: the array after a step is the memory in another order."""
    n1, n2, source = 4, 8, random.Random(SEED)
    a = [source.randrange(97) for _ in range(32)]
    steps = trace(a, 97, "six_step", "cyclic", "natural", "natural")["steps"]
    arrays = [step["values"] for step in steps]

    def memory(stages: int) -> list[int]:
        return DataflowDesign(DataflowParameters(32, 97, "six_step", 4, stages=stages)).compute(a)

    places = [(k, c) for c in range(n2) for k in range(n1)]
    for stages, step in ((2, 1), (3, 2)):  # rows of n1 points; twiddles
        got = memory(stages)
        assert [got[bit_reverse(k, 2) * n2 + c] for k, c in places] == arrays[step]
    assert [arrays[2][c * n1 + k] for k in range(n1) for c in range(n2)] == arrays[3]
    got = memory(6)  # rows of n2 points
    wanted = [got[bit_reverse(k, 2) * n2 + bit_reverse(m, 3)] for k in range(n1) for m in range(n2)]
    assert wanted == arrays[4]


@needs("verilator")
@pytest.mark.parametrize(
    "names",
    [
        ("six_step", "stage"),
        pytest.param(
            ("dit", "dif", "pease", "pease_nc", "stockham", "one_unit", "stage"),
            marks=pytest.mark.full,
        ),
    ],
)
def test_dataflows_in_verilator(names: tuple[str, ...], tmp_path: Path) -> None:
    designs = {name: _design(name) for name in ("dit", "dif", "pease", "pease_nc", "stockham")}
    designs |= {"six_step": _design("six_step", 16, 2), "stage": _design("pease_nc", 16, 2, 3)}
    designs["one_unit"] = _design("dif", 16, 1)
    designs = {name: designs[name] for name in names}
    write_design(dataflow_files(designs[names[0]]), tmp_path / "alone")
    lint(tmp_path / "alone")
    files = {n: dataflow_files(d, name=n, folder=f"{n}/") for n, d in designs.items()}
    wrong = dataflow_files(designs["stage"], name="wrong", folder="wrong/")
    lines = wrong["tables/wrong_read.hex"].split()
    lines[1] = f"{int(lines[1], 16) ^ 1:x}"  # an address off by one
    wrong["tables/wrong_read.hex"] = "\n".join(lines) + "\n"
    for name, runs in simulate_files({**files, "wrong": wrong}, tmp_path / "run").items():
        for run, result in runs.items():
            assert result.passed == (name != "wrong"), f"{name}, {run}: {result.messages}"
        if name != "wrong":
            assert runs["streaming"].latency_cycles == {"forward": designs[name].latency_cycles}


@pytest.mark.parametrize("sizes", [(1024,), pytest.param((4096,), marks=pytest.mark.full)])
def test_table_1(sizes: tuple[int, ...]) -> None:
    rows = nttsuite_hardware.table_1(sizes)
    for row in rows:
        assert row["our_cycles"] <= row["paper_cycles"], row
    for row in (r for r in rows if r["dataflow"] == "pease_nc 16" and r["n"] == 4096):
        assert row["our_cycles"] <= 1686 == row["paper_cycles"]
    committed = json.loads((COMMITTED / "hardware.json").read_text())
    said = [{k: r.pop(k) for k in TOOL_KEYS if k in r} for r in committed["table_1"]]
    assert [r for r in committed["table_1"] if r["n"] in sizes] == rows
    for row, tools in zip(committed["table_1"], said, strict=True):
        assert tools["simulation_passed"]
        assert tools["simulated_cycles"] == row["our_cycles_with_words_in_and_out"]
        assert row["n"] > 4096 or "synthesised_dsps" in tools  # the largest take Yosys too long
        if "synthesised_dsps" in tools:
            assert tools["synthesised_dsps"] == row["our_dsps"]
            assert tools["synthesised_bram36"] == row["our_bram36"], row
    assert committed["partitions"] == nttsuite_hardware.partitions()


def test_partitions() -> None:
    for name in NAMES:
        assert partition_accesses(64, name, 4, 8, "parity") == (1, 1)
    # Pease with interleaving reads and writes at most two words of a memory in a cycle.
    assert partition_accesses(64, "pease_nc", 4, 4, "interleave") == (2, 2)
    assert partition_accesses(64, "dit", 4, 4, "block")[0] > 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 12}, "n = 12 must be a power of two"),
        ({"units": 3}, "units = 3 must be a power of two in 1 ... 16"),
        ({"units": 32}, "units = 32 must be a power of two in 1 ... 16"),
        ({"algorithm": "fft"}, "algorithm = 'fft' must be one of dit, dif"),
        ({"q": 91}, "q = 91 is not prime"),
        ({"q": 97}, "q = 97 does not support n = 64"),
        ({"stages": 9}, "stages = 9 must be in 1 ... 6"),
        ({"core": "x"}, "core = 'x' must be one of"),
    ],
)
def test_bad_parameters(change: dict[str, object], message: str) -> None:
    good: dict[str, object] = {"n": 64, "q": 193, "algorithm": "dit", "units": 4}
    with pytest.raises(ParameterError, match=message.replace("...", r"\.\.\.")):
        DataflowParameters(**(good | change))


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "d"
    assert main(["rtl", "dataflow", "--n", "64", "--out", str(out)]) == 0
    assert "cycles of computation" in capsys.readouterr().out
    assert read_manifest(out)["parameters"]["algorithm"] == "pease_nc"
    assert "algorithm = pease_nc" in write_report(out).read_text()
    assert main(["rtl", "dataflow", "--algorithm", "x", "--out", str(out)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
