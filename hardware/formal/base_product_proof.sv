// SPDX-License-Identifier: Apache-2.0
// nttf_base_product at full width around its five products, which are cut out, for every q: four are given
// (a0, b0), (a1, b1), (a0, b1) and (a1, b0), the fifth the second of their products and gamma. If they give
// residues p0 ... p3 and f, the result has the parts p0 + f and p2 + p3 modulo q, below q.
module base_product_proof #(
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int B = CORE[nttf_core_pkg::DATA_BITS+:32]
) (
  input logic           clk,
  input logic [B-1:0]   q,
  input logic [B-1:0]   gamma,
  input logic [2*B-1:0] a,
  input logic [2*B-1:0] b,
  input logic [B-1:0]   factor_a_0, factor_a_1, factor_a_2, factor_a_3,  // linked, as all below
  input logic [B-1:0]   factor_b_0, factor_b_1, factor_b_2, factor_b_3,
  input logic [B-1:0]   product_0, product_1, product_2, product_3,
  input logic [B-1:0]   folded_a, folded_b, folded
);
  localparam int ADD_REGS = CORE[nttf_core_pkg::ADD_REGS+:32];
  localparam int LATENCY  = CORE[nttf_core_pkg::PRODUCT_LATENCY+:32];
  localparam int LAST     = 2 * LATENCY + 1 + ADD_REGS;
  typedef logic [B+1:0] wide_t;  // nothing wraps

  logic [2*B-1:0] product;
  logic [B-1:0]   q_0, gamma_0, p_0, p_2, p_3, f_0, low, high;
  logic [7:0]     cycle = '0;
  nttf_base_product #(.CORE(CORE)) u_base (
    .clk(clk), .enable(1'b1), .q(q), .constant('0), .gamma(gamma), .a(a), .b(b), .product(product));
  assign {high, low} = product;

  function automatic logic sum_is(logic [B-1:0] s, logic [B-1:0] c, logic [B-1:0] d, logic [B-1:0] modulus);
    sum_is = s < modulus && (wide_t'(s) == wide_t'(c) + wide_t'(d)
                             || wide_t'(s) + wide_t'(modulus) == wide_t'(c) + wide_t'(d));
  endfunction
  always_ff @(posedge clk) begin
    cycle <= cycle + 1'b1;
    q_0   <= q;
    if (cycle == 8'd1) gamma_0 <= gamma;
    if (cycle == 8'(LATENCY)) begin
      p_0 <= product_0;
      p_2 <= product_2;
      p_3 <= product_3;
    end
    if (cycle == 8'(2 * LATENCY)) f_0 <= folded;
  end
  always_comb begin
    if (cycle != '0) assume (q == q_0);
    if (cycle == '0) begin
      assert (factor_a_0 == a[B-1:0] && factor_b_0 == b[B-1:0]);
      assert (factor_a_1 == a[2*B-1:B] && factor_b_1 == b[2*B-1:B]);
      assert (factor_a_2 == a[B-1:0] && factor_b_2 == b[2*B-1:B]);
      assert (factor_a_3 == a[2*B-1:B] && factor_b_3 == b[B-1:0]);
    end
    if (cycle == 8'(LATENCY)) begin
      assume (product_0 < q && product_1 < q && product_2 < q && product_3 < q);
      assert (folded_a == product_1 && folded_b == gamma_0);
    end
    if (cycle == 8'(2 * LATENCY)) assume (folded < q);
    if (cycle == 8'(LAST)) begin
      assert (sum_is(low, p_0, f_0, q));
      assert (sum_is(high, p_2, p_3, q));
    end
  end
endmodule
