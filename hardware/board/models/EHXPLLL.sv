// SPDX-License-Identifier: Apache-2.0
// EHXPLLL of ECP5 for simulation of the SoC only: its input is handed on as every clock, so that time counts in
// cycles of the system, whatever its frequency. LOCK comes after eight of them.
module EHXPLLL #(
  parameter int CLKFB_DIV     = 1,
  parameter int CLKI_DIV      = 1,
  parameter int CLKOP_CPHASE  = 0,
  parameter int CLKOP_DIV     = 1,
  parameter     CLKOP_ENABLE  = "ENABLED",
  parameter int CLKOP_FPHASE  = 0,
  parameter int CLKOS_CPHASE  = 0,
  parameter int CLKOS_DIV     = 1,
  parameter     CLKOS_ENABLE  = "ENABLED",
  parameter int CLKOS_FPHASE  = 0,
  parameter     FEEDBK_PATH   = "CLKOP"
) (
  input  logic CLKI,
  input  logic RST,
  input  logic STDBY,
  output logic CLKOP,
  output logic CLKOS,
  output logic LOCK
);
  logic [3:0] passed = '0;
  assign CLKOP = CLKI;
  assign CLKOS = CLKI;
  assign LOCK  = passed[3];
  always_ff @(posedge CLKI or posedge RST) begin
    if (RST) passed <= '0;
    else if (!passed[3]) passed <= passed + 1'b1;
  end
endmodule
