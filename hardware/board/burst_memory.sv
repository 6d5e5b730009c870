// SPDX-License-Identifier: Apache-2.0
// A memory of two ports in block memories: words of 32 bits for a processor, AXI4 bursts for engines. Each
// port has its own clock; the clocks need not be related, and whoever writes a word tells the other side
// by other means before it is read there.
//
// Port a: a word a cycle, its bytes where `a_write` is set; read data come a cycle later.
// Port b: AXI4, INCR bursts of whole beats, a beat a cycle. Reads and writes take turns, writes first: the
// beats of both lie in the same block memories. Data of a read come four cycles after they are asked for.
// A burst that begins outside of BASE ... BASE + BYTES - 1 answers DECERR, and writes nothing.
module burst_memory #(
  parameter int DATA_BITS          = 128,   // of port b, a multiple of 32
  parameter int BYTES              = 32768, // a power of two
  parameter logic [31:0] BASE      = '0,    // a multiple of BYTES
  localparam int LANES             = DATA_BITS / 32,
  localparam int LANE_BITS         = (LANES > 1) ? $clog2(LANES) : 1,
  localparam int LOW               = $clog2(DATA_BITS / 8),
  localparam int HIGH              = $clog2(BYTES),
  localparam int AT_BITS           = HIGH - LOW
) (
  input  logic                   a_clk,
  input  logic                   a_enable,
  input  logic [HIGH-1:2]        a_address,
  input  logic [3:0]             a_write,
  input  logic [31:0]            a_in,
  output logic [31:0]            a_out,
  input  logic                   b_clk,
  input  logic                   b_reset,
  // verilator lint_off UNUSEDSIGNAL
  input  logic [31:0]            araddr,
  input  logic [31:0]            awaddr,
  input  logic [7:0]             awlen,  // WLAST says it too
  // verilator lint_on UNUSEDSIGNAL
  input  logic [7:0]             arlen,
  input  logic                   arvalid,
  output logic                   arready,
  output logic [DATA_BITS-1:0]   rdata,
  output logic [1:0]             rresp,
  output logic                   rlast,
  output logic                   rvalid,
  input  logic                   rready,
  input  logic                   awvalid,
  output logic                   awready,
  input  logic [DATA_BITS-1:0]   wdata,
  input  logic [DATA_BITS/8-1:0] wstrb,
  input  logic                   wlast,
  input  logic                   wvalid,
  output logic                   wready,
  output logic [1:0]             bresp,
  output logic                   bvalid,
  input  logic                   bready
);
  // Port b: one burst at a time each way.
  logic [AT_BITS-1:0]   r_at, w_at, b_at;
  logic [8:0]           r_left;
  logic                 r_wrong, w_wrong, w_open, reads, writes, asked, asked_last, fetched, fetched_last;
  logic                 asked_wrong, fetched_wrong, wrong, given, given_last, given_wrong;
  logic [3:0]           count;
  logic [DATA_BITS-1:0] b_in, b_out, b_held;
  logic [DATA_BITS/8-1:0] b_write;
  assign arready = r_left == '0;
  assign awready = !w_open && (!bvalid || bready);
  assign wready  = w_open;
  assign writes  = wvalid && wready;
  assign reads   = r_left != '0 && !writes && count <= 4'd4;  // three may be on their way
  assign bresp   = {2{w_wrong}};
  assign rresp   = {2{wrong}};
  assign rvalid  = count != '0;
  nttf_fifo #(.WIDTH(2 + DATA_BITS), .DEPTH(8)) u_beats (
    .clk(b_clk), .reset(b_reset), .push(given), .in_data({given_wrong, given_last, b_held}),
    .pop(rvalid && rready), .out_data({wrong, rlast, rdata}), .count(count));
  always_ff @(posedge b_clk) begin
    if (b_reset) begin
      r_left  <= '0;
      w_open  <= 1'b0;
      bvalid  <= 1'b0;
      asked   <= 1'b0;
      fetched <= 1'b0;
      given   <= 1'b0;
    end else begin
      if (arvalid && arready) r_left <= 9'(arlen) + 9'd1;
      else if (reads) r_left <= r_left - 1'b1;
      if (awvalid && awready) w_open <= 1'b1;
      else if (writes && wlast) w_open <= 1'b0;
      if (writes && wlast) bvalid <= 1'b1;
      else if (bready) bvalid <= 1'b0;
      asked   <= reads;
      fetched <= asked;
      given   <= fetched;
    end
    if (arvalid && arready) begin
      r_at    <= araddr[HIGH-1:LOW];
      r_wrong <= araddr[31:HIGH] != BASE[31:HIGH];
    end else if (reads) r_at <= r_at + 1'b1;
    if (awvalid && awready) begin
      w_at    <= awaddr[HIGH-1:LOW];
      w_wrong <= awaddr[31:HIGH] != BASE[31:HIGH];
    end else if (writes) w_at <= w_at + 1'b1;
    {asked_last, asked_wrong}     <= {r_left == 9'd1, r_wrong};
    {fetched_last, fetched_wrong} <= {asked_last, asked_wrong};
    {given_last, given_wrong}     <= {fetched_last, fetched_wrong};
    b_held  <= b_out;
    // What the block memories get comes from flip-flops.
    b_at    <= writes ? w_at : r_at;
    b_write <= (writes && !w_wrong) ? wstrb : '0;
    b_in    <= wdata;
  end

  // Block memories, 32 bits wide; a port that writes keeps what it read before.
  logic [31:0]          a_read[LANES];
  logic [LANE_BITS-1:0] a_lane, a_lane_held;
  assign a_lane = (LANES > 1) ? LANE_BITS'(a_address[LOW-1:2]) : '0;
  assign a_out  = a_read[a_lane_held];
  always_ff @(posedge a_clk) if (a_enable) a_lane_held <= a_lane;
  generate
    for (genvar l = 0; l < LANES; l = l + 1) begin : gen_lane
      two_ports #(.DEPTH(BYTES * 8 / DATA_BITS)) u_words (
        .a_clk(a_clk), .a_enable(a_enable && a_lane == LANE_BITS'(l)), .a_address(a_address[HIGH-1:LOW]),
        .a_write(a_write), .a_in(a_in), .a_out(a_read[l]), .b_clk(b_clk), .b_enable(1'b1), .b_address(b_at),
        .b_write(b_write[4*l+:4]), .b_in(b_in[32*l+:32]),
        .b_out(b_out[32*l+:32]));
    end
  endgenerate
endmodule

// Words of 32 bits with two ports, each of which writes bytes or reads a word in a cycle.
module two_ports #(
  parameter int DEPTH         = 2048,
  localparam int ADDRESS_BITS = $clog2(DEPTH)
) (
  input  logic                    a_clk,
  input  logic                    a_enable,
  input  logic [ADDRESS_BITS-1:0] a_address,
  input  logic [3:0]              a_write,
  input  logic [31:0]             a_in,
  output logic [31:0]             a_out,
  input  logic                    b_clk,
  input  logic                    b_enable,
  input  logic [ADDRESS_BITS-1:0] b_address,
  input  logic [3:0]              b_write,
  input  logic [31:0]             b_in,
  output logic [31:0]             b_out
);
  // verilator lint_off MULTIDRIVEN
  (* ram_style = "block" *) logic [31:0] words[DEPTH];  // two clocks write: that is what it is for
  // verilator lint_on MULTIDRIVEN
  always @(posedge a_clk) begin
    if (a_enable) begin
      for (int i = 0; i < 4; i = i + 1) if (a_write[i]) words[a_address][8*i+:8] <= a_in[8*i+:8];
      if (a_write == '0) a_out <= words[a_address];
    end
  end
  always @(posedge b_clk) begin
    if (b_enable) begin
      for (int i = 0; i < 4; i = i + 1) if (b_write[i]) words[b_address][8*i+:8] <= b_in[8*i+:8];
      if (b_write == '0) b_out <= words[b_address];
    end
  end
endmodule
