# SPDX-License-Identifier: Apache-2.0
"""A large design synthesised in parts, side by side, whose counts add up to those of the whole.

What synthesis does across the limits of a part is small but for shift registers and DSPs, which
take registers from both sides: a core is counted together with the registers in front of it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from nttforge.errors import ParameterError

from ..emit.core_parameter import core_declaration
from ..emit.modules import module_folder
from ..emit.verilog import named_list, super_pipeline_alone
from ..plan.cores import CoreDesign
from ..plan.design import Design
from .synthesis import Netlist

#: Modules that are not read for a part; their cells are not counted.
BLACK_BOXES = ("nttf_butterfly", "nttf_super_pipeline")


def part_counts(design: Design) -> dict[str, int]:
    """The parts of ``design_parts``, and how many there are of each.

    Raises
    ------
    ParameterError
        If the design has registers or twiddles for which the parts would not add up.
    """
    p = design.parameters
    if p.pipeline.memory_regs or p.pipeline.enable_regs or p.twiddles != "table":
        raise ParameterError(
            f"pipeline = {p.pipeline.name!r}, twiddles = {p.twiddles!r}: only designs with "
            "pipeline = 'small' and twiddles = 'table' have parts; synthesise the whole"
        )
    counts = {"top": 1}
    for limb in range(p.bp):
        for i in range(p.pp):
            counts[_named(design, f"super pipeline {i}", limb)] = 1
            core = _named(design, f"core behind {_registers_in_front(design, i)}", limb)
            counts[core] = counts.get(core, 0) + p.dp // 2
    return counts


def _named(design: Design, part: str, limb: int) -> str:
    return f"{part}, limb {limb}" if design.parameters.bp > 1 else part


def _registers_in_front(design: Design, super_pipeline: int) -> int:
    """Registers one behind the other in front of a core's coefficients, with no logic between.

    Synthesis makes one shift register of them and the core's own, or moves them into its DSPs.
    Without memory: the cores' before (unless a transform enters here), two of the permutation.
    """
    if design.has_memory(super_pipeline):
        return 1
    return 2 if super_pipeline == design.parameters.entry else 3


def design_parts(design: Design, files: dict[str, str], family: str = "xcup") -> dict[str, Netlist]:
    """A large design in parts to be synthesised apart.

    The top level with its limbs; of every limb each super pipeline without its cores, with what
    the limb gives it as constants; and a core, all being equal, with the registers in front of it:
    these are counted in the other parts too and are taken from the core's.

    Parameters
    ----------
    design : Design
    files : dict
        The same, emitted.
    family : {"xcup", "xc7"}
    """
    name, p = json.loads(files["design.json"])["top"].removesuffix("_top"), design.parameters
    read = {k: v for k, v in files.items() if k.startswith(("rtl/", "twiddles/"))}
    core_box, pipeline_box = BLACK_BOXES
    parts = {"top": Netlist(f"{name}_top", read, black_box=pipeline_box, family=family)}
    for limb, core in enumerate(design.cores):
        for i in range(p.pp):
            text = super_pipeline_alone(design, limb, i, name)
            alone = read | {"rtl/super_pipeline_alone.sv": text}
            netlist = Netlist("super_pipeline_alone", alone, black_box=core_box, family=family)
            parts[_named(design, f"super pipeline {i}", limb)] = netlist
            depth = _registers_in_front(design, i)
            alone = read | {"rtl/core_alone.sv": _core_alone(design, core, depth)}
            beside = {"FDRE": (2 * depth + 1) * p.bits}
            netlist = Netlist("core_alone", alone, family=family, beside=beside)
            parts[_named(design, f"core behind {depth}", limb)] = netlist
    return parts


def core_netlist(design: Design, family: str) -> Netlist:
    """A core of the first limb behind one register at each input."""
    read = {
        f"rtl/{path.name}": path.read_text("utf-8")
        for path in sorted(module_folder("rtl").glob("*.sv"))
    }
    read["rtl/core_alone.sv"] = _core_alone(design, design.cores[0], 1)
    return Netlist("core_alone", read, family=family)


def sum_parts(parts: Sequence[tuple[dict[str, int], int]]) -> Counter[str]:
    """Cells of all parts, each so many times, without the black boxes."""
    total: Counter[str] = Counter()
    for cells, times in parts:
        for cell, count in cells.items():
            if not any(box in cell for box in BLACK_BOXES):
                total[cell] += count * times
    return total


def _core_alone(design: Design, core: CoreDesign, depth: int) -> str:
    """A core with its modulus as a constant behind ``depth`` registers, one for the twiddle."""
    p = design.parameters
    settings = {
        "PARTS": p.parts,
        "FORWARD": int("forward" in p.directions),
        "INVERSE": int("inverse" in p.directions),
        "CORE": "CORE",
    }
    word = f"logic [{core.bits * p.parts - 1}:0]"
    return f"""module core_alone (
  input logic clk, enable, inverse, input {word} a, b, w, output {word} x, y);
{core_declaration(core)}  {word} a_held[{depth}], b_held[{depth}], w_held;
  always_ff @(posedge clk) if (enable) begin
    a_held[0] <= a;
    b_held[0] <= b;
    w_held    <= w;
    for (int i = 1; i < {depth}; i = i + 1) begin
      a_held[i] <= a_held[i-1];
      b_held[i] <= b_held[i-1];
    end
  end
  nttf_butterfly #(
    {named_list(settings)}
  ) u_core (.clk(clk), .enable(enable), .enable_beside(enable), .inverse(inverse),
    .q({core.bits}'d{core.q}), .constant({core.bits + 4}'d{core.constant}),
    .a(a_held[{depth - 1}]), .b(b_held[{depth - 1}]), .w(w_held), .x(x), .y(y));
endmodule
"""
