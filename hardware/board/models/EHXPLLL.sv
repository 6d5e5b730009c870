// SPDX-License-Identifier: Apache-2.0
// EHXPLLL of ECP5 for simulation of the SoC only: its input is handed on as CLKOP, the fastest clock, so that
// time counts in its cycles, whatever its frequency. CLKOS is as much slower as its divider is larger than
// CLKOP's. CLKOS2 is for feedback only. LOCK comes after eight cycles.
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
  parameter int CLKOS2_CPHASE = 0,
  parameter int CLKOS2_DIV    = 1,
  parameter     CLKOS2_ENABLE = "ENABLED",
  parameter int CLKOS2_FPHASE = 0,
  parameter     FEEDBK_PATH   = "CLKOP"
) (
  input  logic CLKI,
  input  logic RST,
  input  logic STDBY,
  output logic CLKOP,
  output logic CLKOS,
  output logic CLKOS2,
  output logic LOCK
);
  logic [3:0] passed = '0;
  assign CLKOP = CLKI;
  assign CLKOS2 = 1'b0;
  generate
    if (CLKOS_DIV == CLKOP_DIV) begin : gen_same
      assign CLKOS = CLKI;
    end else begin : gen_slower
      // Half a period of CLKOS is CLKOS_DIV / CLKOP_DIV of CLKI's, rounded to its edges.
      logic slow = 1'b0;
      int   phase = 0;
      assign CLKOS = slow;
      always @(posedge CLKI or negedge CLKI) begin
        if (phase + CLKOP_DIV >= CLKOS_DIV) slow <= !slow;
        phase <= (phase + CLKOP_DIV >= CLKOS_DIV) ? phase + CLKOP_DIV - CLKOS_DIV : phase + CLKOP_DIV;
      end
    end
  endgenerate
  assign LOCK  = passed[3];
  always_ff @(posedge CLKI or posedge RST) begin
    if (RST) passed <= '0;
    else if (!passed[3]) passed <= passed + 1'b1;
  end
endmodule
