// SPDX-License-Identifier: Apache-2.0
// Runs ntt_check by itself, in any simulator: with words back to back, then with pauses at both
// handshakes. Prints a line for each run and PASS, or ends with $fatal and FAIL: then the simulator's
// exit code is not 0.
// Arguments: +seed=N chooses the pauses, 1 ... 2^31 - 1; +together stops the clock at the end and lets the
// simulation end when no clock is left, for several testbenches in one program.
module ntt_testbench;
  `include "ntt_parameters.svh"
  logic        clk, restart, stall, done, finished;
  logic [31:0] seed, errors, all_errors, latency_forward, latency_inverse, interval;

  ntt_check #(
    .WORD_BITS(WORD_BITS), .IN_BITS(IN_BITS), .WORDS(WORDS), .TRANSFORMS(TRANSFORMS),
    .INVERSE_FROM(INVERSE_FROM), .LATENCY_FORWARD(LATENCY_FORWARD),
    .LATENCY_INVERSE(LATENCY_INVERSE), .INTERVAL(INTERVAL), .RANGE_CHECKED(RANGE_CHECKED), .WRONG(WRONG),
    .TO_INVERSE(TO_INVERSE), .TO_FORWARD(TO_FORWARD), .CHOICES(CHOICES), .BUFFERED(BUFFERED)
  ) u_check (
    .clk(clk), .restart(restart), .stall(stall), .seed(seed), .done(done), .errors(errors),
    .latency_forward(latency_forward), .latency_inverse(latency_inverse), .interval(interval));

  initial begin
    clk = 0;
    restart = 1;
    stall = 0;
    finished = 0;
    all_errors = 0;
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    while (!finished) #5 clk = !clk;
  end

  always @(posedge clk) begin
    restart <= 0;
    if (!restart && done) begin
      if (stall) $write("ntt_testbench pauses");
      else $write("ntt_testbench streaming");
      $display(": %0d errors; latency: %0d forward, %0d inverse; interval: %0d", errors, latency_forward,
               latency_inverse, interval);
      all_errors <= all_errors + errors;
      if (!stall) begin
        stall   <= 1;
        restart <= 1;
      end else begin
        finished <= 1;
        if (all_errors + errors == 0) $display("ntt_testbench PASS");
        else if ($test$plusargs("together")) $display("ntt_testbench FAIL");
        else $fatal(1, "ntt_testbench FAIL");
        if (!$test$plusargs("together")) $finish;
      end
    end
  end
endmodule
