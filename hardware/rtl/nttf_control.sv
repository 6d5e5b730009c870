// SPDX-License-Identifier: Apache-2.0
// Admits transforms and stalls the design: the one place that sees the handshakes.
//
// A transform is WORDS consecutive words at both ports. A new one may start INTERVAL enabled cycles
// after the one before of the same direction, TO_INVERSE cycles after a forward one if it is an inverse,
// and TO_FORWARD the other way round. `inverse` is the direction of the word that enters. `enable` moves the
// whole design by one cycle; it is low while the receiver is not ready for a word that is there, or
// while the sender owes a word of a transform it has begun. `reset` forgets all transforms; no word
// is taken or given meanwhile.
//
// So a sender that pauses inside a transform stops everything, and m_valid is low until it goes on,
// also for words of transforms before: it must not wait for one of these. Between transforms it may
// pause; what is inside goes on. s_ready follows m_ready, and m_valid follows s_valid, in the same
// cycle. Once high, m_valid stays until m_ready if s_valid stays until s_ready.
module nttf_control #(
  parameter int WORDS         = 4,
  localparam int SLOT_BITS    = (WORDS > 1) ? $clog2(WORDS) : 1,
  parameter int INTERVAL      = 4,
  parameter int TO_INVERSE    = INTERVAL,
  parameter int TO_FORWARD    = INTERVAL,
  localparam int OTHER        = (TO_INVERSE > TO_FORWARD) ? TO_INVERSE : TO_FORWARD,
  localparam int WAIT_BITS    = $clog2(((INTERVAL > OTHER) ? INTERVAL : OTHER) + 1)
) (
  input  logic clk,
  input  logic reset,
  input  logic s_valid,
  output logic s_ready,
  input  logic s_inverse,    // direction, read with a transform's first word
  output logic enable,
  output logic entry_valid,
  output logic entry_first,
  output logic inverse,
  input  logic exit_valid,
  output logic m_valid,
  input  logic m_ready,
  output logic m_last        // with a transform's last word
);
  localparam logic [SLOT_BITS-1:0] LAST = SLOT_BITS'(WORDS - 1);

  logic [SLOT_BITS-1:0]     in_slot, out_slot;
  logic [WAIT_BITS-1:0]     wait_same, wait_other;
  logic                     begun, may_start, inverse_held, stall_in, stall_out;

  assign may_start   = (s_inverse == inverse_held) ? wait_same == '0 : wait_other == '0;
  assign stall_in    = begun && !s_valid;
  assign stall_out   = exit_valid && !m_ready;
  assign enable      = !stall_in && !stall_out;
  assign s_ready     = (begun || may_start) && !stall_out && !reset;
  assign entry_valid = s_valid && (begun || may_start);
  assign entry_first = !begun;
  assign inverse     = (entry_valid && entry_first) ? s_inverse : inverse_held;
  assign m_valid     = exit_valid && !stall_in && !reset;
  assign m_last      = out_slot == LAST;

  logic starts;
  assign starts = entry_valid && entry_first;

  always_ff @(posedge clk) begin
    if (reset) begin
      in_slot      <= '0;
      out_slot     <= '0;
      wait_same    <= '0;
      wait_other   <= '0;
      begun        <= 1'b0;
      inverse_held <= 1'b0;
    end else if (enable) begin
      if (entry_valid) begin
        in_slot <= (in_slot == LAST) ? '0 : in_slot + 1'b1;
        begun   <= in_slot != LAST;
      end
      if (exit_valid) out_slot <= m_last ? '0 : out_slot + 1'b1;
      if (starts) begin
        wait_same  <= WAIT_BITS'(INTERVAL - 1);
        wait_other <= inverse ? WAIT_BITS'(TO_FORWARD - 1) : WAIT_BITS'(TO_INVERSE - 1);
      end else begin
        if (wait_same != '0) wait_same <= wait_same - 1'b1;
        if (wait_other != '0) wait_other <= wait_other - 1'b1;
      end
      inverse_held <= inverse;
    end
  end
endmodule
