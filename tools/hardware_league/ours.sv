// SPDX-License-Identifier: Apache-2.0
// Drives a design of ours: its table where moduli are loaded (LOADED), then one transform in each direction alone, then
// forward transforms back to back. A word is offered, and taken, every GAP cycles: with GAP = DP a port moves one
// coefficient a cycle, the first one GAP - 1 cycles before its word is whole and the last one as many behind it.
module league_bench #(
  parameter int N = 1024,
  parameter int BITS = 30,
  parameter int DP = 8,
  parameter int TABLE = 1,
  parameter int GAP = 1,
  parameter int BURST = 4
);
  localparam int WORDS = N / DP;
  localparam int FRAMES = 2 + BURST;
  logic clk = 0;
  always #5 clk = !clk;
  logic reset = 1, s_valid = 0, s_ready, s_inverse = 0, s_last = 0, m_valid, m_ready = 0, m_last;
  logic error_last, error_range;
  logic [DP*BITS-1:0] s_data = '0, m_data;
  logic [DP*BITS-1:0] given[2*WORDS];
  logic [DP*BITS-1:0] wanted[2*WORDS];
`ifdef LOADED
  logic t_valid = 0, t_last = 0, error_table;
  logic [DP*BITS/2-1:0] t_data = '0;
  logic [DP*BITS/2-1:0] tables[TABLE];
`endif
  ntt_top u_design (
    .clk(clk), .reset(reset), .flush(1'b0),
`ifdef LOADED
    .t_valid(t_valid), .t_last(t_last), .t_data(t_data), .s_engine(1'b0), .s_set(1'b0),
    .error_table(error_table),
`endif
    .s_valid(s_valid), .s_ready(s_ready), .s_inverse(s_inverse), .s_last(s_last), .s_data(s_data),
    .m_valid(m_valid), .m_ready(m_ready), .m_last(m_last), .m_data(m_data), .error_last(error_last),
    .error_range(error_range));

  longint cycle = 0, in_first[FRAMES], in_last[FRAMES], out_first[FRAMES], out_last[FRAMES];
  int errors = 0, received = 0;
  always @(posedge clk) cycle <= cycle + 1;

  // Frame 1 is the inverse transform, all others are the forward one.
  task automatic send(input int frame);
    for (int k = 0; k < WORDS; k++) begin
      s_valid = 1;
      s_inverse = frame == 1;
      s_last = k == WORDS - 1;
      s_data = given[(frame == 1 ? WORDS : 0) + k];
      #1;
      while (!s_ready) begin
        @(negedge clk);
        #1;
      end
      if (k == 0) in_first[frame] = cycle;
      in_last[frame] = cycle;
      @(negedge clk);
      s_valid = 0;
      if (k != WORDS - 1 || frame > 1) repeat (GAP - 1) @(negedge clk);
    end
  endtask

  initial begin : receiver
    for (int frame = 0; frame < FRAMES; frame++) begin
      for (int k = 0; k < WORDS; k++) begin
        m_ready = 1;
        #1;
        while (!m_valid) begin
          @(negedge clk);
          #1;
        end
        if (m_data !== wanted[(frame == 1 ? WORDS : 0) + k]) errors++;
        if (k == 0) out_first[frame] = cycle;
        out_last[frame] = cycle;
        received++;
        @(negedge clk);
        m_ready = 0;
        repeat (GAP - 1) @(negedge clk);
      end
    end
  end

  initial begin
    $readmemh("given.hex", given);
    $readmemh("wanted.hex", wanted);
    repeat (20) @(negedge clk);
    reset = 0;
    repeat (20) @(negedge clk);
`ifdef LOADED
    $readmemh("tables.hex", tables);
    for (int k = 0; k < TABLE; k++) begin
      t_valid = 1;
      t_last = k == TABLE - 1;
      t_data = tables[k];
      @(negedge clk);
    end
    t_valid = 0;
    repeat (20) @(negedge clk);
`endif
    for (int frame = 0; frame < 2; frame++) begin
      send(frame);
      wait (received == (frame + 1) * WORDS);
      repeat (40) @(negedge clk);
    end
    for (int frame = 2; frame < FRAMES; frame++) send(frame);
    wait (received == FRAMES * WORDS);
    for (int frame = 0; frame < FRAMES; frame++)
      $display("%s: in %0d %0d began %0d out %0d %0d", frame == 1 ? "inverse" : "forward",
        in_first[frame] - (GAP - 1), in_last[frame], in_first[frame], out_first[frame], out_last[frame] + GAP - 1);
    if (error_last || error_range) errors++;
    $display("%0d words, %0d errors", FRAMES * N, errors);
    $finish;
  end
endmodule
