// SPDX-License-Identifier: Apache-2.0
// The streaming permutation before a stage: spatial - temporal - spatial ([Yan22] section 5.4).
//
//   in -> switches -> 2^EXCHANGES memories -> switches -> out
//         slot bits   address = slot xor masks  slot bits
//
// Between two stages of an in-place transform up to EXCHANGES bits of a coefficient's index move from
// the time slot to the highest lane bits, and the bits there take their place. For such exchanges the
// Benes network needs one layer of switches each, all set by one bit of the slot, and the addresses
// differ from the slot by masks (docs/hardware.md). Row r of the tables serves one pass. EXCHANGE[r][e]
// is the slot bit (one-hot, or 0) that changes places with lane bit log2 LANES - 1 - e. DELAY[r] is the
// number of cycles that a frame waits, more than the sum of its EXCHANGE[r]; a frame with DELAY 0, which
// has no exchanges, passes by the memories.
//
// A frame is WORDS consecutive words. The next frame is written where this one is being read, so
// WORDS rows are enough: `mask` gathers the exchanges. First words of two frames must be at least
// max(WORDS, DELAY) cycles apart, and the reads of two frames must not overlap, whatever their rows:
// a frame begins to be read (its first word's cycle + DELAY, or that of its entry) WORDS cycles or
// more after the one read before. The schedule sees to both; nothing here checks them. A transform's
// first stage enters at the read side (`entry`), while the memories may be taking words of its next
// stage. out_data follows read_slot by 2 + BEHIND + FRONT cycles. TAG_BITS bits above a row go with its
// frame and choose nothing here.
module nttf_stage_spn #(
  parameter int DATA_BITS  = 30,
  parameter int LANES      = 4,
  parameter int WORDS      = 4,
  localparam int SLOT_BITS = (WORDS > 1) ? $clog2(WORDS) : 1,
  parameter int ROWS       = 1,
  localparam int TABLE_BITS = (ROWS > 1) ? $clog2(ROWS) : 1,
  parameter int TAG_BITS   = 0,
  localparam int ROW_BITS  = TAG_BITS + TABLE_BITS,
  parameter int DELAY_BITS = 3,
  parameter int EXCHANGES  = 1,
  parameter int MEMORY     = 1,  // 0: no row waits; 2: words wait in UltraRAM
  parameter int FRONT      = 0,  // registers in front of the memories, addresses and words
  parameter int BEHIND     = 0,  // registers behind them
  parameter logic [ROWS*EXCHANGES*SLOT_BITS-1:0] EXCHANGE = '0,
  parameter logic [ROWS*DELAY_BITS-1:0]          DELAY    = '0
) (
  input  logic                       clk,
  input  logic                       reset,
  input  logic                       enable,
  input  logic                       in_valid,
  input  logic                       in_first,
  input  logic [ROW_BITS-1:0]        in_row,  // with in_first
  input  logic [LANES*DATA_BITS-1:0] in_data,
  input  logic                       entry_valid,
  input  logic                       entry_first,
  input  logic [ROW_BITS-1:0]        entry_row,  // with entry_first
  input  logic [LANES*DATA_BITS-1:0] entry_data,
  output logic                       read_valid,
  output logic                       read_first,
  output logic [ROW_BITS-1:0]        read_row,
  output logic [SLOT_BITS-1:0]       read_slot,
  output logic [LANES*DATA_BITS-1:0] out_data
);
  localparam int MASK_BITS  = EXCHANGES * SLOT_BITS;
  localparam int GROUPS     = 1 << EXCHANGES;
  localparam int GROUP_BITS = (LANES >> EXCHANGES) * DATA_BITS;
  localparam logic [SLOT_BITS-1:0] LAST = SLOT_BITS'(WORDS - 1);

  // Write side.
  logic [SLOT_BITS-1:0]  slot, slot_next;
  logic [MASK_BITS-1:0]  write_exchange, mask;
  logic [ROW_BITS-1:0]   row, row_held;
  logic [DELAY_BITS-1:0] delay;
  assign slot           = in_first ? '0 : slot_next;
  assign row            = in_first ? in_row : row_held;
  assign write_exchange = EXCHANGE[row[TABLE_BITS-1:0]*MASK_BITS+:MASK_BITS];
  assign delay          = DELAY[row[TABLE_BITS-1:0]*DELAY_BITS+:DELAY_BITS];

  // Read side: a frame starts DELAY cycles after its first word came.
  logic                  pending, enter_now, start_now, start, active, passes_by, passes_by_held;
  logic [DELAY_BITS-1:0] wait_cycles;
  logic [ROW_BITS-1:0]   pending_row, read_row_held;
  logic [MASK_BITS-1:0]  pending_mask, read_mask, read_mask_held, read_exchange;
  logic [SLOT_BITS-1:0]  read_slot_next;
  assign enter_now     = entry_valid && entry_first;
  assign start_now     = in_valid && in_first && delay == '0;
  assign start         = enter_now || start_now || (pending && wait_cycles == '0);
  assign read_first    = start;
  assign read_valid    = start || active;
  assign read_slot     = start ? '0 : read_slot_next;
  assign read_row      = enter_now ? entry_row : start_now ? in_row : start ? pending_row : read_row_held;
  assign read_mask     = start ? pending_mask : read_mask_held;
  assign read_exchange = EXCHANGE[read_row[TABLE_BITS-1:0]*MASK_BITS+:MASK_BITS];
  assign passes_by     = start ? enter_now || start_now : passes_by_held;

  always_ff @(posedge clk) begin
    if (reset) begin
      mask    <= '0;
      pending <= 1'b0;
      active  <= 1'b0;
    end else if (enable) begin
      if (in_valid && slot == LAST) mask <= mask ^ write_exchange;
      if (in_valid && in_first && !start_now) pending <= 1'b1;
      else if (start && !enter_now) pending <= 1'b0;
      if (read_valid) active <= read_slot != LAST;
    end
    if (enable) begin
      if (in_valid) begin
        slot_next <= slot + 1'b1;
        row_held  <= row;
      end
      if (in_valid && in_first) begin
        wait_cycles  <= delay - 1'b1;
        pending_row  <= in_row;
        pending_mask <= mask ^ write_exchange;
      end else begin
        wait_cycles <= wait_cycles - 1'b1;
      end
      read_slot_next <= read_slot + 1'b1;
      read_row_held  <= read_row;
      read_mask_held <= read_mask;
      passes_by_held <= passes_by;
    end
  end

  // Data: switches, memories, switches.
  logic [EXCHANGES-1:0]       swap_in, swap_read, swap_out;
  // verilator lint_off UNUSEDSIGNAL
  logic [LANES*DATA_BITS-1:0] switched, beside, remembered, chosen, switched_back;  // not all if MEMORY = 0
  // verilator lint_on UNUSEDSIGNAL
  generate
    for (genvar e = 0; e < EXCHANGES; e = e + 1) begin : gen_swap
      assign swap_in[e]   = |(slot & write_exchange[e*SLOT_BITS+:SLOT_BITS]);
      assign swap_read[e] = |(read_slot & read_exchange[e*SLOT_BITS+:SLOT_BITS]);
    end
  endgenerate
  logic [EXCHANGES-1:0]       swap;
  logic [LANES*DATA_BITS-1:0] word, entry_word;
  // verilator lint_off UNUSEDSIGNAL
  logic                       write, enters;  // not all if MEMORY = 0
  // verilator lint_on UNUSEDSIGNAL
  nttf_delay #(.WIDTH(2 + EXCHANGES + 2 * LANES * DATA_BITS), .DEPTH(FRONT)) u_front (
    .clk(clk), .enable(enable), .in_data({in_valid, entry_valid, swap_in, in_data, entry_data}),
    .out_data({write, enters, swap, word, entry_word}));
  nttf_lane_switches #(.DATA_BITS(DATA_BITS), .LANES(LANES), .EXCHANGES(EXCHANGES)) u_switches_in (
    .swap(swap), .in_data(word), .out_data(switched));
  nttf_delay #(.WIDTH(LANES * DATA_BITS), .DEPTH(1 + BEHIND), .APART((MEMORY == 0 && FRONT > 0) ? 1 : 0)) u_beside (
    .clk(clk), .enable(enable), .in_data(enters ? entry_word : switched), .out_data(beside));

  generate
    if (MEMORY != 0) begin : gen_memories
      logic past;
      nttf_delay #(.WIDTH(1), .DEPTH(1 + FRONT + BEHIND)) u_past (
        .clk(clk), .enable(enable), .in_data(passes_by), .out_data(past));
      assign chosen = past ? beside : remembered;
      logic [GROUP_BITS-1:0] group[GROUPS];
      for (genvar j = 0; (1 << j) <= GROUPS; j = j + 1) begin : gen_join
        for (genvar k = 0; k < (GROUPS >> j); k = k + 1) begin : gen_node
          logic [(GROUP_BITS << j)-1:0] words;
          if (j == 0) begin : gen_one
            assign words = group[k];
          end else begin : gen_both
            assign words = {gen_join[j-1].gen_node[2*k+1].words, gen_join[j-1].gen_node[2*k].words};
          end
        end
      end
      assign remembered = gen_join[$clog2(GROUPS)].gen_node[0].words;
      for (genvar g = 0; g < GROUPS; g = g + 1) begin : gen_group
        logic [SLOT_BITS-1:0]  write_address, read_address, write_at, read_at;
        logic [GROUP_BITS-1:0] fetched;
        always_comb begin
          write_address = slot;
          read_address  = read_slot;
          for (int e = 0; e < EXCHANGES; e = e + 1) begin
            if (((g >> (EXCHANGES - 1 - e)) & 1) == 1) begin
              write_address = write_address ^ mask[e*SLOT_BITS+:SLOT_BITS];
              read_address  = read_address ^ read_mask[e*SLOT_BITS+:SLOT_BITS];
            end
          end
        end
        nttf_delay #(.WIDTH(2 * SLOT_BITS), .DEPTH(FRONT)) u_addresses (
          .clk(clk), .enable(enable), .in_data({write_address, read_address}),
          .out_data({write_at, read_at}));
        nttf_memory #(
          .WIDTH(GROUP_BITS), .DEPTH(WORDS), .ULTRA(MEMORY == 2 ? 1 : 0)
        ) u_memory (
          .clk(clk), .enable(enable), .write(write), .write_address(write_at),
          .in_data(switched[g*GROUP_BITS+:GROUP_BITS]), .read_address(read_at),
          .out_data(fetched));
        nttf_delay #(.WIDTH(GROUP_BITS), .DEPTH(BEHIND)) u_fetched (
          .clk(clk), .enable(enable), .in_data(fetched),
          .out_data(group[g]));
      end
    end else begin : gen_wires
      assign remembered = '0;
      assign chosen     = beside;
    end
  endgenerate

  nttf_delay #(.WIDTH(EXCHANGES), .DEPTH(1 + FRONT + BEHIND)) u_swap_out (
    .clk(clk), .enable(enable), .in_data(swap_read), .out_data(swap_out));
  nttf_lane_switches #(.DATA_BITS(DATA_BITS), .LANES(LANES), .EXCHANGES(EXCHANGES)) u_switches_out (
    .swap(swap_out), .in_data(chosen), .out_data(switched_back));
  nttf_delay #(.WIDTH(LANES * DATA_BITS), .DEPTH(1)) u_out (
    .clk(clk), .enable(enable), .in_data(switched_back), .out_data(out_data));
endmodule
