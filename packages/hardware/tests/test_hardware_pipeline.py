# SPDX-License-Identifier: Apache-2.0
"""Registers by choice: small, balanced and fast, for every device."""

from __future__ import annotations

import json
import pickle
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest
from marks import needs

from nttforge.cli import main
from nttforge.errors import ParameterError
from nttforge_hardware import HardwareParameters, Pipeline, plan_design
from nttforge_hardware.emit.dataflow import dataflow_files
from nttforge_hardware.emit.files import design_files, write_design
from nttforge_hardware.emit.permutation import permutation_files
from nttforge_hardware.emit.product import product_files
from nttforge_hardware.plan.dataflow import DataflowDesign, DataflowParameters
from nttforge_hardware.plan.devices import device_pipeline
from nttforge_hardware.plan.dgt import plan_dgt
from nttforge_hardware.plan.permutation import (
    PermutationDesign,
    PermutationParameters,
    bit_reversal,
    stride,
)
from nttforge_hardware.plan.pipeline import CHOICES, Choice
from nttforge_hardware.plan.primes import usable_dgt_primes
from nttforge_hardware.plan.product import plan_product
from nttforge_hardware.tools.programs import read_slang, run_yosys
from nttforge_hardware.tools.simulate import lint, simulate_files
from nttforge_oracle.number_theory import ntt_primes

PLAIN = HardwareParameters(16, (97,), dp=4, pp=2)


def test_names_stand_for_registers() -> None:
    assert (
        PLAIN.pipeline == Pipeline.named("balanced") == replace(PLAIN, pipeline="balanced").pipeline
    )
    assert [Pipeline.named(name).name for name in CHOICES] == ["small", "balanced", "fast"]
    assert Pipeline() == Pipeline.named("small") and Pipeline(sum_regs=3).name == "own"
    one = Pipeline.named("balanced", add_regs=1)
    assert (one.add_regs, one.enable_regs, one.name) == (1, 1, "own")
    assert replace(PLAIN, pipeline="fast").pipeline.registers == {
        "input_regs": 1,
        "sum_regs": 4,
        "tree_regs": 3,
        "add_regs": 1,
        "reduction_regs": 2,
        "memory_regs": 4,
        "enable_regs": 1,
        "product_regs": 1,
        "carry_bits": 60,
    }
    for device in ("xcup", "xc7", "xcu280", "ecp5"):
        for name in CHOICES:  # also where blocks need registers of their own
            assert device_pipeline(device, name).name == name
    assert pickle.loads(pickle.dumps(PLAIN)) == PLAIN and hash(PLAIN) == hash(replace(PLAIN))
    dgt = plan_dgt(16, usable_dgt_primes(16, 12, 1), pipeline="fast")
    assert dgt.parameters.pipeline.name == "fast"


def test_each_choice_has_more_cycles_than_the_one_before() -> None:
    for n, dp, pp in ((64, 4, 1), (256, 8, 8), (1024, 32, 10)):
        p = HardwareParameters(n, tuple(ntt_primes(n, 28, 1)), "both", dp=dp, pp=pp)
        designs = [plan_design(replace(p, pipeline=name)) for name in CHOICES]
        for direction in p.directions:
            cycles = [d.latency_cycles(direction) for d in designs]
            assert sorted(set(cycles)) == cycles
        assert len({d.dsps for d in designs}) == len({d.ramb18 for d in designs}) == 1


@pytest.mark.parametrize(
    ("moduli", "shape", "cycles", "dsps"),
    [
        (tuple(ntt_primes(4096, 30, 6)), {"n": 4096, "dp": 4, "pp": 2}, 6175, 168),
        ((2**52 - 2**20 + 1,), {"n": 8192, "dp": 32, "pp": 5}, 990, 480),  # a limb of four
        ((2**28 - 2**16 + 1,), {"n": 1024, "dp": 32, "pp": 10}, 231, 640),
    ],
)
def test_balanced_keeps_the_figures_of_yan22(
    moduli: tuple[int, ...], shape: dict[str, int], cycles: int, dsps: int
) -> None:
    design = plan_design(HardwareParameters(moduli=moduli, **shape))
    assert design.parameters.pipeline.name == "balanced"
    assert design.latency_cycles("forward") <= cycles and design.dsps <= dsps


@needs("verilator")
@pytest.mark.parametrize(
    "names",
    [
        ("fast",),
        pytest.param(("unrolled", "rounds", "one", "dgt", "product"), marks=pytest.mark.full),
    ],
)
def test_every_choice_bit_exact_with_predicted_cycles(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    """A testbench counts a wrong cycle as an error."""
    h, p = HardwareParameters, ntt_primes
    shapes = {
        "unrolled": h(32, tuple(p(32, 20, 1)), "both", dp=8, pp=5, pipeline="balanced"),
        "rounds": h(64, tuple(p(64, 30, 2)), "forward", "cyclic", dp=2, pp=2, core="barrett"),
        "fast": h(32, (2**30 - 2**18 + 1,), "both", dp=4, pp=3, pipeline="fast"),
        "one": h(16, (97,), "inverse", dp=4, pp=2, pipeline=Pipeline.named("small", memory_regs=3)),
    }
    files = {n: design_files(plan_design(s), name=n, folder=f"{n}/") for n, s in shapes.items()}
    dgt = plan_dgt(32, usable_dgt_primes(32, 20, 1), "both", dp=4, pp=2)
    files["dgt"] = design_files(dgt, name="dgt", folder="dgt/")
    product = plan_product(h(16, (97,), dp=2, pp=2))
    files["product"] = product_files(product, name="product", folder="product/")
    files = {name: files[name] for name in names}
    for name, runs in simulate_files(files, tmp_path).items():
        for run, result in runs.items():
            assert result.passed, f"{name}, {run}: {result.messages}"
    lint(tmp_path / names[0])


def _reached(folder: Path, port: str, top: str = "ntt_top") -> tuple[int, int, set[str]]:
    """Register bits that a port reaches within a cycle, all of them, and the outputs it reaches."""
    netlist = folder / "netlist.json"
    read = read_slang(f"--top {top}", sorted(folder.glob("rtl/*.sv")), folder)
    run_yosys(
        [read, f"hierarchy -top {top}", "proc", "flatten", "opt -fast", f"write_json {netlist}"],
        folder,
    )
    module = json.loads(netlist.read_text())["modules"][top]
    leads, registers = defaultdict(list), {}
    for name, cell in module["cells"].items():
        ways = cell["port_directions"]
        ins = {b for k, bits in cell["connections"].items() if ways[k] == "input" for b in bits}
        outs = {b for k, bits in cell["connections"].items() if ways[k] == "output" for b in bits}
        if "dff" in cell["type"] or "$mem" in cell["type"]:
            registers[name] = (ins, len(outs))
        else:
            for bit in ins:
                leads[bit] += outs
    seen = set(module["ports"][port]["bits"])
    edge = list(seen)
    while edge:
        edge = [b for b in {o for bit in edge for o in leads[bit]} if b not in seen]
        seen.update(edge)
    moved = sum(bits for ins, bits in registers.values() if ins & seen)
    outputs = {
        k for k, v in module["ports"].items() if v["direction"] == "output" and seen & {*v["bits"]}
    }
    return moved, sum(bits for _, bits in registers.values()), outputs


@needs("pyosys")
def test_no_path_from_a_handshake_into_the_design(tmp_path: Path) -> None:
    for name in CHOICES:
        folder = tmp_path / name
        write_design(design_files(plan_design(replace(PLAIN, pipeline=name))), folder)
        ready, every, answers = _reached(folder, "m_ready")
        _, _, outputs = _reached(folder, "s_valid")
        if name == "small":  # what the other choices are for
            assert ready > every / 2 and answers == {"s_ready"} and "m_valid" in outputs
        else:
            assert ready <= 8 and answers == outputs == set()


def _others(pipeline: Choice) -> dict[str, tuple[int, dict[str, str]]]:
    """A dataflow and a permutation: latency and files."""
    sources = (tuple(bit_reversal(16)), tuple(stride(16, 2)))
    permutation = PermutationDesign(PermutationParameters(16, 4, 9, sources, pipeline))
    dataflow = DataflowDesign(DataflowParameters(16, 97, "stockham", 2, pipeline=pipeline))
    return {
        "permutation": (permutation.latency_cycles, permutation_files(permutation)),
        "dataflow": (dataflow.latency_cycles, dataflow_files(dataflow)),
    }


@needs("pyosys")
def test_dataflows_and_permutations_have_buffers_too(tmp_path: Path) -> None:
    small, balanced = _others("small"), _others("balanced")
    for name, (cycles, files) in balanced.items():
        assert cycles == small[name][0] + 3
        write_design(files, tmp_path / name)
        ready, _, answers = _reached(tmp_path / name, "m_ready", f"{name}_top")
        assert ready <= 8 and answers == set()
        assert _reached(tmp_path / name, "s_valid", f"{name}_top")[2] == set()


def test_the_command_line_chooses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shape = ["rtl", "generate", "--n", "16", "--bits", "12", "--dp", "2", "--pp", "1"]
    cases = [
        ([], "balanced", "--pipeline balanced "),
        (["--pipeline", "fast"], "fast", "--pipeline fast "),
        (["--device", "ecp5"], "fast", "--device ecp5 --pipeline fast "),
        (["--pipeline", "small", "--registers", "add_regs=1"], "own", "--registers add_regs=1"),
    ]
    for i, (options, chosen, again) in enumerate(cases):
        out = tmp_path / str(i)
        assert main([*shape, *options, "--out", str(out)]) == 0
        assert f"registers: {chosen}\n" in capsys.readouterr().out
        assert f"\n* pipeline = {chosen}: registers input " in (out / "README.md").read_text()
        manifest = json.loads((out / "design.json").read_text())
        assert again in f"{manifest['command']} "
    assert main(["rtl", "explore", "--n", "64", "--pipeline", "small", "--json"]) == 0
    small = json.loads(capsys.readouterr().out)
    assert main(["rtl", "explore", "--n", "64", "--json"]) == 0
    balanced = json.loads(capsys.readouterr().out)
    fastest = [min(d["latency_cycles"]["forward"] for d in found) for found in (small, balanced)]
    assert fastest[0] < fastest[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--pipeline", "slow"], "pipeline = 'slow' must be one of small, balanced, fast"),
        (["--registers", "add_regs"], "--registers = 'add_regs' must be NAME=COUNT, such as"),
        (["--registers", "add_regs=x"], "--registers = 'add_regs=x' must be NAME=COUNT"),
        (["--registers", "add=1"], "pipeline.add is no register; there are input_regs, sum_regs"),
        (["--registers", "add_regs=2"], "pipeline.add_regs = 2 must be in 0 ... 1"),
        (["--registers", "add_regs=1", "add_regs=0"], "--registers gives add_regs twice"),
        (["--device", "ecp5", "--registers", "reduction_regs=0"], "needs input_regs and reduction"),
    ],
)
def test_bad_choices(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rtl", "explore", "--n", "16", "--bits", "12", *options]) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1


def test_a_pipeline_is_one_of_the_choices_or_a_pipeline() -> None:
    for wrong in (None, 3, {"add_regs": 1}):
        with pytest.raises(
            ParameterError, match="must be a Pipeline or one of small, balanced, fast"
        ):
            replace(PLAIN, pipeline=wrong)
