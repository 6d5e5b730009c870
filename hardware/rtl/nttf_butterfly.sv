// SPDX-License-Identifier: Apache-2.0
// One NTT core: two coefficients in [0, q) and a twiddle w come in, two coefficients in [0, q) go out.
//   forward (Cooley-Tukey):     x = a + b w,        y = a - b w
//   inverse (Gentleman-Sande):  x = (a + b) / 2,    y = (a - b) w, where w carries the factor 1/2
// so that an inverse transform ends with its 1/n. FORWARD and INVERSE say which directions are built;
// with both, `inverse` comes with a, b and w and chooses.
// HALVE = 0 leaves the 1/2 of an inverse butterfly out: x = a + b, y = (a - b) w for any w.
// PARTS = 2 does the same with numbers a0 + a1 i (DGT), part 0 in the lower half of a word.
// MOVING = 1: q and constant come with a, b and w too, and need not be static.
// Latency: PRODUCT_LATENCY, and 1 + ADD_REGS for each direction built.
module nttf_butterfly #(
  parameter int FORWARD = 1,
  parameter int INVERSE = 0,
  parameter int HALVE   = 1,
  parameter int PARTS   = 1,
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int DATA_BITS = CORE[nttf_core_pkg::DATA_BITS+:32]
) (
  input  logic                 clk,
  input  logic                 enable,         // of the product
  input  logic                 enable_beside,  // of all other registers; equal to enable
  input  logic                 inverse,
  input  logic [DATA_BITS-1:0] q,
  input  logic [DATA_BITS+3:0] constant,
  input  logic [PARTS*DATA_BITS-1:0] a,
  input  logic [PARTS*DATA_BITS-1:0] b,
  input  logic [PARTS*DATA_BITS-1:0] w,
  output logic [PARTS*DATA_BITS-1:0] x,
  output logic [PARTS*DATA_BITS-1:0] y
);
  localparam int ADD_REGS        = CORE[nttf_core_pkg::ADD_REGS+:32];
  localparam int PRODUCT_LATENCY = CORE[nttf_core_pkg::PRODUCT_LATENCY+:32];
  localparam int MOVING          = CORE[nttf_core_pkg::MOVING+:32];
  localparam int WORD            = PARTS * DATA_BITS;

  // What comes with a word, where it is needed: in the first correction, the product, the last correction.
  localparam int CARRIED = 2 * DATA_BITS + 4;
  localparam int BOTH    = (FORWARD != 0 && INVERSE != 0) ? 1 : 0;
  localparam int BEFORE  = (INVERSE != 0) ? ADD_REGS : 0;
  // verilator lint_off UNUSEDSIGNAL
  logic [DATA_BITS-1:0] q_before, q_product, q_after;
  logic [DATA_BITS+3:0] constant_before, constant_product;
  logic                 inverse_before, inverse_after;
  // verilator lint_on UNUSEDSIGNAL
  nttf_delay #(.WIDTH(CARRIED), .DEPTH((MOVING != 0) ? BEFORE : 0)) u_carried_before (
    .clk(clk), .enable(enable_beside), .in_data({q, constant}),
    .out_data({q_before, constant_before}));
  nttf_delay #(.WIDTH(CARRIED), .DEPTH((MOVING != 0 && INVERSE != 0) ? 1 : 0)) u_carried_product (
    .clk(clk), .enable(enable_beside), .in_data({q_before, constant_before}),
    .out_data({q_product, constant_product}));
  nttf_delay #(
    .WIDTH(DATA_BITS), .DEPTH((MOVING != 0) ? PRODUCT_LATENCY + ADD_REGS : 0), .APART(ADD_REGS)
  ) u_carried_after (
    .clk(clk), .enable(enable_beside), .in_data(q_product), .out_data(q_after));
  nttf_delay #(.WIDTH(1), .DEPTH((BOTH != 0) ? BEFORE : 0)) u_inverse_before (
    .clk(clk), .enable(enable_beside), .in_data(inverse), .out_data(inverse_before));
  nttf_delay #(
    .WIDTH(1), .DEPTH((BOTH != 0) ? 1 + PRODUCT_LATENCY + ADD_REGS : 0), .APART(ADD_REGS)
  ) u_inverse_after (
    .clk(clk), .enable(enable_beside), .in_data(inverse_before), .out_data(inverse_after));

  // The path beside the multiplier (through) and the one into it (factor).
  logic [WORD-1:0] through_in, factor_in, w_in;
  logic [WORD-1:0] through, product;

  generate
    if (INVERSE != 0) begin : gen_before
      logic [WORD-1:0] difference, half;
      for (genvar p = 0; p < PARTS; p = p + 1) begin : gen_part
        if (HALVE != 0) begin : gen_half
          nttf_modular_half #(.DATA_BITS(DATA_BITS), .REGS(ADD_REGS)) u_half (
            .clk(clk), .enable(enable_beside), .q(q_before), .a(a[p*DATA_BITS+:DATA_BITS]),
            .b(b[p*DATA_BITS+:DATA_BITS]), .half(half[p*DATA_BITS+:DATA_BITS]));
        end else begin : gen_sum
          nttf_modular_add #(.DATA_BITS(DATA_BITS), .REGS(ADD_REGS)) u_sum (
            .clk(clk), .enable(enable_beside), .q(q_before), .a(a[p*DATA_BITS+:DATA_BITS]),
            .b(b[p*DATA_BITS+:DATA_BITS]), .sum(half[p*DATA_BITS+:DATA_BITS]));
        end
        nttf_modular_subtract #(.DATA_BITS(DATA_BITS), .REGS(ADD_REGS)) u_difference (
          .clk(clk), .enable(enable_beside), .q(q_before), .a(a[p*DATA_BITS+:DATA_BITS]),
          .b(b[p*DATA_BITS+:DATA_BITS]), .difference(difference[p*DATA_BITS+:DATA_BITS]));
      end
      logic            select;
      logic [WORD-1:0] a_beside, b_beside, w_beside;
      assign select = (FORWARD == 0) ? 1'b1 : inverse_before;
      nttf_delay #(.WIDTH(3 * WORD), .DEPTH(ADD_REGS)) u_beside (
        .clk(clk), .enable(enable_beside), .in_data({a, b, w}),
        .out_data({a_beside, b_beside, w_beside}));
      nttf_delay #(.WIDTH(3 * WORD), .DEPTH(1)) u_before (
        .clk(clk), .enable(enable_beside),
        .in_data({select ? half : a_beside, select ? difference : b_beside, w_beside}),
        .out_data({through_in, factor_in, w_in}));
    end else begin : gen_direct
      assign through_in = a;
      assign factor_in  = b;
      assign w_in       = w;
    end
  endgenerate

  nttf_delay #(.WIDTH(WORD), .DEPTH(PRODUCT_LATENCY), .APART(ADD_REGS)) u_through (
    .clk(clk), .enable(enable_beside), .in_data(through_in), .out_data(through));
  nttf_product #(.PARTS(PARTS), .CORE(CORE)) u_product (
    .clk(clk), .enable(enable), .q(q_product), .constant(constant_product), .a(factor_in), .b(w_in),
    .product(product));

  generate
    if (FORWARD != 0) begin : gen_after
      logic [WORD-1:0] sum, difference;
      for (genvar p = 0; p < PARTS; p = p + 1) begin : gen_part
        nttf_modular_add #(.DATA_BITS(DATA_BITS), .REGS(ADD_REGS)) u_sum (
          .clk(clk), .enable(enable_beside), .q(q_after), .a(through[p*DATA_BITS+:DATA_BITS]),
          .b(product[p*DATA_BITS+:DATA_BITS]), .sum(sum[p*DATA_BITS+:DATA_BITS]));
        nttf_modular_subtract #(.DATA_BITS(DATA_BITS), .REGS(ADD_REGS)) u_difference (
          .clk(clk), .enable(enable_beside), .q(q_after), .a(through[p*DATA_BITS+:DATA_BITS]),
          .b(product[p*DATA_BITS+:DATA_BITS]), .difference(difference[p*DATA_BITS+:DATA_BITS]));
      end
      logic            select;
      logic [WORD-1:0] through_beside, product_beside;
      assign select = (INVERSE == 0) ? 1'b0 : inverse_after;
      nttf_delay #(.WIDTH(2 * WORD), .DEPTH(ADD_REGS)) u_beside (
        .clk(clk), .enable(enable_beside), .in_data({through, product}),
        .out_data({through_beside, product_beside}));
      nttf_delay #(.WIDTH(2 * WORD), .DEPTH(1)) u_after (
        .clk(clk), .enable(enable_beside),
        .in_data({select ? through_beside : sum, select ? product_beside : difference}),
        .out_data({x, y}));
    end else begin : gen_done
      assign x = through;
      assign y = product;
    end
  endgenerate
endmodule
