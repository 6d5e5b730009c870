// SPDX-License-Identifier: Apache-2.0
// nttf_control around a pipeline of DEPTH cycles of `enable`, with a sender that keeps a word until it
// is taken. Shown in every cycle after reset: what is offered stays until it is taken (1), words enter
// and leave as whole transforms and none is lost or doubled (2), two transforms start at least INTERVAL
// enabled cycles apart, TO_INVERSE or TO_FORWARD where their directions differ (3), all words of a
// transform have its direction (4), and a stalled design does not move (5).
module control_proof #(
  parameter int WORDS         = 2,
  parameter int INTERVAL      = 3,
  parameter int TO_INVERSE    = 2,
  parameter int TO_FORWARD    = 5,
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
    .TO_INVERSE(TO_INVERSE), .TO_FORWARD(TO_FORWARD)
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
  logic was_offered = 1'b0, was_last, was_given = 1'b0, given_direction, direction = 1'b0;
  logic [7:0] entered = '0, left = '0, since = 8'd255;
  logic       taken, sent;
  assign taken = s_valid && s_ready;
  assign sent  = m_valid && m_ready;
  always_ff @(posedge clk) begin
    was_offered     <= !begins && m_valid && !m_ready;
    was_last        <= m_last;
    was_given       <= !begins && s_valid && !s_ready;
    given_direction <= s_inverse;
    if (!begins) begin
      if (taken) entered <= entered + 1'b1;
      if (taken && entry_first) direction <= s_inverse;
      if (sent) left <= left + 1'b1;
      if (enable) since <= (entry_valid && entry_first) ? '0 : (since == '1) ? since : since + 1'b1;
    end
  end
  logic [7:0] flying, distance;
  assign distance = (s_inverse == direction) ? 8'(INTERVAL) : s_inverse ? 8'(TO_INVERSE) : 8'(TO_FORWARD);
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
      if (entry_valid && entry_first && entered != '0) assert (since >= distance - 1'b1);  // (3)
      if (entry_valid) assert (inverse == (entry_first ? s_inverse : direction));      // (4)
      if (m_valid && !m_ready) assert (!enable);                                       // (5)
      if (entered % 8'(WORDS) != '0 && !s_valid) assert (!enable);
    end
  end
endmodule
