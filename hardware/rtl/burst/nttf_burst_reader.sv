// SPDX-License-Identifier: Apache-2.0
// Reads jobs from memory in AXI4 bursts and gives their beats in order, each with its job's tag.
//
//   job -> bursts -> AR            R -> four beats -> m
//
// A job is an address, a multiple of a beat's bytes, and a number of beats, 1 or more. A burst has at most
// BURST beats and ends at the latest where the address is a multiple of BURST beats: none crosses 4 KiB. At
// most OUTSTANDING bursts are asked for at a time, and the next job's are asked for while the beats of the
// one before come. The user has at most JOBS jobs inside. R is taken as fast as m is, which may be never:
// a beat waits on the bus then.
// `error` says that a beat's answer was no OKAY; the beat is given all the same. With `halt` no burst is
// begun, and what still comes is dropped; `idle` says that nothing will come. A reset follows then.
module nttf_burst_reader #(
  parameter int DATA_BITS   = 128,
  parameter int TAG_BITS    = 1,
  parameter int BURST       = 64,  // a power of two, at most 256 and 4 KiB
  parameter int BEAT_BITS   = 10,  // of a job's number of beats
  parameter int OUTSTANDING = 4,
  parameter int JOBS        = 8,   // a power of two
  localparam int LOW        = $clog2(DATA_BITS / 8),
  localparam int AT_BITS    = $clog2(BURST)
) (
  input  logic                 clk,
  input  logic                 reset,
  input  logic                 halt,
  output logic                 idle,
  input  logic                 job_valid,
  output logic                 job_ready,
  input  logic [31:LOW]        job_address,
  input  logic [BEAT_BITS-1:0] job_beats,
  input  logic [TAG_BITS-1:0]  job_tag,
  output logic [31:0]          araddr,
  output logic [7:0]           arlen,
  output logic                 arvalid,
  input  logic                 arready,
  input  logic [DATA_BITS-1:0] rdata,
  // verilator lint_off UNUSEDSIGNAL
  input  logic [1:0]           rresp,  // bit 1 tells an error; bit 0 alone, EXOKAY, is never asked for
  // verilator lint_on UNUSEDSIGNAL
  input  logic                 rlast,
  input  logic                 rvalid,
  output logic                 rready,
  output logic                 m_valid,
  input  logic                 m_ready,
  output logic                 m_last,  // of a job
  output logic [TAG_BITS-1:0]  m_tag,
  output logic [DATA_BITS-1:0] m_data,
  output logic                 error
);
  localparam int OUT_BITS = $clog2(OUTSTANDING + 1);

  // Asks: `length` follows `address` and `left` a cycle later, hence `planned`.
  logic [31:LOW]        address;
  logic [BEAT_BITS-1:0] left;
  logic [AT_BITS:0]     room, length;
  logic [OUT_BITS-1:0]  flying;
  logic                 planned, asks, ends;
  assign room      = (AT_BITS+1)'(BURST) - (AT_BITS+1)'(address[LOW+:AT_BITS]);
  assign job_ready = left == '0 && !halt;
  assign asks      = planned && left != '0 && !arvalid && flying != OUT_BITS'(OUTSTANDING) && !halt;
  assign ends      = rvalid && rready && rlast;
  assign idle      = !arvalid && flying == '0;
  always_ff @(posedge clk) begin
    if (reset) begin
      left    <= '0;
      arvalid <= 1'b0;
      planned <= 1'b0;
      flying  <= '0;
    end else begin
      planned <= left != '0 && !asks;
      if (job_valid && job_ready) left <= job_beats;
      else if (asks) left <= left - BEAT_BITS'(length);
      if (asks) arvalid <= 1'b1;
      else if (arready) arvalid <= 1'b0;
      flying <= flying + OUT_BITS'(asks) - OUT_BITS'(ends);
    end
    length <= (BEAT_BITS+AT_BITS)'(left) < (BEAT_BITS+AT_BITS)'(room) ? (AT_BITS+1)'(left) : room;
    if (job_valid && job_ready) address <= job_address;
    else if (asks) address <= address + (32-LOW)'(length);
    if (asks) begin
      araddr <= {address, LOW'(0)};
      arlen  <= 8'(length - 1'b1);
    end
  end

  // Takes: the jobs whose beats are to come wait in a queue.
  logic [BEAT_BITS-1:0]  next_beats, coming;
  logic [TAG_BITS-1:0]   next_tag, tag;
  logic [$clog2(JOBS):0] waiting;
  logic [2:0]            count;
  logic                  begins, takes;
  nttf_fifo #(.WIDTH(BEAT_BITS + TAG_BITS), .DEPTH(JOBS)) u_jobs (
    .clk(clk), .reset(reset), .push(job_valid && job_ready), .in_data({job_beats, job_tag}),
    .pop(begins), .out_data({next_beats, next_tag}), .count(waiting));
  assign begins  = coming == '0 && waiting != '0;
  assign rready  = halt || (coming != '0 && count != 3'd4);
  assign takes   = rvalid && rready && !halt;
  assign m_valid = count != '0 && !halt;
  nttf_fifo #(.WIDTH(1 + TAG_BITS + DATA_BITS)) u_beats (
    .clk(clk), .reset(reset), .push(takes), .in_data({coming == BEAT_BITS'(1), tag, rdata}),
    .pop(m_valid && m_ready), .out_data({m_last, m_tag, m_data}), .count(count));
  always_ff @(posedge clk) begin
    if (reset) begin
      coming <= '0;
      error  <= 1'b0;
    end else begin
      if (begins) coming <= next_beats;
      else if (takes) coming <= coming - 1'b1;
      error <= takes && rresp[1];
    end
    if (begins) tag <= next_tag;
  end
endmodule
