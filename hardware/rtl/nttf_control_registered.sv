// SPDX-License-Identifier: Apache-2.0
// nttf_control with a registered enable between buffers at both ports: no path leads from a handshake
// to the registers of the design within a cycle.
//
// `enable_next` is that of the next cycle, for nttf_enable; `enable` is this module's own copy of it. It
// is given when the next cycle surely has a word for a transform that has begun, and room for a word
// that leaves. A transform begins when two of its words are there, INTERVAL enabled cycles after the
// one before of the same direction, TO_INVERSE cycles after a forward one if it is an inverse, TO_FORWARD
// the other way round; its first word is not taken earlier than two cycles before that. `inverse` is the
// direction of entry_word.
// A word enters two cycles after it was taken, at the earliest, and is offered one after it left.
//
// So a sender that pauses inside a transform stops everything, but for words that lie in the buffers,
// until it goes on, also words of transforms before: it must not wait for one of these. Between
// transforms it may pause; what is inside goes on. Once high, m_valid stays until m_ready.
module nttf_control_registered #(
  parameter int WORDS         = 4,
  localparam int SLOT_BITS    = (WORDS > 1) ? $clog2(WORDS) : 1,
  parameter int INTERVAL      = 4,
  parameter int TO_INVERSE    = INTERVAL,
  parameter int TO_FORWARD    = INTERVAL,
  parameter int IN_BITS       = 8,
  parameter int OUT_BITS      = 8
) (
  input  logic                clk,
  input  logic                reset,
  input  logic                s_valid,
  output logic                s_ready,
  input  logic                s_inverse,  // with a transform's first word
  input  logic [IN_BITS-1:0]  s_data,
  output logic                enable,
  output logic                enable_next,
  output logic                entry_valid,
  output logic                entry_first,
  output logic [IN_BITS-1:0]  entry_word,
  output logic                inverse,
  input  logic                exit_valid,
  input  logic [OUT_BITS-1:0] exit_word,
  output logic                m_valid,
  input  logic                m_ready,
  output logic                m_last,     // with a transform's last word
  output logic [OUT_BITS-1:0] m_data
);
  localparam logic [SLOT_BITS-1:0] LAST = SLOT_BITS'(WORDS - 1);

  logic [SLOT_BITS-1:0]     port_slot, in_slot, out_slot;
  logic                     port_begun, port_inverse, begun, entered_inverse, at_last, soon;
  logic                     takes, starts, enters, begins, leaves;
  logic                     waited_same, waited_other, near_same, near_other;
  logic [2:0]               in_count, out_count;
  logic [1:0]               ahead;  // transforms that were taken and have not begun

  nttf_fifo #(.WIDTH(IN_BITS + 1)) u_in (
    .clk(clk), .reset(reset), .push(takes), .in_data({starts ? s_inverse : port_inverse, s_data}),
    .pop(enters), .out_data({inverse, entry_word}), .count(in_count));
  nttf_fifo #(.WIDTH(OUT_BITS + 1)) u_out (
    .clk(clk), .reset(reset), .push(leaves), .in_data({out_slot == LAST, exit_word}),
    .pop(m_valid && m_ready), .out_data({m_last, m_data}), .count(out_count));

  // The buffer holds two transforms of two words: the second one is taken when the first one has begun, or
  // as it begins if it may follow after two cycles.
  assign soon    = ((s_inverse == port_inverse) ? INTERVAL : s_inverse ? TO_INVERSE : TO_FORWARD) <= 2;
  assign s_ready = !reset && in_count != 3'd4
                   && (port_begun || ((soon || ahead == '0)
                                      && ((s_inverse == port_inverse) ? near_same : near_other)));
  assign takes   = s_valid && s_ready;
  assign starts  = takes && !port_begun;
  assign m_valid = out_count != '0 && !reset;

  assign entry_valid = begun || (in_count >= 3'd2
                                 && ((inverse == entered_inverse) ? waited_same : waited_other));
  assign entry_first = !begun;
  assign enters      = enable && entry_valid;
  assign begins      = enters && !begun;
  assign leaves      = enable && exit_valid;
  // In the next cycle: a word for what has begun; room for this cycle's word and the next one's.
  assign enable_next = !reset && out_count <= 3'd2
                       && (!begun || (enable ? at_last || in_count >= 3'd2 : in_count != '0));
  nttf_enable u_enable (.clk(clk), .enable_next(enable_next), .enable(enable));

  nttf_distance #(.CYCLES(INTERVAL), .CYCLES_INVERSE(INTERVAL)) u_same (
    .clk(clk), .reset(reset), .enable(enable), .begins(begins), .inverse(inverse),
    .passed(waited_same), .near(near_same));
  nttf_distance #(.CYCLES(TO_INVERSE), .CYCLES_INVERSE(TO_FORWARD)) u_other (
    .clk(clk), .reset(reset), .enable(enable), .begins(begins), .inverse(inverse),
    .passed(waited_other), .near(near_other));

  always_ff @(posedge clk) begin
    if (reset) begin
      port_slot   <= '0;
      port_begun  <= 1'b0;
      in_slot     <= '0;
      out_slot    <= '0;
      port_inverse <= 1'b0;
      begun       <= 1'b0;
      at_last     <= 1'b0;
      entered_inverse <= 1'b0;
      ahead       <= '0;
    end else begin
      if (takes) begin
        port_slot  <= (port_slot == LAST) ? '0 : port_slot + 1'b1;
        port_begun <= port_slot != LAST;
      end
      if (starts) port_inverse <= s_inverse;
      if (begins) entered_inverse <= inverse;
      if (starts && !begins) ahead <= ahead + 1'b1;
      else if (begins && !starts) ahead <= ahead - 1'b1;
      if (enters) begin
        in_slot <= at_last ? '0 : in_slot + 1'b1;
        at_last <= !at_last && in_slot == LAST - 1'b1;
        begun   <= !at_last;
      end
      if (leaves) out_slot <= (out_slot == LAST) ? '0 : out_slot + 1'b1;
    end
  end
endmodule
