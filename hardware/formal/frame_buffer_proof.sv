// SPDX-License-Identifier: Apache-2.0
// nttf_frame_buffer with words that are numbered as they are taken. Shown in every cycle after reset: what
// is offered stays until it is taken (1), words leave in order and none is lost or doubled (2), there is
// room for DEPTH words (3), a frame's first word is offered only when BEGIN of its words are inside (4) and
// any word no later than 3 + BEHIND cycles after that and after it was taken (5).
module frame_buffer_proof #(
  parameter int WORDS = 4,
  parameter int DEPTH = 4,
  parameter int BEGIN = 1,
  parameter int BEHIND = 0
) (
  input logic clk,
  input logic s_valid,
  input logic m_ready
);
  localparam int BITS = 5;
  logic s_ready, m_valid;
  logic [BITS-1:0] taken = '0, left = '0, m_data, count, earlier, needed;
  logic begins = 1'b1;  // the reset cycle
  nttf_frame_buffer #(.WIDTH(BITS), .WORDS(WORDS), .DEPTH(DEPTH), .BEGIN(BEGIN), .BEHIND(BEHIND)) u_buffer (
    .clk(clk), .reset(begins), .s_valid(s_valid), .s_ready(s_ready), .s_data(taken),
    .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data));

  logic was_offered = 1'b0;
  logic [BITS-1:0] was_data, taken_1 = '0, taken_2 = '0, taken_3 = '0, taken_before;
  always_ff @(posedge clk) begin
    begins      <= 1'b0;
    was_offered <= !begins && m_valid && !m_ready;
    was_data    <= m_data;
    taken_1     <= taken;
    taken_2     <= taken_1;
    taken_3     <= taken_2;
    if (!begins) begin
      if (s_valid && s_ready) taken <= taken + 1'b1;
      if (m_valid && m_ready) left <= left + 1'b1;
    end
  end
  assign count = taken - left;
  assign taken_before = (BEHIND != 0) ? taken_3 : taken_2;
  assign earlier = (taken_before >= left) ? taken_before - left : '0;
  assign needed = (left % BITS'(WORDS) == '0) ? BITS'(BEGIN) : BITS'(1);
  always_comb begin
    if (!begins) begin
      if (was_offered) assert (m_valid && m_data == was_data);  // (1)
      if (m_valid) assert (m_data == left && count != '0);     // (2)
      if (count < BITS'(DEPTH)) assert (s_ready);              // (3)
      if (m_valid) assert (count >= needed);                   // (4)
      if (earlier >= needed) assert (m_valid);                   // (5)
    end
  end
endmodule
