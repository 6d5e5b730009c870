# SPDX-License-Identifier: Apache-2.0
"""A key-switching pipeline behind AXI ports for DMA."""

from __future__ import annotations

from ..plan.keyswitch import KeySwitchDesign
from .axi import LITE_BUS, lite_ports
from .engine_dma import element_bytes
from .stream_top import unread


def switch_dma_module(design: KeySwitchDesign, name: str) -> str:
    """The module ``<name>_dma``."""
    p, width = design.parameters, 8 * element_bytes(design.parameters.bits)
    fields, key_fields = design.word_bits // p.bits, design.key_bits // p.bits
    awprot, arprot = (
        unread(f"  input  logic [2:0]  s_axi_{way}prot,  // not used\n") for way in ("aw", "ar")
    )
    given, keys = (
        unread(f"  input  logic [{count * width - 1}:0] {port}_axis_tdata,\n")
        for port, count in (("s", fields), ("k", key_fields))
    )
    choice = unread("  logic choice;  // there is nothing to choose\n")
    return f"""// {name}_top with three AXI4-Stream ports for DMA and registers behind AXI4-Lite.
// A residue takes {width} bits at the ports, lane 0 of limb 0 lowest; the bits above it are 0 at
// m_axis and not read at the others. s_axis takes polynomials, k_axis their keys, m_axis gives
// results, with TLAST at the end of each. The registers count polynomials and results.
module {name}_dma (
{lite_ports(awprot, arprot)}{given}  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  input  logic        s_axis_tlast,
{keys}  input  logic        k_axis_tvalid,
  output logic        k_axis_tready,
  input  logic        k_axis_tlast,
  output logic [{fields * width - 1}:0] m_axis_tdata,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready,
  output logic        m_axis_tlast
);
  logic flush, error_last, error_range, gives, odd;
{choice}  logic [{design.word_bits - 1}:0] s_data, m_data;
  logic [{design.key_bits - 1}:0] k_data;
  generate
    for (genvar f = 0; f < {fields}; f = f + 1) begin : gen_field
      assign s_data[f*{p.bits}+:{p.bits}] = s_axis_tdata[f*{width}+:{p.bits}];
      assign m_axis_tdata[f*{width}+:{width}] = {width}'(m_data[f*{p.bits}+:{p.bits}]);
    end
    for (genvar f = 0; f < {key_fields}; f = f + 1) begin : gen_key
      assign k_data[f*{p.bits}+:{p.bits}] = k_axis_tdata[f*{width}+:{p.bits}];
    end
  endgenerate

  // A result has twice as many words as a polynomial: every second one is counted.
  assign gives = m_axis_tvalid && m_axis_tready;
  always_ff @(posedge aclk) begin
    if (!aresetn || flush) odd <= 1'b0;
    else if (gives) odd <= !odd;
  end
  nttf_axi_lite #(
    .WORDS({p.words}), .SIZE({p.n}), .LANES({p.dp}), .LIMBS({p.limbs}), .BITS({p.bits}),
    .CHOICE_BITS(1)
  ) u_registers (
    .clk(aclk), .reset(!aresetn), {LITE_BUS}
    .takes(s_axis_tvalid && s_axis_tready), .gives(gives && odd), .error_last(error_last),
    .error_range(error_range), .flush(flush), .choice(choice));

  {name}_top u_top (
    .clk(aclk), .reset(!aresetn), .flush(flush), .s_valid(s_axis_tvalid), .s_ready(s_axis_tready),
    .s_last(s_axis_tlast), .s_data(s_data), .k_valid(k_axis_tvalid), .k_ready(k_axis_tready),
    .k_last(k_axis_tlast), .k_data(k_data), .m_valid(m_axis_tvalid), .m_ready(m_axis_tready),
    .m_last(m_axis_tlast), .m_data(m_data), .error_last(error_last), .error_range(error_range));
endmodule
"""
