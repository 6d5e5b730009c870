// SPDX-License-Identifier: Apache-2.0
// Gives a - b mod q for a, b in [0, q).
// Latency: REGS (0 or 1) cycles, between the difference and its correction.
module nttf_modular_subtract #(
  parameter int DATA_BITS = 30,
  parameter int REGS      = 0
) (
  input  logic                 clk,
  input  logic                 enable,
  input  logic [DATA_BITS-1:0] q,
  input  logic [DATA_BITS-1:0] a,
  input  logic [DATA_BITS-1:0] b,
  output logic [DATA_BITS-1:0] difference
);
  logic [DATA_BITS:0] lazy;  // (-q, q)
  nttf_delay #(.WIDTH(DATA_BITS + 1), .DEPTH(REGS)) u_lazy (
    .clk(clk), .enable(enable), .in_data({1'b0, a} - {1'b0, b}), .out_data(lazy));
  assign difference = lazy[DATA_BITS-1:0] + (lazy[DATA_BITS] ? q : '0);
endmodule
