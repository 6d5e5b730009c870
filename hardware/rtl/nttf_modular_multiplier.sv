// SPDX-License-Identifier: Apache-2.0
// Gives a * b mod q for a, b in [0, q), by one of three reductions behind one tiled product.
//   KIND 0  word-level Montgomery: gives a * b * 2^(-STEPS*DIGIT_BITS) mod q, so b carries that factor
//   KIND 1  Barrett, any q of exactly DATA_BITS bits
//   KIND 2  Solinas, q = 2^I + SIGN_J 2^J + SIGN_0
// `constant` is q^-1 mod 2^DIGIT_BITS (KIND 0) or floor(2^(2 DATA_BITS + 3) / q) (KIND 1).
// Both are static while words are in flight; with MOVING = 1 they come with a and b.
// Latency: INPUT_REGS + 1 + PRODUCT_REGS + SUM_REGS + that of the reduction.
module nttf_modular_multiplier #(
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int DATA_BITS = CORE[nttf_core_pkg::DATA_BITS+:32]
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
  localparam int KIND       = CORE[nttf_core_pkg::KIND+:32];
  localparam int INPUT_REGS = CORE[nttf_core_pkg::INPUT_REGS+:32];
  localparam int SUM_REGS   = CORE[nttf_core_pkg::SUM_REGS+:32];
  localparam int DIGIT_BITS = CORE[nttf_core_pkg::DIGIT_BITS+:32];
  localparam int MOVING     = CORE[nttf_core_pkg::MOVING+:32];

  localparam int FULL_LATENCY = INPUT_REGS + 1 + CORE[nttf_core_pkg::PRODUCT_REGS+:32] + SUM_REGS;

  // verilator lint_off UNUSEDSIGNAL
  logic [DATA_BITS-1:0] q_here;  // with z
  logic [DATA_BITS+3:0] constant_here;
  // verilator lint_on UNUSEDSIGNAL
  nttf_delay #(.WIDTH(2 * DATA_BITS + 4), .DEPTH((MOVING != 0) ? FULL_LATENCY : 0)) u_here (
    .clk(clk), .enable(enable), .in_data({q, constant}), .out_data({q_here, constant_here}));
  logic [2*DATA_BITS-1:0] z;
  nttf_multiplier #(
    .A_BITS(DATA_BITS), .B_BITS(DATA_BITS), .OUT_BITS(2 * DATA_BITS), .INPUT_REGS(INPUT_REGS),
    .SUM_REGS(SUM_REGS), .CORE(CORE)
  ) u_z (.clk(clk), .enable(enable), .a(a), .b(b), .product(z));

  generate
    if (KIND == 0) begin : gen_montgomery
      nttf_reduce_montgomery #(.CORE(CORE)) u_reduce (
        .clk(clk), .enable(enable), .q(q_here), .q_inverse(constant_here[DIGIT_BITS-1:0]), .z(z),
        .remainder(product));
    end else if (KIND == 1) begin : gen_barrett
      nttf_reduce_barrett #(.CORE(CORE)) u_reduce (
        .clk(clk), .enable(enable), .q(q_here), .mu(constant_here), .z(z), .remainder(product));
    end else begin : gen_solinas
      nttf_reduce_solinas #(.CORE(CORE)) u_reduce (
        .clk(clk), .enable(enable), .z(z), .remainder(product));
    end
  endgenerate
endmodule
