// SPDX-License-Identifier: Apache-2.0
// Drives parametric-ntt (module NTTN): tables, then for both directions a polynomial in, the transform, its values
// out, one coefficient a cycle, as soon as its state machine takes them.
module league_bench #(
  parameter int N = 1024,
  parameter int BITS = 30,
  parameter int TABLE = 1
);
  logic clk = 0;
  always #5 clk = !clk;
  logic reset = 1, load_w = 0, load_data = 0, start = 0, start_intt = 0, done;
  logic [BITS-1:0] din = '0, dout;
  logic [BITS-1:0] tables[TABLE];
  logic [BITS-1:0] given[2*N];
  logic [BITS-1:0] wanted[2*N];
  NTTN u_design (
    .clk(clk), .reset(reset), .load_w(load_w), .load_data(load_data), .start(start),
    .start_intt(start_intt), .din(din), .done(done), .dout(dout));

  longint cycle = 0;
  always @(posedge clk) cycle <= cycle + 1;
  longint in_first, in_last, began, out_first, out_last;
  int errors = 0;

  task automatic transform(input int inverse);
    load_data = 1;
    @(negedge clk);
    load_data = 0;
    in_first = cycle;
    for (int k = 0; k < N; k++) begin
      din = given[inverse * N + k];
      in_last = cycle;
      @(negedge clk);
    end
    began = cycle;
    if (inverse != 0) start_intt = 1; else start = 1;
    @(negedge clk);
    start = 0;
    start_intt = 0;
    while (!done) @(negedge clk);
    @(negedge clk);
    out_first = cycle;
    for (int k = 0; k < N; k++) begin
      if (dout !== wanted[inverse * N + k]) errors++;
      out_last = cycle;
      @(negedge clk);
    end
    $display("%s: in %0d %0d began %0d out %0d %0d", inverse != 0 ? "inverse" : "forward", in_first, in_last,
      began, out_first, out_last);
    repeat (4) @(negedge clk);
  endtask

  initial begin
    $readmemh("tables.hex", tables);
    $readmemh("given.hex", given);
    $readmemh("wanted.hex", wanted);
    repeat (20) @(negedge clk);
    reset = 0;
    repeat (20) @(negedge clk);
    load_w = 1;
    @(negedge clk);
    load_w = 0;
    for (int k = 0; k < TABLE; k++) begin
      din = tables[k];
      @(negedge clk);
    end
    repeat (4) @(negedge clk);
    transform(0);
    transform(1);
    $display("%0d words, %0d errors", 2 * N, errors);
    $finish;
  end
endmodule
