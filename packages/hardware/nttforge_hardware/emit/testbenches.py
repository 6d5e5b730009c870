# SPDX-License-Identifier: Apache-2.0
"""The testbenches of a design: checkers, what runs them, their parameters and the file list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from .modules import module_folder, module_text

#: The file list of a simulation, from a design's folder.
LIST = "testbench.f"

#: Values of a testbench's parameters: numbers, and wide constants as Verilog has them.
BenchParameters: TypeAlias = Mapping[str, int | str]


def testbench_modules(
    name: str,
    folder: str,
    axi: bool,
    changes: Iterable[tuple[str, str]] = (),
    checker: str = "check",
    parameters: BenchParameters | None = None,
    burst: BenchParameters | None = None,
) -> dict[str, str]:
    """The modules by file name.

    ``name`` and ``folder``: see ``design_files``. ``changes`` are replacements in their texts.
    ``checker``: the file of the module ``ntt_check``; another one than check.sv takes all of
    ``parameters``. ``burst``: what the checker of AXI4 ports takes, where there are any.
    """
    texts = {"ntt_check": _text(checker), "ntt_testbench": _text("testbench")}
    if axi:
        texts["ntt_axi_check"] = _text("check_axi")
        texts["ntt_axi_testbench"] = re.sub(
            r"\bntt_(check|testbench)\b", r"ntt_axi_\1", _taking_all(texts, parameters or {})
        )
    if burst is not None:
        texts["ntt_burst_check"] = _text("check_burst")
        texts["ntt_burst_testbench"] = re.sub(
            r"\bntt_(check|testbench)\b", r"ntt_burst_\1", _taking_all(texts, burst)
        )
    if checker != "check":
        texts["ntt_testbench"] = _taking_all(texts, parameters or {})
    found = {}
    for module, text in texts.items():
        for old, new in (('"testbench/', f'"{folder}testbench/'), *changes):
            text = text.replace(old, new)
        own = re.sub(
            r"\bntt_(?=((axi|burst)_)?(check|testbench|parameters|top|axi|burst)\b)",
            f"{name}_",
            text,
        )
        found[f"testbench/{name}{module.removeprefix('ntt')}.sv"] = own
    return found


def _taking_all(texts: Mapping[str, str], parameters: BenchParameters) -> str:
    """What runs a checker that takes all parameters."""
    values = ",\n    ".join(f".{key}({key})" for key in parameters)
    return re.sub(
        r"(ntt_check #\().*?(\) u_check)",
        rf"\1\n    {values}\n  \2",
        texts["ntt_testbench"],
        flags=re.DOTALL,
    )


def python_files() -> dict[str, str]:
    """For a design with AXI ports: its test in cocotb, and the module for LiteX."""
    source = module_folder("testbench")
    names = {"testbench/cocotb_axi.py": "cocotb_axi.py", "litex_design.py": "litex_design.py"}
    return {name: module_text(source / file) for name, file in names.items()}


def _text(stem: str) -> str:
    return module_text(module_folder("testbench") / f"{stem}.sv")


def parameter_header(values: BenchParameters) -> str:
    """What the testbenches include: a localparam for each parameter; a text is a wide constant."""
    lines = ""
    for name, value in values.items():
        if isinstance(value, str):
            bits = int(value.partition("'")[0])
            lines += f"localparam logic [{bits - 1}:0] {name} = {value};\n"
        else:
            lines += f"localparam int {name} = {value};\n"
    return f"// The parameters of the testbenches.\n{lines}"


def list_text(modules: Iterable[str]) -> str:
    """The file list, as Icarus, Verilator and other simulators take it."""
    return "+incdir+testbench\n" + "".join(f"{name}\n" for name in modules)
