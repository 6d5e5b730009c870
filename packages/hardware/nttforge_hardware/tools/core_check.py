# SPDX-License-Identifier: Apache-2.0
"""Cores in Verilator against their integer models."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path

from ..emit.core_parameter import core_literal
from ..emit.modules import module_folder
from ..emit.verilog import named_list
from ..plan.cores import CoreDesign
from .simulate import run_together


def check_cores(
    cores: dict[str, tuple[CoreDesign, str]], folder: Path, vectors: int = 300, seed: int = 1
) -> dict[str, int]:
    """Errors of cores, by name, against their integer models, words and latency.

    Parameters
    ----------
    cores : dict of str to (CoreDesign, direction)
        Direction "forward", "inverse", or "both": built for both, run as inverse.
    folder : Path
    vectors : int
        Cases per core: corners first, then random ones.
    seed : int
    """
    folder.mkdir(parents=True, exist_ok=True)
    text = "  logic clk;\n"
    done = []
    for name, (core, direction) in cores.items():
        (folder / f"{name}.hex").write_text(_core_vectors(core, direction, vectors, seed), "utf-8")
        directions = 2 if direction == "both" else 1
        settings = {
            "VECTORS": vectors,
            "IMAGE": f'"{name}.hex"',
            "LATENCY": core.latency(directions),
            "FORWARD": int(direction != "inverse"),
            "INVERSE": int(direction != "forward"),
            "CORE": core_literal(core.module_parameters),
        }
        done.append(f"done_{name}")
        text += (
            f"  logic done_{name};\n  core_check #({named_list(settings)}) u_{name} (\n"
            f"    .clk(clk), .q({core.bits}'d{core.q}), .done(done_{name}),\n"
            f"    .constant({core.bits + 4}'d{core.constant}));\n"
        )
    text += f"""  initial begin
    clk = 0;
    while (!({" && ".join(done)})) #5 clk = !clk;
  end
"""
    sources = [str(module_folder(kind)) for kind in ("rtl", "testbench")]
    said = run_together(folder, text, [], sources, seed)
    errors = dict(re.findall(r"^together\.u_(\w+): (\d+) errors$", said, re.MULTILINE))
    return {name: int(errors[name]) for name in cores}


def _core_vectors(core: CoreDesign, direction: str, count: int, seed: int) -> str:
    source, q, bits = random.Random(seed), core.q, core.bits
    corners = itertools.product((0, 1, q - 1), repeat=3)
    lines = []
    for _ in range(count):
        a, b, w = next(corners, None) or [source.randrange(q) for _ in range(3)]
        inverse = direction != "forward"
        x, y = core.butterfly(a, b, w, inverse)
        word = int(inverse)
        for i, value in enumerate((y, x, w, b, a)):
            word |= value << (1 + i * bits)
        lines.append(f"{word:x}\n")
    return "".join(lines)
