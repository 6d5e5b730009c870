// SPDX-License-Identifier: Apache-2.0
// nttf_complex_multiplier at full width around its three products, which are cut out, for every q: they
// are given (a0, b0), (a1, b1) and the sums of both modulo q, and if they give residues p0, p1, p2, the
// result has the parts p0 - p1 and p2 - p0 - p1 modulo q, below q.
module complex_multiplier_proof #(
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int B = CORE[nttf_core_pkg::DATA_BITS+:32]
) (
  input logic           clk,
  input logic [B-1:0]   q,
  input logic [2*B-1:0] a,
  input logic [2*B-1:0] b,
  input logic [B-1:0]   factor_a_0, factor_a_1, factor_a_2,  // linked, as all below
  input logic [B-1:0]   factor_b_0, factor_b_1, factor_b_2,
  input logic [B-1:0]   product_0, product_1, product_2
);
  localparam int ADD_REGS = CORE[nttf_core_pkg::ADD_REGS+:32];
  localparam int LATENCY  = CORE[nttf_core_pkg::PRODUCT_LATENCY+:32];
  localparam int BEFORE   = 1 + ADD_REGS;
  localparam int PRODUCT  = LATENCY - 2 * (1 + ADD_REGS);
  typedef logic [B+1:0] wide_t;  // nothing wraps

  logic [2*B-1:0] product, a_0, b_0;
  logic [B-1:0]   q_0, p_0, p_1, p_2, re, im;
  logic [7:0]     cycle = '0;
  nttf_complex_multiplier #(.CORE(CORE)) u_multiplier (
    .clk(clk), .enable(1'b1), .q(q), .constant('0), .a(a), .b(b), .product(product));
  assign {im, re} = product;

  function automatic logic sum_is(logic [B-1:0] s, logic [B-1:0] c, logic [B-1:0] d, logic [B-1:0] modulus);
    sum_is = s < modulus && (wide_t'(s) == wide_t'(c) + wide_t'(d)
                             || wide_t'(s) + wide_t'(modulus) == wide_t'(c) + wide_t'(d));
  endfunction
  always_ff @(posedge clk) begin
    cycle <= cycle + 1'b1;
    q_0   <= q;
    if (cycle == '0) begin
      a_0 <= a;
      b_0 <= b;
    end
    if (cycle == 8'(PRODUCT)) begin
      p_0 <= product_0;
      p_1 <= product_1;
      p_2 <= product_2;
    end
  end
  always_comb begin
    if (cycle == '0)
      assume (a[B-1:0] < q && a[2*B-1:B] < q && b[B-1:0] < q && b[2*B-1:B] < q);
    if (cycle != '0) assume (q == q_0);
    if (cycle == 8'(BEFORE)) begin
      assert (factor_a_0 == a_0[B-1:0] && factor_b_0 == b_0[B-1:0]);
      assert (factor_a_1 == a_0[2*B-1:B] && factor_b_1 == b_0[2*B-1:B]);
      assert (sum_is(factor_a_2, a_0[B-1:0], a_0[2*B-1:B], q));
      assert (sum_is(factor_b_2, b_0[B-1:0], b_0[2*B-1:B], q));
    end
    if (cycle == 8'(PRODUCT)) assume (product_0 < q && product_1 < q && product_2 < q);
    if (cycle == 8'(LATENCY)) begin
      assert (re < q && im < q);
      assert (wide_t'(re) + wide_t'(p_1) == wide_t'(p_0)
              || wide_t'(re) + wide_t'(p_1) == wide_t'(p_0) + wide_t'(q));
      assert (wide_t'(im) + wide_t'(p_0) + wide_t'(p_1) == wide_t'(p_2)
              || wide_t'(im) + wide_t'(p_0) + wide_t'(p_1) == wide_t'(p_2) + wide_t'(q)
              || wide_t'(im) + wide_t'(p_0) + wide_t'(p_1) == wide_t'(p_2) + wide_t'(q) + wide_t'(q));
    end
  end
endmodule
