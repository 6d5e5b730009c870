// SPDX-License-Identifier: Apache-2.0
// Holds up to DEPTH words between two handshakes, so that one side may go on while the other stands still.
//
//   s -> memory of DEPTH words -> four words -> m
//
// A frame is WORDS words. Its first word is offered when BEGIN of its words are here: 1 hands words on as
// they come, WORDS holds a frame back until nothing of it is missing, so that whoever takes it need not
// wait inside, of four words or more. A word is offered 3 + BEHIND cycles after it was taken, at the
// earliest. s_ready does not depend on m_ready or s_valid in the same cycle, nor m_valid on s_valid or
// m_ready. Once high, m_valid stays.
module nttf_frame_buffer #(
  parameter int WIDTH         = 32,
  parameter int WORDS         = 4,
  localparam int SLOT_BITS    = (WORDS > 1) ? $clog2(WORDS) : 1,
  parameter int DEPTH         = 4,  // a power of two, WORDS or more
  localparam int ADDRESS_BITS = $clog2(DEPTH),
  localparam int COUNT_BITS   = $clog2(DEPTH + 8),
  parameter int BEGIN         = 1,
  parameter int BEHIND        = 0   // registers behind the memory, 0 or 1
) (
  input  logic             clk,
  input  logic             reset,
  input  logic             s_valid,
  output logic             s_ready,
  input  logic [WIDTH-1:0] s_data,
  output logic             m_valid,
  input  logic             m_ready,
  output logic [WIDTH-1:0] m_data
);
  localparam logic [SLOT_BITS-1:0] LAST = SLOT_BITS'(WORDS - 1);

  logic [ADDRESS_BITS-1:0] write_at, read_at;
  logic [COUNT_BITS-1:0]   stored, held;  // in the memory; in all
  logic [SLOT_BITS-1:0]    slot;
  logic [2:0]              count;
  logic [WIDTH-1:0]        fetched, arrived;
  logic [BEHIND:0]         flying;  // words on their way from the memory
  logic                    takes, fetches, gives, begun;
  assign s_ready = !reset && stored != COUNT_BITS'(DEPTH);
  assign takes   = s_valid && s_ready;
  assign fetches = stored != '0 && count + 3'(flying[0]) + 3'(BEHIND != 0 && flying[BEHIND]) < 3'd4;
  assign m_valid = !reset && count != '0 && (begun || held >= COUNT_BITS'(BEGIN));
  assign gives   = m_valid && m_ready;

  nttf_memory #(.WIDTH(WIDTH), .DEPTH(DEPTH)) u_memory (
    .clk(clk), .enable(1'b1), .write(takes), .write_address(write_at), .in_data(s_data),
    .read_address(read_at), .out_data(fetched));
  nttf_delay #(.WIDTH(WIDTH), .DEPTH(BEHIND)) u_behind (
    .clk(clk), .enable(1'b1), .in_data(fetched), .out_data(arrived));
  nttf_fifo #(.WIDTH(WIDTH)) u_front (
    .clk(clk), .reset(reset), .push(flying[BEHIND]), .in_data(arrived), .pop(gives), .out_data(m_data),
    .count(count));

  always_ff @(posedge clk) begin
    if (reset) begin
      write_at <= '0;
      read_at  <= '0;
      stored   <= '0;
      held     <= '0;
      slot     <= '0;
      flying   <= '0;
      begun    <= 1'b0;
    end else begin
      if (takes) write_at <= write_at + 1'b1;
      if (fetches) read_at <= read_at + 1'b1;
      stored <= stored + COUNT_BITS'(takes) - COUNT_BITS'(fetches);
      held   <= held + COUNT_BITS'(takes) - COUNT_BITS'(gives);
      flying <= (BEHIND+1)'({flying, fetches});
      if (gives) begin
        slot  <= (slot == LAST) ? '0 : slot + 1'b1;
        begun <= slot != LAST;
      end
    end
  end
endmodule
