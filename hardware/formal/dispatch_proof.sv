// SPDX-License-Identifier: Apache-2.0
// nttf_dispatch around two engines that hold words and are free to take and to offer them when they like.
// Words are numbered as they are taken. Shown in every cycle after reset: words leave in the order in which
// they came, whatever engines their frames name, and none is lost or doubled (1), a frame's words all go to
// the engine that it named (2), at most FRAMES frames are inside (3), m_last comes with a frame's last
// word (4).
module dispatch_proof #(
  parameter int WORDS  = 2,
  parameter int FRAMES = 2
) (
  input logic       clk,
  input logic       s_valid,
  input logic       s_engine,
  input logic       m_ready,
  input logic [1:0] takes,   // an engine has room
  input logic [1:0] offers   // an engine that has a word offers it
);
  localparam int BITS = 4;
  logic s_ready, s_final, m_valid, m_last;
  logic [1:0]      in_valid, out_valid, out_ready;
  logic [BITS-1:0] taken = '0, left = '0, m_data;
  logic [2*BITS-1:0] out_data;
  logic begins = 1'b1;  // the reset cycle
  nttf_dispatch #(.ENGINES(2), .WORDS(WORDS), .FRAMES(FRAMES), .OUT_BITS(BITS)) u_dispatch (
    .clk(clk), .reset(begins), .s_valid(s_valid), .s_ready(s_ready), .s_engine(s_engine),
    .s_final(s_final), .in_valid(in_valid), .in_ready(takes), .out_valid(out_valid),
    .out_ready(out_ready), .out_data(out_data), .m_valid(m_valid), .m_ready(m_ready),
    .m_last(m_last), .m_data(m_data));

  // Each engine is a queue of as many words as can be taken in this run.
  logic [BITS-1:0] words_0[1<<BITS], words_1[1<<BITS];
  logic [BITS-1:0] newest[2], oldest[2];
  initial begin
    newest[0] = '0; newest[1] = '0; oldest[0] = '0; oldest[1] = '0;
  end
  assign out_valid = {offers[1] && newest[1] != oldest[1], offers[0] && newest[0] != oldest[0]};
  assign out_data  = {words_1[oldest[1]], words_0[oldest[0]]};
  logic named, was_taken = 1'b0;
  always_ff @(posedge clk) begin
    begins <= 1'b0;
    if (!begins) begin
      if (in_valid[0] && takes[0]) words_0[newest[0]] <= taken;
      if (in_valid[1] && takes[1]) words_1[newest[1]] <= taken;
      for (int e = 0; e < 2; e = e + 1) begin
        if (in_valid[e] && takes[e]) newest[e] <= newest[e] + 1'b1;
        if (out_valid[e] && out_ready[e]) oldest[e] <= oldest[e] + 1'b1;
      end
      if (s_valid && s_ready) begin
        taken <= taken + 1'b1;
        if (taken % BITS'(WORDS) == '0) named <= s_engine;
      end
      if (m_valid && m_ready) left <= left + 1'b1;
    end
  end
  always_comb begin
    if (!begins) begin
      if (m_valid) assert (m_data == left && left != taken);                                 // (1)
      assert ((in_valid & takes) == ((s_valid && s_ready) ? in_valid : 2'b00));              // (2)
      if (s_valid && s_ready) begin
        if (taken % BITS'(WORDS) == '0) assert (in_valid == (s_engine ? 2'b10 : 2'b01));
        else assert (in_valid == (named ? 2'b10 : 2'b01));
        assert (s_final == (taken % BITS'(WORDS) == BITS'(WORDS - 1)));
      end
      assert (BITS'(taken - left) <= BITS'(FRAMES * WORDS));                                 // (3)
      if (m_valid) assert (m_last == (left % BITS'(WORDS) == BITS'(WORDS - 1)));             // (4)
    end
  end
endmodule
