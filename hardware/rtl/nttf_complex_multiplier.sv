// SPDX-License-Identifier: Apache-2.0
// (a0 + a1 i)(b0 + b1 i) modulo q with i^2 = -1, parts in [0, q), part 0 in the lower half. It takes
// three products (Karatsuba) instead of four:
//   re = a0 b0 - a1 b1,   im = (a0 + a1)(b0 + b1) - (a0 b0 + a1 b1)
// Its products carry the factors of nttf_modular_multiplier.
// Latency: that of the product + 3 (1 + ADD_REGS) cycles.
module nttf_complex_multiplier #(
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int DATA_BITS = CORE[nttf_core_pkg::DATA_BITS+:32]
) (
  input  logic                   clk,
  input  logic                   enable,
  input  logic [DATA_BITS-1:0]   q,
  input  logic [DATA_BITS+3:0]   constant,
  input  logic [2*DATA_BITS-1:0] a,
  input  logic [2*DATA_BITS-1:0] b,
  output logic [2*DATA_BITS-1:0] product
);
  localparam int ADD_REGS = CORE[nttf_core_pkg::ADD_REGS+:32];

  // Factor pairs: 0 and 1 the parts, 2 their sums.
  logic [3*DATA_BITS-1:0] factors_a, factors_b, held_a, held_b, products;
  nttf_delay #(.WIDTH(4 * DATA_BITS), .DEPTH(ADD_REGS)) u_parts_in (
    .clk(clk), .enable(enable), .in_data({a, b}),
    .out_data({factors_a[2*DATA_BITS-1:0], factors_b[2*DATA_BITS-1:0]}));
  nttf_modular_add #(.DATA_BITS(DATA_BITS), .REGS(ADD_REGS)) u_sum_a (
    .clk(clk), .enable(enable), .q(q), .a(a[DATA_BITS-1:0]), .b(a[DATA_BITS+:DATA_BITS]),
    .sum(factors_a[2*DATA_BITS+:DATA_BITS]));
  nttf_modular_add #(.DATA_BITS(DATA_BITS), .REGS(ADD_REGS)) u_sum_b (
    .clk(clk), .enable(enable), .q(q), .a(b[DATA_BITS-1:0]), .b(b[DATA_BITS+:DATA_BITS]),
    .sum(factors_b[2*DATA_BITS+:DATA_BITS]));
  nttf_delay #(.WIDTH(6 * DATA_BITS), .DEPTH(1)) u_factors (
    .clk(clk), .enable(enable), .in_data({factors_a, factors_b}), .out_data({held_a, held_b}));

  generate
    for (genvar f = 0; f < 3; f = f + 1) begin : gen_product
      nttf_modular_multiplier #(.CORE(CORE)) u_product (
        .clk(clk), .enable(enable), .q(q), .constant(constant),
        .a(held_a[f*DATA_BITS+:DATA_BITS]), .b(held_b[f*DATA_BITS+:DATA_BITS]),
        .product(products[f*DATA_BITS+:DATA_BITS]));
    end
  endgenerate

  logic [DATA_BITS-1:0] re, both, re_parts, re_held, both_held, whole, im;
  nttf_modular_subtract #(.DATA_BITS(DATA_BITS), .REGS(ADD_REGS)) u_re (
    .clk(clk), .enable(enable), .q(q), .a(products[0+:DATA_BITS]),
    .b(products[DATA_BITS+:DATA_BITS]), .difference(re));
  nttf_modular_add #(.DATA_BITS(DATA_BITS), .REGS(ADD_REGS)) u_both (
    .clk(clk), .enable(enable), .q(q), .a(products[0+:DATA_BITS]),
    .b(products[DATA_BITS+:DATA_BITS]), .sum(both));
  nttf_delay #(.WIDTH(2 * DATA_BITS), .DEPTH(1)) u_both_held (
    .clk(clk), .enable(enable), .in_data({re, both}), .out_data({re_parts, both_held}));
  nttf_delay #(.WIDTH(DATA_BITS), .DEPTH(1 + ADD_REGS)) u_whole (
    .clk(clk), .enable(enable), .in_data(products[2*DATA_BITS+:DATA_BITS]), .out_data(whole));
  nttf_delay #(.WIDTH(DATA_BITS), .DEPTH(ADD_REGS)) u_re_held (
    .clk(clk), .enable(enable), .in_data(re_parts), .out_data(re_held));
  nttf_modular_subtract #(.DATA_BITS(DATA_BITS), .REGS(ADD_REGS)) u_im (
    .clk(clk), .enable(enable), .q(q), .a(whole), .b(both_held), .difference(im));
  nttf_delay #(.WIDTH(2 * DATA_BITS), .DEPTH(1)) u_out (
    .clk(clk), .enable(enable), .in_data({im, re_held}), .out_data(product));
endmodule
