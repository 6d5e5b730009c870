// SPDX-License-Identifier: Apache-2.0
// Checks a key-switching pipeline: sends every polynomial of input.hex and the keys of keys.hex, one after
// the other and from the beginning again, and compares what comes out with output.hex.
//
// stall = 0: words come back to back and the receiver is always ready. With RATED = 1 that is done once
// more after a reset, with keys at the rate of a memory: KEY_WORDS words in KEY_CYCLES cycles, after
// KEY_LATENCY cycles. The cycles of every operation's first word in and last word out are compared with
// the prediction (operations.hex: first and last of the plain run, first and last with the memory).
// stall = 1: all three ports pause at pseudo-random times (seed, not 0). Before the words count, three
// beginnings end in a flush: after a wrong s_last and half of the first polynomial, and after the words
// WRONG_KEY of keys and WRONG of a polynomial, of which one residue is its modulus, and half of the first
// result; the error flags must tell of all.
// A run begins with `restart` for one cycle; `stall` and `seed` are static in a run. `done` and `errors`
// are its verdict.
module ntt_check #(
  parameter int WORD_BITS   = 1,
  parameter int KEY_BITS    = 1,
  parameter int WORDS       = 1,
  parameter int DIGITS      = 1,
  parameter int TRANSFORMS  = 1,  // operations
  parameter int KEYS        = 1,
  parameter int INTERVAL    = 0,
  parameter logic [WORD_BITS-1:0] WRONG     = '1,
  parameter logic [KEY_BITS-1:0]  WRONG_KEY = '1,
  parameter int RATED       = 0,
  parameter int KEY_WORDS   = 1,
  parameter int KEY_CYCLES  = 1,
  parameter int KEY_LATENCY = 0,
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
  localparam int EACH   = DIGITS * WORDS;  // words of a key
  localparam int RESULT = 2 * WORDS;
  localparam int HALF   = WORDS / 2;

  logic [WORD_BITS-1:0] given[TOTAL];
  logic [KEY_BITS-1:0]  keys[KEYS*EACH];
  logic [WORD_BITS-1:0] expected[2*TOTAL];
  logic [127:0]         operations[TRANSFORMS];
  initial $readmemh("testbench/input.hex", given, 0, TOTAL - 1);
  initial $readmemh("testbench/keys.hex", keys, 0, KEYS * EACH - 1);
  initial $readmemh("testbench/output.hex", expected, 0, 2 * TOTAL - 1);
  initial $readmemh("testbench/operations.hex", operations, 0, TRANSFORMS - 1);

  logic                 reset, flush, s_valid, s_ready, s_last, k_valid, k_ready, k_last, m_valid, m_ready;
  logic                 m_last, error_last, error_range, wrong_last, wrong_key, wrong_word, waits, offer, key_offer;
  logic                 rated, pending, key_there;
  logic [WORD_BITS-1:0] s_data, m_data;
  logic [KEY_BITS-1:0]  k_data;
  logic [127:0]         begins, ends;
  logic [31:0]          noise;
  int                   cycle, sent, keys_sent, received, beginning, first_cycle, phase, operation_begun;

  ntt_top u_top (
    .clk(clk), .reset(reset), .flush(flush), .s_valid(s_valid), .s_ready(s_ready), .s_last(s_last),
    .s_data(s_data), .k_valid(k_valid), .k_ready(k_ready), .k_last(k_last), .k_data(k_data),
    .m_valid(m_valid), .m_ready(m_ready), .m_last(m_last), .m_data(m_data), .error_last(error_last),
    .error_range(error_range));

  assign begins     = operations[sent < TOTAL ? sent / WORDS : 0] >> (rated ? 64 : 0);
  assign ends       = operations[received < 2 * TOTAL ? received / RESULT : 0] >> (rated ? 64 : 0);
  assign wrong_last = stall && beginning == 0 && sent == 0;
  assign wrong_key  = stall && beginning == 1;
  assign wrong_word = stall && beginning == 2;
  assign waits      = stall && beginning == 0 && sent == HALF;
  assign reset      = restart || cycle < 4;
  assign s_valid    = !reset && sent < TOTAL && (!stall || (offer && !waits));
  assign s_last     = wrong_last || sent % WORDS == WORDS - 1;
  assign s_data     = (wrong_word && sent == 0) ? WRONG : given[sent < TOTAL ? sent : 0];
  assign key_there  = rated ? pending : (!stall || key_offer);
  assign k_valid    = !reset && keys_sent < TRANSFORMS * EACH && key_there;
  assign k_last     = keys_sent % EACH == EACH - 1;
  assign k_data     = (wrong_key && keys_sent == 0) ? WRONG_KEY : keys[keys_sent%(KEYS*EACH)];
  assign m_ready    = !stall || noise[7:5] != 0;
  assign flush      = (waits && noise[12:10] == 0 && error_last) || ((wrong_key || wrong_word) && received == HALF && error_range);

  always @(posedge clk) begin
    cycle <= cycle + 1;
    noise <= reset ? seed : {noise[30:0], noise[31] ^ noise[21] ^ noise[1] ^ noise[0]};
    if (!offer || (s_valid && s_ready)) offer <= noise[3:1] != 0;
    if (!key_offer || (k_valid && k_ready)) key_offer <= noise[16:14] != 0;
    // A memory has its next word when so many cycles have passed since the last one was taken.
    if (!reset && cycle >= 4 + KEY_LATENCY && (!pending || (k_valid && k_ready))) begin
      pending <= phase + KEY_WORDS >= KEY_CYCLES;
      phase   <= (phase + KEY_WORDS >= KEY_CYCLES) ? phase + KEY_WORDS - KEY_CYCLES : phase + KEY_WORDS;
    end
    if (k_valid && k_ready) keys_sent <= keys_sent + 1;
    if (s_valid && s_ready) begin
      if (sent == 0) begin
        first_cycle     <= cycle;
        operation_begun <= cycle;
      end
      if (!stall && sent != 0 && sent % WORDS == 0 && cycle - first_cycle != int'(begins[31:0])) begin
        $display("operation %0d: first word in in cycle %0d, predicted %0d", sent / WORDS, cycle - first_cycle,
                 begins[31:0]);
        errors <= errors + 1;
      end
      sent <= sent + 1;
    end
    if (m_valid && m_ready && !reset) begin
      if (m_data !== expected[received] && !wrong_key && !wrong_word) begin
        if (errors < 10)
          $display("word %0d of result %0d: %h, expected %h", received % RESULT, received / RESULT, m_data,
                   expected[received]);
        errors <= errors + 1;
      end
      if (m_last != (received % RESULT == RESULT - 1)) begin
        $display("word %0d: m_last = %b", received, m_last);
        errors <= errors + 1;
      end
      if (m_last) begin
        if (received == RESULT - 1 && !rated) latency_forward <= cycle - operation_begun + 1;
        if (!stall && cycle - first_cycle != int'(ends[63:32])) begin
          $display("operation %0d: last word out in cycle %0d, predicted %0d", received / RESULT,
                   cycle - first_cycle, ends[63:32]);
          errors <= errors + 1;
        end
      end
      received <= received + 1;
      if (received == 2 * TOTAL - 1) begin
        if (stall && beginning != 3) begin
          $display("no error flag tells of beginning %0d", beginning);
          errors <= errors + 1;
        end else if (error_last || error_range) begin
          $display("errors: last %b, range %b", error_last, error_range);
          errors <= errors + 1;
        end
        if (RATED != 0 && !stall && !rated) begin
          rated <= 1;
          cycle <= 0; sent <= 0; keys_sent <= 0; received <= 0; phase <= 0; pending <= 0;
        end else begin
          done <= 1;
        end
      end
    end
    if (flush) begin
      if (error_range != (beginning != 0) || error_last != (beginning == 0)) begin
        $display("flush %0d: error_last = %b, error_range = %b", beginning, error_last, error_range);
        errors <= errors + 1;
      end
      beginning <= beginning + 1;
      sent      <= 0;
      keys_sent <= 0;
      received  <= 0;
    end
    if (cycle > LIMIT && !done) begin
      $display("no end after %0d cycles: %0d of %0d words sent, %0d of %0d keys, %0d of %0d received", cycle,
               sent, TOTAL, keys_sent, TRANSFORMS * EACH, received, 2 * TOTAL);
      errors <= errors + 1;
      done   <= 1;
    end
    if (restart) begin
      cycle <= 0; sent <= 0; keys_sent <= 0; received <= 0; beginning <= 0; first_cycle <= 0; noise <= 0;
      offer <= 0; key_offer <= 0; errors <= 0; done <= 0; latency_forward <= 0; latency_inverse <= 0;
      rated <= 0; pending <= 0; phase <= 0; operation_begun <= 0; interval <= INTERVAL;
    end
  end
endmodule
