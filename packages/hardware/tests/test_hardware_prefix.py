# SPDX-License-Identifier: Apache-2.0
"""Several designs in one project: a name stands for one text, and prefixes keep designs apart."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from marks import needs

from nttforge.errors import ParameterError
from nttforge_hardware import HardwareParameters, plan_design
from nttforge_hardware.emit.dataflow import dataflow_files
from nttforge_hardware.emit.files import design_files, write_design
from nttforge_hardware.emit.product import product_files
from nttforge_hardware.plan.dataflow import DataflowDesign, DataflowParameters
from nttforge_hardware.plan.devices import device_pipeline
from nttforge_hardware.plan.primes import usable_primes
from nttforge_hardware.plan.product import plan_product
from nttforge_hardware.tools.simulate import read_verdicts
from nttforge_hardware.tools.verilate import build_program

H = HardwareParameters
ECP5 = device_pipeline("ecp5")
Files = dict[str, str]


DESIGNS = {
    "left": plan_design(H(16, usable_primes(16, 20, 1), "both", dp=4, pp=2, pipeline=ECP5)),
    "right": plan_design(H(32, usable_primes(32, 14, 2), dp=2, pp=1, core="barrett")),
}


def _modules(files: Files) -> dict[str, str]:
    """The texts of all modules and packages without the header of their file."""
    found = {}
    for name, text in files.items():
        if name.endswith(".sv"):
            body = text.split("\n\n", 1)[1]
            for module in re.findall(r"^(?:module|package) (\w+)", body, re.MULTILINE):
                found[module] = body
    return found


def test_a_name_stands_for_one_text() -> None:
    """Hand-written modules of different designs, of ECP5 and of others, may lie in one library."""
    dataflow = DataflowDesign(DataflowParameters(16, 97, "stockham", 2))
    product = plan_product(H(16, (97,), dp=2, pp=4, pipeline=ECP5))
    designs = [design_files(design) for design in DESIGNS.values()]
    designs += [dataflow_files(dataflow), product_files(product)]
    library: dict[str, str] = {}
    for files in designs:
        for module, text in _modules(files).items():
            if module.startswith("nttf_"):
                assert library.setdefault(module, text) == text, module
    assert {"nttf_tile", "nttf_tile_ecp5", "nttf_butterfly", "nttf_butterfly_ecp5"} <= set(library)


def test_a_prefix_stands_before_all_names() -> None:
    left, right = (_modules(design_files(d, prefix=f"{n}_")) for n, d in DESIGNS.items())
    assert set(left) & set(right) == set()
    assert all(module.startswith("left_") for module in set(left) - {"MULT18X18D"})
    assert all(module.startswith("right_") for module in right)
    for prefix in ("Left", "9", "a-", "_a"):
        with pytest.raises(ParameterError, match=r"prefix = .* must be lower case letters"):
            design_files(DESIGNS["left"], prefix=prefix)


def _two(folder: Path) -> tuple[list[str], list[str]]:
    """The testbenches of two designs below ``folder``, and all their files and options."""
    tops, arguments = [], []
    for name, design in DESIGNS.items():
        files = design_files(design, prefix=f"{name}_", folder=f"{name}/")
        write_design(files, folder / name)
        tops.append(f"{name}_ntt_testbench")
        arguments.append(f"-I{name}/testbench")
        arguments += [f"{name}/{file}" for file in files["testbench.f"].split()[1:]]
    return tops, arguments


def _check(said: str, tops: list[str]) -> None:
    verdicts = read_verdicts(said, tops)
    for top, design in zip(tops, DESIGNS.values(), strict=True):
        assert all(result.passed for result in verdicts[top].values()), said
        assert f"{top} PASS" in said
        expected = {d: design.latency_cycles(d) for d in design.parameters.directions}
        assert verdicts[top]["streaming"].latency_cycles == expected


@needs("verilator")
def test_two_designs_in_one_verilator_program(tmp_path: Path) -> None:
    tops, arguments = _two(tmp_path)
    body = "".join(f"  {top} u_{top} ();\n" for top in tops)
    (tmp_path / "project.sv").write_text(f"module project;\n{body}endmodule\n")
    program = build_program(tmp_path, tmp_path / "build", "project", [*arguments, "project.sv"], [])
    said = subprocess.run([program, "+together"], cwd=tmp_path, capture_output=True, text=True)
    assert said.returncode == 0
    _check(said.stdout, tops)


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="needs Icarus Verilog on the path")
def test_two_designs_in_one_icarus_program(tmp_path: Path) -> None:
    tops, arguments = _two(tmp_path)
    chosen = [word for top in tops for word in ("-s", top)]
    command = ["iverilog", "-g2012", "-o", "both.vvp", *chosen, *arguments]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    command = ["vvp", "-n", "both.vvp", "+together"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert said.returncode == 0
    _check(said.stdout, tops)
