// SPDX-License-Identifier: Apache-2.0
// Writes beats into memory in AXI4 bursts, BEATS for a job, and retires jobs in their order.
//
//   s -> four beats -> W           job -> bursts -> AW          B -> retire
//
// A job is an address, a multiple of a beat's bytes. Its bursts are cut as those of nttf_burst_reader. A
// burst is begun when its first beat is here, so that no bus waits for a computation; the next one when its
// last beat is taken. A job retires when all of its bursts were answered, a job with `job_none`, which has
// no beats, when all jobs before it have and `none_done` has said so often that its own work is done.
// `error` says that an answer was no OKAY. With `halt` no burst is begun and the beats of one that was
// begun are sent without strobes; `idle` says that no answer will come. A reset follows then.
module nttf_burst_writer #(
  parameter int DATA_BITS   = 128,
  parameter int BEATS       = 256,
  parameter int BURST       = 64,  // a power of two, at most 256 and 4 KiB
  parameter int OUTSTANDING = 8,   // a power of two
  parameter int JOBS        = 8,   // most jobs inside
  localparam int LOW        = $clog2(DATA_BITS / 8),
  localparam int AT_BITS    = $clog2(BURST)
) (
  input  logic                   clk,
  input  logic                   reset,
  input  logic                   halt,
  output logic                   idle,
  input  logic                   job_valid,
  output logic                   job_ready,  // the job is taken; it needs job_valid
  input  logic [31:LOW]          job_address,
  input  logic                   job_none,
  input  logic                   job_mark,
  input  logic                   none_done,
  output logic                   retires,
  output logic                   marked,     // with retires: the job's mark
  output logic [31:0]            awaddr,
  output logic [7:0]             awlen,
  output logic                   awvalid,
  input  logic                   awready,
  output logic [DATA_BITS-1:0]   wdata,
  output logic [DATA_BITS/8-1:0] wstrb,
  output logic                   wlast,
  output logic                   wvalid,
  input  logic                   wready,
  // verilator lint_off UNUSEDSIGNAL
  input  logic [1:0]             bresp,  // bit 1 tells an error
  // verilator lint_on UNUSEDSIGNAL
  input  logic                   bvalid,
  output logic                   bready,
  input  logic                   s_valid,
  output logic                   s_ready,
  input  logic [DATA_BITS-1:0]   s_data,
  output logic                   error
);
  localparam int LEFT_BITS = $clog2(BEATS + 1);
  localparam int NONE_BITS = $clog2(JOBS + 1);

  logic [2:0] count;
  logic       gives;
  assign s_ready = count != 3'd4 && !halt;
  assign gives   = wvalid && wready && count != '0;
  nttf_fifo #(.WIDTH(DATA_BITS)) u_beats (
    .clk(clk), .reset(reset), .push(s_valid && s_ready), .in_data(s_data), .pop(gives),
    .out_data(wdata), .count(count));

  // Bursts. `length` follows `address` and `left` a cycle later, hence `planned`.
  logic [31:LOW]              address;
  logic [LEFT_BITS-1:0]       left;
  logic [AT_BITS:0]           room, length, beats;  // beats: still to be given in this burst
  logic [$clog2(OUTSTANDING):0] flying;
  logic [NONE_BITS-1:0]       nones;
  logic                       planned, starts, opens, nothing, drops, mark, final_burst, final_mark, answered;
  assign room      = (AT_BITS+1)'(BURST) - (AT_BITS+1)'(address[LOW+:AT_BITS]);
  assign opens     = job_valid && !job_none && left == '0 && !halt;
  assign nothing   = job_valid && job_none && left == '0 && beats == '0 && flying == '0 && nones != '0 && !halt;
  assign job_ready = opens || nothing;
  assign starts    = planned && left != '0 && count != '0 && beats == '0 && !awvalid && !halt
                  && !flying[$clog2(OUTSTANDING)];
  assign wvalid    = beats != '0 && (drops || count != '0);
  assign wlast     = beats == (AT_BITS+1)'(1);
  assign wstrb     = {DATA_BITS / 8{!drops}};
  assign idle      = !awvalid && beats == '0 && flying == '0;
  assign bready    = 1'b1;
  assign answered  = bvalid && flying != '0;
  nttf_fifo #(.WIDTH(2), .DEPTH(OUTSTANDING)) u_flying (
    .clk(clk), .reset(reset), .push(starts), .in_data({LEFT_BITS'(length) == left, mark}),
    .pop(answered), .out_data({final_burst, final_mark}), .count(flying));
  always_ff @(posedge clk) begin
    if (reset) begin
      left    <= '0;
      planned <= 1'b0;
      awvalid <= 1'b0;
      beats   <= '0;
      drops   <= 1'b0;
      nones   <= '0;
      retires <= 1'b0;
      error   <= 1'b0;
    end else begin
      planned <= left != '0 && !starts;
      if (opens) left <= LEFT_BITS'(BEATS);
      else if (starts) left <= left - LEFT_BITS'(length);
      if (starts) awvalid <= 1'b1;
      else if (awready) awvalid <= 1'b0;
      if (starts) beats <= length;
      else if (wvalid && wready) beats <= beats - 1'b1;
      // A beat that is offered stays as it is until it is taken.
      drops   <= halt && (drops || !wvalid || wready);
      nones   <= nones + NONE_BITS'(none_done) - NONE_BITS'(nothing);
      retires <= nothing || (answered && final_burst);
      error   <= answered && bresp[1];
    end
    marked <= nothing ? job_mark : final_mark;
    length <= (LEFT_BITS+AT_BITS)'(left) < (LEFT_BITS+AT_BITS)'(room) ? (AT_BITS+1)'(left) : room;
    if (opens) begin
      address <= job_address;
      mark    <= job_mark;
    end else if (starts) address <= address + (32-LOW)'(length);
    if (starts) begin
      awaddr <= {address, LOW'(0)};
      awlen  <= 8'(length - 1'b1);
    end
  end
endmodule
