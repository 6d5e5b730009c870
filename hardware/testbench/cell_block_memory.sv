// SPDX-License-Identifier: Apache-2.0
// What block memories of FPGAs have in common, for simulations of netlists: two ports on words of nine bits,
// *_READ and *_WRITE bits wide, multiples of nine or 0. An address counts bits, of which a byte has eight, as
// the blocks have it. What is read where the other port writes in the same cycle is inverted, unless that
// port reads first (*_FIRST = 1): nobody may rely on it.
module cell_block_memory #(
  parameter int UNITS = 2048,
  parameter int A_READ = 0, A_WRITE = 0, B_READ = 0, B_WRITE = 0,
  parameter int A_FIRST = 0, B_FIRST = 0
) (
  input  logic        a_clk, b_clk, a_enable, b_enable,
  input  logic [15:0] a_address, b_address,
  input  logic [7:0]  a_write, b_write,
  input  logic [71:0] a_in, b_in,
  output logic [71:0] a_out, b_out
);
  // Words of a port's width, at least one so that nothing is divided by zero.
  localparam int AR = (A_READ < 9) ? 1 : A_READ / 9;
  localparam int AW = (A_WRITE < 9) ? 1 : A_WRITE / 9;
  localparam int BR = (B_READ < 9) ? 1 : B_READ / 9;
  localparam int BW = (B_WRITE < 9) ? 1 : B_WRITE / 9;
  localparam int NARROW = A_READ % 9 + A_WRITE % 9 + B_READ % 9 + B_WRITE % 9;
  logic [8:0] units[UNITS];
  initial if (NARROW != 0) $fatal(1, "words of less than nine bits have no model");

  integer a_from, a_to, b_from, b_to;
  assign a_from = a_address / 8 / AR * AR;
  assign a_to   = a_address / 8 / AW * AW;
  assign b_from = b_address / 8 / BR * BR;
  assign b_to   = b_address / 8 / BW * BW;

  // Whether a port writes a unit that the other one reads in this cycle.
  logic a_hides, b_hides;
  assign a_hides = a_enable && a_write != '0 && A_FIRST == 0;
  assign b_hides = b_enable && b_write != '0 && B_FIRST == 0;

  always @(posedge a_clk)
    if (a_enable) begin
      for (int i = 0; i < AR; i = i + 1)
        if (b_hides && a_from + i >= b_to && a_from + i < b_to + BW) a_out[9*i+:9] <= ~units[a_from+i];
        else a_out[9*i+:9] <= units[a_from+i];
      for (int i = 0; i < AW; i = i + 1)
        if (a_write[i]) units[a_to+i] <= a_in[9*i+:9];
    end
  always @(posedge b_clk)
    if (b_enable) begin
      for (int i = 0; i < BR; i = i + 1)
        if (a_hides && b_from + i >= a_to && b_from + i < a_to + AW) b_out[9*i+:9] <= ~units[b_from+i];
        else b_out[9*i+:9] <= units[b_from+i];
      for (int i = 0; i < BW; i = i + 1)
        if (b_write[i]) units[b_to+i] <= b_in[9*i+:9];
    end
endmodule
