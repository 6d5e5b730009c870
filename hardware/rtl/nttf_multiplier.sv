// SPDX-License-Identifier: Apache-2.0
// Unsigned product a * b modulo 2^OUT_BITS, cut into tiles that fit one multiplier block each.
//
//          b: 17 bits at a time (TILE_B), up to LUT_BITS left over as AND rows in LUTs
//   a: 26 bits at a time (TILE_A): the unsigned part of a signed 27 x 18 block
//
// Tiles that lie at or above 2^OUT_BITS are not built. A family may have a tile of its own, as ECP5 has
// nttf_tile_ecp5; the modules above it then have the family in their names too.
// Latency: INPUT_REGS + 1 (the product register of every tile) + PRODUCT_REGS (a second one, which CORE
// asks for) + SUM_REGS (in the adder tree) cycles.
module nttf_multiplier #(
  parameter int A_BITS     = 30,
  parameter int B_BITS     = 30,
  parameter int OUT_BITS   = 60,
  parameter int INPUT_REGS = 0,
  parameter int SUM_REGS   = 1,
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT
) (
  input  logic                clk,
  input  logic                enable,
  input  logic [A_BITS-1:0]   a,
  input  logic [B_BITS-1:0]   b,
  output logic [OUT_BITS-1:0] product
);
  localparam int TILE_A    = CORE[nttf_core_pkg::TILE_A+:32];
  localparam int TILE_B    = CORE[nttf_core_pkg::TILE_B+:32];
  localparam int LUT_BITS  = CORE[nttf_core_pkg::LUT_BITS+:32];
  localparam int CARRY_BITS   = CORE[nttf_core_pkg::CARRY_BITS+:32];
  localparam int PRODUCT_REGS = CORE[nttf_core_pkg::PRODUCT_REGS+:32];

  localparam int REST_B    = B_BITS % TILE_B;
  localparam int LUT_ROWS  = (REST_B <= LUT_BITS && B_BITS > TILE_B) ? REST_B : 0;
  localparam int TILES_A   = (A_BITS + TILE_A - 1) / TILE_A;
  localparam int TILES_B   = (B_BITS - LUT_ROWS + TILE_B - 1) / TILE_B;
  localparam int TERMS     = TILES_A * TILES_B + LUT_ROWS;

  // These registers are for the rows. A tile has registers of its own, which synthesis joins with
  // these or puts into its block.
  // verilator lint_off UNUSEDSIGNAL
  logic [A_BITS-1:0] a_in;  // only rows of left-over bits read them
  logic [B_BITS-1:0] b_in;
  // verilator lint_on UNUSEDSIGNAL
  nttf_delay #(.WIDTH(A_BITS), .DEPTH(INPUT_REGS)) u_a_in (
    .clk(clk), .enable(enable), .in_data(a), .out_data(a_in));
  nttf_delay #(.WIDTH(B_BITS), .DEPTH(INPUT_REGS)) u_b_in (
    .clk(clk), .enable(enable), .in_data(b), .out_data(b_in));

  // Terms joined in pairs, as words are in nttf_benes; slots behind the last term stay empty.
  localparam int SLOTS = 1 << $clog2(TERMS);
  logic [OUT_BITS-1:0]       term[TERMS];
  // verilator lint_off UNUSEDSIGNAL
  logic [SLOTS*OUT_BITS-1:0] joined;
  // verilator lint_on UNUSEDSIGNAL
  generate
    for (genvar level = 0; (1 << level) <= SLOTS; level = level + 1) begin : gen_join
      for (genvar slot = 0; slot < (SLOTS >> level); slot = slot + 1) begin : gen_node
        logic [(OUT_BITS << level)-1:0] words;
        if (level > 0) begin : gen_both
          assign words = {gen_join[level-1].gen_node[2*slot+1].words, gen_join[level-1].gen_node[2*slot].words};
        end else if (slot < TERMS) begin : gen_term
          assign words = term[slot];
        end else begin : gen_empty
          assign words = '0;
        end
      end
    end
    assign joined = gen_join[$clog2(TERMS)].gen_node[0].words;
  endgenerate
  genvar i, j, k;
  generate
    for (i = 0; i < TILES_A; i = i + 1) begin : gen_a
      for (j = 0; j < TILES_B; j = j + 1) begin : gen_b
        localparam int LOW_A   = i * TILE_A;
        localparam int LOW_B   = j * TILE_B;
        localparam int SIZE_A  = (A_BITS - LOW_A < TILE_A) ? A_BITS - LOW_A : TILE_A;
        localparam int REST    = B_BITS - LUT_ROWS - LOW_B;
        localparam int SIZE_B  = (REST < TILE_B) ? REST : TILE_B;
        localparam int SHIFT   = LOW_A + LOW_B;
        localparam int SLOT    = i * TILES_B + j;
        if (SHIFT < OUT_BITS) begin : gen_tile
          // verilator lint_off UNUSEDSIGNAL
          logic [SIZE_A+SIZE_B-1:0] tile;  // bits above OUT_BITS are dropped
          // verilator lint_on UNUSEDSIGNAL
          nttf_tile #(
            .A_BITS(SIZE_A), .B_BITS(SIZE_B), .INPUT_REGS(INPUT_REGS), .PRODUCT_REGS(PRODUCT_REGS)
          ) u_tile (
            .clk(clk), .enable(enable), .a(a[LOW_A+:SIZE_A]), .b(b[LOW_B+:SIZE_B]), .product(tile));
          assign term[SLOT] = OUT_BITS'(tile) << SHIFT;
        end else begin : gen_above
          assign term[SLOT] = '0;
        end
      end
    end
    for (k = 0; k < LUT_ROWS; k = k + 1) begin : gen_row
      localparam int BIT  = B_BITS - LUT_ROWS + k;
      localparam int SLOT = TILES_A * TILES_B + k;
      if (BIT < OUT_BITS) begin : gen_and
        logic [A_BITS-1:0] row;
        nttf_delay #(.WIDTH(A_BITS), .DEPTH(1 + PRODUCT_REGS), .APART(PRODUCT_REGS)) u_row (
          .clk(clk), .enable(enable), .in_data(b_in[BIT] ? a_in : '0), .out_data(row));
        assign term[SLOT] = OUT_BITS'(row) << BIT;
      end else begin : gen_above
        assign term[SLOT] = '0;
      end
    end
  endgenerate

  nttf_adder_tree #(
    .BITS(OUT_BITS), .TERMS(TERMS), .REGS(SUM_REGS), .CARRY_BITS(CARRY_BITS)
  ) u_sum (
    .clk(clk), .enable(enable), .terms(joined[TERMS*OUT_BITS-1:0]), .sum(product));
endmodule
