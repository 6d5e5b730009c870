// SPDX-License-Identifier: Apache-2.0
// Moves frames and tables between a memory behind AXI4 and engines, a descriptor each.
//
//   descriptors -> checked -> reader -> tables -> t
//                          |         -> frames -> s ... m -> writer
//                          +-> jobs, in order --------------^
//
// A descriptor is {d_word, d_destination, d_source}. d_word: bits 23:0 are TUSER of a frame: {engine, set
// (8 bits each), 7'b0, direction (1 is inverse)}; bit 29 says that a table is at the source, bit 30 that
// it waits until all before are done, bit 31 that it is marked. A frame's result goes to the destination,
// which may be where the frame was; a frame that is another one's result needs bit 30. A table has
// TABLE_WORDS words of half a beat, the lower half first: of an odd number the last beat's upper half is
// not read (TKEEP).
// A descriptor is refused where an address is no multiple of a beat's bytes or a frame does not end below
// 2^32, where engine or set do not exist, or where another bit is set. It then moves nothing.
// `done` says that the oldest descriptor is done, refused or not: in their order, a frame when all of its
// result was answered by the memory, a table when its last word is in the engines.
module nttf_burst #(
  parameter int DATA_BITS    = 128,
  parameter int FRAME_BEATS  = 256,
  parameter int TABLE_WORDS  = 16,
  parameter int ENGINES      = 1,
  parameter int SETS         = 1,
  parameter int BURST        = 64,
  parameter int OUTSTANDING  = 4,
  parameter int JOBS         = 8   // descriptors inside, a power of two
) (
  input  logic                   clk,
  input  logic                   reset,
  input  logic                   halt,
  output logic                   idle,     // with halt: nothing will come from memory
  output logic                   empty,    // no descriptor is inside
  input  logic                   d_valid,
  output logic                   d_ready,
  input  logic [31:0]            d_source,
  input  logic [31:0]            d_destination,
  input  logic [31:0]            d_word,
  output logic                   done,
  output logic                   marked,   // with done
  output logic                   refused,  // with done
  output logic                   error_read,
  output logic                   error_write,
  output logic [31:0]            araddr,
  output logic [7:0]             arlen,
  output logic                   arvalid,
  input  logic                   arready,
  input  logic [DATA_BITS-1:0]   rdata,
  input  logic [1:0]             rresp,
  input  logic                   rlast,
  input  logic                   rvalid,
  output logic                   rready,
  output logic [31:0]            awaddr,
  output logic [7:0]             awlen,
  output logic                   awvalid,
  input  logic                   awready,
  output logic [DATA_BITS-1:0]   wdata,
  output logic [DATA_BITS/8-1:0] wstrb,
  output logic                   wlast,
  output logic                   wvalid,
  input  logic                   wready,
  input  logic [1:0]             bresp,
  input  logic                   bvalid,
  output logic                   bready,
  output logic                   t_valid,
  output logic                   t_last,
  output logic [DATA_BITS/2-1:0] t_data,
  output logic                   s_valid,
  input  logic                   s_ready,
  output logic                   s_last,
  output logic [23:0]            s_user,
  output logic [DATA_BITS-1:0]   s_data,
  input  logic                   m_valid,
  output logic                   m_ready,
  input  logic [DATA_BITS-1:0]   m_data
);
  localparam int LOW = $clog2(DATA_BITS / 8);
  localparam int TABLE_BEATS = (TABLE_WORDS + 1) / 2;
  localparam int MOST = (FRAME_BEATS > TABLE_BEATS) ? FRAME_BEATS : TABLE_BEATS;
  localparam int BEAT_BITS = $clog2(MOST + 1);
  localparam logic ODD = 1'(TABLE_WORDS % 2);
  localparam logic [31-LOW:0] FRAME_HIGH = ~((32-LOW)'(FRAME_BEATS - 1));  // the last address of a frame
  localparam logic [31-LOW:0] TABLE_HIGH = ~((32-LOW)'(TABLE_BEATS - 1));

  // One descriptor at a time: taken, checked, begun.
  logic [31:0] source, destination, word;
  logic        held, checked, wrong, table_here, waits, begins, refuses, taken;
  logic        low_wrong, range_wrong, bits_wrong;
  logic        job_ready;
  logic [$clog2(JOBS):0] under_way;
  assign d_ready     = !held && !halt;
  assign taken       = d_valid && d_ready;
  assign table_here  = word[29];
  assign waits       = word[30] || wrong;
  assign begins      = held && checked && !wrong && !halt && job_ready && under_way != ($clog2(JOBS)+1)'(JOBS)
                    && !(waits && under_way != '0);
  assign refuses     = held && checked && wrong && !halt && under_way == '0;
  assign low_wrong   = source[LOW-1:0] != '0 || (!table_here && destination[LOW-1:0] != '0);
  assign range_wrong = table_here ? source[31:LOW] > TABLE_HIGH
                                  : source[31:LOW] > FRAME_HIGH || destination[31:LOW] > FRAME_HIGH;
  assign bits_wrong  = word[28:24] != '0 || (!table_here && (word[7:1] != '0
                    || 32'(word[23:16]) >= ENGINES || 32'(word[15:8]) >= SETS));
  assign empty       = !held && under_way == '0;
  always_ff @(posedge clk) begin
    if (reset) begin
      held    <= 1'b0;
      checked <= 1'b0;
    end else begin
      if (taken) held <= 1'b1;
      else if (begins || refuses) held <= 1'b0;
      checked <= held && !begins && !refuses;
    end
    wrong <= low_wrong || range_wrong || bits_wrong;
    if (taken) begin
      source      <= d_source;
      destination <= d_destination;
      word        <= d_word;
    end
  end

  logic                 r_idle, w_idle, in_valid, in_ready, in_last, in_table;
  logic [23:0]          in_user;
  logic [DATA_BITS-1:0] in_data;
  nttf_burst_reader #(
    .DATA_BITS(DATA_BITS), .TAG_BITS(25), .BURST(BURST), .BEAT_BITS(BEAT_BITS),
    .OUTSTANDING(OUTSTANDING), .JOBS(JOBS)
  ) u_reader (
    .clk(clk), .reset(reset), .halt(halt), .idle(r_idle), .job_valid(begins), .job_ready(job_ready),
    .job_address(source[31:LOW]),
    .job_beats(table_here ? BEAT_BITS'(TABLE_BEATS) : BEAT_BITS'(FRAME_BEATS)),
    .job_tag({table_here, word[23:0]}), .araddr(araddr), .arlen(arlen), .arvalid(arvalid),
    .arready(arready), .rdata(rdata), .rresp(rresp), .rlast(rlast), .rvalid(rvalid), .rready(rready),
    .m_valid(in_valid), .m_ready(in_ready), .m_last(in_last), .m_tag({in_table, in_user}),
    .m_data(in_data), .error(error_read));

  // A beat in flip-flops: the reader's are in distributed memory, which is slow to read.
  logic                 out_valid, out_ready, out_last, out_table, upper, table_done;
  logic [23:0]          out_user;
  logic [DATA_BITS-1:0] out_data;
  assign in_ready = !out_valid || out_ready;
  always_ff @(posedge clk) begin
    if (reset || halt) out_valid <= 1'b0;
    else if (in_ready) out_valid <= in_valid;
    if (in_ready) {out_last, out_table, out_user, out_data} <= {in_last, in_table, in_user, in_data};
  end

  // A table's beat is two words, of which the last may lack the upper one.
  logic single;
  assign single    = upper || (out_last && ODD);
  assign s_valid   = out_valid && !out_table;
  assign s_last    = out_last;
  assign s_user    = out_user;
  assign s_data    = out_data;
  assign t_valid   = out_valid && out_table;
  assign t_last    = out_last && single;
  assign t_data    = upper ? out_data[DATA_BITS-1:DATA_BITS/2] : out_data[DATA_BITS/2-1:0];
  assign out_ready = out_table ? single : s_ready;
  always_ff @(posedge clk) begin
    if (reset) begin
      upper      <= 1'b0;
      table_done <= 1'b0;
    end else begin
      upper      <= t_valid && !single;
      table_done <= t_valid && t_last;
    end
  end

  // Jobs of the writer, in the order of the descriptors.
  logic                  next_none, next_mark, job_taken, retires, retires_marked;
  logic [31:LOW]         next_address;
  logic [$clog2(JOBS):0] jobs;
  nttf_fifo #(.WIDTH(2 + 32 - LOW), .DEPTH(JOBS)) u_jobs (
    .clk(clk), .reset(reset), .push(begins), .in_data({table_here, word[31], destination[31:LOW]}),
    .pop(job_taken), .out_data({next_none, next_mark, next_address}), .count(jobs));
  nttf_burst_writer #(
    .DATA_BITS(DATA_BITS), .BEATS(FRAME_BEATS), .BURST(BURST), .OUTSTANDING(8), .JOBS(JOBS)
  ) u_writer (
    .clk(clk), .reset(reset), .halt(halt), .idle(w_idle), .job_valid(jobs != '0),
    .job_ready(job_taken), .job_address(next_address), .job_none(next_none), .job_mark(next_mark),
    .none_done(table_done), .retires(retires), .marked(retires_marked), .awaddr(awaddr),
    .awlen(awlen), .awvalid(awvalid), .awready(awready), .wdata(wdata), .wstrb(wstrb), .wlast(wlast),
    .wvalid(wvalid), .wready(wready), .bresp(bresp), .bvalid(bvalid), .bready(bready),
    .s_valid(m_valid), .s_ready(m_ready), .s_data(m_data), .error(error_write));
  assign idle = r_idle && w_idle;
  always_ff @(posedge clk) begin
    if (reset) begin
      under_way  <= '0;
      done    <= 1'b0;
      refused <= 1'b0;
    end else begin
      under_way  <= under_way + ($clog2(JOBS)+1)'(begins) - ($clog2(JOBS)+1)'(retires);
      done    <= retires || refuses;
      refused <= refuses;
    end
    marked <= refuses ? word[31] : retires_marked;
  end
endmodule
