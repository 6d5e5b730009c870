// SPDX-License-Identifier: Apache-2.0
// Products of a digit's values with both parts of its key, summed over the digits of an operation: a word a
// cycle of LIMBS limbs in LANES lanes, WORDS words a digit.
//
//   values --+--> times key part 0 --> + memory of part 0 --> back into it, at the word's slot
//            +--> times key part 1 --> + memory of part 1 --> likewise
//
// `in_first` marks the words of an operation's first digit, to which nothing is added. `read` asks for the
// sum of part `read_part` at read_slot; `sums` has it 1 + BEHIND cycles later, BEHIND being registers behind
// the memories, 0 or 1. No sum is asked for while products
// of words are on their way to the memories: the last is there PRODUCT_LATENCY + 1 + ADD_REGS cycles after
// its word came. A slot is not given again before that either.
module nttf_key_sums #(
  parameter int LIMBS       = 2,
  parameter int LANES       = 2,
  parameter int WORDS       = 8,
  localparam int SLOT_BITS  = $clog2(WORDS),
  parameter int BEHIND      = 0,
  parameter int ENABLE_REGS = 0,
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int DATA_BITS  = CORE[nttf_core_pkg::DATA_BITS+:32],
  parameter logic [LIMBS*DATA_BITS-1:0]     MODULI    = '0,
  parameter logic [LIMBS*(DATA_BITS+4)-1:0] CONSTANTS = '0
) (
  input  logic                               clk,
  input  logic                               reset,
  input  logic                               enable,
  input  logic                               enable_next,
  input  logic                               in_valid,
  input  logic                               in_first,
  input  logic [SLOT_BITS-1:0]               in_slot,
  input  logic [LIMBS*LANES*DATA_BITS-1:0]   values,
  input  logic [2*LIMBS*LANES*DATA_BITS-1:0] key,
  input  logic                               read,
  input  logic                               read_part,
  input  logic [SLOT_BITS-1:0]               read_slot,
  output logic [LIMBS*LANES*DATA_BITS-1:0]   sums
);
  localparam int ADD_REGS        = CORE[nttf_core_pkg::ADD_REGS+:32];
  localparam int PRODUCT_LATENCY = CORE[nttf_core_pkg::PRODUCT_LATENCY+:32];
  localparam int WORD            = LIMBS * LANES * DATA_BITS;

  // The slot on its way: to the read of the memory, to the sum, to the write.
  logic                 adds, writes, adds_first, part;
  logic [SLOT_BITS-1:0] ahead, add_slot, write_slot;
  logic                 ahead_first;
  nttf_delay #(.WIDTH(SLOT_BITS + 1), .DEPTH(PRODUCT_LATENCY - 1 - BEHIND)) u_ahead (
    .clk(clk), .enable(enable), .in_data({in_first, in_slot}), .out_data({ahead_first, ahead}));
  nttf_delay #(.WIDTH(SLOT_BITS + 1), .DEPTH(1 + BEHIND)) u_add (
    .clk(clk), .enable(enable), .in_data({ahead_first, ahead}), .out_data({adds_first, add_slot}));
  nttf_delay #(.WIDTH(SLOT_BITS), .DEPTH(ADD_REGS)) u_write (
    .clk(clk), .enable(enable), .in_data(add_slot), .out_data(write_slot));
  nttf_valid_line #(.DEPTH(PRODUCT_LATENCY)) u_adds (
    .clk(clk), .reset(reset), .enable(enable), .in_valid(in_valid), .out_valid(adds));
  nttf_valid_line #(.DEPTH(ADD_REGS)) u_writes (
    .clk(clk), .reset(reset), .enable(enable), .in_valid(adds), .out_valid(writes));
  nttf_delay #(.WIDTH(1), .DEPTH(1 + BEHIND)) u_part (
    .clk(clk), .enable(enable), .in_data(read_part), .out_data(part));

  logic [2*WORD-1:0] fetched, stored;
  nttf_delay #(.WIDTH(2 * WORD), .DEPTH(BEHIND)) u_stored (
    .clk(clk), .enable(enable), .in_data(fetched), .out_data(stored));
  assign sums = part ? stored[WORD+:WORD] : stored[WORD-1:0];
  generate
    for (genvar p = 0; p < 2; p = p + 1) begin : gen_part
      logic [WORD-1:0] products, total;
      nttf_products #(
        .LIMBS(LIMBS), .LANES(LANES), .ENABLE_REGS(ENABLE_REGS), .CORE(CORE), .MODULI(MODULI),
        .CONSTANTS(CONSTANTS)
      ) u_products (
        .clk(clk), .enable(enable), .enable_next(enable_next), .a(values), .b(key[p*WORD+:WORD]),
        .products(products));
      logic [DATA_BITS-1:0] field[LIMBS*LANES];
      for (genvar k = 0; k < LIMBS * LANES; k = k + 1) begin : gen_join
        logic [(k+1)*DATA_BITS-1:0] words;
        if (k == 0) begin : gen_one
          assign words = field[k];
        end else begin : gen_more
          assign words = {field[k], gen_join[k-1].words};
        end
      end
      assign total = gen_join[LIMBS * LANES-1].words;
      for (genvar f = 0; f < LIMBS * LANES; f = f + 1) begin : gen_field
        nttf_modular_add #(.DATA_BITS(DATA_BITS), .REGS(ADD_REGS)) u_add (
          .clk(clk), .enable(enable), .q(MODULI[(f/LANES)*DATA_BITS+:DATA_BITS]),
          .a(products[f*DATA_BITS+:DATA_BITS]),
          .b(adds_first ? '0 : stored[p*WORD+f*DATA_BITS+:DATA_BITS]),
          .sum(field[f]));
      end
      nttf_memory #(.WIDTH(WORD), .DEPTH(WORDS)) u_memory (
        .clk(clk), .enable(enable), .write(writes), .write_address(write_slot), .in_data(total),
        .read_address(read ? read_slot : ahead), .out_data(fetched[p*WORD+:WORD]));
    end
  endgenerate
endmodule
