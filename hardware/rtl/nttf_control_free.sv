// SPDX-License-Identifier: Apache-2.0
// The control of a design that runs freely: nothing inside ever waits, so no register has an enable.
//
// In front is a buffer that offers a frame's words cycle by cycle once it offers the first one, behind is
// one with room for ROOM frames. A transform begins when its first word is offered, INTERVAL cycles after
// the one before, and while fewer than ROOM are between their begin and their result's last word (`gives`
// says that a word of a result leaves the buffer behind): what comes out always finds room there.
// A word enters in the cycle after it was taken.
module nttf_control_free #(
  parameter int WORDS       = 4,  // 2 or more
  localparam int SLOT_BITS  = $clog2(WORDS),
  parameter int INTERVAL    = 4,  // WORDS or more
  parameter int ROOM        = 2,
  localparam int ROOM_BITS  = $clog2(ROOM + 1),
  parameter int WIDTH       = 8
) (
  input  logic             clk,
  input  logic             reset,
  input  logic             s_valid,  // within a frame it is high
  output logic             s_ready,
  input  logic [WIDTH-1:0] s_data,
  input  logic             gives,
  output logic             entry_valid,
  output logic             entry_first,
  output logic [WIDTH-1:0] entry_word
);
  localparam logic [SLOT_BITS-1:0] LAST = SLOT_BITS'(WORDS - 1);

  logic [SLOT_BITS-1:0] in_slot, out_slot;
  logic [ROOM_BITS-1:0] running, running_next;
  logic                 begun, room, waited, begins, ends;
  // verilator lint_off UNUSEDSIGNAL
  logic                 near;
  // verilator lint_on UNUSEDSIGNAL
  assign s_ready      = !reset && (begun || (waited && room));
  assign begins       = s_valid && s_ready && !begun;
  assign ends         = gives && out_slot == LAST;
  assign running_next = running + ROOM_BITS'(begins) - ROOM_BITS'(ends);
  nttf_distance #(.CYCLES(INTERVAL), .CYCLES_INVERSE(INTERVAL)) u_distance (
    .clk(clk), .reset(reset), .enable(1'b1), .begins(begins), .inverse(1'b0), .passed(waited),
    .near(near));
  always_ff @(posedge clk) begin
    if (reset) begin
      in_slot     <= '0;
      out_slot    <= '0;
      running     <= '0;
      begun       <= 1'b0;
      room        <= 1'b1;
      entry_valid <= 1'b0;
    end else begin
      if (begins || begun) in_slot <= in_slot + 1'b1;
      begun       <= begins || (begun && in_slot != LAST);
      if (gives) out_slot <= out_slot + 1'b1;
      running     <= running_next;
      room        <= running_next < ROOM_BITS'(ROOM);
      entry_valid <= begins || begun;
    end
    entry_first <= begins;
    entry_word  <= s_data;
  end
endmodule
