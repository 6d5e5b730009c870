// SPDX-License-Identifier: Apache-2.0
// A twiddle memory that holds in every row and bank the number row * BANKS + bank: in every cycle,
// butterfly c gets the number of `row` and of the bank whose index has bit j of c where from_lane[j] is
// 1, else choice[j].
module twiddle_memory_proof #(
  parameter int BANKS     = 16,
  localparam int BANK_BITS = (BANKS > 1) ? $clog2(BANKS) : 1,
  parameter int DEPTH     = 8,
  localparam int ROW_BITS = (DEPTH > 1) ? $clog2(DEPTH) : 1,
  localparam int DATA_BITS = $clog2(BANKS * DEPTH),
  parameter int BEHIND    = 0
) (
  input logic                 clk,
  input logic [ROW_BITS-1:0]  row,
  input logic [BANK_BITS-1:0] from_lane,
  input logic [BANK_BITS-1:0] choice
);
  typedef logic [DATA_BITS-1:0] number_t;
  logic [BANKS*DATA_BITS-1:0] twiddles, wanted;
  logic [BANK_BITS-1:0]       from_lane_0, choice_0;
  logic [ROW_BITS-1:0]        row_0;
  logic [7:0]                 cycle = '0;
  nttf_twiddle_memory #(
    .DATA_BITS(DATA_BITS), .BANKS(BANKS), .DEPTH(DEPTH), .BEHIND(BEHIND), .IMAGE("numbers.hex")
  ) u_memory (
    .clk(clk), .enable(1'b1), .row(row), .from_lane(from_lane), .choice(choice), .write(1'b0), .write_row('0),
    .write_word('0), .twiddles(twiddles));
  always_ff @(posedge clk) begin
    cycle <= cycle + 1'b1;
    if (cycle == '0) begin
      row_0       <= row;
      from_lane_0 <= from_lane;
      choice_0    <= choice;
    end
  end
  for (genvar c = 0; c < BANKS; c = c + 1) begin : gen_butterfly
    logic [BANK_BITS-1:0] bank;
    assign bank = (BANKS == 1) ? '0 : (BANK_BITS'(c) & from_lane_0) | (choice_0 & ~from_lane_0);
    assign wanted[c*DATA_BITS+:DATA_BITS] = number_t'(row_0) * number_t'(BANKS) + number_t'(bank);
  end
  always_comb if (cycle == 8'(2 + BEHIND)) assert (twiddles == wanted);
endmodule
