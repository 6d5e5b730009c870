// SPDX-License-Identifier: Apache-2.0
// The product of two remainders a0 + a1 X and b0 + b1 X modulo X^2 - gamma and q (FIPS 203, Algorithm 12):
//   c0 = a0 b0 + (a1 b1) gamma,   c1 = a0 b1 + a1 b0
// Parts, gamma and results are in [0, q); part 0 is in the lower half. CORE is one whose products carry no
// factor. gamma comes a cycle behind its remainders, as it does from nttf_rom.
// Latency: two products + 1 + ADD_REGS cycles.
module nttf_base_product #(
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int DATA_BITS = CORE[nttf_core_pkg::DATA_BITS+:32]
) (
  input  logic                   clk,
  input  logic                   enable,
  input  logic [DATA_BITS-1:0]   q,
  input  logic [DATA_BITS+3:0]   constant,
  input  logic [DATA_BITS-1:0]   gamma,
  input  logic [2*DATA_BITS-1:0] a,
  input  logic [2*DATA_BITS-1:0] b,
  output logic [2*DATA_BITS-1:0] product
);
  localparam int ADD_REGS = CORE[nttf_core_pkg::ADD_REGS+:32];
  localparam int LATENCY  = CORE[nttf_core_pkg::PRODUCT_LATENCY+:32];

  // Products: a0 b0, a1 b1, a0 b1, a1 b0.
  logic [4*DATA_BITS-1:0] factors_a, factors_b, products;
  assign factors_a = {a[DATA_BITS+:DATA_BITS], a[0+:DATA_BITS], a};
  assign factors_b = {b[0+:DATA_BITS], b[DATA_BITS+:DATA_BITS], b};
  generate
    for (genvar f = 0; f < 4; f = f + 1) begin : gen_product
      nttf_modular_multiplier #(.CORE(CORE)) u_product (
        .clk(clk), .enable(enable), .q(q), .constant(constant),
        .a(factors_a[f*DATA_BITS+:DATA_BITS]), .b(factors_b[f*DATA_BITS+:DATA_BITS]),
        .product(products[f*DATA_BITS+:DATA_BITS]));
    end
  endgenerate

  logic [DATA_BITS-1:0]   gamma_held, folded, low, high;
  logic [3*DATA_BITS-1:0] held;  // a0 b0, a0 b1, a1 b0 beside the fifth product
  nttf_delay #(.WIDTH(DATA_BITS), .DEPTH(LATENCY - 1)) u_gamma (
    .clk(clk), .enable(enable), .in_data(gamma), .out_data(gamma_held));
  nttf_modular_multiplier #(.CORE(CORE)) u_folded (
    .clk(clk), .enable(enable), .q(q), .constant(constant), .a(products[DATA_BITS+:DATA_BITS]),
    .b(gamma_held), .product(folded));
  nttf_delay #(.WIDTH(3 * DATA_BITS), .DEPTH(LATENCY)) u_held (
    .clk(clk), .enable(enable),
    .in_data({products[2*DATA_BITS+:2*DATA_BITS], products[0+:DATA_BITS]}), .out_data(held));

  nttf_modular_add #(.DATA_BITS(DATA_BITS), .REGS(ADD_REGS)) u_low (
    .clk(clk), .enable(enable), .q(q), .a(held[0+:DATA_BITS]), .b(folded), .sum(low));
  nttf_modular_add #(.DATA_BITS(DATA_BITS), .REGS(ADD_REGS)) u_high (
    .clk(clk), .enable(enable), .q(q), .a(held[DATA_BITS+:DATA_BITS]),
    .b(held[2*DATA_BITS+:DATA_BITS]), .sum(high));
  nttf_delay #(.WIDTH(2 * DATA_BITS), .DEPTH(1)) u_out (
    .clk(clk), .enable(enable), .in_data({high, low}), .out_data(product));
endmodule
