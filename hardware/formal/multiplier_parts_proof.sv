// SPDX-License-Identifier: Apache-2.0
// The tiled multiplier at full width: what it gives is the sum of the products of all pairs of parts of
// its factors, TILE_A bits of a and TILE_B bits of b each, and of a with each of the up to LUT_BITS bits
// of b that are left over, all shifted to their places, modulo 2^OUT_BITS. That this sum is a b is the
// distributive law; multiplier_proof shows it for all factors of 8 bits.
// Registers are taken out first (nothing but latency is in them, which multiplier_proof shows).
module multiplier_parts_proof #(
  parameter int A_BITS     = 52,
  parameter int B_BITS     = 52,
  parameter int OUT_BITS   = 104,
  parameter int INPUT_REGS = 1,
  parameter int SUM_REGS   = 1,
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT
) (
  input logic              clk,
  input logic [A_BITS-1:0] a,
  input logic [B_BITS-1:0] b
);
  localparam int TILE_A   = CORE[nttf_core_pkg::TILE_A+:32];
  localparam int TILE_B   = CORE[nttf_core_pkg::TILE_B+:32];
  localparam int LUT_BITS = CORE[nttf_core_pkg::LUT_BITS+:32];
  localparam int REST     = B_BITS % TILE_B;
  localparam int ROWS     = (REST <= LUT_BITS && B_BITS > TILE_B) ? REST : 0;
  localparam int PARTS_A  = (A_BITS + TILE_A - 1) / TILE_A;
  localparam int PARTS_B  = (B_BITS - ROWS + TILE_B - 1) / TILE_B;

  logic [OUT_BITS-1:0] product;
  nttf_multiplier #(
    .A_BITS(A_BITS), .B_BITS(B_BITS), .OUT_BITS(OUT_BITS), .INPUT_REGS(INPUT_REGS),
    .SUM_REGS(SUM_REGS), .CORE(CORE)
  ) u_multiplier (.clk(clk), .enable(1'b1), .a(a), .b(b), .product(product));

  localparam int TILES = PARTS_A * PARTS_B;
  logic [(TILES+ROWS+1)*OUT_BITS-1:0] partial;
  assign partial[OUT_BITS-1:0] = '0;
  for (genvar k = 0; k < TILES + ROWS; k = k + 1) begin : gen_part
    localparam int LOW_A  = (k < TILES) ? k / PARTS_B * TILE_A : 0;
    localparam int LOW_B  = (k < TILES) ? k % PARTS_B * TILE_B : B_BITS - ROWS + k - TILES;
    localparam int SIZE_A = (k < TILES && A_BITS - LOW_A > TILE_A) ? TILE_A : A_BITS - LOW_A;
    localparam int LEFT   = B_BITS - ROWS - LOW_B;
    localparam int SIZE_B = (k >= TILES) ? 1 : (LEFT < TILE_B) ? LEFT : TILE_B;
    logic [OUT_BITS-1:0] part;
    if (LOW_A + LOW_B >= OUT_BITS) begin : gen_above
      assign part = '0;
    end else if (k >= TILES) begin : gen_row
      assign part = OUT_BITS'(b[LOW_B] ? a : '0) << LOW_B;
    end else begin : gen_tile
      logic [SIZE_A+SIZE_B-1:0] both;
      assign both = (SIZE_A+SIZE_B)'(a[LOW_A+:SIZE_A]) * (SIZE_A+SIZE_B)'(b[LOW_B+:SIZE_B]);
      assign part = OUT_BITS'(both) << (LOW_A + LOW_B);
    end
    assign partial[(k+1)*OUT_BITS+:OUT_BITS] = partial[k*OUT_BITS+:OUT_BITS] + part;
  end
  always_comb assert (product == partial[(TILES+ROWS)*OUT_BITS+:OUT_BITS]);
endmodule
