# SPDX-License-Identifier: Apache-2.0
"""A design away from this program: the commands of its README, as they stand there."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from marks import needs

from nttforge.cli import main
from nttforge_hardware.tools.programs import verilator_root

SHAPE = ["--n", "16", "--direction", "both", "--dp", "4", "--pp", "2", "--axi"]


def _commands(folder: Path, program: str) -> list[str]:
    """The lines of the README's blocks that begin with a program."""
    blocks = re.findall(r"```sh\n(.*?)```", (folder / "README.md").read_text(), re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.startswith(program)]


def _run(folder: Path, command: str) -> tuple[int, str]:
    ran = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)
    return ran.returncode, ran.stdout + ran.stderr


def _wrong_word(folder: Path) -> None:
    expected = folder / "testbench" / "output.hex"
    first, *rest = expected.read_text().split()
    expected.write_text("\n".join([f"{int(first, 16) ^ 1:x}", *rest]) + "\n")


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="needs Icarus Verilog on the path")
def test_the_testbenches_run_by_themselves_in_icarus(tmp_path: Path) -> None:
    assert main(["rtl", "generate", *SHAPE, "--name", "mine", "--out", str(tmp_path)]) == 0
    commands = _commands(tmp_path, "iverilog")
    assert len(commands) == 2
    for command in commands:
        code, said = _run(tmp_path, command)
        assert code == 0 and said.rstrip().endswith("_testbench PASS"), said
        assert "latency: " in said and "WARNING" not in said
        assert _run(tmp_path, f"{command} +seed=7")[0] == 0
    _wrong_word(tmp_path)
    for command in commands:
        code, said = _run(tmp_path, command)
        assert code == 1 and "_testbench FAIL" in said and "PASS" not in said


@needs("verilator")
@pytest.mark.full
def test_the_testbench_runs_by_itself_in_verilator(tmp_path: Path) -> None:
    assert main(["rtl", "generate", *SHAPE, "--out", str(tmp_path)]) == 0
    command = _commands(tmp_path, "verilator")[0]
    root = verilator_root()
    here = f'export VERILATOR_ROOT={root}; verilator() {{ perl {root}/bin/verilator "$@"; }}; '
    flags = "-CFLAGS '-O0 -std=c++20' --binary"
    code, said = _run(tmp_path, here + command.replace("--binary", flags))
    assert code == 0 and "\nntt_testbench PASS\n" in said, said
    assert "%Warning" not in said
    _wrong_word(tmp_path)
    code, said = _run(tmp_path, command.split("&& ")[1])
    assert code != 0 and "ntt_testbench FAIL" in said
