// SPDX-License-Identifier: Apache-2.0
// Runs key switching: sends the frames of an operation through engines in lockstep, at the cycles that
// LAUNCH says (32 bits for each frame), and stops everything while a key or room for a result is missing.
//
//   frame 0                    the polynomial, from port s      inverse
//   frames 1 ... DIGITS        its digits, from their memory    forward, and times their keys
//   frames DIGITS + 1, + 2     the sums, from their memory      inverse, and divided
//
// An operation begins when all words of its polynomial are at port s, at least INTERVAL enabled cycles
// after the one before; the words are then taken one an enabled cycle, which s_ready tells. `launch`
// flags name the frame whose word is read from its memory now, with its slot and digit or part; the
// word goes to the engines some fixed time later. `exit_valid` comes with each word from the engines, in
// the order of the frames; exit_input goes with it, held_key and held_sum one enabled cycle later.
// The cycle of held_key takes a word of keys, held_word. `leaves` comes with a divided word, leaving.
//
// A result is 2 * WORDS words, part 0 first; m_last comes with the last of them.
// `enable_next` is that of the next cycle, for nttf_enable: it is given when the next cycle has a key for
// a word that needs one, and there is room for a result. Once high, m_valid stays until m_ready.
module nttf_control_keyswitch #(
  parameter int WORDS          = 8,
  localparam int SLOT_BITS     = $clog2(WORDS),
  parameter int DIGITS         = 2,
  localparam int FRAMES        = DIGITS + 3,
  localparam int FRAME_BITS    = $clog2(FRAMES),
  parameter int INTERVAL       = 100,
  localparam int TIME_BITS     = $clog2(INTERVAL + 1),
  parameter logic [FRAMES*32-1:0] LAUNCH = '0,
  parameter int KEY_BITS       = 8,
  parameter int OUT_BITS       = 8
) (
  input  logic                  clk,
  input  logic                  reset,
  output logic                  enable,
  output logic                  enable_next,
  input  logic                  s_valid,  // stays within a polynomial
  output logic                  s_ready,
  input  logic                  k_valid,
  output logic                  k_ready,
  input  logic [KEY_BITS-1:0]   k_data,
  output logic                  launch_input,
  output logic                  launch_digit,
  output logic                  launch_sum,
  output logic [FRAME_BITS-1:0] launch_which,  // the digit or part
  output logic [SLOT_BITS-1:0]  launch_slot,
  input  logic                  exit_valid,
  output logic                  exit_input,
  output logic [SLOT_BITS-1:0]  exit_slot,
  output logic                  held_key,
  output logic                  held_first,  // of the first digit
  output logic                  held_sum,
  output logic [SLOT_BITS-1:0]  held_slot,
  output logic [KEY_BITS-1:0]   held_word,
  input  logic                  leaves,
  input  logic [OUT_BITS-1:0]   leaving,
  output logic                  m_valid,
  input  logic                  m_ready,
  output logic                  m_last,
  output logic [OUT_BITS-1:0]   m_data
);
  localparam logic [SLOT_BITS-1:0]  LAST       = SLOT_BITS'(WORDS - 1);
  localparam logic [FRAME_BITS-1:0] LAST_FRAME = FRAME_BITS'(FRAMES - 1);
  localparam logic [FRAME_BITS-1:0] LAST_DIGIT = FRAME_BITS'(DIGITS);

  // Frames into the engines.
  logic [TIME_BITS-1:0]  at;  // enabled cycles since the operation began, INTERVAL at most
  logic [FRAME_BITS-1:0] frame;
  logic                  running, starts, launch;
  assign starts = !running && ((frame == '0) ? s_valid && at == TIME_BITS'(INTERVAL)
                                             : 32'(at) == LAUNCH[frame*32+:32]);
  assign launch       = running || starts;
  assign launch_input = launch && frame == '0;
  assign launch_digit = launch && frame != '0 && frame <= LAST_DIGIT;
  assign launch_sum   = launch && frame > LAST_DIGIT;
  assign launch_which = (frame > LAST_DIGIT) ? frame - LAST_DIGIT - 1'b1 : frame - 1'b1;
  assign s_ready      = enable && launch_input;
  always_ff @(posedge clk) begin
    if (reset) begin
      at          <= TIME_BITS'(INTERVAL);
      frame       <= '0;
      running     <= 1'b0;
      launch_slot <= '0;
    end else if (enable) begin
      if (starts && frame == '0) at <= TIME_BITS'(1);
      else if (at != TIME_BITS'(INTERVAL)) at <= at + 1'b1;
      if (launch) begin
        running     <= launch_slot != LAST;
        launch_slot <= (launch_slot == LAST) ? '0 : launch_slot + 1'b1;
        if (launch_slot == LAST) frame <= (frame == LAST_FRAME) ? '0 : frame + 1'b1;
      end
    end
  end

  // Frames out of the engines.
  logic [FRAME_BITS-1:0] left;
  logic                  exit_key;
  assign exit_input = exit_valid && left == '0;
  assign exit_key   = exit_valid && left != '0 && left <= LAST_DIGIT;
  always_ff @(posedge clk) begin
    if (reset) begin
      left      <= '0;
      exit_slot <= '0;
      held_key  <= 1'b0;
      held_sum  <= 1'b0;
    end else if (enable) begin
      held_key <= exit_key;
      held_sum <= exit_valid && left > LAST_DIGIT;
      if (exit_valid) begin
        exit_slot <= (exit_slot == LAST) ? '0 : exit_slot + 1'b1;
        if (exit_slot == LAST) left <= (left == LAST_FRAME) ? '0 : left + 1'b1;
      end
    end
    if (enable) begin
      held_first <= left == FRAME_BITS'(1);
      held_slot  <= exit_slot;
    end
  end

  // Keys in and results out, and what the next cycle needs of both.
  logic [2:0]           key_count, out_count;
  logic                 takes_key, needs_key, out_part, out_final;
  logic [SLOT_BITS-1:0] out_slot;
  assign k_ready   = !reset && key_count != 3'd4;
  assign takes_key = enable && held_key;
  assign needs_key = enable ? exit_key : held_key;
  assign m_valid   = out_count != '0 && !reset;
  assign out_final = out_part && out_slot == LAST;
  nttf_fifo #(.WIDTH(KEY_BITS)) u_keys (
    .clk(clk), .reset(reset), .push(k_valid && k_ready), .in_data(k_data), .pop(takes_key),
    .out_data(held_word), .count(key_count));
  nttf_fifo #(.WIDTH(OUT_BITS + 1)) u_out (
    .clk(clk), .reset(reset), .push(enable && leaves), .in_data({out_final, leaving}),
    .pop(m_valid && m_ready), .out_data({m_last, m_data}), .count(out_count));
  assign enable_next = !reset && out_count <= 3'd2 && (!needs_key || key_count > 3'(takes_key));
  nttf_enable u_enable (.clk(clk), .enable_next(enable_next), .enable(enable));
  always_ff @(posedge clk) begin
    if (reset) begin
      out_slot <= '0;
      out_part <= 1'b0;
    end else if (enable && leaves) begin
      out_slot <= (out_slot == LAST) ? '0 : out_slot + 1'b1;
      if (out_slot == LAST) out_part <= !out_part;
    end
  end
endmodule
