// SPDX-License-Identifier: Apache-2.0
// Drives OpenNTT (module OpenNTT, below its instruction decoder): for both directions a polynomial in, the transform,
// its values out, one coefficient a cycle. Memory: bank, slot, place; slot 0 is used.
module league_bench #(
  parameter int N = 1024,
  parameter int BITS = 30,
  parameter int PE = 4,
  parameter int SLOTS = 2,
  parameter int SETTLE = 1
);
  import open_ntt_pkg::*;
  localparam int DEPTH = N / 2 / PE;
  logic clk = 0;
  always #5 clk = !clk;
  logic rst = 1, forward = 1, wen = 0, done;
  logic [$clog2(SLOTS)+$clog2(N)-1:0] raddr = '0, waddr = '0;
  logic [BITS-1:0] rdata, wdata = '0;
  logic [BITS-1:0] given[2*N];
  logic [BITS-1:0] wanted[2*N];
  OpenNTT u_design (
    .clk(clk), .rst(rst), .forward(forward), .opcode(2'd0), .q(TB_Q_ARR[0]), .montgomery_factor('0),
    .rom_base_addr(forward ? '0 : '0), .poly_base_a('0), .poly_base_b('0),
    .io_ram_wen(wen), .io_ram_raddr(raddr), .io_ram_waddr(waddr), .io_ram_rdata(rdata), .io_ram_wdata(wdata),
    .done(done));

  longint cycle = 0;
  always @(posedge clk) cycle <= cycle + 1;
  longint in_first, in_last, began, ended, out_first, out_last;
  int errors = 0;
  localparam int READ = 4;  // cycles from an address to its word

  // Where coefficient k is before a forward transform, and value k (bit-reversed) behind it.
  function automatic int natural(input int k);
    int block = k / DEPTH;
    return ((block % PE) * 2 + block / PE) * DEPTH * SLOTS + k % DEPTH;
  endfunction
  function automatic int paired(input int k);
    int pair = k / 2;
    return (pair / DEPTH * 2 + k % 2) * DEPTH * SLOTS + pair % DEPTH;
  endfunction

  task automatic transform(input int inverse);
    rst = 1;
    forward = inverse == 0;
    repeat (8) @(negedge clk);
    in_first = cycle;
    for (int k = 0; k < N; k++) begin
      wen = 1;
      waddr = inverse != 0 ? paired(k) : natural(k);
      wdata = given[inverse * N + k];
      in_last = cycle;
      @(negedge clk);
    end
    wen = 0;
    repeat (SETTLE) @(negedge clk);
    began = cycle;
    rst = 0;
    while (done) @(negedge clk);
    while (!done) @(negedge clk);
    ended = cycle;
    repeat (SETTLE) @(negedge clk);
    rst = 1;  // the port has the memories again
    for (int k = 0; k < N + READ; k++) begin
      if (k < N) raddr = inverse != 0 ? natural(k) : paired(k);
      if (k == READ) out_first = cycle;
      if (k >= READ) begin
        if (rdata !== wanted[inverse * N + k - READ]) errors++;
        out_last = cycle;
      end
      @(negedge clk);
    end
    $display("%s: in %0d %0d began %0d ended %0d out %0d %0d", inverse != 0 ? "inverse" : "forward", in_first, in_last,
      began, ended, out_first, out_last);
  endtask

  initial begin
    $readmemh("given.hex", given);
    $readmemh("wanted.hex", wanted);
    repeat (20) @(negedge clk);
    transform(0);
    transform(1);
    $display("%0d words, %0d errors", 2 * N, errors);
    $finish;
  end
endmodule
