# SPDX-License-Identifier: Apache-2.0
"""Engines with loaded moduli behind AXI ports for DMA, and the layout that their driver reads."""

from __future__ import annotations

from ..plan.engine import HEADER, EngineDesign
from .axi import LITE_BUS, lite_ports
from .modules import module_folder
from .stream_top import unread
from .verilog import width_of

#: Where a frame's TUSER has its set and its engine; bit 0 is 1 for an inverse transform.
SET_AT, ENGINE_AT, USER_BITS = 8, 16, 24


def element_bytes(bits: int) -> int:
    """Bytes of a residue in memory.

    Examples
    --------
    >>> element_bytes(30), element_bytes(33)
    (4, 8)
    """
    return 4 if bits <= 32 else 8


def driver_text(name: str) -> str:
    """A hand-written file of the driver."""
    return (module_folder("host") / name).read_text(encoding="utf-8")


def unpadded(port: str, lanes: int, bits: int) -> str:
    """The lanes of a port of whole elements, side by side."""
    width = 8 * element_bytes(bits)
    return ", ".join(f"{port}[{lane * width}+:{bits}]" for lane in reversed(range(lanes)))


def padded(port: str, lanes: int, bits: int) -> str:
    """Lanes that stand side by side as whole elements."""
    pad = 8 * element_bytes(bits) - bits
    zeros = f"{pad}'d0, " if pad else ""
    return ", ".join(f"{zeros}{port}[{lane * bits}+:{bits}]" for lane in reversed(range(lanes)))


def dma_module(design: EngineDesign, name: str) -> str:
    """The module ``<name>_dma``."""
    p, width = design.parameters, 8 * element_bytes(design.parameters.bits)
    engine_bits, set_bits = width_of(p.engines), width_of(p.sets)
    awprot, arprot = (
        unread(f"  input  logic [2:0]  s_axi_{way}prot,  // not used\n") for way in ("aw", "ar")
    )
    data, table = (
        unread(f"  input  logic [{lanes * width - 1}:0] {port}_axis_tdata,\n")
        for port, lanes in (("s", p.dp), ("t", p.dp // 2))
    )
    user = unread(
        f"  input  logic [{USER_BITS - 1}:0] s_axis_tuser,  // with a frame's first word\n"
    )
    choice = unread("  logic choice;  // frames name their direction\n")
    words, limbs = design.shape.parameters.words, p.engines * p.sets
    return f"""// {name}_top with three AXI4-Stream ports for DMA and registers behind AXI4-Lite.
// A residue takes {width} bits at the ports, lane 0 lowest: frames in memory are arrays of them.
// s_axis takes frames. Its TUSER is {{engine, set (8 bits), 7'b0, direction (1 is inverse)}}.
// t_axis takes tables, m_axis gives results. nttf_engine.h is a driver in C.
module {name}_dma (
{lite_ports(awprot, arprot)}{data}{user}  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  input  logic        s_axis_tlast,
{table}  input  logic        t_axis_tvalid,
  output logic        t_axis_tready,
  input  logic        t_axis_tlast,
  output logic [{p.dp * width - 1}:0] m_axis_tdata,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready,
  output logic        m_axis_tlast
);
  logic flush, error_last, error_range, error_table;
{choice}  logic [{p.dp * p.bits - 1}:0] m_data;
  assign m_axis_tdata  = {{{padded("m_data", p.dp, p.bits)}}};
  assign t_axis_tready = 1'b1;

  nttf_axi_lite #(
    .WORDS({words}), .SIZE({p.n}), .LANES({p.dp}), .LIMBS({limbs}),
    .BITS({p.bits}), .CHOICE_BITS(1)
  ) u_registers (
    .clk(aclk), .reset(!aresetn), {LITE_BUS}
    .takes(s_axis_tvalid && s_axis_tready), .gives(m_axis_tvalid && m_axis_tready),
    .error_last(error_last || error_table), .error_range(error_range), .flush(flush),
    .choice(choice));

  {name}_top u_top (
    .clk(aclk), .reset(!aresetn), .flush(flush), .t_valid(t_axis_tvalid), .t_last(t_axis_tlast),
    .t_data({{{unpadded("t_axis_tdata", p.dp // 2, p.bits)}}}),
    .s_valid(s_axis_tvalid), .s_ready(s_axis_tready),
    .s_engine(s_axis_tuser[{ENGINE_AT}+:{engine_bits}]), .s_set(s_axis_tuser[{SET_AT}+:{set_bits}]),
    .s_inverse(s_axis_tuser[0]), .s_last(s_axis_tlast),
    .s_data({{{unpadded("s_axis_tdata", p.dp, p.bits)}}}),
    .m_valid(m_axis_tvalid), .m_ready(m_axis_tready), .m_last(m_axis_tlast), .m_data(m_data),
    .error_last(error_last), .error_range(error_range), .error_table(error_table));
endmodule
"""


def layout_header(design: EngineDesign, name: str) -> str:
    """``<name>_layout.h``: what nttf_engine.h has to know of this design."""
    p, core = design.parameters, design.core
    entries = [
        -1 if entry is None else entry[1] + (p.n if entry[0] == "inverse" else 0)
        for plan in design.shape.twiddles
        for row in plan.entries
        for entry in row
    ]
    lines = [", ".join(map(str, entries[i : i + 16])) for i in range(0, len(entries), 16)]
    table = ",\n".join(f"  {line}" for line in lines)
    fields = {
        "n": p.n,
        "lanes": p.dp,
        "engines": p.engines,
        "sets": p.sets,
        "bits": p.bits,
        "element": element_bytes(p.bits),
        "rows": design.table_words - HEADER,
        "barrett": int(core.kind == "barrett"),
        "digit_bits": core.digit_bits,
        "steps": core.steps,
        "negacyclic": int(p.ring == "negacyclic"),
        "table": f"{name}_table",
    }
    values = "".join(f"  .{key} = {value},\n" for key, value in fields.items())
    guard = f"{name.upper()}_LAYOUT_H"
    return f"""/* SPDX-License-Identifier: Apache-2.0
 * What the driver has to know of {name}_dma.sv. */
#ifndef {guard}
#define {guard}
#include "nttf_engine.h"

static const int32_t {name}_table[{len(entries)}] = {{
{table}
}};

static const nttf_layout {name}_layout = {{
{values}}};
#endif
"""
