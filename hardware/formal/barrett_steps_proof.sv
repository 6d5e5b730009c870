// SPDX-License-Identifier: Apache-2.0
// nttf_reduce_barrett at full width, for every q and mu, around its two multipliers, which are cut out.
// Proved: the first one is given z / 2^(DATA_BITS - 2) and mu, the second one the quotient, which is the
// first product / 2^(DATA_BITS + 5), and q; if the second product is that of a number `multiple` with
// 0 <= z - multiple < 2 q (docs/bounds/hardware-cores.md), the result is the one of z - multiple and
// z - multiple - q that lies in [0, q).
module barrett_steps_proof #(
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int B = CORE[nttf_core_pkg::DATA_BITS+:32]
) (
  input logic           clk,
  input logic [B-1:0]   q,
  input logic [B+3:0]   mu,
  input logic [2*B-1:0] z,
  input logic [2*B-1:0] multiple,      // quotient q
  input logic [B+1:0]   scaled_a,      // linked, as all below: what the multipliers are given and give
  input logic [B+3:0]   scaled_b,
  input logic [2*B+5:0] scaled,
  input logic [B:0]     multiple_a,
  input logic [B-1:0]   multiple_b,
  input logic [B:0]     multiple_low
);
  localparam int MOVING   = CORE[nttf_core_pkg::MOVING+:32];
  localparam int SUM_REGS = CORE[nttf_core_pkg::SUM_REGS+:32];
  localparam int REGS     = CORE[nttf_core_pkg::REDUCTION_REGS+:32];
  localparam int PRODUCT  = 1 + CORE[nttf_core_pkg::PRODUCT_REGS+:32] + SUM_REGS + ((REGS > 0) ? 1 : 0);
  typedef logic [2*B:0] wide_t;                                   // nothing wraps

  logic [B-1:0]   remainder, q_0, q_now;
  logic [2*B-1:0] z_0, multiple_0;
  logic [7:0]     cycle = '0;
  nttf_reduce_barrett #(.CORE(CORE)) u_reduce (
    .clk(clk), .enable(1'b1), .q(q), .mu(mu), .z(z), .remainder(remainder));
  always_ff @(posedge clk) begin
    cycle <= cycle + 1'b1;
    if (cycle == '0) begin
      q_0 <= q;
      z_0 <= z;
    end
    if (cycle == 8'(2 * PRODUCT)) multiple_0 <= multiple;
  end
  assign q_now = (cycle == '0) ? q : q_0;  // what came with z
  always_comb begin
    if (MOVING == 0) assume (q == q_now);
    if (cycle == '0) begin
      assert (scaled_a == (B+2)'(z >> (B - 2)));
      assert (scaled_b == mu);
    end
    if (cycle == 8'(PRODUCT)) begin
      assert (multiple_a == (B+1)'(scaled >> (B + 5)));
      assert (multiple_b == q_now);
    end
    if (cycle == 8'(2 * PRODUCT)) begin
      assume (multiple_low == multiple[B:0]);
      assume (wide_t'(multiple) <= wide_t'(z_0));
      assume (wide_t'(z_0) < wide_t'(multiple) + wide_t'(q_now) + wide_t'(q_now));
    end
    if (cycle == 8'(2 * PRODUCT + 2)) begin
      assert (remainder < q_now);
      assert (wide_t'(multiple_0) + wide_t'(remainder) == wide_t'(z_0)
              || wide_t'(multiple_0) + wide_t'(remainder) + wide_t'(q_now) == wide_t'(z_0));
    end
  end
endmodule
