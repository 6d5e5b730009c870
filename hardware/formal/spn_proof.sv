// SPDX-License-Identifier: Apache-2.0
// The permutation of a stage: whatever frames come, a word that came in lane l at slot s of a frame of
// row r leaves in the lane and at the slot of its specification, at the specified cycle.
// Any lane, slot and frame may be the watched one; the memories and masks start with any contents.
// A frame's first word comes when `go` allows it, not before the specified distance from the frame
// before. An entering frame (`enter`) takes the read side when no frame is read.
module spn_proof #(
  parameter int DATA_BITS  = 2,
  parameter int LANES      = 4,
  localparam int LANE_BITS = $clog2(LANES),
  parameter int WORDS      = 4,
  localparam int SLOT_BITS = (WORDS > 1) ? $clog2(WORDS) : 1,
  parameter int ROWS       = 1,
  localparam int ROW_BITS  = (ROWS > 1) ? $clog2(ROWS) : 1,
  parameter int DELAY_BITS = 3,
  parameter int EXCHANGES  = 1,
  parameter int MEMORY     = 1,
  parameter int FRONT      = 0,
  parameter int BEHIND     = 0,
  parameter int ENTRY_ROW  = 0,  // a row without exchange, or ROWS: nothing enters
  parameter logic [ROWS*EXCHANGES*SLOT_BITS-1:0] EXCHANGE = '0,
  parameter logic [ROWS*DELAY_BITS-1:0]          DELAY    = '0
) (
  input logic                       clk,
  input logic                       go,
  input logic [ROW_BITS-1:0]        row,
  input logic [LANES*DATA_BITS-1:0] in_data,
  input logic                       enter,
  input logic [LANES*DATA_BITS-1:0] entry_data,
  input logic                       watch,       // this cycle's word in `lane` is the watched one
  input logic                       watch_entry,
  input logic [LANE_BITS-1:0]       lane,
  input logic                       pending,     // linked: idle at the beginning
  input logic                       active
);
  localparam int MASK_BITS = EXCHANGES * SLOT_BITS;
  localparam int TIME_BITS = 8;
  localparam int AFTER     = 1 + FRONT + BEHIND;  // from reading to leaving
  localparam logic [TIME_BITS-1:0] FRAME = TIME_BITS'(WORDS);
  typedef logic [TIME_BITS-1:0] cycles_t;

  // Frames at the input and at the read side.
  logic [TIME_BITS-1:0] cycle = '0;
  logic [TIME_BITS-1:0] left = '0;       // words of the frame that comes
  logic [TIME_BITS-1:0] free_in = '0;    // cycles until the next frame may come
  logic [TIME_BITS-1:0] free_read = '0;  // cycles until the last word of all frames so far is read
  logic [TIME_BITS-1:0] entering = '0;
  logic [ROW_BITS-1:0]  row_held, row_now;
  logic                 first, valid, entry_first, entry_valid;
  logic [TIME_BITS-1:0] delay;
  logic [SLOT_BITS-1:0] slot, entry_slot;
  assign first       = go && free_in == '0 && row < ROWS
                       && cycles_t'(DELAY[row*DELAY_BITS+:DELAY_BITS]) >= free_read;
  assign valid       = first || left != '0;
  assign row_now     = first ? row : row_held;
  assign delay       = cycles_t'(DELAY[row_now*DELAY_BITS+:DELAY_BITS]);
  assign slot        = first ? '0 : SLOT_BITS'(FRAME - left);
  assign entry_first = enter && ENTRY_ROW < ROWS && free_read == '0 && !(first && delay < FRAME);
  assign entry_valid = entry_first || entering != '0;
  assign entry_slot  = entry_first ? '0 : SLOT_BITS'(FRAME - entering);

  function automatic logic [TIME_BITS-1:0] less(logic [TIME_BITS-1:0] value);
    less = (value == '0) ? '0 : value - 1'b1;
  endfunction
  always_ff @(posedge clk) begin
    if (cycle != '1) cycle <= cycle + 1'b1;
    row_held <= row_now;
    left     <= first ? FRAME - 1'b1 : less(left);
    entering <= entry_first ? FRAME - 1'b1 : less(entering);
    free_in  <= first ? (delay > FRAME ? delay : FRAME) - 1'b1 : less(free_in);
    free_read <= first ? delay + FRAME - 1'b1 : entry_first ? FRAME - 1'b1 : less(free_read);
  end

  logic                       read_valid, read_first;
  logic [ROW_BITS-1:0]        read_row;
  logic [SLOT_BITS-1:0]       read_slot;
  logic [LANES*DATA_BITS-1:0] out_data;
  nttf_stage_spn #(
    .DATA_BITS(DATA_BITS), .LANES(LANES), .WORDS(WORDS), .ROWS(ROWS), .DELAY_BITS(DELAY_BITS),
    .EXCHANGES(EXCHANGES), .MEMORY(MEMORY), .FRONT(FRONT), .BEHIND(BEHIND), .EXCHANGE(EXCHANGE), .DELAY(DELAY)
  ) u_spn (
    .clk(clk), .reset(1'b0), .enable(1'b1), .in_valid(valid), .in_first(first), .in_row(row),
    .in_data(in_data), .entry_valid(entry_valid), .entry_first(entry_first),
    .entry_row(ROW_BITS'(ENTRY_ROW)), .entry_data(entry_data), .read_valid(read_valid),
    .read_first(read_first), .read_row(read_row), .read_slot(read_slot), .out_data(out_data));

  // Specification: slot bits and lane bits that change places.
  logic [LANE_BITS-1:0] wanted_lane;
  logic [SLOT_BITS-1:0] wanted_slot;
  always_comb begin
    wanted_lane = lane;
    wanted_slot = slot;
    for (int e = 0; e < EXCHANGES; e = e + 1)
      for (int j = 0; j < SLOT_BITS; j = j + 1)
        if (EXCHANGE[row_now*MASK_BITS+e*SLOT_BITS+j]) begin
          wanted_lane[LANE_BITS-1-e] = slot[j];
          wanted_slot[j]             = lane[LANE_BITS-1-e];
        end
  end

  // The watched word and the cycles until it must leave.
  logic                 watched = 1'b0;
  logic                 takes, takes_entry;
  logic [DATA_BITS-1:0] word;
  logic [LANE_BITS-1:0] out_lane;
  logic [SLOT_BITS-1:0] out_slot;
  logic [ROW_BITS-1:0]  out_row;
  logic [TIME_BITS-1:0] countdown;
  assign takes       = watch && !watched && valid;
  assign takes_entry = watch_entry && !watched && !takes && entry_valid;
  always_ff @(posedge clk) begin
    countdown <= countdown - 1'b1;
    if (takes) begin
      watched  <= 1'b1;
      word     <= in_data[lane*DATA_BITS+:DATA_BITS];
      out_lane <= wanted_lane;
      out_slot <= wanted_slot;
      out_row  <= row_now;
      countdown    <= delay + cycles_t'(wanted_slot) - cycles_t'(slot) + cycles_t'(AFTER);
    end else if (takes_entry) begin
      watched  <= 1'b1;
      word     <= entry_data[lane*DATA_BITS+:DATA_BITS];
      out_lane <= lane;
      out_slot <= entry_slot;
      out_row  <= ROW_BITS'(ENTRY_ROW);
      countdown    <= cycles_t'(AFTER);
    end
  end
  logic                 was_valid, was_first;
  logic [SLOT_BITS-1:0] was_slot;
  logic [ROW_BITS-1:0]  was_row;
  always_ff @(posedge clk) begin
    was_valid <= read_valid;
    was_first <= read_first;
    was_slot  <= read_slot;
    was_row   <= read_row;
  end
  always_comb begin
    if (cycle == '0) assume (!pending && !active);
    if (watched && countdown == '0) assert (out_data[out_lane*DATA_BITS+:DATA_BITS] == word);
    if (watched && countdown == cycles_t'(AFTER)) begin
      assert (was_valid && was_slot == out_slot && was_row == out_row);
      assert (was_first == (out_slot == '0));
    end
  end
endmodule
