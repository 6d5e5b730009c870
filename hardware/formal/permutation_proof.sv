// SPDX-License-Identifier: Apache-2.0
// nttf_permutation: the word in lane l at slot s of a frame of permutation r leaves at the place that
// DESTINATION (r, number of the word) says, at the specified cycle; frames come at any distance of
// WORDS cycles or more, and any word of any frame may be the watched one.
module permutation_proof #(
  parameter int DATA_BITS    = 1,
  parameter int LANES        = 4,
  localparam int LANE_BITS   = $clog2(LANES),
  parameter int WORDS        = 4,
  localparam int SLOT_BITS   = (WORDS > 1) ? $clog2(WORDS) : 1,
  parameter int PERMUTATIONS = 1,
  localparam int SELECT_BITS = (PERMUTATIONS > 1) ? $clog2(PERMUTATIONS) : 1,
  parameter int DELAY        = 3,
  parameter     IMAGE_IN     = "tables/permutation_in.hex",
  parameter     IMAGE_READ   = "tables/permutation_read.hex",
  parameter     IMAGE_OUT    = "tables/permutation_out.hex",
  localparam int INDEX_BITS  = LANE_BITS + SLOT_BITS,
  parameter logic [PERMUTATIONS*LANES*WORDS*INDEX_BITS-1:0] DESTINATION = '0
) (
  input logic                       clk,
  input logic                       go,
  input logic [SELECT_BITS-1:0]     select,
  input logic [LANES*DATA_BITS-1:0] in_data,
  input logic                       watch,
  input logic [LANE_BITS-1:0]       lane
);
  typedef logic [7:0] cycles_t;
  cycles_t                cycle = '0;
  cycles_t                left = '0;
  logic [SELECT_BITS-1:0] select_held, select_now;
  logic                   first, valid;
  logic [SLOT_BITS-1:0]   slot;
  assign first      = go && left == '0 && cycle != '0 && cycles_t'(select) < cycles_t'(PERMUTATIONS);
  assign valid      = first || left != '0;
  assign select_now = first ? select : select_held;
  assign slot       = first ? '0 : SLOT_BITS'(cycles_t'(WORDS) - left);
  always_ff @(posedge clk) begin
    if (cycle != '1) cycle <= cycle + 1'b1;
    select_held <= select_now;
    left        <= first ? cycles_t'(WORDS - 1) : (left == '0) ? '0 : left - 1'b1;
  end

  logic                       out_valid;
  logic [LANES*DATA_BITS-1:0] out_data;
  nttf_permutation #(
    .DATA_BITS(DATA_BITS), .LANES(LANES), .WORDS(WORDS), .PERMUTATIONS(PERMUTATIONS),
    .DELAY(DELAY), .IMAGE_IN(IMAGE_IN), .IMAGE_READ(IMAGE_READ), .IMAGE_OUT(IMAGE_OUT)
  ) u_permutation (
    .clk(clk), .reset(cycle == '0), .enable(1'b1), .in_valid(valid), .in_first(first),
    .in_select(select), .in_data(in_data), .out_valid(out_valid), .out_data(out_data));

  logic [INDEX_BITS-1:0] wanted;
  assign wanted = DESTINATION[(INDEX_BITS+8)'({select_now, slot, lane}) * INDEX_BITS+:INDEX_BITS];

  logic                 watched = 1'b0;
  logic [DATA_BITS-1:0] word;
  logic [LANE_BITS-1:0] out_lane;
  cycles_t              countdown;
  always_ff @(posedge clk) begin
    countdown <= countdown - 1'b1;
    if (watch && valid && !watched) begin
      watched   <= 1'b1;
      word      <= in_data[lane*DATA_BITS+:DATA_BITS];
      out_lane  <= wanted[LANE_BITS-1:0];
      countdown <= cycles_t'(DELAY + 1) + cycles_t'(wanted[INDEX_BITS-1:LANE_BITS]) - cycles_t'(slot);
    end
  end
  always_comb
    if (watched && countdown == '0)
      assert (out_valid && out_data[out_lane*DATA_BITS+:DATA_BITS] == word);
endmodule
