// SPDX-License-Identifier: Apache-2.0
// Checks engines with loaded moduli: it loads every table of tables.hex, then sends every frame of
// input.hex to the engine, set and direction that frames.hex names, and compares what comes out with
// output.hex.
//
// stall = 0: words come back to back and the receiver is always ready; the cycles of every frame's first
// word in and last word out are compared with the prediction (frames.hex).
// stall = 1: all three ports pause at pseudo-random times (seed, not 0). Before the words count, two
// beginnings end in a flush: after a wrong s_last and half of the first frame's words, and after the word
// WRONG, of which one residue is its modulus, and half of the first result; the error flags must tell of
// both. Tables stay.
// A line of frames.hex, from its lowest bit: engine and set (8 bits each), direction, whether the frame
// waits until nothing is inside, and from bits 32 and 64 the two cycles.
// A run begins with `restart` for one cycle; `stall` and `seed` are static in a run. `done` and `errors`
// are its verdict.
module ntt_check #(
  parameter int WORD_BITS   = 1,
  parameter int TABLE_BITS  = 1,
  parameter int WORDS       = 1,
  parameter int TRANSFORMS  = 1,
  parameter int TABLES      = 1,
  parameter int TABLE_WORDS = 1,
  parameter int ENGINE_BITS = 1,
  parameter int SET_BITS    = 1,
  parameter int INTERVAL    = 0,
  parameter logic [WORD_BITS-1:0] WRONG = '1,
  parameter int LIMIT       = 1000
) (
  input  logic        clk,
  input  logic        restart,
  input  logic        stall,
  input  logic [31:0] seed,
  output logic        done,
  output logic [31:0] errors,
  output logic [31:0] latency_forward,
  output logic [31:0] latency_inverse,
  output logic [31:0] interval
);
  localparam int TOTAL  = TRANSFORMS * WORDS;
  localparam int LOADED = TABLES * TABLE_WORDS;
  localparam int HALF   = WORDS / 2;

  logic [TABLE_BITS-1:0] tables[LOADED];
  logic [95:0]           frames[TRANSFORMS];
  logic [WORD_BITS-1:0]  given[TOTAL];
  logic [WORD_BITS-1:0]  expected[TOTAL];
  initial $readmemh("testbench/tables.hex", tables, 0, LOADED - 1);
  initial $readmemh("testbench/frames.hex", frames, 0, TRANSFORMS - 1);
  initial $readmemh("testbench/input.hex", given, 0, TOTAL - 1);
  initial $readmemh("testbench/output.hex", expected, 0, TOTAL - 1);

  logic                 reset, flush, t_valid, t_last, s_valid, s_ready, s_last, m_valid, m_ready, m_last;
  logic                 error_last, error_range, error_table, wrong_last, wrong_word, waits, offer, alone;
  logic [WORD_BITS-1:0] s_data, m_data;
  logic [95:0]          frame, leaving;
  logic [31:0]          noise;
  int                   cycle, loaded, sent, received, beginning, first_cycle;
  int                   begun[TRANSFORMS];

  ntt_top u_top (
    .clk(clk), .reset(reset), .flush(flush), .t_valid(t_valid), .t_last(t_last),
    .t_data(tables[loaded < LOADED ? loaded : 0]), .s_valid(s_valid), .s_ready(s_ready),
    .s_engine(frame[ENGINE_BITS-1:0]), .s_set(frame[8+:SET_BITS]), .s_inverse(frame[16]),
    .s_last(s_last), .s_data(s_data), .m_valid(m_valid), .m_ready(m_ready), .m_last(m_last),
    .m_data(m_data), .error_last(error_last), .error_range(error_range), .error_table(error_table));

  assign frame      = frames[sent < TOTAL ? sent / WORDS : 0];
  assign leaving    = frames[received < TOTAL ? received / WORDS : 0];
  assign alone      = frame[17] && sent % WORDS == 0 && received != sent;
  assign wrong_last = stall && beginning == 0 && sent == 0;
  assign wrong_word = stall && beginning == 1;
  assign waits      = stall && beginning == 0 && sent == HALF;
  assign reset      = restart || cycle < 4;
  assign t_valid    = !reset && loaded < LOADED && (!stall || noise[9:8] != 0);
  assign t_last     = loaded % TABLE_WORDS == TABLE_WORDS - 1;
  assign s_valid    = !reset && loaded == LOADED && sent < TOTAL && !alone && (!stall || (offer && !waits));
  assign s_last     = wrong_last || sent % WORDS == WORDS - 1;
  assign s_data     = (wrong_word && sent == 0) ? WRONG : given[sent < TOTAL ? sent : 0];
  assign m_ready    = !stall || noise[7:5] != 0;
  assign flush      = (waits && noise[12:10] == 0 && error_last) || (wrong_word && received == HALF && error_range);

  always @(posedge clk) begin
    cycle <= cycle + 1;
    noise <= reset ? seed : {noise[30:0], noise[31] ^ noise[21] ^ noise[1] ^ noise[0]};
    if (t_valid) loaded <= loaded + 1;
    if (!offer || (s_valid && s_ready)) offer <= noise[3:1] != 0;
    if (s_valid && s_ready) begin
      if (sent == 0) first_cycle <= cycle;
      if (sent % WORDS == 0) begin
        begun[sent/WORDS] <= cycle;
        if (!stall && sent != 0 && cycle - first_cycle != int'(frame[63:32])) begin
          $display("frame %0d: first word in cycle %0d, predicted %0d", sent / WORDS, cycle - first_cycle,
                   frame[63:32]);
          errors <= errors + 1;
        end
      end
      sent <= sent + 1;
    end
    if (m_valid && m_ready && !reset) begin
      if (m_data !== expected[received] && !wrong_word) begin
        if (errors < 10)
          $display("word %0d of frame %0d: %h, expected %h", received % WORDS, received / WORDS, m_data,
                   expected[received]);
        errors <= errors + 1;
      end
      if (m_last != (received % WORDS == WORDS - 1)) begin
        $display("word %0d: m_last = %b", received, m_last);
        errors <= errors + 1;
      end
      if (m_last) begin
        if (received == WORDS - 1 || leaving[17]) begin
          if (leaving[16]) latency_inverse <= cycle - begun[received/WORDS] + 1;
          else latency_forward <= cycle - begun[received/WORDS] + 1;
        end
        if (!stall && cycle - first_cycle != int'(leaving[95:64])) begin
          $display("frame %0d: last word out in cycle %0d, predicted %0d", received / WORDS,
                   cycle - first_cycle, leaving[95:64]);
          errors <= errors + 1;
        end
      end
      received <= received + 1;
      if (received == TOTAL - 1) begin
        done <= 1;
        if (stall && beginning != 2) begin
          $display("no error flag tells of beginning %0d", beginning);
          errors <= errors + 1;
        end else if (error_last || error_range || error_table) begin
          $display("errors: last %b, range %b, table %b", error_last, error_range, error_table);
          errors <= errors + 1;
        end
      end
    end
    if (flush) begin
      if (error_range != (beginning == 1) || error_last != (beginning == 0) || error_table) begin
        $display("flush %0d: error_last = %b, error_range = %b, error_table = %b", beginning, error_last,
                 error_range, error_table);
        errors <= errors + 1;
      end
      beginning <= beginning + 1;
      sent      <= 0;
      received  <= 0;
    end
    if (cycle > LIMIT + 4 * LOADED && !done) begin
      $display("no end after %0d cycles: %0d of %0d words sent, %0d received", cycle, sent, TOTAL, received);
      errors <= errors + 1;
      done   <= 1;
    end
    if (restart) begin
      cycle <= 0; loaded <= 0; sent <= 0; received <= 0; beginning <= 0; first_cycle <= 0; noise <= 0;
      offer <= 0; errors <= 0; done <= 0; latency_forward <= 0; latency_inverse <= 0;
      interval <= INTERVAL;
    end
  end
endmodule
