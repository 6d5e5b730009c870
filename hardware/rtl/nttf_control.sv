// SPDX-License-Identifier: Apache-2.0
// Admits transforms and stalls the design: the one place that sees the handshakes.
//
// A transform is WORDS consecutive words at both ports. A new one may start INTERVAL enabled cycles
// after the one before; a change of direction waits until nothing is in flight. `enable` moves the
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
  localparam int INTERVAL_BITS = $clog2(INTERVAL + 1),
  parameter int FLIGHT_BITS   = 4
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
  logic [INTERVAL_BITS-1:0] wait_cycles;
  logic [FLIGHT_BITS-1:0]   in_flight;
  logic                     begun, may_start, inverse_held, stall_in, stall_out;

  assign may_start   = wait_cycles == '0 && (s_inverse == inverse_held || in_flight == '0);
  assign stall_in    = begun && !s_valid;
  assign stall_out   = exit_valid && !m_ready;
  assign enable      = !stall_in && !stall_out;
  assign s_ready     = (begun || may_start) && !stall_out && !reset;
  assign entry_valid = s_valid && (begun || may_start);
  assign entry_first = !begun;
  assign inverse     = (entry_valid && entry_first) ? s_inverse : inverse_held;
  assign m_valid     = exit_valid && !stall_in && !reset;
  assign m_last      = out_slot == LAST;

  logic starts, ends;
  assign starts = entry_valid && entry_first;
  assign ends   = exit_valid && m_last;

  always_ff @(posedge clk) begin
    if (reset) begin
      in_slot      <= '0;
      out_slot     <= '0;
      wait_cycles  <= '0;
      in_flight    <= '0;
      begun        <= 1'b0;
      inverse_held <= 1'b0;
    end else if (enable) begin
      if (entry_valid) begin
        in_slot <= (in_slot == LAST) ? '0 : in_slot + 1'b1;
        begun   <= in_slot != LAST;
      end
      if (exit_valid) out_slot <= m_last ? '0 : out_slot + 1'b1;
      if (starts) wait_cycles <= INTERVAL_BITS'(INTERVAL - 1);
      else if (wait_cycles != '0) wait_cycles <= wait_cycles - 1'b1;
      if (starts && !ends) in_flight <= in_flight + 1'b1;
      else if (ends && !starts) in_flight <= in_flight - 1'b1;
      inverse_held <= inverse;
    end
  end
endmodule
