// SPDX-License-Identifier: Apache-2.0
// Sum, difference and half of a sum modulo q at full width: for every odd q of DATA_BITS bits or less
// and all a, b below q, each result is below q and is the integer a + b, a - b, or (a + b) / 2 but for
// a multiple of q (twice the half is a + b but for one).
module additions_proof #(
  parameter int DATA_BITS = 52,
  parameter int REGS      = 0
) (
  input logic                 clk,
  input logic [DATA_BITS-1:0] q,
  input logic [DATA_BITS-1:0] a,
  input logic [DATA_BITS-1:0] b
);
  typedef logic [DATA_BITS+1:0] wide_t;  // nothing wraps
  logic [DATA_BITS-1:0] sum, difference, half, a_0, b_0, q_0, a_now, b_now;
  logic [7:0]           cycle = '0;
  nttf_modular_add #(.DATA_BITS(DATA_BITS), .REGS(REGS)) u_add (
    .clk(clk), .enable(1'b1), .q(q), .a(a), .b(b), .sum(sum));
  nttf_modular_subtract #(.DATA_BITS(DATA_BITS), .REGS(REGS)) u_subtract (
    .clk(clk), .enable(1'b1), .q(q), .a(a), .b(b), .difference(difference));
  nttf_modular_half #(.DATA_BITS(DATA_BITS), .REGS(REGS)) u_half (
    .clk(clk), .enable(1'b1), .q(q), .a(a), .b(b), .half(half));
  always_ff @(posedge clk) begin
    cycle <= cycle + 1'b1;
    q_0   <= q;
    if (cycle == '0) begin
      a_0 <= a;
      b_0 <= b;
    end
  end
  assign a_now = (cycle == '0) ? a : a_0;
  assign b_now = (cycle == '0) ? b : b_0;

  wide_t both, twice;
  assign both  = wide_t'(a_now) + wide_t'(b_now);
  assign twice = wide_t'(half) << 1;
  always_comb begin
    if (cycle == '0) assume (a < q && b < q && q[0]);
    if (cycle != '0) assume (q == q_0);
    if (cycle == 8'(REGS)) begin
      assert (sum < q && difference < q && half < q);
      assert (wide_t'(sum) == both || wide_t'(sum) + wide_t'(q) == both);
      assert (wide_t'(difference) + wide_t'(b_now) == wide_t'(a_now)
              || wide_t'(difference) + wide_t'(b_now) == wide_t'(a_now) + wide_t'(q));
      assert (twice == both || twice == both + wide_t'(q) || twice + wide_t'(q) == both);
    end
  end
endmodule
