// SPDX-License-Identifier: Apache-2.0
// Twiddle factors of one super pipeline, BANKS per row ([Yan22] section 5.3), and their selector.
//
// Butterfly c takes the bank whose index has bit j of c where from_lane[j] is 1, else choice[j]: that is
// a layer of 2:1 choices per bit. `row`, `from_lane` and `choice` come 2 + BEHIND cycles before
// `twiddles`; BEHIND registers stand behind the memory.
// IMAGE is a file for $readmemh with one row a line, bank 0 in the lowest bits. With LOADED = 1 there is
// no image: rows are written, and one that is read in the cycle of its write is read as it was before.
module nttf_twiddle_memory #(
  parameter int DATA_BITS = 30,
  parameter int BANKS     = 2,
  localparam int BANK_BITS = (BANKS > 1) ? $clog2(BANKS) : 1,
  parameter int DEPTH     = 4,
  localparam int ROW_BITS = (DEPTH > 1) ? $clog2(DEPTH) : 1,
  parameter int BEHIND    = 0,
  parameter int LOADED    = 0,
  parameter     IMAGE     = ""
) (
  input  logic                       clk,
  input  logic                       enable,
  input  logic [ROW_BITS-1:0]        row,
  input  logic [BANK_BITS-1:0]       from_lane,
  input  logic [BANK_BITS-1:0]       choice,
  // verilator lint_off UNUSEDSIGNAL
  input  logic                       write,  // LOADED = 1
  input  logic [ROW_BITS-1:0]        write_row,
  input  logic [BANKS*DATA_BITS-1:0] write_word,
  // verilator lint_on UNUSEDSIGNAL
  output logic [BANKS*DATA_BITS-1:0] twiddles
);
  logic [BANKS*DATA_BITS-1:0] fetched, word;
  // verilator lint_off UNUSEDSIGNAL
  logic [BANK_BITS-1:0]       from_lane_held, choice_held;  // a single bank is not chosen
  // verilator lint_on UNUSEDSIGNAL
  generate
    if (LOADED != 0) begin : gen_loaded
      logic [DATA_BITS-1:0] bank[BANKS];
      for (genvar j = 0; (1 << j) <= BANKS; j = j + 1) begin : gen_join
        for (genvar k = 0; k < (BANKS >> j); k = k + 1) begin : gen_node
          logic [(DATA_BITS << j)-1:0] words;
          if (j == 0) begin : gen_one
            assign words = bank[k];
          end else begin : gen_both
            assign words = {gen_join[j-1].gen_node[2*k+1].words, gen_join[j-1].gen_node[2*k].words};
          end
        end
      end
      assign fetched = gen_join[$clog2(BANKS)].gen_node[0].words;
      for (genvar b = 0; b < BANKS; b = b + 1) begin : gen_bank
        nttf_table_memory #(.WIDTH(DATA_BITS), .DEPTH(DEPTH)) u_words (
          .clk(clk), .write(write), .write_address(write_row),
          .in_data(write_word[b*DATA_BITS+:DATA_BITS]), .enable(enable), .read_address(row),
          .out_data(bank[b]));
      end
    end else begin : gen_image
      nttf_rom #(
        .WIDTH(BANKS * DATA_BITS), .DEPTH(DEPTH), .IMAGE(IMAGE)
      ) u_words (.clk(clk), .enable(enable), .read_address(row), .out_data(fetched));
    end
  endgenerate
  nttf_delay #(.WIDTH(BANKS * DATA_BITS), .DEPTH(BEHIND)) u_word (
    .clk(clk), .enable(enable), .in_data(fetched), .out_data(word));
  nttf_delay #(.WIDTH(2 * BANK_BITS), .DEPTH(1 + BEHIND)) u_held (
    .clk(clk), .enable(enable), .in_data({from_lane, choice}),
    .out_data({from_lane_held, choice_held}));

  generate
    if (BANKS == 1) begin : gen_single
      nttf_delay #(.WIDTH(DATA_BITS), .DEPTH(1)) u_out (
        .clk(clk), .enable(enable), .in_data(word), .out_data(twiddles));
    end else begin : gen_select
      // Layer 0 is the row, layer BANK_BITS what the butterflies get; nets as in nttf_benes.
      logic [DATA_BITS-1:0]       last[BANKS];
      logic [BANKS*DATA_BITS-1:0] chosen;
      for (genvar j = 0; (1 << j) <= BANKS; j = j + 1) begin : gen_join
        for (genvar k = 0; k < (BANKS >> j); k = k + 1) begin : gen_node
          logic [(DATA_BITS << j)-1:0] words;
          if (j == 0) begin : gen_one
            assign words = last[k];
          end else begin : gen_both
            assign words = {gen_join[j-1].gen_node[2*k+1].words, gen_join[j-1].gen_node[2*k].words};
          end
        end
      end
      assign chosen = gen_join[$clog2(BANKS)].gen_node[0].words;
      for (genvar j = 0; j <= BANK_BITS; j = j + 1) begin : gen_layer
        for (genvar c = 0; c < BANKS; c = c + 1) begin : gen_choice
          logic [DATA_BITS-1:0] value;
          if (j == 0) begin : gen_bank
            assign value = word[c*DATA_BITS+:DATA_BITS];
          end else begin : gen_of_two
            localparam int BIT = 1 << (j - 1);
            logic bit_value;
            assign bit_value = from_lane_held[j-1] ? (c & BIT) != 0 : choice_held[j-1];
            assign value = bit_value ? gen_layer[j-1].gen_choice[c|BIT].value
                                     : gen_layer[j-1].gen_choice[c&~BIT].value;
          end
          if (j == BANK_BITS) begin : gen_last
            assign last[c] = value;
          end
        end
      end
      nttf_delay #(.WIDTH(BANKS * DATA_BITS), .DEPTH(1)) u_out (
        .clk(clk), .enable(enable), .in_data(chosen), .out_data(twiddles));
    end
  endgenerate
endmodule
