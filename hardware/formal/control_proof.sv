// SPDX-License-Identifier: Apache-2.0
// nttf_control around a pipeline of DEPTH cycles of `enable`, with a sender that keeps a word until it
// is taken. Shown in every cycle after reset: what is offered stays until it is taken (1), words enter
// and leave as whole transforms and none is lost or doubled (2), two transforms start at least
// INTERVAL enabled cycles apart (3), the direction changes only when nothing is in flight (4), and a
// stalled design does not move (5).
module control_proof #(
  parameter int WORDS         = 2,
  parameter int INTERVAL      = 3,
  parameter int FLIGHT_BITS   = 3,
  parameter int DEPTH         = 5
) (
  input logic clk,
  input logic s_valid,
  input logic s_inverse,
  input logic m_ready
);
  logic s_ready, enable, entry_valid, entry_first, inverse, exit_valid, m_valid, m_last;
  logic begins = 1'b1;  // the reset cycle
  logic [DEPTH-1:0] line;
  nttf_control #(
    .WORDS(WORDS), .INTERVAL(INTERVAL),
    .FLIGHT_BITS(FLIGHT_BITS)
  ) u_control (
    .clk(clk), .reset(begins), .s_valid(s_valid), .s_ready(s_ready), .s_inverse(s_inverse),
    .enable(enable), .entry_valid(entry_valid), .entry_first(entry_first), .inverse(inverse),
    .exit_valid(exit_valid), .m_valid(m_valid), .m_ready(m_ready), .m_last(m_last));
  assign exit_valid = line[DEPTH-1];
  always_ff @(posedge clk) begin
    begins <= 1'b0;
    if (begins) line <= '0;
    else if (enable) line <= {line[DEPTH-2:0], entry_valid};
  end

  // What was true a cycle ago.
  logic was_offered = 1'b0, was_last, was_given = 1'b0, was_direction, given_direction;
  logic [7:0] entered = '0, left = '0, since = 8'd255;
  logic       taken, sent;
  assign taken = s_valid && s_ready;
  assign sent  = m_valid && m_ready;
  always_ff @(posedge clk) begin
    was_offered     <= !begins && m_valid && !m_ready;
    was_last        <= m_last;
    was_given       <= !begins && s_valid && !s_ready;
    given_direction <= s_inverse;
    was_direction   <= inverse;
    if (!begins) begin
      if (taken) entered <= entered + 1'b1;
      if (sent) left <= left + 1'b1;
      if (enable) since <= (entry_valid && entry_first) ? '0 : (since == '1) ? since : since + 1'b1;
    end
  end
  logic [7:0] flying;
  always_comb begin
    flying = '0;
    for (int k = 0; k < DEPTH; k = k + 1) flying = flying + 8'(line[k]);
  end
  always_comb begin
    if (was_given) assume (s_valid && s_inverse == given_direction);
    if (!begins) begin
      if (was_offered) assert (m_valid && m_last == was_last);                         // (1)
      assert (taken == (entry_valid && enable) && sent == (exit_valid && enable));     // (2)
      assert (8'(entered - left) == flying);
      assert (!entry_valid || entry_first == (entered % 8'(WORDS) == '0));
      assert (m_last == (left % 8'(WORDS) == 8'(WORDS - 1)));
      if (entry_valid && entry_first) assert (since >= 8'(INTERVAL - 1));              // (3)
      if (entered != '0 && flying != '0) assert (inverse == was_direction);            // (4)
      if (m_valid && !m_ready) assert (!enable);                                       // (5)
      if (entered % 8'(WORDS) != '0 && !s_valid) assert (!enable);
    end
  end
endmodule
