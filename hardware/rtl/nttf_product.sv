// SPDX-License-Identifier: Apache-2.0
// The product of two residues, or with PARTS = 2 of two numbers a0 + a1 i (part 0 in the lower half).
// Latency: PRODUCT_LATENCY, which is that of nttf_modular_multiplier or nttf_complex_multiplier.
module nttf_product #(
  parameter int PARTS = 1,
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int DATA_BITS = CORE[nttf_core_pkg::DATA_BITS+:32]
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
      nttf_modular_multiplier #(.CORE(CORE)) u_product (
        .clk(clk), .enable(enable), .q(q), .constant(constant),
        .a(a), .b(b), .product(product));
    end else begin : gen_complex
      nttf_complex_multiplier #(.CORE(CORE)) u_product (
        .clk(clk), .enable(enable), .q(q), .constant(constant),
        .a(a), .b(b), .product(product));
    end
  endgenerate
endmodule
