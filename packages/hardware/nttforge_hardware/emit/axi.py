# SPDX-License-Identifier: Apache-2.0
"""A design behind AXI4-Stream and AXI4-Lite ports, and the bytes of its streams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nttforge.errors import ParameterError

from ..plan.parameters import check_choice
from .stream_top import StreamTop, unread

TDATA = ("packed", "bytes", "power-of-two")

#: Bits beside the flush in the byte of nttf_axi_lite's control register.
MAX_CHOICE_BITS = 7


@dataclass(frozen=True)
class TdataLayout:
    """Where the fields of a word lie in TDATA.

    Parameters
    ----------
    kind : {"packed", "bytes", "power-of-two"}
        ``packed``: field after field, the whole in bytes. ``bytes``: each field in bytes of its
        own. ``power-of-two``: in 1, 2, 4 or 8 bytes, and the whole in a power of two of them.
    bits : int
        Of a field, a residue.
    taken, given : int
        Fields of a word in and out.
    user_bits : int
        Of s_axis_tuser, the choice of a frame.

    Examples
    --------
    >>> layout = TdataLayout("power-of-two", 28, 12, 12)
    >>> layout.lane_bits, layout.in_bits
    (32, 512)
    """

    kind: str
    bits: int
    taken: int
    given: int
    user_bits: int = 1

    def __post_init__(self) -> None:
        check_choice("tdata", self.kind, TDATA)

    @property
    def lane_bits(self) -> int:
        """Bits from one field to the next."""
        if self.kind == "packed":
            return self.bits
        whole = -(-self.bits // 8) * 8
        return whole if self.kind == "bytes" else 1 << (whole - 1).bit_length()

    @property
    def in_bits(self) -> int:
        return self._whole(self.taken)

    @property
    def out_bits(self) -> int:
        return self._whole(self.given)

    def _whole(self, fields: int) -> int:
        whole = -(-fields * self.lane_bits // 8) * 8
        return 1 << (whole - 1).bit_length() if self.kind == "power-of-two" else whole

    def word_bytes(self, word: int, port: str) -> bytes:
        """The bytes of a word at the port ``in`` or ``out``, the first byte first."""
        fields, whole = (self.taken, self.in_bits) if port == "in" else (self.given, self.out_bits)
        mask = (1 << self.bits) - 1
        spread = sum((word >> f * self.bits & mask) << f * self.lane_bits for f in range(fields))
        return spread.to_bytes(whole // 8, "little")

    def frame_bytes(self, words: Sequence[int], port: str) -> bytes:
        """What a DMA writes into the port ``in``, or reads from ``out``, for these words."""
        return b"".join(self.word_bytes(word, port) for word in words)

    @property
    def fields(self) -> dict[str, int | str]:
        """For the manifest."""
        return {
            "kind": self.kind,
            "field_bits": self.bits,
            "lane_bits": self.lane_bits,
            "in_fields": self.taken,
            "out_fields": self.given,
            "in_bits": self.in_bits,
            "out_bits": self.out_bits,
            "user_bits": self.user_bits,
        }

    @property
    def bench_parameters(self) -> dict[str, int]:
        """What the testbench of these ports takes beside the others."""
        return {
            "FIELD_BITS": self.bits,
            "LANE_BITS": self.lane_bits,
            "S_BITS": self.in_bits,
            "M_BITS": self.out_bits,
        }

    @property
    def description(self) -> str:
        """For the comment of the module."""
        if self.kind == "packed":
            return "s_data and m_data are the low bits of s_axis_tdata and m_axis_tdata."
        return (
            f"Residue k of a word is in bits {self.lane_bits} k ... {self.lane_bits} k + "
            f"{self.bits - 1} of TDATA;\n"
            "// the other bits are not read at s_axis, and are 0 at m_axis."
        )


def tdata_layout(top: StreamTop, kind: str) -> TdataLayout:
    """How the words of ``top`` lie in TDATA."""
    return TdataLayout(
        kind, top.bits, top.in_bits // top.bits, top.out_bits // top.bits, top.choice[1]
    )


def _wires(layout: TdataLayout) -> str:
    """Between TDATA and the words of the design."""
    bits, lane = layout.bits, layout.lane_bits
    if layout.kind == "packed":
        return f"""  assign s_data = s_axis_tdata[{layout.taken * bits - 1}:0];
  assign m_axis_tdata = {layout.out_bits}'(m_data);
"""
    text = "".join(
        f"  assign s_data[{f * bits}+:{bits}] = s_axis_tdata[{f * lane}+:{bits}];\n"
        for f in range(layout.taken)
    )
    lanes = [f"{lane}'(m_data[{f * bits}+:{bits}])" for f in range(layout.given)]
    joined = ",\n    ".join(reversed(lanes))
    return text + f"  assign m_axis_tdata = {layout.out_bits}'({{\n    {joined}}});\n"


#: How the ports of lite_ports reach the registers.
LITE_BUS = """.awaddr(s_axi_awaddr), .awvalid(s_axi_awvalid),
    .awready(s_axi_awready), .wdata(s_axi_wdata), .wstrb(s_axi_wstrb), .wvalid(s_axi_wvalid),
    .wready(s_axi_wready), .bresp(s_axi_bresp), .bvalid(s_axi_bvalid), .bready(s_axi_bready),
    .araddr(s_axi_araddr), .arvalid(s_axi_arvalid), .arready(s_axi_arready), .rdata(s_axi_rdata),
    .rresp(s_axi_rresp), .rvalid(s_axi_rvalid), .rready(s_axi_rready),"""


def lite_ports(awprot: str, arprot: str, address_bits: int = 6, first: str = "") -> str:
    """Clock, reset and the AXI4-Lite ports of a wrapper; both protections and `first` are lines."""
    return f"""  input  logic        aclk,
  input  logic        aresetn,  // synchronous
{first}  input  logic [{address_bits - 1}:0]  s_axi_awaddr,
{awprot}  input  logic        s_axi_awvalid,
  output logic        s_axi_awready,
  input  logic [31:0] s_axi_wdata,
  input  logic [3:0]  s_axi_wstrb,
  input  logic        s_axi_wvalid,
  output logic        s_axi_wready,
  output logic [1:0]  s_axi_bresp,
  output logic        s_axi_bvalid,
  input  logic        s_axi_bready,
  input  logic [{address_bits - 1}:0]  s_axi_araddr,
{arprot}  input  logic        s_axi_arvalid,
  output logic        s_axi_arready,
  output logic [31:0] s_axi_rdata,
  output logic [1:0]  s_axi_rresp,
  output logic        s_axi_rvalid,
  input  logic        s_axi_rready,
"""


def axi_module(top: StreamTop, size: int, lanes: int, limbs: int, tdata: str = "packed") -> str:
    """The design behind AXI4-Stream ports of whole bytes, with registers behind AXI4-Lite.

    Raises
    ------
    ParameterError
        If the register of the choice is too narrow, or ``tdata`` is none of ``TDATA``.
    """
    name, (choice, choice_bits, note) = top.name, top.choice
    if choice_bits > MAX_CHOICE_BITS:
        raise ParameterError(
            f"--axi: at most {1 << MAX_CHOICE_BITS} permutations can be chosen from"
        )
    layout = tdata_layout(top, tdata)
    data = f"  input  logic [{layout.in_bits - 1}:0] s_axis_tdata,\n"
    data = unread(data) if layout.in_bits > top.in_bits else data
    awprot, arprot = (
        unread(f"  input  logic [2:0]  s_axi_{way}prot,  // not used\n") for way in ("aw", "ar")
    )
    user = f"  input  logic [{choice_bits - 1}:0]  s_axis_tuser,  // {note}\n"
    user = unread(user) if "not used" in note else user
    return f"""// {name}_top with AXI4-Stream ports and registers behind AXI4-Lite.
// {layout.description}
// A frame's choice, such as its direction, is that of the control register or that of s_axis_tuser
// with its first word, bit by bit: leave one of both at 0.
module {name}_axi (
{lite_ports(awprot, arprot)}{data}{user}  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  input  logic        s_axis_tlast,
  output logic [{layout.out_bits - 1}:0] m_axis_tdata,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready,
  output logic        m_axis_tlast
);
  logic flush, error_last, error_range;
  logic [{choice_bits - 1}:0] choice;
  logic [{top.in_bits - 1}:0] s_data;
  logic [{top.out_bits - 1}:0] m_data;
{_wires(layout)}
  nttf_axi_lite #(
    .WORDS({top.words}), .SIZE({size}), .LANES({lanes}), .LIMBS({limbs}),
    .BITS({top.bits}), .CHOICE_BITS({choice_bits})
  ) u_registers (
    .clk(aclk), .reset(!aresetn), {LITE_BUS}
    .takes(s_axis_tvalid && s_axis_tready), .gives(m_axis_tvalid && m_axis_tready),
    .error_last(error_last), .error_range(error_range), .flush(flush), .choice(choice));

  {name}_top u_top (
    .clk(aclk), .reset(!aresetn), .flush(flush), .s_valid(s_axis_tvalid), .s_ready(s_axis_tready),
    .{choice}(choice | s_axis_tuser), .s_last(s_axis_tlast), .s_data(s_data),
    .m_valid(m_axis_tvalid), .m_ready(m_axis_tready), .m_last(m_axis_tlast), .m_data(m_data),
    .error_last(error_last), .error_range(error_range));
endmodule
"""
