// SPDX-License-Identifier: Apache-2.0
// a * b mod q for a, b in [0, q), one of three reductions behind one tiled product.
//   CORE 0  word-level Montgomery: gives a * b * 2^(-STEPS*DIGIT_BITS) mod q, so b carries that factor
//   CORE 1  Barrett, any q of exactly DATA_BITS bits
//   CORE 2  Solinas, q = 2^I + SIGN_J 2^J + SIGN_0
// `constant` is q^-1 mod 2^DIGIT_BITS (CORE 0) or floor(2^(2 DATA_BITS + 3) / q) (CORE 1).
// Latency: INPUT_REGS + 1 + SUM_REGS + that of the reduction.
module nttf_modular_multiplier #(
  parameter int CORE        = 0,
  parameter int DATA_BITS   = 30,
  parameter int INPUT_REGS  = 1,
  parameter int SUM_REGS    = 1,
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
  input  logic                 clk,
  input  logic                 enable,
  // verilator lint_off UNUSEDSIGNAL
  input  logic [DATA_BITS-1:0] q,  // a core reads what its reduction needs
  input  logic [DATA_BITS+3:0] constant,
  // verilator lint_on UNUSEDSIGNAL
  input  logic [DATA_BITS-1:0] a,
  input  logic [DATA_BITS-1:0] b,
  output logic [DATA_BITS-1:0] product
);
  logic [2*DATA_BITS-1:0] z;
  nttf_multiplier #(
    .A_BITS(DATA_BITS), .B_BITS(DATA_BITS), .OUT_BITS(2 * DATA_BITS),
    .INPUT_REGS(INPUT_REGS), .SUM_REGS(SUM_REGS),
    .TILE_A(TILE_A), .TILE_B(TILE_B), .LUT_BITS(LUT_BITS)
  ) u_z (.clk(clk), .enable(enable), .a(a), .b(b), .product(z));

  generate
    if (CORE == 0) begin : gen_montgomery
      nttf_reduce_montgomery #(
        .DATA_BITS(DATA_BITS), .DIGIT_BITS(DIGIT_BITS), .STEPS(STEPS), .TWO_ADICITY(TWO_ADICITY),
        .REDUCTION_REGS(REDUCTION_REGS), .TILE_A(TILE_A), .TILE_B(TILE_B), .LUT_BITS(LUT_BITS)
      ) u_reduce (
        .clk(clk), .enable(enable), .q(q), .q_inverse(constant[DIGIT_BITS-1:0]), .z(z),
        .remainder(product));
    end else if (CORE == 1) begin : gen_barrett
      nttf_reduce_barrett #(
        .DATA_BITS(DATA_BITS), .SUM_REGS(SUM_REGS), .REDUCTION_REGS(REDUCTION_REGS),
        .TILE_A(TILE_A), .TILE_B(TILE_B), .LUT_BITS(LUT_BITS)
      ) u_reduce (
        .clk(clk), .enable(enable), .q(q), .mu(constant), .z(z), .remainder(product));
    end else begin : gen_solinas
      nttf_reduce_solinas #(
        .I(I), .J(J), .SIGN_J(SIGN_J), .SIGN_0(SIGN_0), .DATA_BITS(DATA_BITS), .TREE_REGS(TREE_REGS),
    .OPERANDS(OPERANDS), .SOURCES(SOURCES), .SIGNS(SIGNS)
      ) u_reduce (.clk(clk), .enable(enable), .z(z), .remainder(product));
    end
  endgenerate
endmodule
