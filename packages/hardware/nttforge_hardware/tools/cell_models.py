# SPDX-License-Identifier: Apache-2.0
"""Cells of netlists, for simulation: Yosys's own models, and ours of block memories.

Yosys's models come with it (ISC licence). Of block memories it has the ports alone; these are
written from the descriptions of the blocks, around ``cell_block_memory.sv``.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable
from pathlib import Path

from nttforge.errors import UnsupportedError

from ..emit.modules import module_folder
from .programs import INSTALL

#: Where Yosys's models are, by family.
_FILES = {
    "xc7": ("xilinx/cells_sim.v",),
    "ecp5": ("ecp5/common_sim.vh", "ecp5/ccu2c_sim.vh", "ecp5/cells_sim.v"),
}
_LICENCE = "// From Yosys (Claire Xenia Wolf and others), under the ISC licence.\n"
_MODULE = re.compile(r"^module (\w+)\b.*?^endmodule", re.MULTILINE | re.DOTALL)
_TIMES = re.compile(r"^\s*specify$.*?^\s*endspecify$", re.MULTILINE | re.DOTALL)
_INSTANCE = re.compile(r"^\s*(\w+)\s*(?:#|\w+\s*\()", re.MULTILINE)


def yosys_cells(family: str, names: Iterable[str]) -> str:
    """Yosys's models of cells, with those that they instantiate and without their delays.

    Raises
    ------
    UnsupportedError
        If Yosys (pyosys) is missing or has no model of a cell.
    """
    spec = importlib.util.find_spec("pyosys")
    if spec is None or not spec.submodule_search_locations:
        raise UnsupportedError(f"this needs Yosys, the pyosys package: {INSTALL}")
    share = Path(next(iter(spec.submodule_search_locations))) / "share"
    text = "\n".join((share / name).read_text(encoding="utf-8") for name in _FILES[family])
    found = {match[1]: match[0] for match in _MODULE.finditer(text)}
    wanted, kept = list(names), dict[str, str]()
    while wanted:
        name = wanted.pop()
        if name in kept:
            continue
        if name not in found:
            raise UnsupportedError(f"Yosys has no model of {name}, which is in the netlist")
        kept[name] = _TIMES.sub("", found[name])
        wanted += [other for other in _INSTANCE.findall(kept[name]) if other in found]
    return _LICENCE + "\n".join(kept[name] for name in sorted(kept)) + "\n"


def memory_cells(names: Iterable[str]) -> str:
    """Models of the block memories among ``names``."""
    chosen = [MEMORIES[name] for name in sorted(set(names) & set(MEMORIES))]
    common = (module_folder("testbench") / "cell_block_memory.sv").read_text(encoding="utf-8")
    return "\n".join([common, *chosen]) if chosen else ""


def _listed(pattern: str, count: int) -> str:
    return ", ".join(pattern.format(i) for i in range(count))


def _joined(pattern: str, count: int) -> str:
    """A word of so many parts, the last one highest."""
    return "{" + ", ".join(pattern.format(i) for i in reversed(range(count))) + "}"


def _wires(port: str, count: int) -> str:
    return _joined(f"{port}{{}}", count)


def _xilinx(name: str, halves: int) -> str:
    """RAMB18E1 (``halves`` = 1) or RAMB36E1 (2), whose SDP mode reads at A and writes at B."""
    data, units, inits = 16 * halves, 2048 * halves, 64 * halves
    bytes_of, address = 2 * halves, 13 if halves == 1 else 15
    more, named = "", ""
    if halves == 2:
        more = (
            "  input CASCADEINA, CASCADEINB, INJECTDBITERR, INJECTSBITERR,\n"
            "  output CASCADEOUTA, CASCADEOUTB, DBITERR, SBITERR,\n"
            "  output [7:0] ECCPARITY, output [8:0] RDADDRECC,\n"
        )
        named = (
            '  parameter EN_ECC_READ = "FALSE", EN_ECC_WRITE = "FALSE";\n'
            '  parameter RAM_EXTENSION_A = "NONE", RAM_EXTENSION_B = "NONE";\n'
        )
    port = {
        what: _joined(f"{parity}[{{0}}], {word}[8*{{0}}+:8]", bytes_of)
        for what, parity, word in (
            ("a_in", "DIPADIP", "DIADI"),
            ("b_in", "DIPBDIP", "DIBDI"),
            ("a_out", "DOPADOP", "DOADO"),
            ("b_out", "DOPBDOP", "DOBDO"),
        )
    }
    wide = 9 * bytes_of
    return f"""
module {name} (
  input CLKARDCLK, CLKBWRCLK, ENARDEN, ENBWREN, REGCEAREGCE, REGCEB,
  input RSTRAMARSTRAM, RSTRAMB, RSTREGARSTREG, RSTREGB,
{more}  input [{address}:0] ADDRARDADDR, ADDRBWRADDR,
  input [{data - 1}:0] DIADI, DIBDI, input [{bytes_of - 1}:0] DIPADIP, DIPBDIP,
  input [{bytes_of - 1}:0] WEA, input [{2 * bytes_of - 1}:0] WEBWE,
  output [{data - 1}:0] DOADO, DOBDO, output [{bytes_of - 1}:0] DOPADOP, DOPBDOP
);
  parameter integer DOA_REG = 0, DOB_REG = 0;
  parameter integer READ_WIDTH_A = 0, READ_WIDTH_B = 0, WRITE_WIDTH_A = 0, WRITE_WIDTH_B = 0;
  parameter RAM_MODE = "TDP", WRITE_MODE_A = "WRITE_FIRST", WRITE_MODE_B = "WRITE_FIRST";
  parameter RDADDR_COLLISION_HWCONFIG = "DELAYED_WRITE", SIM_COLLISION_CHECK = "ALL";
  parameter RSTREG_PRIORITY_A = "RSTREG", RSTREG_PRIORITY_B = "RSTREG", SIM_DEVICE = "7SERIES";
  parameter SRVAL_A = 0, SRVAL_B = 0, IS_CLKARDCLK_INVERTED = 0, IS_CLKBWRCLK_INVERTED = 0;
  parameter IS_ENARDEN_INVERTED = 0, IS_ENBWREN_INVERTED = 0, IS_RSTRAMARSTRAM_INVERTED = 0;
  parameter IS_RSTRAMB_INVERTED = 0, IS_RSTREGARSTREG_INVERTED = 0, IS_RSTREGB_INVERTED = 0;
{named}  parameter [255:0] {_listed("INIT_{:02X} = 0", inits)};
  parameter [255:0] {_listed("INITP_{:02X} = 0", inits // 8)};
  localparam [{256 * inits - 1}:0] FIRST = {_joined("INIT_{:02X}", inits)};
  localparam [{32 * inits - 1}:0] PARITY = {_joined("INITP_{:02X}", inits // 8)};
  localparam SDP = RAM_MODE == "SDP";
  wire [71:0] a_out, b_out;
  wire [{wide - 1}:0] a_in = {port["a_in"]};
  wire [{wide - 1}:0] b_in = {port["b_in"]};
  wire [71:0] b_both = SDP ? {{b_in, a_in}} : b_in;
  wire [15:0] a_at = ADDRARDADDR[{12 + halves}:0], b_at = ADDRBWRADDR[{12 + halves}:0];
  wire [7:0] a_write = SDP ? 0 : WEA, b_write = WEBWE;
  wire [71:0] a_alone = a_in;
  cell_block_memory #(
    .UNITS({units}), .A_READ(READ_WIDTH_A), .A_WRITE(WRITE_WIDTH_A), .B_READ(READ_WIDTH_B),
    .B_WRITE(WRITE_WIDTH_B), .A_FIRST(WRITE_MODE_A == "READ_FIRST"),
    .B_FIRST(WRITE_MODE_B == "READ_FIRST")
  ) u_memory (
    .a_clk(CLKARDCLK), .b_clk(CLKBWRCLK), .a_enable(ENARDEN), .b_enable(ENBWREN),
    .a_address(a_at), .b_address(b_at), .a_write(a_write), .b_write(b_write),
    .a_in(a_alone), .b_in(b_both), .a_out(a_out), .b_out(b_out));
  assign {port["a_out"]} = a_out[{wide - 1}:0];
  assign {port["b_out"]} = SDP ? a_out[{2 * wide - 1}:{wide}] : b_out[{wide - 1}:0];
  integer i;
  initial begin
    if (DOA_REG + DOB_REG + IS_CLKARDCLK_INVERTED + IS_CLKBWRCLK_INVERTED + IS_ENARDEN_INVERTED
        + IS_ENBWREN_INVERTED != 0) $fatal(1, "{name}: a register or an edge without a model");
    for (i = 0; i < {units}; i = i + 1) u_memory.units[i] = {{PARITY[i], FIRST[8*i+:8]}};
  end
endmodule
"""


def _lattice() -> str:
    """DP16KD of ECP5; a word of 36 bits goes through the pins of both ports and is read at B."""
    inputs = [_listed(f"{kind}{side}{{}}", count) for side in "AB" for kind, count in _LATTICE]
    control = ", ".join(
        f"CLK{side}, CE{side}, OCE{side}, WE{side}, RST{side}, CS{side}0, CS{side}1, CS{side}2"
        for side in "AB"
    )
    bytes_of = "{0} == 36 ? {1}[3:0] : {0} == 18 ? {1}[1:0] : 1"
    return f"""
module DP16KD (
  input {", ".join(inputs)},
  input {control},
  output {_listed("DOA{}", 18)},
  output {_listed("DOB{}", 18)}
);
  parameter integer DATA_WIDTH_A = 18, DATA_WIDTH_B = 18;
  parameter REGMODE_A = "NOREG", REGMODE_B = "NOREG", CLKAMUX = "CLKA", CLKBMUX = "CLKB";
  parameter WRITEMODE_A = "NORMAL", WRITEMODE_B = "NORMAL", RESETMODE = "SYNC", GSR = "ENABLED";
  parameter ASYNC_RESET_RELEASE = "SYNC", CSDECODE_A = "0b000", CSDECODE_B = "0b000";
  parameter [319:0] {_listed("INITVAL_{:02X} = 0", 64)};
  localparam [64*320-1:0] FIRST = {_joined("INITVAL_{:02X}", 64)};
  localparam BOTH = DATA_WIDTH_A == 36 || DATA_WIDTH_B == 36;
  wire [17:0] a_in = {_wires("DIA", 18)};
  wire [17:0] b_in = {_wires("DIB", 18)};
  wire [15:0] a_at = {_wires("ADA", 14)};
  wire [15:0] b_at = {_wires("ADB", 14)};
  wire [7:0] a_write = WEA ? {bytes_of.format("DATA_WIDTH_A", "a_at")} : 0;
  wire [7:0] b_write = WEB ? {bytes_of.format("DATA_WIDTH_B", "b_at")} : 0;
  wire [71:0] a_both = {{b_in, a_in}}, b_alone = b_in;
  wire [71:0] a_read, b_read;
  cell_block_memory #(
    .A_READ(DATA_WIDTH_A), .A_WRITE(DATA_WIDTH_A), .B_READ(DATA_WIDTH_B), .B_WRITE(DATA_WIDTH_B),
    .A_FIRST(WRITEMODE_A == "READBEFOREWRITE"), .B_FIRST(WRITEMODE_B == "READBEFOREWRITE")
  ) u_memory (
    .a_clk(CLKA), .b_clk(CLKB), .a_enable(CEA), .b_enable(CEB), .a_address(a_at), .b_address(b_at),
    .a_write(a_write), .b_write(b_write), .a_in(a_both), .b_in(b_alone),
    .a_out(a_read), .b_out(b_read));
  reg [35:0] a_held, b_held;
  always @(posedge CLKA) if (OCEA) a_held <= a_read[35:0];
  always @(posedge CLKB) if (OCEB) b_held <= b_read[35:0];
  wire [35:0] a_out = REGMODE_A == "OUTREG" ? a_held : a_read[35:0];
  wire [35:0] b_out = REGMODE_B == "OUTREG" ? b_held : b_read[35:0];
  assign {_wires("DOA", 18)} = BOTH ? b_out[17:0] : a_out[17:0];
  assign {_wires("DOB", 18)} = BOTH ? b_out[35:18] : b_out[17:0];
  integer i;
  initial begin
    if (CLKAMUX == "INV" || CLKBMUX == "INV" || (BOTH && DATA_WIDTH_A != DATA_WIDTH_B))
      $fatal(1, "DP16KD: an edge or widths without a model");
    for (i = 0; i < 2048; i = i + 1) u_memory.units[i] = FIRST[20*(i/2)+9*(i%2)+:9];
  end
endmodule
"""


_LATTICE = (("AD", 14), ("DI", 18))

#: Block memories that ``memory_cells`` has.
MEMORIES = {
    "RAMB18E1": _xilinx("RAMB18E1", 1),
    "RAMB36E1": _xilinx("RAMB36E1", 2),
    "DP16KD": _lattice(),
}
