// SPDX-License-Identifier: Apache-2.0
// Gives a + b mod q for a, b in [0, q).
// Latency: REGS (0 or 1) cycles, between the sum and its correction.
module nttf_modular_add #(
  parameter int DATA_BITS = 30,
  parameter int REGS      = 0
) (
  input  logic                 clk,
  input  logic                 enable,
  input  logic [DATA_BITS-1:0] q,
  input  logic [DATA_BITS-1:0] a,
  input  logic [DATA_BITS-1:0] b,
  output logic [DATA_BITS-1:0] sum
);
  logic [DATA_BITS:0]   lazy;  // [0, 2q)
  logic [DATA_BITS+1:0] less;
  nttf_delay #(.WIDTH(DATA_BITS + 1), .DEPTH(REGS)) u_lazy (
    .clk(clk), .enable(enable), .in_data({1'b0, a} + {1'b0, b}), .out_data(lazy));
  assign less = {1'b0, lazy} - {2'b00, q};
  assign sum  = less[DATA_BITS+1] ? lazy[DATA_BITS-1:0] : less[DATA_BITS-1:0];
endmodule
