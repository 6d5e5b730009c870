// SPDX-License-Identifier: Apache-2.0
// The product of two residues, or with PARTS = 2 of two numbers a0 + a1 i (part 0 in the lower half).
// Latency: that of nttf_modular_multiplier or nttf_complex_multiplier, whose parameters these are.
module nttf_product #(
  parameter int PARTS       = 1,
  parameter int CORE        = 0,
  parameter int DATA_BITS   = 30,
  parameter int INPUT_REGS  = 1,
  parameter int SUM_REGS    = 1,
  parameter int ADD_REGS    = 0,
  parameter int REDUCTION_REGS = 0,
  parameter int TILE_A      = 26,
  parameter int TILE_B      = 17,
  parameter int LUT_BITS    = 2,
  parameter int DIGIT_BITS  = 15,
  parameter int STEPS       = 2,
  parameter int TWO_ADICITY = 13,
  parameter int I           = 30,
  parameter int J           = 18,
  parameter int SIGN_J      = -1,
  parameter int SIGN_0      = 1,
  parameter int TREE_REGS   = 2,
  parameter int OPERANDS    = 1,
  parameter logic [OPERANDS*(DATA_BITS+1)*7-1:0] SOURCES = '1,
  parameter logic [OPERANDS-1:0]                 SIGNS   = '0
) (
  input  logic                       clk,
  input  logic                       enable,
  input  logic [DATA_BITS-1:0]       q,
  input  logic [DATA_BITS+3:0]       constant,
  input  logic [PARTS*DATA_BITS-1:0] a,
  input  logic [PARTS*DATA_BITS-1:0] b,
  output logic [PARTS*DATA_BITS-1:0] product
);
  generate
    if (PARTS == 1) begin : gen_real
      nttf_modular_multiplier #(
        .CORE(CORE), .DATA_BITS(DATA_BITS), .INPUT_REGS(INPUT_REGS), .SUM_REGS(SUM_REGS),
        .REDUCTION_REGS(REDUCTION_REGS), .TILE_A(TILE_A), .TILE_B(TILE_B), .LUT_BITS(LUT_BITS),
        .DIGIT_BITS(DIGIT_BITS), .STEPS(STEPS), .TWO_ADICITY(TWO_ADICITY),
        .I(I), .J(J), .SIGN_J(SIGN_J), .SIGN_0(SIGN_0), .TREE_REGS(TREE_REGS),
        .OPERANDS(OPERANDS), .SOURCES(SOURCES), .SIGNS(SIGNS)
      ) u_product (
        .clk(clk), .enable(enable), .q(q), .constant(constant),
        .a(a), .b(b), .product(product));
    end else begin : gen_complex
      nttf_complex_multiplier #(
        .CORE(CORE), .DATA_BITS(DATA_BITS), .INPUT_REGS(INPUT_REGS), .SUM_REGS(SUM_REGS),
        .ADD_REGS(ADD_REGS), .REDUCTION_REGS(REDUCTION_REGS),
        .TILE_A(TILE_A), .TILE_B(TILE_B), .LUT_BITS(LUT_BITS),
        .DIGIT_BITS(DIGIT_BITS), .STEPS(STEPS), .TWO_ADICITY(TWO_ADICITY),
        .I(I), .J(J), .SIGN_J(SIGN_J), .SIGN_0(SIGN_0), .TREE_REGS(TREE_REGS),
        .OPERANDS(OPERANDS), .SOURCES(SOURCES), .SIGNS(SIGNS)
      ) u_product (
        .clk(clk), .enable(enable), .q(q), .constant(constant),
        .a(a), .b(b), .product(product));
    end
  endgenerate
endmodule
