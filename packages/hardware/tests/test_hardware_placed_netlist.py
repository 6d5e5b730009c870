# SPDX-License-Identifier: Apache-2.0
"""What is placed on ECP5, cell by cell, runs through the design's own testbench."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from marks import needs

from nttforge_hardware import HardwareParameters, plan_design
from nttforge_hardware.emit.files import design_files, write_design
from nttforge_hardware.plan.devices import device_pipeline
from nttforge_hardware.tools.place import write_netlist
from nttforge_hardware.tools.programs import run_yosys
from nttforge_hardware.tools.simulate import read_verdicts
from nttforge_hardware.tools.synthesis import netlist_ecp5
from nttforge_hardware.tools.verilate import build_program

_DECLARED = "\n".join(f"  parameter logic [319:0] INITVAL_{i:02X} = '0;" for i in range(64))
_LISTED = ", ".join(f"INITVAL_{i:02X}" for i in reversed(range(64)))


def _pins(name: str, count: int) -> str:
    return ", ".join(f"{name}{i}" for i in range(count))


def _word(name: str, count: int) -> str:
    return "{" + ", ".join(f"{name}{i}" for i in reversed(range(count))) + "}"


#: Cells as the data sheet describes them. The memory is written by port A and read by port B, in
#: words of 36 bits.
_CELLS = f"""
module LUT4 (input A, B, C, D, output Z);
  parameter logic [15:0] INIT = 0;
  assign Z = INIT[{{D, C, B, A}}];
endmodule
module PFUMX (input ALUT, BLUT, C0, output Z);
  assign Z = C0 ? ALUT : BLUT;
endmodule
module L6MUX21 (input D0, D1, SD, output Z);
  assign Z = SD ? D1 : D0;
endmodule
module CCU2C (input CIN, A0, B0, C0, D0, A1, B1, C1, D1, output S0, S1, COUT);
  parameter logic [15:0] INIT0 = 0, INIT1 = 0;
  parameter INJECT1_0 = "YES", INJECT1_1 = "YES";
  wire p0 = INIT0[{{D0, C0, B0, A0}}], p1 = INIT1[{{D1, C1, B1, A1}}];
  wire c0 = p0 ? CIN : (INJECT1_0 == "YES" ? 1'b0 : INIT0[{{2'b00, B0, A0}}]);
  assign S0 = p0 ^ (INJECT1_0 == "YES" ? 1'b0 : CIN);
  assign S1 = p1 ^ (INJECT1_1 == "YES" ? 1'b0 : c0);
  assign COUT = p1 ? c0 : (INJECT1_1 == "YES" ? 1'b0 : INIT1[{{2'b00, B1, A1}}]);
endmodule
module TRELLIS_FF (input CLK, LSR, CE, DI, output reg Q);
  parameter GSR = "", CEMUX = "1", CLKMUX = "CLK", LSRMUX = "LSR", SRMODE = "", REGSET = "RESET";
  initial if (CLKMUX != "CLK" || LSRMUX != "LSR" || SRMODE == "ASYNC") $fatal(1, "unknown mode");
  always @(posedge CLK)
    if (LSR) Q <= REGSET == "SET";
    else if (CEMUX == "1" || (CEMUX == "INV" ? !CE : CE)) Q <= DI;
endmodule
module TRELLIS_DPR16X4 (input [3:0] DI, WAD, RAD, input WRE, WCK, output [3:0] DO);
  parameter WCKMUX = "WCK", WREMUX = "WRE";
  parameter logic [63:0] INITVAL = 0;
  reg [3:0] words[16];
  always @(posedge WCK) if (WREMUX == "INV" ? !WRE : WRE) words[WAD] <= DI;
  assign DO = words[RAD];
endmodule
module DP16KD (
  input {_pins("ADA", 14)}, {_pins("ADB", 14)}, {_pins("DIA", 18)}, {_pins("DIB", 18)},
  input CLKA, CEA, OCEA, WEA, RSTA, CSA0, CSA1, CSA2, CLKB, CEB, OCEB, WEB, RSTB, CSB0, CSB1, CSB2,
  output {_pins("DOA", 18)}, {_pins("DOB", 18)}
);
  parameter logic [31:0] DATA_WIDTH_A = 36, DATA_WIDTH_B = 36;
  parameter REGMODE_A = "NOREG", REGMODE_B = "NOREG", RESETMODE = "", ASYNC_RESET_RELEASE = "";
  parameter CSDECODE_A = "", CSDECODE_B = "", CLKAMUX = "", CLKBMUX = "", GSR = "";
  parameter WRITEMODE_A = "NORMAL", WRITEMODE_B = "NORMAL";
{_DECLARED}
  localparam logic [64*320-1:0] FIRST = {{{_LISTED}}};
  reg [35:0] words[512];
  reg [35:0] read, held;
  wire [8:0] wrote = {_word("ADA", 14)} >> 5, at = {_word("ADB", 14)} >> 5;
  wire [3:0] bytes = {_word("ADA", 4)};
  initial begin
    if (DATA_WIDTH_A != 36 || DATA_WIDTH_B != 36) $fatal(1, "a width that is not modelled");
    if (CLKAMUX == "INV" || CLKBMUX == "INV") $fatal(1, "an edge that is not modelled");
    for (int i = 0; i < 512; i = i + 1)
      words[i] = {{FIRST[(2*i+1)*20+:18], FIRST[2*i*20+:18]}};
  end
  always @(posedge CLKA)
    if (CEA && WEA)
      for (int i = 0; i < 4; i = i + 1)
        if (bytes[i])
          words[wrote][9*i+:9] <= 9'({{{_word("DIB", 18)}, {_word("DIA", 18)}}} >> (9 * i));
  // A word that is written in the same cycle is not what anybody may rely on.
  wire taken = CEA && WEA && bytes != 0 && wrote == at;
  always @(posedge CLKB) begin
    if (CEB) read <= taken ? ~words[at] : words[at];
    if (OCEB) held <= read;
  end
  wire [35:0] given = REGMODE_B == "OUTREG" ? held : read;
  assign {{{_pins("DOB", 18)}}} = {{<<{{given[35:18]}}}};
  assign {{{_pins("DOA", 18)}}} = {{<<{{given[17:0]}}}};
endmodule
"""


@needs("verilator", "pyosys")
@pytest.mark.full
def test_the_placed_netlist_transforms(tmp_path: Path) -> None:
    shape = HardwareParameters(
        n=128, moduli=(1073707009,), direction="both", dp=2, pp=1, pipeline=device_pipeline("ecp5")
    )
    design = plan_design(shape)
    write_design(design_files(design, sets=1), tmp_path)
    netlist = tmp_path / "netlist.json"
    write_netlist(netlist_ecp5(tmp_path, "ntt_top", tmp_path), "ntt_top", netlist, tmp_path)
    cells = json.loads(netlist.read_text())["modules"]["ntt_top"]["cells"].values()
    memories = [cell for cell in cells if cell["type"] == "DP16KD"]
    assert memories and all(c["parameters"]["REGMODE_B"] == "OUTREG" for c in memories)

    run_yosys([f"read_json {netlist}", f"write_verilog -noattr {tmp_path}/netlist.v"])
    (tmp_path / "cells.sv").write_text(_CELLS)
    files = ["netlist.v", "cells.sv", "models/MULT18X18D.sv", "testbench/ntt_check.sv"]
    files += ["testbench/ntt_testbench.sv", "-Itestbench"]
    program = build_program(tmp_path, tmp_path / "build", "ntt_testbench", files, [])
    ran = subprocess.run([program], cwd=tmp_path, capture_output=True, text=True)
    said = read_verdicts(ran.stdout, ["ntt_testbench"])["ntt_testbench"]
    assert all(result.passed for result in said.values()), said
    # The testbench has compared every word and, without pauses, every predicted cycle.
