// SPDX-License-Identifier: Apache-2.0
// nttf_control_registered around a pipeline of DEPTH cycles of a second copy of its enable. Words are
// numbered as they are taken. Shown in every cycle after reset: what is offered stays until it is taken
// (1), words enter and leave in order and none is lost or doubled (2), a transform's words enter in
// consecutive enabled cycles (3), two transforms begin at least INTERVAL enabled cycles apart, TO_INVERSE
// or TO_FORWARD where their directions differ (4), every word enters with its transform's direction (5), and a
// transform's first word is taken when all before have begun, two cycles or less before it may begin (6).
module control_registered_proof #(
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
  localparam int BITS = 5;
  logic s_ready, enable, enable_next, entry_valid, entry_first, inverse, exit_valid;
  logic m_valid, m_last, moves;
  logic [BITS-1:0] taken = '0, entered = '0, exited = '0, left = '0, entry_word, exit_word, m_data;
  logic begins = 1'b1;  // the reset cycle
  logic [DEPTH-1:0]      line;
  logic [DEPTH*BITS-1:0] words;
  nttf_control_registered #(
    .WORDS(WORDS), .INTERVAL(INTERVAL),
    .TO_INVERSE(TO_INVERSE), .TO_FORWARD(TO_FORWARD), .IN_BITS(BITS), .OUT_BITS(BITS)
  ) u_control (
    .clk(clk), .reset(begins), .s_valid(s_valid), .s_ready(s_ready), .s_inverse(s_inverse),
    .s_data(taken), .enable(enable), .enable_next(enable_next), .entry_valid(entry_valid),
    .entry_first(entry_first), .entry_word(entry_word), .inverse(inverse), .exit_valid(exit_valid),
    .exit_word(exit_word), .m_valid(m_valid), .m_ready(m_ready), .m_last(m_last), .m_data(m_data));
  nttf_enable u_copy (.clk(clk), .enable_next(enable_next), .enable(moves));
  assign exit_valid = line[DEPTH-1];
  assign exit_word  = words[DEPTH*BITS-1-:BITS];
  always_ff @(posedge clk) begin
    begins <= 1'b0;
    if (begins) line <= '0;
    else if (moves) line <= {line[DEPTH-2:0], entry_valid};
    if (moves) words <= {words[(DEPTH-1)*BITS-1:0], entry_word};
  end

  // What was true a cycle ago.
  logic was_offered = 1'b0, was_last, was_given = 1'b0, given_direction, entered_direction = 1'b0;
  logic [2**BITS-1:0] directions;  // bit k: that of the transform whose first word is number k
  logic [BITS-1:0] was_data;
  logic [7:0]      since = 8'd255;
  logic            enters;
  logic [7:0]      distance, distance_next;  // of the one that enters; of the one that is taken
  logic            taken_direction = 1'b0;
  assign enters = moves && entry_valid;
  assign distance = (inverse == entered_direction) ? 8'(INTERVAL)
                                                   : inverse ? 8'(TO_INVERSE) : 8'(TO_FORWARD);
  assign distance_next = (s_inverse == taken_direction) ? 8'(INTERVAL)
                                                        : s_inverse ? 8'(TO_INVERSE) : 8'(TO_FORWARD);
  always_ff @(posedge clk) begin
    was_offered     <= !begins && m_valid && !m_ready;
    was_last        <= m_last;
    was_data        <= m_data;
    was_given       <= !begins && s_valid && !s_ready;
    given_direction <= s_inverse;
    if (!begins) begin
      if (s_valid && s_ready) taken <= taken + 1'b1;
      if (s_valid && s_ready && taken % BITS'(WORDS) == '0) begin
        directions[taken] <= s_inverse;
        taken_direction   <= s_inverse;
      end
      if (enters) entered <= entered + 1'b1;
      if (enters) entered_direction <= inverse;
      if (moves && exit_valid) exited <= exited + 1'b1;
      if (m_valid && m_ready) left <= left + 1'b1;
      if (moves) since <= (entry_valid && entry_first) ? '0 : (since == '1) ? since : since + 1'b1;
    end
  end
  always_comb begin
    if (was_given) assume (s_valid && s_inverse == given_direction);
    if (!begins) begin
      if (was_offered) assert (m_valid && m_last == was_last && m_data == was_data);            // (1)
      if (enters) assert (entry_word == entered && entered != taken);                           // (2)
      if (enters) assert (entry_first == (entered % BITS'(WORDS) == '0));
      if (m_valid) assert (m_data == left && left != exited);
      if (m_valid) assert (m_last == (left % BITS'(WORDS) == BITS'(WORDS - 1)));
      assert (moves == enable);
      if (moves && entered % BITS'(WORDS) != '0) assert (entry_valid);                          // (3)
      if (enters && entry_first && since != '1) assert (since >= distance - 1'b1);              // (4)
      if (enters) assert (inverse == directions[entered - entered % BITS'(WORDS)]);             // (5)
      if (s_valid && s_ready && taken != '0 && taken % BITS'(WORDS) == '0 && distance_next > 8'd2)  // (6)
        assert (BITS'(taken - entered) < BITS'(WORDS) && 9'(since) + 9'd3 >= 9'(distance_next));
    end
  end
endmodule
