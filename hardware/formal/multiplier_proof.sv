// SPDX-License-Identifier: Apache-2.0
// The tiled multiplier gives a b mod 2^OUT_BITS, INPUT_REGS + 1 + SUM_REGS cycles later.
module multiplier_proof #(
  parameter int A_BITS     = 8,
  parameter int B_BITS     = 8,
  parameter int OUT_BITS   = 16,
  parameter int INPUT_REGS = 1,
  parameter int SUM_REGS   = 1,
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT
) (
  input logic              clk,
  input logic [A_BITS-1:0] a,
  input logic [B_BITS-1:0] b
);
  logic [OUT_BITS-1:0] product, wanted;
  logic [7:0]          cycle = '0;
  nttf_multiplier #(
    .A_BITS(A_BITS), .B_BITS(B_BITS), .OUT_BITS(OUT_BITS), .INPUT_REGS(INPUT_REGS),
    .SUM_REGS(SUM_REGS), .CORE(CORE)
  ) u_multiplier (.clk(clk), .enable(1'b1), .a(a), .b(b), .product(product));
  always_ff @(posedge clk) begin
    cycle <= cycle + 1'b1;
    if (cycle == '0) wanted <= OUT_BITS'((A_BITS+B_BITS)'(a) * (A_BITS+B_BITS)'(b));
  end
  always_comb if (cycle == 8'(INPUT_REGS + 1 + SUM_REGS)) assert (product == wanted);
endmodule
