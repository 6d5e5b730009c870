// SPDX-License-Identifier: Apache-2.0
// One tile of a product: unsigned a * b for one multiplier block, as synthesis infers it.
// Latency: INPUT_REGS + 1 + PRODUCT_REGS cycles.
module nttf_tile #(
  parameter int A_BITS     = 26,
  parameter int B_BITS     = 17,
  parameter int INPUT_REGS = 0,
  parameter int PRODUCT_REGS = 0
) (
  input  logic                     clk,
  input  logic                     enable,
  input  logic [A_BITS-1:0]        a,
  input  logic [B_BITS-1:0]        b,
  output logic [A_BITS+B_BITS-1:0] product
);
  logic [A_BITS-1:0] a_in;
  logic [B_BITS-1:0] b_in;
  nttf_delay #(.WIDTH(A_BITS), .DEPTH(INPUT_REGS)) u_a_in (
    .clk(clk), .enable(enable), .in_data(a), .out_data(a_in));
  nttf_delay #(.WIDTH(B_BITS), .DEPTH(INPUT_REGS)) u_b_in (
    .clk(clk), .enable(enable), .in_data(b), .out_data(b_in));
  logic [A_BITS+B_BITS-1:0] first;
  always_ff @(posedge clk)
    if (enable) first <= (A_BITS+B_BITS)'(a_in) * (A_BITS+B_BITS)'(b_in);
  nttf_delay #(.WIDTH(A_BITS + B_BITS), .DEPTH(PRODUCT_REGS)) u_product (
    .clk(clk), .enable(enable), .in_data(first), .out_data(product));
endmodule
