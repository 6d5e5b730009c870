// SPDX-License-Identifier: Apache-2.0
// Gives (a + b) / 2 mod q for a, b in [0, q) and q odd: half of s = a + b if s is even, else of s + q or
// s - q, whichever has a half in [0, q).
// Latency: REGS (0 or 1) cycles, between the sum and its correction.
module nttf_modular_half #(
  parameter int DATA_BITS = 30,
  parameter int REGS      = 0
) (
  input  logic                 clk,
  input  logic                 enable,
  input  logic [DATA_BITS-1:0] q,
  input  logic [DATA_BITS-1:0] a,
  input  logic [DATA_BITS-1:0] b,
  output logic [DATA_BITS-1:0] half
);
  logic [DATA_BITS:0]   lazy;  // [0, 2q)
  // verilator lint_off UNUSEDSIGNAL
  logic [DATA_BITS+1:0] less, more, even;  // a half has neither the sign nor bit 0
  // verilator lint_on UNUSEDSIGNAL
  nttf_delay #(.WIDTH(DATA_BITS + 1), .DEPTH(REGS)) u_lazy (
    .clk(clk), .enable(enable), .in_data({1'b0, a} + {1'b0, b}), .out_data(lazy));
  assign less = {1'b0, lazy} - {2'b00, q};
  assign more = {1'b0, lazy} + {2'b00, q};
  assign even = !lazy[0] ? {1'b0, lazy} : less[DATA_BITS+1] ? more : less;
  assign half = even[DATA_BITS:1];
endmodule
