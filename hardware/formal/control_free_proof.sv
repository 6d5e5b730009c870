// SPDX-License-Identifier: Apache-2.0
// nttf_control_free between two buffers of frames, around a pipeline of DEPTH cycles without an enable.
// Words are numbered as they are taken. Shown in every cycle after reset: what is offered stays until it
// is taken (1), words leave in order and none is lost or doubled (2), a transform's words enter in
// consecutive cycles (3), each one when all words of its frame were taken (4), two transforms begin at
// least INTERVAL cycles apart (5), at most ROOM frames are inside, and the buffer behind always has room for
// what comes out (6).
module control_free_proof #(
  parameter int WORDS    = 4,
  parameter int INTERVAL = 5,
  parameter int DEPTH    = 3,
  parameter int IN_DEPTH = 4,
  parameter int ROOM     = 2,
  parameter int BEHIND   = 0
) (
  input logic clk,
  input logic s_valid,
  input logic m_ready
);
  localparam int BITS = 6;
  logic begins = 1'b1;  // the reset cycle
  logic s_ready, taken_valid, taken_ready, entry_valid, entry_first, exit_valid, room, m_valid;
  logic [BITS-1:0] taken = '0, entered = '0, left = '0, taken_word, entry_word, m_data;
  logic [DEPTH-1:0]      line;
  logic [DEPTH*BITS-1:0] words;
  nttf_frame_buffer #(.WIDTH(BITS), .WORDS(WORDS), .DEPTH(IN_DEPTH), .BEGIN(WORDS), .BEHIND(BEHIND)) u_in (
    .clk(clk), .reset(begins), .s_valid(s_valid), .s_ready(s_ready), .s_data(taken),
    .m_valid(taken_valid), .m_ready(taken_ready), .m_data(taken_word));
  nttf_control_free #(.WORDS(WORDS), .INTERVAL(INTERVAL), .ROOM(ROOM), .WIDTH(BITS)) u_control (
    .clk(clk), .reset(begins), .s_valid(taken_valid), .s_ready(taken_ready), .s_data(taken_word),
    .gives(m_valid && m_ready), .entry_valid(entry_valid), .entry_first(entry_first),
    .entry_word(entry_word));
  nttf_frame_buffer #(.WIDTH(BITS), .WORDS(WORDS), .DEPTH(ROOM * WORDS), .BEGIN(1), .BEHIND(BEHIND)) u_out (
    .clk(clk), .reset(begins), .s_valid(exit_valid), .s_ready(room), .s_data(words[DEPTH*BITS-1-:BITS]),
    .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data));
  assign exit_valid = line[DEPTH-1];
  always_ff @(posedge clk) begin
    line  <= begins ? '0 : DEPTH'({line, entry_valid});
    words <= (DEPTH*BITS)'({words, entry_word});
  end

  logic was_offered = 1'b0;
  logic [BITS-1:0] was_data;
  logic [7:0]      since = 8'd255;
  always_ff @(posedge clk) begin
    begins      <= 1'b0;
    was_offered <= !begins && m_valid && !m_ready;
    was_data    <= m_data;
    if (!begins) begin
      if (s_valid && s_ready) taken <= taken + 1'b1;
      if (entry_valid) entered <= entered + 1'b1;
      if (m_valid && m_ready) left <= left + 1'b1;
      since <= entry_first && entry_valid ? '0 : (since == '1) ? since : since + 1'b1;
    end
  end
  always_comb begin
    if (!begins) begin
      if (was_offered) assert (m_valid && m_data == was_data);                                   // (1)
      if (entry_valid) assert (entry_word == entered);                                           // (2)
      if (m_valid) assert (m_data == left && left != entered);
      if (entered % BITS'(WORDS) != '0) assert (entry_valid);                                    // (3)
      if (entry_valid) assert (entry_first == (entered % BITS'(WORDS) == '0));
      if (entry_valid) assert (BITS'(taken - (entered - entered % BITS'(WORDS))) >= BITS'(WORDS)); // (4)
      if (entry_valid && entry_first && since != '1) assert (since >= 8'(INTERVAL - 1));         // (5)
      assert (BITS'(entered - left) <= BITS'(ROOM * WORDS));                                     // (6)
      if (exit_valid) assert (room);
    end
  end
endmodule
