// SPDX-License-Identifier: Apache-2.0
// Checks a design: every transform of input.hex goes through, every word that comes out is compared with
// output.hex, and without stalls the cycles are compared with the prediction.
//
// Where forward and inverse transforms are there (TO_INVERSE > 0), all of them go through once more in
// another order, directions mixed.
//
// stall = 0: words come back to back and the receiver is always ready; latency and interval are checked
// as well. With BUFFERED = 1 the interval is that of last words out, the latency that of the first
// transform of each direction, and an inverse one after forward ones waits until those are out.
// stall = 1: both handshakes pause at pseudo-random times (seed, not 0). Before the words count, four
// beginnings end in a flush: after a wrong s_last and half of the first transform's words, after the word
// WRONG, of which one residue is its modulus, and half of the first result, after a word of ones likewise,
// and just before the second transform's last word; the error flags must tell of the first three.
// A run begins with `restart` for one cycle; `stall` and `seed` are static in a run. `done` and `errors`
// are its verdict.
module ntt_check #(
  parameter int WORD_BITS       = 1,
  parameter int IN_BITS         = WORD_BITS,  // of an input word
  parameter int WORDS           = 1,
  parameter int TRANSFORMS      = 1,
  parameter int INVERSE_FROM    = 1,  // transforms from this number on are inverse
  parameter int LATENCY_FORWARD = 0,
  parameter int LATENCY_INVERSE = 0,
  parameter int INTERVAL        = 0,
  parameter int RANGE_CHECKED   = 1,  // WRONG and a word of ones are out of range
  parameter logic [IN_BITS-1:0] WRONG = '1,
  parameter int TO_INVERSE      = 0,  // cycles from a forward transform to an inverse one
  parameter int TO_FORWARD      = 0,  // and the other way round
  parameter int CHOICES         = 1,  // more than 1: frame i is given with choice i % CHOICES
  parameter int BUFFERED        = 0   // 1: words wait at both ports, and cycles are those of the results
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
  localparam int STORED = TRANSFORMS * WORDS;
  localparam int FRAMES = (TO_INVERSE > 0) ? 2 * TRANSFORMS : TRANSFORMS;
  localparam int TOTAL  = FRAMES * WORDS;
  localparam int LIMIT = 200 + 8 * (FRAMES + 3) * (LATENCY_FORWARD + LATENCY_INVERSE + INTERVAL + WORDS);

  logic [IN_BITS-1:0]   given[STORED];
  logic [WORD_BITS-1:0] expected[STORED];
  initial $readmemh("testbench/input.hex", given, 0, STORED - 1);
  initial $readmemh("testbench/output.hex", expected, 0, STORED - 1);

  logic                 reset, flush, s_valid, s_ready, s_last, m_valid, m_ready, m_last;
  logic                 error_last, error_range;
  logic [WORD_BITS-1:0] m_data;
  int                   cycle, sent, received, begun_cycle;
  int                   start_cycle[FRAMES];
  int                   ended_cycle;
  logic                 alone, measured;
  logic [31:0]          noise;

  ntt_top u_top (
    .clk(clk), .reset(reset), .flush(flush), .s_valid(s_valid), .s_ready(s_ready),
    .s_inverse(choice), .s_last(s_last), .s_data(s_data), .error_last(error_last),
    .error_range(error_range), .m_valid(m_valid), .m_ready(m_ready), .m_last(m_last),
    .m_data(m_data));

  // The transform in the files that frame number `frame` is: the order of the files, then mixed.
  function automatic int source(int frame);
    int pair;
    pair = (frame - TRANSFORMS) / 2;
    if (frame < TRANSFORMS) source = frame;
    else if ((((frame - TRANSFORMS) ^ (pair / 2)) & 1) == 0) source = pair % INVERSE_FROM;
    else source = INVERSE_FROM + pair % (TRANSFORMS - INVERSE_FROM);
  endfunction
  logic sends_inverse, sent_inverse, gives_inverse;
  int   sent_at, received_at, distance;
  assign sent_at       = source(sent < TOTAL ? sent / WORDS : 0) * WORDS + sent % WORDS;
  assign received_at   = source(received < TOTAL ? received / WORDS : 0) * WORDS + received % WORDS;
  assign sends_inverse = sent_at / WORDS >= INVERSE_FROM;
  assign gives_inverse = received_at / WORDS >= INVERSE_FROM;
  assign distance      = (sends_inverse == sent_inverse) ? INTERVAL
                                                         : sends_inverse ? TO_INVERSE : TO_FORWARD;

  // Beginnings 0 to 3 are those that end in a flush.
  localparam int HALF = WORDS / 2;
  localparam int LATE = (TRANSFORMS > 1) ? 2 * WORDS - 1 : WORDS - 1;
  int                  beginning;
  logic                wrong_last, wrong_word, waits;
  logic [IN_BITS-1:0]  s_data;
  assign wrong_last = stall && beginning == 0 && sent == 0;
  assign wrong_word = stall && (beginning == 1 || beginning == 2);
  assign waits      = stall && ((beginning == 0 && sent == HALF) || (beginning == 3 && sent == LATE));
  assign s_data     = !(wrong_word && sent == 0) ? given[sent_at] : (beginning == 1) ? WRONG : '1;
  assign flush      = (waits && noise[12:10] == 0 && (beginning == 3 || error_last))
                    || (wrong_word && received == HALF && (RANGE_CHECKED == 0 || error_range));

  logic offer;  // stays until the word is taken
  localparam int CHOICE_BITS = (CHOICES > 1) ? $clog2(CHOICES) : 1;
  logic [CHOICE_BITS-1:0] choice;
  assign choice    = (CHOICES > 1) ? CHOICE_BITS'(sent / WORDS % CHOICES)
                                   : CHOICE_BITS'(sends_inverse);
  assign reset     = restart || cycle < 4;
  assign alone     = BUFFERED != 0 && sent == INVERSE_FROM * WORDS && received != sent;
  assign measured  = BUFFERED == 0 || received / WORDS == 0 || received / WORDS == INVERSE_FROM;
  assign s_valid   = !reset && sent < TOTAL && !alone && (!stall || (offer && !waits));
  assign s_last    = wrong_last || sent % WORDS == WORDS - 1;
  assign m_ready   = !stall || noise[7:5] != 0;

  always @(posedge clk) begin
    cycle <= cycle + 1;
    noise <= reset ? seed : {noise[30:0], noise[31] ^ noise[21] ^ noise[1] ^ noise[0]};
    if (!offer || (s_valid && s_ready)) offer <= noise[3:1] != 0;
    if (s_valid && s_ready) begin
      if (sent % WORDS == 0) begin
        start_cycle[sent/WORDS] <= cycle;
        if (sent != 0 && BUFFERED == 0) begin
          if (sends_inverse == sent_inverse) interval <= cycle - begun_cycle;
          if (!stall && cycle - begun_cycle != distance) begin
            $display("transform %0d after %0d cycles, predicted %0d", sent / WORDS, cycle - begun_cycle,
                     distance);
            errors <= errors + 1;
          end
        end
        begun_cycle  <= cycle;
        sent_inverse <= sends_inverse;
      end
      sent <= sent + 1;
    end
    if (m_valid && m_ready && !reset) begin
      if (m_data !== expected[received_at] && !wrong_word) begin
        if (errors < 10)
          $display("word %0d of transform %0d: %h, expected %h", received % WORDS, received / WORDS,
                   m_data, expected[received_at]);
        errors <= errors + 1;
      end
      if (m_last != (received % WORDS == WORDS - 1)) begin
        $display("word %0d: m_last = %b", received, m_last);
        errors <= errors + 1;
      end
      if (received % WORDS == WORDS - 1) ended_cycle <= cycle;
      if (received % WORDS == WORDS - 1 && !measured && received < STORED) begin
        interval <= cycle - ended_cycle;
        if (!stall && cycle - ended_cycle != INTERVAL) begin
          $display("interval of results: %0d cycles, predicted %0d", cycle - ended_cycle, INTERVAL);
          errors <= errors + 1;
        end
      end
      if (received % WORDS == WORDS - 1 && measured) begin
        if (gives_inverse) latency_inverse <= cycle - start_cycle[received/WORDS] + 1;
        else latency_forward <= cycle - start_cycle[received/WORDS] + 1;
        if (!stall && cycle - start_cycle[received/WORDS] + 1
            != (gives_inverse ? LATENCY_INVERSE : LATENCY_FORWARD)) begin
          $display("latency of transform %0d: %0d cycles", received / WORDS,
                   cycle - start_cycle[received/WORDS] + 1);
          errors <= errors + 1;
        end
      end
      received <= received + 1;
      if (received == TOTAL - 1) begin
        done <= 1;
        if (stall && beginning != 4) begin
          $display("no error flag tells of beginning %0d", beginning);
          errors <= errors + 1;
        end else if (error_last || error_range) begin
          $display("error_last = %b, error_range = %b", error_last, error_range);
          errors <= errors + 1;
        end
      end
    end
    if (flush) begin
      if (error_range != (wrong_word && RANGE_CHECKED != 0) || error_last != (beginning == 0)) begin
        $display("flush %0d: error_last = %b, error_range = %b", beginning, error_last, error_range);
        errors <= errors + 1;
      end
      beginning <= beginning + 1;
      sent      <= received - received % WORDS;
      received  <= received - received % WORDS;
    end
    if (cycle > LIMIT && !done) begin
      $display("no end after %0d cycles: %0d of %0d words sent, %0d received", cycle, sent, TOTAL,
               received);
      errors <= errors + 1;
      done   <= 1;
    end
    if (restart) begin
      cycle <= 0; sent <= 0; received <= 0; begun_cycle <= 0; errors <= 0; done <= 0; interval <= 0;
      ended_cycle <= 0; latency_forward <= 0; latency_inverse <= 0; noise <= 0; offer <= 0; beginning <= 0;
      sent_inverse <= 0;
    end
  end
endmodule
