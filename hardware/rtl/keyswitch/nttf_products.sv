// SPDX-License-Identifier: Apache-2.0
// Products of two words of residues, field by field: LIMBS limbs of LANES fields each, limb by limb, each
// limb modulo its own prime. CONSTANTS are those of the primes' reductions (nttf_modular_multiplier).
// Every factor is below its prime, and so is every product; with Montgomery cores b carries their factor.
// ENABLE_REGS = 1: `enable` is not used, and every product has a register of its own that takes
// `enable_next`.
// Latency: PRODUCT_LATENCY cycles.
module nttf_products #(
  parameter int LIMBS       = 1,
  parameter int LANES       = 2,
  parameter int ENABLE_REGS = 0,
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int DATA_BITS  = CORE[nttf_core_pkg::DATA_BITS+:32],
  parameter logic [LIMBS*DATA_BITS-1:0]     MODULI    = '0,
  parameter logic [LIMBS*(DATA_BITS+4)-1:0] CONSTANTS = '0
) (
  input  logic                             clk,
  // verilator lint_off UNUSEDSIGNAL
  input  logic                             enable,  // ENABLE_REGS chooses which of the two is read
  input  logic                             enable_next,
  // verilator lint_on UNUSEDSIGNAL
  input  logic [LIMBS*LANES*DATA_BITS-1:0] a,
  input  logic [LIMBS*LANES*DATA_BITS-1:0] b,
  output logic [LIMBS*LANES*DATA_BITS-1:0] products
);
  logic [DATA_BITS-1:0] product[LIMBS*LANES];
  generate
    for (genvar k = 0; k < LIMBS * LANES; k = k + 1) begin : gen_join
      logic [(k+1)*DATA_BITS-1:0] words;
      if (k == 0) begin : gen_one
        assign words = product[k];
      end else begin : gen_more
        assign words = {product[k], gen_join[k-1].words};
      end
    end
    assign products = gen_join[LIMBS * LANES-1].words;
  endgenerate
  generate
    for (genvar j = 0; j < LIMBS; j = j + 1) begin : gen_limb
      for (genvar l = 0; l < LANES; l = l + 1) begin : gen_lane
        localparam int AT = (j * LANES + l) * DATA_BITS;
        logic moves;
        if (ENABLE_REGS != 0) begin : gen_enable
          nttf_enable u_moves (.clk(clk), .enable_next(enable_next), .enable(moves));
        end else begin : gen_direct
          assign moves = enable;
        end
        nttf_modular_multiplier #(.CORE(CORE)) u_product (
          .clk(clk), .enable(moves), .q(MODULI[j*DATA_BITS+:DATA_BITS]),
          .constant(CONSTANTS[j*(DATA_BITS+4)+:DATA_BITS+4]), .a(a[AT+:DATA_BITS]),
          .b(b[AT+:DATA_BITS]), .product(product[j*LANES+l]));
      end
    end
  endgenerate
endmodule
